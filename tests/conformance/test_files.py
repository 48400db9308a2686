"""Files that are no kit, no report, or cannot be written: a sentence, and no call is made."""

from __future__ import annotations

from pathlib import Path

import pytest

from aclnn.tools.conformance import command, kit
from aclnn.tools.conformance.recorder.calls import Unreadable, load
from tests.conformance import __main__ as making

CONTENTS = {"text": b"hello", "bytes": b"\xff\xfe\x00", "list": b"[]", "empty": b"", "other": b'{"a": 1}'}


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("words", [["compare"], ["record", "-o", "report.json"]])
def test_a_file_that_is_neither(
    words: list[str], content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("wrong").write_bytes(CONTENTS[content])
    with pytest.raises(Unreadable):
        load("wrong")
    assert command.main([words[0], "wrong", *words[1:]]) == 1
    assert "wrong is neither a kit nor a report" in capsys.readouterr().err
    assert not Path("report.json").exists()


def test_a_record_without_a_kit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["record", "-o", str(tmp_path / "report.json")]) == 1
    assert "name the kit" in capsys.readouterr().err


def test_a_kit_is_no_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "kit.pyz"
    kit.write(path, [])
    assert command.main(["compare", str(path)]) == 1
    assert "it is a kit, not a report" in capsys.readouterr().err


def test_a_report_that_cannot_be_written_is_refused_before_the_calls(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "kit.pyz"
    kit.write(path, [{}])
    output = tmp_path / "missing" / "report.json"
    assert command.main(["record", str(path), "-o", str(output), "--python", "false"]) == 1
    assert capsys.readouterr().err == f"conformance: {output}: No such file or directory\n"


def test_a_kit_of_an_unknown_function(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["conformance", str(tmp_path / "kit.pyz"), "aclnnNope"])
    with pytest.raises(SystemExit):
        making.main()
    assert "there is no function aclnnNope" in capsys.readouterr().err

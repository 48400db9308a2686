"""`aclnn port`: the port on stdout, the reasons on stderr, the exit status; and what `--check` compares."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("tree_sitter_cpp", reason="the extra `port` is not installed")

from aclnn.__main__ import main
from aclnn.tools.port.check import Outcome, differences, same_call
from aclnn.tools.port.cpp import reading

GOOD = '#include "acl/acl.h"\nint main() { return aclInit(nullptr); }\n'


def test_a_whole_port_has_status_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "good.cpp").write_text(GOOD)
    assert main(["port", str(tmp_path / "good.cpp")]) == 0
    printed = capsys.readouterr()
    assert "    return aclInit(None)\n" in printed.out
    assert printed.err == ""


def test_what_is_missing_is_on_stderr_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "bad.cpp"
    file.write_text(GOOD.replace("return", "\nunknown(1);\nreturn"))
    assert main(["port", str(file), "--check"]) == 1
    printed = capsys.readouterr()
    assert "    # TODO: line 3: the function unknown\n" in printed.out
    assert printed.err.splitlines() == [
        f"{file}:3: the function unknown",
        "aclnn port: 1 place without a translation, marked TODO",
        "aclnn port: not checked, because the port is not complete",
    ]


def test_a_file_that_is_not_there_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["port", "no_such_file.cpp"]) == 1
    assert capsys.readouterr().err == "aclnn: no_such_file.cpp: No such file or directory\n"


def test_the_missing_extra_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "good.cpp").write_text(GOOD)
    monkeypatch.setitem(sys.modules, "tree_sitter_cpp", None)
    reading._parser.cache_clear()
    assert main(["port", str(tmp_path / "good.cpp")]) == 1
    line = "aclnn: aclnn port needs tree-sitter with its C++ grammar: pip install '.[port]' in a clone\n"
    assert capsys.readouterr().err == line


DID = Outcome(0, "one\ntwo\n", ["aclInit(nullptr) = ACL_SUCCESS", "aclrtMemcpy(device 0 + 0x0, 8, src, 8, 1) = 0"])


@pytest.mark.parametrize(
    ("other", "found"),
    [
        (DID, 0),
        (Outcome(1, DID.output, DID.calls), 1),
        (Outcome(0, "one\n2\n", DID.calls), 1),
        (Outcome(0, "one\n", DID.calls), 1),
        (Outcome(0, "one\ntwo", DID.calls), 1),
        (Outcome(0, DID.output, DID.calls[:1]), 1),
        (Outcome(0, DID.output, [DID.calls[0], "aclrtMemcpy(device 0 + 0x0, 9, src, 8, 1) = 0"]), 1),
        (Outcome(0, DID.output, [DID.calls[0], "aclrtMemcpy(device 0 + 0x0, 8, {1, 2}, 8, 1) = 0"]), 0),
    ],
)
def test_every_difference_is_found(other: Outcome, found: int) -> None:
    assert len(differences(DID, other)) == found


@pytest.mark.parametrize(
    ("program", "port", "same"),
    [
        ("f(viewDims, 2) = tensor 1", "f({4, 2}, 2) = tensor 1", True),
        ("f(viewDims, 2) = tensor 1", "f({4, 2}, 3) = tensor 1", False),
        ("f(nullptr) = 0", "f(nullptr) = 1", False),
        ("f(ACL_FLOAT) = 0", "f(ACL_INT64) = 0", False),
        ("f(&x -> 5) = 0", "f(&x -> 6) = 0", False),
        ("f(nullptr) = 0", "f({1}) = 0", False),
        ("f(1) = 0", "g(1) = 0", False),
    ],
)
def test_only_arrays_of_the_host_may_be_shown_otherwise(program: str, port: str, same: bool) -> None:
    assert same_call(program, port) is same

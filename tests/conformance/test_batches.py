"""A call that ends its process, or hangs, is an answer, and the next process goes on behind it."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from aclnn.tools.conformance.recorder.batches import END, MOST, Unusable, answers
from aclnn.tools.conformance.recorder.main import run
from tests.helpers.patience import PATIENCE

WORKER = """\
import json, os, signal, sys
work, source, first, count, folder, to = sys.argv[1:]
calls = json.load(open(source))[int(first):int(first) + int(count)]
lines = [{"product": first}]
do = {"crash": lambda: os.kill(os.getpid(), signal.SIGKILL), "hang": signal.pause, "exit": lambda: os._exit(0),
      "leave": lambda: os._exit(3)}
def write():
    os.write(int(to), "".join(json.dumps(line) + "\\n" for line in lines).encode())
for call in calls:
    if call == "alone":
        lines.append({"status": call})
        break
    if call in do:
        write()
        do[call]()
    lines.append({"status": call})
lines.append({"END": True})
write()
""".replace("END", END)
ENDS = {"crash": "SIGKILL", "hang": "time-out", "exit": "exit status 0", "leave": "exit status 3"}


def recorded(folder: Path, calls: list[Any], patience: float = PATIENCE) -> list[Any]:
    worker, source = folder / "worker.py", folder / "calls.json"
    worker.write_text(WORKER, encoding="utf-8")
    source.write_text(json.dumps(calls), encoding="utf-8")
    command = [sys.executable, "-I", "-S", str(worker)]
    return list(answers(command, str(source), len(calls), "", patience, lambda _: None))


@pytest.mark.parametrize("how", ENDS)
def test_the_end_of_a_process_is_the_answer_of_its_call(how: str, tmp_path: Path) -> None:
    """A process writes its answers before it hangs, so that a short patience takes no answer away."""
    described, *found = recorded(tmp_path, [1, 2, how, 4, how], 0.2 if how == "hang" else PATIENCE)
    assert described == {"product": "0"}
    assert found == [{"status": 1}, {"status": 2}, {"ended": ENDS[how]}, {"status": 4}, {"ended": ENDS[how]}]


def test_a_process_has_some_calls_and_none_behind_one_that_wants_to_be_alone(tmp_path: Path) -> None:
    calls = [*range(MOST + 1), "alone", "alone", 7]
    _, *found = recorded(tmp_path, calls)
    assert [each["status"] for each in found] == calls


def test_a_process_that_cannot_begin_ends_the_record(tmp_path: Path) -> None:
    with pytest.raises(Unusable, match="this command shows why"):
        list(answers([sys.executable, "-I", "-S", "-c", "raise SystemExit(1)"], "", 1, "", PATIENCE, lambda _: None))


def test_the_command_that_shows_why_can_be_pasted_into_a_shell(tmp_path: Path) -> None:
    """No folder of libraries is a word, too."""
    command = [sys.executable, "-c", "raise SystemExit(1)"]
    with pytest.raises(Unusable) as raised:
        list(answers(command, str(tmp_path / "a kit.pyz"), 1, "", PATIENCE, lambda _: None))
    shown = str(raised.value).partition("why: ")[2]
    assert shlex.split(shown) == [*command, "work", str(tmp_path / "a kit.pyz"), "0", "1", "", "1"]


def test_a_device_that_stops_working_leaves_a_report_of_the_calls_so_far(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first process works, the second one cannot begin."""
    worker, kit, output = tmp_path / "worker.py", tmp_path / "kit.json", tmp_path / "report.json"
    code = WORKER.replace("calls =", "if int(first): sys.exit(1)\ncalls =")
    worker.write_text(code.replace("open(source))", 'open(source))["calls"]'), encoding="utf-8")
    kit.write_text(json.dumps({"kit": "1", "calls": [1, 2, "crash", 4]}), encoding="utf-8")
    chosen = argparse.Namespace(
        python=sys.executable, calls=str(kit), output=str(output), libraries="", patience=PATIENCE
    )
    assert run(["python", "-I", "-S", str(worker)], "", chosen) == 1
    assert "the record ends after 3 of 4 calls" in capsys.readouterr().err
    report = json.loads(output.read_text(encoding="utf-8"))
    assert report["calls"] == [1, 2, "crash"]
    assert report["answers"] == [{"status": 1}, {"status": 2}, {"ended": "SIGKILL"}]

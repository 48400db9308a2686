"""A program that a fork runs (`tests.helpers.forks`) prints and ends as one in an interpreter of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.forks import python

WRONG = "from acl_runtime import *\ndef wrong():\n    aclDestroyTensor(aclTensor(64))\n"
PROGRAMS = {
    "its names": ["-c", "import sys; print(__name__, sys.argv, sys.path[0])", "a", "b"],
    "an exception": ["-c", "def f():\n    raise KeyError('x')\nf()"],
    "a status": ["-c", "import sys; sys.exit(3)"],
    "a text as status": ["-c", "import sys; sys.exit('why')"],
    "a signal": ["-c", "import os; os.kill(os.getpid(), 9)"],
    "atexit": ["-c", "import atexit; atexit.register(print, 'end'); print('begin')"],
    "stdin": ["-c", "print(input())"],
    "a module": ["-m", "aclnn", "explain", "EL0003"],
    "a finding": ["-c", f"{WRONG}aclrtSetDevice(0)\nwrong()"],
    "a leak": ["-c", f"{WRONG}aclrtSetDevice(0)\naclCreateTensor([2], 1, 0, None, 0, 2, [2], 1, None)"],
    "an option of Python": ["-O", "-c", "print(__debug__)"],
}  # fmt: skip


@pytest.mark.parametrize("words", PROGRAMS.values(), ids=PROGRAMS)
def test_it_prints_and_ends_as_in_an_interpreter_of_its_own(words: list[str], tmp_path: Path) -> None:
    found = [
        subprocess.run([*command, *words], input="a line\n", capture_output=True, text=True, check=False)
        for command in (python(), [sys.executable])
    ]
    ends = [(done.returncode, done.stdout, done.stderr) for done in found]
    assert ends[0] == ends[1]


def test_a_file_and_a_folder_are_run_with_their_own_folder_first(tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("NAME = 'beside'\n", encoding="utf-8")
    for name in ("program.py", "__main__.py"):
        (tmp_path / name).write_text("import beside, sys\nprint(beside.NAME, sys.argv, __file__)\n", encoding="utf-8")
    for word in ("program.py", str(tmp_path)):
        found = [
            subprocess.run([*command, word, "a"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
            for command in (python(), [sys.executable])
        ]
        assert found[0] == found[1]


def test_the_environment_is_that_of_the_caller(tmp_path: Path) -> None:
    words = ["-c", "import os; print(sorted(os.environ.items()))"]
    environment = {"A": "b", "PYTHONPATH": str(tmp_path), "PATH": ""}
    found = [
        subprocess.run([*command, *words], env=environment, capture_output=True, text=True, check=True).stdout
        for command in (python(), [sys.executable])
    ]
    assert found[0] == found[1]


def test_the_end_of_a_killed_caller_does_not_concern_the_next_one() -> None:
    program = "import os; os.write(1, b'begun'); os.read(0, 1)"
    with subprocess.Popen([*python(), "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as caller:
        assert caller.stdin is not None
        assert caller.stdout is not None
        assert caller.stdout.read(5) == b"begun"
        caller.kill()
        caller.wait()
        caller.stdin.close()
        assert caller.stdout.read() == b"", "the program has ended"
    for _ in range(2):
        assert subprocess.run([*python(), "-c", "print(5)"], stdout=subprocess.PIPE, check=True).stdout == b"5\n"

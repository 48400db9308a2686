"""The line of a call from C: the instruction itself, or the Python program above an installed package."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from types import CodeType, FrameType
from typing import Any

import pytest

from acl_runtime.process import process
from acl_runtime.source.frames import FROM_C, paths, site_of, trail

INSTALLED = "/usr/lib/python3/site-packages/torch/module.py"


class Program:
    """A program in C. Each ten instructions are a function; line 7 is inlined into line 8."""

    def __init__(self, *, installed: bool) -> None:
        self._installed = installed

    def trail(self) -> tuple[Program | int, ...]:
        return self, 5

    def line(self, at: int) -> str:
        return f"main.cpp:{at}"

    def lines(self, at: int) -> list[str]:
        return [self.line(at), *([self.line(8)] if at == 7 else [])]

    def function(self, at: int) -> object:
        return at // 10

    def installed(self, at: int) -> bool:
        return self._installed

    def stack(self, frame: FrameType) -> bytes:
        return b""


def made(*modules: tuple[str, str]) -> Any:
    """Functions that call one another, the outermost first; the last one takes the trail."""
    function: Any = trail
    for file, name in reversed(modules):
        names: dict[str, Any] = {"__name__": name, "inner": function}
        exec(compile("def run():\n    return inner()\n", file, "exec"), names)
        function = names["run"]
    return function


ENTRY = ("entry.py", FROM_C)


@pytest.mark.parametrize(
    ("installed", "modules", "line"),
    [
        (False, [("train.py", "__main__"), ENTRY], "main.cpp:5"),
        (True, [("train.py", "__main__"), (INSTALLED, "torch.module"), ENTRY], "train.py:2"),
        (True, [(INSTALLED, "torch.module"), ENTRY], f"{INSTALLED}:2"),
    ],
    ids=["a program in C", "an installed package below a program in Python", "an installed package alone"],
)
def test_the_line_of_a_call_from_c(
    installed: bool, modules: list[tuple[str, str]], line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "program", Program(installed=installed))
    found = made(("runner.py", "_pytest.runner"), *modules)()
    assert str(site_of(found)) == line


def test_the_callers_are_those_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "program", Program(installed=True))
    modules = [("train.py", "__main__"), (INSTALLED, "torch.module"), ("model.py", "model"), (INSTALLED, "torch.f")]
    found = made(("runner.py", "_pytest.runner"), *modules, ENTRY)()
    assert (str(site_of(found)), site_of(found).callers) == ("model.py:2", ["train.py:2"])
    assert all(isinstance(each, CodeType) for each in found[::2])


class WithKeys(Program):
    """A program whose library makes keys, and where lines are counted."""

    def __init__(self) -> None:
        super().__init__(installed=True)
        self.looked = 0

    def installed(self, at: int) -> bool:
        self.looked += 1
        return True

    def stack(self, frame: FrameType | None) -> bytes:
        key = b"WithKeys"
        while frame is not None:
            key += f" {id(frame.f_code)} {frame.f_lasti}".encode()
            frame = frame.f_back
        return key


def test_the_trail_of_one_stack_is_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The four innermost frames are those of the package, and decide nothing."""
    program = WithKeys()
    monkeypatch.setattr(process, "program", program)
    package = [(INSTALLED, f"torch.f{number}") for number in range(5)]
    calls = [made((f"{name}.py", "__main__"), *package, ENTRY) for name in ("one", "other")]
    found = [[str(site_of(call())) for call in calls] for _ in range(3)]
    assert found == [["one.py:2", "other.py:2"]] * 3
    assert program.looked == 2


def test_a_thread_without_python_frames_has_the_instruction(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "program", Program(installed=True))
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(made(ENTRY)).result()
    assert str(site_of(found)) == "main.cpp:5"


def test_callers_in_c_are_at_most_three_with_those_that_were_inlined() -> None:
    program = Program(installed=False)
    site = site_of((program, 7, program, 12, program, 25, program, 31))
    assert (str(site), site.callers) == ("main.cpp:7", ["main.cpp:8", "main.cpp:12", "main.cpp:25"])


def test_two_paths_in_c_part_in_the_innermost_function_that_both_have() -> None:
    """A helper (3) that two lines of one function call (11, 12) has two paths, whatever called that function."""
    program = Program(installed=False)
    one, other = (program, 3, program, 11, program, 21), (program, 3, program, 12, program, 35)
    assert paths(one, other) == (one[:4], other[:4])
    assert paths(one, one) == (one, one)

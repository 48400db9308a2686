"""Reports name the callers of a line in C++, as they do in Python: "up to three callers" (ours)."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from aclnn.tools.toolkit import native_lines
from tests.cpp.conftest import Build, Run, line_of

FILE = "callers.cpp"


def at(*marks: str) -> list[str]:
    return [line_of(FILE, mark) for mark in marks]


def callers(text: str, place: str) -> list[list[str]]:
    """The callers below each line of a report that ends with this place, the innermost first."""
    lines = text.splitlines()
    below = [after for line, after in zip(lines, lines[2:], strict=False) if line.strip().startswith(f"--> {place},")]
    below += [after for line, after in pairwise(lines) if line.endswith(f" at {place}")]
    return [re.sub(r".*called from ", "", line).split(", ") for line in below if "called from " in line]


@pytest.mark.fidelity("callers of C and C++ lines")
@pytest.mark.parametrize("flags", [(), ("-O2",), ("-O2", "-fomit-frame-pointer", "-no-pie")], ids=" ".join)
def test_a_race_names_the_callers_of_its_lines(build: Build, run: Run, flags: tuple[str, ...]) -> None:
    ran = run(build("callers", *flags), "once")
    assert "error[read-before-sync]" in ran.stderr
    assert callers(ran.stderr, *at("fetch")) == [at("inlined", "work")]
    assert callers(ran.stderr, *at("launch")) == [at("exponential", "work")]
    assert callers(ran.stderr, *at("malloc"))[0] == at("y", "work")


def test_callers_end_with_the_functions_of_the_program(build: Build, run: Run) -> None:
    """The code of std::thread and of the C library is not listed."""
    found = callers(run(build("callers"), "thread").stderr, *at("launch"))
    assert [line for line in found[0] if FILE not in line] == []
    assert found[0][0] == at("exponential")[0]


@pytest.mark.parametrize(
    "line",
    [
        "/usr/include/c++/12/bits/invoke.h:61",
        "/opt/gcc-14/include/c++/14.2.0/bits/std_thread.h:260",
        "/root/conda/lib/gcc/../../x86_64-conda-linux-gnu/include/c++/13.3.0/thread:40",
        "/opt/llvm/bin/../include/c++/v1/__type_traits/invoke.h:90",
        "/zig/lib/libcxx/include/__thread/thread.h:161",
        "../sysdeps/x86_64/start.S:115",
    ],
)
def test_headers_of_cpp_are_no_lines_of_the_program(line: str) -> None:
    """Wherever the compiler lies."""
    assert not native_lines._in_program(line)  # pyright: ignore[reportPrivateUsage]


def test_headers_of_the_program_are_its_lines() -> None:
    """A folder `include` is no sign of a library."""
    assert native_lines._in_program("/home/me/include/operators.h:7")  # pyright: ignore[reportPrivateUsage]


def test_descriptors_have_callers_where_they_are_asked_for(build: Build, run: Run) -> None:
    program = build("callers")
    usual = run(program, "once").stderr
    assert callers(usual, *at("create")) == []
    assert "set ACL_EMULATOR_CALLERS=all" in usual
    ran = run(program, "once", environment={"ACL_EMULATOR_CALLERS": "all"})
    assert "set ACL_EMULATOR_CALLERS=all" not in ran.stderr
    assert callers(ran.stderr, *at("create")) == [at("input", "exponential", "work")]


def test_callers_can_be_turned_off(build: Build, run: Run) -> None:
    program = build("callers")
    ran = run(program, "once", environment={"ACL_EMULATOR_CALLERS": "0"})
    assert "error[read-before-sync]" in ran.stderr
    assert callers(ran.stderr, *at("launch")) == []
    refused = run(program, "once", environment={"ACL_EMULATOR_CALLERS": "some"})
    assert "ACL_EMULATOR_CALLERS='some': 0, 1, all; every call fails with 500000" in refused.stderr


def test_one_helper_with_two_mistakes_is_two_findings(build: Build, run: Run) -> None:
    text = run(build("callers"), "twice").stderr
    assert "error[read-before-sync]" in text
    assert "warning[uninit-read]" in text
    assert callers(text, *at("fetch")) == [at("inlined", "work"), at("never written", "work")]

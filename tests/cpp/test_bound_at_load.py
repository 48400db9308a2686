"""C++ programs that use the functions which plugins bind when they load, well and badly."""

import pytest

from tests.cpp.conftest import Build, Run, line_of

PRINTED = {
    "objects": "1\n1 2 3\n500002\n1\ndisable\n",
    "instruments": "1\n1 -1\n2\n1\n0\n",
    "loading": "1\n8\n",
}


@pytest.mark.parametrize("what", PRINTED)
def test_a_program_gets_what_python_gets(what: str, build: Build, run: Run) -> None:
    """ "Runs in static constructors": the first line is the registration before main."""
    ran = run(build("bound_at_load"), what)
    assert (ran.returncode, ran.stdout) == (0, PRINTED[what]), ran.stderr
    assert "error[" not in ran.stderr


def test_a_kernel_that_nobody_gave_is_refused_by_name(build: Build, run: Run) -> None:
    """There is no function for `add_custom`, and it is not in the binary: 507000, and its launch is refused too."""
    ran = run(build("bound_at_load"), "kernel")
    assert (ran.returncode, ran.stdout) == (0, "1\n507000\n507000\n"), ran.stderr
    assert "add_custom" in ran.stderr


FOUND = {
    "dead-descriptor": ("dead-handle", "1\n107000\n"),
    "wild-dims": ("host-overrun", "1\n"),
    "wild-lists": ("host-overrun", "1\n107000\n"),
    "wild-binary": ("host-overrun", "1\n107000\n"),
}


@pytest.mark.parametrize("what", FOUND)
def test_misuse_is_reported_at_its_line_and_the_process_lives(what: str, build: Build, run: Run) -> None:
    id, printed = FOUND[what]
    ran = run(build("bound_at_load"), what)
    assert (ran.returncode, ran.stdout) == (0, printed), ran.stderr
    assert f"error[{id}]" in ran.stderr
    assert line_of("bound_at_load.cpp", what) in ran.stderr

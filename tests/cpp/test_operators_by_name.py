"""Operators by name from C++."""

from tests.cpp.conftest import Build, Run

PRINTED = """\
sum: 11 2 13 4 15 6 17 8 19 10 21 12
mirrored: 4 15 6 11 2 13 10 21 12 17 8 19
wide: 1 2.5 2 5 3 7.5 4 10
part: 3 7.5 4 10
500002 1
"""


def test_images_go_through_operators(build: Build, run: Run) -> None:
    """Three images and five operators. No finding is left."""
    ran = run(build("images"))
    assert (ran.returncode, ran.stdout) == (0, PRINTED), ran.stderr
    assert "error[" not in ran.stderr

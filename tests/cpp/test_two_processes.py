"""C++ programs of two processes in the manner of the public examples, written anew."""

import pytest

from tests.cpp.conftest import Build, Run


@pytest.mark.parametrize("schedule", ["late", "threads"])
@pytest.mark.parametrize(("mode", "status"), [("physical", ""), ("keys", ", status 1")])
def test_two_processes_share_memory_notifies_and_events(
    build: Build, run: Run, mode: str, status: str, schedule: str
) -> None:
    """ "A `Source data: 123`, B `Destination data: 123`"; then B answers. No finding is left in any of them."""
    ran = run(build("two_processes"), mode, environment={"ACL_EMULATOR_SCHEDULE": schedule})
    lines = ["Source data: 123", f"Destination data: 123{status}", "The answer: 124"]
    assert (ran.returncode, sorted(ran.stdout.splitlines())) == (0, sorted(lines)), ran.stderr
    assert ran.stderr == ""

"""C++ programs of two processes in the manner of the public examples, written anew."""

import pytest

from tests.cpp.conftest import Build, Run


@pytest.mark.parametrize(
    ("mode", "status", "schedule"),
    [
        ("physical", "", "late"), ("physical", "", "threads"), ("keys", ", status 1", "late"),
        ("keys", ", status 1", "threads"), ("devices", ", status 1", "late"),
    ],
)  # fmt: skip
def test_two_processes_share_memory_notifies_and_events(
    build: Build, run: Run, mode: str, status: str, schedule: str
) -> None:
    """ "A `Source data: 123`, B `Destination data: 123`"; then B answers. No finding is left in any of them."""
    environment = {"ACL_EMULATOR_SCHEDULE": schedule, "ACL_EMULATOR_DEVICE_COUNT": "2"}
    ran = run(build("two_processes"), mode, environment=environment)
    lines = ["Source data: 123", f"Destination data: 123{status}", "The answer: 124"]
    assert (ran.returncode, sorted(ran.stdout.splitlines())) == (0, sorted(lines)), ran.stderr
    assert ran.stderr == ""

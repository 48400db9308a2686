"""The public HCCL examples, written anew: nine operations of all ranks and two transfers, in threads of one process."""

import pytest

from tests.cpp.conftest import Build, Run

EXAMPLES = (
    "AllReduce", "Reduce", "Broadcast", "AllGather", "ReduceScatter", "Scatter", "AlltoAll", "AlltoAllV", "AlltoAllVC",
    "Send, Recv", "BatchSendRecv",
)  # fmt: skip


@pytest.mark.parametrize(("schedule", "devices"), [("late", 4), ("threads", 3)])
def test_the_examples_have_their_results(build: Build, run: Run, schedule: str, devices: int) -> None:
    """ "9 collectives + 2 point-to-point programs; each checks every result". No finding is left."""
    environment = {"ACL_EMULATOR_DEVICE_COUNT": devices, "ACL_EMULATOR_SCHEDULE": schedule}
    ran = run(build("collectives", libraries="-lhccl"), environment={k: str(v) for k, v in environment.items()})
    assert (ran.returncode, ran.stdout) == (0, "".join(f"{name}: right\n" for name in EXAMPLES)), ran.stderr
    assert ran.stderr == ""


def test_a_thread_of_cpp_that_has_ended_is_not_waited_for(build: Build, run: Run) -> None:
    """Python does not see the end of such a thread: it would be late for HCCL_EXEC_TIMEOUT, 1836 s."""
    environment = {"ACL_EMULATOR_DEVICE_COUNT": "2", "ACL_EMULATOR_PATIENCE": "0.1"}
    ran = run(build("collectives", libraries="-lhccl"), "ended", environment=environment)
    assert ran.stdout == "507048\n", ran.stderr
    assert "error[collective-absent]" in ran.stderr

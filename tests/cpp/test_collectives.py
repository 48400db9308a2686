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

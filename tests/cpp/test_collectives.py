"""The public HCCL examples, written anew: nine operations of all ranks and two transfers, in threads of one process.
And clients with a process for each rank."""

import re
import sys
from pathlib import Path

import pytest

from tests.cpp.conftest import ROOT, Build, Run

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


def test_a_process_for_each_device(build: Build, run: Run) -> None:
    """The device does not support the sum of FP64 (HCCL_E_NOT_SUPPORT, 5)."""
    ran = run(build("rank_processes", libraries="-lhccl"), environment={"ACL_EMULATOR_DEVICE_COUNT": "2"})
    assert ran.returncode == 0, ran.stderr
    expected = [f"rank {rank} of 2: 3 10, 2 10, 1 0, 5" for rank in range(2)]
    assert sorted(ran.stdout.splitlines()) == expected
    found = re.findall(r"(?:error|warning)\[([\w-]+)\]", ran.stderr)
    assert set(found) <= {"device-not-reset"}, ran.stderr


CTYPES = """\
import ctypes, os, sys

class RootInfo(ctypes.Structure):
    _fields_ = [("internal", ctypes.c_byte * 4108)]  # (signed bytes go to a tensor of another library and back)

reading, writing = os.pipe()
rank = int(os.fork() == 0)
hccl, acl = ctypes.CDLL("libhccl.so"), ctypes.CDLL("libascendcl.so")
hccl.HcclGetErrorString.restype = ctypes.c_char_p

def check(result):
    if result:
        raise RuntimeError("HCCL error: " + hccl.HcclGetErrorString(result).decode())

assert acl.aclInit(None) == acl.aclrtSetDevice(rank) == 0
root, comm, stream = RootInfo(), ctypes.c_void_p(), ctypes.c_void_p()
if rank == 0:
    check(hccl.HcclGetRootInfo(ctypes.byref(root)))
    os.write(writing, bytes(list(root.internal)))
else:
    root.internal[:] = list(os.read(reading, 4108))
check(hccl.HcclCommInitRootInfo(2, ctypes.byref(root), rank, ctypes.byref(comm)))
acl.aclrtCreateStream(ctypes.byref(stream))
values, places = (ctypes.c_float * 3)(1 + rank, 2, 3), [ctypes.c_void_p() for _ in range(2)]
for place in places:
    acl.aclrtMalloc(ctypes.byref(place), 12, 0)
acl.aclrtMemcpy(places[0], 12, values, 12, 1)
check(hccl.HcclAllReduce(places[0], places[1], ctypes.c_uint64(3), 4, 0, comm, stream))
check(hccl.HcclBroadcast(places[0], ctypes.c_uint64(3), 4, 1, comm, stream))
acl.aclrtSynchronizeStream(stream)
for place in places:
    acl.aclrtMemcpy(values, 12, place, 12, 2)
    print(rank, list(values), flush=True)
try:
    check(hccl.HcclAllReduce(places[0], places[1], ctypes.c_uint64(3), 9, 0, comm, stream))
except RuntimeError as error:
    print(rank, error, flush=True)
check(hccl.HcclCommDestroy(comm))
assert acl.aclrtDestroyStream(stream) == acl.aclrtFree(places[0]) == acl.aclrtFree(places[1]) == 0
assert acl.aclrtResetDevice(rank) == acl.aclFinalize() == 0
if rank == 0:
    sys.exit(os.wait()[1])
"""


def test_a_client_with_ctypes(run: Run, tmp_path: Path) -> None:
    """It gets all of its functions from libhccl.so."""
    (tmp_path / "program.py").write_text(CTYPES, encoding="utf-8")
    given = {"PYTHONPATH": str(ROOT), "ACL_EMULATOR_DEVICE_COUNT": "2"}
    ran = run(Path(sys.executable), str(tmp_path / "program.py"), environment=given)
    assert (ran.returncode, ran.stderr) == (0, "")
    said = ["HCCL error: not support feature", "[2.0, 2.0, 3.0]", "[3.0, 4.0, 6.0]"]
    assert sorted(ran.stdout.splitlines()) == [f"{rank} {line}" for rank in range(2) for line in said]


@pytest.mark.parametrize("schedule", ["late", "threads"])
def test_operators_that_communicate_have_their_results(build: Build, run: Run, schedule: str) -> None:
    """A product with an all-reduce, launched and in each execution of a graph, in a thread for each device."""
    environment = {"ACL_EMULATOR_DEVICE_COUNT": "2", "ACL_EMULATOR_SCHEDULE": schedule}
    ran = run(build("communicating", libraries="-lhccl"), environment=environment)
    assert (ran.returncode, ran.stdout) == (0, "rank 0: right\nrank 1: right\n"), ran.stderr
    assert ran.stderr == ""

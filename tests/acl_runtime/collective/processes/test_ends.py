"""The ends of a rank in a process of its own: nobody waits for it in vain, and the reports name it and its line."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from acl_runtime import *
from tests.helpers.forks import python

PROGRAM = """\
import os, signal, sys
from ctypes import byref, c_void_p, memmove, sizeof
from acl_runtime import *

rank = int(sys.argv[1])
root, comm, stream, memory = HcclRootInfo(), HcclComm(), aclrtStream(), c_void_p()
aclrtSetDevice(rank)
if rank == 0:
    HcclGetRootInfo(byref(root))
    print(bytes(root).hex(), os.getpid(), flush=True)
else:
    text, other = sys.stdin.readline().split()
    memmove(byref(root), bytes.fromhex(text), sizeof(root))
HcclCommInitRootInfo(2, byref(root), rank, byref(comm))
aclrtCreateStream(byref(stream))
aclrtMalloc(byref(memory), 4, ACL_MEM_MALLOC_HUGE_FIRST)
aclrtMemset(memory, 4, 0, 4)

def step():
    HcclAllReduce(memory, memory, 1, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comm, stream)
    return aclrtSynchronizeStream(stream)

assert step() == 0
if rank == 1:
    END
status = step()
print(f"status {int(status)}", flush=True)
"""
LINE = 1 + PROGRAM[: PROGRAM.index("HcclAllReduce(")].count("\n")
ENDS = {
    "destroyed": ("HcclCommDestroy(comm); sys.exit(0)", 0, "rank 1 destroyed its communicator at rank.py:"),
    "left": ("sys.exit(0)", 0, "process {pid} of rank 1 has ended"),
    "exception": ("raise KeyError", 1, "process {pid} of rank 1 has ended"),
    "killed": ("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL, "process {pid} of rank 1 has died"),
    "interrupted": ("os.kill(os.getpid(), signal.SIGINT)", -signal.SIGINT, "process {pid} of rank 1 has ended"),
}


class Ended:
    """Two ranks that have ended, and what both have written to one stderr."""

    def __init__(self, folder: Path, end: str) -> None:
        (folder / "rank.py").write_text(PROGRAM.replace("END", end), encoding="utf-8")
        environment = {**os.environ, "ACL_EMULATOR_DEVICE_COUNT": "2", "ACL_EMULATOR_ON_UNDEFINED": "report"}
        errors = folder / "stderr"
        with errors.open("wb") as stderr:
            first, second = (
                subprocess.Popen([*python(), "rank.py", str(rank)], cwd=folder, env=environment, text=True,
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr)
                for rank in range(2)
            )  # fmt: skip
            assert first.stdout is not None
            root = first.stdout.readline()
            self.printed = [second.communicate(f"{root}")[0], first.communicate()[0]][::-1]
        self.statuses = [first.returncode, second.returncode]
        self.errors = errors.read_text(encoding="utf-8")


@pytest.mark.fidelity("a process of a rank that has ended")
@pytest.mark.parametrize("how", ENDS)
def test_the_other_rank_reports_the_end_with_rank_and_line(how: str, tmp_path: Path) -> None:
    end, status, said = ENDS[how]
    ended = Ended(tmp_path, end)
    assert ended.statuses == [0, status], ended.errors
    assert ended.printed[0] == f"status {int(ACL_ERROR_RT_FFTS_PLUS_TIMEOUT)}\n"
    report = "".join(re.findall(r"^\[rank0\]: (.*\n)", ended.errors, re.MULTILINE))
    assert "error[collective-absent]: HcclAllReduce in stream 1 waits for rank 1 of communicator 1, which" in report
    assert f"rank 1 called HcclAllReduce of 1 FP32 (sum) at rank.py:{LINE}" in report
    assert re.search(said.format(pid=r"\d+"), report)


def test_a_rank_that_is_interrupted_while_it_waits_ends(tmp_path: Path) -> None:
    """Ctrl-C, wherever rank 0 is: in its wait for rank 1, or on the way there. It may have called before."""
    ended = Ended(tmp_path, "os.kill(int(other), signal.SIGINT); sys.stdin.read(); step()")
    assert ended.statuses == [-signal.SIGINT, 0], ended.errors
    assert ended.printed == ["", f"status {int(ACL_ERROR_RT_FFTS_PLUS_TIMEOUT)}\n"]
    assert re.search(r"^\[rank1\]: .*process \d+ of rank 0 has ended", ended.errors, re.MULTILINE)

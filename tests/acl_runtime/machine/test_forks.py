"""Forked processes (ours): a child must not use the machine of its parent."""

import multiprocessing
import os
import threading
import traceback
from collections.abc import Callable
from ctypes import byref, c_int32
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn import *
from tests.helpers.builders import malloc, on_device
from tests.helpers.host_threads import Host, wait
from tests.helpers.machines import SCHEDULES
from tests.helpers.outcomes import finding_of, ok
from tests.helpers.own_process import program

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork"),
    pytest.mark.filterwarnings("ignore:This process:DeprecationWarning"),  # of a fork with threads, from Python 3.12 on
]


def in_child(work: Callable[[], object]) -> str:
    """The answer of a forked child: the text of the result of `work`, or of its exception."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.close(reading)
            os.write(writing, str(work()).encode())
        except BaseException:
            os.write(writing, traceback.format_exc().encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        answer = pipe.read()
    assert os.waitpid(child, 0)[1] == 0
    return answer


@pytest.mark.fidelity("a call of a forked child on its parent's machine")
def test_a_call_in_a_child_names_both_processes_and_the_fork(machine: Machine) -> None:
    """The bad twin: raised in the child, with both processes, the line of the fork and what to do; the parent goes on
    and has no finding."""
    answer = in_child(lambda: finding_of(lambda: aclrtSetDevice(0)))
    assert answer.startswith("('fork-after-init', ")
    for word in (
        f"uses the machine of process {os.getpid()}",
        "was forked at",
        "test_forks.py:",
        "spawn",
        "aclrtSetDevice",
    ):
        assert word in answer
    ok(aclrtFree(malloc(8)))
    assert not machine.findings


CALLS: dict[str, Callable[[], object]] = {
    "status": lambda: aclrtFree(4096),
    "operator": lambda: aclnnSoftmaxBackward(None, 0, None, None),
    "creator": lambda: aclCreateTensor([1], 1, ACL_FLOAT, None, 0, 2, [1], 1, None),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_every_call_is_refused(machine: Machine, call: Callable[[], object]) -> None:
    assert in_child(lambda: [finding_of(call)[0] for _ in range(2)]) == "['fork-after-init', 'fork-after-init']"


@pytest.mark.fidelity("a call of a forked child on its parent's machine")
def test_in_report_mode_a_call_in_a_child_is_refused() -> None:
    """Recorded in the child; the call does nothing and answers 107000, an operator's 361001 (ours)."""
    with Machine(on_undefined="report") as machine:
        ok(aclrtSetDevice(0))

        def work() -> object:
            answers = [int(aclrtSetDevice(0)), int(aclnnSoftmaxBackward(None, 0, None, None))]
            return answers, CALLS["creator"]() or None, [finding.id for finding in machine.findings]

        expected = [ACL_ERROR_RT_PARAM_INVALID, ACLNN_ERR_RUNTIME_ERROR], None, ["fork-after-init"] * 2
        assert in_child(work).startswith(str(expected)[:-2])
        assert not machine.findings
        ok(aclrtResetDevice(0))


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_call_in_a_child_never_waits_for_a_lock(schedule: str) -> None:
    """Though the locks of the parent are held by threads that the child has not."""
    with Machine(schedule=schedule, seed=1) as machine:
        ok(aclrtSetDevice(0))
        tensor = on_device(np.arange(3, dtype=np.float32))
        held, leave = threading.Event(), threading.Event()

        def hold() -> None:
            with machine.lock:
                held.set()
                wait(leave)

        host = Host(hold)
        wait(held)

        def work() -> object:
            return finding_of(lambda: aclrtSetDevice(0))[0], machine.read(tensor.address, 3, "f4").tolist()

        try:
            assert in_child(work) == "('fork-after-init', [0.0, 1.0, 2.0])"
        finally:
            leave.set()
            host.end()
        ok(aclrtSynchronizeStream(None))


def own_machine() -> object:
    """Calls of a child on a machine of its own, and then without it."""
    with Machine(soc="Ascend310P3") as own:
        ok(aclrtSetDevice(0))
        tensor = on_device(np.arange(3, dtype=np.float32))
        assert tensor.read().tolist() == [0, 1, 2]
        assert own.devices[0].memory
    return finding_of(lambda: aclrtSetDevice(0))[0]


def test_a_child_with_a_machine_of_its_own(machine: Machine) -> None:
    """The good twin; after its block it is in its parent's again."""
    assert in_child(own_machine) == "fork-after-init"


def test_a_child_forked_by_another_thread(machine: Machine) -> None:
    """It may enter a machine, though its parent's was entered by a thread that it has not."""
    assert Host(lambda: in_child(own_machine)).end() == "fork-after-init"


def test_a_child_that_leaves_the_block() -> None:
    """The machine of the parent is neither closed nor reported; afterwards a call is refused as before."""
    reading, writing = os.pipe()
    child = -1
    try:
        with Machine() as machine:
            ok(aclrtSetDevice(0))
            address = malloc(8)
            child = os.fork()
            if not child:
                raise KeyError
            os.waitpid(child, 0)
            ok(aclrtFree(address))
            ok(aclrtResetDevice(0))
    except KeyError:
        os.write(writing, repr((machine.closed, list(machine.findings))).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        assert pipe.read() == "('', [])"
    assert not machine.findings.worth_telling


def test_a_child_of_a_child(machine: Machine) -> None:
    """The machine is still the grandparent's."""
    answer = in_child(lambda: in_child(lambda: finding_of(lambda: aclrtSetDevice(0))))
    assert f"uses the machine of process {os.getpid()}" in answer


def test_a_child_that_was_forked_outside() -> None:
    """The good twin: "call the API in the child only". Nothing of the parent's is there any more, or yet."""
    with Machine():
        ok(aclrtSetDevice(0))

    def work() -> object:
        with Machine():
            ok(aclrtSetDevice(0))
        ok(aclrtSetDevice(0))
        return aclrtResetDevice(0)

    assert in_child(work) == str(ACL_SUCCESS)


def device_of(_: Any) -> tuple[int, int]:
    number = c_int32(-1)
    return int(aclrtGetDevice(byref(number))), number.value


def square(number: int) -> int:
    return number * number


def test_a_forked_worker_may_run_if_it_does_not_call(machine: Machine) -> None:
    """A pool of forked workers: one that calls tells its parent why that fails; one that does not call is fine."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.map(square, [1, 2, 3]) == [1, 4, 9]
        with pytest.raises(UndefinedBehaviour, match="fork-after-init") as error:
            pool.map(device_of, [0])
    assert error.value.finding.id == "fork-after-init"
    assert not machine.findings


def test_the_default_machine_of_the_parent() -> None:
    """A child that ends as a process does, with atexit, prints no report of its parent's machine."""
    done = program(
        "import os, sys\n"
        "assert aclrtSetDevice(0) == 0\n"
        "child = os.fork()\n"
        "if not child:\n"
        "    sys.exit(7)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
        "sys.stdout.flush()\n"
        "if not os.fork():\n"
        "    aclrtSetDevice(0)\n"
        "os.wait()\n"
        "aclrtResetDevice(0)\n"
    )
    assert done.stdout == "7\n"
    assert done.stderr.count("error[fork-after-init]") == 1, "the traceback of the second child"
    assert "at exit" not in done.stderr

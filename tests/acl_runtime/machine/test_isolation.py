"""Machines share nothing. One machine is current for the whole process. Threads may outlive it (ours)."""

import threading
from concurrent.futures import ThreadPoolExecutor
from ctypes import byref, c_void_p

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.machine.current import installation
from tests.helpers.builders import malloc, meta
from tests.helpers.creating import create_context, create_stream
from tests.helpers.host_threads import in_thread, wait
from tests.helpers.outcomes import assert_status, finding_of, text
from tests.helpers.own_process import program
from tests.helpers.planned_operators import SOFTMAX_RESULT, launch_softmax, softmax


def texts_of_some_calls() -> list[str]:
    """The texts of some calls that make and destroy objects, without numbers and times."""
    texts: list[str] = []
    assert aclrtSetDevice(0) == ACL_SUCCESS
    stream, address = create_stream(), malloc(100)
    texts += [repr(stream), repr(meta([2])), repr(softmax()[3].executor)]
    assert aclrtDestroyStream(stream) == ACL_SUCCESS
    texts.append(repr(create_context()))
    for call in (lambda: aclrtSynchronizeStream(stream), lambda: aclrtFree(address + 7), lambda: aclrtSetDevice(9)):
        assert call() != ACL_SUCCESS
        texts += [line.partition("): ")[2] or line for line in text().splitlines()]
    return texts


def test_two_machines_share_nothing() -> None:
    """Ordinals, offsets and texts repeat exactly, and so do the findings (ours)."""
    with Machine() as first:
        assert aclInit(None) == ACL_SUCCESS
        texts = texts_of_some_calls()
    with Machine() as second:
        assert (list(second.calls), list(second.findings)) == ([], [])
        assert aclInit(None) == ACL_SUCCESS
        assert texts_of_some_calls() == texts
    texts = [[finding.text(callers=False) for finding in machine.findings] for machine in (first, second)]
    assert texts[0] == texts[1] != []


def test_error_text_belongs_to_its_machine() -> None:
    """Everything that the API changes lies in a machine (ours)."""
    with Machine():
        aclrtFree(None)
    with Machine():
        assert text() == ""


def test_an_inner_machine_hides_the_outer_one() -> None:
    """An inner machine hides the outer one, which comes back on exit (ours)."""
    with Machine() as outer:
        assert aclrtSetDevice(0) == ACL_SUCCESS
        address = malloc(64)
        with Machine("Ascend310P3", device_count=2) as inner:
            assert installation.current is inner
            assert aclrtSetDevice(1) == ACL_SUCCESS
            assert malloc(32)
        assert installation.current is outer
        assert aclrtFree(address) == ACL_SUCCESS
        assert [call.function for call in inner.calls] == ["aclrtSetDevice", "aclrtMalloc"]
    assert installation.current is None


def test_entering_while_another_thread_is_inside() -> None:
    """That is a RuntimeError with the reason. The machine that was current stays so (ours)."""
    with Machine() as machine:

        def enter() -> None:
            with Machine():
                raise AssertionError("entered")

        with pytest.raises(RuntimeError, match="another thread is inside"):
            in_thread(enter)
        assert installation.current is machine
    in_thread(lambda: Machine().__enter__().__exit__(None, None, None))


def test_a_machine_is_entered_once() -> None:
    """Entering it twice, or after it closed, is a RuntimeError (ours)."""
    machine = Machine()
    with machine, pytest.raises(RuntimeError, match="already entered"):
        machine.__enter__()
    with pytest.raises(RuntimeError, match=r"closed at .*test_isolation\.py:\d+; make a new one"):
        machine.__enter__()


def test_an_exception_leaves_the_block_unchanged() -> None:
    """The end of the block raises no exception of its own and swallows none (ours)."""
    machine = Machine()

    def fail() -> None:
        with machine:
            aclrtSetDevice(0)
            malloc(64)
            launch_softmax()
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        fail()
    assert {"mem-leaked", "work-dropped", "device-not-reset"} <= {finding.id for finding in machine.findings}


def outlive(then: Machine | None) -> tuple[Machine, str, str]:
    """A thread that was started inside a machine calls the API after the machine closed. Returns the machine, and the
    id and the message of the finding."""
    begun, over = threading.Event(), threading.Event()

    def work() -> tuple[str, str]:
        aclrtSetDevice(0)
        begun.set()
        wait(over)
        return finding_of(lambda: aclrtSetDevice(0))

    with ThreadPoolExecutor(1) as pool:
        with Machine() as machine:
            answer = pool.submit(work)
            wait(begun)
        if then is None:
            over.set()
            return machine, *answer.result()
        with then:
            over.set()
            return machine, *answer.result()


@pytest.mark.fidelity("a call from a thread that outlived its machine")
def test_a_thread_that_outlived_its_machine() -> None:
    """The finding is machine-closed. Its text says where the machine closed. The machine that is current now sees no
    call (ours)."""
    later = Machine()
    machine, id, message = outlive(later)
    assert id == "machine-closed"
    assert "closed at" in message
    assert "test_isolation.py:" in message
    assert [finding.id for finding in machine.findings if finding.level == "error"] == ["machine-closed"]
    assert (list(later.calls), list(later.findings)) == ([], [])


@pytest.mark.parametrize("schedule", ["late", "eager", "threads", "random"])
def test_a_thread_that_waits_while_its_machine_is_closed(schedule: str) -> None:
    """The thread gets the finding machine-closed. Its wait does not return success."""

    def work() -> tuple[str, str]:
        aclrtSetDevice(0)
        stream, event = create_stream(), aclrtEvent()
        assert aclrtCreateEventWithFlag(byref(event), ACL_EVENT_SYNC) == ACL_SUCCESS
        assert aclrtStreamWaitEvent(stream, event) == ACL_SUCCESS
        return finding_of(lambda: aclrtSynchronizeStream(stream))

    with ThreadPoolExecutor(1) as pool:
        with Machine(schedule=schedule, seed=0) as machine:
            aclrtSetDevice(0)  # the main thread could still end the wait, so that is no deadlock
            answer = pool.submit(work)
            while not machine.scheduler.awaited and not answer.done():
                pass
        id, message = answer.result()
    assert id == "machine-closed"
    assert "waited in aclrtSynchronizeStream, but the machine in which it was started was closed" in message
    assert [finding.id for finding in machine.findings if finding.level == "error"] == ["machine-closed"]


def test_a_refused_call_makes_no_default_machine() -> None:
    """The call that raises UndefinedBehaviour had no effect (ours)."""
    run = program(
        "from tests.acl_runtime.machine.test_isolation import outlive, installation\n"
        "assert outlive(None)[1] == 'machine-closed'\n"
        "print(installation.current)"
    )
    assert (run.stdout, run.stderr) == ("None\n", "")


def test_a_thread_that_is_older_than_the_machines() -> None:
    """A thread that was started before the machines may call each of them in turn (ours)."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(int).result()
        for _ in range(2):
            with Machine() as machine:
                assert pool.submit(aclrtSetDevice, 0).result() == ACL_SUCCESS
                assert pool.submit(aclrtResetDevice, 0).result() == ACL_SUCCESS
            assert not machine.findings.worth_telling


def test_threads_with_contexts_of_their_own() -> None:
    """All functions may be called from any thread (public)."""

    def work(number: int) -> list[float]:
        results: set[float] = set()
        context, stream = create_context(number % 2), create_stream()
        for _ in range(10):
            out = launch_softmax(stream)[2]
            assert aclrtSynchronizeStream(stream) == ACL_SUCCESS
            results |= set(np.unique(out.read()).tolist())
            assert_status(aclrtMalloc(byref(c_void_p()), 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS)
        assert aclrtDestroyStream(stream) == aclrtDestroyContext(context) == ACL_SUCCESS
        return list(results)

    with Machine(device_count=2) as machine, ThreadPoolExecutor(6) as pool:
        held = create_context(0), create_context(1)
        assert list(pool.map(work, range(6))) == [[SOFTMAX_RESULT]] * 6
        assert [finding for finding in machine.findings if finding.level == "error"] == []
        assert [aclrtDestroyContext(context) for context in held] == [ACL_SUCCESS] * 2


DEFAULT = {
    "nothing, or advice only": ("aclrtSetDevice(0); aclrtResetDevice(0); print('mine')", "mine\n", ()),
    "a warning": ("aclrtSetDevice(0); print('mine')", "mine\n", ("warning[device-not-reset]", "aclrtResetDevice")),
    "an error that was raised": (
        "try: aclDestroyTensor(c_void_p(64))\nexcept UndefinedBehaviour: print('caught')",
        "caught\n",
        ("error[tensor-double-destroy]", "aclDestroyTensor"),
    ),
}


@pytest.mark.parametrize(("code", "stdout", "words"), DEFAULT.values(), ids=DEFAULT)
def test_the_first_call_makes_a_default_machine_that_reports_at_exit(
    code: str, stdout: str, words: tuple[str, ...]
) -> None:
    """The first call makes the default machine. At interpreter exit it reports to stderr, if there is a warning or an
    error. It prints nothing to stdout (ours)."""
    run = program(code)
    assert (run.returncode, run.stdout) == (0, stdout)
    assert bool(run.stderr) == bool(words), run.stderr
    for word in words:
        assert word in run.stderr


def test_no_machine_before_the_first_call() -> None:
    """Importing the package and creating a Machine make no default machine (ours)."""
    machine = Machine()
    assert repr(machine)
    assert installation.current is None

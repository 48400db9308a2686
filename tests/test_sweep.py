"""`sweep_failures`: a program runs once for each call that may fail, failing that call (findings, rules for twins)."""

import runpy
import threading
from collections.abc import Callable
from ctypes import byref, c_uint64, c_void_p
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from acl_runtime import (
    ACL_FLOAT,
    ACL_FORMAT_ND,
    ACL_MEM_MALLOC_HUGE_FIRST,
    ACL_MEMCPY_DEVICE_TO_HOST,
    ACL_MEMCPY_HOST_TO_DEVICE,
    ACL_SUCCESS,
    Machine,
    aclCreateTensor,
    aclDestroyTensor,
    aclFinalize,
    aclInit,
    aclOpExecutor,
    aclrtCreateStream,
    aclrtDestroyStream,
    aclrtFree,
    aclrtMalloc,
    aclrtMemcpy,
    aclrtMemsetAsync,
    aclrtResetDevice,
    aclrtSetDevice,
    aclrtStream,
    aclrtSynchronizeStream,
    aclTensor,
)
from acl_runtime.machine.installation import installation
from acl_runtime.sweep import Sweep, sweep_failures
from aclnn import aclnnSoftmaxBackward, aclnnSoftmaxBackwardGetWorkspaceSize

SAMPLES = Path(__file__).resolve().parents[1] / "samples"
BYTES = 32


class Failed(Exception):
    """The program's own."""


def check(status: int) -> None:
    if status != ACL_SUCCESS:
        raise Failed(f"status {status}")


def new_stream() -> aclrtStream:
    stream = aclrtStream()
    check(aclrtCreateStream(byref(stream)))
    return stream


def new_memory() -> c_void_p:
    pointer = c_void_p()
    check(aclrtMalloc(byref(pointer), BYTES, ACL_MEM_MALLOC_HUGE_FIRST))
    return pointer


def careful(work: Callable[[list[Callable[[], int]]], None]) -> None:
    """Call `work` with device 0 set, and undo what it lists, the last first, whatever happens; statuses of releases are
    not looked at."""
    undo: list[Callable[[], int]] = []
    try:
        check(aclInit(None))
        undo.append(aclFinalize)
        check(aclrtSetDevice(0))
        undo.append(lambda: aclrtResetDevice(0))
        work(undo)
    finally:
        for release in reversed(undo):
            release()


def softmax(undo: list[Callable[[], int]]) -> None:
    """An operator on a stream, result copied back; right in every path."""

    def tensor(values: np.ndarray) -> tuple[aclTensor, c_void_p]:
        pointer = new_memory()
        undo.append(lambda: aclrtFree(pointer))
        check(aclrtMemcpy(pointer, BYTES, values, BYTES, ACL_MEMCPY_HOST_TO_DEVICE))
        made = aclCreateTensor([8], 1, ACL_FLOAT, [1], 0, ACL_FORMAT_ND, [8], 1, pointer)
        if not made:
            raise Failed("no tensor")
        undo.append(lambda: aclDestroyTensor(made))
        return made, pointer

    (grad, _), (output, _), (out, result) = (tensor(np.ones(8, np.float32)) for _ in range(3))
    stream = new_stream()
    undo.append(lambda: aclrtDestroyStream(stream))
    size, executor = c_uint64(), aclOpExecutor()
    check(aclnnSoftmaxBackwardGetWorkspaceSize(grad, output, 0, out, byref(size), byref(executor)))
    check(aclnnSoftmaxBackward(None, size.value, executor, stream))
    check(aclrtSynchronizeStream(stream))
    host = np.zeros(8, np.float32)
    check(aclrtMemcpy(host, BYTES, result, BYTES, ACL_MEMCPY_DEVICE_TO_HOST))


def ids(sweep: Sweep) -> dict[tuple[str, int], list[str]]:
    """What was found in each run that has problems."""
    return {(run.function, run.nth): [found.id for found in run.findings] for run in sweep.problems}


# good twins


@pytest.mark.parametrize("schedule", ["late", "eager", "threads"])
def test_a_program_that_cleans_up_has_no_problems(schedule: str) -> None:
    sweep = sweep_failures(lambda: careful(softmax), schedule=schedule)
    assert not sweep.problems, sweep
    assert not sweep.unmet
    functions = {run.function for run in sweep.runs}
    assert {"aclInit", "aclrtMalloc", "aclCreateTensor", "aclnnSoftmaxBackward", "aclrtFree"} <= functions
    assert str(sweep).splitlines()[0] == f"{len(sweep.runs)} failures, 0 with problems"


def test_the_program_answers_each_failure_but_those_of_releases() -> None:
    sweep = sweep_failures(lambda: careful(softmax))
    for run in sweep.runs:
        released = any(word in run.function for word in ("Free", "Destroy", "Reset", "Finalize"))
        assert isinstance(run.raised, Failed) != released, run
        assert run.noticed != released, run


def test_each_call_and_each_task_fails_once() -> None:
    sweep = sweep_failures(lambda: careful(softmax))
    tried = [(run.function, run.nth, run.device) for run in sweep.runs]
    assert len(set(tried)) == len(tried)
    assert ("aclrtMalloc", 3, False) in tried
    assert [name for name, _, device in tried if device] == ["aclnnSoftmaxBackward"]
    without = sweep_failures(lambda: careful(softmax), tasks=False)
    assert [run.function for run in without.runs] == [name for name, _, device in tried if not device]


# bad twins: planted mistakes


def test_a_stream_that_leaks_when_the_second_malloc_fails() -> None:
    def program() -> None:
        def work(undo: list[Callable[[], int]]) -> None:
            stream = new_stream()
            one = new_memory()
            undo.append(lambda: aclrtFree(one))
            other = new_memory()  # if it fails, nobody destroys the stream
            undo.append(lambda: aclrtFree(other))
            undo.append(lambda: aclrtDestroyStream(stream))

        careful(work)

    sweep = sweep_failures(program)
    assert ids(sweep) == {("aclrtMalloc", 1): ["stream-leaked"], ("aclrtMalloc", 2): ["stream-leaked"]}
    report = str(sweep)
    assert "call 2 of aclrtMalloc fails with ACL_ERROR_RT_MEMORY_ALLOCATION (207001), called at " in report
    assert "the program raised Failed: status 207001 at " in report
    assert "warning[stream-leaked]: stream 1 was never destroyed" in report
    assert "stream 1 was created at " in report
    assert "2 with problems: 2 x stream-leaked" in report


def test_a_double_destroy_in_an_error_path() -> None:
    def program() -> int:
        check(aclInit(None))
        check(aclrtSetDevice(0))
        pointer = new_memory()
        tensor = aclCreateTensor([8], 1, ACL_FLOAT, [1], 0, ACL_FORMAT_ND, [8], 1, pointer)
        ret = aclrtMemcpy(pointer, BYTES, np.ones(8, np.float32), BYTES, ACL_MEMCPY_HOST_TO_DEVICE)
        if ret != ACL_SUCCESS and tensor:
            aclDestroyTensor(tensor)
        if tensor:
            aclDestroyTensor(tensor)
        aclrtFree(pointer)
        aclrtResetDevice(0)
        aclFinalize()
        return ret

    found = ids(sweep_failures(program))
    assert found["aclrtMemcpy", 1][0] == "tensor-double-destroy"


def test_a_null_pointer_used_after_a_failed_allocation() -> None:
    """A programming error is a crash, unless the caller expects it; an exception of one's own is an answer."""

    def program() -> None:
        def work(undo: list[Callable[[], int]]) -> None:
            pointer = c_void_p()
            if aclrtMalloc(byref(pointer), BYTES, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS:
                undo.append(lambda: aclrtFree(pointer))
            address: Any = pointer.value
            check(aclrtMemcpy(address + 16, 16, np.ones(4, np.float32), 16, ACL_MEMCPY_HOST_TO_DEVICE))

        careful(work)

    (run,) = sweep_failures(program).problems
    assert (run.function, run.crashed) == ("aclrtMalloc", True)
    assert "the program crashed with TypeError" in str(run)
    assert "test_sweep.py:" in run.raised_at
    assert not sweep_failures(program, expects=[TypeError]).problems


def test_memory_freed_under_work_in_an_error_path() -> None:
    """The first task is queued when the second launch fails. The good twin synchronises before it frees."""

    def program(*, waits: bool) -> None:
        def work(undo: list[Callable[[], int]]) -> None:
            stream = new_stream()
            undo.append(lambda: aclrtDestroyStream(stream))
            pointer = new_memory()
            undo.append(lambda: aclrtFree(pointer))
            if waits:
                undo.append(lambda: aclrtSynchronizeStream(stream))
            for value in range(2):
                check(aclrtMemsetAsync(pointer, BYTES, value, BYTES, stream))
            check(aclrtSynchronizeStream(stream))

        careful(work)

    bad = sweep_failures(lambda: program(waits=False))
    assert ids(bad) == {("aclrtMemsetAsync", 2): ["io-freed-early"]}
    good = sweep_failures(lambda: program(waits=True))
    assert all(found.id == "ignored-ret" for run in good.problems for found in run.findings)


def test_what_a_failed_task_leaves() -> None:
    """A task that fails on the device surfaces at the synchronise; what is skipped then, leaks."""

    def program() -> None:
        def work(undo: list[Callable[[], int]]) -> None:
            stream = new_stream()
            pointer = new_memory()
            undo.append(lambda: aclrtFree(pointer))
            try:
                check(aclrtMemsetAsync(pointer, BYTES, 1, BYTES, stream))
            finally:
                if aclrtSynchronizeStream(stream) == ACL_SUCCESS:
                    aclrtDestroyStream(stream)

        careful(work)

    sweep = sweep_failures(program)
    (task,) = [run for run in sweep.problems if run.device]
    assert [found.id for found in task.findings] == ["stream-leaked"]
    assert "task 1 of aclrtMemsetAsync fails on the device with ACL_ERROR_RT_AICORE_EXCEPTION" in str(task)


# what a sweep takes and tells


def test_findings_of_the_unfailed_run_are_told_once() -> None:
    """They are no fault of the clean-up."""

    def program() -> None:
        check(aclrtSetDevice(0))
        new_stream()
        aclrtResetDevice(0)

    sweep = sweep_failures(program)
    assert [found.id for found in sweep.base.findings] == ["stream-leaked"] or sweep.base.findings
    assert all(run.function != "aclrtResetDevice" for run in sweep.problems)
    assert str(sweep).startswith("without a failure:")


def test_a_program_that_takes_its_machine() -> None:
    """It may allow findings, and options of the machine may be given."""
    seen: list[str] = []

    def program(machine: Machine) -> None:
        seen.append(machine.soc.name)
        machine.allow("device-not-reset", reason="not what is tested")
        check(aclrtSetDevice(0))

    assert not sweep_failures(program, soc="Ascend310P3").problems
    assert seen == ["Ascend310P3"] * 2
    assert installation.current is None


def test_a_program_that_differs_from_run_to_run_is_told() -> None:
    runs: list[int] = []

    def program() -> None:
        runs.append(1)
        if len(runs) == 1:
            check(aclrtSetDevice(0))
            aclrtResetDevice(0)

    sweep = sweep_failures(program)
    assert len(sweep.unmet) == 2
    assert "2 were not met: the program does not do the same in each run" in str(sweep)
    assert "it was not met" in str(sweep)


def test_a_program_that_calls_nothing_is_told() -> None:
    def program() -> None:
        with Machine():
            aclrtSetDevice(0)
            aclrtResetDevice(0)

    assert "the program made no call that may fail" in str(sweep_failures(program))


def test_most_bounds_the_runs() -> None:
    """Each line that calls comes first, then the second call of each."""

    def program() -> None:
        def work(undo: list[Callable[[], int]]) -> None:
            for _ in range(20):
                pointer = new_memory()
                undo.append(lambda pointer=pointer: aclrtFree(pointer))

        careful(work)

    sweep = sweep_failures(program, most=8)
    assert len(sweep.runs) == 8
    assert sweep.left_out == 36
    assert "36 more were left out" in str(sweep)
    assert [(run.function, run.nth) for run in sweep.runs] == [
        ("aclInit", 1), ("aclrtSetDevice", 1), ("aclrtMalloc", 1), ("aclrtMalloc", 2),
        ("aclrtFree", 1), ("aclrtFree", 2), ("aclrtResetDevice", 1), ("aclFinalize", 1),
    ]  # fmt: skip


def test_a_crash_without_any_failure_is_a_problem() -> None:
    def program() -> None:
        raise KeyError("before any call")

    sweep = sweep_failures(program)
    assert sweep.problems == (sweep.base,)
    assert "crashed with KeyError" in str(sweep)


def test_an_exit_is_an_answer() -> None:
    def program() -> None:
        if aclrtSetDevice(0) != ACL_SUCCESS:
            raise SystemExit(1)
        aclrtResetDevice(0)

    sweep = sweep_failures(program)
    assert not sweep.problems
    assert isinstance(sweep.runs[0].raised, SystemExit)


def test_a_returned_status_was_looked_at() -> None:
    """By who called the program."""

    def program() -> int:
        ret = aclrtSetDevice(0)
        return ret or aclrtResetDevice(0)

    assert not sweep_failures(program).problems


def test_threads_of_the_program() -> None:
    """Calls of other threads fail as well, and a crash of a thread is one of the program."""

    def work() -> None:
        check(aclrtSetDevice(0))
        pointer: Any = c_void_p()
        if aclrtMalloc(byref(pointer), BYTES, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS:
            aclrtResetDevice(0)
        pointer.value += 0
        aclrtFree(pointer)
        aclrtResetDevice(0)

    def program() -> None:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()

    before = threading.excepthook
    sweep = sweep_failures(program)
    assert [(run.function, type(run.raised)) for run in sweep.problems] == [("aclrtMalloc", TypeError)]
    assert threading.excepthook is before


@pytest.mark.parametrize("name", ["aclnn_softmax_backward", "error_handling"])
def test_samples(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """They return early, as the documents' C programs do: what was made by then leaks, and nothing worse."""
    main: Any = runpy.run_path(str(SAMPLES / f"{name}.py"), run_name="sample")["main"]
    sweep = sweep_failures(main)
    capsys.readouterr()
    assert not sweep.base.findings
    assert not sweep.unmet
    found = {found.id: found.level for run in sweep.problems for found in run.findings}
    assert {"device-not-reset", "stream-leaked", "mem-leaked"} <= set(found)
    assert set(found.values()) == {"warning"}
    assert not any(run.crashed for run in sweep.runs)

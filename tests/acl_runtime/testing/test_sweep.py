"""`sweep_failures`: a program runs once for each call that may fail, failing that call (findings, rules for twins)."""

import runpy
import threading
from collections.abc import Callable
from ctypes import POINTER, byref, c_uint64, c_void_p, cast
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.machine.current import installation
from acl_runtime.source.site import shown
from acl_runtime.testing.sweeps.sweep import Sweep, sweep_failures
from aclnn import *
from tests.helpers.memory.virtual_memory import PAGE, on_host, prop

SAMPLES = Path(__file__).resolve().parents[3] / "samples"
BYTES = 32


class Failed(Exception):
    """An exception of the program."""


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
    """Call `work` with device 0 set. Afterwards, also after an exception, run the releases that it listed, the last
    first. Statuses of releases are not looked at."""
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
    """An operator on a stream, with its result copied back. It cleans up in every path."""

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


def virtual_memory(undo: list[Callable[[], int]]) -> None:
    """Memory of the device and of the host, mapped side by side, set and read. It cleans up in every path."""
    size, values = c_uint64(), np.zeros(16, np.float32)
    check(aclrtMemGetAllocationGranularity(byref(prop()), ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, byref(size)))

    def use(kind: aclrtPhysicalMemProp) -> None:
        address = c_void_p()
        check(aclrtReserveMemAddress(byref(address), 2 * PAGE, 0, None, 0))
        undo.append(lambda: aclrtReleaseMemAddress(address))
        start = address.value or 0
        for at in (start, start + PAGE):
            place(kind, at)
        check(aclrtMemsetAsync(address, 2 * PAGE, 0, 2 * PAGE, None))
        check(aclrtSynchronizeStream(None))
        check(aclrtMemcpy(values, 64, start + PAGE - 32, 64, ACL_MEMCPY_DEFAULT))

    def place(kind: aclrtPhysicalMemProp, at: int) -> None:
        handle = aclrtDrvMemHandle()
        check(aclrtMallocPhysical(byref(handle), PAGE, byref(kind), 0))
        undo.append(lambda: aclrtFreePhysical(handle))
        check(aclrtMemMapNoAccess(at, PAGE, 0, handle, 0))
        undo.append(lambda: aclrtUnmapMem(at))
        access = aclrtMemAccessDesc(flags=ACL_RT_MEM_ACCESS_FLAGS_READWRITE, location=kind.location)
        check(aclrtMemSetAccess(at, PAGE, byref(access), 1))

    use(prop())
    use(on_host())


def ids(sweep: Sweep) -> dict[tuple[str, int], list[str]]:
    """The findings of each run that has problems."""
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


@pytest.mark.parametrize("schedule", ["late", "eager", "threads", "random"])
def test_a_program_that_cleans_up_virtual_memory_has_no_problems(schedule: str) -> None:
    sweep = sweep_failures(lambda: careful(virtual_memory), schedule=schedule, seed=1)
    assert not sweep.problems, sweep
    assert not sweep.unmet
    assert {
        "aclrtReserveMemAddress", "aclrtMallocPhysical", "aclrtMemMapNoAccess", "aclrtMemSetAccess", "aclrtUnmapMem",
        "aclrtFreePhysical", "aclrtReleaseMemAddress", "aclrtMemGetAllocationGranularity",
    } <= {run.function for run in sweep.runs}  # fmt: skip


def test_a_mapping_that_is_forgotten_when_the_next_one_fails() -> None:
    def program() -> None:
        def work(undo: list[Callable[[], int]]) -> None:
            address, handles = c_void_p(), [aclrtDrvMemHandle(), aclrtDrvMemHandle()]
            check(aclrtReserveMemAddress(byref(address), 2 * PAGE, 0, None, 0))
            undo.append(lambda: aclrtReleaseMemAddress(address))
            for i, handle in enumerate(handles):
                check(aclrtMallocPhysical(byref(handle), PAGE, byref(prop()), 0))
                undo.append(lambda handle=handle: aclrtFreePhysical(handle))
                check(aclrtMapMem((address.value or 0) + i * PAGE, PAGE, 0, handle, 0))
            undo.extend(lambda i=i: aclrtUnmapMem((address.value or 0) + i * PAGE) for i in (0, 1))

        careful(work)

    sweep = sweep_failures(program)
    assert set(ids(sweep)) == {("aclrtMallocPhysical", 2), ("aclrtMapMem", 2)}
    for found in ids(sweep).values():
        assert found.count("mem-leaked") == 2, "the physical memory, and the addresses, which could not be released"


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
            other = new_memory()  # if it fails, the stream is never destroyed
            undo.append(lambda: aclrtFree(other))
            undo.append(lambda: aclrtDestroyStream(stream))

        careful(work)

    sweep = sweep_failures(program)
    assert ids(sweep) == {("aclrtMalloc", 1): ["stream-leaked"], ("aclrtMalloc", 2): ["stream-leaked"]}
    report = str(sweep)
    assert "call 1 of aclrtMalloc fails with ACL_ERROR_RT_MEMORY_ALLOCATION (207001), called at " in report
    assert "1 more failure with the same causes: call 2 of aclrtMalloc fails at " in report
    assert "the program raised Failed at " in report
    assert ": status 207001\n" in report
    assert "warning[stream-leaked]: stream 1 was never destroyed" in report
    assert "stream 1 was created at " in report
    assert "2 with problems: 2 x stream-leaked" in report


def test_a_cause_is_shown_once() -> None:
    """A missing clean-up shows in each later failure. Each forgotten object is described once."""

    def program() -> None:
        assert aclrtSetDevice(0) == ACL_SUCCESS
        pointers = [c_void_p() for _ in range(3)]
        assert aclrtMalloc(byref(pointers[0]), 64, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS
        assert aclrtMalloc(byref(pointers[1]), 64, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS
        assert aclrtMalloc(byref(pointers[2]), 64, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS
        for pointer in pointers:
            assert aclrtMemset(pointer, 64, 0, 64) == ACL_SUCCESS
        for pointer in pointers:
            assert aclrtFree(pointer) == ACL_SUCCESS
        assert aclrtResetDevice(0) == ACL_SUCCESS

    swept = sweep_failures(program)
    text = str(swept)
    assert sum(finding.id == "mem-leaked" for run in swept.problems for finding in run.findings) > 3
    assert text.count("warning[mem-leaked]") == 3
    assert text.count("warning[device-not-reset]") == 1
    assert "more failures with the same causes: " in text
    assert "findings as above" in text


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
    """A programming error is a crash unless the caller expects it. An exception of the program is no crash."""

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
    for expects in (TypeError, Exception, [TypeError], (KeyError, TypeError), iter([TypeError])):
        assert not sweep_failures(program, expects=expects).problems
    assert sweep_failures(program, expects=KeyError).problems


@pytest.mark.parametrize("expects", ["TypeError", TypeError("x"), int, (KeyError, 5), None])
def test_what_is_expected_are_classes_of_exceptions(expects: Any) -> None:
    with pytest.raises(TypeError, match=r"expects=.*: a class of exceptions, or several"):
        sweep_failures(lambda: None, expects=expects)


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
    assert f"in aclrtFree at {shown(__file__)}:" in str(bad)
    assert not sweep_failures(lambda: program(waits=True)).problems


def test_a_clean_up_that_synchronises_again() -> None:
    """Its status need not be looked at if no work is left. If it is the only wait, it must be looked at."""

    def program(*, waits: bool) -> None:
        def work(undo: list[Callable[[], int]]) -> None:
            pointer = new_memory()
            undo.append(lambda: aclrtFree(pointer))
            undo.append(lambda: aclrtSynchronizeStream(None))
            check(aclrtMemsetAsync(pointer, BYTES, 0, BYTES, None))
            if waits:
                check(aclrtSynchronizeStream(None))

        careful(work)

    assert not sweep_failures(lambda: program(waits=True)).problems
    bad = sweep_failures(lambda: program(waits=False))
    assert ids(bad) == {("aclrtMemsetAsync", 1): ["ignored-ret"], ("aclrtSynchronizeStream", 1): ["ignored-ret"]}


def test_a_double_release_is_reported_even_if_its_status_is_looked_at() -> None:
    """Memory and a stream, each released in an error path and again at the end; the good twin releases them at the end
    only. A double release whose status nobody looks at is reported as `ignored-ret` only. A double release that also
    happens without a failure counts as intended."""

    def program(*, twice: bool, looks: bool = True) -> None:
        check(aclrtSetDevice(0))
        stream, first, second = new_stream(), c_void_p(), c_void_p()
        statuses: list[int] = []
        try:
            check(aclrtMalloc(byref(first), BYTES, ACL_MEM_MALLOC_HUGE_FIRST))
            if aclrtMalloc(byref(second), BYTES, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS and twice:
                statuses += [aclrtFree(first), aclrtDestroyStream(stream)]
        finally:
            for pointer in (first, second):
                if pointer:
                    statuses.append(aclrtFree(pointer))
            statuses += [aclrtDestroyStream(stream), aclrtResetDevice(0)]
            if looks:
                any(statuses)

    def second_malloc(**how: bool) -> list[str]:
        return ids(sweep_failures(lambda: program(**how))).get(("aclrtMalloc", 2), [])

    assert second_malloc(twice=True) == ["bad-free", "dead-handle"]
    assert second_malloc(twice=True, looks=False) == ["ignored-ret", "ignored-ret"]
    assert second_malloc(twice=False) == []

    def meant() -> None:
        check(aclrtSetDevice(0))
        stream = new_stream()
        aclrtDestroyStream(stream)
        assert aclrtDestroyStream(stream) != ACL_SUCCESS
        aclrtResetDevice(0)

    assert "dead-handle" not in str(sweep_failures(meant))


@pytest.mark.parametrize("chained", [False, True])
def test_what_a_finaliser_releases_is_released(*, chained: bool) -> None:
    """The frames in its traceback keep an object alive as long as the exception exists."""

    class Memory:
        def __init__(self) -> None:
            self.pointer = c_void_p()
            check(aclrtMalloc(byref(self.pointer), BYTES, ACL_MEM_MALLOC_HUGE_FIRST))

        def __del__(self) -> None:
            if self.pointer:
                aclrtFree(self.pointer)

    def work() -> None:
        first, second = Memory(), Memory()
        check(aclrtMemset(first.pointer, BYTES, 0, BYTES))
        check(aclrtMemset(second.pointer, BYTES, 0, BYTES))

    def program() -> None:
        check(aclrtSetDevice(0))
        try:
            work()
        except Failed as failed:
            if chained:
                raise RuntimeError("no work") from failed
            raise
        aclrtResetDevice(0)

    sweep = sweep_failures(program)
    assert {found.id for run in sweep.problems for found in run.findings} == {"device-not-reset"}


def test_an_endless_program_is_ended() -> None:
    """The report names the line. Missing clean-up is not reported."""

    def program() -> None:
        check(aclrtSetDevice(0))
        pointer = c_void_p()
        try:
            check(aclrtMalloc(byref(pointer), BYTES, ACL_MEM_MALLOC_HUGE_FIRST))
        except Failed:
            while aclrtFree(pointer) != ACL_SUCCESS:
                pass
        aclrtFree(pointer)
        aclrtResetDevice(0)

    (run,) = sweep_failures(program).problems
    assert (run.function, run.crashed, run.findings) == ("aclrtMalloc", True, ())
    assert f"crashed with Endless at {shown(__file__)}:" in str(run)
    assert "the last of aclrtFree: the program does not seem to end" in str(run)


def test_what_c_dereferences_null_for_is_a_crash() -> None:
    """ctypes raises a ValueError for it. A ValueError of the program is no crash."""

    def program(*, own: bool) -> None:
        def work(undo: list[Callable[[], int]]) -> None:
            host = c_void_p()
            if aclrtMallocHost(byref(host), BYTES) == ACL_SUCCESS:
                undo.append(lambda: aclrtFreeHost(host))
            elif own:
                raise ValueError("no memory")
            cast(host, POINTER(c_uint64))[0] = 1

        careful(work)

    (run,) = sweep_failures(lambda: program(own=False)).problems
    assert (run.function, run.crashed) == ("aclrtMallocHost", True)
    assert not sweep_failures(lambda: program(own=True)).problems


def test_what_a_failed_task_leaves() -> None:
    """A failed task is reported by the synchronise; releases that the program then skips are leaks."""

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


# arguments of a sweep, and its problems


def test_findings_of_the_unfailed_run_are_told_once() -> None:
    """They are not caused by the clean-up."""

    def program() -> None:
        check(aclrtSetDevice(0))
        new_stream()
        aclrtResetDevice(0)

    sweep = sweep_failures(program)
    assert [found.id for found in sweep.base.findings] == ["stream-leaked"]
    assert sweep.problems[0] is sweep.base
    assert all(run.function != "aclrtResetDevice" for run in sweep.problems)
    assert str(sweep).startswith("the program without failures:\n    the program returned None\n    warning[stream-")
    assert "the program without failures has problems of its own" in str(sweep)


def test_a_program_that_takes_its_machine() -> None:
    """The program may allow findings, and the sweep takes options of the machine."""
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

    with pytest.raises(AssertionError, match="the program made no call that may fail"):
        sweep_failures(program).check()


def test_most_bounds_the_runs() -> None:
    """The first call of each line comes before the second call of any line."""

    def program() -> None:
        def work(undo: list[Callable[[], int]]) -> None:
            for _ in range(20):
                pointer = new_memory()
                undo.append(lambda pointer=pointer: aclrtFree(pointer))

        careful(work)

    sweep = sweep_failures(program, most=8)
    assert len(sweep.runs) == 8
    assert (len(sweep.alike), sweep.left_out) == (34, 2)
    assert "34 more of these lines were left out (same_line=...): 17 at " in str(sweep)
    assert "2 more were left out (most=...)" in str(sweep)
    assert [(run.function, run.nth) for run in sweep.runs] == [
        ("aclInit", 1), ("aclrtSetDevice", 1), ("aclrtMalloc", 1), ("aclrtMalloc", 2),
        ("aclrtFree", 1), ("aclrtFree", 2), ("aclrtResetDevice", 1), ("aclFinalize", 1),
    ]  # fmt: skip


def test_a_loop_is_failed_three_times_and_a_helper_once_for_each_caller() -> None:
    """Calls in a loop show the same mistake when they fail. The callers of a helper have different things to clean
    up."""

    def program() -> None:
        def work(undo: list[Callable[[], int]]) -> None:
            for _ in range(5):
                check(aclrtMemset(new_buffer(undo), BYTES, 0, BYTES))
            new_buffer(undo)
            new_buffer(undo)

        careful(work)

    def new_buffer(undo: list[Callable[[], int]]) -> c_void_p:
        pointer = new_memory()
        undo.append(lambda: aclrtFree(pointer))
        return pointer

    def failed(sweep: Sweep, name: str) -> list[int]:
        return [run.nth for run in sweep.runs if run.function == name]

    sweep = sweep_failures(program)
    assert failed(sweep, "aclrtMalloc") == [1, 2, 3, 6, 7]
    assert failed(sweep, "aclrtMemset") == failed(sweep, "aclrtFree") == [1, 2, 3]
    assert (len(sweep.alike), sweep.left_out) == (2 + 2 + 4, 0)
    assert "8 more of these lines were left out" in str(sweep)
    sweep = sweep_failures(program, same_line=100)
    assert failed(sweep, "aclrtMalloc") == [*range(1, 8)]
    assert not sweep.alike
    assert "left out" not in str(sweep)


@pytest.mark.parametrize("bounds", [{"most": 0}, {"same_line": 0}, {"most": -1}])
def test_bounds_begin_with_1(bounds: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="1 or more"):
        sweep_failures(lambda: None, **bounds)


@pytest.mark.parametrize("error", [KeyError("key"), Failed("always"), SystemExit(1), AssertionError("wrong")], ids=repr)
def test_an_exception_without_any_failure_is_a_problem(error: BaseException) -> None:
    """Any exception counts, not only programming errors: a test that does not get to its calls shows nothing. It is
    reported once, and `expects` may name it."""

    def program() -> None:
        if aclrtSetDevice(0) == ACL_SUCCESS and aclrtResetDevice(0) == ACL_SUCCESS:
            pass
        raise error

    sweep = sweep_failures(program)
    assert sweep.problems == (sweep.base,)
    name = type(error).__name__
    assert str(sweep).startswith(f"the program without failures:\n    the program raised {name} at ")
    assert "2 failures, 0 with problems\n" in str(sweep)
    with pytest.raises(AssertionError, match=f"raised {name}"):
        sweep.check()
    sweep_failures(program, expects=[type(error)]).check()


@pytest.mark.parametrize("code", [None, 0])
def test_an_exit_with_success_is_none(code: int | None) -> None:
    def program() -> None:
        if aclrtSetDevice(0) == ACL_SUCCESS:
            aclrtResetDevice(0)
        raise SystemExit(code)

    sweep_failures(program).check()


# the report


@pytest.mark.parametrize("returned", [[1], {1: 2}, {1}, np.ones(3), object()], ids=lambda value: type(value).__name__)
def test_a_program_may_return_anything(returned: object) -> None:
    """Also objects that cannot be hashed or compared."""

    def program() -> object:
        check(aclrtSetDevice(0))
        return returned

    sweep = sweep_failures(program)
    assert "the program returned " in str(sweep)
    assert sweep == sweep
    assert len({sweep, *sweep.runs}) == 1 + len(sweep.runs)


def test_two_sweeps_of_a_program_tell_the_same() -> None:
    """The report has no process ids, times or addresses."""

    def program() -> object:
        check(aclrtSetDevice(0))
        pointer = c_void_p()
        if aclrtMalloc(byref(pointer), BYTES, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS:
            raise Failed(aclGetRecentErrMsg())  # and the device?
        aclrtResetDevice(0)
        return object()

    first, second = str(sweep_failures(program)), str(sweep_failures(program))
    assert first == second
    assert "Memory_Allocation_Failure(EL0004)" in first
    assert "PID" not in first
    assert "the program returned <object object at >" in first


def test_check_tells_everything() -> None:
    """The repr of `problems` is short enough for pytest."""

    def program() -> None:
        check(aclrtSetDevice(0))
        stream = new_stream()
        pointer = new_memory()
        aclrtFree(pointer)
        aclrtDestroyStream(stream)
        aclrtResetDevice(0)

    sweep = sweep_failures(program)
    with pytest.raises(AssertionError) as caught:
        sweep.check()
    assert str(caught.value) == str(sweep)
    line = new_memory.__code__.co_firstlineno + 2
    assert repr(sweep.problems[1]) == (
        f"<call 1 of aclrtMalloc fails at test_sweep.py:{line}: device-not-reset, stream-leaked>"
    )
    assert repr(sweep) == f"<Sweep: {str(sweep).splitlines()[-1]}; str() shows more>"
    clean = sweep_failures(lambda: careful(softmax), tasks=False)
    assert clean.check() is clean


def test_an_exit_is_an_answer() -> None:
    def program() -> None:
        if aclrtSetDevice(0) != ACL_SUCCESS:
            raise SystemExit(1)
        aclrtResetDevice(0)

    sweep = sweep_failures(program)
    assert not sweep.problems
    assert isinstance(sweep.runs[0].raised, SystemExit)


def test_a_returned_status_was_looked_at() -> None:
    """`sweep_failures` looks at the status that the program returns."""

    def program() -> int:
        ret = aclrtSetDevice(0)
        return ret or aclrtResetDevice(0)

    assert not sweep_failures(program).problems


def test_calls_of_other_threads_fail_as_well() -> None:
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
def test_samples_that_return_early_leave_only_warnings(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """They return early, as the C programs in the documents do: objects leak, but there are no errors."""
    main: Any = runpy.run_path(str(SAMPLES / f"{name}.py"), run_name="sample")["main"]
    sweep = sweep_failures(main)
    capsys.readouterr()
    assert not sweep.base.findings
    assert not sweep.unmet
    found = {found.id: found.level for run in sweep.problems for found in run.findings}
    assert {"device-not-reset", "stream-leaked", "mem-leaked"} <= set(found)
    assert set(found.values()) == {"warning"}
    assert not any(run.crashed for run in sweep.runs)

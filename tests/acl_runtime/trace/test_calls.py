"""`machine.calls`: the facts of a call, assertions on calls, and the line that a call prints (ours: "texts, traces and
orders name objects by ordinal (`stream 2`, `device 0 + 0x600`), which repeats exactly")."""

import ctypes
import json
import runpy
import sys
import threading
from collections import deque
from collections.abc import Callable
from ctypes import byref, c_float, c_int32, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import acl_runtime.objects.handle_table as objects
from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from acl_runtime.trace.records import Calls
from tests.helpers.builders import malloc, meta
from tests.helpers.creating import create_stream
from tests.helpers.host_threads import in_thread
from tests.helpers.machines import SCHEDULES
from tests.helpers.outcomes import ok
from tests.helpers.planned_operators import launch_softmax

SAMPLES = Path(__file__).resolve().parents[3] / "samples"


def host_function() -> None:
    """A host function that calls the API."""
    device = c_int32()
    ok(aclrtGetDevice(byref(device)))


# the facts of a call


def test_calls_are_asserted_on_by_name(machine: Machine) -> None:
    """`names()`, and `of(...)` by name or by the function itself."""
    address = malloc(64)
    aclrtFree(address)
    assert machine.calls.names() == ["aclrtSetDevice", "aclrtMalloc", "aclrtFree"]
    assert [call.function for call in machine.calls.of("aclrtMalloc", aclrtFree)] == ["aclrtMalloc", "aclrtFree"]
    assert machine.calls.of("aclrtMallocHost") == []


def test_of_refuses_a_name_that_is_no_function(machine: Machine) -> None:
    """With a misspelt name, an assertion that nothing was called would always hold."""
    assert machine.calls.of("aclrtFree", aclrtFree) == []
    with pytest.raises(ValueError, match=r"'aclrtMaloc' is no function .* did you mean aclrtMalloc"):
        machine.calls.of("aclrtMaloc")
    with pytest.raises(ValueError, match="no function of the API"):
        machine.calls.of("aclrtFree", print)


def test_a_slice_of_calls_is_a_list_of_calls(machine: Machine) -> None:
    """An index gives one call."""
    aclrtFree(malloc(64))
    assert [call.function for call in machine.calls[-2:]] == ["aclrtMalloc", "aclrtFree"]
    assert machine.calls[:2] == list(machine.calls)[:2]
    assert machine.calls[::-1][0].kept is machine.calls[-1].kept


def test_arguments_are_found_by_their_names_in_c(machine: Machine) -> None:
    malloc(64)
    (call,) = machine.calls.of(aclrtMalloc)
    assert (call.argument("size"), call.argument("policy")) == (64, ACL_MEM_MALLOC_HUGE_FIRST)
    with pytest.raises(KeyError, match="bytes is no parameter of aclError aclrtMalloc"):
        call.argument("bytes")


def test_outputs_are_the_values_written_through_pointers(machine: Machine) -> None:
    address = malloc(64)
    aclrtMalloc(byref(c_void_p()), 0, ACL_MEM_MALLOC_HUGE_FIRST)
    done, refused = machine.calls.of(aclrtMalloc)
    assert (done.outputs, refused.outputs) == ({"devPtr": address}, {}), "a refused call writes nothing"


def test_a_call_is_a_tuple_of_function_arguments_and_result(machine: Machine) -> None:
    aclrtFree(None)
    assert machine.calls[0] == ("aclrtSetDevice", (0,), ACL_SUCCESS)
    assert machine.calls[-1] == ("aclrtFree", (0,), machine.calls[-1].status)


def test_all_calls_equal_a_list_of_tuples() -> None:
    """The list may stand on either side of `==`, and must have all calls."""
    with Machine() as machine:
        ok(aclrtSetDevice(0))
        aclrtSynchronizeStream(None)
    made = [("aclrtSetDevice", (0,), ACL_SUCCESS), ("aclrtSynchronizeStream", (0,), ACL_SUCCESS)]
    assert machine.calls == made
    assert made == machine.calls
    assert machine.calls != made[:1]
    assert machine.calls != made[::-1]


def test_a_call_knows_its_status_and_whether_it_failed(machine: Machine) -> None:
    """A creator returns no status; that of its error text is taken, if there is one. A call that raised has None."""
    aclrtSynchronizeStream(None)
    assert aclCreateTensor(None, 3, ACL_FLOAT, None, 0, ACL_FORMAT_ND, None, 0, None) == aclTensor()
    assert not aclCreateScalar(np.zeros(1, np.float32), 99)
    with pytest.raises(UndefinedBehaviour):
        aclrtMemcpy(np.zeros(2, np.uint8), 64, malloc(64), 64, ACL_MEMCPY_DEVICE_TO_HOST)
    done, silent, with_text, *_, raised = list(machine.calls)[1:]
    assert (done.status, done.failed) == (ACL_SUCCESS, False)
    assert (silent.status, silent.failed) == (ACL_SUCCESS, True), "null dims leave no error text"
    assert (with_text.status, with_text.failed) == (ACLNN_ERR_PARAM_INVALID, True)
    assert (raised.status, raised.failed, raised.result) == (None, True, "host-overrun")


def test_an_exception_of_a_callback_is_recorded(machine: Machine) -> None:
    """ "an exception in one leaves the host call that ran it" (ours)."""
    aclrtLaunchHostFunc(create_stream(), lambda _: 1 // 0, None)
    with pytest.raises(ZeroDivisionError):
        aclrtSynchronizeStream(machine.calls[-1].arguments[0])
    assert str(machine.calls[-1]) == "aclrtSynchronizeStream(stream 1) = raised ZeroDivisionError"


def test_a_call_in_a_callback_names_the_call_that_ran_the_callback(machine: Machine) -> None:
    stream = create_stream()
    aclrtLaunchHostFunc(stream, lambda _: host_function(), None)
    aclrtSynchronizeStream(stream)
    inner, outer = machine.calls.of(aclrtGetDevice, aclrtSynchronizeStream)
    assert (inner.function, inner.inside, outer.inside) == ("aclrtGetDevice", "aclrtSynchronizeStream", "")


def test_a_call_has_the_name_of_its_thread(machine: Machine) -> None:
    worker = threading.Thread(target=aclrtSetDevice, args=(0,), name="loader")
    worker.start()
    worker.join()
    assert [call.thread for call in machine.calls] == [threading.current_thread().name, "loader"]


def test_a_call_has_the_name_of_its_stream(machine: Machine) -> None:
    """For null, it is the default stream of the thread's context."""
    stream = create_stream()
    for each in (stream, None):
        aclrtSynchronizeStream(each)
    aclrtDestroyStream(stream)
    aclrtSynchronizeStream(stream)
    default = "the default stream of default context of device 0"
    assert [call.stream for call in machine.calls][1:] == ["", "stream 1", default, "stream 1", "stream 1"]
    assert [task.stream for task in machine.tasks] == []


def test_a_launch_has_the_ids_of_its_tasks(machine: Machine) -> None:
    """They are the `id`s in `machine.tasks`."""
    launch_softmax()
    aclrtSynchronizeStream(None)
    launched = [call for call in machine.calls if call.tasks]
    assert [call.function for call in launched] == ["aclnnSoftmaxBackward"]
    assert [task.id for task in machine.tasks] == list(launched[0].tasks)


def test_a_call_knows_its_times_and_the_memory_in_use(machine: Machine) -> None:
    """A call takes simulated time only while it waits; `memory` is the memory in use when it returned."""
    address = malloc(1000)
    aclrtMemsetAsync(address, 1000, 0, 1000, None)
    aclrtSynchronizeStream(None)
    aclrtFree(address)
    used = machine.calls.of(aclrtMalloc)[0].memory
    assert used >= (1000,)
    assert [call.memory for call in machine.calls] == [(0,), used, used, used, (0,)]
    assert [(call.began, call.time) for call in machine.calls][2:4] == [(0, 0), (0, 1.001)]


@pytest.mark.parametrize("trace", [False, True])
def test_sites_are_kept_with_trace(trace: bool) -> None:
    """Without it, they would cost too much."""
    with Machine(trace=trace) as machine:
        aclrtSetDevice(0)
    assert machine.calls[0].site.startswith(__file__) is trace


# the line of a call


def run(*calls: Callable[[], object]) -> list[str]:
    """The lines of these calls, on a new machine."""
    with Machine(on_undefined="report") as machine:
        ok(aclrtSetDevice(0))
        for call in calls:
            call()
    return machine.calls.lines()[1:]


def allocate_and_free() -> None:
    malloc(64)
    aclrtFree(malloc(64))


def make_a_tensor() -> None:
    tensor = aclCreateTensor((4, 2), 2, ACL_BF16, np.array([2, 1]), 0, ACL_FORMAT_ND, [4, 2], 2, malloc(16))
    aclDestroyTensor(tensor)
    aclDestroyTensor(None)


def make_a_list() -> None:
    aclDestroyTensorList(aclCreateTensorList([meta([1]), None], 2))


def copy_to_and_from_pinned_memory() -> None:
    pinned, device = c_void_p(), malloc(64)
    ok(aclrtMallocHost(byref(pinned), 64))
    aclrtMemcpyAsync(device, 64, (pinned.value or 0) + 16, 48, ACL_MEMCPY_HOST_TO_DEVICE, None)
    aclrtSynchronizeStream(None)
    aclrtFreeHost(pinned)


def register_twice() -> None:
    mine, mapped = ctypes.create_string_buffer(4096), c_void_p()
    for _ in range(2):
        ok(aclrtHostRegister(mine, 4096, ACL_HOST_REGISTER_MAPPED, byref(mapped)))
        ok(aclrtHostUnregister(mine))


def use_a_dead_stream() -> None:
    stream = create_stream()
    for _ in range(2):
        aclrtDestroyStream(stream)


def read_a_type() -> None:
    kind = c_int32()
    aclGetDataType(meta([2], ACL_BF16), byref(kind))


MALLOC = "aclrtMalloc(&devPtr -> device 0 + 0x{:x}, 64, ACL_MEM_MALLOC_HUGE_FIRST) = ACL_SUCCESS"
META = "aclCreateTensor({{{0}}}, 1, {1}, nullptr, 0, ACL_FORMAT_ND, {{{0}}}, 1, nullptr) = tensor 1"
LINES: dict[str, tuple[Callable[[], object], list[str]]] = {
    "device-addresses": (
        allocate_and_free,
        [MALLOC.format(0), MALLOC.format(1024), "aclrtFree(device 0 + 0x400) = ACL_SUCCESS"],
    ),
    "objects-arrays-enums-null": (
        make_a_tensor,
        [
            MALLOC.format(0).replace("64", "16"),
            "aclCreateTensor({4, 2}, 2, ACL_BF16, {2, 1}, 0, ACL_FORMAT_ND, {4, 2}, 2, device 0 + 0x0) = tensor 1",
            "aclDestroyTensor(tensor 1) = ACL_SUCCESS",
            "aclDestroyTensor(nullptr) = ACL_SUCCESS",
        ],
    ),
    "lists-of-objects": (
        make_a_list,
        [
            META.format("1", "ACL_FLOAT"),
            "aclCreateTensorList({tensor 1, nullptr}, 2) = tensor list 1",
            "aclDestroyTensorList(tensor list 1) = ACL_SUCCESS",
        ],
    ),
    "pinned-memory": (
        copy_to_and_from_pinned_memory,
        [
            MALLOC.format(0),
            "aclrtMallocHost(&hostPtr -> pinned host memory 1 + 0x0, 64) = ACL_SUCCESS",
            "aclrtMemcpyAsync(device 0 + 0x0, 64, pinned host memory 1 + 0x10, 48, ACL_MEMCPY_HOST_TO_DEVICE, nullptr)"
            " = ACL_SUCCESS",
            "aclrtSynchronizeStream(nullptr) = ACL_SUCCESS",
            "aclrtFreeHost(pinned host memory 1 + 0x0) = ACL_SUCCESS",
        ],
    ),
    "registered-memory-by-its-name-of-then": (
        register_twice,
        [
            f"aclrtHost{what}"
            for n in (1, 2)
            for what in (
                f"Register(registered host memory {n} + 0x0, 4096, ACL_HOST_REGISTER_MAPPED, "
                f"&devPtr -> device 0 + 0x{(n - 1) * 0x1200:x}) = ACL_SUCCESS",
                f"Unregister(registered host memory {n} + 0x0) = ACL_SUCCESS",
            )
        ],
    ),
    "host-memory-by-its-parameter": (
        lambda: aclrtMemcpy(malloc(64), 64, np.zeros(64, np.uint8), 64, ACL_MEMCPY_HOST_TO_DEVICE),
        [MALLOC.format(0), "aclrtMemcpy(device 0 + 0x0, 64, src, 64, ACL_MEMCPY_HOST_TO_DEVICE) = ACL_SUCCESS"],
    ),
    "dead-handles-keep-their-ordinals": (
        use_a_dead_stream,
        [
            "aclrtCreateStream(&stream -> stream 1) = ACL_SUCCESS",
            "aclrtDestroyStream(stream 1) = ACL_SUCCESS",
            "aclrtDestroyStream(stream 1) = ACL_ERROR_RT_INVALID_HANDLE (107017)",
        ],
    ),
    "numbers-that-are-no-handles": (
        lambda: (aclrtDestroyStream(7), aclrtDestroyStream(1 << 40)),
        [
            "aclrtDestroyStream(7) = ACL_ERROR_RT_INVALID_HANDLE (107017)",
            "aclrtDestroyStream(stream) = ACL_ERROR_RT_INVALID_HANDLE (107017)",
        ],
    ),
    "a-refused-call-writes-nothing": (
        lambda: (aclrtMalloc(byref(c_void_p()), 0, ACL_MEM_MALLOC_HUGE_FIRST), aclrtMalloc(None, 8, 99)),
        [
            "aclrtMalloc(&devPtr, 0, ACL_MEM_MALLOC_HUGE_FIRST) = ACL_ERROR_INVALID_PARAM (100000)",
            "aclrtMalloc(nullptr, 8, 99) = ACL_ERROR_INVALID_PARAM (100000)",
        ],
    ),
    "outputs-by-their-type": (
        read_a_type,
        [META.format("2", "ACL_BF16"), "aclGetDataType(tensor 1, &dataType -> ACL_BF16) = ACL_SUCCESS"],
    ),
    "numbers-written": (
        lambda: aclrtStreamGetPriority(None, byref(c_uint32())),
        ["aclrtStreamGetPriority(nullptr, &priority -> 0) = ACL_SUCCESS"],
    ),
    "text": (
        lambda: (aclInit(None), aclrtGetSocName()),
        ["aclInit(nullptr) = ACL_SUCCESS", 'aclrtGetSocName() = "Ascend910B1"'],
    ),
    "long-arrays": (
        lambda: aclCreateIntArray(range_of(20), 20),
        [f"aclCreateIntArray({{{', '.join(map(str, range(16)))}, ...}}, 20) = int array 1"],
    ),
    "creators-that-fail": (
        lambda: aclCreateScalar(None, ACL_FLOAT),
        ["aclCreateScalar(nullptr, ACL_FLOAT) = nullptr"],
    ),
    "callbacks-and-user-data": (
        lambda: (aclrtLaunchHostFunc(None, print, 7), aclrtLaunchHostFunc(None, print, c_uint64())),
        [
            "aclrtLaunchHostFunc(nullptr, print, 7) = ACL_SUCCESS",
            "aclrtLaunchHostFunc(nullptr, print, c_ulong) = ACL_SUCCESS",
        ],
    ),
}


def range_of(count: int) -> list[int]:
    return list(range(count))


@pytest.mark.parametrize("case", LINES)
def test_a_call_prints_as_a_line_of_c(case: str) -> None:
    """It also does when the machine is closed: the names of destroyed objects are kept."""
    call, lines = LINES[case]
    assert run(call) == lines


def test_a_call_that_raised_prints_the_finding(machine: Machine) -> None:
    with pytest.raises(UndefinedBehaviour):
        aclrtMemcpy(np.zeros(2, np.uint8), 64, malloc(64), 64, ACL_MEMCPY_DEVICE_TO_HOST)
    assert str(machine.calls[-1]).endswith("ACL_MEMCPY_DEVICE_TO_HOST) = raised host-overrun")


def test_error_texts_print_without_the_parts_that_differ_between_runs(machine: Machine) -> None:
    """Process and time are left out, and only the first line is printed."""
    in_thread(lambda: (aclrtMalloc(byref(c_void_p()), 8, 0), aclGetRecentErrMsg()))
    assert machine.calls[-2].status == ACL_ERROR_RT_CONTEXT_NULL
    line = str(machine.calls[-1])
    assert line.startswith(
        'aclGetRecentErrMsg() = "Invalid_Argument_API_Call_Sequence(EE1018): Memory allocation failed.'
    )
    assert json.loads(line.partition(" = ")[2])


@pytest.mark.parametrize(("trace", "name"), [(False, "a dead handle"), (True, "tensor 1")])
def test_an_older_dead_handle_is_known_by_its_number(trace: bool, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """ "an older dead handle is still known as dead by its number" (ours); with `trace=True` by its name."""
    monkeypatch.setattr(objects, "HISTORY", 2)
    with Machine(trace=trace) as machine:
        for _ in range(4):
            aclDestroyTensor(meta([1]))
    assert str(machine.calls.of(aclDestroyTensor)[0]) == f"aclDestroyTensor({name}) = ACL_SUCCESS"


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("sample", ["asynchronous_copies", "error_handling"])
def test_the_same_program_gives_the_same_lines(sample: str, schedule: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The two machines have different addresses. Nothing is printed except by the program."""
    program = runpy.run_path(str(SAMPLES / f"{sample}.py"), run_name="sample")
    with Machine():
        pass  # an error text names the thread's context in the machine before, which is otherwise that of another test
    seen: list[list[str]] = []
    for _ in range(2):
        with Machine(schedule=schedule, seed=1) as machine:
            program["main"]()
        output = capsys.readouterr().out
        seen.append(machine.calls.lines())
        assert (output != "", capsys.readouterr()) == (True, ("", ""))
    assert seen[0] == seen[1]
    assert len(seen[0]) > 40


def test_the_calls_print_as_one_line_each(machine: Machine) -> None:
    aclrtSynchronizeStream(None)
    assert str(machine.calls) == "aclrtSetDevice(0) = ACL_SUCCESS\naclrtSynchronizeStream(nullptr) = ACL_SUCCESS"


def test_floats_print_as_they_are_in_c() -> None:
    """They print with nine digits."""
    with Machine() as machine:
        aclrtSetDevice(0)
        start, end = aclrtEvent(), aclrtEvent()
        for event in (start, end):
            ok(aclrtCreateEvent(byref(event)))
            ok(aclrtRecordEvent(event, None))
        ok(aclrtSynchronizeEvent(end))
        ok(aclrtEventElapsedTime(byref(c_float()), start, end))
    assert str(machine.calls[-1]) == "aclrtEventElapsedTime(&ms -> 0.001, event 1, event 2) = ACL_SUCCESS"


def test_a_reader_has_the_calls_of_one_moment_while_other_threads_call(machine: Machine) -> None:
    """Threads that interrupt each other nearly everywhere neither end a reader nor change what it has."""
    assert aclrtSetDevice(0) == ACL_SUCCESS
    calls, done, record = Calls(machine.calls._names, 64), threading.Event(), machine.calls.latest()

    def call() -> None:
        while not done.is_set():
            deque.append(cast("deque[Any]", calls), record)

    thread, before = threading.Thread(target=call), sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    thread.start()
    try:
        for _ in range(300):
            assert {call.function for call in (*reversed(calls), *calls)} <= {"aclrtSetDevice"}
    finally:
        done.set()
        thread.join()
        sys.setswitchinterval(before)

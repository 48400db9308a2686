"""Calls that callbacks of streams may make (ours; public): "callbacks must not call runtime functions that submit,
synchronise, allocate or free (deadlock)"."""

from collections.abc import Callable, Iterator
from ctypes import byref, c_int32, c_uint64, c_void_p
from threading import Event, get_ident

import numpy as np
import pytest

import acl_runtime
import aclnn
from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn import *
from tests.helpers.builders import malloc, meta, plan
from tests.helpers.creating import create_stream
from tests.helpers.failing_tasks import failing_task
from tests.helpers.host_threads import Host, current_context, in_thread, wait
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.outcomes import errors, finding_of, ok
from tests.helpers.planned_operators import softmax

HERE = "test_calls_in_callbacks.py:"

SUBMIT = """
    aclrtLaunchCallback aclrtLaunchHostFunc aclrtMemcpyAsync aclrtMemcpyAsyncWithCondition aclrtMemcpy2dAsync
    aclrtMemcpyBatchAsync aclrtMemcpyBatchAsyncV2 aclrtMemsetAsync aclrtMemsetD32Async aclrtReduceAsync aclrtRecordEvent
    aclrtRecordEventWithFlag aclrtResetEvent aclrtStreamWaitEvent aclrtStreamWaitEventWithTimeout
    aclrtStreamWaitEventWithFlag aclrtValueWrite aclrtValueWait aclrtGetOverflowStatus aclrtResetOverflowStatus
    aclopCompileAndExecute aclopCompileAndExecuteV2 aclopExecute aclopExecuteV2 aclopExecWithHandle
    aclprofGetStepTimestamp aclprofMarkEx rtKernelLaunch aclmdlRIExecuteAsync
    aclmdlRICaptureTaskUpdateEnd aclmdlExecuteAsync
    aclrtLaunchKernel aclrtLaunchKernelV2 aclrtLaunchKernelWithConfig
    aclrtLaunchKernelWithHostArgs aclrtLaunchKernelWithArgsArray aclrtLaunchSIMTKernelWithArgsArray
    aclrtLaunchSIMTKernelWithHostArgs aclrtMemcpyToSymbolAsync aclrtMemcpyFromSymbolAsync aclrtTaskUpdateAsync
    aclrtCmoAsync aclrtCmoAsyncWithBarrier aclrtCmoAsyncWithDesc aclrtCmoWaitBarrier aclrtCntNotifyRecord
    aclrtRecordNotify aclrtWaitAndResetNotify aclrtMemManagedPrefetchAsync aclrtMemManagedPrefetchBatchAsync
    aclrtCntNotifyReset aclrtCntNotifyWaitWithTimeout aclrtGetFloatOverflowStatus aclrtMemPoolFreeAsync
    aclrtMemPoolMallocAsync aclrtMemcpyAsyncWithDesc aclrtNpuClearFloatOverFlowStatus
    aclrtNpuGetFloatOverFlowStatus aclrtRandomNumAsync aclrtResetFloatOverflowStatus aclrtProfTrace
    HcclAllGather HcclAllGatherV HcclAllReduce HcclAlltoAll HcclAlltoAllV HcclAlltoAllVC HcclBarrier HcclBatchSendRecv
    HcclBroadcast HcclGroupEnd HcclRecv HcclReduce HcclReduceScatter HcclReduceScatterV HcclScatter HcclSend"""
SYNCHRONISE = """
    aclrtSynchronizeStream aclrtSynchronizeStreamWithTimeout aclrtSynchronizeDevice aclrtSynchronizeDeviceWithTimeout
    aclrtSynchronizeEvent aclrtSynchronizeEventWithTimeout aclmdlExecute aclmdlExecuteV2 aclmdlRIExecute
    HcclCommInitAll HcclCommInitRootInfo HcclCommInitRootInfoConfig"""
ALLOCATE = """
    aclrtMallocPhysical
    aclrtMalloc aclrtMallocAlign32 aclrtMallocCached aclrtMallocWithCfg aclrtMallocForTaskScheduler aclrtMallocHost
    aclrtMallocHostWithCfg aclrtCreateStream aclrtCreateStreamV2 aclrtCreateStreamWithConfig aclrtCreateEvent
    aclrtCreateEventWithFlag aclrtCreateEventExWithFlag aclrtCreateContext aclrtBinaryLoadFromData
    aclrtCreateNotify aclrtNotifyImportByKey aclrtIpcOpenEventHandle aclrtMemAllocManaged
    aclmdlLoadFromFile aclmdlLoadFromFileWithMem aclmdlLoadFromMem aclmdlLoadFromMemWithMem
    aclmdlLoadWithConfig
    aclrtBinaryLoadFromFile aclrtBinaryLoad"""
FREE = """
    aclrtFreePhysical
    aclrtFree aclrtFreeWithDevSync aclrtFreeHost aclrtFreeHostWithDevSync aclrtDestroyStream aclrtDestroyStreamForce
    aclrtDestroyNotify
    aclrtDestroyEvent aclrtDestroyContext aclrtResetDevice aclrtResetDeviceForce aclrtBinaryUnLoad
    aclmdlRIDestroy aclmdlUnload"""


def functions() -> dict[str, bool]:
    """Every function of the two packages: is it forbidden in callbacks?"""
    found = [getattr(package, name) for package in (acl_runtime, aclnn) for name in package.__all__]
    return {each.c.name: each.c.resource for each in found if hasattr(each, "c")}


@pytest.mark.fidelity("what callbacks of streams must not call")
def test_functions_that_submit_wait_allocate_or_free_are_forbidden() -> None:
    """Those that submit, synchronise, allocate or free, and the second phase of each operator; synchronous copies "act
    at once [...] and do not wait for any stream", so they are not among them."""
    every = functions()
    forbidden = {name for name, resource in every.items() if resource}
    second = {name for name in every if f"{name}GetWorkspaceSize" in every}
    assert forbidden == {*SUBMIT.split(), *SYNCHRONISE.split(), *ALLOCATE.split(), *FREE.split(), *second}
    words = ("Async", "Malloc", "Free", "aclrtSynchronize", "aclrtCreate", "aclrtDestroy", "aclrtLaunch")
    hosts = {"aclrtCreateStreamConfigHandle", "aclrtDestroyStreamConfigHandle"}  # a description, not a stream
    hosts |= {"aclrtCreateBinary", "aclrtDestroyBinary"}  # a pointer
    hosts |= {"HcclGetCommAsyncError"}  # a query
    hosts |= {"aclrtCreateGroupInfo", "aclrtDestroyGroupInfo", "aclrtAllocatorSetFreeFuncToDesc"}  # descriptions
    hosts |= {f"aclrt{verb}Label{rest}" for verb in ("Create", "Destroy") for rest in ("", "List")}  # places
    hosts |= {"acltdtFreeBuf", "aclrtFreeBuf"}  # refused: only a device has such buffers
    assert not {name for name in every if any(word in name for word in words)} - forbidden - hosts


@pytest.fixture(params=SCHEDULES)
def each(request: pytest.FixtureRequest) -> Iterator[Machine]:
    """A machine of each schedule, device 0 set."""
    with board(request.param) as machine:
        yield machine


def in_host_function(call: Callable[[], object]) -> Callable[[], object]:
    """Call it in a host function of a new stream."""

    def program() -> object:
        stream = create_stream()
        ok(aclrtLaunchHostFunc(stream, lambda _: call(), None))
        return aclrtSynchronizeStream(stream)

    return program


def in_report(call: Callable[[], object]) -> Callable[[], object]:
    """Call it in a callback that this thread serves."""

    def program() -> object:
        stream = create_stream()
        ok(aclrtSubscribeReport(get_ident(), stream))
        ok(aclrtLaunchCallback(lambda _: call(), None, ACL_CALLBACK_BLOCK, stream))
        return aclrtProcessReport(-1)

    return program


WAYS = {"host function": in_host_function, "callback": in_report}


def bad_calls() -> dict[str, Callable[[], object]]:
    address, source, event = malloc(8), malloc(8), aclrtEvent()
    ok(aclrtCreateEvent(byref(event)))
    *_, planned = softmax()
    return {
        "allocate": lambda: aclrtMalloc(byref(c_void_p()), 8, ACL_MEM_MALLOC_HUGE_FIRST),
        "free": lambda: aclrtFree(address),
        "synchronise": aclrtSynchronizeDevice,
        "synchronise the default stream": lambda: aclrtSynchronizeStream(None),
        "submit": lambda: aclrtMemcpyAsync(address, 8, source, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, None),
        "record": lambda: aclrtRecordEvent(event, None),
        "create": lambda: aclrtCreateStream(byref(aclrtStream())),
        "launch an operator": lambda: aclnnSoftmaxBackward(None, 0, planned.executor, None),
    }


BAD = ["allocate", "free", "synchronise", "synchronise the default stream", "submit", "record", "create",
       "launch an operator"]  # fmt: skip


@pytest.mark.fidelity("what callbacks of streams must not call")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("what", BAD)
def test_a_forbidden_call_in_a_callback_is_raised(machine: Machine, what: str, way: str) -> None:
    """The bad twin: raised by the call in the callback, it leaves the call that ran that. The report has the call and
    the launch of the callback."""
    call = bad_calls()[what]
    with pytest.raises(UndefinedBehaviour) as error:
        WAYS[way](call)()
    finding = error.value.finding
    assert (finding.id, finding.level) == ("callback-acl", "error")
    assert finding.what.startswith(f"{finding.call} is called in a callback of stream ")
    assert HERE in finding.site
    (launched,) = finding.history
    assert launched.what.startswith(f"{way} in stream ")
    assert HERE in launched.site


@pytest.mark.parametrize("way", WAYS)
def test_a_forbidden_call_is_found_under_every_schedule(each: Machine, way: str) -> None:
    assert finding_of(lambda: [WAYS[way](aclrtSynchronizeDevice)(), aclrtSynchronizeDevice()])[0] == "callback-acl"


def good_calls() -> dict[str, Callable[[], object]]:
    event, number, free, total = aclrtEvent(), c_int32(), c_uint64(), c_uint64()
    ok(aclrtCreateEvent(byref(event)))
    ok(aclrtRecordEvent(event, None))
    context, other, host = current_context(), create_stream(), np.zeros(8, np.uint8)
    filled = softmax()[0].address
    return {
        "device": lambda: ok(aclrtGetDevice(byref(number))),
        "set device": lambda: ok(aclrtSetDevice(0)),
        "context": lambda: ok(aclrtGetCurrentContext(byref(aclrtContext()))),
        "set context": lambda: ok(aclrtSetCurrentContext(context)),
        "error text": aclGetRecentErrMsg,
        "query of an event": lambda: ok(aclrtQueryEventStatus(event, byref(number))),
        "query of a stream": lambda: ok(aclrtStreamQuery(other, byref(number))),
        "memory": lambda: ok(aclrtGetMemInfo(0, byref(free), byref(total))),
        "copy at once": lambda: ok(aclrtMemcpy(host, 8, filled, 8, ACL_MEMCPY_DEVICE_TO_HOST)),
        "tensor": lambda: meta([2]),
        "first phase": lambda: plan(aclnn.aclnnSoftmaxBackwardGetWorkspaceSize, *[meta([2])] * 2, 0, meta([2])),
        "allocate in a thread": lambda: in_thread(lambda: (aclrtSetDevice(0), malloc(8))),
    }


GOOD = ["device", "set device", "context", "set context", "error text", "query of an event", "query of a stream",
        "memory", "copy at once", "tensor", "first phase", "allocate in a thread"]  # fmt: skip


@pytest.mark.fidelity("what callbacks of streams must not call")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("what", GOOD)
def test_a_callback_may_ask_and_make_objects_of_the_host(machine: Machine, what: str, way: str) -> None:
    """The good twin: questions, objects of the host, and what another thread does."""
    ok(WAYS[way](good_calls()[what])())
    assert not errors(machine)


def test_a_host_thread_does_it(each: Machine) -> None:
    """The good twin: the callback tells a host thread, which frees; and the thread that ran it may call afterwards."""
    stream, address, reached = create_stream(), malloc(8), Event()
    context = current_context()

    def frees() -> None:
        ok(aclrtSetCurrentContext(context))
        wait(reached)
        ok(aclrtFree(address))

    host = Host(frees)
    ok(aclrtLaunchHostFunc(stream, lambda event: event.set(), reached))
    ok(aclrtSynchronizeStream(stream))
    host.end()
    ok(aclrtFree(malloc(8)))
    assert not errors(each)


def test_the_exception_of_a_callback_does_not_leave_it_open(machine: Machine) -> None:
    """After a callback that raised, its thread is in none any more."""
    for way in WAYS.values():
        with pytest.raises(ZeroDivisionError):
            way(lambda: 1 // 0)()
        malloc(8)


@pytest.mark.fidelity("what callbacks of streams must not call")
def test_an_exception_callback_is_no_callback_of_a_stream() -> None:
    """The rule stands with host functions and callbacks (3.9), not with exception callbacks (3.10)."""
    with board(on_undefined="report") as machine:
        ok(aclrtExceptionInfoCallbackRegister(lambda _: malloc(8)))
        stream = create_stream()
        failing_task(stream)
        assert aclrtSynchronizeStream(stream) != ACL_SUCCESS
        assert errors(machine) == ["index-range"]


@pytest.mark.fidelity("such a call in a machine that reports")
@pytest.mark.parametrize("way", WAYS)
def test_in_report_mode_a_forbidden_call_does_nothing(way: str) -> None:
    """Recorded once, with nothing that follows from it; the call does nothing and answers 107000, an operator's 361001
    (ours)."""
    answers: list[int] = []
    with board(on_undefined="report") as machine:
        calls = bad_calls()
        ok(WAYS[way](lambda: answers.append(calls["free"]()))())  # type: ignore[arg-type]
        ok(WAYS[way](lambda: answers.append(calls["launch an operator"]()))())  # type: ignore[arg-type]
        ok(WAYS[way](calls["synchronise"])())
        ok(aclrtSynchronizeDevice())
    assert answers == [ACL_ERROR_RT_PARAM_INVALID, ACLNN_ERR_RUNTIME_ERROR]
    assert errors(machine) == ["callback-acl"] * 3
    found = {finding.id for finding in machine.findings.worth_telling}
    assert {"callback-acl", "mem-leaked"} <= found
    assert not found & {"ignored-ret", "deadlock", "exec-leaked"}


@pytest.mark.fidelity("such a call in a machine that reports")
@pytest.mark.parametrize("way", WAYS)
def test_one_that_is_allowed_goes_on(each: Machine, way: str) -> None:
    """`machine.allow`: the call does what it does elsewhere."""
    addresses: list[int] = []
    with each.allow("callback-acl", reason="measured on our boards") as allowance:
        ok(WAYS[way](lambda: addresses.append(malloc(8)))())
    assert (len(addresses), allowance.times) == (1, 1)
    ok(aclrtFree(addresses[0]))


def test_only_the_thread_of_the_callback_is_restricted(machine: Machine) -> None:
    """Only the thread that runs the callback is in it."""
    inside, leave = Event(), Event()
    stream = aclrtStream()
    context = current_context()

    def function(_: object) -> None:
        inside.set()
        wait(leave)

    def runs() -> None:
        ok(aclrtSetCurrentContext(context))
        ok(aclrtLaunchHostFunc(None, function, None))
        ok(aclrtSynchronizeStream(None))

    host = Host(runs)
    wait(inside)
    ok(aclrtCreateStream(byref(stream)))
    ok(aclrtFree(malloc(8)))
    leave.set()
    host.end()

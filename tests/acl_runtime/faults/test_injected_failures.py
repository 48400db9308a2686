"""Injected failures of calls: `machine.fail` (ours)."""

import sys
from ctypes import byref, c_uint64, c_void_p
from typing import Any

import numpy as np
import pytest

import acl_runtime
import aclnn
from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.abi.function import CFunction
from acl_runtime.boundary import expose
from acl_runtime.faults.likely import REPORTING, fallible, likely
from aclnn import *
from tests.conftest import allowed
from tests.helpers.builders import malloc, on_device, plan
from tests.helpers.outcomes import assert_status, finding_of, text
from tests.helpers.planned_operators import SOFTMAX_RESULT, launch_softmax, softmax

HERE = "test_injected_failures.py:"
FUNCTIONS = {
    name: function.c
    for module in (acl_runtime, aclnn)
    for name, function in ((name, getattr(module, name)) for name in module.__all__)
    if isinstance(getattr(function, "c", None), CFunction)
}


def allocate() -> tuple[int, c_void_p]:
    pointer = c_void_p()
    return aclrtMalloc(byref(pointer), 32, ACL_MEM_MALLOC_HUGE_FIRST), pointer


# the failing call


def test_the_nth_call_from_now_on_fails(machine: Machine) -> None:
    """Calls before it, calls after it and calls of other functions succeed."""
    assert allocate()[0] == ACL_SUCCESS
    failure = machine.fail("aclrtMalloc", nth=2)
    statuses = [allocate()[0] for _ in range(4)]
    assert statuses == [ACL_SUCCESS, ACL_ERROR_RT_MEMORY_ALLOCATION, ACL_SUCCESS, ACL_SUCCESS]
    assert (failure.met, failure.failed) == (True, 1)
    assert HERE in failure.first


def test_it_fails_as_a_real_failure_does(machine: Machine) -> None:
    """It has a status, a text that names the line of `machine.fail`, a last error and a record. The output is not
    written, the call has no effect, and there is no exception and no finding."""
    machine.fail("aclrtMalloc")
    used = machine.devices[0].memory.used
    status, pointer = allocate()
    assert_status(status, ACL_ERROR_RT_MEMORY_ALLOCATION, "EL0004", "failure asked for by machine.fail", HERE)
    assert repr(status) == "ACL_ERROR_RT_MEMORY_ALLOCATION (207001)"
    assert (pointer.value, machine.devices[0].memory.used) == (None, used)
    assert aclrtGetLastError(ACL_RT_THREAD_LEVEL) == ACL_ERROR_RT_MEMORY_ALLOCATION
    assert machine.calls[-3].function == "aclrtMalloc"
    assert machine.calls[-3].result == ACL_ERROR_RT_MEMORY_ALLOCATION
    assert not machine.findings


def test_the_error_text_has_a_closing_line(machine: Machine) -> None:
    """ "Every failing runtime entry" adds one."""
    machine.fail("aclrtSynchronizeStream", ACL_ERROR_RT_STREAM_SYNC_TIMEOUT)
    assert_status(
        aclrtSynchronizeStream(None), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "rtSynchronizeStream execution failed"
    )


def test_arguments_are_converted_first(machine: Machine) -> None:
    """An argument that a C compiler would refuse stays a TypeError, and the call is not counted."""
    failure = machine.fail("aclrtMalloc")
    with pytest.raises(TypeError, match="devPtr"):
        aclrtMalloc(c_void_p(), 32, ACL_MEM_MALLOC_HUGE_FIRST)  # type: ignore[arg-type]
    assert not failure.met
    assert allocate()[0] == ACL_ERROR_RT_MEMORY_ALLOCATION


def test_a_creator_without_a_status_returns_null(machine: Machine) -> None:
    """The reason is in the error text."""
    failure = machine.fail("aclCreateTensor")
    made: Any = aclCreateTensor([2], 1, ACL_FLOAT, [1], 0, ACL_FORMAT_ND, [2], 1, malloc(8))
    assert made == None  # noqa: E711 (a handle compares)
    assert "failure asked for" in text()
    assert (failure.met, failure.status) == (True, ACL_ERROR_BAD_ALLOC)


def test_any_known_status_may_be_given() -> None:
    """It need not be documented for the function, as devices return undocumented ones too."""
    with Machine() as machine:
        aclrtSetDevice(0)
        machine.fail("aclrtMalloc", ACL_ERROR_RT_DRV_INTERNAL_ERROR)
        assert_status(allocate()[0], ACL_ERROR_RT_DRV_INTERNAL_ERROR, "EE9999", "ACL_ERROR_RT_DRV_INTERNAL_ERROR")


# several failures, and their ends


def test_times_fails_several_calls_in_a_row(machine: Machine) -> None:
    machine.fail("aclrtMalloc", nth=2, times=2)
    assert [allocate()[0] == ACL_SUCCESS for _ in range(4)] == [True, False, False, True]


def test_a_failure_for_ever_ends_with_its_block(machine: Machine) -> None:
    with machine.fail("aclrtMalloc", times=None) as failure:
        assert [allocate()[0] == ACL_SUCCESS for _ in range(3)] == [False] * 3
    assert allocate()[0] == ACL_SUCCESS
    assert failure.failed == 3
    assert not machine.faults.injectors


def test_several_failures_of_one_function_are_counted_separately(machine: Machine) -> None:
    """Each counts every call; where two fall on one call, the one that was injected first decides."""
    first = machine.fail("aclrtMalloc", nth=3)
    second = machine.fail("aclrtMalloc", ACL_ERROR_RT_DRV_INTERNAL_ERROR, nth=3)
    machine.fail("aclrtMalloc")
    assert [allocate()[0] == ACL_SUCCESS for _ in range(4)] == [False, True, False, True]
    assert (first.met, second.met) == (True, False)


def test_a_failure_that_was_not_met_is_listed(machine: Machine) -> None:
    failure = machine.fail("aclrtMalloc", nth=2)
    allocate()
    assert not failure.met
    assert "not met: 1 so far" in repr(failure)
    assert machine.faults.unmet == [failure]
    assert "1 failure asked for and not met" in repr(machine)
    allocate()
    assert "met 1 time," in repr(failure)
    assert "not met" not in repr(machine)


def test_end_withdraws_a_failure_that_was_not_met(machine: Machine) -> None:
    """The end of a `with` block does not: a failure that no call of the block met is still listed."""
    with machine.fail("aclrtMalloc") as failure:
        pass
    assert machine.faults.unmet == [failure]
    machine.fail("aclrtMalloc", nth=2).end()
    failure.end()
    assert machine.faults.unmet == []
    assert allocate()[0] == allocate()[0] == ACL_SUCCESS


# waits and launches


@pytest.mark.fidelity("an injected failure, synchronise that returns a failed task")
def test_a_synchronise_that_returns_a_failed_task_has_waited(machine: Machine) -> None:
    """The program may free its memory then. Without the wait, that correct clean-up would be a finding."""
    out = launch_softmax()[2]
    machine.fail("aclrtSynchronizeStream")
    assert_status(aclrtSynchronizeStream(None), ACL_ERROR_RT_AICORE_EXCEPTION, "EZ2001")
    assert out.read().tolist() == [SOFTMAX_RESULT] * 8
    assert aclrtFree(out.address) == ACL_SUCCESS


def test_a_synchronise_that_times_out_has_not_waited_for_the_work(machine: Machine) -> None:
    out = launch_softmax()[2]
    machine.fail("aclrtSynchronizeStream", ACL_ERROR_RT_STREAM_SYNC_TIMEOUT)
    assert aclrtSynchronizeStream(None) == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT
    assert finding_of(lambda: aclrtFree(out.address))[0] == "io-freed-early"
    assert aclrtSynchronizeStream(None) == ACL_SUCCESS


def test_done_lets_a_call_do_its_work_and_fail(machine: Machine) -> None:
    used = machine.devices[0].memory.used
    pointer = allocate()[1]
    machine.fail("aclrtFree", done=True)
    assert aclrtFree(pointer) != ACL_SUCCESS
    assert machine.devices[0].memory.used == used


def test_a_failing_first_phase_leaves_its_outputs(machine: Machine) -> None:
    """A launch of the null executor names it in its error text, as after any first phase that failed."""
    grad, output, out = (on_device(np.ones(4, np.float32)) for _ in range(3))
    machine.fail("aclnnSoftmaxBackwardGetWorkspaceSize")
    planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, grad, output, 0, out)
    assert (planned.status, planned.workspace_size) == (ACLNN_ERR_INNER_NULLPTR, 12345)
    assert not planned.executor
    assert "failure asked for" in planned.text
    assert_status(
        aclnnSoftmaxBackward(None, 0, planned.executor, None), ACLNN_ERR_PARAM_NULLPTR, "ACLNN_ERR_INNER_NULLPTR"
    )


@pytest.mark.fidelity("an injected failure, second phase")
def test_a_failing_second_phase_uses_the_executor_up(machine: Machine) -> None:
    """It is like a launch in which a runtime call fails: nothing leaks, and to destroy the executor is a finding."""
    planned = softmax()[3]
    machine.fail("aclnnSoftmaxBackward")
    assert_status(aclnnSoftmaxBackward(None, 0, planned.executor, None), ACLNN_ERR_RUNTIME_ERROR, "failure asked for")
    assert not machine.tasks
    assert finding_of(lambda: aclDestroyAclOpExecutor(planned.executor))[0] == "exec-destroy-after-run"


def test_a_function_that_is_in_no_module_is_given_as_an_object(machine: Machine) -> None:
    """So operators of a user can fail too."""

    def body(workspaceSize: Any, executor: Any) -> None:
        raise AssertionError("it was run")

    declared = FUNCTIONS["aclnnSoftmaxBackwardGetWorkspaceSize"]
    mine = CFunction("aclnnMineGetWorkspaceSize", "mine.h", declared.result, declared.parameters[-2:], declared.doc)
    function = expose(mine, body)
    machine.fail(function)
    assert function(byref(c_uint64()), byref(aclOpExecutor())) == ACLNN_ERR_INNER_NULLPTR


# failures that cannot be injected


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("aclrtMaloc", "did you mean aclrtMalloc"),
        ("malloc", "no function of the API"),
        ("Machine", "no function of the API"),
        ("aclrtGetLastError", "does not fail"),
        ("aclAppLog", "does not fail"),
        ("aclDataTypeSize", "does not fail"),
        ("aclnnInit", "documents no failure: give a status"),
    ],
)
def test_a_function_that_cannot_fail_is_refused(machine: Machine, name: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        machine.fail(name)


@pytest.mark.parametrize("status", [0, 1, -1, 207999])
def test_a_status_that_is_no_failure_is_refused(machine: Machine, status: int) -> None:
    with pytest.raises(ValueError, match="is no failure"):
        machine.fail("aclrtMalloc", status)


def test_a_status_may_be_given_by_name(machine: Machine) -> None:
    machine.fail("aclrtMalloc", "ACL_ERROR_RT_FEATURE_NOT_SUPPORT")
    assert_status(allocate()[0], ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "failure asked for")


@pytest.mark.parametrize("status", [HCCL_E_RUNTIME, 15, "HCCL_E_RUNTIME"])
def test_a_function_of_hccl_fails_with_a_result_of_hccl(machine: Machine, status: int | str) -> None:
    machine.fail("HcclGetRootInfo", status)
    assert HcclGetRootInfo(None) == HCCL_E_RUNTIME
    with pytest.raises(ValueError, match="did you mean HCCL_E_NOT_SUPPORT"):
        machine.fail("HcclGetRootInfo", "ACL_ERROR_RT_FEATURE_NOT_SUPPORT")
    with pytest.raises(ValueError, match="is no failure: give one of HcclResult"):
        machine.fail("HcclGetRootInfo", 107000)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ACL_ERROR_RT_MEMORY_ALOCATION", "did you mean ACL_ERROR_RT_MEMORY_ALLOCATION"),
        ("oops", "'oops' is no name of acl_runtime.headers.statuses$"),
        ("ACL_SUCCESS", "is no failure"),
        ("ACL_ERROR_NONE", "is no failure"),
    ],
)
def test_a_name_that_is_no_failure_is_refused(machine: Machine, name: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        machine.fail("aclrtMalloc", name)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"nth": 1.5}, "nth=1.5: a whole number"),
        ({"nth": "2"}, "nth='2': a whole number"),
        ({"times": 2.0}, "times=2.0: a whole number"),
        ({"status": 207001.0}, "status=207001.0: a whole number"),
    ],
)
def test_a_count_that_is_no_number_is_refused(machine: Machine, given: dict[str, Any], words: str) -> None:
    with pytest.raises(TypeError, match=words):
        machine.fail("aclrtMalloc", **given)
    assert not machine.faults.failures
    machine.fail("aclrtMalloc", nth=np.int64(1))
    assert allocate()[0] == ACL_ERROR_RT_MEMORY_ALLOCATION


def test_a_module_whose_import_is_forbidden_is_skipped_by_the_search(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`sys.modules` has None for it."""
    monkeypatch.setitem(sys.modules, "forbidden", None)
    with pytest.raises(ValueError, match="did you mean aclrtMalloc"):
        machine.fail("aclrtMaloc")


@pytest.mark.parametrize("counts", [{"nth": 0}, {"nth": -1}, {"times": 0}])
def test_counts_begin_with_1(machine: Machine, counts: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="count from 1"):
        machine.fail("aclrtMalloc", **counts)


# the default status


@pytest.mark.fidelity("an injected failure without a status")
def test_every_fallible_function_has_a_default_that_its_help_documents() -> None:
    """The functions whose help documents no failure are listed here."""
    without = {name for name, function in FUNCTIONS.items() if fallible(function) and likely(function) is None}
    assert without == {
        "HcclGroupStart", "aclTransTensorDescFormat", "aclmdlFinalizeDump", "aclmdlInitDump", "aclnnFinalize",
        "aclnnInit", "aclopSetCompileFlag", "aclopStopDumpArgs",
        "aclprofFinalize", "aclprofModelUnSubscribe", "aclprofPop", "aclprofRangePop", "aclprofRangePushEx",
        "aclprofRangeStop", "aclrtDeviceGetStreamPriorityRange",
        "aclrtSetExceptionInfoCallback", "aclrtSetOpExecuteTimeOut", "aclrtSetOpExecuteTimeOutWithMs",
    }  # fmt: skip
    for name, function in FUNCTIONS.items():
        default = likely(function)
        if function.result.status and default is not None:
            assert default in (allowed(name) or ()) - {ACL_SUCCESS}, name


def test_every_function_with_a_status_or_a_pointer_is_fallible() -> None:
    """The exceptions are functions that return the failures of others, one that always fails, and five that always
    return 0. Any other result is a number, an enumerator or nothing."""
    assert set(REPORTING) <= set(FUNCTIONS)
    infallible = {name: each.result.spelling for name, each in FUNCTIONS.items() if not fallible(each)}
    assert {name for name, result in infallible.items() if result == "aclError"} == set(REPORTING[1:])
    assert {name for name, result in infallible.items() if result == "int32_t"} == {
        "MsprofRegisterCallback", "MsprofReportAdditionalInfo", "MsprofReportApi", "MsprofReportCompactInfo",
        "MsprofSetDeviceIdByGeModelIdx",
    }  # fmt: skip
    assert set(infallible.values()) == {
        "aclError", "const char *", "void", "size_t", "int32_t", "int64_t", "uint32_t", "uint64_t", "float",
        "aclFloat16", "aclDataType", "aclFormat", "acltdtTensorType", "mstxDomainHandle_t", "mstxMemHeapHandle_t",
        "mstxRangeId",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("aclrtMallocHost", ACL_ERROR_RT_MEMORY_ALLOCATION),
        ("aclrtCreateStreamWithConfig", ACL_ERROR_RT_NO_STREAM_RESOURCE),
        ("aclrtCreateEventExWithFlag", ACL_ERROR_RT_NO_EVENT_RESOURCE),
        ("aclrtSynchronizeDevice", ACL_ERROR_RT_AICORE_EXCEPTION),
        ("aclrtStreamQuery", ACL_ERROR_RT_AICORE_EXCEPTION),
        ("aclrtMemcpyAsync", ACL_ERROR_RT_MEMORY_ALLOCATION),
        ("aclnnPreluBackwardGetWorkspaceSize", ACLNN_ERR_INNER_NULLPTR),
        ("aclnnPreluBackward", ACLNN_ERR_RUNTIME_ERROR),
    ],
)
def test_each_function_has_its_likely_failure(name: str, status: int) -> None:
    assert likely(FUNCTIONS[name]) == status

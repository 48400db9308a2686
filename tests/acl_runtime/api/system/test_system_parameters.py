"""System parameters of the process and of contexts (public)."""

from collections.abc import Callable
from ctypes import byref, c_int64
from typing import Any

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.creating import create_context
from tests.helpers.host_threads import in_thread
from tests.helpers.outcomes import assert_status
from tests.helpers.planned_operators import SOFTMAX_RESULT, launch_softmax

OPTIONS = [
    ACL_OPT_DETERMINISTIC,
    ACL_OPT_ENABLE_DEBUG_KERNEL,
    ACL_OPT_STRONG_CONSISTENCY,
    ACL_OPT_ENABLE_KERNEL_EARLY_START,
]
OF_A_CONTEXT = OPTIONS[:3]
Getter = Callable[[int, Any], int]


def read(get: Getter, option: int) -> int:
    value = c_int64(-7)
    assert get(option, byref(value)) == ACL_SUCCESS
    return value.value


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_an_unset_process_value_reads_0(two: Machine, option: int) -> None:
    """ "Unset reads 0. Values: option 0 takes 0-3, the others 0-1, else 107000. Needs no context." """
    assert read(aclrtGetSysParamOpt, option) == 0
    highest = 3 if option == ACL_OPT_DETERMINISTIC else 1
    for value in range(highest + 1):
        assert aclrtSetSysParamOpt(option, value) == ACL_SUCCESS
        assert read(aclrtGetSysParamOpt, option) == value
    for value in (-1, highest + 1, 1 << 40):
        words = ("(EE1003)", "value", f"[0, {highest}]")
        assert_status(aclrtSetSysParamOpt(option, value), ACL_ERROR_RT_PARAM_INVALID, *words)
    assert read(aclrtGetSysParamOpt, option) == highest
    assert [read(aclrtGetSysParamOpt, other) for other in OPTIONS if other != option] == [0, 0, 0]


@pytest.mark.parametrize("option", OF_A_CONTEXT, ids=lambda option: option.name)
def test_an_unset_context_value_is_107021(machine: Machine, option: int) -> None:
    """ "Values as in 3.2; unset -> 107021" (public)."""
    value = c_int64(-7)
    status = aclrtCtxGetSysParamOpt(option, byref(value))
    assert_status(status, ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, "(EE1018)", "never set")
    assert (value.value, machine.thread().last_error) == (-7, ACL_ERROR_RT_SYSPARAMOPT_NOT_SET)
    highest = 3 if option == ACL_OPT_DETERMINISTIC else 1
    for given in range(highest + 1):
        assert aclrtCtxSetSysParamOpt(option, given) == ACL_SUCCESS
        assert read(aclrtCtxGetSysParamOpt, option) == given
    for given in (-1, highest + 1):
        assert_status(aclrtCtxSetSysParamOpt(option, given), ACL_ERROR_RT_PARAM_INVALID, "(EE1003)", "value")
    assert read(aclrtCtxGetSysParamOpt, option) == highest


def test_process_and_context_are_apart(machine: Machine) -> None:
    """ "The context value of 3.3 does not change what this pair returns" (public)."""
    assert aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1) == ACL_SUCCESS
    assert read(aclrtGetSysParamOpt, ACL_OPT_DETERMINISTIC) == 0
    assert aclrtSetSysParamOpt(ACL_OPT_STRONG_CONSISTENCY, 1) == ACL_SUCCESS
    status = aclrtCtxGetSysParamOpt(ACL_OPT_STRONG_CONSISTENCY, byref(c_int64()))
    assert status == ACL_ERROR_RT_SYSPARAMOPT_NOT_SET


def test_scope_is_the_current_context(machine: Machine) -> None:
    """ "Scope: current context" (public); a default context that is set up anew has none."""
    assert aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1) == ACL_SUCCESS
    context = create_context()
    get: Callable[[], int] = lambda: aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, byref(c_int64()))  # noqa: E731
    assert get() == ACL_ERROR_RT_SYSPARAMOPT_NOT_SET
    assert aclrtSetDevice(0) == get() == ACL_SUCCESS
    assert aclrtResetDevice(0) == aclrtResetDevice(0) == aclrtSetDevice(0) == ACL_SUCCESS
    assert get() == ACL_ERROR_RT_SYSPARAMOPT_NOT_SET
    assert aclrtSetCurrentContext(context) == ACL_SUCCESS


def test_process_values_hold_for_all_threads(machine: Machine) -> None:
    """ "Process-level options" (public)."""
    assert aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 2) == ACL_SUCCESS
    assert in_thread(lambda: read(aclrtGetSysParamOpt, ACL_OPT_DETERMINISTIC)) == 2


@pytest.mark.parametrize("option", [-1, 4, 99])
def test_unknown_option_of_the_process_is_100000(machine: Machine, option: int) -> None:
    """ "Unknown option 100000" (public), before the value."""
    assert_status(aclrtGetSysParamOpt(option, byref(c_int64())), ACL_ERROR_INVALID_PARAM, "(EH0007)", "opt")
    assert_status(aclrtSetSysParamOpt(option, 99), ACL_ERROR_INVALID_PARAM, "(EH0007)", "opt")


@pytest.mark.parametrize("option", [-1, ACL_OPT_ENABLE_KERNEL_EARLY_START, 4])
def test_unknown_option_of_a_context_is_100000(machine: Machine, option: int) -> None:
    """ "Options 0, 1, 2 only (else 100000)" (public), before the value and the context."""
    assert_status(aclrtCtxGetSysParamOpt(option, byref(c_int64())), ACL_ERROR_INVALID_PARAM, "(EH0007)", "opt")
    assert_status(aclrtCtxSetSysParamOpt(option, 99), ACL_ERROR_INVALID_PARAM, "(EH0007)", "opt")
    assert in_thread(lambda: aclrtCtxSetSysParamOpt(option, 99)) == ACL_ERROR_INVALID_PARAM


def test_null_output_is_100000(machine: Machine) -> None:
    """Rejected by the ACL layer, before the context check (public)."""
    for get in (aclrtGetSysParamOpt, aclrtCtxGetSysParamOpt):
        assert_status(get(ACL_OPT_DETERMINISTIC, None), ACL_ERROR_INVALID_PARAM, "(EH0008)", "value")
    assert in_thread(lambda: aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, None)) == ACL_ERROR_INVALID_PARAM


def test_without_a_context_is_107002(machine: Machine) -> None:
    """ "No context -> 107002" (public); "range checks come before the context check" (1.1)."""

    def work() -> None:
        assert_status(aclrtCtxGetSysParamOpt(0, byref(c_int64())), ACL_ERROR_RT_CONTEXT_NULL, "(EE1018)")
        assert_status(aclrtCtxSetSysParamOpt(0, 1), ACL_ERROR_RT_CONTEXT_NULL, "(EE1018)")
        assert_status(aclrtCtxSetSysParamOpt(0, 4), ACL_ERROR_RT_PARAM_INVALID)

    in_thread(work)


@pytest.mark.fidelity("non-deterministic results")
def test_a_system_parameter_changes_no_result(machine: Machine) -> None:
    """ "Our results are deterministic either way" (ours)."""
    assert aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1) == aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1) == 0
    out = launch_softmax()[2]
    assert aclrtSynchronizeStream(None) == ACL_SUCCESS
    assert machine.read(out.address, 8, "f4")[0] == SOFTMAX_RESULT

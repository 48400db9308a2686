"""The time limit of operators (public)."""

from ctypes import byref, c_uint32, c_uint64
from typing import Any

import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.source.frames import trail
from acl_runtime.streams.stream import OperatorTask, Stream
from tests.conftest import check_documented
from tests.helpers.creating import create_stream
from tests.helpers.host_threads import in_thread
from tests.helpers.outcomes import assert_status


def interval() -> int:
    value = c_uint64()
    assert aclrtGetOpTimeOutInterval(byref(value)) == ACL_SUCCESS
    return value.value


def in_force() -> int:
    """The time limit that applies, in milliseconds."""
    value = c_uint32()
    assert aclrtGetOpExecuteTimeout(byref(value)) == ACL_SUCCESS
    return value.value


def actual(microseconds: int) -> int:
    value = c_uint64()
    assert aclrtSetOpExecuteTimeOutV2(microseconds, byref(value)) == ACL_SUCCESS
    return value.value


STEPS = {
    "Ascend910B1": (4_294_967.296, 254, 254, 1_090_922),
    "Ascend910_9391": (4_294_967.296, 254, 254, 1_090_922),
    "Ascend950PR_9599": (4_294_967.296, 254, 254, 1_090_922),
    "Ascend310B1": (4_294_967.296, 254, 254, 1_090_922),
    "Ascend310P3": (2_147_483.648, 255, 255, 547_608),
    "Ascend910A": (68_719_476.736, 1, 255, 68_719),
}
"""microseconds of an interval; how many at first, and at most; milliseconds at first"""
EVERY = pytest.mark.parametrize("soc", STEPS)


@EVERY
def test_the_default_timeout_is_that_of_the_product(soc: str) -> None:
    """ "Step 2,147,483.648 us x credit 255 = 547,608 ms" on 310P; "step 68,719,476.736 us x 1 = 68,719 ms (A2:
    4,294,967.296 us x 254 = 1,090,922 ms)" on 910 (public); 310B as A2 (ours)."""
    step, _, _, milliseconds = STEPS[soc]
    with Machine(soc) as machine:
        assert (interval(), in_force()) == (int(step), milliseconds)
    check_documented(machine)


@pytest.mark.fidelity("time limit of operators: intervals")
@EVERY
def test_a_timeout_has_a_largest_number_of_intervals(soc: str) -> None:
    """ "0 = maximum. [...] interval x N with N in 1..254"; 255 on 310P, and so on 910 (ours)."""
    step, _, most, _ = STEPS[soc]
    with Machine(soc):
        for asked, intervals in ((1, 1), (0, most), (1 << 63, most)):
            assert actual(asked) == round(intervals * step)


@EVERY
@pytest.mark.parametrize("count", [1, 2, 100, 254])
def test_a_timeout_is_rounded_up_to_whole_intervals(soc: str, count: int) -> None:
    """ "V2 returns the value actually used": the next multiple above (ours)."""
    step, _, most, _ = STEPS[soc]
    with Machine(soc):
        assert actual(int(count * step)) == round(count * step)
        assert actual(int((count - 1) * step) + 1) == round(count * step)
        assert actual(int(count * step) + 1) == round(min(count + 1, most) * step)


@pytest.mark.parametrize(
    ("call", "factor"),
    [(aclrtSetOpExecuteTimeOut, 1_000_000), (aclrtSetOpExecuteTimeOutWithMs, 1000)],
    ids=["seconds", "milliseconds"],
)
@pytest.mark.parametrize("number", [0, 1, 30, 0xFFFF_FFFF])
def test_each_setter_has_its_own_unit(machine: Machine, call: Any, factor: int, number: int) -> None:
    """ "Seconds / ms / us"; the getter gives the limit that applies, in milliseconds."""
    expected = actual(number * factor)
    assert call(7) == ACL_SUCCESS
    assert call(number) == ACL_SUCCESS
    assert round(machine.timeouts.op_execute_us) == expected
    assert in_force() == round(expected / 1000)


def test_a_null_output_is_100000_and_sets_nothing(machine: Machine) -> None:
    """ "Null outputs 100000"; nothing is set then."""
    assert_status(aclrtSetOpExecuteTimeOutV2(1, None), ACL_ERROR_INVALID_PARAM, "(EH0008)", "actualTimeout")
    assert_status(aclrtGetOpTimeOutInterval(None), ACL_ERROR_INVALID_PARAM, "(EH0008)", "interval")
    assert_status(aclrtGetOpExecuteTimeout(None), ACL_ERROR_INVALID_PARAM, "(EH0008)", "timeoutMs")
    assert round(in_force() / 1000) == 1091


def test_it_holds_for_the_process_and_needs_no_context() -> None:
    """A limit set by one thread applies to all (ours)."""
    with Machine() as machine:
        assert in_thread(lambda: aclrtSetOpExecuteTimeOut(10)) == ACL_SUCCESS
        aclrtSetDevice(0)
        assert in_force() == round(3 * 4_294_967.296 / 1000)
    check_documented(machine)


@pytest.mark.fidelity("time limit of operators: its end")
@pytest.mark.parametrize(
    ("microseconds", "status"), [(-2, ACL_SUCCESS), (-1, ACL_SUCCESS), (0, ACL_ERROR_RT_AICORE_TIMEOUT)]
)
def test_an_operator_that_overruns_fails_its_stream_with_507014(
    machine: Machine, microseconds: int, status: int
) -> None:
    """ "Operators that overrun make the stream fail with 507014": the next synchronise returns it (public). The
    operator is made up, as no real one takes as long as an interval; a task of 1 MB takes 2 us (ours). The limit is
    125 intervals, which are whole microseconds. An operator may take exactly as long."""
    stream = create_stream()
    limit = actual(536_870_912)
    found = machine.handles.find(stream.value or 0, Stream)
    assert found is not None
    ran: list[bool] = []
    size = (limit + microseconds) * 1_000_000
    task = OperatorTask("aclnnSlow", lambda: ran.append(True), (), trail(), size, frozenset(), None)
    with machine.lock:
        machine.submit(found, task)
    assert_status(aclrtSynchronizeStream(stream), status, *(("EZ2001", "over the limit") if status else ()))
    assert ran == ([] if status else [True])
    assert aclrtSynchronizeStream(stream) == ACL_SUCCESS

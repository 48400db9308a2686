"""Host threads that run the functions of aclrtLaunchHostFunc (public: "like aclrtSubscribeReport / ProcessReport")."""

from __future__ import annotations

from threading import get_ident

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.creating import create_context, create_stream
from tests.helpers.host_threads import report_thread
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.outcomes import assert_status, errors, finding_of, ok

SUBSCRIBED, NOT_SERVING = ACL_ERROR_RT_STREAM_SUBSCRIBE, ACL_ERROR_RT_THREAD_SUBSCRIBE


@pytest.mark.fidelity("threads for host functions")
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_functions_and_callbacks_run_in_their_threads(schedule: str) -> None:
    """One stream that two threads serve: a callback, a host function, then callbacks, in stream order."""
    seen: list[tuple[str, int]] = []
    with board(schedule) as machine:
        stream = create_stream()
        with report_thread() as reports, report_thread(aclrtProcessHostFunc) as functions:
            ok(aclrtSubscribeHostFunc(functions, stream))
            ok(aclrtSubscribeReport(reports, stream))
            ok(aclrtLaunchCallback(lambda data: seen.append((data, get_ident())), "before", ACL_CALLBACK_BLOCK, stream))
            ok(aclrtLaunchHostFunc(stream, lambda data: seen.append((data, get_ident())), "function"))
            for _ in range(2):
                ok(
                    aclrtLaunchCallback(
                        lambda data: seen.append((data, get_ident())), "after", ACL_CALLBACK_BLOCK, stream
                    )
                )
            ok(aclrtSynchronizeStream(stream))
            ok(aclrtUnSubscribeHostFunc(functions, stream))
            ok(aclrtUnSubscribeReport(reports, stream))
        assert not errors(machine)
    assert seen == [("before", reports), ("function", functions), ("after", reports), ("after", reports)]


def test_a_thread_serves_itself(machine: Machine) -> None:
    """Later tasks of the stream wait for the function. Without a subscription the stream runs it, as before."""
    stream, seen = create_stream(), []
    ok(aclrtSubscribeHostFunc(get_ident(), stream))
    ok(aclrtLaunchHostFunc(stream, seen.append, 1))
    ok(aclrtLaunchHostFunc(stream, seen.append, 2))
    assert finding_of(lambda: aclrtSynchronizeStream(stream))[0] == "deadlock"
    for _ in range(2):
        ok(aclrtProcessHostFunc(-1))
    assert seen == [1, 2]
    assert_status(aclrtProcessHostFunc(1), ACL_ERROR_RT_REPORT_TIMEOUT)
    ok(aclrtUnSubscribeHostFunc(get_ident(), stream))
    ok(aclrtLaunchHostFunc(stream, seen.append, 3))
    ok(aclrtSynchronizeStream(stream))
    assert seen == [1, 2, 3]


@pytest.mark.fidelity("threads for host functions")
def test_refusals(machine: Machine) -> None:
    stream, other, me = create_stream(), create_stream(), get_ident()
    for call in (aclrtSubscribeHostFunc, aclrtUnSubscribeHostFunc):
        assert_status(call(me, None), ACL_ERROR_INVALID_PARAM, "exeStream")
    assert_status(aclrtUnSubscribeHostFunc(me, stream), SUBSCRIBED, "is not subscribed")
    for timeout in (0, -2):
        assert_status(aclrtProcessHostFunc(timeout), ACL_ERROR_INVALID_PARAM, "timeout")
    assert_status(aclrtProcessHostFunc(1), NOT_SERVING, "aclrtSubscribeHostFunc")
    ok(aclrtSubscribeHostFunc(me, stream))
    assert_status(aclrtSubscribeHostFunc(me, stream), SUBSCRIBED, "subscribed already")
    assert_status(aclrtUnSubscribeHostFunc(me + 1, stream), NOT_SERVING)
    ok(aclrtSubscribeReport(me, other))
    assert_status(aclrtLaunchHostFunc(other, print, None), SUBSCRIBED, "aclrtLaunchCallback")
    assert_status(aclrtLaunchHostFunc(stream, None, None), ACL_ERROR_RT_PARAM_INVALID, "fn")
    ok(aclrtDestroyStream(stream))
    assert_status(aclrtProcessHostFunc(1), NOT_SERVING)
    assert_status(aclrtSubscribeHostFunc(me, stream), ACL_ERROR_RT_INVALID_HANDLE)
    foreign = create_stream()
    create_context()
    assert_status(aclrtSubscribeHostFunc(me, foreign), ACL_ERROR_RT_STREAM_CONTEXT)

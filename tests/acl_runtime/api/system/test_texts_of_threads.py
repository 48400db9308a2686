"""Error texts about more than the call that failed: other threads, other contexts, earlier calls, the task that failed
(ours)."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import byref, c_void_p
from pathlib import Path

import pytest

from acl_runtime import *
from acl_runtime import Finding, Machine
from acl_runtime.source.site import shown
from aclnn import *
from tests.helpers.builders import meta, plan
from tests.helpers.creating import create_context, create_stream, event_of
from tests.helpers.failing_tasks import SURFACES, failing_task
from tests.helpers.host_threads import Host, wait
from tests.helpers.machines import board
from tests.helpers.outcomes import assert_status, ok
from tests.helpers.planned_operators import softmax

HERE = "test_texts_of_threads.py:"


@contextmanager
def another(name: str, work: Callable[[], object]) -> Iterator[None]:
    """A host thread that has done this, and lives on."""
    done, end = threading.Event(), threading.Event()

    def run() -> None:
        work()
        done.set()
        wait(end)

    host = Host(run, name)
    wait(done)
    try:
        yield
    finally:
        end.set()
        host.end()


# 43, 44, 45


def allocate() -> int:
    return aclrtMalloc(byref(c_void_p()), 8, 0)


def test_no_context_tells_who_has_one(machine: Machine) -> None:
    """43: "thread name, who owns the context"."""
    me = threading.current_thread().name
    with another("reader", lambda: aclrtSetDevice(0)):
        words = ("thread writer has no valid context", "a new thread inherits no context",
                 f"default context of device 0 is current in thread {me}", "is current in thread reader")  # fmt: skip
        Host(lambda: assert_status(allocate(), ACL_ERROR_RT_CONTEXT_NULL, *words), "writer").end()


def test_no_context_that_nobody_has() -> None:
    """Nor does a thread that has ended own one."""
    with Machine():
        Host(lambda: ok(aclrtSetDevice(0))).end()
        assert allocate() == ACL_ERROR_RT_CONTEXT_NULL
        assert "is current in" not in (aclGetRecentErrMsg() or "")


def test_wrong_context_names_both(machine: Machine) -> None:
    """44: the stream's, and the current one."""
    stream = create_stream()
    create_context()
    words = "stream_ctx=default context of device 0", "cur_ctx=context 1"
    event = event_of(aclrtCreateEvent)
    assert_status(aclrtRecordEvent(event, stream), ACL_ERROR_RT_STREAM_CONTEXT, *words)


def test_dead_handles_tell_where_they_ended(machine: Machine) -> None:
    """45: "destroyed-at"."""
    stream, event, context = create_stream(), event_of(aclrtCreateEvent), create_context()
    ok(aclrtSetDevice(0))
    for status in (aclrtDestroyStream(stream), aclrtDestroyEvent(event), aclrtDestroyContext(context)):
        assert status == ACL_SUCCESS
    ended = f"destroyed at {shown(__file__)}:"
    invalid, refused = ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_PARAM_INVALID
    assert_status(aclrtSynchronizeStream(stream), invalid, "stream 1 is gone: created at", ended)
    assert_status(aclrtRecordEvent(event, None), invalid, "event 1 is gone: created at", ended)
    assert_status(aclrtSetCurrentContext(context), refused, "context 1 is gone: created at", ended)
    assert_status(aclrtDestroyContext(context), ACL_ERROR_RT_CONTEXT_NULL, "context 1 is gone: created at", ended)


# 52


@pytest.mark.parametrize("name", SURFACES)
def test_a_failure_tells_its_task(name: str) -> None:
    """52: "real origin + surfaced-at": the task and its launch, and the call that returned it."""
    with board(on_undefined="report"):
        stream = create_stream()
        failing_task(stream)
        words = ("target[1] is 3", "the task is aclnnCrossEntropyLossGrad in stream 1, launched at",
                 "failing_tasks.py:", "; surfaced at ", "rtS")  # fmt: skip
        assert_status(SURFACES[name](stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, *words)


def test_in_stop_mode_each_call_tells_the_task() -> None:
    """Later calls return the failure too, each with a line of its own."""
    with board(on_undefined="report"):
        stream = create_stream()
        ok(aclrtSetStreamFailureMode(stream, 1))
        failing_task(stream)
        words = "the task is aclnnCrossEntropyLossGrad in stream 1, launched at", f"surfaced at {shown(__file__)}:"
        for _ in range(2):
            assert_status(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, *words)
        event = event_of(aclrtCreateEvent)
        assert_status(aclrtRecordEvent(event, stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, *words)


# 13, 15


def test_a_launch_tells_of_the_first_phase_that_failed(machine: Machine) -> None:
    """13: "phase 1 at ... returned 161002"."""
    assert plan(aclnnSoftmaxBackwardGetWorkspaceSize, meta([2]), meta([3]), 0, meta([2])).status
    words = ("executor is nullptr", "aclnnSoftmaxBackwardGetWorkspaceSize returned ACLNN_ERR_PARAM_INVALID (161002) at",
             "builders.py:")  # fmt: skip
    assert_status(aclnnSoftmaxBackward(None, 0, None, None), ACLNN_ERR_PARAM_NULLPTR, *words)
    *_, planned = softmax()
    assert_status(aclnnSoftmaxBackward(None, 0, None, None), ACLNN_ERR_PARAM_NULLPTR, "executor is nullptr")
    assert planned.status == ACL_SUCCESS


def test_a_null_workspace_tells_that_the_executor_is_gone(machine: Machine) -> None:
    """15: "code + note that executor is gone"."""
    *_, planned = softmax()
    words = "workspace is nullptr", "workspaceSize is 64", "The executor is destroyed"
    assert_status(aclnnSoftmaxBackward(None, 64, planned.executor, None), ACLNN_ERR_PARAM_NULLPTR, *words)


# 53


def stale(machine: Machine) -> list[Finding]:
    return [finding for finding in machine.findings if finding.id == "stale-errmsg"]


def fail() -> None:
    assert aclrtFree(None)


def test_the_text_of_another_thread(machine: Machine) -> None:
    """The bad twin: advice that names the thread which has the text, once for each line that asks."""
    with another("worker", fail):
        for _ in range(3):
            assert aclGetRecentErrMsg() is None
    (found,) = stale(machine)
    assert (found.level, found.call) == ("advice", "aclGetRecentErrMsg")
    assert found.what.endswith("but thread worker has one that it has not read, of aclrtFree.")
    assert HERE in found.site


def read_own() -> None:
    fail()
    assert "aclrtFree" in (aclGetRecentErrMsg() or "")


@pytest.mark.parametrize("work", [read_own, lambda: aclrtSetDevice(0)], ids=["read", "nothing-failed"])
def test_a_text_that_was_read_is_not_pointed_at(machine: Machine, work: Callable[[], object]) -> None:
    """The good twin: the other thread has read its text, or has none."""
    with another("worker", work):
        assert aclGetRecentErrMsg() is None
    assert not stale(machine)


def test_a_text_of_its_own(machine: Machine) -> None:
    """The good twin: both threads have failed, and each asks for its own text."""
    with another("worker", fail):
        read_own()
    assert not stale(machine)


def test_a_thread_that_has_ended(machine: Machine) -> None:
    """Its text is gone with it: who joins it first and asks then gets none."""
    Host(fail, "worker").end()
    assert aclGetRecentErrMsg() is None
    (found,) = stale(machine)
    assert found.what.endswith("but thread worker ended with one that it had not read, of aclrtFree.")


def test_a_thread_that_has_ended_and_read_its_own(machine: Machine) -> None:
    """The good twin; and a thread of its own that asks twice has read its text as well."""
    Host(read_own).end()
    assert aclGetRecentErrMsg() is None
    read_own()
    assert aclGetRecentErrMsg() is None
    assert not stale(machine)


def test_one_record_for_the_process(machine: Machine, tmp_path: Path) -> None:
    """With err_msg_mode "1" any thread gets all texts."""
    (tmp_path / "acl.json").write_text('{"err_msg_mode": "1"}')
    ok(aclInit(str(tmp_path / "acl.json")))
    with another("worker", fail):
        assert "aclrtFree" in (aclGetRecentErrMsg() or "")
        assert aclGetRecentErrMsg() is None
    assert not stale(machine)

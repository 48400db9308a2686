"""Events in captures: what is stored, what is refused, what draws a stream in (public)."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_int32

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.builders import on_device
from tests.helpers.captures import GLOBAL, add, captured, end, execute, lead, new_event, status_of
from tests.helpers.creating import create_stream, event_of
from tests.helpers.outcomes import assert_status, ok, text

pytestmark = pytest.mark.finds(
    "order-teardown", "stream-leaked", "event-leaked", "model-leaked", "mem-leaked", "tensor-leaked"
)
ACTIVE, NONE = ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE, ACL_MODEL_RI_CAPTURE_STATUS_NONE


def capturing() -> aclrtStream:
    stream = create_stream()
    ok(aclmdlRICaptureBegin(stream, GLOBAL))
    return stream


def silent(status: int) -> None:
    """207000 without a text."""
    assert (status, text()) == (ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "")


def test_a_wait_for_a_captured_event_draws_the_stream_in(machine: Machine) -> None:
    origin, other = capturing(), create_stream()
    lead(origin, other)
    assert status_of(other) == ACTIVE
    lead(other, origin)
    end(origin)
    assert (status_of(origin), status_of(other)) == (NONE, NONE)


@pytest.mark.parametrize("create", [lambda: event_of(aclrtCreateEvent), lambda: new_event(ACL_EVENT_IPC)])
def test_classic_events_and_those_between_processes_are_refused_silently(
    create: Callable[[], aclrtEvent], machine: Machine
) -> None:
    stream, event = capturing(), create()
    silent(aclrtRecordEvent(event, stream))
    silent(aclrtStreamWaitEvent(stream, event))
    execute(end(stream), stream)


def test_an_event_for_times_only_is_recorded_without_effect(machine: Machine) -> None:
    stream, event = capturing(), new_event(ACL_EVENT_TIME_LINE)
    ok(aclrtRecordEvent(event, stream))
    execute(end(stream), stream)
    assert list(machine.tasks) == []


def test_a_record_outside_of_the_capture(machine: Machine) -> None:
    """107024 for a record that lies outside; "on a never recorded new-mode event: 0, no-op"."""
    stream, event = create_stream(), new_event()
    ok(aclrtRecordEvent(event, stream))
    ok(aclmdlRICaptureBegin(stream, GLOBAL))
    status = aclrtStreamWaitEvent(stream, event)
    assert_status(status, ACL_ERROR_RT_CAPTURE_DEPENDENCY, "event 1", "stream 1", "test_captured_events.py:")
    ok(aclrtStreamWaitEvent(stream, new_event()))
    execute(end(stream), stream)


def test_the_default_stream_cannot_be_drawn_in(machine: Machine) -> None:
    stream, event = capturing(), new_event()
    ok(aclrtRecordEvent(event, stream))
    for status in (aclrtStreamWaitEvent(None, event), aclrtRecordEvent(event, None), aclrtResetEvent(event, None)):
        assert status in (ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT, ACL_ERROR_RT_FEATURE_NOT_SUPPORT)
    assert aclrtStreamWaitEvent(None, event) == ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT
    end(stream)


def test_a_record_in_another_stream_takes_the_event_out_of_the_capture(machine: Machine) -> None:
    stream, other, event = capturing(), create_stream(), new_event()
    ok(aclrtRecordEvent(event, stream))
    ok(aclrtRecordEvent(event, other))
    ok(aclrtSynchronizeEvent(event))
    end(stream)


def test_a_captured_event_is_not_recorded_for_others(machine: Machine) -> None:
    """After the capture the event is as it was before: nobody has recorded it."""
    stream, event, status = capturing(), new_event(), c_int32(-1)
    ok(aclrtRecordEvent(event, stream))
    ok(aclmdlRIExecuteAsync(end(stream), stream))
    ok(aclrtQueryEventStatus(event, byref(status)))
    assert status.value == ACL_EVENT_RECORDED_STATUS_COMPLETE, "as for an event without a record"
    ok(aclrtSynchronizeStream(stream))


def test_external_events_are_recorded_and_awaited_by_each_execution(machine: Machine) -> None:
    """Two streams hand a value over, by events with flag 1 in two models."""
    first, second, event = create_stream(), create_stream(), new_event()
    x, y = on_device(np.ones(4, np.float32)), on_device(np.zeros(4, np.float32))

    def produce() -> None:
        add(x, x, x, first)
        ok(aclrtRecordEventWithFlag(event, first, ACL_EVENT_RECORD_EXTERNAL))

    def consume() -> None:
        ok(aclrtStreamWaitEventWithFlag(second, event, 0, ACL_EVENT_WAIT_EXTERNAL))
        add(x, y, y, second)

    producer, consumer = captured(first, produce), captured(second, consume)
    for value in (2, 6):
        ok(aclmdlRIExecuteAsync(producer, first))
        execute(consumer, second)
        ok(aclrtSynchronizeStream(first))
        assert y.read().tolist() == [value] * 4


def test_flag_1_needs_a_captured_stream_and_an_event_of_its_own(machine: Machine) -> None:
    stream, event = create_stream(), new_event()
    status = aclrtRecordEventWithFlag(event, stream, ACL_EVENT_RECORD_EXTERNAL)
    assert_status(status, ACL_ERROR_RT_STREAM_NOT_CAPTURED)
    ok(aclrtRecordEvent(event, stream))
    ok(aclmdlRICaptureBegin(stream, GLOBAL))
    assert_status(aclrtRecordEventWithFlag(event, stream, ACL_EVENT_RECORD_EXTERNAL), ACL_ERROR_RT_PARAM_INVALID)
    assert_status(aclrtStreamWaitEventWithFlag(stream, event, 0, ACL_EVENT_WAIT_EXTERNAL), ACL_ERROR_RT_PARAM_INVALID)
    ok(aclmdlRICaptureEnd(stream, byref(aclmdlRI())))


def test_a_classic_external_event_is_an_ordinary_task_of_the_model(machine: Machine) -> None:
    """Recorded, awaited and reset by each execution; the event itself is never captured."""
    stream, event = capturing(), event_of(aclrtCreateEventWithFlag, ACL_EVENT_EXTERNAL)
    ok(aclrtRecordEvent(event, stream))
    ok(aclrtStreamWaitEvent(stream, event))
    ok(aclrtResetEvent(event, stream))
    execute(end(stream), stream, times=2)
    assert [task.name for task in machine.tasks] == ["record of event 1", "wait for event 1", "reset of event 1"] * 2

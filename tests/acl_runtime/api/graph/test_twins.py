"""Mistakes around captures that have a status: a wrong program and the nearest right one, under every schedule. The
wrong one gets the status, with a text that names the line. The right one has the same result without it (public).

Mistakes that a status does not show are findings: their twins are in samples/findings.
"""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_int32
from typing import Any, NamedTuple

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.builders import OnDevice, on_device
from tests.helpers.captures import GLOBAL, add, end, execute, lead, new_event
from tests.helpers.creating import create_stream
from tests.helpers.host_threads import current_context, in_thread
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.outcomes import assert_status, errors, ok

pytestmark = pytest.mark.finds("order-teardown", "stream-leaked", "event-leaked", "mem-leaked", "tensor-leaked")


class Its(NamedTuple):
    """The objects of a program."""

    stream: aclrtStream
    other: aclrtStream
    x: OnDevice
    host: np.ndarray[Any, Any]
    event: aclrtEvent


def begun(its: Its) -> Its:
    """A capture goes on in the first stream. It has recorded the event, and stored an operator."""
    ok(aclmdlRICaptureBegin(its.stream, GLOBAL))
    ok(aclrtRecordEvent(its.event, its.stream))
    add(its.x, its.x, its.x, its.stream)
    return its


CALLS: dict[str, tuple[Callable[[Its], int], int]] = {
    "synchronise the stream": (lambda its: aclrtSynchronizeStream(its.stream), 107027),
    "synchronise the device": (lambda its: aclrtSynchronizeDevice(), 107027),
    "query the stream": (lambda its: aclrtStreamQuery(its.stream, byref(c_int32())), 107027),
    "destroy the stream": (lambda its: aclrtDestroyStream(its.stream), 107027),
    "wait for the event": (lambda its: aclrtSynchronizeEvent(its.event), 107028),
    "query the event": (lambda its: aclrtQueryEventStatus(its.event, byref(c_int32())), 107028),
    "copy": (lambda its: aclrtMemcpy(its.host, 16, its.x.address, 16, ACL_MEMCPY_DEVICE_TO_HOST), 107030),
    "set": (lambda its: aclrtMemset(its.x.address, 16, 0, 16), 107030),
    "copy in another stream": (
        lambda its: aclrtMemcpyAsync(its.host, 16, its.x.address, 16, ACL_MEMCPY_DEVICE_TO_HOST, its.other), 107041,
    ),
}  # fmt: skip
"""calls that wait or act at once, with their statuses during a capture; those on streams and events are in the context
of the capture"""


def program() -> Its:
    host = np.empty(4, np.float32)
    return Its(create_stream(), create_stream(), on_device(np.ones(4, np.float32)), host, new_event())


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("call", CALLS)
def test_a_call_that_synchronises_during_a_capture_and_behind_it(call: str, schedule: str) -> None:
    """capture-sync: the text names the line where the capture began, and the capture goes on."""
    synchronises, status = CALLS[call]
    for wrong in (True, False):
        with board(schedule) as machine:
            its = begun(program())
            if wrong:
                assert_status(synchronises(its), status, "the capture of stream 1 that began at", "test_twins.py:")
            model = end(its.stream)
            execute(model, its.stream)
            if not wrong:
                ok(synchronises(its))
            ok(aclmdlRIDestroy(model))
            assert errors(machine) == []


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("joins", ["not at all", "too early", "by a record that nobody awaits"])
def test_a_stream_that_is_not_joined_and_one_that_is(joins: str, schedule: str) -> None:
    """capture-unjoined: the text names the stream and its last task."""
    last = {"not at all": "aclnnAdd", "too early": "aclnnAdd", "by a record that nobody awaits": "record of event"}
    for wrong in (True, False):
        with board(schedule) as machine:
            its, model = begun(program()), aclmdlRI()
            lead(its.stream, its.other)
            if wrong and joins == "too early":
                lead(its.other, its.stream)
            add(its.x, its.x, its.x, its.other)
            if wrong and joins == "by a record that nobody awaits":
                ok(aclrtRecordEvent(new_event(), its.other))
            if wrong:
                words = (
                    "stream 2 was drawn into the capture of stream 1 that began at",
                    f"its last task is {last[joins]}",
                )
                assert_status(aclmdlRICaptureEnd(its.stream, byref(model)), ACL_ERROR_RT_STREAM_UNJOINED, *words)
                assert not model
            else:
                lead(its.other, its.stream)
                model = end(its.stream)
                execute(model, its.stream)
                assert its.x.read().tolist() == [4] * 4
                ok(aclmdlRIDestroy(model))
            assert errors(machine) == []


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_an_execution_behind_the_reset_of_its_device_and_in_front_of_it(schedule: str) -> None:
    """The model ends with the device. The text names the line of the reset, also after the device was set again. The
    model counts as leaked."""
    for wrong in (True, False):
        with board(schedule) as machine:
            its = begun(program())
            model = end(its.stream)
            if wrong:
                ok(aclrtResetDevice(0))
                words = "model 1 is gone", "ended with default context of device 0", "test_twins.py:"
                assert_status(aclmdlRIExecuteAsync(model, its.stream), ACL_ERROR_RT_INVALID_HANDLE, *words)
                ok(aclrtSetDevice(0))
                assert_status(aclmdlRIExecuteAsync(model, create_stream()), ACL_ERROR_RT_INVALID_HANDLE, *words)
            else:
                execute(model, its.stream)
                assert its.x.read().tolist() == [2] * 4
                ok(aclmdlRIDestroy(model))
                ok(aclrtResetDevice(0))
                ok(aclrtSetDevice(0))
        assert ("model-leaked" in [finding.id for finding in machine.findings]) is wrong


def by_another_thread(its: Its) -> int:
    context = current_context()

    def ends() -> int:
        ok(aclrtSetCurrentContext(context))
        status = aclmdlRICaptureEnd(its.stream, byref(aclmdlRI()))
        assert_status(status, 107038, "MainThread", "the capture of stream 1 that began at", "test_twins.py:")
        return int(status)

    status: int = in_thread(ends)
    ok(aclmdlRICaptureBegin(its.stream, GLOBAL))  # the first capture is over
    return status


def drawn_in(its: Its) -> int:
    ok(aclrtStreamWaitEvent(its.other, its.event))
    status = aclmdlRICaptureEnd(its.other, byref(aclmdlRI()))
    lead(its.other, its.stream)
    return status


def recorded_outside(its: Its) -> int:
    event = new_event()
    ok(aclrtRecordEvent(event, its.other))
    return aclrtStreamWaitEvent(its.stream, event)


def group_in_group(its: Its) -> int:
    ok(aclmdlRICaptureTaskGrpBegin(its.stream))
    status = aclmdlRICaptureTaskGrpBegin(its.stream)
    ok(aclmdlRICaptureTaskGrpEnd(its.stream, byref(aclrtTaskGrp())))
    return status


def model_of(its: Its) -> aclmdlRI:
    model = aclmdlRI()
    ok(aclmdlRICaptureGetInfo(its.stream, None, byref(model)))
    return model


TEXTS: dict[str, tuple[Callable[[Its], int], int, tuple[str, ...]]] = {
    "an event of elsewhere": (recorded_outside, 107024, ("stream 1", "event 2", "recorded in stream 2 at")),
    "a model that is captured": (lambda its: aclmdlRIDestroy(model_of(its)), 107026, ("model 1",)),
    "no capture": (lambda its: aclmdlRICaptureEnd(its.other, byref(aclmdlRI())), 107029, ("stream 2",)),
    "the default stream": (lambda its: aclrtStreamWaitEvent(None, its.event), 107031, ("event 1", "the capture of")),
    "two groups": (group_in_group, 107033, ("the group that began at",)),
    "the end on another stream": (drawn_in, 107036, ("stream 2", "the capture of stream 1 that began at")),
    "another thread": (by_another_thread, 107038, ()),
    "a change of a captured model": (lambda its: aclmdlRIUpdate(model_of(its)), 107040, ("the capture of model 1",)),
}
"""the other statuses of captures, with words of their texts"""


@pytest.mark.parametrize("case", TEXTS)
def test_the_text_of_a_status_names_stream_event_and_line(case: str, machine: Machine) -> None:
    call, status, words = TEXTS[case]
    its = begun(program())
    line = ("test_twins.py:",) if case not in ("no capture", "another thread") else ()
    assert_status(call(its), status, *words, *line)
    ok(aclmdlRIDestroy(end(its.stream)))

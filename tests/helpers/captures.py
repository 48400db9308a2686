"""Captures in one line: begin, end, the model of a block of calls, and an operator to capture."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_int32

import numpy as np

from acl_runtime import *
from aclnn import *
from tests.helpers.builders import OnDevice, plan
from tests.helpers.creating import event_of
from tests.helpers.outcomes import ok

GLOBAL = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL
THREAD_LOCAL = ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL
RELAXED = ACL_MODEL_RI_CAPTURE_MODE_RELAXED


def end(stream: aclrtStream) -> aclmdlRI:
    model = aclmdlRI()
    ok(aclmdlRICaptureEnd(stream, byref(model)))
    return model


def captured(stream: aclrtStream, *calls: Callable[[], object], mode: int = GLOBAL) -> aclmdlRI:
    """The model of these calls."""
    ok(aclmdlRICaptureBegin(stream, mode))
    for call in calls:
        call()
    return end(stream)


def execute(model: aclmdlRI, stream: aclrtStream | None, times: int = 1) -> None:
    """Execute a model, and wait for it."""
    for _ in range(times):
        ok(aclmdlRIExecuteAsync(model, stream))
    ok(aclrtSynchronizeStream(stream))


def status_of(stream: aclrtStream) -> int:
    status = c_int32(-1)
    ok(aclmdlRICaptureGetInfo(stream, byref(status), None))
    return status.value


def add(first: OnDevice, second: OnDevice, out: OnDevice, stream: aclrtStream | None) -> None:
    """Queue out = first + second."""
    alpha = aclCreateScalar(np.array([1], np.float32), ACL_FLOAT)
    planned = plan(aclnnAddGetWorkspaceSize, first, second, alpha, out)
    ok(planned.status)
    ok(aclnnAdd(None, 0, planned.executor, stream))
    ok(aclDestroyScalar(alpha))


def new_event(flags: int = ACL_EVENT_SYNC) -> aclrtEvent:
    """An event of the new mode."""
    return event_of(aclrtCreateEventExWithFlag, flags)


def lead(first: aclrtStream, second: aclrtStream) -> aclrtEvent:
    """Let `second` wait for what `first` has done so far, by a new event."""
    event = new_event()
    ok(aclrtRecordEvent(event, first))
    ok(aclrtStreamWaitEvent(second, event))
    return event

"""Tasks that fail on the device, and the calls at which a failure surfaces."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_int32
from typing import Any

import numpy as np

from acl_runtime import *
from aclnn import *
from tests.helpers.builders import malloc, on_device, plan
from tests.helpers.outcomes import ok


def planned_failure(stream: aclrtStream | None) -> Callable[[], int]:
    """A function that queues a CrossEntropyLossGrad with a target out of range. The task makes the finding
    `index-range`. If the machine only reports it, the task fails on the device with 507035."""
    grad, log_prob = on_device(np.ones(2, np.float32)), on_device(np.zeros((2, 3), np.float32))
    target, out = on_device(np.array([1, 3])), on_device(np.zeros((2, 3), np.float32))
    arguments = (grad, log_prob, target, None, None, None, "none", -100, 0.0, 0.0, out)
    planned = plan(aclnnCrossEntropyLossGradGetWorkspaceSize, *arguments)
    assert planned.status == ACL_SUCCESS, planned.text
    workspace = malloc(planned.workspace_size)
    return lambda: aclnnCrossEntropyLossGrad(workspace, planned.workspace_size, planned.executor, stream)


def failing_task(stream: aclrtStream | None) -> None:
    """Queue a task that fails."""
    ok(planned_failure(stream)())


def until_done(stream: aclrtStream) -> int:
    """Poll until the stream is done, or a query fails."""
    status = c_int32(-1)
    while status.value != ACL_STREAM_STATUS_COMPLETE:
        if answer := aclrtStreamQuery(stream, byref(status)):
            return answer
    return ACL_SUCCESS


HOUR = 3_600_000
"""milliseconds, which are real ones under `schedule="threads"`"""
SURFACES: dict[str, Callable[[Any], int]] = {
    "aclrtSynchronizeStream": aclrtSynchronizeStream,
    "aclrtSynchronizeStreamWithTimeout": lambda stream: aclrtSynchronizeStreamWithTimeout(stream, HOUR),
    "aclrtSynchronizeDevice": lambda _: aclrtSynchronizeDevice(),
    "aclrtSynchronizeDeviceWithTimeout": lambda _: aclrtSynchronizeDeviceWithTimeout(HOUR),
    "aclrtStreamQuery": until_done,
}
"""the calls at which a failure surfaces: "at the next synchronise/query" """

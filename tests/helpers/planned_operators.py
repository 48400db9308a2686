"""Planned and launched calls of two operators: one composite, one generated."""

from __future__ import annotations

import numpy as np

from acl_runtime import *
from aclnn import *
from tests.helpers.builders import OnDevice, Planned, meta, on_device, plan
from tests.helpers.outcomes import text


def softmax(size: int = 8) -> tuple[OnDevice, OnDevice, OnDevice, Planned]:
    """Tensors on the device and a planned call of SoftmaxBackward, a composite operator; `out` holds zeros."""
    grad, output, out = (on_device(np.full(size, value, np.float32)) for value in (3, 1, 0))
    planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, grad, output, 0, out)
    assert planned.status == ACL_SUCCESS, planned.text
    return grad, output, out, planned


def launch_softmax(stream: aclrtStream | None = None) -> tuple[OnDevice, OnDevice, OnDevice]:
    """Queue a SoftmaxBackward. Until it has run, `out` holds zeros; its result is -21 everywhere."""
    grad, output, out, planned = softmax()
    assert planned.workspace_size == 0
    assert aclnnSoftmaxBackward(None, 0, planned.executor, stream) == ACL_SUCCESS, text()
    return grad, output, out


SOFTMAX_RESULT = -21.0  # 1 * (3 - 8 * 3 * 1)


def cross_entropy(n: int = 2, c: int = 3) -> Planned:
    """A planned call of CrossEntropyLossGrad, a generated operator, over tensors without memory."""
    arguments = (meta([n]), meta([n, c]), meta([n], ACL_INT64), None, None, None, "none", -100, 0.0, 0.0, meta([n, c]))
    planned = plan(aclnnCrossEntropyLossGradGetWorkspaceSize, *arguments)
    assert planned.status == ACL_SUCCESS, planned.text
    return planned

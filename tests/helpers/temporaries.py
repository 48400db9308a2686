"""How much memory kernels take beyond the tensors and the workspace of a call."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import board
from tests.helpers.builders import OnDevice, malloc, on_device, plan

LARGE = (2048, 4096)
"""32 MiB of float32"""
FEW = 8 << 20
"""a quarter of a large tensor, in bytes"""


def tensor(*shape: int) -> OnDevice:
    return on_device(np.ones(shape, np.float32))


def temporaries(function: Any, *arguments: Callable[[], Any]) -> int:
    """The bytes that the kernels of a call allocate at most. The arguments are made on a board of their own."""
    first, second = function.phases
    with board(fast=True):
        planned = plan(first, *(make() for make in arguments))
        assert planned.status == ACL_SUCCESS, planned.text
        workspace = malloc(planned.workspace_size) if planned.workspace_size else None
        assert second(workspace, planned.workspace_size, planned.executor, None) == ACL_SUCCESS
        tracemalloc.start()
        try:
            assert aclrtSynchronizeStream(None) == ACL_SUCCESS
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

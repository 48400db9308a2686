"""Calls on large memory, for `tests.benchmarks.scaling`. A case takes a number of bytes or elements, and returns the
seconds per byte or element. The docstring of a case is the title of its row, and begins with the unit."""

from __future__ import annotations

import time
from collections.abc import Callable
from ctypes import byref, c_uint64

import numpy as np

from acl_runtime import (
    ACL_FLOAT,
    ACL_FORMAT_ND,
    ACL_MEMCPY_DEVICE_TO_DEVICE,
    ACL_MEMCPY_DEVICE_TO_HOST,
    ACL_MEMCPY_HOST_TO_DEVICE,
    aclCreateTensor,
    aclOpExecutor,
    aclrtFree,
    aclrtMemcpy,
    aclrtMemcpy2d,
    aclrtMemset,
    aclrtSynchronizeStream,
)
from aclnn import (
    aclnnEmbeddingDenseBackward,
    aclnnEmbeddingDenseBackwardGetWorkspaceSize,
    aclnnSoftmaxBackward,
    aclnnSoftmaxBackwardGetWorkspaceSize,
)
from tests.benchmarks.scaling_cases import board, new
from tests.helpers.builders import OnDevice, on_device

ROUNDS = 4
COLUMNS = 100
WIDTH = 50
"""bytes of a row in `rows`"""
LARGEST = 10_000_000
"""the most elements of a launch"""


def fastest(call: Callable[[], object], calls: int) -> float:
    """Seconds of one call, in the fastest of several rounds."""

    def once() -> float:
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        return (time.perf_counter() - begin) / calls

    return min(once() for _ in range(ROUNDS))


def _calls(n: int) -> int:
    return max(1, 1_000_000 // n // 10)


def to_device(n: int) -> float:
    """bytes of aclrtMemcpy, host to device."""
    host = np.ones(n, np.uint8)
    with board():
        device = new(n)
        return fastest(lambda: aclrtMemcpy(device, n, host, n, ACL_MEMCPY_HOST_TO_DEVICE), _calls(n)) / n


def to_host(n: int) -> float:
    """bytes of aclrtMemcpy, device to host."""
    host = np.ones(n, np.uint8)
    with board():
        device = new(n)
        aclrtMemset(device, n, 1, n)
        return fastest(lambda: aclrtMemcpy(host, n, device, n, ACL_MEMCPY_DEVICE_TO_HOST), _calls(n)) / n


def on_the_device(n: int) -> float:
    """bytes of aclrtMemcpy, device to device."""
    with board():
        device, other = new(n), new(n)
        aclrtMemset(device, n, 1, n)
        return fastest(lambda: aclrtMemcpy(other, n, device, n, ACL_MEMCPY_DEVICE_TO_DEVICE), _calls(n)) / n


def memset(n: int) -> float:
    """bytes of aclrtMemset."""
    with board():
        device = new(n)
        return fastest(lambda: aclrtMemset(device, n, 1, n), _calls(n)) / n


def first_written(n: int) -> float:
    """bytes of aclrtMalloc, aclrtMemset and aclrtFree: the first write to fresh memory."""

    def call() -> None:
        device = new(n)
        aclrtMemset(device, n, 1, n)
        aclrtFree(device)

    with board():
        return fastest(call, _calls(n)) / n


def first_read(n: int) -> float:
    """bytes of aclrtMalloc, aclrtMemcpy to host and aclrtFree: the first read of fresh memory, which gets its fill."""
    host = np.ones(n, np.uint8)

    def call() -> None:
        device = new(n)
        aclrtMemcpy(host, n, device, n, ACL_MEMCPY_DEVICE_TO_HOST)
        aclrtFree(device)

    with board(on_undefined="report") as machine:
        machine.allow("uninit-read", reason="measured")
        return fastest(call, _calls(n)) / n


def rows(n: int) -> float:
    """bytes of aclrtMemcpy2d, host to device, rows of 50 bytes every 100."""
    height = n // WIDTH
    host = np.ones((height, WIDTH), np.uint8)
    with board():
        device = new(2 * n)
        copy = lambda: aclrtMemcpy2d(device, 100, host, WIDTH, WIDTH, height, ACL_MEMCPY_HOST_TO_DEVICE)  # noqa: E731
        return fastest(copy, _calls(n)) / n


def _softmax(n: int, strides: tuple[int, int], *, fresh: bool) -> float:
    shape = [n // COLUMNS, COLUMNS]
    span = (shape[0] - 1) * strides[0] + (COLUMNS - 1) * strides[1] + 1
    size, executor = c_uint64(), aclOpExecutor()

    def output() -> object:
        return aclCreateTensor(shape, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, [span], 1, new(4 * span))

    with board():
        inputs = [on_device(np.ones(shape, np.float32)).handle for _ in range(2)]
        workspace, warm = new(4 * n + 1024), output()

        def call() -> None:
            out = output() if fresh else warm
            aclnnSoftmaxBackwardGetWorkspaceSize(inputs[0], inputs[1], 1, out, byref(size), byref(executor))
            aclnnSoftmaxBackward(workspace, size.value, executor, None)
            aclrtSynchronizeStream(None)

        return fastest(call, 1 if fresh else _calls(n)) / n


def softmax(n: int) -> float:
    """elements of a softmax backward (float32)."""
    return _softmax(n, (COLUMNS, 1), fresh=False)


def softmax_fresh(n: int) -> float:
    """elements of a softmax backward into fresh memory."""
    return _softmax(n, (COLUMNS, 1), fresh=True)


def softmax_padded(n: int) -> float:
    """elements of a softmax backward into fresh memory, rows twice as far apart as they are long."""
    return _softmax(n, (2 * COLUMNS, 1), fresh=True)


def softmax_stride(n: int) -> float:
    """elements of a softmax backward into fresh memory, where neighbours in a row are 2 elements apart."""
    return _softmax(n, (2 * COLUMNS, 2), fresh=True)


def embedding(n: int) -> float:
    """elements of an embedding backward (float32, 100 columns)."""
    count = n // COLUMNS
    size, executor = c_uint64(), aclOpExecutor()
    with board():
        gradient = on_device(np.ones((count, COLUMNS), np.float32))
        indices = on_device(np.arange(count, dtype=np.int64) % max(count // 2, 1))
        out: OnDevice = on_device(np.zeros((max(count // 2, 1), COLUMNS), np.float32))

        def call() -> None:
            first = aclnnEmbeddingDenseBackwardGetWorkspaceSize
            rows = max(count // 2, 1)
            first(gradient.handle, indices.handle, rows, -1, False, out.handle, byref(size), byref(executor))
            workspace = new(size.value) if size.value else None
            aclnnEmbeddingDenseBackward(workspace, size.value, executor, None)
            aclrtSynchronizeStream(None)
            if workspace is not None:
                aclrtFree(workspace)

        return fastest(call, _calls(n)) / n


LAUNCHES = softmax, softmax_fresh, softmax_padded, softmax_stride, embedding
BY_ELEMENTS = (
    to_device, to_host, on_the_device, memset, first_written, first_read, rows, *LAUNCHES,
)  # fmt: skip

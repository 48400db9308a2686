"""Weights of matrix products in device memory, laid out in FRACTAL_NZ by an operator or by hand."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from acl_runtime import *
from acl_runtime.headers.dtypes import data_type_of
from aclnn import *
from tests.helpers.builders import OnDevice, acl_type, malloc, plan
from tests.helpers.outcomes import ok

LAID_OUT = ("float16", "bfloat16", "int8")
"""numpy's names of the data types that aclnnTransMatmulWeight takes"""


def blocks_by_hand(x: np.ndarray, columns: int = 0) -> np.ndarray:
    """FRACTAL_NZ, element by element: nz[..., j, i, r, c] = x[..., i * 16 + r, j * c0 + c]."""
    c0 = columns or 32 // x.itemsize
    *batch, rows, wide = x.shape
    found = np.zeros((*batch, -(-wide // c0), -(-rows // 16), 16, c0), x.dtype)
    for index in np.ndindex(*x.shape):
        *b, r, c = index
        found[(*b, c // c0, r // 16, r % 16, c % c0)] = x[index]
    return found


def in_blocks(values: np.ndarray) -> OnDevice:
    """A tensor on the device whose storage is in FRACTAL_NZ. An operator lays out FLOAT16, BFLOAT16 and INT8; other
    blocks are copied."""
    blocks = blocks_by_hand(values)
    address = laid_out(values) if values.size and values.dtype.name in LAID_OUT else filled(blocks)
    handle = tensor(address, values.shape, acl_type(values.dtype), format=ACL_FORMAT_FRACTAL_NZ, storage=blocks.shape)
    strides = tuple(step // values.itemsize for step in np.empty_like(values, order="C").strides)
    return OnDevice(handle, address, blocks.reshape(-1), values.shape, strides, 0)


def matrix(shape: Sequence[int], dtype: Any, seed: int = 0) -> np.ndarray:
    """Random bytes as elements; no two of a test look alike."""
    count = prod(shape) * np.dtype(dtype).itemsize
    raw = np.random.default_rng([seed, *shape]).integers(1, 120, count, np.uint8)
    return raw.view(dtype).reshape(shape)


def filled(values: np.ndarray, room: int = 0) -> int:
    """Device memory with these values at its start, and `room` bytes or more."""
    address = malloc(max(values.nbytes, room, 1))
    if values.nbytes:
        source = np.ascontiguousarray(values)
        ok(aclrtMemcpy(address, values.nbytes, source, values.nbytes, ACL_MEMCPY_HOST_TO_DEVICE))
    return address


def fetched(address: int, shape: Sequence[int], dtype: Any) -> np.ndarray:
    """Elements that lie in device memory."""
    found = np.empty(shape, dtype)
    ok(aclrtMemcpy(found, found.nbytes, address, found.nbytes, ACL_MEMCPY_DEVICE_TO_HOST))
    return found


def tensor(address: int, shape: Sequence[int], dtype: int, *, format: int = ACL_FORMAT_ND,
           storage: Sequence[int] | None = None, strides: Sequence[int] | None = None) -> aclTensor:  # fmt: skip
    """A tensor on this memory."""
    kept = list(shape if storage is None else storage)
    given = None if strides is None else list(strides)
    return aclCreateTensor(list(shape), len(shape), dtype, given, 0, format, kept, len(kept), address)


def launch(name: str, *arguments: Any, stream: Any = None, wait: bool = True) -> None:
    """Both phases of an operator of the library."""
    launch_pair((globals()[f"{name}GetWorkspaceSize"], globals()[name]), *arguments, stream=stream, wait=wait)


def launch_pair(pair: tuple[Any, Any], *arguments: Any, stream: Any = None, wait: bool = True) -> None:
    """Both phases of an operator."""
    planned = plan(pair[0], *arguments)
    assert planned.status == ACL_SUCCESS, planned.text
    workspace = malloc(planned.workspace_size) if planned.workspace_size else None
    ok(pair[1](workspace, planned.workspace_size, planned.executor, stream))
    if wait:
        ok(aclrtSynchronizeStream(stream))


def laid_out(values: np.ndarray) -> int:
    """Device memory with a weight that aclnnTransMatmulWeight has laid out."""
    address = filled(values, blocks_by_hand(values).nbytes)
    launch("aclnnTransMatmulWeight", tensor(address, values.shape, data_type_of(values.dtype)))
    return address

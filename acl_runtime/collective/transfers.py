"""The bytes that an operation moves between ranks, and the sums of the ranks.

The reduction of ranks is computed in their order. Elements of 16 bits are computed in FLOAT and rounded once; integers
wrap. Each function gets the requests of all ranks in the order of the ranks, and writes the results of all of them.
"""

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any, Final

import numpy as np

from acl_runtime.collective.requests import Request
from acl_runtime.headers.dtypes import Array, numpy_dtype
from acl_runtime.headers.enums import aclDataType
from acl_runtime.headers.hccl import HcclDataType, HcclReduceOp
from acl_runtime.memory.copies import Side

FUNCTIONS: Final[dict[int, Callable[..., Any]]] = {
    HcclReduceOp.HCCL_REDUCE_SUM: np.add,
    HcclReduceOp.HCCL_REDUCE_PROD: np.multiply,
    HcclReduceOp.HCCL_REDUCE_MAX: np.maximum,
    HcclReduceOp.HCCL_REDUCE_MIN: np.minimum,
}
TYPES: Final[dict[int, Any]] = {
    HcclDataType.HCCL_DATA_TYPE_INT8: np.dtype(np.int8), HcclDataType.HCCL_DATA_TYPE_INT16: np.dtype(np.int16),
    HcclDataType.HCCL_DATA_TYPE_INT32: np.dtype(np.int32), HcclDataType.HCCL_DATA_TYPE_INT64: np.dtype(np.int64),
    HcclDataType.HCCL_DATA_TYPE_UINT64: np.dtype(np.uint64), HcclDataType.HCCL_DATA_TYPE_FP16: np.dtype(np.float16),
    HcclDataType.HCCL_DATA_TYPE_FP32: np.dtype(np.float32), HcclDataType.HCCL_DATA_TYPE_FP64: np.dtype(np.float64),
    HcclDataType.HCCL_DATA_TYPE_BFP16: numpy_dtype(aclDataType.ACL_BF16),
}  # fmt: skip
"""the numpy types of the data types that a product reduces"""
BLOCK: Final = 1 << 16
"""elements of 16 bits that are widened at once"""


def nothing(requests: Sequence[Request]) -> None:
    """Move nothing: the ranks only wait for each other."""


def all_reduce(requests: Sequence[Request]) -> None:
    """Reduce the inputs of all ranks to each rank."""
    _reduce(requests, [(each, 0) for each in requests])


def reduce(requests: Sequence[Request]) -> None:
    """Reduce the inputs of all ranks to the root."""
    _reduce(requests, [(requests[requests[0].root or 0], 0)])


def reduce_scatter(requests: Sequence[Request]) -> None:
    """Reduce block r of the inputs of all ranks to rank r."""
    for rank, each in enumerate(requests):
        _reduce(requests, [(each, rank * each.count)])


def reduce_scatter_v(requests: Sequence[Request]) -> None:
    """The same with blocks of different sizes, at displacements."""
    for rank, each in enumerate(requests):
        _reduce(requests, [(each, each.places[0][rank])], each.sends[rank])


def broadcast(requests: Sequence[Request]) -> None:
    """Copy the buffer of the root to all ranks."""
    root = requests[requests[0].root or 0]
    for target in requests:
        if target is not root:
            _copy(root, 0, target, 0, root.count)


def scatter(requests: Sequence[Request]) -> None:
    """Copy block r of the input of the root to rank r."""
    root = requests[requests[0].root or 0]
    for rank, each in enumerate(requests):
        _copy(root, rank * each.count, each, 0, each.count)


def all_gather(requests: Sequence[Request]) -> None:
    """Copy the input of each rank to its block on all ranks."""
    for rank, source in enumerate(requests):
        for target in requests:
            _copy(source, 0, target, rank * source.count, source.count)


def all_gather_v(requests: Sequence[Request]) -> None:
    """The same with blocks of different sizes, at displacements."""
    for rank, source in enumerate(requests):
        for target in requests:
            _copy(source, 0, target, target.places[1][rank], target.receives[rank])


def all_to_all(requests: Sequence[Request]) -> None:
    """Copy block j of rank i to block i of rank j."""
    for i, source in enumerate(requests):
        for j, target in enumerate(requests):
            _copy(source, j * source.count, target, i * source.count, source.count)


def all_to_all_v(requests: Sequence[Request]) -> None:
    """The same with blocks of different sizes, at displacements."""
    for i, source in enumerate(requests):
        for j, target in enumerate(requests):
            _copy(source, source.places[0][j], target, target.places[1][i], source.sends[j])


def pair(requests: Sequence[Request]) -> None:
    """Copy from the sender to the receiver."""
    sender, receiver = requests
    _copy(sender, 0, receiver, 0, sender.count)


def packed(counts: Sequence[int]) -> list[int]:
    """The displacements of blocks that follow each other."""
    return [0, *accumulate(counts[:-1])]


def _copy(source: Request, place: int, target: Request, to: int, count: int) -> None:
    """Copy `count` elements. A block that lies in place already stays."""
    size = source.size
    from_ = _bytes(source.send, place * size, count * size)
    into = _bytes(target.recv, to * size, count * size, write=True)
    common = min(len(from_), len(into))
    if common and source.send is not None and target.recv is not None:
        if source.send.start + place * size != target.recv.start + to * size:
            into[:common] = from_[:common]
        _wrote(target.recv, to * size, common)


def _reduce(requests: Sequence[Request], targets: Sequence[tuple[Request, int]], count: int | None = None) -> None:
    """Reduce the inputs of all ranks, from an element on, to the beginning of each target. `targets`: a request, and
    the number of the first element; the same for all of them."""
    first, start = targets[0]
    dtype, size = TYPES[first.dtype or 0], first.size
    nbytes = (first.count if count is None else count) * size
    inputs = [_bytes(each.send, start * size, nbytes) for each in requests]
    outputs = [_bytes(each.recv, 0, nbytes, write=True) for each, _ in targets]
    common = min(map(len, (*inputs, *outputs))) // size * size
    if not common:
        return
    arrays = [each[:common].view(dtype) for each in inputs]
    result = outputs[0][:common].view(dtype)
    with np.errstate(all="ignore"):
        (_in_float if size == 2 and dtype.kind != "i" else _as_they_are)(FUNCTIONS[first.op or 0], arrays, result)
    for output in outputs[1:]:
        output[:common].view(dtype)[...] = result
    for target, _ in targets:
        if target.recv is not None:
            _wrote(target.recv, 0, common)


def _as_they_are(function: Callable[..., Any], arrays: Sequence[Array], result: Array) -> None:
    """Reduce in the type of the elements."""
    if len(arrays) == 1:
        result[...] = arrays[0]
        return
    others: list[Array] = [
        each.copy() if np.may_share_memory(each, result) else each for each in arrays[2:]
    ]  # a rank in place
    function(arrays[0], arrays[1], out=result)
    for each in others:
        function(result, each, out=result)


def _in_float(function: Callable[..., Any], arrays: Sequence[Array], result: Array) -> None:
    """Reduce in FLOAT, and round once."""
    for low in range(0, len(result), BLOCK):
        block = slice(low, low + BLOCK)
        total = arrays[0][block].astype(np.float32)
        for each in arrays[1:]:
            function(total, each[block].astype(np.float32), out=total)
        result[block] = total.astype(result.dtype)


def _bytes(side: Side | None, offset: int, count: int, *, write: bool = False) -> Array:
    """The bytes of a buffer from an offset on; fewer if the memory ends before, none if it is gone."""
    if side is None or not side.alive or side.allocation is None:
        return np.empty(0, np.uint8)
    size = max(0, min(count, side.available - offset))
    low = side.start - side.allocation.base + offset
    (side.allocation.admit if write else side.allocation.touch)(low, low + size)
    return np.frombuffer(side.allocation.buffer.data, np.uint8, size, low)


def _wrote(side: Side, offset: int, count: int) -> None:
    assert side.allocation is not None
    low = side.start - side.allocation.base + offset
    side.allocation.wrote(low, low + count)

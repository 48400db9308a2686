"""The bytes that an operation moves between ranks, and the sums of the ranks.

The reduction of ranks is computed in their order. Elements of 16 bits are computed in FLOAT and rounded once; integers
wrap. Each function gets the requests of all ranks in the order of the ranks. It yields the steps that write the results
of those ranks whose memory is in this process (`Request.recv`). The bytes that a step reads may come from anywhere
(`Request.send`). Steps are made, and their results noted, under the machine's lock; they run without it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Final

import numpy as np

from acl_runtime.collective.buffers import RankMemory
from acl_runtime.collective.halves import reduce_halves
from acl_runtime.collective.requests import Request
from acl_runtime.headers.dtypes import Array, numpy_dtype
from acl_runtime.headers.enums import aclDataType
from acl_runtime.headers.hccl import HcclDataType, HcclReduceOp
from acl_runtime.streams.compute_threads import Workers

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


@dataclass(eq=False)
class TransferStep:
    """One copy or reduction."""

    inputs: list[Array]
    outputs: list[Array]
    written: list[tuple[RankMemory, int, int]]
    """the memory of the outputs: offset and bytes"""
    function: Callable[..., Any] | None = None
    """the reduction; None for a copy of the only input"""

    def run(self, workers: Workers) -> None:
        """Move the bytes."""
        first, *others = self.outputs
        if self.function is None:
            if _address(self.inputs[0]) != _address(first):  # a block in place stays
                first[...] = self.inputs[0]
            return
        with np.errstate(all="ignore"):
            if first.dtype.itemsize == 2 and first.dtype.kind != "i":
                reduce_halves(self.function, self.inputs, self.outputs, workers)
                return
            _reduce_exactly(self.function, self.inputs, first)
        for output in others:
            output[...] = first

    def note(self) -> None:
        """Note the bytes that were written."""
        for memory, offset, count in self.written:
            memory.wrote(offset, count)


def nothing(requests: Sequence[Request]) -> Iterator[TransferStep]:
    """Move nothing: the ranks only wait for each other."""
    return iter(())


def all_reduce(requests: Sequence[Request]) -> Iterator[TransferStep]:
    """Reduce the inputs of all ranks to each rank."""
    return _reduced(requests, requests, 0, requests[0].count)


def reduce(requests: Sequence[Request]) -> Iterator[TransferStep]:
    """Reduce the inputs of all ranks to the root."""
    return _reduced(requests, [requests[requests[0].root or 0]], 0, requests[0].count)


def reduce_scatter(requests: Sequence[Request]) -> Iterator[TransferStep]:
    """Reduce block r of the inputs of all ranks to rank r."""
    for rank, target in enumerate(requests):
        yield from _reduced(requests, [target], rank * target.count, target.count)


def reduce_scatter_v(requests: Sequence[Request]) -> Iterator[TransferStep]:
    """The same with blocks of different sizes, at displacements."""
    for rank, target in enumerate(requests):
        yield from _reduced(requests, [target], target.places[0][rank], target.sends[rank])


def broadcast(requests: Sequence[Request]) -> Iterator[TransferStep]:
    """Copy the buffer of the root to all ranks."""
    root = requests[requests[0].root or 0]
    for target in requests:
        if target is not root:
            yield from _copied(root, 0, target, 0, root.count)


def scatter(requests: Sequence[Request]) -> Iterator[TransferStep]:
    """Copy block r of the input of the root to rank r."""
    root = requests[requests[0].root or 0]
    for rank, target in enumerate(requests):
        yield from _copied(root, rank * target.count, target, 0, target.count)


def all_gather(requests: Sequence[Request]) -> Iterator[TransferStep]:
    """Copy the input of each rank to its block on all ranks."""
    for rank, source in enumerate(requests):
        for target in requests:
            yield from _copied(source, 0, target, rank * source.count, source.count)


def all_gather_v(requests: Sequence[Request]) -> Iterator[TransferStep]:
    """The same with blocks of different sizes, at displacements."""
    for rank, source in enumerate(requests):
        for target in requests:
            yield from _copied(source, 0, target, target.places[1][rank], target.receives[rank])


def all_to_all(requests: Sequence[Request]) -> Iterator[TransferStep]:
    """Copy block j of rank i to block i of rank j."""
    for i, source in enumerate(requests):
        for j, target in enumerate(requests):
            yield from _copied(source, j * source.count, target, i * source.count, source.count)


def all_to_all_v(requests: Sequence[Request]) -> Iterator[TransferStep]:
    """The same with blocks of different sizes, at displacements."""
    for i, source in enumerate(requests):
        for j, target in enumerate(requests):
            yield from _copied(source, source.places[0][j], target, target.places[1][i], source.sends[j])


def pair(requests: Sequence[Request]) -> Iterator[TransferStep]:
    """Copy from the sender to the receiver."""
    sender, receiver = requests
    yield from _copied(sender, 0, receiver, 0, sender.count)


def packed(counts: Sequence[int]) -> list[int]:
    """The displacements of blocks that follow each other."""
    return [0, *accumulate(counts[:-1])]


def _copied(source: Request, place: int, target: Request, to: int, count: int) -> Iterator[TransferStep]:
    """The copy of `count` elements."""
    if target.recv is None or source.send is None:
        return
    size = source.size
    from_ = source.send.read(place * size, count * size)
    into = target.recv.write(to * size, count * size)
    if common := min(len(from_), len(into)):
        yield TransferStep([from_[:common]], [into[:common]], [(target.recv, to * size, common)])


def _address(array: Array) -> int:
    return int(array.__array_interface__["data"][0])


def _reduced(requests: Sequence[Request], targets: Sequence[Request], start: int, count: int) -> Iterator[TransferStep]:
    """The reduction of `count` elements of all ranks, from the element `start` on, to the beginning of each target."""
    results = [target.recv for target in targets if target.recv is not None]
    sources = [request.send for request in requests if request.send is not None]
    if not results or len(sources) < len(requests):
        return
    first, size = requests[0], requests[0].size
    nbytes = count * size
    inputs = [source.read(start * size, nbytes) for source in sources]
    outputs = [result.write(0, nbytes) for result in results]
    if common := min(map(len, (*inputs, *outputs))) // size * size:
        dtype = TYPES[first.dtype or 0]
        inputs = [array[:common].view(dtype) for array in inputs]
        outputs = [array[:common].view(dtype) for array in outputs]
        yield TransferStep(inputs, outputs, [(result, 0, common) for result in results], FUNCTIONS[first.op or 0])


def _reduce_exactly(function: Callable[..., Any], arrays: Sequence[Array], result: Array) -> None:
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


MOVES: Final[dict[str, Callable[[Sequence[Request]], Iterator[TransferStep]]]] = {
    "HcclAllReduce": all_reduce, "HcclReduce": reduce, "HcclReduceScatter": reduce_scatter,
    "HcclReduceScatterV": reduce_scatter_v, "HcclBroadcast": broadcast, "HcclScatter": scatter,
    "HcclAllGather": all_gather, "HcclAllGatherV": all_gather_v, "HcclAlltoAll": all_to_all,
    "HcclAlltoAllV": all_to_all_v, "HcclAlltoAllVC": all_to_all_v, "HcclSend": pair, "HcclRecv": pair,
    "HcclBatchSendRecv": pair, "HcclBarrier": nothing,
}  # fmt: skip
"""the transfer of each function"""

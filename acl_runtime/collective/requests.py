"""The request of one rank in an operation, and the difference of two requests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from acl_runtime.collective.buffers import RankMemory, Source
from acl_runtime.collective.exchange import Arrays
from acl_runtime.errors import Past
from acl_runtime.headers.hccl import HcclDataType, HcclReduceOp
from acl_runtime.source.frames import site_of
from acl_runtime.source.site import Trail
from acl_runtime.text import Text

REDUCTIONS: Final = {
    HcclReduceOp.HCCL_REDUCE_SUM: Text("sum"),
    HcclReduceOp.HCCL_REDUCE_PROD: Text("product"),
    HcclReduceOp.HCCL_REDUCE_MAX: Text("maximum"),
    HcclReduceOp.HCCL_REDUCE_MIN: Text("minimum"),
}
SIZES: Final[Mapping[int, int]] = {
    HcclDataType.HCCL_DATA_TYPE_INT8: 1, HcclDataType.HCCL_DATA_TYPE_INT16: 2, HcclDataType.HCCL_DATA_TYPE_INT32: 4,
    HcclDataType.HCCL_DATA_TYPE_FP16: 2, HcclDataType.HCCL_DATA_TYPE_FP32: 4, HcclDataType.HCCL_DATA_TYPE_INT64: 8,
    HcclDataType.HCCL_DATA_TYPE_UINT64: 8, HcclDataType.HCCL_DATA_TYPE_UINT8: 1,
    HcclDataType.HCCL_DATA_TYPE_UINT16: 2, HcclDataType.HCCL_DATA_TYPE_UINT32: 4, HcclDataType.HCCL_DATA_TYPE_FP64: 8,
    HcclDataType.HCCL_DATA_TYPE_BFP16: 2, HcclDataType.HCCL_DATA_TYPE_HIF8: 1, HcclDataType.HCCL_DATA_TYPE_FP8E4M3: 1,
    HcclDataType.HCCL_DATA_TYPE_FP8E5M2: 1, HcclDataType.HCCL_DATA_TYPE_FP8E8M0: 1,
}  # fmt: skip
"""bytes of an element, by data type"""
COMPARED: Final = (
    (Text("the root"), "root"),
    (Text("the reduction"), "op"),
    (Text("the data type"), "dtype"),
    (Text("the count"), "count"),
)
"""the arguments that are equal on all ranks, in the order in which they are compared"""
PREFIX: Final = "HCCL_DATA_TYPE_"
Numbers = tuple[int, ...]
NOTHING: Final[Mapping[str, Numbers]] = {}
PLAIN: Final = (
    "function", "rank", "count", "dtype", "op", "root", "recv_dtype", "counts", "sends", "receives", "places",
)  # fmt: skip
"""the fields of a request that another process needs"""


def type_name(dtype: int) -> str:
    """`FP32` for HCCL_DATA_TYPE_FP32; the number of an unknown type."""
    return HcclDataType(dtype).name.removeprefix(PREFIX) if dtype in list(HcclDataType) else str(dtype)


@dataclass(eq=False)
class Request:
    """The call of one rank: the operation, its arguments, and its memory."""

    function: str
    """`HcclAllReduce`"""
    rank: int
    trail: Trail | str
    count: int = 0
    dtype: int | None = None
    op: int | None = None
    root: int | None = None
    send: Source | None = None
    """the bytes that other ranks read; None if there are none"""
    recv: RankMemory | None = None
    """the memory for the results; None if the rank gets none, or gets them in another process"""
    recv_dtype: int | None = None
    """the data type of what it receives, where that may be another one"""
    counts: Mapping[str, Numbers] = field(default_factory=lambda: NOTHING)
    """other values that have to be equal on all ranks, by their names"""
    sends: Sequence[int] = ()
    receives: Sequence[int] = ()
    """elements for each rank, and from each rank, where the ranks choose these numbers on their own"""
    places: tuple[Sequence[int], Sequence[int]] = ((), ())
    """the displacements of these elements in `send` and `recv`"""
    inbox: list[Arrays | None] | None = None
    """the place for the arrays of all ranks in an exchange; None if the rank is in another process"""

    def packed(self) -> dict[str, Any]:
        """The request without its memory, as plain values for another process."""
        return {**{name: getattr(self, name) for name in PLAIN}, "trail": site_of(self.trail)}

    @staticmethod
    def unpacked(fields: Mapping[str, Any], send: Source | None = None) -> "Request":
        """The request of a rank in another process, and the bytes that it sends."""
        values = dict(fields)
        values["counts"] = {name: tuple(numbers) for name, numbers in fields["counts"].items()}
        return Request(**values, send=send)

    @property
    def size(self) -> int:
        """Bytes of an element."""
        return SIZES[self.dtype] if self.dtype is not None else 1

    def __str__(self) -> str:
        return self.text()

    def text(self) -> Text:
        """The call in words: `HcclAllReduce of 4 FP32 (sum)`."""
        count = sum(self.sends) if self.sends and self.receives else self.count
        values = {"call": self.function, "count": count, "type": type_name(self.dtype or 0)}
        if self.dtype is None and self.counts:
            listed = ", ".join(f"{name} {list(numbers)}" for name, numbers in self.counts.items())
            return Text("{call} with {values}", call=self.function, values=listed)
        if self.dtype is None:
            return Text("{call} without data", call=self.function)
        if self.op is not None and self.root is not None:
            how = {"reduction": REDUCTIONS[HcclReduceOp(self.op)], "root": self.root}
            return Text("{call} of {count} {type} ({reduction}, root {root})", **values, **how)
        if self.op is not None:
            reduction = REDUCTIONS[HcclReduceOp(self.op)]
            return Text("{call} of {count} {type} ({reduction})", **values, reduction=reduction)
        if self.root is not None:
            return Text("{call} of {count} {type} (root {root})", **values, root=self.root)
        return Text("{call} of {count} {type}", **values)

    def past(self) -> Past:
        """History for a finding: where the rank called."""
        return Past(Text("rank {rank} called {request}", rank=self.rank, request=self.text()), site_of(self.trail))


def difference(first: Request, second: Request, *, paired: bool) -> Text | None:
    """The first thing in which two requests of one meeting differ; None if they fit. `paired`: one of them sends, the
    other one receives."""
    if not paired and first.function != second.function:
        return Text("the operation")
    exchange = bool(first.sends and first.receives)  # each pair of ranks has counts and types of its own
    for name, attribute in COMPARED:
        if getattr(first, attribute) != getattr(second, attribute) and not (exchange and attribute == "dtype"):
            return name
    for name, value in first.counts.items():
        if value != second.counts.get(name):
            return Text("the values of {parameter}", parameter=name)
    if not exchange:
        return None
    return _sent(first, second) or _sent(second, first)


def _sent(sender: Request, receiver: Request) -> Text | None:
    """The difference between what one rank sends and what another one awaits."""
    sent, awaited = sender.sends[receiver.rank], receiver.receives[sender.rank]
    ends = {"from_": sender.rank, "to": receiver.rank}
    if sent != awaited:
        values = {"sent": sent, "awaited": awaited}
        return Text("the count from rank {from_} to rank {to} ({sent} sent, {awaited} awaited)", **ends, **values)
    if sent and sender.dtype != receiver.recv_dtype:
        values = {"sent": type_name(sender.dtype or 0), "awaited": type_name(receiver.recv_dtype or 0)}
        return Text("the data type from rank {from_} to rank {to} ({sent} sent, {awaited} awaited)", **ends, **values)
    return None

"""Checks, steps and kernels that operators with index tensors share.

Index tensors are read when the task runs. A step without outputs reports positions out of range (`watch`). If the
machine continues after that report, such a position reads 0, and a write to it is dropped.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from aclnn.op import (
    QUICK, Arguments, Array, Attributes, Bad, CutDims, Op, Operand, PlanBuilder, Planning, Relation, Tensor,
    aclDataType, apart_from, by, check_range, demand, repeatable, take, widen, with_out,
)  # fmt: skip


Shape = tuple[int, ...]


def no_elements(tensor: Tensor) -> bool:
    return tensor.numel == 0


def one_rank(name: str, as_: str) -> Relation:
    """Checks that two tensors have the same number of dimensions; a 0-d tensor counts as 1-d."""

    def bad(a: Arguments) -> Bad:
        rank, expected_rank = max(a.rank(name), 1), max(a.rank(as_), 1)
        return None if rank == expected_rank else (f"{rank} dimensions", f"{expected_rank}, as {a.name(as_)} has")

    return demand("{0} has as many dimensions as {1}", name, as_, bad=bad)


def copied(call: Op, builder: PlanBuilder) -> None:
    """The plan of a call without positions: out = self."""
    p = Planning(call, builder)
    if p["self"].numel:
        p.store("out", p.read("self"))


def watch(p: Planning, indices: Operand, name: str, count: int, *, negative: bool = False) -> None:
    """Queue a step that reports positions out of range. `negative`: positions -count to -1 count from the end."""
    p.builder.launch(check_range, [indices], [], name=name, count=count, negative=negative)


def watch_rows(p: Planning, rows: Operand, name: str, sizes: Sequence[int], *, negative: bool = False) -> None:
    """Queue steps that report positions out of range, for a tensor whose rows are positions in several dimensions."""
    for index, count in enumerate(sizes):
        watch(p, rows.at(-1, index), f"{name}[..., {index}]", count, negative=negative)


def summed(p: Planning, x: Operand) -> Operand:
    """The target of additions. Floats of 16 bits are cast to float32, so that sums are rounded only once."""
    narrow = x.dtype in (aclDataType.ACL_FLOAT16, aclDataType.ACL_BF16)
    return p.builder.cast(x, aclDataType.ACL_FLOAT) if narrow else x


def of_type(values: Array, out: Array) -> Array:
    """Values to add; floats of 16 bits are converted to float32 if the target has another data type."""
    return values if values.dtype == out.dtype else widen(values)


def places_of(rows: Array, sizes: Sequence[int], *, negative: bool = False) -> Array:
    """Rows of positions as flat positions in a tensor of shape `sizes`; -1 for a row that is out of range."""
    numbers, good = np.zeros(rows.shape[:-1], np.int64), np.ones(rows.shape[:-1], np.bool_)
    for index, size in enumerate(sizes):
        column = rows[..., index]
        good &= (column >= (-size if negative else 0)) & (column < size)
        numbers = numbers * size + np.where(column < 0, column + size, column)
    return np.where(good, numbers, -1)


def apart(array: Array, out: Array | None) -> Array:
    """The array, or a copy if it shares memory with `out`."""
    return array if out is None else apart_from([out], array)


def of_positions(inputs: Sequence[Shape], outputs: Sequence[Shape], attributes: Attributes) -> Iterator[CutDims]:
    """The dimensions along which a step is cut into parts: those of the positions."""
    for dim in range(len(inputs[1])):
        yield None, dim, attributes["axis"] + dim


def of_slices(inputs: Sequence[Shape], outputs: Sequence[Shape], attributes: Attributes) -> Iterator[CutDims]:
    """The dimensions along which a step is cut into parts: those of a slice. The attribute `sizes` has the dimensions
    before a slice; without it there is one."""
    rank, several = len(inputs[0]), len(inputs[2])
    for dim in range(len(attributes.get("sizes", (0,))), rank):
        yield dim, None, several - rank + dim, dim


@repeatable
@with_out
@by(of_positions, times=QUICK, looked_up=[0])
def taken(x: Array, indices: Array, *, axis: int, negative: bool = False, out: Array | None = None) -> Array:
    """Slices of x at the positions `indices` along a dimension; 0 for a position out of range."""
    return take(x, apart(indices, out), axis, negative=negative, out=out)

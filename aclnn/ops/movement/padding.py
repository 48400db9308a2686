"""ConstantPadNd: a tensor with a value around it.

A padding has a pair of numbers, for the beginning and the end, for each dimension, from the last to the first.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from aclnn.op import (
    Arguments, Array, Bad, Planning, aclFormat, apart_from, copied, copies_elements, demand, empty, format_name,
    in_memory, listed, planned, ranks, repeatable, same_dtype, same_rank, shape,
)  # fmt: skip
from aclnn.ops.movement._family import Shape

Pair = tuple[int, int]


def pairs(values: Sequence[int], rank: int) -> list[Pair]:
    """The padding at the beginning and the end of each dimension."""
    known_pairs = list(zip(values[::2], values[1::2], strict=False))[::-1]
    return [(0, 0)] * (rank - len(known_pairs)) + known_pairs[-rank:] if rank else []


def padded(a: Arguments) -> Shape:
    padding = pairs(a["pad"].values, a.rank("self"))
    return tuple(size + begin + end for size, (begin, end) in zip(a.shape("self"), padding, strict=True))


def constant_format(a: Arguments) -> Bad:
    self_format, out_format = a["self"].storage_format, a["out"].storage_format
    same = self_format in (aclFormat.ACL_FORMAT_ND, out_format)
    return None if same else (format_name(out_format), format_name(self_format))


def even(a: Arguments) -> Bad:
    count = len(a["pad"].values)
    return (f"{count} numbers", "an even number") if count % 2 else None


def too_long(a: Arguments) -> Bad:
    count, most = len(a["pad"].values), 2 * a.rank("self")
    return None if count <= most else (f"{count} numbers", f"{most} or fewer, two for each dimension of self")


def cuts_too_much(a: Arguments) -> Bad:
    values = a["pad"].values
    rows = zip(a.shape("self"), pairs(values, a.rank("self")), strict=True)
    fits = all(size + min(begin, end, begin + end) >= 0 for size, (begin, end) in rows)
    return None if fits else (list(values), f"no more cut off than {list(a.shape('self'))} has")


def nothing_left(a: Arguments) -> Bad:
    values = a["pad"].values
    covered = padded(a)[a.rank("self") - len(values) // 2 :]
    bad = any(value > 0 for value in values) and 0 in covered
    return (list(values), "a dimension that has elements left, where another one is padded") if bad else None


@planned(
    "aclnnConstantPadNd", same_dtype("out", "self"), listed("self"),
    demand("{0} has the storage format of self, if that is not ND", "out", "self", bad=constant_format),
    ranks("self", "out", least=0, most=8), same_rank("out", "self"),
    demand("{0} has two numbers for a dimension", "pad", bad=even),
    demand("{0} has numbers for dimensions of self", "pad", "self", bad=too_long),
    demand("{0} cuts off no more than there is", "pad", "self", bad=cuts_too_much,
           broken="{0} cuts off more than {1} has"),
    shape("out", "{0} has the shape of self with the padding", padded),
    demand("{0} leaves elements in each dimension if one is padded", "pad", "self", bad=nothing_left), empty("out"),
)  # fmt: skip
def constant_pad(p: Planning) -> None:
    """out = self with value around it. Negative numbers cut elements off."""
    x = p.read("self")
    value, padding = p.scalar("value", x.dtype), pairs(p["pad"].values, len(x.shape))
    if not any(p["pad"].values):
        p.store("out", x)
        return
    p.store("out", p.step(surrounded, [x], padded(p), x.dtype, moves=True, value=value, around=padding))


@repeatable
@copies_elements
@in_memory
def surrounded(x: Array, *, out: Array, value: Any, around: list[Pair]) -> None:
    x, sizes = apart_from([out], x), out.shape
    inner = tuple(slice(max(begin, 0), size - max(end, 0)) for size, (begin, end) in zip(sizes, around, strict=True))
    source = tuple(
        slice(max(-begin, 0), size - max(-end, 0)) for size, (begin, end) in zip(x.shape, around, strict=True)
    )
    margin: Array = np.empty((1,) * out.ndim, out.dtype)
    margin[...] = value
    for axis, part in enumerate(inner):
        for side in (slice(0, part.start), slice(part.stop, None)):
            if (margins := out[(*inner[:axis], side)]).size:
                copied(margin, margins, part_of=out, keeps_source=True)
    copied(x[source], out[(*inner, ...)], part_of=out)

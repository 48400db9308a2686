"""SplitTensor and SplitWithSize: cut a tensor into pieces of one length, or of listed lengths."""

from math import ceil, prod

from aclnn.op import (
    T, Arguments, Array, Bad, DataTypes, Planning, Series, axis, copies_elements, demand, empty, listed, planned, ranks,
    uniform,
)  # fmt: skip


COMMON_TYPES = (
    T.ACL_DOUBLE, T.ACL_FLOAT, T.ACL_FLOAT16, T.ACL_BF16, T.ACL_INT64, T.ACL_INT32, T.ACL_INT16, T.ACL_INT8,
    T.ACL_UINT8, T.ACL_BOOL, T.ACL_COMPLEX128, T.ACL_COMPLEX64,
)  # fmt: skip
"""data types on every device"""
SPLIT_TYPES = DataTypes(COMMON_TYPES, {Series.A950: (T.ACL_UINT64, T.ACL_UINT32, T.ACL_UINT16)})
ON_AI_CPU = (T.ACL_DOUBLE, T.ACL_COMPLEX128, T.ACL_COMPLEX64)
"""data types whose kernel runs on the AI CPU; the documents do not list them"""
FEW, MANY = 32, 512
"""limits up to which shapes of pieces are checked: FEW for types on the AI Core before Ascend 950, MANY for all
others"""
Shape = tuple[int, ...]


def pieces(a: Arguments) -> list[tuple[int, Shape]]:
    """The begin of each piece along dim, and its shape; the last may be shorter."""
    shape, axis, length = a.shape("self"), a.axis("dim", "self"), a["splitSections"]
    size = shape[axis]
    return [
        (start, (*shape[:axis], min(length, size - start), *shape[axis + 1 :]))
        for start in range(0, size, max(length, 1))
    ]  # fmt: skip


def whole(a: Arguments) -> bool:
    """True if splitSections is the size of dim, so that the only piece is a copy of self."""
    return a.shape("self")[a.axis("dim", "self")] == a["splitSections"]


def wrong_section_length(a: Arguments) -> Bad:
    length, size = a["splitSections"], a.shape("self")[a.axis("dim", "self")]
    return None if (length == 0) == (size == 0) else (length, f"0 exactly if dim has the size 0; it has {size}")


def too_few_outputs(a: Arguments) -> Bad:
    count = 1 if whole(a) else ceil(a.shape("self")[a.axis("dim", "self")] / a["splitSections"])
    return None if count <= len(a["out"]) else (f"{len(a['out'])} tensors", f"{count} or more")


def shapes(a: Arguments) -> Bad:
    if whole(a):
        return None
    cut = pieces(a)
    if len(cut) > (MANY if a.dtype("self") in ON_AI_CPU or a.soc.series is Series.A950 else FEW):
        return None
    for number, ((_, right), member) in enumerate(zip(cut, a["out"], strict=False)):
        if member.shape != right and not (member.numel == 1 and all(size == 1 for size in right)):
            return f"out[{number}] {list(member.shape)}", list(right)
    return None


@planned(
    "aclnnSplitTensor", listed("self", "out", among=SPLIT_TYPES), uniform("out"), ranks("self", least=1, most=8),
    ranks("out", least=0, most=8), axis("dim", "self"),
    demand("{0} is a length for self", "splitSections", "self", "dim", bad=wrong_section_length), empty("self"),
    demand("{0} has a tensor for each piece", "out", "self", bad=too_few_outputs),
    demand("{0} have the shapes of the pieces", "out", "self", bad=shapes),
)  # fmt: skip
def split(p: Planning) -> None:
    """out = pieces of self, each splitSections long along dim; surplus tensors of out are not changed"""
    x, axis = p.read("self"), p.axis("dim", "self")
    if whole(p):
        p.put(p["out"][0], x)
        return
    for (start, shape), member in zip(pieces(p), p["out"], strict=False):
        p.put(member, p.step(piece, [x], shape, x.dtype, moves=True, start=start, end=start + shape[axis], axis=axis))


@copies_elements
def piece(self: Array, *, start: int, end: int, axis: int) -> Array:
    return self[(slice(None),) * axis + (slice(start, end),)]


def lengths(a: Arguments) -> tuple[int, ...]:
    return a["splitSize"].values


def wrong_sum(a: Arguments) -> Bad:
    size = a.shape("self")[a.axis("dim", "self")]
    good = sum(lengths(a)) == size and min(lengths(a), default=0) >= 0
    return None if good else (list(lengths(a)), f"lengths whose sum is {size}")


def wrong_output_count(a: Arguments) -> Bad:
    return None if len(a["out"]) == len(lengths(a)) else (f"{len(a['out'])} tensors", f"{len(lengths(a))}")


def sized_pieces(a: Arguments) -> list[tuple[int, Shape]]:
    shape, axis, start = a.shape("self"), a.axis("dim", "self"), 0
    pieces: list[tuple[int, Shape]] = []
    for length in lengths(a):
        pieces.append((start, (*shape[:axis], length, *shape[axis + 1 :])))
        start += length
    return pieces


def sized_shapes(a: Arguments) -> Bad:
    for number, ((_, right), member) in enumerate(zip(sized_pieces(a), a["out"], strict=True)):
        if len(lengths(a)) > 1 and member.shape != right and not member.numel == prod(right) == 1:
            return f"out[{number}] {list(member.shape)}", list(right)
    return None


@planned(
    "aclnnSplitWithSize", listed("self", "out", among=SPLIT_TYPES), ranks("self", least=1, most=8),
    ranks("out", least=0, most=8), axis("dim", "self"),
    demand("the sum of {0} is the size of self along {2}", "splitSize", "self", "dim", bad=wrong_sum),
    demand("{0} has a tensor for each piece", "out", "splitSize", bad=wrong_output_count), empty("self"),
    demand("{0} have the shapes of the pieces", "out", "self", bad=sized_shapes),
)  # fmt: skip
def split_with_size(p: Planning) -> None:
    """out = pieces of self along dim, with the lengths in splitSize"""
    x, axis = p.read("self"), p.axis("dim", "self")
    for (start, shape), member in zip(sized_pieces(p), p["out"], strict=True):
        p.put(member, p.step(piece, [x], shape, x.dtype, moves=True, start=start, end=start + shape[axis], axis=axis))

"""ScatterList: parts of the tensors of a list are replaced, each at a place of its own."""

from collections.abc import Sequence

import numpy as np

from aclnn.op import (
    PLAN, Arguments, Array, Bad, Planning, check_range, demand, in_memory, listed, one_of, planned, ranks, same_dtype,
    uniform, with_tensors,
)  # fmt: skip

LIST, PLACES, UPDATES, MASK = "varRef", "indice", "updates", "maskOptional"


def axis_of(a: Arguments) -> int:
    """The axis in a tensor of the list, counted from the end."""
    axis, rank = a["axis"], a.rank(UPDATES)
    return axis if axis < 0 else axis - rank


def wrong_axis(a: Arguments) -> Bad:
    rank = a.rank(UPDATES)
    return None if -rank < axis_of(a) < 0 else (a["axis"], f"a dimension of {UPDATES} behind the first")


def wrong_updates(a: Arguments) -> Bad:
    """Checks that updates has a part for each tensor, which fits it in all other dimensions."""
    shape, axis = a.shape(UPDATES), axis_of(a)
    if shape[:1] != (len(a[LIST]),):
        return list(shape), f"{len(a[LIST])} parts, one for each tensor"
    for tensor in a[LIST]:
        sizes = list(tensor.shape)
        if len(sizes) == len(shape) - 1:
            sizes[axis] = shape[axis]
        if tuple(sizes) != shape[1:]:
            return list(shape), f"parts that fit {list(tensor.shape)} except along the axis"
    return None


def wrong_places(a: Arguments) -> Bad:
    shape, count = a.shape(PLACES), len(a[LIST])
    return None if shape in ((count,), (count, 2)) else (list(shape), f"[{count}] or [{count}, 2]")


def wrong_mask(a: Arguments) -> Bad:
    shape, count = a.shape(MASK), len(a[LIST])
    return None if shape == (count,) else (list(shape), [count])


@planned(
    "aclnnScatterList", with_tensors(LIST), listed(LIST, PLACES, MASK), uniform(LIST), same_dtype(UPDATES, LIST),
    one_of("reduceOptional", "update"), ranks(LIST, least=1, most=7), ranks(UPDATES, least=2, most=8),
    demand("{0} is a dimension of {1} behind the first", "axis", UPDATES, bad=wrong_axis, status=PLAN),
    demand("{0} has a part for each tensor of {1}, which fits it", UPDATES, LIST, bad=wrong_updates, status=PLAN),
    demand("{0} has a start, or a start and a length, for each tensor of {1}", PLACES, LIST, bad=wrong_places,
           status=PLAN),
    demand("{0} has an element for each tensor of {1}", MASK, LIST, bad=wrong_mask, status=PLAN),
)  # fmt: skip
def scatter_list(p: Planning) -> None:
    """For each tensor b of varRef: varRef[b][..., s : s + n, ...] = updates[b][..., : n, ...] along axis, which counts
    the dimensions of updates. s = indice[b], and n = the size of updates; or [s, n] = indice[b], if indice has two
    dimensions. A tensor whose mask is 0 does not change."""
    axis = axis_of(p)
    inputs = [p.read(PLACES), p.read(UPDATES), *([p.read(MASK)] if p.given(MASK) else [])]
    tensors = p[LIST]
    sizes = tuple(tensor.shape[axis] for tensor in tensors)
    p.builder.launch(check_places, [inputs[0], *inputs[2:]], [], sizes=sizes, length=p.shape(UPDATES)[axis])
    p.builder.launch(put_parts, inputs, [p.builder.written(tensor) for tensor in tensors], moves=True, axis=axis)


def starts_and_lengths(places: Array, mask: Sequence[Array], length: int) -> tuple[Array, Array]:
    """The start and the length of each part. A masked part has the start and the length 0."""
    table = places.reshape(len(places), -1).astype(np.int64)
    starts = table[:, 0]
    lengths = table[:, 1] if table.shape[1] == 2 else np.full(len(table), length)
    for flags in mask:
        starts, lengths = np.where(flags != 0, starts, 0), np.where(flags != 0, lengths, 0)
    return starts, lengths


def check_places(places: Array, *mask: Array, sizes: tuple[int, ...], length: int) -> tuple[()]:
    """A step without outputs. It checks that each part lies in its tensor."""
    starts, lengths = starts_and_lengths(places, mask, length)
    check_range(lengths, name=PLACES, count=length + 1)
    for number, size in enumerate(sizes):
        alone = np.zeros_like(starts)
        alone[number] = starts[number]
        check_range(alone, name=PLACES, count=max(size - int(lengths[number]), 0) + 1)
    return ()


@in_memory
def put_parts(places: Array, updates: Array, *mask: Array, out: Sequence[Array], axis: int) -> None:
    """A part that exceeds its tensor is left out."""
    starts, lengths = starts_and_lengths(places, mask, updates.shape[axis])
    for tensor, part, start, length in zip(out, updates, starts, lengths, strict=True):
        if 0 <= length <= part.shape[axis] and 0 <= start <= tensor.shape[axis] - length:
            rest = (slice(None),) * (-axis - 1)
            tensor[(..., slice(start, start + length), *rest)] = part[(..., slice(0, length), *rest)]

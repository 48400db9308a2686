"""Slice and SliceV2: parts of a tensor, by bounds and steps."""

from collections.abc import Callable
from math import ceil

from aclnn.op import (
    Arguments, Bad, Planning, axis, demand, empty, listed, nulls, planned, positive, ranks, same_dtype, shape,
)  # fmt: skip
from aclnn.ops.movement._family import Shape, cut, as_view, own_dimensions


def span(start: int, end: int, step: int, size: int) -> tuple[int, int]:
    """The begin of a slice in a dimension, and the number of its elements. Bounds are clamped."""
    first = min(max(start + size if start < 0 else start, 0), size)
    last = min(max(end + size if end < 0 else end, first), size)
    return first, ceil((last - first) / step)


def sliced(a: Arguments) -> Shape:
    shape, axis = a.shape("self"), a.axis("dim", "self")
    return (*shape[:axis], span(a["start"], a["end"], a["step"], shape[axis])[1], *shape[axis + 1 :])


@planned(
    "aclnnSlice", same_dtype("out", "self"), listed("self"), ranks("self", least=1, most=8), axis("dim", "self"),
    positive("step"), shape("out", "{0} has the shape of the slice", sliced),
    empty("self"),
)  # fmt: skip
def slice_(p: Planning) -> None:
    """out = every step-th element of self along dim, from start to before end"""
    axis = p.axis("dim", "self")
    start, count = span(p["start"], p["end"], p["step"], p.shape("self")[axis])
    p.store("out", cut(as_view(p, "self"), axis, start, p["step"], count))


def cuts(a: Arguments) -> list[tuple[int, int, int, int]]:
    """The index, begin, step and length of the slice for each sliced dimension. The first len(steps) of axes are
    sliced."""
    shape, rank = a.shape("self"), max(a.rank("self"), 1)
    pieces: list[tuple[int, int, int, int]] = []
    dim: int
    for dim, start, end, step in zip(*(a[name].values for name in ("axes", "starts", "ends", "steps")), strict=False):
        first, count = span(start, end, step, shape[dim % rank])
        pieces.append((dim % rank, first, step, count))
    return pieces


def sliced_axes(a: Arguments) -> Shape:
    counts = {i: count for i, _, _, count in cuts(a)}
    return tuple(counts.get(dim, size) for dim, size in enumerate(a.shape("self")))


def different_axes(a: Arguments) -> Bad:
    values = a["axes"].values
    return None if len({value % a.rank("self") for value in values}) == len(values) else (list(values), "each once")


def as_long(name: str, *, shorter: bool = False) -> Callable[[Arguments], Bad]:
    def bad(a: Arguments) -> Bad:
        count, expected_count = len(a[name].values), len(a["axes"].values)
        fits = count <= expected_count if shorter else count == expected_count
        return (
            None if fits else (f"{count} values", f"{expected_count} values{' or fewer' if shorter else ''}, as axes")
        )

    return bad


def forward_steps(a: Arguments) -> Bad:
    values = a["steps"].values
    return None if all(value > 0 for value in values) else (list(values), "above 0")


@planned(
    "aclnnSliceV2", nulls("self", "out", "starts", "ends", "axes", "steps"), same_dtype("out", "self"),
    listed("self"), ranks("self", least=0, most=8),
    own_dimensions("axes", "self"),
    demand("{0} has no dimension twice", "axes", "self", bad=different_axes),
    demand("{0} has a value for each of axes", "starts", "axes", bad=as_long("starts")),
    demand("{0} has a value for each of axes", "ends", "axes", bad=as_long("ends")),
    demand("{0} has no more values than axes", "steps", "axes", bad=as_long("steps", shorter=True), provenance="ours"),
    demand("{0} are positive", "steps", bad=forward_steps), shape("out", "{0} has the shape of the slice", sliced_axes),
    empty("self"),
)  # fmt: skip
def slice_axes(p: Planning) -> None:
    """out = the slice of self along each of axes. A dimension for which steps has no value is not sliced."""
    x = as_view(p, "self")
    for piece in cuts(p):
        x = cut(x, *piece)
    p.store("out", x)

"""Slice and SliceV2: parts of a tensor, by bounds and steps."""

from collections.abc import Callable
from math import ceil

from aclnn.op import (
    Arguments, Bad, Planning, axis, demand, empty, listed, nulls, planned, positive, ranks, same_dtype, shape,
)  # fmt: skip
from aclnn.ops.movement._family import Shape, cut, lying, own_dimensions


def span(start: int, end: int, step: int, size: int) -> tuple[int, int]:
    """Where a slice begins in a dimension, and how many elements it has. Bounds are clamped."""
    first = min(max(start + size if start < 0 else start, 0), size)
    last = min(max(end + size if end < 0 else end, first), size)
    return first, ceil((last - first) / step)


def sliced(a: Arguments) -> Shape:
    given, at = a.shape("self"), a.axis("dim", "self")
    return (*given[:at], span(a["start"], a["end"], a["step"], given[at])[1], *given[at + 1 :])


@planned(
    "aclnnSlice", same_dtype("out", "self"), listed("self"), ranks("self", least=1, most=8), axis("dim", "self"),
    positive("step"), shape("out", "{0} has the shape of the slice", sliced),
    empty("self"),
)  # fmt: skip
def slice_(p: Planning) -> None:
    """out = every step-th element of self along dim, from start to before end"""
    at = p.axis("dim", "self")
    start, count = span(p["start"], p["end"], p["step"], p.shape("self")[at])
    p.store("out", cut(lying(p, "self"), at, start, p["step"], count))


def cuts(a: Arguments) -> list[tuple[int, int, int, int]]:
    """By dimension that is sliced: its number, where the slice begins, its step and its length. As many as steps."""
    given, rank = a.shape("self"), max(a.rank("self"), 1)
    found: list[tuple[int, int, int, int]] = []
    dim: int
    for dim, start, end, step in zip(*(a[name].values for name in ("axes", "starts", "ends", "steps")), strict=False):
        first, count = span(start, end, step, given[dim % rank])
        found.append((dim % rank, first, step, count))
    return found


def sliced_axes(a: Arguments) -> Shape:
    counts = {at: count for at, _, _, count in cuts(a)}
    return tuple(counts.get(at, size) for at, size in enumerate(a.shape("self")))


def different_axes(a: Arguments) -> Bad:
    values = a["axes"].values
    return None if len({each % a.rank("self") for each in values}) == len(values) else (list(values), "each once")


def as_long(name: str, *, shorter: bool = False) -> Callable[[Arguments], Bad]:
    def bad(a: Arguments) -> Bad:
        found, wanted = len(a[name].values), len(a["axes"].values)
        fits = found <= wanted if shorter else found == wanted
        return None if fits else (f"{found} values", f"{wanted} values{' or fewer' if shorter else ''}, as axes")

    return bad


def forward_steps(a: Arguments) -> Bad:
    values = a["steps"].values
    return None if all(each > 0 for each in values) else (list(values), "above 0")


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
    x = lying(p, "self")
    for each in cuts(p):
        x = cut(x, *each)
    p.store("out", x)

"""ClippedSwiglu and its gradient: a gated unit with limits for both halves, of all rows or of the first ones."""

from math import prod
from typing import Final

import numpy as np

from aclnn.op import (
    TILING, Arguments, Array, Bad, Operand, Planning, Relation, Series, demand, done, exact_sum, generated, in_memory,
    in_parts, lacks, listed, one_of, only_on, planned, positive, ranks, same_dtype, same_shape, shape, with_elements,
)  # fmt: skip
from aclnn.ops.activation._family import sigmoid
from aclnn.ops.activation.gated import even, halved

GROUPS, MOST_GROUPS = "groupIndexOptional", 8192


def out_of_range(a: Arguments) -> Bad:
    rank = a.rank("x")
    return None if -rank <= a["dim"] < rank else (a["dim"], f"[{-rank}, {rank - 1}]")


def too_many_groups(a: Arguments) -> Bad:
    count = a[GROUPS].numel
    return None if 1 <= count <= MOST_GROUPS else (f"{count} groups", f"1 to {MOST_GROUPS}")


RULES: Final[tuple[Relation, ...]] = (
    generated(), listed("x", GROUPS), same_dtype("out", "x"),
    done("out is empty", "out", when=lambda a: not a["out"].numel),
    ranks("x", "out", status=TILING), demand("{0} is a dimension of {1}", "dim", "x", bad=out_of_range, status=TILING),
    even("x", TILING), ranks(GROUPS, status=TILING),
    only_on(Series.A950, demand("{0} has 1 to 8192 elements", GROUPS, bad=too_many_groups, status=TILING),
            positive("limit", status=TILING)),
    shape("out", "{0} has the shape of a half of x", lambda a: halved(a, "x"), status=TILING),
)  # fmt: skip


@planned("aclnnClippedSwiglu", *RULES)
def clipped_swiglu(p: Planning) -> None:
    """out = A * sigmoid(alpha * A) * (B + bias). x is read as rows of the dimensions from dim on. A and B are the even
    and odd elements of a row, or without interleaved its halves. A is at most limit, and B lies in [-limit, limit].
    With groupIndex only the first rows are written, as many as the sum of groupIndex."""
    clip(p)


@planned(
    "aclnnClippedSwigluV2", lacks("clampMode 1", lambda a: a["clampMode"] == 1), *RULES,
    one_of("clampMode", 0, 1, status=TILING),
)  # fmt: skip
def clipped_swiglu_v2(p: Planning) -> None:
    """Like aclnnClippedSwiglu, if clampMode is 0"""
    clip(p)


def clip(p: Planning) -> None:
    pair, numbers = units(p), tuple(np.float32(p[name]) for name in ("alpha", "limit", "bias"))
    y = p.step(clipped, pair, pair[0].shape, p.dtype("x"), numbers=numbers)
    y = p.builder.reshape(y, p.shape("out"))
    if not p.given(GROUPS):
        p.store("out", y)
        return
    lead = p.axis("dim", of="x")
    p.builder.launch(first_rows, [y, p.read(GROUPS)], [p.builder.written(p["out"])], moves=True, lead=lead)


def units(p: Planning) -> list[Operand]:
    """A and B, as views of the rows of x."""
    lead = prod(p.shape("x")[: p.axis("dim", of="x")])
    rows = p.builder.reshape(p.read("x"), (lead, prod(p.shape("x")) // lead))
    size = rows.shape[1] // 2
    if not p["interleaved"]:
        return [rows.along(1, slice(0, size)), rows.along(1, slice(size, 2 * size))]
    pairs = p.builder.reshape(rows, (lead, size, 2))
    return [pairs.at(2, 0), pairs.at(2, 1)]


def clipped(a: Array, b: Array, *, numbers: tuple[np.float32, ...]) -> Array:
    alpha, limit, bias = numbers
    gate: Array = np.minimum(a, limit)
    factor: Array = np.minimum(np.maximum(b, np.negative(limit)), limit)
    return gate * sigmoid(gate * alpha) * (factor + bias)


@in_memory
def first_rows(y: Array, groups: Array, *, out: Array, lead: int) -> None:
    """Copies as many rows of the dimensions before `lead` as the sum of groups."""
    sizes = y.shape[:lead]
    number: Array = np.arange(prod(sizes)).reshape((*sizes, *(1,) * (y.ndim - lead)))
    np.copyto(out, y, where=number < exact_sum(groups))


# the gradient


@planned(
    "aclnnClippedSwigluGrad", generated(), listed("x", GROUPS), same_dtype("gradY", "x"), same_dtype("gradXOut", "x"),
    ranks("gradY", "x", "gradXOut", status=TILING),
    demand("{0} is a dimension of {1}", "dim", "x", bad=out_of_range, status=TILING), even("x", TILING),
    ranks(GROUPS, status=TILING),
    shape("gradY", "{0} has the shape of a half of x", lambda a: halved(a, "x"), status=TILING),
    same_shape("gradXOut", "x", status=TILING), with_elements("x", status=TILING),
)  # fmt: skip
def clipped_swiglu_grad(p: Planning) -> None:
    """The gradient of aclnnClippedSwiglu. An element that a limit changes has the gradient 0."""
    sizes = p.shape("x")
    lead = prod(sizes[: p.axis("dim", of="x")])
    x, grad = (p.builder.reshape(p.read(name), (lead, p[name].numel // lead)) for name in ("x", "gradY"))
    numbers = tuple(np.float32(p[name]) for name in ("alpha", "limit", "bias"))
    out = p.step(slopes, [grad, x], x.shape, x.dtype, numbers=numbers, interleaved=p["interleaved"])
    out = p.builder.reshape(out, sizes)
    if not p.given(GROUPS):
        p.store("gradXOut", out)
        return
    lead = p.axis("dim", of="x")
    p.builder.launch(first_rows, [out, p.read(GROUPS)], [p.builder.written(p["gradXOut"])], moves=True, lead=lead)


@in_parts([-1])
def slopes(grad: Array, x: Array, *, numbers: tuple[np.float32, ...], interleaved: bool) -> Array:
    alpha, limit, bias = numbers
    half = x.shape[1] // 2
    first, second = (slice(None, None, 2), slice(1, None, 2)) if interleaved else (slice(half), slice(half, None))
    a, b = x[:, first], x[:, second]
    gate: Array = np.minimum(a, limit)
    factor: Array = np.minimum(np.maximum(b, np.negative(limit)), limit)
    s = sigmoid(gate * alpha)
    out = np.empty_like(x)
    out[:, first] = np.where(a <= limit, grad * (factor + bias) * (s + gate * alpha * s * (1 - s)), np.float32(0))
    out[:, second] = np.where(np.abs(b) <= limit, grad * gate * s, np.float32(0))
    return out

"""SwiGluQuant: quantises the result of a gated activation, with smooth factors for each group of rows."""

from math import prod
from typing import Final

import numpy as np

from aclnn.op import (
    TILING, Arguments, Array, Bad, Operand, Planning, Relation, Shape, T, demand, generated, in_parts, listed, one_of,
    planned, ranks, required, same_shape, shape, with_elements,
)  # fmt: skip
from aclnn.ops.activation.smooth import silu_of
from aclnn.ops.quantisation._family import Limits, grid, named_type, on_grid

SMOOTH, OFFSETS, GROUPS = "smoothScalesOptional", "offsetsOptional", "groupIndexOptional"
MOST_COLUMNS: Final = 8192
"""the limit of the length of a row of x"""


def half(a: Arguments) -> Shape:
    whole = a.shape("x")
    return (*whole[:-1], whole[-1] // 2)


def bad_row(a: Arguments) -> Bad:
    last = a.shape("x")[-1]
    unit = 4 if a.dtype("yOut") == T.ACL_INT4 else 2
    return (
        None
        if last % unit == 0 and last <= MOST_COLUMNS
        else (f"{last} elements", f"a multiple of {unit}, at most {MOST_COLUMNS}")
    )


def other_groups(a: Arguments) -> Bad:
    """Checks that each group has a row of factors, or one factor. Without groupIndex there is one group."""
    shape, count = a.shape(SMOOTH), a.shape(GROUPS)[0] if a.given(GROUPS) else 1
    expected_shape = (count, half(a)[-1])
    return None if shape in (expected_shape[:1], expected_shape) else (list(shape), f"{expected_shape} or ({count})")


def contract(*values: Relation) -> tuple[Relation, ...]:
    return (
        generated(), listed("x", SMOOTH, OFFSETS, GROUPS, "yOut", "scaleOut"),
        one_of("quantModeOptional", "static", "dynamic", status=TILING, provenance="public"), *values,
        ranks("x", least=1, most=8, status=TILING),
        with_elements("x", status=TILING),
        demand("a row of {0} has two halves, and is not too long", "x", bad=bad_row, status=TILING),
        ranks(GROUPS, least=1, most=1, status=TILING), ranks(SMOOTH, least=1, most=2, status=TILING),
        demand("{0} has a row, or an element, for each group", SMOOTH, bad=other_groups, status=TILING),
        same_shape(OFFSETS, SMOOTH, status=TILING),
        shape("yOut", "{0} has the shape of a half of x", half, status=TILING),
        shape("scaleOut", "{0} has an element for each row of x", lambda a: a.shape("x")[:-1], status=TILING),
    )  # fmt: skip


def plan(p: Planning, *, counts: bool) -> None:
    """Plan the result. `counts`: True if groupIndex has the number of rows of each group, False if it has the ends."""
    whole = p.shape("x")
    rows = prod(whole[:-1])
    x = p.builder.reshape(p.read("x"), (rows, whole[-1]))
    values = p.step(gated, [x], (rows, whole[-1] // 2), T.ACL_FLOAT, left=p["activateLeft"])
    if p.given(SMOOTH):
        values = p.step(np.multiply, [values, per_row(p, SMOOTH, rows, 1.0, counts=counts)], values.shape, T.ACL_FLOAT)
    dtype = p.dtype("yOut")
    if p["quantModeOptional"] == "static":
        offsets = [per_row(p, OFFSETS, rows, 0.0, counts=counts)] if p.given(OFFSETS) else []
        y = p.step(shifted, [values, *offsets], values.shape, dtype, **grid(dtype))
    else:
        y, scale = p.steps(multiplied, [values], [(values.shape, dtype), ((rows, 1), T.ACL_FLOAT)], **grid(dtype))
        p.store("scaleOut", p.builder.reshape(scale, whole[:-1]))
    p.store("yOut", p.builder.reshape(y, half(p)))


def per_row(p: Planning, name: str, rows: int, beyond: float, *, counts: bool) -> Operand:
    """The factors or offsets of each row; rows behind the last group get `beyond`."""
    inputs = [p.read(each) for each in (name, GROUPS) if p.given(each)]
    width = p.shape(name)[1:] or (1,)
    return p.step(of_rows, inputs, (rows, *width), T.ACL_FLOAT, rows=rows, beyond=beyond, counts=counts)


def of_rows(table: Array, *groups: Array, rows: int, beyond: float, counts: bool) -> Array:
    table = table.reshape(len(table), prod(table.shape[1:]))
    if not groups:
        return np.broadcast_to(table, (rows, table.shape[1]))
    ends = np.cumsum(groups[0]) if counts else groups[0]
    numbers = np.searchsorted(ends, np.arange(rows), side="right")
    last = np.full((1, table.shape[1]), beyond, table.dtype)
    return np.concatenate((table, last))[numbers]


@in_parts([-1])
def gated(x: Array, *, left: bool) -> Array:
    size = x.shape[1] // 2
    first, second = x[:, :size], x[:, size:]
    return silu_of(first) * second if left else first * silu_of(second)


@in_parts()
def shifted(x: Array, *offsets: Array, rounding: str, limits: Limits) -> Array:
    for offset in offsets:
        x = x + offset
    return on_grid(x, rounding=rounding, limits=limits)


@in_parts([-1])
def multiplied(x: Array, *, rounding: str, limits: Limits) -> tuple[Array, Array]:
    """Quantised rows, and their scales, which are multipliers. A row of zeros stays, with an infinite scale."""
    scale = np.float32(limits[1]) / np.abs(x).max(1, keepdims=True)
    y = np.where(np.isinf(scale), np.float32(0), x * scale)
    return on_grid(y, rounding=rounding, limits=limits), scale


@planned("aclnnSwiGluQuant", required(SMOOTH), *contract())
def swi_glu_quant(p: Planning) -> None:
    """z = silu(A) * B * smooth[g], where A and B are the halves of a row of x, and g is the group of the row: group g
    ends before row groupIndex[g]. If activateLeft is false, z = A * silu(B) * smooth[g]. dynamic: scaleOut = 127 /
    max|z| of each row, and yOut = z * scaleOut, rounded half to even. static: yOut = z + offsets[g], and scaleOut is
    not written."""
    plan(p, counts=False)


@planned(
    "aclnnSwiGluQuantV2", *contract(
        one_of("groupListType", 0, 1, status=TILING, provenance="public"), named_type("dstType", "yOut", status=TILING),
    ),
)  # fmt: skip
def swi_glu_quant_v2(p: Planning) -> None:
    """Like aclnnSwiGluQuant. With groupListType 1, groupIndex has the number of rows of each group. For INT4 the
    multiplier is 7 / max|z|."""
    plan(p, counts=p["groupListType"] == 1)

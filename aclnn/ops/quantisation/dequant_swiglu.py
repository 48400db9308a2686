"""DequantSwigluQuant: dequantises the integers of a product, applies a gated activation, and quantises the result."""

from collections.abc import Callable
from math import prod
from typing import Any, Final

import numpy as np

from aclnn.op import (
    ACLNN_ERR_PARAM_NULLPTR, TILING, Arguments, Array, Bad, Operand, Planning, Relation, Series, T, demand, generated,
    in_parts, lacks, listed, one_of, planned, ranks, shape,
)  # fmt: skip
from aclnn.ops.activation._family import sigmoid
from aclnn.ops.activation.smooth import silu_of
from aclnn.ops.quantisation._family import ROUNDINGS, Limits, by_rows, grid, named_type, on_grid, rescaled
from aclnn.ops.quantisation.swiglu import half, of_rows

OF_COLUMNS: Final = ("weightScaleOptional", "biasOptional")
OF_RESULTS: Final = ("quantScaleOptional", "quantOffsetOptional")
ROWS, GROUPS = "activationScaleOptional", "groupIndexOptional"
INPUTS: Final = ("x", *OF_COLUMNS, ROWS, *OF_RESULTS, GROUPS)
MOST_COLUMNS: Final = 5120
"""the limit of the length of a row of yOut on Ascend 950"""


def dynamic(a: Arguments) -> bool:
    return a["quantModeOptional"] == "dynamic"


def missing_scales(a: Arguments) -> Bad:
    bad = a.dtype("x") == T.ACL_INT32 and not a.given(OF_COLUMNS[0])
    return ("INT32", "a float, as weightScaleOptional is null") if bad else None


def needless(a: Arguments) -> Bad:
    present = [name for name in (*OF_COLUMNS, ROWS) if a.given(name)]
    return (f"a float, and {present[0]}", "INT32") if present and a.dtype("x") != T.ACL_INT32 else None


def needless_offset(a: Arguments) -> Bad:
    return ("a tensor", "null, as the mode is dynamic") if dynamic(a) else None


def only_dynamic(a: Arguments) -> Bad:
    newest = a.soc.series is Series.A950
    return (a["quantModeOptional"], "dynamic on Ascend 950") if newest and not dynamic(a) else None


def in_pairs(a: Arguments) -> bool:
    return a.given(GROUPS) and a.rank(GROUPS) == 2


def bad_row(a: Arguments) -> Bad:
    last = a.shape("x")[-1]
    long = a.soc.series is Series.A950 and last > 2 * MOST_COLUMNS
    bad = last == 0 or last % 2 or long
    return (f"{last} elements", f"an even number, at most {2 * MOST_COLUMNS} on Ascend 950") if bad else None


def a_row_for_groups(name: str, length: Callable[[Arguments], int]) -> Relation:
    """Checks that a tensor has a row for each group, or one row. In the mode static, one number may replace a row of
    scales."""

    def bad(a: Arguments) -> Bad:
        shape, expected_length = a.shape(name), length(a)
        groups = a.shape(GROUPS)[0] if a.given(GROUPS) else 1
        single = name in OF_RESULTS and not dynamic(a) and shape == (1,)
        return (
            None
            if single or shape in ((expected_length,), (groups, expected_length))
            else (list(shape), f"({expected_length}) or ({groups}, {expected_length})")
        )

    return demand("{0} has a row, or one for each group", name, bad=bad, status=TILING)


def per_row(a: Arguments) -> Bad:
    rows = prod(a.shape("x")[:-1])
    return None if a[ROWS].numel == rows else (list(a.shape(ROWS)), f"{rows} elements, as x has rows")


def contract(*values: Relation) -> tuple[Relation, ...]:
    """The relations of a version. `values`: the checks of further attributes."""
    return (
        generated(), lacks("pairs in groupIndexOptional", in_pairs), listed(*INPUTS, "yOut", "scaleOut"),
        demand("{0} is a float if weightScaleOptional is null", "x", bad=missing_scales,
               status=ACLNN_ERR_PARAM_NULLPTR),
        one_of("quantModeOptional", "static", "dynamic", status=TILING, provenance="public"), *values,
        demand("{0} is dynamic on Ascend 950", "quantModeOptional", bad=only_dynamic, status=TILING),
        demand("{0} is null if the mode is dynamic", "quantOffsetOptional", bad=needless_offset, status=TILING),
        demand("{0} is INT32 if it has scales or a bias", "x", bad=needless, status=TILING, provenance="public"),
        ranks("x", least=2, most=8, status=TILING), ranks(GROUPS, least=1, most=2, status=TILING),
        demand("a row of {0} has two halves, and is not too long", "x", bad=bad_row, status=TILING),
        *(a_row_for_groups(name, lambda a: a.shape("x")[-1]) for name in OF_COLUMNS),
        demand("{0} has an element for each row of {1}", ROWS, "x", bad=per_row, status=TILING),
        *(a_row_for_groups(name, lambda a: half(a)[-1]) for name in OF_RESULTS),
        shape("yOut", "{0} has the shape of a half of x", half, status=TILING),
        shape("scaleOut", "{0} has an element for each row of x", lambda a: a.shape("x")[:-1], status=TILING),
    )  # fmt: skip


def plan(p: Planning, *, rounding: str = "rint", mode: int = 0, **numbers: Any) -> None:
    whole = p.shape("x")
    rows, columns = prod(whole[:-1]), whole[-1]
    x = p.builder.reshape(p.read("x"), (rows, columns))
    gated_rows = p.step(gated, [restored(p, x)], (rows, columns // 2), T.ACL_FLOAT, left=p["activateLeft"], mode=mode,
                   **numbers)  # fmt: skip
    scales, offsets = ([spread(p, name, rows)] if p.given(name) else [] for name in OF_RESULTS)
    dtype = p.dtype("yOut")
    attributes = grid(dtype, rounding)
    if dynamic(p):
        y, scale = p.steps(
            by_rows, [gated_rows, *scales], [(gated_rows.shape, dtype), ((rows, 1), T.ACL_FLOAT)], **attributes
        )
        p.store("scaleOut", p.builder.reshape(scale, whole[:-1]))
    else:
        y = p.step(divided, [gated_rows, *scales, *offsets], gated_rows.shape, dtype, scales=len(scales), **attributes)
    p.store("yOut", p.builder.reshape(y, half(p)))


def restored(p: Planning, x: Operand) -> Operand:
    """x dequantised to FLOAT, with its scales and its bias."""
    if x.dtype != T.ACL_INT32:
        return p.builder.cast(x, T.ACL_FLOAT)
    rows = x.shape[0]
    bias = [spread(p, "biasOptional", rows)] if p.given("biasOptional") else []
    early, late = (bias, []) if bias and bias[0].dtype == T.ACL_INT32 else ([], bias)
    scales = [spread(p, "weightScaleOptional", rows)]
    if p.given(ROWS):
        scales.append(p.builder.reshape(p.read(ROWS), (rows, 1)))
    if early:
        x = p.step(np.add, [x, *early], x.shape, x.dtype)
    return p.step(rescaled, [x, *scales, *late], x.shape, T.ACL_FLOAT, scales=len(scales))


def spread(p: Planning, name: str, rows: int) -> Operand:
    """For each row, the row of a table for its group. Rows behind the last group have zeros."""
    width, table = p.shape(name)[-1], p.read(name)
    groups = [p.read(GROUPS)] if p.given(GROUPS) and len(table.shape) == 2 else []
    table = p.builder.reshape(table, (prod(table.shape[:-1]), width))
    return p.step(of_rows, [table, *groups], (rows, width), table.dtype, rows=rows, beyond=0, counts=True)


@in_parts([-1])
def gated(
    x: Array, *, left: bool, mode: int, limit: float = 0, alpha: float = 0, bias: float = 0
) -> Array:  # fmt: skip
    size = x.shape[1] // 2
    halves = (x[:, ::2], x[:, 1::2]) if mode == 1 else (x[:, :size], x[:, size:])
    gate, line = halves if left or mode == 1 else halves[::-1]
    if mode == 0:
        return silu_of(gate) * line
    most = np.float32(limit)
    line = np.minimum(np.maximum(line, np.float32(-limit)), most)
    if mode == 3:
        return np.minimum(silu_of(gate), most) * line
    gate = np.minimum(gate, most)
    return gate * sigmoid(gate * np.float32(alpha)) * (line + np.float32(bias))


@in_parts()
def divided(x: Array, *others: Array, scales: int, rounding: str, limits: Limits) -> Array:
    for scale in others[:scales]:
        x = x / scale
    for offset in others[scales:]:
        x = x + offset
    return on_grid(x, rounding=rounding, limits=limits)


@planned("aclnnDequantSwigluQuant", *contract())
def dequant_swiglu_quant(p: Planning) -> None:
    """d = x * weightScale * activationScale + bias, and v = silu(A) * B, where A and B are the halves of a row of d. v
    = A * silu(B) if activateLeft is false. static: yOut = v / quantScale + quantOffset, rounded half to even. dynamic:
    v * quantScale is quantised with scaleOut = max|v * quantScale| / 127 of each row. groupIndex is the number of rows
    of each group. A group may have a separate row of the scales and of the bias."""
    plan(p)


def unknown_axis(a: Arguments) -> Bad:
    last = a.rank("x") - 1
    return None if a["activateDim"] in (-1, last) else (a["activateDim"], f"-1 or {last}")


EXTENDED: Final[tuple[Relation, ...]] = (
    named_type("dstType", "yOut", status=TILING),
    one_of("roundModeOptional", *ROUNDINGS, status=TILING, provenance="public"),
    demand("{0} is the last dimension of {1}", "activateDim", "x", bad=unknown_axis, status=TILING),
    one_of("swigluMode", 0, 1, 2, 3, status=TILING, provenance="public"),
)


@planned("aclnnDequantSwigluQuantV2", *contract(*EXTENDED))
def dequant_swiglu_quant_v2(p: Planning) -> None:
    """Like aclnnDequantSwigluQuant. With swigluMode 1 and 2, v = g * sigmoid(gluAlpha * g) * (l + gluBias), where g =
    min(A, clampLimit), and l is B, clipped to clampLimit. With swigluMode 1, A has the even elements of a row, and B
    the odd ones. With swigluMode 3, v = min(silu(A), clampLimit) * l."""
    numbers: dict[str, Any] = {"limit": p["clampLimit"], "alpha": p["gluAlpha"], "bias": p["gluBias"]}
    plan(p, rounding=p["roundModeOptional"] or "rint", mode=p["swigluMode"], **numbers)

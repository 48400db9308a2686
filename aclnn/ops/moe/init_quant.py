"""MoeInitRoutingQuant and V2: tokens in the order of their experts, quantised to INT8."""

from typing import Final

import numpy as np

from aclnn.op import (
    TILING, Arguments, Array, Bad, Planning, Shape, T, demand, in_parts, lacks, listed, may_be_null, one_of, planned,
    public_format, shape,
)  # fmt: skip
from aclnn.ops.moe._init_v3_contract import DYNAMIC, OFFSET, SCALE, STATIC
from aclnn.ops.moe.init_v2 import (
    BEFORE, CAPACITY, COUNTED, EXPERTS, PLACES, ROWS, count_tokens, expanded, padded, per_token, row_count, shapes,
    value, watched,
)  # fmt: skip
from aclnn.ops.moe.init_v3 import chosen, inverse, ordered, quantised, static
from aclnn.ops.moe.routing import PLACES as BOTH_PLACES
from aclnn.ops.moe.routing import SHAPES, expand
from aclnn.ops.quantisation._family import Limits, grid, on_grid

SCALES: Final = "dynamicQuantScaleOutOptional"
ALL_NUMBERS: Final = (-(2**31), 2**31)
"""the range of experts whose number is not given"""


@planned("aclnnMoeInitRoutingQuant", listed("x", "rowIdx", "expertIdx", "expandedXOut", *BOTH_PLACES), *SHAPES)
def moe_init_routing_quant(p: Planning) -> None:
    """Like aclnnMoeInitRouting. expandedX = x * scale + offset, rounded to INT8 and saturated"""
    x = p.read("x")
    expand(p, p.step(by_numbers, [x], x.shape, T.ACL_INT8, scale=p["scale"], offset=p["offset"], **grid(T.ACL_INT8)))


@in_parts()
def by_numbers(x: Array, *, scale: float, offset: float, rounding: str, limits: Limits) -> Array:
    return on_grid(x * np.float32(scale) + np.float32(offset), rounding=rounding, limits=limits)


def lacks_factors(a: Arguments) -> Bad:
    missing = a["quantMode"] == STATIC and not (a.given(SCALE) and a.given(OFFSET))
    return (STATIC, f"{DYNAMIC}, as {SCALE} or {OFFSET} is null") if missing else None


def wrong_scale(a: Arguments) -> Bad:
    number, size = value(a, EXPERTS), a.shape("x")[1]
    allowed = [(1,)] if a["quantMode"] == STATIC else [(1, size), *([(number, size)] if number else [])]
    return None if a.shape(SCALE) in allowed else (list(a.shape(SCALE)), " or ".join(map(str, allowed)))


def scales_shape(a: Arguments) -> Shape | None:
    return (row_count(a),) if a["quantMode"] == DYNAMIC else None


@planned(
    "aclnnMoeInitRoutingQuantV2", may_be_null(COUNTED, BEFORE, SCALES),
    lacks("a result of INT4", lambda a: a.dtype(ROWS) == T.ACL_INT4),
    listed("x", "expertIdx", SCALE, OFFSET, ROWS, PLACES, COUNTED, BEFORE, SCALES), public_format("x", "expertIdx"),
    *shapes("", 2), one_of("quantMode", STATIC, DYNAMIC, status=TILING),
    demand("{0} has its scale and its offset", "quantMode", bad=lacks_factors, status=TILING),
    demand("{0} has the shape of its quantMode", SCALE, bad=wrong_scale, status=TILING),
    shape(OFFSET, "{0} is one number", lambda a: (1,) if a["quantMode"] == STATIC else None, status=TILING),
    shape(SCALES, "{0} has an element for each row of expandedX", scales_shape, status=TILING),
)  # fmt: skip
def moe_init_routing_quant_v2(p: Planning) -> None:
    """Like aclnnMoeInitRoutingV2, with rows in INT8. quantMode 0: expandedX = x * scale + offset, rounded. quantMode 1:
    expandedX = v / dynamicQuantScale, rounded, with v = the token times the row of scale for its expert, if there is a
    scale, and dynamicQuantScale = max|v| / 127 of each row."""
    experts, number = watched(p), value(p, EXPERTS)
    capacity = value(p, CAPACITY) if padded(p) else 0
    begin, end = (0, number) if number else ALL_NUMBERS
    places = number * capacity if capacity else p["expertIdx"].numel
    order = p.step(ordered, [experts], (places,), T.ACL_INT32, begin=begin, end=end, capacity=capacity)
    p.store(PLACES, p.step(inverse, [order], p.shape(PLACES), T.ACL_INT32))
    count_tokens(p, experts)
    flat = (row_count(p), p.shape("x")[1])
    if p["quantMode"] == STATIC:
        rows = p.step(chosen, [order, static(p)], flat, T.ACL_INT8, moves=True, per_token=per_token(p), zeros=True)
    else:
        scale = [p.read(SCALE)] if p.given(SCALE) else []
        rows, scales = p.steps(quantised, [p.read("x"), order, experts, *scale],
                               [(flat, T.ACL_INT8), (flat[:1], T.ACL_FLOAT)], per_token=per_token(p), begin=0,
                               zeros=True)  # fmt: skip
        p.store(SCALES, scales)
    p.store(ROWS, p.builder.reshape(rows, expanded(p)))

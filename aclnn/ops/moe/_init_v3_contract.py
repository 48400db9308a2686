"""The contract of MoeInitRoutingV3: the calls that its kernel accepts, and the shapes of its outputs."""

from typing import Final

from aclnn.op import (
    UP_TO_32_BITS, Arguments, Bad, DataTypes, Series, Shape, T, demand, in_range, lacks, listed, one_of, only_if, ranks,
    refused_by_kernel, shape,
)  # fmt: skip
from aclnn.ops.moe.routing import wrong_rows

SCALE, OFFSET, RANGE = "scaleOptional", "offsetOptional", "activeExpertRangeOptional"
ROWS, PLACES, COUNTED, SCALES = OUTPUTS = (
    "expandedXOut", "expandedRowIdxOut", "expertTokensCountOrCumsumOut", "expandedScaleOut",
)  # fmt: skip
NONE, STATIC, DYNAMIC = -1, 0, 1
"""the values of quantMode; on Ascend 950 there are more"""
LAST_MODE: Final = 17
SUMS, COUNTS, PAIRS = 0, 1, 2
"""the values of expertTokensNumType"""
GATHER, SCATTER = 0, 1
"""the values of rowIdxType"""
MOST_EXPERTS: Final = 10240

MOST_IN_PAIRS: Final = 5120
BEFORE_950: Final = (*UP_TO_32_BITS, T.ACL_INT8)
FLOATS_OF_950: Final = (T.ACL_HIFLOAT8, T.ACL_FLOAT4_E2M1, T.ACL_FLOAT8_E4M3FN, T.ACL_FLOAT8_E5M2)
X_TYPES: Final = DataTypes(BEFORE_950, {Series.A950: FLOATS_OF_950})
ROW_TYPES: Final = DataTypes(BEFORE_950, {Series.A950: (*FLOATS_OF_950, T.ACL_INT4)})
SCALE_TYPES: Final = DataTypes((T.ACL_FLOAT,), {Series.A950: (T.ACL_FLOAT8_E8M0,)})


def on_950(a: Arguments) -> bool:
    return a.soc.series is Series.A950


def padded(a: Arguments) -> bool:
    """True if each expert has a capacity."""
    return a["dropPadMode"] == 1


def ends(a: Arguments) -> tuple[int, int]:
    """The first active expert, and the end of the range."""
    values = a[RANGE].values if a.given(RANGE) else ()
    return (values[0], values[1]) if values else (0, a["expertNum"])


def of_950(a: Arguments) -> bool:
    """True for a quantMode that only Ascend 950 has."""
    return a["quantMode"] > DYNAMIC


def microscaled(a: Arguments) -> bool:
    return a.given(SCALE) and a.dtype(SCALE) == T.ACL_FLOAT8_E8M0


def computed(a: Arguments) -> bool:
    return not (of_950(a) or microscaled(a))


def row_count(a: Arguments) -> int:
    """The rows of expandedX."""
    every, active = a["expertIdx"].numel, a["activeNum"]
    if padded(a):
        return a["expertNum"] * a["expertCapacity"]
    return min(active, every) if active > 0 else every


def expanded(a: Arguments) -> Shape:
    size = a.shape("x")[1]
    return (a["expertNum"], a["expertCapacity"], size) if padded(a) else (row_count(a), size)


def counts_shape(a: Arguments) -> Shape | None:
    begin, end = ends(a)
    if not a["expertTokensNumFlag"]:
        return None
    return (a["expertNum"], 2) if a["expertTokensNumType"] == PAIRS else (end - begin,)


def wrong_range(a: Arguments) -> Bad:
    values, most = list(a[RANGE].values), MOST_IN_PAIRS if a["expertTokensNumType"] == PAIRS else MOST_EXPERTS
    good = not values or (len(values) == 2 and 0 <= values[0] < values[1] <= min(a["expertNum"], most))
    return None if good else (values, f"two ends in order, up to {min(a['expertNum'], most)}, or no numbers")


def wrong_number(a: Arguments) -> Bad:
    pairs = a["expertTokensNumType"] == PAIRS and ends(a)[1] > MOST_IN_PAIRS
    return (a["expertNum"], f"at most {MOST_IN_PAIRS}, as experts are counted in pairs") if pairs else None


def wrong_capacity(a: Arguments) -> Bad:
    rows = a.shape("x")[0]
    return None if 0 < a["expertCapacity"] <= rows else (a["expertCapacity"], f"1 to {rows}, the rows of x")


def not_all_experts(a: Arguments) -> Bad:
    return None if ends(a) == (0, a["expertNum"]) else (list(ends(a)), "all experts, as each has a capacity")


def no_counts(a: Arguments) -> Bad:
    fine = not a["expertTokensNumFlag"] or a["expertTokensNumType"] == COUNTS
    return None if fine else (a["expertTokensNumType"], f"{COUNTS}, as each expert has a capacity")


def wrong_mode(a: Arguments) -> Bad:
    last = LAST_MODE if on_950(a) else DYNAMIC
    return None if NONE <= a["quantMode"] <= last else (a["quantMode"], f"{NONE} to {last}")


def wrong_result(a: Arguments) -> Bad:
    expected_dtype = a.dtype("x") if a["quantMode"] == NONE else T.ACL_INT8
    fine = not computed(a) or a.dtype(ROWS) == expected_dtype
    return None if fine else (a.type_name(ROWS), "INT8, or without a quantMode that of x")


def wrong_scales(a: Arguments) -> Bad:
    fine = scales_shape(a) is None or a.dtype(SCALES) == T.ACL_FLOAT
    return None if fine else (a.type_name(SCALES), "FLOAT")


def lacks_factors(a: Arguments) -> Bad:
    missing = a["quantMode"] == STATIC and not (a.given(SCALE) and a.given(OFFSET))
    return (STATIC, f"{DYNAMIC} or {NONE}, as {SCALE} or {OFFSET} is null") if missing else None


def wrong_scale(a: Arguments) -> Bad:
    (rows, size), (begin, end), mode = a.shape("x"), ends(a), a["quantMode"]
    allowed = {NONE: [(rows,)], STATIC: [(1,)], DYNAMIC: [(end - begin, size), (1, size)]}.get(mode, [])
    return None if not computed(a) or a.shape(SCALE) in allowed else (list(a.shape(SCALE)), str(allowed))


def scales_shape(a: Arguments) -> Shape | None:
    written = a["quantMode"] in (NONE, DYNAMIC) and a.given(SCALE) and computed(a)
    return (row_count(a),) if written else None


CONTRACT: Final = (
    lacks("a quantMode above 1", of_950), lacks("a scale of FLOAT8_E8M0", microscaled),
    only_if("the product is Ascend 950", on_950,
            listed("x", "expertIdx", SCALE, OFFSET, *OUTPUTS, unless=lambda tensor: not tensor.numel)),
    refused_by_kernel(
        listed("x", among=X_TYPES), listed("expertIdx"), listed(SCALE, among=SCALE_TYPES), listed(OFFSET),
        listed(ROWS, among=ROW_TYPES), listed(PLACES, COUNTED), listed(SCALES, among=SCALE_TYPES),
        demand("{0} goes with the data type of {1}, and with {2}", ROWS, "x", "quantMode", bad=wrong_result),
        demand("{0} of scales is FLOAT", SCALES, bad=wrong_scales),
        one_of("dropPadMode", 0, 1),
        only_if("no expert has a capacity", lambda a: not padded(a), in_range("activeNum", -1, 2**63 - 1)),
        in_range("expertNum", 1, MOST_EXPERTS), one_of("expertTokensNumType", SUMS, COUNTS, PAIRS),
        demand("{0} has the first expert and the one behind the last", RANGE, bad=wrong_range),
        demand("{0} can be counted in pairs", "expertNum", bad=wrong_number),
        demand("{0} is one of the product", "quantMode", bad=wrong_mode), one_of("rowIdxType", GATHER, SCATTER),
        ranks("x", "expertIdx", least=2, most=2), demand("{0} has the rows of x", "expertIdx", "x", bad=wrong_rows),
        only_if("each expert has a capacity", padded,
                demand("{0} is at most the rows of x", "expertCapacity", bad=wrong_capacity),
                one_of("rowIdxType", GATHER), demand("{0} are all experts", "expertNum", bad=not_all_experts),
                demand("{0} is that of counts", "expertTokensNumType", bad=no_counts)),
        demand("{0} has its scale and its offset", "quantMode", bad=lacks_factors),
        demand("{0} has the shape of its quantMode", SCALE, bad=wrong_scale),
        shape(OFFSET, "{0} is one number", lambda a: (1,) if a["quantMode"] == STATIC else None),
        shape(ROWS, "{0} has a row for each place of an expert", lambda a: expanded(a) if computed(a) else None),
        shape(PLACES, "{0} has an element for each expert of a token", lambda a: (a["expertIdx"].numel,)),
        shape(COUNTED, "{0} has a number for each active expert, or a pair for each expert", counts_shape),
        shape(SCALES, "{0} has an element for each row of expandedX", scales_shape),
    ),
)  # fmt: skip

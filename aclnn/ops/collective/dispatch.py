"""MoeDistributeDispatch: the tokens of all ranks go to the ranks of their experts."""

from typing import Final

from aclnn.op import (
    ACLNN_ERR_PARAM_NULLPTR, HALVES, TILING, Arguments, Array, Bad, DataTypes, Operand, Planning, Relation, Series, T,
    check_range, demand, except_on, in_range, lacks, listed, may_be_null, one_of, only_on, planned, ranks,
)  # fmt: skip
from aclnn.ops.collective._expert_contract import (
    LINE, OLD_GROUP_TP, experts_of, group_checks, has, own_name, planned_experts, shared_checks, special,
    value,
)  # fmt: skip
from aclnn.ops.collective._experts import active, dispatched

INT8_ROWS: Final = 2
"""the quantMode of INT8 rows with a scale for each"""
SMALL: Final = (
    T.ACL_FLOAT8_E4M3FN, T.ACL_FLOAT8_E5M2, T.ACL_HIFLOAT8, T.ACL_FLOAT4_E2M1, T.ACL_FLOAT4_E1M2,
)  # fmt: skip
ROW_TYPES: Final = DataTypes((*HALVES, T.ACL_INT8), {Series.A950: SMALL})
INPUTS: Final = ("x", "expertIds", "scales", "xActiveMask", "expertScales")
OUTPUTS: Final = (
    "expandX",
    "dynamicScales",
    "expandIdx",
    "assistInfo",
    "expertTokenNums",
    "epRecvCounts",
    "expandScales",
)


def room(a: Arguments) -> int:
    """The most rows that this rank may receive."""
    experts, (rows, k) = experts_of(a), a.shape("expertIds")
    all_rows = a["globalBs"] or rows * experts.ranks
    if experts.rank < experts.shared_ranks:
        return all_rows // experts.ranks * -(-experts.ranks // (experts.shared_ranks // experts.shared))
    return all_rows * min(experts.local, k)


def small_rows(a: Arguments) -> Bad:
    shape, allowed = value(a, "expandX").shape, (room(a), a.shape("x")[1])
    good = shape[0] >= allowed[0] and shape[1] == allowed[1]
    return None if good else (list(shape), f"{list(allowed)}, or more rows")


def other_rows(a: Arguments) -> Bad:
    rows, tokens = a.shape("expertIds")[0], a.shape("x")[0]
    return None if rows == tokens else (f"{rows} rows", f"{tokens}, as x has rows")


def other_numbers(a: Arguments) -> Bad:
    count, own = value(a, "expertTokenNums").numel, experts_of(a).own
    return None if count == own else (f"{count} elements", f"{own}, one for each expert of the rank")


def few_counts(a: Arguments) -> Bad:
    count, experts = value(a, "epRecvCounts").numel, experts_of(a)
    needed = experts.own * experts.ranks
    return None if count >= needed else (f"{count} elements", f"at least {needed}")


def little_info(a: Arguments) -> Bad:
    if a.has("expandIdx"):
        count, (rows, k) = a["expandIdx"].numel, a.shape("expertIds")
        return None if count == rows * k else (f"{count} elements", rows * k)
    count, needed = value(a, "assistInfo").numel, room(a) * LINE
    return None if count >= needed else (f"{count} elements", f"at least {needed}")


def wrong_scales(a: Arguments) -> Bad:
    experts, name = experts_of(a), own_name(a, "scales")
    if a["quantMode"] == 0:
        return ("a tensor", "null with quantMode 0")
    allowed = (experts.number + experts.shared, a.shape("x")[1])
    return None if a.shape(name) == allowed else (list(a.shape(name)), list(allowed))


def without_scales(a: Arguments) -> Bad:
    missing = a["quantMode"] == INT8_ROWS and not has(a, "dynamicScales")
    return ("quantMode 2 without dynamic scales", "a tensor for them") if missing else None


def other_type(a: Arguments) -> Bad:
    dtype, allowed = value(a, "expandX").dtype, T.ACL_INT8 if a["quantMode"] else a.dtype("x")
    good = dtype == allowed or a["quantMode"] not in (0, INT8_ROWS)
    return None if good else (a.type_name(own_name(a, "expandX")), "INT8 with quantMode 2, else the data type of x")


def wrong_columns(a: Arguments) -> Bad:
    h = a.shape("x")[1]
    good = h % 32 == 0 and h <= 10240 if a.soc.series is Series.A2 else h % 32 == 0
    return None if good else (f"{h} columns", "a multiple of 32, at most 10240 on Atlas A2")


def other_quantisation(a: Arguments) -> bool:
    return a["quantMode"] not in (0, INT8_ROWS)


def contract(optional: str, out: str, info: str) -> tuple[Relation, ...]:
    """The checks, in their order. `optional`, `out`: the ends of the names in this version."""
    scales, mask, counts = f"scales{optional}", f"xActiveMask{optional}", f"epRecvCounts{out}"
    rows, numbers = f"expandX{out}", f"expertTokenNums{out}"
    return (
        may_be_null(scales, mask, f"expertScales{optional}", f"tpRecvCounts{out}", f"dynamicScales{out}",
                    f"expandScales{out}"),
        *group_checks(ACLNN_ERR_PARAM_NULLPTR),
        demand("the dynamic scales are given with {0} 2", "quantMode", bad=without_scales,
               status=ACLNN_ERR_PARAM_NULLPTR, broken="the dynamic scales are null with {0} 2"),
        listed("x", among=HALVES, status=TILING), ranks("x", least=2, most=2, status=TILING),
        *shared_checks(mask),
        except_on(Series.A950, one_of("quantMode", 0, INT8_ROWS, status=TILING)),
        only_on(Series.A950, in_range("quantMode", 0, 4, status=TILING)),
        one_of("expertTokenNumsType", 0, 1, status=TILING),
        demand("{0} has a multiple of 32 columns", "x", bad=wrong_columns, status=TILING),
        demand("{0} has as many rows as x", "expertIds", bad=other_rows, status=TILING),
        listed(scales, f"expertScales{optional}", among=(T.ACL_FLOAT,), status=TILING),
        demand("{0} is null with quantMode 0, else it has a row for each expert", scales, bad=wrong_scales,
               status=TILING),
        ranks(rows, least=2, most=2, status=TILING), listed(rows, among=ROW_TYPES, status=TILING),
        demand("{0} is INT8 with quantMode 2, else it has the data type of x", rows, bad=other_type, status=TILING),
        demand("{0} has room for all rows that may come", rows, bad=small_rows, status=TILING),
        listed(numbers, among=(T.ACL_INT64,), status=TILING), listed(counts, info, among=(T.ACL_INT32,), status=TILING),
        demand("{0} has an element for each expert of the rank", numbers, bad=other_numbers, status=TILING),
        demand("{0} has a count for each expert and rank", counts, bad=few_counts, status=TILING),
        demand("{0} has room for all rows", info, bad=little_info, status=TILING),
    )  # fmt: skip


@planned(
    "aclnnMoeDistributeDispatch", OLD_GROUP_TP, *contract("", "", "expandIdx"),
)  # fmt: skip
def dispatch(p: Planning) -> None:
    """expandX = the tokens of all ranks for the experts of this rank, ordered by expert, rank and position.
    expertTokenNums counts them by expert; epRecvCounts has running sums by expert and rank; expandIdx counts the equal
    experts before each position of expertIds. With quantMode 2 rows are INT8 with a scale for each, of the tokens times
    scales. Rows behind the last one are not written."""
    plan_dispatch(p)


@planned(
    "aclnnMoeDistributeDispatchV2", "aclnnMoeDistributeDispatchV3", "aclnnMoeDistributeDispatchV4",
    *contract("Optional", "Out", "assistInfoForCombineOut"),
    lacks("a quantMode other than 0 and 2", other_quantisation),
)  # fmt: skip
def dispatch_v2(p: Planning) -> None:
    """Like aclnnMoeDistributeDispatch, but assistInfoForCombine has rank, token and position of each row. Ranks of a
    shared expert get the tokens of the ranks that belong to them. Experts behind moeExpertNum get no row."""
    plan_dispatch(p)


def plan_dispatch(p: Planning) -> None:
    experts = experts_of(p)
    names = [name for name in INPUTS if has(p, name)]
    inputs = [p.read(own_name(p, name)) for name in names]
    outputs = [name for name in OUTPUTS if has(p, name)]
    legal_ids(p, inputs, names)
    p.builder.launch(
        dispatched, inputs, [p.builder.written(value(p, name)) for name in outputs], names=tuple(names),
        written=tuple(outputs), experts=experts, quantised=p["quantMode"] == INT8_ROWS,
        running=p["expertTokenNumsType"] == 0,
        exchange=p.meets("groupEp", columns=p.shape("x")[1], k=p.shape("expertIds")[1], quantMode=p["quantMode"],
                         given=[names.count(name) for name in INPUTS], **planned_experts(p)),
    )  # fmt: skip


def legal_ids(p: Planning, inputs: list[Operand], names: list[str]) -> None:
    """Check the experts of the tokens that take part, when the task runs."""
    ids = inputs[names.index("expertIds")]
    if "xActiveMask" in names:
        mask = inputs[names.index("xActiveMask")]
        ids = p.step(only_active, [ids, mask], ids.shape, ids.dtype, moves=True)
    count = p["moeExpertNum"] + sum(special(p))
    p.builder.launch(check_range, [ids], [], name="expertIds", count=count)


def only_active(ids: Array, mask: Array) -> Array:
    """The experts, and 0 for those that take no part."""
    return ids * active(ids, mask)

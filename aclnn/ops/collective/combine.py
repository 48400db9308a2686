"""MoeDistributeCombine: the rows of the experts come back to the ranks of their tokens, and are added up."""

from typing import Final

from aclnn.op import (
    ACLNN_ERR_PARAM_INVALID, HALVES, TILING, Arguments, Bad, Planning, Relation, T, demand, listed, may_be_null,
    one_of, planned, ranks, same_dtype,
)  # fmt: skip
from aclnn.ops.collective._combining import combined
from aclnn.ops.collective._expert_contract import (
    OLD_GROUP_TP, experts_of, group_checks, has, own_name, planned_experts, shared_checks, special, value,
)  # fmt: skip
from aclnn.ops.collective.dispatch import legal_ids

SHORT: Final = 2
"""the commQuantMode of rows that travel as INT8"""
INPUTS: Final = (
    "expandX", "expertIds", "expandIdx", "assistInfo", "epSendCounts", "expertScales", "xActiveMask", "sharedExpertX",
    "oriX", "constExpertAlpha1", "constExpertAlpha2", "constExpertV",
)  # fmt: skip


def result_name(a: Arguments) -> str:
    return "x" if a.has("x") else "xOut"


def other_result(a: Arguments) -> Bad:
    shape, allowed = a.shape(result_name(a)), (a.shape("expertIds")[0], a.shape("expandX")[1])
    return None if shape == allowed else (list(shape), list(allowed))


def other_scales(a: Arguments) -> Bad:
    tensor = a["expertScales"]
    good = tensor.shape == a.shape("expertIds") or (tensor.numel == 0 and a.has("assistInfoForCombine"))
    return None if good else (list(tensor.shape), list(a.shape("expertIds")))


def few_counts(a: Arguments) -> Bad:
    experts, count = experts_of(a), a["epSendCounts"].numel
    needed = experts.own * experts.ranks
    return None if count >= needed else (f"{count} elements", f"at least {needed}")


def other_indices(a: Arguments) -> Bad:
    count, needed = a["expandIdx"].numel, a["expertIds"].numel
    return None if count == needed else (f"{count} elements", needed)


def special_without(a: Arguments) -> Bad:
    _, copies, constants = special(a)
    missing = [name for name in ("oriX",) if copies + constants and not has(a, name)]
    missing += [name for name in INPUTS[-3:] if constants and not has(a, name)]
    return (f"special experts without {missing[0]}", missing[0]) if missing else None


def contract(optional: str, info: str, result: str) -> tuple[Relation, ...]:
    """The checks, in their order. `optional`: the end of the names of optional tensors in this version."""
    mask = f"xActiveMask{optional}"
    return (
        may_be_null(*([] if optional else ["expandScales"])), *group_checks(ACLNN_ERR_PARAM_INVALID),
        listed("expandX", among=HALVES, status=TILING), ranks("expandX", least=2, most=2, status=TILING),
        same_dtype(result, as_="expandX", status=TILING), *shared_checks(mask),
        one_of("commQuantMode", 0, SHORT, status=TILING), one_of("outDtype", 0, status=TILING),
        one_of("groupListType", 0, status=TILING), listed("epSendCounts", info, among=(T.ACL_INT32,), status=TILING),
        listed("expertScales", among=(T.ACL_FLOAT,), status=TILING),
        demand("{0} has a scale for each expert of a token", "expertScales", bad=other_scales, status=TILING),
        demand("{0} has a count for each expert and rank", "epSendCounts", bad=few_counts, status=TILING),
        demand("{0} has a row for each token", result, bad=other_result, status=TILING),
    )  # fmt: skip


@planned(
    "aclnnMoeDistributeCombine", OLD_GROUP_TP,
    *contract("", "expandIdx", "x"),
    demand("{0} has a number for each expert of a token", "expandIdx", bad=other_indices, status=TILING),
)  # fmt: skip
def combine(p: Planning) -> None:
    """x = the sum of expertScales * the row of expandX that each expert of the token returns. expandIdx and
    epSendCounts come from aclnnMoeDistributeDispatch. Rows of tokens that take no part are not written."""
    plan_combine(p)


@planned(
    "aclnnMoeDistributeCombineV2", "aclnnMoeDistributeCombineV3", "aclnnMoeDistributeCombineV4",
    *contract("Optional", "assistInfoForCombine", "xOut"),
    demand("the tensors of the copy and constant experts are given", "expertIds", bad=special_without, status=TILING,
           broken="a tensor of the copy or constant experts is null"),
)  # fmt: skip
def combine_v2(p: Planning) -> None:
    """Like aclnnMoeDistributeCombine, with assistInfoForCombine in place of expandIdx. Rows of shared experts, and
    sharedExpertX, are added as they are. A copy expert returns oriX, a constant expert a mean of oriX and a vector."""
    plan_combine(p)


def plan_combine(p: Planning) -> None:
    names = [name for name in INPUTS if has(p, name)]
    inputs = [p.read(own_name(p, name)) for name in names]
    legal_ids(p, inputs, names)
    p.builder.launch(
        combined, inputs, [p.builder.written(value(p, result_name(p)))], names=tuple(names), experts=experts_of(p),
        ranges=special(p), short=p["commQuantMode"] == SHORT,
        exchange=p.meets("groupEp", columns=p.shape("expandX")[1], k=p.shape("expertIds")[1],
                         commQuantMode=p["commQuantMode"], given=[names.count(name) for name in INPUTS],
                         **planned_experts(p)),
    )  # fmt: skip

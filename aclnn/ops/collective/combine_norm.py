"""MoeDistributeCombineAddRmsNorm: the combined rows, plus a residual, and their norm."""

from typing import Final

import numpy as np

from aclnn.op import (
    ACLNN_ERR_PARAM_INVALID, TILING, Arguments, Array, Bad, Operand, Planning, Shape, T, demand, in_memory,
    listed, one_of, planned, ranks, shape, widen,
)  # fmt: skip
from aclnn.ops.collective._combining import combined_sum, with_addend
from aclnn.ops.collective._expert_contract import (
    experts_of, group_checks, has, own_name, planned_experts, shared_checks, special,
)  # fmt: skip
from aclnn.ops.collective._experts import Experts, named
from aclnn.ops.collective._kernels import Received
from aclnn.ops.collective.combine import INPUTS, few_counts, other_scales, special_without
from aclnn.ops.collective.dispatch import legal_ids

BF16: Final = (T.ACL_BF16,)
ALL_INPUTS: Final = (*INPUTS, "residualX", "gamma")
OUTPUTS: Final = ("xOut", "rstdOut", "yOut")


def rows(a: Arguments) -> Shape:
    return a.shape("expertIds")[0], 1, a.shape("expandX")[1]


def wrong_epsilon(a: Arguments) -> Bad:
    return None if a["normEps"] >= 0 else (a["normEps"], "0 or more")


CONTRACT: Final = (
    *group_checks(ACLNN_ERR_PARAM_INVALID),
    listed("expandX", "residualX", "gamma", "sharedExpertXOptional", "yOut", "xOut", among=BF16, status=TILING),
    listed("rstdOut", "expertScales", among=(T.ACL_FLOAT,), status=TILING),
    ranks("expandX", least=2, most=2, status=TILING), *shared_checks("xActiveMaskOptional"),
    one_of("commQuantMode", 0, status=TILING), one_of("outDtype", 0, status=TILING),
    one_of("groupListType", 0, status=TILING),
    listed("epSendCounts", "assistInfoForCombine", among=(T.ACL_INT32,), status=TILING),
    demand("{0} has a scale for each expert of a token", "expertScales", bad=other_scales, status=TILING),
    demand("{0} has a count for each expert and rank", "epSendCounts", bad=few_counts, status=TILING),
    demand("{0} is not negative", "normEps", bad=wrong_epsilon, status=TILING),
    *(shape(name, "{0} has a row for each token", rows, status=TILING) for name in ("residualX", "yOut", "xOut")),
    shape("rstdOut", "{0} has a number for each token", lambda a: (*rows(a)[:2], 1), status=TILING),
    shape("gamma", "{0} has a number for each column", lambda a: rows(a)[2:], status=TILING),
)  # fmt: skip
SPECIAL: Final = demand(
    "the tensors of the copy and constant experts are given", "expertIds", bad=special_without, status=TILING,
    broken="a tensor of the copy or constant experts is null",
)  # fmt: skip


@planned("aclnnMoeDistributeCombineAddRmsNorm", *CONTRACT)
def combine_add_rms_norm(p: Planning) -> None:
    """xOut = the rows of aclnnMoeDistributeCombineV2 plus residualX; rstdOut = 1 / sqrt(mean(x * x) + normEps) of the
    sum before it is rounded; yOut = x * rstdOut, rounded, * gamma"""
    plan_norm(p)


@planned("aclnnMoeDistributeCombineAddRmsNormV2", *CONTRACT, SPECIAL)
def combine_add_rms_norm_v2(p: Planning) -> None:
    """Like aclnnMoeDistributeCombineAddRmsNorm, with the special experts of aclnnMoeDistributeCombineV3"""
    plan_norm(p)


def plan_norm(p: Planning) -> None:
    names = [name for name in ALL_INPUTS if has(p, name)]
    inputs: list[Operand] = [p.read(own_name(p, name)) for name in names]
    legal_ids(p, inputs, names)
    p.builder.launch(
        combined_norm, inputs, [p.builder.written(p[name]) for name in OUTPUTS], names=tuple(names),
        experts=experts_of(p), ranges=special(p), epsilon=p["normEps"],
        exchange=p.meets("groupEp", columns=p.shape("expandX")[1], k=p.shape("expertIds")[1],
                         given=[names.count(name) for name in ALL_INPUTS], **planned_experts(p)),
    )  # fmt: skip


@in_memory
def combined_norm(
    received: Received, *, out: list[Array], names: tuple[str, ...], experts: Experts, ranges: tuple[int, int, int],
    epsilon: float,
) -> None:  # fmt: skip
    """Write the sums, their norms, and the factors of the norms. Rows of tokens that take no part are not written."""
    ranks = named(received, names)
    own = ranks[experts.rank]
    routed, taking = combined_sum(ranks, experts, ranges, short=False)
    x = with_addend(with_addend(routed, own.get("sharedExpertX")), own["residualX"])
    factors: Array = 1 / np.sqrt(np.mean(x * x, axis=1, keepdims=True) + np.float32(epsilon))
    sums, rstd, y = (each.reshape(len(x), -1) for each in out)
    active = taking.any(1)
    scaled = widen((x * factors).astype(y.dtype)) * widen(own["gamma"])
    sums[active], rstd[active] = x[active].astype(sums.dtype), factors[active]
    y[active] = scaled[active].astype(y.dtype)

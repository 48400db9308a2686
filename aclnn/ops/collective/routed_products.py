"""AlltoAllvGroupedMatMul and GroupedMatMulAlltoAllv: rows go to the ranks of their experts, or come back from there."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from aclnn.op import (
    ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, HALVES, TILING, Arguments, Array, Bad, Kernel, Operand, Planning,
    Relation, T, demand, listed, names_group, null_status, one_of, planned, ranks, said, same_dtype,
    shape,
)  # fmt: skip
from aclnn.ops.collective._family import group_size, long_name
from aclnn.ops.collective._kernels import Received
from aclnn.ops.matmul._kernels import multiply


def counts(a: Arguments, name: str) -> tuple[int, ...]:
    return tuple(a[name].values)


def totals(a: Arguments, name: str) -> tuple[int, ...]:
    """The rows of each rank: counts are ordered by rank, then by expert."""
    experts = a.shape("gmmWeight")[0]
    return tuple(np.reshape(counts(a, name), (-1, experts)).sum(1).tolist())


def columns(a: Arguments) -> int:
    """The columns of the product."""
    return a.shape("gmmWeight")[1 if a["transGmmWeight"] else 2]


def inner(a: Arguments) -> Bad:
    found, k = a.shape("gmmX")[1], a.shape("gmmWeight")[2 if a["transGmmWeight"] else 1]
    return None if found == k else (f"{found} columns", k)


def no_counts(a: Arguments, name: str) -> Bad:
    return None if counts(a, name) else ("an empty array", "counts")


def other_counts(a: Arguments, name: str) -> Bad:
    listed_counts, needed = counts(a, name), group_size(a) * a.shape("gmmWeight")[0]
    good = len(listed_counts) == needed and min(listed_counts, default=0) >= 0
    return None if good else (list(listed_counts), f"{needed} counts, one for each rank and expert")


def other_size(a: Arguments) -> Bad:
    size = group_size(a)
    return None if a["epWorldSize"] == size else (a["epWorldSize"], f"{size}, the ranks of the group")


def no_name(a: Arguments) -> Bad:
    return ("an empty text", "a name") if not a["group"] else None


def mixed_shared(a: Arguments) -> Bad:
    present = [a.given(name) for name in ("mmXOptional", "mmWeightOptional", "mmYOptional")]
    return ("some tensors of the shared expert", "all or none") if len(set(present)) > 1 else None


def other_flag(a: Arguments) -> Bad:
    flag, present = a["permuteOutFlag"], a.given("permuteOutOptional")
    return (flag, present) if flag != present else None


def unwanted(name: str) -> Relation:
    return demand("{0} is null", name, bad=lambda a: ("a tensor", "null"), status=ACLNN_ERR_PARAM_NULLPTR)


def contract(result: str, received: str, sent: str, *checks: Relation) -> tuple[Relation, ...]:
    """The checks, in their order. `result`: the product. `received`, `sent`: the counts of the rows of result and
    gmmX."""
    invalid, null = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
    return (
        null_status(invalid, "sendCounts", "recvCounts"), said("group"),
        demand("{0} is not empty", "group", bad=no_name, status=null),
        unwanted("sendCountsTensorOptional"), unwanted("recvCountsTensorOptional"),
        demand("the tensors of the shared expert are all given with {0}, or all null", "gmmX", bad=mixed_shared,
               status=null, broken="only some tensors of the shared expert are given"), *checks,
        demand("{0} has at most 127 bytes", "group", bad=long_name("group")),
        *(demand("{0} is not empty", name, bad=lambda a, name=name: no_counts(a, name))
          for name in ("sendCounts", "recvCounts")),
        listed("gmmX", "gmmWeight", result, among=HALVES), same_dtype("gmmWeight", as_="gmmX"),
        same_dtype(result, as_="gmmX"), ranks("gmmX", result, least=2, most=2), ranks("gmmWeight", least=3, most=3),
        names_group("group"),
        demand("{0} is the number of ranks of the group", "epWorldSize", bad=other_size, status=TILING,
               provenance="ours"),
        demand("{0} has as many columns as gmmWeight has rows", "gmmX", "gmmWeight", bad=inner, status=TILING),
        *(demand("{0} has a count for each rank and expert", name, bad=lambda a, name=name: other_counts(a, name),
                 status=TILING) for name in ("sendCounts", "recvCounts")),
        shape("gmmX", "{0} has the rows that are counted", lambda a: (sum(counts(a, sent)), a.shape("gmmX")[1]),
              status=TILING),
        shape(result, "{0} has the rows that are counted, and the columns of gmmWeight",
              lambda a: (sum(counts(a, received)), columns(a)), status=TILING),
    )  # fmt: skip


MODE: Final = one_of("commMode", "ai_cpu", "ccu")
PERMUTED: Final = demand("{0} is true exactly if permuteOut is given", "permuteOutFlag", bad=other_flag,
                         status=ACLNN_ERR_PARAM_NULLPTR, broken="{0} and permuteOut do not fit")  # fmt: skip
FORWARD: Final = contract("gmmY", "recvCounts", "sendCounts", PERMUTED)
BACK: Final = contract("y", "recvCounts", "sendCounts")


def routed(received: Received, *, rank: int, experts: int) -> Array:
    """The rows for this rank, ordered by expert, then by rank."""
    blocks: list[Array] = []
    for expert in range(experts):
        for rows, numbers in received:
            ends = numbers.cumsum()
            at = rank * experts + expert
            blocks.append(rows[ends[at] - numbers[at] : ends[at]])
    return np.concatenate(blocks)


def returned(received: Received, *, rank: int, experts: int) -> Array:
    """The rows for this rank, ordered by rank, then by expert. Each rank gives them by expert, then by rank."""
    blocks: list[Array] = []
    for rows, numbers in received:
        in_order = np.ravel(numbers.reshape(-1, experts), order="F")
        ends = np.cumsum(in_order)
        size = len(in_order) // experts
        places = [expert * size + rank for expert in range(experts)]
        blocks += [rows[ends[at] - in_order[at] : ends[at]] for at in places]
    return np.concatenate(blocks)


def grouped(x: Array, weight: Array, *, sizes: Sequence[int], swapped: bool) -> Array:
    """The product of each group of rows with its matrix."""
    ends = np.cumsum(sizes)
    factors = np.swapaxes(weight, 1, 2) if swapped else weight
    parts = [x[end - size : end] @ factor for end, size, factor in zip(ends, sizes, factors, strict=True)]
    return np.concatenate(parts)


def numbers(*, values: tuple[int, ...]) -> Array:
    return np.array(values, np.int64)


def exchanged(p: Planning, kernel: Kernel, rows: Operand) -> Operand:
    """Plan the exchange of rows. `kernel`: `routed` or `returned`."""
    group, experts, sent = p.group("group"), p.shape("gmmWeight")[0], counts(p, "sendCounts")
    own = p.step(numbers, [], (len(sent),), T.ACL_INT64, moves=True, values=sent)
    meets = p.meets("group", columns=rows.shape[1], experts=experts)
    meets = meets._replace(sends=totals(p, "sendCounts"), receives=totals(p, "recvCounts"))
    return p.step(kernel, [rows, own], (sum(counts(p, "recvCounts")), rows.shape[1]), rows.dtype, moves=True,
                  rank=group.rank, experts=experts, exchange=meets)  # fmt: skip


def by_expert(p: Planning, rows: Operand, name: str) -> Operand:
    """The grouped product of rows that are ordered by expert, with the counts of a parameter."""
    sizes = np.reshape(counts(p, name), (-1, p.shape("gmmWeight")[0])).sum(0).tolist()
    return p.step(grouped, [rows, p.read("gmmWeight")], (rows.shape[0], columns(p)), rows.dtype, sizes=tuple(sizes),
                  swapped=p["transGmmWeight"])  # fmt: skip


def shared_expert(p: Planning) -> None:
    """The product of the shared expert, which does not communicate."""
    if p.given("mmYOptional"):
        weight = p.read("mmWeightOptional")
        x = p.read("mmXOptional")
        if p["transMmWeight"]:
            weight = p.step(np.transpose, [weight], weight.shape[::-1], weight.dtype, moves=True)
        p.store("mmYOptional", p.step(multiply, [x, weight], (x.shape[0], weight.shape[1]), x.dtype))


def all_to_all(p: Planning) -> None:
    shared_expert(p)
    rows = exchanged(p, routed, p.read("gmmX"))
    p.store("gmmY", by_expert(p, rows, "recvCounts"))
    if p["permuteOutFlag"]:
        p.store("permuteOutOptional", rows)


@planned("aclnnAlltoAllvGroupedMatMul", *FORWARD)
def all_to_all_v_grouped_matmul(p: Planning) -> None:
    """gmmY = the rows of all ranks for the experts of this rank, ordered by expert and rank, each group @ the matrix of
    its expert; permuteOut = these rows. mmY = mmX @ mmWeight."""
    all_to_all(p)


@planned("aclnnAlltoAllvGroupedMatMulV2", MODE, *FORWARD)
def all_to_all_v_grouped_matmul_v2(p: Planning) -> None:
    """Like aclnnAlltoAllvGroupedMatMul"""
    all_to_all(p)


def back(p: Planning) -> None:
    shared_expert(p)
    p.store("y", exchanged(p, returned, by_expert(p, p.read("gmmX"), "sendCounts")))


@planned("aclnnGroupedMatMulAlltoAllv", *BACK)
def grouped_matmul_all_to_all_v(p: Planning) -> None:
    """y = the rows for this rank of the grouped products of all ranks, ordered by rank and expert. gmmX is ordered by
    expert and rank. mmY = mmX @ mmWeight."""
    back(p)


@planned("aclnnGroupedMatMulAlltoAllvV2", MODE, *BACK)
def grouped_matmul_all_to_all_v_v2(p: Planning) -> None:
    """Like aclnnGroupedMatMulAlltoAllv"""
    back(p)

"""GroupedMatmulFinalizeRoutingWeightNzV2: products of groups of rows, which are added up for each token."""

from typing import Any, Final

import numpy as np

from aclnn.op import (
    Arguments, Array, Bad, Planning, Shape, T, apart_from, check_range, demand, in_memory, lacks, listed,
    may_be_null, one_of, only_if, planned, ranks, shape, widen,
)  # fmt: skip
from aclnn.ops.grouped._family import COUNTS, ENDS, INT8
from aclnn.ops.grouped._kernels import parts
from aclnn.ops.grouped._plans import plan_groups, roles
from aclnn.ops.grouped._stored import dense, spread, wrong_storage
from aclnn.ops.matmul._quantised_products import multiply_integers

GROUPS, ROWS, LOGIT, SHARED, PER_TOKEN = "groupList", "rowIndex", "logit", "sharedInput", "pertokenScaleOptional"
UNUSED: Final = ("bias", "offsetOptional", "antiquantScaleOptional", "antiquantOffsetOptional")


def of_integers(a: Arguments) -> bool:
    return a.dtype("x1") == a.dtype("x2") == INT8


def matrices(a: Arguments) -> Shape:
    """The shape of the weight."""
    return a.shape(GROUPS)[0], a.shape("x1")[1], a.shape("out")[1]


def other_rank(a: Arguments) -> Bad:
    good = a.rank("x2") == 3 or spread(a["x2"], 3)
    return None if good else (f"{a.rank('x2')} dimensions", "3, or the 5 of FRACTAL_NZ")


def other_weight(a: Arguments) -> Bad:
    return wrong_storage(a, "x2", matrices(a))


def wrong_scale(a: Arguments) -> Bad:
    groups, _, n = matrices(a)
    allowed = [(groups, n), (groups, 1, n)]
    return None if a.shape("scale") in allowed else (list(a.shape("scale")), list(allowed[0]))


def packed_scale(a: Arguments) -> bool:
    return of_integers(a) and a.dtype("scale") == T.ACL_INT64


def outside(a: Arguments) -> Bad:
    start, rows = a["sharedInputOffset"], a.shape(SHARED)[0]
    good = start >= 0 and start + rows <= a.shape("out")[0]
    return None if good else (start, f"an offset of {rows} rows within {a.shape('out')[0]}")


def other_shared(a: Arguments) -> Shape:
    return (a.shape(SHARED)[0], a.shape("out")[1])


def rows(a: Arguments) -> Shape:
    return a.shape("x1")[:1]


@planned(
    "aclnnGroupedMatmulFinalizeRoutingWeightNzV2", lacks("factors other than INT8", lambda a: not of_integers(a)),
    lacks("no rowIndex", lambda a: not a.given(ROWS)), lacks("an INT64 scale beside INT8", packed_scale),
    lacks("a bias, or other tensors of a weight of INT4", lambda a: any(map(a.given, UNUSED))),
    may_be_null("bias", LOGIT, SHARED, ROWS),
    listed("x1", "x2", "scale", PER_TOKEN, GROUPS, SHARED, LOGIT, ROWS, "out"),
    ranks("x1", PER_TOKEN, GROUPS, SHARED, LOGIT, ROWS, "out"), one_of("groupListType", ENDS, COUNTS),
    one_of("transposeX1", False), one_of("transposeX2", False),
    only_if(
        "the factors are INT8", of_integers,
        demand("{0} has 3 dimensions, or the 5 of FRACTAL_NZ", "x2", bad=other_rank),
        demand("{0} is in FRACTAL_NZ, with the sizes of x1, groupList and out", "x2", GROUPS, "out", bad=other_weight),
        demand("{0} has a number for each column of each group", "scale", "x2", bad=wrong_scale),
        *(shape(name, "{0} has an element for each row of x1", rows) for name in (PER_TOKEN, LOGIT, ROWS)),
        shape(SHARED, "{0} has the columns of out", other_shared),
        demand("the rows of {1} lie within out, from {0} on", "sharedInputOffset", SHARED, bad=outside),
    ),
)  # fmt: skip
def grouped_matmul_finalize_routing_weight_nz_v2(p: Planning) -> None:
    """c = (x1 @ x2) * scale * pertokenScale for each group of rows; out[rowIndex[i]] = the sum of logit[i] * c[i],
    plus sharedInputWeight * sharedInput in the rows from sharedInputOffset on. Rows behind the last group are left
    out. groupList has the ends of the groups, or with groupListType 1 their numbers of rows."""
    kind, (number, _, columns) = p["groupListType"], matrices(p)
    groups, table, count = p.read(GROUPS), p.read(ROWS), p.shape("x1")[0]
    p.builder.launch(check_range, [table], [], name=ROWS, count=p.shape("out")[0])
    lists = {"weight": [dense(p, "x2", matrices(p))], "scale": [p.builder.reshape(p.read("scale"), (number, columns))]}
    lists |= {"pertoken": [p.read(PER_TOKEN)]} if p.given(PER_TOKEN) else {}
    wide = p.builder.alloc((count, columns), T.ACL_FLOAT)
    plan_groups(p, p.read("x1"), groups, lists, [wide], multiply_integers, {"names": roles(lists)}, name=GROUPS,
                kind=kind, number=number)  # fmt: skip
    others = [name for name in (LOGIT, SHARED) if p.given(name)]
    out = p.step(combined, [wide, groups, table, *map(p.read, others)], p.shape("out"), T.ACL_FLOAT, kind=kind,
                 names=tuple(others), factor=np.float32(p["sharedInputWeight"]), start=p["sharedInputOffset"],
                 )  # fmt: skip
    p.store("out", out)


@in_memory
def combined(
    rows: Array, groups: Array, table: Array, *others: Array, out: Array, kind: int, names: tuple[str, ...],
    factor: np.float32, start: int,
) -> None:  # fmt: skip
    """The sums of the rows of each token. A row out of range adds nothing."""
    by_name: dict[str, Any] = dict(zip(names, others, strict=True))
    rows = apart_from([out], rows)
    out[...] = 0
    if SHARED in by_name:
        shared = widen(by_name[SHARED])
        out[start : start + len(shared)] = shared * factor
    for _, first, end in parts(groups, kind, len(rows)):
        for at in range(first, end):
            if 0 <= table[at] < len(out):
                out[table[at]] += rows[at] * by_name[LOGIT][at] if LOGIT in by_name else rows[at]

"""MoeFinalizeRoutingV2, V3 and V4: add up the rows that the experts return for each token."""

from collections.abc import Mapping
from math import prod
from typing import Any, Final, cast

import numpy as np

from aclnn.op import (
    PLAN, TILING, Arguments, Array, Bad, Planning, Relation, Series, Shape, T, check_range, demand, done, dtype_name,
    in_memory, listed, one_of, planned, public_format, ranks, refused_by_kernel, row_slices, same_dtype, shape, store,
    take, widen,
)  # fmt: skip
from aclnn.ops.moe._expert_ranges import (
    OF_CONSTANTS,
    RANGED,
    Range,
    counted,
    of_no_range,
    ranges_of,
    replaced,
    tensors_of,
)

IN_ROWS: Final = (2, 3)
"""the values of dropPadMode with the row order"""
DROPS: Final = (1, 3)
"""the values of dropPadMode that allow -1 in expandedRowIdx"""
ADDED: Final = ("x1Optional", "x2Optional")
WITHOUT_TOKENS: Final = ("biasOptional", *OF_CONSTANTS)
"""tensors whose rows belong to experts, not to tokens"""


def experts_per_token(a: Arguments) -> int:
    """The number of experts of a token. Without scales V4 has the parameter k for it."""
    if a.given("scalesOptional"):
        return a.shape("scalesOptional")[1]
    return a["k"] if a.has("k") else 1


def wrong_scales(a: Arguments) -> Bad:
    wide = a.dtype("expandedX") == T.ACL_BF16 or a.soc.series is Series.A950
    allowed = {a.dtype("expandedX"), *([T.ACL_FLOAT] if wide else [])}
    scales_dtype_name = a.type_name("scalesOptional")
    return (
        None
        if a.dtype("scalesOptional") in allowed
        else (scales_dtype_name, " or ".join(map(dtype_name, sorted(allowed))))
    )


def wrong_count(a: Arguments) -> Bad:
    count, k = a.shape("expandedRowIdx")[0], experts_per_token(a)
    too_many = a.given("scalesOptional") and a.shape("scalesOptional")[0] * k != count
    return (f"{count} elements", f"one for each of {a.shape('scalesOptional')}") if too_many or not k else None


def not_without(name: str, partner: str) -> Relation:
    def bad(a: Arguments) -> Bad:
        return None if a.given(partner) else (f"a tensor without {partner}", f"null, or also {partner}")

    return demand(f"{{0}} comes with {partner}", name, bad=bad, status=TILING)


def on_310p(a: Arguments) -> Bad:
    return (a["dropPadMode"], 2) if a.soc.series is Series.INFERENCE and a["dropPadMode"] != 2 else None


def none_on_310p(name: str) -> Relation:
    def bad(a: Arguments) -> Bad:
        return ("a tensor", "null") if a.soc.series is Series.INFERENCE else None

    return demand("{0} is null on 310P", name, bad=bad, status=TILING)


def finished(a: Arguments) -> Shape:
    return a.shape("expandedRowIdx")[0] // experts_per_token(a), a.shape("expandedX")[-1]


CONTRACT: Final = (
    listed("expandedX", "expandedRowIdx"),
    *(same_dtype(name, "expandedX") for name in (*ADDED, "biasOptional", "out")),
    listed("scalesOptional", "expertIdxOptional"),
    demand("{0} has the data type of expandedX, or FLOAT beside BFLOAT16 or on 950", "scalesOptional", "expandedX",
           bad=wrong_scales),
    public_format("expandedX", "expandedRowIdx", *ADDED, "biasOptional", "scalesOptional", "expertIdxOptional", "out"),
    one_of("dropPadMode", 0, 1, 2, 3, status=TILING),
    demand("{0} is 2 on 310P", "dropPadMode", bad=on_310p, status=TILING),
    *map(none_on_310p, (*ADDED, "biasOptional")), ranks("expandedX", least=2, most=3, status=TILING),
    ranks("expandedRowIdx", least=1, most=1, status=TILING),
    ranks("biasOptional", "scalesOptional", least=2, most=2, status=TILING),
    demand("{0} has an element for each scale", "expandedRowIdx", "scalesOptional", bad=wrong_count, status=TILING),
    not_without("x2Optional", "x1Optional"), not_without("biasOptional", "expertIdxOptional"),
    shape("biasOptional", "{0} has rows as expandedX", lambda a: (a.shape("biasOptional")[0], a.shape("expandedX")[-1]),
          status=TILING),
    shape("expertIdxOptional", "{0} has an expert for each scale", lambda a: (finished(a)[0], experts_per_token(a)),
          status=TILING),
    *(shape(name, "{0} has a row for each token", finished, status=TILING) for name in (*ADDED, "out")),
)  # fmt: skip


@planned("aclnnMoeFinalizeRoutingV2", *CONTRACT)
def moe_finalize_routing_v2(p: Planning) -> None:
    """out[i] = x1[i] + x2[i] + the sum of scales[i, j] * (expandedX[place] + bias[expertIdx[i, j]]) over j. place =
    expandedRowIdx[i + j * rows], or with dropPadMode 2 and 3 expandedRowIdx[i * k + j]. With dropPadMode 1 and 3 the
    place -1 leaves out the whole term."""
    x, size, mode = p.read("expandedX"), p.shape("expandedX")[-1], p["dropPadMode"]
    rows = p.builder.reshape(x, (prod(x.shape[:-1]), size))
    places, ranges = p.read("expandedRowIdx"), ranges_of(p)
    watched(p, "expandedRowIdx", rows.shape[0], by_columns=mode not in IN_ROWS, besides=-1 if mode in DROPS else None)
    names = [name for name in ("scalesOptional", "biasOptional", *ADDED) if p.given(name)] + tensors_of(p)
    if p.given("biasOptional"):
        watched(p, "expertIdxOptional", p.shape("biasOptional")[0])
    if p.given("biasOptional") or ranges:
        names.append("expertIdxOptional")
    p.store("out", p.step(summed, [rows, places, *map(p.read, names)], finished(p), x.dtype, names=tuple(names),
                          k=experts_per_token(p), by_rows=mode in IN_ROWS, ranges=ranges))  # fmt: skip


def watched(p: Planning, name: str, count: int, *, by_columns: bool = False, besides: int | None = None) -> None:
    """Check indices when the task runs, except those of experts of a range. `besides`: a further legal index."""
    indices, ranges = p.read(name), ranges_of(p)
    if ranges:
        indices = p.step(of_no_range, [indices, p.read("expertIdxOptional")], indices.shape, indices.dtype,
                         ranges=ranges, by_columns=by_columns)  # fmt: skip
    p.builder.launch(check_range, [indices], [], name=name, count=count, besides=besides)


def other_count(a: Arguments) -> Bad:
    k, right = a["k"], experts_per_token(a)
    return None if k in (1, right) else (k, f"1, or {right} as scales has columns")


LATER: Final = (
    done("out is empty", "out", when=lambda a: a["out"].numel == 0),
    refused_by_kernel(*CONTRACT, RANGED),
)  # fmt: skip


def finalized(p: Planning) -> None:
    assert moe_finalize_routing_v2.plan is not None
    moe_finalize_routing_v2.plan(p)


@planned("aclnnMoeFinalizeRoutingV3", *LATER)
def moe_finalize_routing_v3(p: Planning) -> None:
    """Like aclnnMoeFinalizeRoutingV2. On Ascend 950 an expert e of a range has no row of expandedX: its term is left
    out (zero), is x[i] (copy), or is a1[t] * x[i] + a2[t] * v[t] (constant), where t is e's position in its range."""
    finalized(p)


@planned(
    "aclnnMoeFinalizeRoutingV4", *LATER,
    demand("{0} is 1, or the columns of {1}", "k", "scalesOptional", bad=other_count, status=PLAN, provenance="public"),
)  # fmt: skip
def moe_finalize_routing_v4(p: Planning) -> None:
    """Like aclnnMoeFinalizeRoutingV3. Without scales each token has k experts"""
    finalized(p)


@in_memory
def summed(
    x: Array, places: Array, *others: Array, out: Array, names: tuple[str, ...], k: int, by_rows: bool,
    ranges: Mapping[str, Range],
) -> None:  # fmt: skip
    """The sum of the rows of each token. A place out of range adds nothing."""
    table = cast("Array", places.reshape(-1, k) if by_rows else places.reshape(k, -1).T)
    for tokens in row_slices(*out.shape):
        part = [each if name in WITHOUT_TOKENS else each[tokens] for name, each in zip(names, others, strict=True)]
        store(of_tokens(x, table[tokens], dict(zip(names, part, strict=True)), ranges), out[tokens])


def of_tokens(x: Array, table: Array, by_name: Mapping[str, Array], ranges: Mapping[str, Range]) -> Array:
    """The sums of some tokens. `table`: the places of their rows."""
    out: Any = np.zeros((len(table), x.shape[1]), np.float32)
    for name in ADDED:
        out = out + widen(by_name[name]) if name in by_name else out
    for j in range(table.shape[1]):
        rows = table[:, j]
        valid = (rows >= 0) & (rows < len(x))
        term = widen(take(x, rows, 0))
        if "biasOptional" in by_name:
            term = term + widen(take(by_name["biasOptional"], by_name["expertIdxOptional"][:, j], 0))
        if ranges:
            experts = by_name["expertIdxOptional"][:, j]
            term, valid = replaced(term, experts, by_name, ranges), counted(valid, experts, ranges)
        term = term * widen(by_name["scalesOptional"][:, j : j + 1]) if "scalesOptional" in by_name else term
        out = out + np.where(valid[:, None], term, np.float32(0))
    return out

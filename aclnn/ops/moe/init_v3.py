"""MoeInitRoutingV3: tokens in the order of a range of experts, which may be quantised."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from aclnn.op import (
    Array, Kernel, Operand, Planning, T, apart_from, in_memory, in_order, planned, row_slices, store, widen,
)  # fmt: skip
from aclnn.ops.moe._init_v3_contract import (
    CONTRACT,
    COUNTED,
    DYNAMIC,
    GATHER,
    NONE,
    OFFSET,
    PAIRS,
    PLACES,
    ROWS,
    SCALE,
    SCALES,
    STATIC,
    SUMS,
    ends,
    expanded,
    padded,
    row_count,
)
from aclnn.ops.moe.init_v2 import in_slots, tally
from aclnn.ops.quantisation._family import by_rows, grid, with_scales


@planned("aclnnMoeInitRoutingV3", *CONTRACT)
def moe_init_routing_v3(p: Planning) -> None:
    """Active experts are those of activeExpertRange, or all if it is null. order = the places of the active experts in
    a stable sort of expertIdx. expandedX[p] = the token of order[p]. If activeNum is above 0, only the first activeNum
    are written. expandedRowIdx[order[p]] = p, and -1 for other experts; with rowIdxType 1 expandedRowIdx[p] = order[p].

    With dropPadMode 1 each expert has expertCapacity rows: unused rows are 0, and a token that does not fit is dropped.
    Else rows behind the last active expert are not changed. quantMode 0: round(x * scale + offset). quantMode 1:
    expandedX = v / expandedScale, rounded, with v = the token times the row of scale for its expert, and expandedScale
    = max|v| / 127 of each row. quantMode -1: expandedScale[p] = the scale of the token. expertTokensCountOrCumsum: the
    number of tokens of each active expert; type 0: cumulative; type 2: pairs of an expert and its tokens, if it has
    any."""
    (begin, end), experts = ends(p), p.read("expertIdx")
    count, capacity = (row_count(p), p["expertCapacity"]) if padded(p) else (p["expertIdx"].numel, 0)
    order = p.step(ordered, [experts], (count,), T.ACL_INT32, begin=begin, end=end, capacity=capacity)
    if p["rowIdxType"] == GATHER:
        p.store(PLACES, p.step(inverse, [order], p.shape(PLACES), T.ACL_INT32))
    else:
        p.builder.launch(chosen, [order], [p.builder.written(p[PLACES])], moves=True)
    if p["expertTokensNumFlag"]:
        p.store(COUNTED, p.step(counts, [experts], p.shape(COUNTED), T.ACL_INT64, begin=begin, end=end,
                                kind=p["expertTokensNumType"], number=p["expertNum"]))  # fmt: skip
    if p["x"].numel:
        tokens(p, experts, order)


def tokens(p: Planning, experts: Operand, order: Operand) -> None:
    """Plans the rows, and their scales."""
    x, mode, per_token = p.read("x"), p["quantMode"], p.shape("expertIdx")[1]
    scale = [p.read(SCALE)] if p.given(SCALE) else []
    if mode == DYNAMIC:
        write(p, [ROWS, SCALES], quantised, [x, order, experts, *scale], per_token=per_token, begin=ends(p)[0])
        return
    x = static(p) if mode == STATIC else x
    write(p, [ROWS], chosen, [order, x], moves=True, per_token=per_token)
    if mode == NONE and scale:
        write(p, [SCALES], chosen, [order, *scale], moves=True, per_token=per_token)


def static(p: Planning) -> Operand:
    """x in INT8, by one scale and one offset."""
    wide = p.builder.cast(p.read("x"), T.ACL_FLOAT)
    return p.step(with_scales, [wide, p.read(SCALE), p.read(OFFSET)], wide.shape, T.ACL_INT8, divides=False,
                  **grid(T.ACL_INT8))  # fmt: skip


def write(p: Planning, names: Sequence[str], kernel: Kernel, inputs: Sequence[Operand], **attributes: Any) -> None:
    """A step that writes the rows which have a token. Other rows are not changed, or are 0 if experts have a
    capacity."""
    if not padded(p):
        for name in set(names) & {SCALES}:
            p.must_fit(name, (row_count(p),))
        p.builder.launch(kernel, inputs, [p.builder.written(p[name]) for name in names], **attributes)
        return
    shapes = [(row_count(p), *expanded(p)[2:]) if name == ROWS else (row_count(p),) for name in names]
    types = [p.dtype(name) for name in names]
    results = p.steps(kernel, inputs, list(zip(shapes, types, strict=True)), zeros=True, **attributes)
    for name, result in zip(names, results, strict=True):
        p.store(name, p.builder.reshape(result, expanded(p)) if name == ROWS else result)


@in_memory
def ordered(experts: Array, *, out: Array, begin: int, end: int, capacity: int) -> None:
    """The places of active experts in sorted order, then -1. With a capacity, each expert has that many rows."""
    out[...] = -1
    flat = experts.reshape(-1)
    if capacity:
        for order, expert_numbers, slot in in_slots(flat):
            fits = (slot < capacity) & (expert_numbers >= begin) & (expert_numbers < end)
            out[expert_numbers[fits] * capacity + slot[fits]] = order[fits]
        return
    for part, order in in_order(flat, key=lambda some: np.where(some < begin, np.iinfo(some.dtype).max, some)):
        out[part] = np.where((flat[order] >= begin) & (flat[order] < end), order, -1)


@in_memory
def inverse(order: Array, *, out: Array) -> None:
    """The position of each place in the order; -1 for a place that is not in the order."""
    out[...] = -1
    for part in row_slices(len(order)):
        valid = np.flatnonzero(order[part] >= 0)
        out[order[part][valid]] = valid + part.start


@in_memory
def chosen(order: Array, *table: Array, out: Array, per_token: int = 1, zeros: bool = False) -> None:
    """The row of a table for the token of each place in the order; without a table the place itself."""
    rows = [apart_from([out], whole) for whole in table]
    for part in row_slices(len(out), max(out[:1].size, 1)):
        valid = np.flatnonzero(order[part] >= 0)
        places = order[part][valid]
        if zeros:
            out[part] = 0
        out[part][valid] = rows[0][places // per_token] if rows else places


@in_memory
def quantised(
    x: Array, order: Array, experts: Array, *factors: Array, out: Sequence[Array], per_token: int, begin: int,
    zeros: bool = False,
) -> None:  # fmt: skip
    """The chosen rows, multiplied by the factors of their experts, and quantised by the largest magnitude of each
    row."""
    rows, scales = out
    x, flat = apart_from(out, x), apart_from(out, experts).reshape(-1)
    for part in row_slices(*rows.shape):
        valid = np.flatnonzero(order[part] >= 0)
        places = order[part][valid]
        values = widen(x[places // per_token]).astype(np.float32)
        for table in factors:
            values = values * table[flat[places] - begin if len(table) > 1 else np.zeros_like(places)]
        y, scale = by_rows(values, **grid(T.ACL_INT8))
        numbers = np.empty(y.shape, rows.dtype)
        store(y, numbers)
        if zeros:
            rows[part], scales[part] = 0, 0
        rows[part][valid], scales[part][valid] = numbers, scale[:, 0]


def counts(experts: Array, *, begin: int, end: int, kind: int, number: int) -> Array:
    """The number of tokens of each active expert; or pairs of an expert with tokens and their number."""
    tallies = tally(experts, begin, end)
    if kind != PAIRS:
        return np.cumsum(tallies) if kind == SUMS else tallies
    pairs, busy = np.zeros((number, 2), np.int64), np.flatnonzero(tallies)
    pairs[: len(busy), 0], pairs[: len(busy), 1] = busy + begin, tallies[busy]
    return pairs

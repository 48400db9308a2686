"""MoeInitRoutingV2: tokens in the order of their experts, each of which may have a capacity."""

from collections.abc import Iterator, Sequence
from typing import Final, cast

import numpy as np

from aclnn.op import (
    TILING, Arguments, Array, Bad, Operand, Planning, Relation, Shape, T, apart_from, check_range, demand, in_memory,
    in_order, in_range, listed, may_be_null, one_of, planned, public_format, ranks, row_slices, same_dtype, shape,
)  # fmt: skip
from aclnn.ops.moe.routing import sorted_tokens, wrong_rows

PADDED: Final = 1
"""the value of dropPadMode with which each expert has a capacity"""
CUMULATIVE, COUNTS = 1, 2
"""the values of expertTokensCountOrCumsumFlag"""
COUNTED: Final = "expertTokensCountOrCumsumOutOptional"
BEFORE: Final = "expertTokensBeforeCapacityOutOptional"
ROWS, PLACES = "expandedXOut", "expandedRowIdxOut"
ACTIVE, CAPACITY, EXPERTS, MODE = "activeNum", "expertCapacity", "expertNum", "dropPadMode"
FLAG, BEFORE_FLAG = "expertTokensCountOrCumsumFlag", "expertTokensBeforeCapacityFlag"


def called(a: Arguments, name: str) -> str:
    """The name of a number in this prototype, which may call it optional."""
    return name if a.has(name) else f"{name}Optional"


def value(a: Arguments, name: str) -> int:
    return a[called(a, name)]


def padded(a: Arguments) -> bool:
    """True if each expert has a capacity."""
    return value(a, MODE) == PADDED


def row_count(a: Arguments) -> int:
    """The rows of expandedX."""
    active, every = value(a, ACTIVE), a["expertIdx"].numel
    if padded(a):
        return value(a, EXPERTS) * value(a, CAPACITY)
    return active if 0 < active < every else every


def expanded(a: Arguments) -> Shape:
    size = a.shape("x")[1]
    return (value(a, EXPERTS), value(a, CAPACITY), size) if padded(a) else (row_count(a), size)


def per_token(a: Arguments) -> int:
    """The number of experts of a token."""
    return a.shape("expertIdx")[1] if a.rank("expertIdx") == 2 else 1


def without_capacity(a: Arguments) -> Bad:
    missing = padded(a) and 0 in (value(a, CAPACITY), value(a, EXPERTS))
    return (0, "a capacity and a number of experts, with dropPadMode 1") if missing else None


def without_experts(a: Arguments) -> Bad:
    counts = value(a, FLAG) and not value(a, EXPERTS)
    return (0, f"a number of experts, with {called(a, FLAG)} {value(a, FLAG)}") if counts else None


def of_experts(name: str, flag: str) -> Relation:
    """Checks that an output whose flag is set has an element for each expert."""

    def expected_shape(a: Arguments) -> Shape | None:
        return (value(a, EXPERTS),) if value(a, flag) else None

    return shape(name, "{0} has an element for each expert, if it is asked for", expected_shape, status=TILING)


def shapes(suffix: str, least: int) -> tuple[Relation, ...]:
    """Checks of dimensions and numbers. `suffix`: what the names of numbers end in. `least`: the least number of
    dimensions of expertIdx."""
    active, capacity, number, mode, flag = (f"{name}{suffix}" for name in (ACTIVE, CAPACITY, EXPERTS, MODE, FLAG))
    return (
        ranks("x", least=2, most=2, status=TILING), ranks("expertIdx", least=least, most=2, status=TILING),
        demand("{0} has the rows of x", "expertIdx", "x", bad=wrong_rows, status=TILING),
        *(in_range(name, 0, 2**63 - 1, status=TILING) for name in (active, capacity, number)),
        one_of(mode, 0, PADDED, status=TILING), one_of(flag, 0, CUMULATIVE, COUNTS, status=TILING),
        demand(f"{{0}} and {number} are given with dropPadMode 1", capacity, number, bad=without_capacity,
               status=TILING),
        demand("{0} is given where tokens are counted", number, bad=without_experts, status=TILING),
        shape(ROWS, "{0} has a row for each place of an expert", expanded, status=TILING),
        shape(PLACES, "{0} has an element for each expert of a token", lambda a: (a["expertIdx"].numel,),
              status=TILING),
        of_experts(COUNTED, FLAG), of_experts(BEFORE, BEFORE_FLAG),
    )  # fmt: skip


@planned(
    "aclnnMoeInitRoutingV2", may_be_null(COUNTED, BEFORE), listed("x", "expertIdx", PLACES, COUNTED, BEFORE),
    same_dtype(ROWS, "x"), public_format("x", "expertIdx"), *shapes("Optional", 1),
)  # fmt: skip
def moe_init_routing_v2(p: Planning) -> None:
    """expandedX = the rows of x in the order of a stable sort of expertIdx, each row once for each of its experts. If
    activeNum is not 0, only the first activeNum rows are written. expandedRowIdx, in row order, = the place of each
    element of expertIdx in that sort. With dropPadMode 1 each expert has expertCapacity rows: unused rows are 0, and a
    token that does not fit is dropped, with the place -1. The tokens of each expert are counted before any is dropped;
    with the flag 1 the counts are cumulative."""
    x, experts = p.read("x"), watched(p)
    results = [(p.shape(ROWS), x.dtype), (p.shape(PLACES), T.ACL_INT32)]
    if padded(p):
        outputs = p.steps(routed, [x, experts], results, moves=True, per_token=per_token(p))
    else:
        outputs = p.steps(sorted_tokens, [x, experts], results, moves=True, per_token=per_token(p), count=row_count(p))
    for name, result in zip((ROWS, PLACES), outputs, strict=True):
        p.store(name, result)
    count_tokens(p, experts)


def watched(p: Planning) -> Operand:
    """The experts, which are checked when the task runs, if their number is given."""
    experts, number = p.read("expertIdx"), value(p, EXPERTS)
    if number:
        p.builder.launch(check_range, [experts], [], name="expertIdx", count=number)
    return experts


def count_tokens(p: Planning, experts: Operand) -> None:
    """Plans the numbers of tokens of each expert that the flags ask for."""
    number = value(p, EXPERTS)
    kinds = [(COUNTED, value(p, FLAG) == CUMULATIVE)] if value(p, FLAG) else []
    kinds += [(BEFORE, False)] if value(p, BEFORE_FLAG) and padded(p) else []
    for name, summed in kinds:
        p.store(name, p.step(counted, [experts], (number,), T.ACL_INT32, moves=True, number=number, summed=summed))


@in_memory
def routed(x: Array, experts: Array, *, out: Sequence[Array], per_token: int) -> None:
    """Write the tokens of each expert in their order. The first output has the dimensions experts, capacity and
    width."""
    tokens, places = out
    count, capacity, width = tokens.shape
    x, flat, rows = apart_from(out, x), apart_from(out, experts).reshape(-1), tokens.reshape(-1, width)
    rows[...] = 0
    for order, expert_numbers, slot in in_slots(flat):
        fits = cast("Array", (slot < capacity) & (expert_numbers >= 0) & (expert_numbers < count))
        places[order] = np.where(fits, expert_numbers * capacity + slot, -1)
        chosen = order[fits]
        for some in row_slices(len(chosen), width):
            rows[places[chosen[some]]] = x[chosen[some] // per_token]


def in_slots(flat: Array) -> Iterator[tuple[Array, Array, Array]]:
    """For each part of the stable order: the places, the expert of each place, and the number of earlier places with
    the same expert."""
    last, first = 0, 0  # the expert of the last token, and where its tokens begin in the order
    for part, order in in_order(flat):
        expert_numbers: Array = flat[order].astype(np.int64)
        begins = cast("Array", part.start + np.searchsorted(expert_numbers, expert_numbers))
        if part.start:
            begins[expert_numbers == last] = first
        yield order, expert_numbers, cast("Array", np.arange(part.start, part.stop) - begins)
        last, first = expert_numbers[-1], begins[-1]


def counted(experts: Array, *, number: int, summed: bool) -> Array:
    counts = tally(experts, 0, number)
    return (np.cumsum(counts) if summed else counts).astype(np.int32)


def tally(experts: Array, begin: int, end: int) -> Array:
    """The number of times that each expert of a range occurs."""
    flat, counts = experts.reshape(-1), np.zeros(end - begin, np.int64)
    for part in row_slices(len(flat)):
        part_numbers = flat[part]
        counts += np.bincount(
            part_numbers[(part_numbers >= begin) & (part_numbers < end)] - begin, minlength=end - begin
        )
    return counts

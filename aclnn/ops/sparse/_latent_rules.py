"""The contract of SparseFlashMla: the calls that its kernel accepts."""

from functools import partial
from typing import Final

from aclnn.op import (
    TILING, Arguments, Bad, Series, Shape, demand, generated, lacks, listed, may_be_null, one_of, only_if, same_dtype,
    shape,
)  # fmt: skip
from aclnn.ops.attention._demands import Misfit
from aclnn.ops.sparse._rules import BSND, TND, tiled

KEYS, CHOSEN = "oriKvOptional", "cmpKvOptional"
LISTS, SINKS, PARTS = "cmpSparseIndicesOptional", "sinksOptional", "metadataOptional"
ROW_ENDS, ROW_COUNTS = "cuSeqlensQOptional", "sequsedQOptional"
QUERY_LAYOUT, KEY_LAYOUT = "layoutQOptional", "layoutKvOptional"
LSE: Final = "softmaxLseOutOptional"
OF_KEYS: Final = {
    KEYS: ("oriBlockTableOptional", "cuSeqlensOriKvOptional", "sequsedOriKvOptional"),
    CHOSEN: ("cmpBlockTableOptional", "cuSeqlensCmpKvOptional", "sequsedCmpKvOptional"),
}
"""the table of blocks, the ends and the lengths of each tensor of keys"""
NOT_COMPUTED: Final = (
    "oriSparseIndicesOptional", "cmpResidualKvOptional", "oriTopkLengthOptional", "cmpTopkLengthOptional",
)  # fmt: skip
EVERY_KEY, CAUSAL, WINDOW = 0, 3, 4
"""the values of oriMaskMode"""
UNLIMITED: Final = -1
SIZE, PART_NUMBERS = 512, 1024
MOST_RATIO: Final = 128


def is_packed(a: Arguments) -> bool:
    """True if the queries of all batches lie one behind the other."""
    return a[QUERY_LAYOUT] == TND


def is_paged(a: Arguments) -> bool:
    return (a[KEY_LAYOUT] or "").startswith("PA_")


def is_given(name: str, a: Arguments) -> bool:
    return a.given(name)


def other_mask(a: Arguments) -> bool:
    return a.given(CHOSEN) and a["cmpMaskMode"] != CAUSAL


def causal_beyond(a: Arguments) -> bool:
    return a["oriMaskMode"] == CAUSAL and a["oriWinRight"] != 0


def wrong_layout(a: Arguments) -> Bad:
    own = a[QUERY_LAYOUT] or BSND
    good = is_paged(a) or (a[KEY_LAYOUT] or BSND) == own
    return None if good else (repr(a[KEY_LAYOUT]), f"{own!r}, or a layout of blocks")


def wrong_partners(a: Arguments) -> Misfit | None:
    """Lengths and tables that the layouts need."""
    needed = [SINKS, PARTS, *([ROW_ENDS] if is_packed(a) else [])]
    for keys, (table, ends, counts) in OF_KEYS.items():
        if a.given(keys):
            needed += [table] if is_paged(a) else [ends] if is_packed(a) else []
            needed += [counts] if is_paged(a) and keys == KEYS else []
    lacking = next((name for name in needed if not a.given(name)), None)
    return None if lacking is None else ("q", "given", f"beside {lacking}")


def batches(a: Arguments) -> int:
    return a.shape(ROW_ENDS)[0] - 1 if is_packed(a) else a.shape("q")[0]


def wrong_shapes(a: Arguments) -> Misfit | None:
    """The dimensions of queries, keys, lengths and tables."""
    rank = 3 if is_packed(a) else 4
    if a.rank("q") != rank or a.shape("q")[-1] != SIZE:
        return "q", list(a.shape("q")), f"{rank} dimensions, the last of {SIZE}"
    count = batches(a)
    lengths = {ROW_ENDS: count + 1, ROW_COUNTS: count}
    for keys, (table, ends, counts) in OF_KEYS.items():
        if not a.given(keys):
            continue
        sizes, rank = a.shape(keys), 3 if is_packed(a) and not is_paged(a) else 4
        if len(sizes) != rank or sizes[-2:] != (1, SIZE):
            return keys, list(sizes), f"{rank} dimensions, the last of 1 and {SIZE}"
        if not is_paged(a) and not is_packed(a) and sizes[0] != count:
            return keys, list(sizes), f"{count} batches"
        if a.given(table) and (a.rank(table) != 2 or a.shape(table)[0] != count):
            return keys, f"beside {table} {list(a.shape(table))}", f"{count} batches"
        lengths |= {ends: count + 1, counts: count}
    for name, number in lengths.items():
        if a.given(name) and a.shape(name) != (number,):
            return "q", f"beside {name} {list(a.shape(name))}", [number]
    return None


def wrong_lists(a: Arguments) -> Bad:
    sizes, lead = a.shape(LISTS), (*a.shape("q")[:-2], 1)
    return None if sizes[:-1] == lead and sizes[-1:] > (0,) else (list(sizes), f"{list(lead)}, and a list")


def before_950(a: Arguments) -> bool:
    return a.soc.series is not Series.A950


def wrong_window(a: Arguments) -> Bad:
    limits = (a["oriWinLeft"], a["oriWinRight"])
    if before_950(a):
        return None if limits == (127, 0) else (list(limits), "127 and 0")
    return None if min(limits) >= UNLIMITED else (list(limits), f"numbers from {UNLIMITED}")


def wrong_ratio(a: Arguments) -> Bad:
    ratio = a["cmpRatio"]
    if before_950(a):
        return None if ratio in (1, 4, MOST_RATIO) else (ratio, f"1, 4 or {MOST_RATIO}")
    return None if not a.given(CHOSEN) or 1 <= ratio <= MOST_RATIO else (ratio, f"1 to {MOST_RATIO}")


def lse_shape(a: Arguments) -> Shape:
    *lead, rows, heads, _ = a.shape("q")
    return (*lead, 1, rows, heads)


CONTRACT: Final = (
    generated(), *(lacks(name, partial(is_given, name)) for name in NOT_COMPUTED),
    lacks("compressed keys without oriKv", lambda a: not a.given(KEYS)),
    lacks("compressed keys with another cmpMaskMode than 3", other_mask),
    lacks("oriMaskMode 3 with an oriWinRight", causal_beyond),
    may_be_null(LSE), listed("q", KEYS, CHOSEN, LISTS, ROW_ENDS, ROW_COUNTS, *OF_KEYS[KEYS], *OF_KEYS[CHOSEN], SINKS,
                             PARTS, "attnOutOut", LSE),
    one_of(QUERY_LAYOUT, None, BSND, TND, status=TILING),
    demand("{0} is that of q, or one of blocks", KEY_LAYOUT, bad=wrong_layout, status=TILING),
    only_if("the product is not Ascend 950", before_950, one_of("oriMaskMode", WINDOW, status=TILING),
            one_of("cmpMaskMode", CAUSAL, status=TILING)),
    one_of("oriMaskMode", EVERY_KEY, CAUSAL, WINDOW, status=TILING),
    one_of("cmpMaskMode", EVERY_KEY, CAUSAL, status=TILING),
    demand("{0} and {1} are limits of a window of the product", "oriWinLeft", "oriWinRight", bad=wrong_window,
           status=TILING),
    demand("{0} is a ratio of the product", "cmpRatio", bad=wrong_ratio, status=TILING),
    *(same_dtype(name, "q", status=TILING) for name in (KEYS, CHOSEN, "attnOutOut")),
    tiled("{0} comes with sinks, metadata, and what its layouts need", "q", bad=wrong_partners),
    tiled("{0}, {1} and their lengths have the dimensions of their layouts", "q", KEYS, bad=wrong_shapes),
    demand("{0} has a list for each row of {1}", LISTS, "q", bad=wrong_lists, status=TILING),
    shape(SINKS, "{0} has a number for each head", lambda a: a.shape("q")[-2:-1], status=TILING),
    shape(PARTS, f"{{0}} has {PART_NUMBERS} numbers", lambda _: (PART_NUMBERS,), status=TILING),
    shape("attnOutOut", "{0} has the shape of q", lambda a: a.shape("q"), status=TILING),
    shape(LSE, "{0} has a number for each head and row",
          lambda a: lse_shape(a) if a["returnSoftmaxLse"] else None, status=TILING),
)  # fmt: skip

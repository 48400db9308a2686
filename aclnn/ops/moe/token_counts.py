"""Tokens of experts: their number up to each expert, and their order by expert in place of their order by rank."""

import numpy as np

from aclnn.op import (
    TILING, Arguments, Array, Bad, Planning, Series, T, apart_from, demand, except_on, generated, in_memory, in_range,
    lacks, listed, may_be_null, one_of, order, planned, ranks, row_slices, runs, same_dtype, same_shape, shape,
)  # fmt: skip

MOST_EXPERTS, MOST_TOKENS = 2048, 1 << 24
TOKENS = (T.ACL_FLOAT16, T.ACL_BF16, T.ACL_INT8)
MOST_COLUMNS = 16384
SCALES, COUNTS = "perTokenScales", "expertTokenNumPerRank"


def too_many(a: Arguments) -> Bad:
    count = a["sortedExperts"].numel
    return None if count <= MOST_TOKENS else (f"{count} elements", f"at most {MOST_TOKENS}")


@planned(
    "aclnnMoeComputeExpertTokens", generated(), listed("sortedExperts", "out", among=(T.ACL_INT32,)),
    ranks("sortedExperts", "out", status=TILING), in_range("numExperts", 1, MOST_EXPERTS, status=TILING),
    demand("{0} has at most 16777216 elements", "sortedExperts", bad=too_many, status=TILING),
    shape("out", "{0} has an element for each expert", lambda a: (a["numExperts"],), status=TILING),
)  # fmt: skip
def moe_compute_expert_tokens(p: Planning) -> None:
    """out[i] = the number of elements of sortedExperts that are i or less. sortedExperts is in ascending order; else
    the result is that of a binary search."""
    p.store("out", p.step(up_to_each, [p.read("sortedExperts")], p.shape("out"), T.ACL_INT32))


@in_memory
def up_to_each(experts: Array, *, out: Array) -> None:
    out[...] = np.searchsorted(experts, np.arange(len(out)), "right")


def wide(a: Arguments) -> Bad:
    columns = a.shape("tokens")[1]
    return None if columns <= MOST_COLUMNS else (columns, f"at most {MOST_COLUMNS}")


def rows(a: Arguments) -> tuple[int, ...]:
    return a.shape("tokens")[:1]


@planned(
    "aclnnMoeReRouting", lacks("idxType 1", lambda a: a["idxType"] == 1), generated(),
    may_be_null("permutePerTokenScalesOut"),
    except_on(Series.A950, listed("tokens", among=TOKENS)), listed(COUNTS, SCALES, "permuteTokenIdxOut"),
    same_dtype("permuteTokensOut", as_="tokens"), same_dtype("expertTokenNumOut", as_=COUNTS),
    ranks("tokens", COUNTS, least=2, most=2, status=TILING), one_of("expertTokenNumType", 1, status=TILING),
    except_on(Series.A950, one_of("idxType", 0, status=TILING)),
    demand(f"{{0}} has at most {MOST_COLUMNS} columns", "tokens", bad=wide, status=TILING),
    shape(SCALES, "{0} has a scale for each token", rows, status=TILING),
    same_shape("permuteTokensOut", as_="tokens", status=TILING),
    shape("permuteTokenIdxOut", "{0} has a place for each token", rows, status=TILING),
    shape("expertTokenNumOut", "{0} has a number for each expert", lambda a: a.shape(COUNTS)[1:], status=TILING),
)  # fmt: skip
def moe_re_routing(p: Planning) -> None:
    """expertTokenNumPerRank[r, e] = the number of tokens of rank r for expert e. tokens are in the order of ranks, then
    experts; permuteTokensOut has them in the order of experts, then ranks. permuteTokenIdxOut[i] = the row of tokens
    that became row i. permutePerTokenScalesOut = perTokenScales in this order. expertTokenNumOut = the tokens of each
    expert."""
    counts = p.read(COUNTS)
    p.store("expertTokenNumOut", p.step(of_all_ranks, [counts], p.shape("expertTokenNumOut"), counts.dtype))
    places = p.step(by_expert, [counts], rows(p), T.ACL_INT32)
    for table, out in (("tokens", "permuteTokensOut"), (SCALES, "permutePerTokenScalesOut")):
        if p.given(table) and p.given(out):
            x = p.read(table)
            p.store(out, p.step(in_this_order, [x, places], x.shape, x.dtype, moves=True))
    p.store("permuteTokenIdxOut", places)


def of_all_ranks(counts: Array) -> Array:
    return counts.sum(0, dtype=counts.dtype)


@in_memory
def by_expert(counts: Array, *, out: Array) -> None:
    """The row of each token. Places beyond the sum of the counts are 0."""
    sender = runs(counts.reshape(-1), len(out))
    expert = sender % counts.shape[1]
    out[...] = 0
    out[: len(sender)] = order(expert, 0)


@in_memory
def in_this_order(table: Array, places: Array, *, out: Array) -> None:
    table = apart_from([out], table)
    for part in row_slices(len(out), max(out[:1].size, 1)):
        out[part] = table[places[part]]

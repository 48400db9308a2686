"""The contract of aclnnMoeReRouting, which sorts tokens by expert; its input is sorted by rank."""

from aclnn.op import (
    ACLNN_ERR_INNER_TILING_ERROR as TILING, Arguments, Bad, Series, T, demand, except_on, generated, listed, one_of,
    ranks, same_dtype, same_shape, shape,
)  # fmt: skip


TOKENS = (T.ACL_FLOAT16, T.ACL_BF16, T.ACL_INT8)
MOST_COLUMNS = 16384


def wide(a: Arguments) -> Bad:
    columns = a.shape("tokens")[1]
    return None if columns <= MOST_COLUMNS else (columns, f"at most {MOST_COLUMNS}")


def rows(a: Arguments) -> tuple[int, ...]:
    return a.shape("tokens")[:1]


CONTRACTS = {
    "aclnnMoeReRouting": (
        generated(), except_on(Series.A950, listed("tokens", among=TOKENS)),
        same_dtype("permuteTokensOut", as_="tokens"), same_dtype("expertTokenNumOut", as_="expertTokenNumPerRank"),
        ranks("tokens", "expertTokenNumPerRank", least=2, most=2, status=TILING),
        one_of("expertTokenNumType", 1, status=TILING), except_on(Series.A950, one_of("idxType", 0, status=TILING)),
        demand(f"{{0}} has at most {MOST_COLUMNS} columns", "tokens", bad=wide, status=TILING),
        shape("perTokenScales", "{0} has a scale for each token", rows, status=TILING),
        same_shape("permuteTokensOut", as_="tokens", status=TILING),
        shape("permuteTokenIdxOut", "{0} has a place for each token", rows, status=TILING),
        shape("expertTokenNumOut", "{0} has a number for each expert", lambda a: a.shape(
            "expertTokenNumPerRank")[1:], status=TILING),
    ),
}  # fmt: skip

"""The gradients of MoeTokenPermuteWithRoutingMap and of its inverse."""

import numpy as np

from aclnn.op import (
    TILING, Arguments, Array, Bad, Planning, T, apart_from, check_range, demand, generated, in_memory, lacks, listed,
    planned, positive, ranks, row_slices, same_dtype, same_shape, shape, widen,
)  # fmt: skip
from aclnn.ops.moe._routing_map import (
    MAP,
    MOST_PER_TOKEN,
    PLACES,
    PROBS,
    experts_of_rows,
    sorted_places,
    spread,
    summed,
)
from aclnn.ops.moe.routing import added

ROUTES = f"{MAP}Optional"
ROW_GRAD, FACTOR_GRAD = "permutedTokenOutputGrad", "permutedProbsOutputGradOptional"
FACTORS_OUT = "probsGradOutOptional"


def uneven(a: Arguments) -> Bad:
    count, units = a[PLACES].numel, a["numExperts"] if a["dropAndPad"] else a["tokensNum"]
    return None if count % units == 0 else (f"{count} places", f"a multiple of {units}")


def without_map(a: Arguments) -> bool:
    return a.given(FACTOR_GRAD) and not a.given(ROUTES) and not a["dropAndPad"]


@planned(
    "aclnnMoeTokenPermuteWithRoutingMapGrad", lacks("a gradient of probs without a routingMap", without_map),
    listed(ROW_GRAD, FACTOR_GRAD, PLACES, ROUTES), same_dtype("tokensGradOut", ROW_GRAD),
    same_dtype(FACTORS_OUT, FACTOR_GRAD), ranks(ROW_GRAD, FACTOR_GRAD, PLACES, ROUTES), positive("numExperts"),
    positive("tokensNum"),
    shape(PLACES, "{0} has an element for each row", lambda a: a.shape(ROW_GRAD)[:1]), same_shape(FACTOR_GRAD, PLACES),
    demand("{0} has as many places for each token, or expert of the padded mode", PLACES, bad=uneven),
    shape(ROUTES, "{0} has the tokens and experts", lambda a: (a["tokensNum"], a["numExperts"])),
    shape("tokensGradOut", "{0} has a row for each token", lambda a: (a["tokensNum"], *a.shape(ROW_GRAD)[1:])),
    shape(FACTORS_OUT, "{0} has the tokens and experts", lambda a: (a["tokensNum"], a["numExperts"])),
)  # fmt: skip
def moe_token_permute_with_routing_map_grad(p: Planning) -> None:
    """tokensGrad[i // k] = the sum of permutedTokenOutputGrad[sortedIndices[i]], with k rows for each token; with
    dropAndPad tokensGrad[sortedIndices[i]] = the sum of permutedTokenOutputGrad[i]. probsGrad[t, e] =
    permutedProbsOutputGrad of the row of token t and expert e, and 0 without a row. The rows are in the order of
    aclnnMoeTokenPermuteWithRoutingMap."""
    rows, places, padded = p.read(ROW_GRAD), p.read(PLACES), p["dropAndPad"]
    count, tokens = places.shape[0], p["tokensNum"]
    p.builder.launch(check_range, [places], [], name=PLACES, count=tokens if padded else count)
    out = p.shape("tokensGradOut")
    if padded:
        grad = p.step(summed, [rows, *sorted_places(p, places)], out, rows.dtype)
    else:
        grad = p.step(added, [rows, places], out, rows.dtype, per_token=count // tokens)
    p.store("tokensGradOut", grad)
    if p.given(FACTOR_GRAD) and p.given(FACTORS_OUT):
        capacity = count // p["numExperts"] if padded else 0
        table = places if padded else p.read(ROUTES)
        p.store(FACTORS_OUT, spread(p, p.read(FACTOR_GRAD), FACTORS_OUT, table, capacity=capacity))


# the gradient of the inverse


GRAD, LINES, IDS, ROWS = "unpermutedTokensGrad", "outIndex", "permuteTokenId", "permutedTokensOptional"


def weighted(a: Arguments) -> bool:
    return a.given(PROBS)


def too_many(a: Arguments) -> Bad:
    tokens = a.shape(GRAD)[0]
    count = a[LINES].numel // tokens if a.given(PROBS) and not a["dropAndPad"] and tokens else 0
    return None if count <= MOST_PER_TOKEN else (f"{count} rows for each token", f"at most {MOST_PER_TOKEN}")


def uneven_experts(a: Arguments) -> Bad:
    experts, count = a.shape(PROBS)[1], a[LINES].numel
    even = not a["dropAndPad"] or (experts and count % experts == 0)
    return None if even else (f"{experts} columns", f"a divisor of {count}")


@planned(
    "aclnnMoeTokenUnpermuteWithRoutingMapGrad", generated(),
    lacks("probs without a routingMap or permutedTokens",
          lambda a: a.given(PROBS) and not (a.given(ROUTES) and a.given(ROWS))),
    listed(GRAD, LINES, IDS, ROUTES, ROWS, PROBS), same_dtype("permutedTokensGradOut", GRAD), same_dtype(ROWS, GRAD),
    same_dtype(FACTORS_OUT, PROBS), ranks(GRAD, LINES, ROUTES, ROWS, PROBS, status=TILING),
    same_shape(IDS, LINES, status=TILING), same_shape(PROBS, ROUTES, status=TILING),
    shape(ROUTES, "{0} has a row for each token", lambda a: (*a.shape(GRAD)[:1], *a.shape(ROUTES)[1:]), status=TILING),
    demand(f"{{0}} has at most {MOST_PER_TOKEN} places for each token with probs", LINES, GRAD, bad=too_many,
           status=TILING),
    demand("the number of columns of {0} divides the number of rows in the padded mode", PROBS, LINES,
           bad=uneven_experts, status=TILING),
    *(shape(name, "{0} has a row for each place", lambda a: (a[LINES].numel, *a.shape(GRAD)[1:]), status=TILING)
      for name in (ROWS, "permutedTokensGradOut")),
    same_shape(FACTORS_OUT, PROBS, status=TILING),
)  # fmt: skip
def moe_token_unpermute_with_routing_map_grad(p: Planning) -> None:
    """Gradients of the rows and of probs. With r = outIndex[i] and t = permuteTokenId[i]: permutedTokensGrad[r] =
    unpermutedTokensGrad[t] * the factor of row r, which is the element of probs for its token and expert; 1 without
    probs. probsGrad has, for the token and expert of row r, the sum of unpermutedTokensGrad[t] * permutedTokens[r]; 0
    elsewhere. The rows are in the order of aclnnMoeTokenPermuteWithRoutingMap."""
    grad, lines, ids, padded = p.read(GRAD), p.read(LINES), p.read(IDS), p["dropAndPad"]
    count, tokens = lines.shape[0], grad.shape[0]
    p.builder.launch(check_range, [lines], [], name=LINES, count=count, besides=-1)
    p.builder.launch(check_range, [ids], [], name=IDS, count=tokens)
    factors = []
    if weighted(p):
        experts = p.shape(PROBS)[1]
        capacity = count // experts if padded else 0
        by_row = p.step(at_rows, [ids, lines], (count,), T.ACL_INT32)
        table = by_row if padded else p.read(ROUTES)
        factors = [p.step(of_rows, [p.read(PROBS), table], (count,), p.dtype(PROBS), moves=True, capacity=capacity)]
        slopes = p.step(products, [grad, p.read(ROWS), ids, lines], (count,), T.ACL_FLOAT)
        slopes = p.builder.cast(slopes, p.dtype(PROBS))
        if p.given(FACTORS_OUT):
            p.store(FACTORS_OUT, spread(p, slopes, FACTORS_OUT, table, capacity=capacity))
    result = p.step(scattered, [grad, ids, lines, *factors], (count, grad.shape[1]), grad.dtype)
    p.store("permutedTokensGradOut", result)


def legal(ids: Array, lines: Array, tokens: int, count: int) -> Array:
    return (ids >= 0) & (ids < tokens) & (lines >= 0) & (lines < count)


@in_memory
def at_rows(ids: Array, lines: Array, *, out: Array) -> None:
    """The token of each row; -1 for a row without one."""
    valid = (lines >= 0) & (lines < len(out))
    out[...] = -1
    out[lines[valid]] = ids[valid]


@in_memory
def of_rows(probs: Array, table: Array, *, out: Array, capacity: int) -> None:
    """The factor of each row. `table`: the map, or in the padded mode, which has a capacity, the token of each row."""
    out[...] = 0
    if capacity:
        valid = (table >= 0) & (table < len(probs))
        out[valid] = probs[table[valid], (np.arange(len(out)) // capacity)[valid]]
        return
    expert, token = experts_of_rows(table, len(out))
    out[: len(token)] = probs[token, expert]


@in_memory
def products(grad: Array, rows: Array, ids: Array, lines: Array, *, out: Array) -> None:
    out[...] = 0
    for part in row_slices(len(ids), grad.shape[1]):
        token, row = ids[part], lines[part]
        valid = legal(token, row, len(grad), len(rows))
        out[row[valid]] = (widen(grad[token[valid]]) * widen(rows[row[valid]])).sum(-1)


@in_memory
def scattered(grad: Array, ids: Array, lines: Array, *factors: Array, out: Array) -> None:
    grad = apart_from([out], grad)
    out[...] = 0
    for part in row_slices(len(ids), grad.shape[1]):
        token, row = ids[part], lines[part]
        valid = legal(token, row, len(grad), len(out))
        values = widen(grad[token[valid]])
        for factor in factors:
            values = values * widen(factor[row[valid]])[:, None]
        out[row[valid]] = values.astype(out.dtype)

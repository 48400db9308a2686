"""MoeTokenUnpermuteGrad: the gradients of the rows of the experts, and of their weights."""

import numpy as np

from aclnn.op import (
    TILING, Arguments, Array, Bad, Planning, Shape, T, apart_from, demand, in_memory, listed, one_of, planned, ranks,
    row_slices, same_dtype, shape, widen,
)  # fmt: skip
from aclnn.ops.moe.routing import watch

ROWS, WEIGHTS, GRAD = "permuteTokensOptional", "probsOptional", "unpermutedTokensGrad"


def experts_per_token(a: Arguments) -> int:
    return a.shape(WEIGHTS)[1] if a.given(WEIGHTS) else 1


def wrong_count(a: Arguments) -> Bad:
    count, expected_count = a["sortedIndices"].numel, a.shape(GRAD)[0] * experts_per_token(a)
    return (
        None
        if experts_per_token(a) and count == expected_count
        else (f"{count} indices", f"{expected_count}, one for each expert of a token")
    )


def weights_alone(a: Arguments) -> Bad:
    return None if a.given(ROWS) else ("a tensor without permuteTokens", "null, or also permuteTokens")


def permuted(a: Arguments) -> Shape:
    return a["sortedIndices"].numel, a.shape(GRAD)[1]


def of_weights(a: Arguments) -> Shape | None:
    return a.shape(WEIGHTS) if a.given(WEIGHTS) else None


@planned(
    "aclnnMoeTokenUnpermuteGrad", listed(ROWS, "sortedIndices", WEIGHTS), same_dtype(ROWS, GRAD),
    listed(GRAD, like=ROWS), same_dtype("permutedTokensGradOut", GRAD), same_dtype("probsGradOut", WEIGHTS),
    ranks(ROWS, GRAD, WEIGHTS, least=2, most=2, status=TILING), ranks("sortedIndices", least=1, most=1, status=TILING),
    one_of("paddedMode", False, status=TILING),
    demand("{0} comes with permuteTokens", WEIGHTS, bad=weights_alone, status=TILING),
    demand("{0} has an element for each expert of a token", "sortedIndices", GRAD, bad=wrong_count, status=TILING),
    shape("permutedTokensGradOut", "{0} has a row for each index", permuted, status=TILING),
    shape(ROWS, "{0} has a row for each index", permuted, status=TILING),
    shape("probsGradOut", "{0} has the shape of probsOptional, if that is given", of_weights, status=TILING),
)  # fmt: skip
def moe_token_unpermute_grad(p: Planning) -> None:
    """permutedTokensGrad[sortedIndices[i * k + j]] = unpermutedTokensGrad[i] * probs[i, j]. probsGrad[i, j] = the sum
    of unpermutedTokensGrad[i] * permuteTokens[sortedIndices[i * k + j]]. Without probs k is 1, and probsGrad is
    not written."""
    grad, places = p.read(GRAD), watch(p, "sortedIndices", p["sortedIndices"].numel)
    weights = [p.read(WEIGHTS)] if p.given(WEIGHTS) else []
    p.store("permutedTokensGradOut", p.step(spread, [grad, places, *weights], permuted(p), grad.dtype))
    if weights:
        inputs = [grad, places, p.read(ROWS)]
        p.store("probsGradOut", p.step(products, inputs, p.shape(WEIGHTS), T.ACL_FLOAT, per_token=experts_per_token(p)))


@in_memory
def spread(grad: Array, places: Array, weights: Array | None = None, *, out: Array) -> None:
    """The products of grad and the weights, at their positions in the rows. Positions out of range are skipped."""
    k = 1 if weights is None else weights.shape[1]
    grad, table = apart_from([out], grad), apart_from([out], places).reshape(len(grad), k)
    out[...] = 0
    for j in range(k):
        for part in row_slices(*grad.shape):
            targets = table[part, j]
            valid = (targets >= 0) & (targets < len(out))
            rows = widen(grad[part])
            rows = rows if weights is None else rows * widen(weights[part, j : j + 1])
            out[targets[valid]] = rows[valid].astype(out.dtype)


@in_memory
def products(grad: Array, places: Array, rows: Array, *, out: Array, per_token: int) -> None:
    table = places.reshape(-1, per_token)
    for part in row_slices(*grad.shape):
        slopes, clipped = widen(grad[part]), np.clip(table[part], 0, max(len(rows) - 1, 0))
        for j in range(per_token):
            out[part, j] = (slopes * widen(rows[clipped[:, j]])).sum(-1)

"""MoeTokenPermute, MoeInitRouting and their inverses: sort tokens by expert, and restore their order."""

from collections.abc import Sequence
from math import prod
from typing import Final

import numpy as np

from aclnn.op import (
    TILING, Arguments, Array, Bad, Operand, Planning, Shape, T, apart_from, check_range, demand, in_memory, in_order,
    listed, not_negative, one_of, planned, public_format, ranks, row_slices, same_dtype, same_shape, shape, store, take,
    widen,
)  # fmt: skip


def watch(p: Planning, name: str, count: int) -> Operand:
    """A tensor of positions, which are checked when the task runs."""
    x = p.read(name)
    p.builder.launch(check_range, [x], [], name=name, count=count)
    return x


def experts(a: Arguments) -> int:
    """The number of experts of a token of MoeTokenPermute."""
    return a.shape("indices")[1] if a.rank("indices") == 2 else 1


def permuted(a: Arguments) -> int:
    """The number of tokens that are kept."""
    every, tokens_out = a["indices"].numel, a["numOutTokens"]
    return min(tokens_out, every) if tokens_out > 0 else max(every + tokens_out, 0)


def wrong_indices(a: Arguments) -> Bad:
    good = a.shape("indices")[0] == a.shape("tokens")[0] and experts(a) <= 512 and a["indices"].numel < 16777215
    return None if good else (list(a.shape("indices")), f"{a.shape('tokens')[0]} rows, at most 512 columns")


@planned(
    "aclnnMoeTokenPermute", listed("tokens", "indices", "sortedIndicesOut"), same_dtype("permuteTokensOut", "tokens"),
    ranks("tokens", least=2, most=8, status=TILING), ranks("indices", least=1, most=2, status=TILING),
    demand("{0} has a row for each of {1}", "indices", "tokens", bad=wrong_indices, status=TILING),
    one_of("paddedMode", False, status=TILING),
    shape("permuteTokensOut", "{0} has the tokens that are kept", lambda a: (permuted(a), *a.shape("tokens")[1:]),
          status=TILING),
    shape("sortedIndicesOut", "{0} has an element for each index", lambda a: (a["indices"].numel,), status=TILING),
)  # fmt: skip
def moe_token_permute(p: Planning) -> None:
    """permuteTokensOut = the tokens in the order of a stable sort of indices, each token once for each of its experts.
    sortedIndicesOut = the place of each index in that order. numOutTokens: the number of rows that are kept; 0 keeps
    all, a negative number drops that many"""
    tokens, indices = p.read("tokens"), p.read("indices")
    results = [((permuted(p), *tokens.shape[1:]), tokens.dtype), ((p["indices"].numel,), T.ACL_INT32)]
    attributes = {"per_token": experts(p), "count": permuted(p)}
    outputs = p.steps(sorted_tokens, [tokens, indices], results, moves=True, **attributes)
    for name, result in zip(("permuteTokensOut", "sortedIndicesOut"), outputs, strict=True):
        p.store(name, result)


@in_memory
def sorted_tokens(tokens: Array, indices: Array, *, out: Sequence[Array], per_token: int, count: int) -> None:
    rows, places = out
    tokens, indices = apart_from(out, tokens), apart_from(out, indices)
    for part, order in in_order(indices.reshape(-1)):
        places[order] = np.arange(part.start, part.stop)
        copy_rows(tokens, order[: max(count - part.start, 0)] // per_token, rows[part.start :])


def copy_rows(x: Array, rows: Array, out: Array) -> None:
    """Copy the rows of x at these places to the first rows of out."""
    for part in row_slices(len(rows), prod(x.shape[1:])):
        out[part] = x[rows[part]]


@in_memory
def added(rows: Array, places: Array, weights: Array | None = None, *, out: Array, per_token: int) -> None:
    """The sum of `per_token` rows at these places, with weights. A place out of range adds nothing."""
    whole = places.reshape(len(out), per_token)
    for tokens in row_slices(*out.shape):
        table, sums = whole[tokens], np.zeros(out[tokens].shape, np.float32)
        for slot in range(per_token):
            part = widen(take(rows, table[:, slot], 0))
            sums += part if weights is None else part * widen(weights[tokens, slot : slot + 1])
        store(sums, out[tokens])


def wrong_top(a: Arguments) -> Bad:
    """Checks that numTopk divides the number of indices."""
    count, per_token = a["sortedIndices"].numel, a["numTopk"]
    return (
        None if 0 < per_token <= 512 and count % per_token == 0 else (per_token, f"a divisor of {count}, at most 512")
    )


@planned(
    "aclnnMoeTokenPermuteGrad", listed("permutedOutputGrad", "sortedIndices"),
    public_format("permutedOutputGrad", "sortedIndices", "out"), same_dtype("out", "permutedOutputGrad"),
    ranks("permutedOutputGrad", status=TILING), ranks("sortedIndices", least=1, most=1, status=TILING),
    demand("{0} divides the number of indices", "numTopk", "sortedIndices", bad=wrong_top, status=TILING),
    one_of("paddedMode", False, status=TILING),
    shape("out", "{0} has a row for each token",
          lambda a: (a["sortedIndices"].numel // a["numTopk"], a.shape("permutedOutputGrad")[1]), status=TILING),
)  # fmt: skip
def moe_token_permute_grad(p: Planning) -> None:
    """out[i] = the sum of permutedOutputGrad[sortedIndices[i * numTopk + j]] over j"""
    rows, places = p.read("permutedOutputGrad"), watch(p, "sortedIndices", p["sortedIndices"].numel)
    p.store("out", p.step(added, [rows, places], p.shape("out"), rows.dtype, per_token=p["numTopk"]))


def experts_per_token(a: Arguments) -> int:
    return a.shape("probsOptional")[1] if a.given("probsOptional") else 1


def wrong_probs(a: Arguments) -> Bad:
    shape, count = a.shape("probsOptional"), a["sortedIndices"].numel
    good = len(shape) == 2 and 0 < shape[1] <= 512 and shape[0] * shape[1] == count
    return None if good else (list(shape), f"2 dimensions, {count} elements")


@planned(
    "aclnnMoeTokenUnpermute", listed("permutedTokens", "sortedIndices", "probsOptional"),
    public_format("permutedTokens", "sortedIndices", "probsOptional", "out"), same_dtype("out", "permutedTokens"),
    ranks("permutedTokens", "sortedIndices", status=TILING),
    demand("{0} has an element for each index", "probsOptional", "sortedIndices", bad=wrong_probs, status=TILING),
    one_of("paddedMode", False, status=TILING),
    shape("out", "{0} has a row for each token",
          lambda a: (a["sortedIndices"].numel // experts_per_token(a), a.shape("permutedTokens")[1]), status=TILING),
)  # fmt: skip
def moe_token_unpermute(p: Planning) -> None:
    """out[i] = the sum of permutedTokens[sortedIndices[i * k + j]] * probs[i, j] over j; without probs k is 1"""
    rows, places = p.read("permutedTokens"), watch(p, "sortedIndices", p["sortedIndices"].numel)
    weights = [p.read("probsOptional")] if p.given("probsOptional") else []
    p.store("out", p.step(added, [rows, places, *weights], p.shape("out"), rows.dtype, per_token=experts_per_token(p)))


def kept_shape(a: Arguments) -> Shape:
    rows, size = a.shape("x")
    return min(rows, a["activeNum"]) * a.shape("expertIdx")[1], size


def wrong_rows(a: Arguments) -> Bad:
    shape, rows = a.shape("expertIdx"), a.shape("x")[0]
    return None if shape[0] == rows else (list(shape), f"{rows} rows, as x")


def places_of(a: Arguments) -> Shape:
    return (a["expertIdx"].numel,)


PLACES = ("expandedRowIdxOut", "expandedExpertIdxOut")


SHAPES: Final = (
    ranks("x", "expertIdx", least=2, most=2, status=TILING),
    demand("{0} has the rows of x", "expertIdx", "x", bad=wrong_rows, status=TILING),
    same_shape("rowIdx", "expertIdx", status=TILING),
    not_negative("activeNum", status=TILING),
    shape("expandedXOut", "{0} has a row for each expert of the active tokens", kept_shape, status=TILING),
    *(shape(name, "{0} has an element for each expert of a token", places_of, status=TILING) for name in PLACES),
)  # fmt: skip


@planned("aclnnMoeInitRouting", listed("x", "rowIdx", "expertIdx", *PLACES), same_dtype("expandedXOut", "x"), *SHAPES)
def moe_init_routing(p: Planning) -> None:
    """Sorts expertIdx, and rowIdx with it. expandedX = the rows of x in that order, for activeNum tokens.
    expandedExpertIdx = the sorted experts. expandedRowIdx = the place of each number of rowIdx in that order"""
    expand(p, p.read("x"))


def expand(p: Planning, x: Operand) -> None:
    """Plans the rows of x in the order of their experts, and their places."""
    expert = p.read("expertIdx")
    row = watch(p, "rowIdx", expert.shape[0] * expert.shape[1])
    results = [(kept_shape(p), x.dtype), *((places_of(p), T.ACL_INT32) for _ in PLACES)]
    outputs = p.steps(expanded, [x, row, expert], results, moves=True, count=kept_shape(p)[0])
    for name, result in zip(("expandedXOut", *PLACES), outputs, strict=True):
        p.store(name, result)


@in_memory
def expanded(x: Array, row: Array, expert: Array, *, out: Sequence[Array], count: int) -> None:
    tokens, places, experts = out
    x, row, expert = (apart_from(out, each) for each in (x, row, expert))
    places[...] = 0
    for part, order in in_order(expert.reshape(-1)):
        rows = np.clip(row.reshape(-1)[order], 0, expert.size - 1)
        places[rows] = np.arange(part.start, part.stop)
        copy_rows(x, rows[: max(count - part.start, 0)] % max(len(x), 1), tokens[part.start :])
        experts[part] = expert.reshape(-1)[order]


def wrong_finalize(a: Arguments) -> Bad:
    rows, k = a.shape("scales")
    good = a.shape("expandedX")[0] == rows * k == a["expandedRowIdx"].numel and a.shape("bias")[1] == a.shape("x1")[1]
    good = good and a.shape("x1") == (rows, a.shape("expandedX")[1]) and a.rank("expandedRowIdx") == 1
    return None if good else (list(a.shape("expandedX")), f"{rows * k} rows, as scales has elements")


@planned(
    "aclnnMoeFinalizeRouting", listed("expandedX", "expandedRowIdx", "expandedExpertIdx"),
    *(same_dtype(name, "expandedX") for name in ("x1", "x2Optional", "bias", "scales", "out")),
    ranks("expandedX", "x1", "bias", "scales", "expandedExpertIdx", least=2, most=2, status=TILING),
    demand("{0}, x1, bias, scales and expandedRowIdx fit", "expandedX", "x1", "bias", "scales", "expandedRowIdx",
           bad=wrong_finalize, status=TILING),
    same_shape("x2Optional", "x1", status=TILING), same_shape("expandedExpertIdx", "scales", status=TILING),
    same_shape("out", "x1", status=TILING),
)  # fmt: skip
def moe_finalize_routing(p: Planning) -> None:
    """out[i] = x1[i] + x2[i] + the sum of scales[i, j] * (expandedX[expandedRowIdx[i + j * rows]] +
    bias[expandedExpertIdx[i, j]]) over j"""
    names = ("expandedX", "bias", "scales", "x1", *(["x2Optional"] if p.given("x2Optional") else []))
    rows = watch(p, "expandedRowIdx", p.shape("expandedX")[0])
    expert = watch(p, "expandedExpertIdx", p.shape("bias")[0])
    inputs = [rows, expert, *(p.read(name) for name in names)]
    p.store("out", p.step(finalized, inputs, p.shape("x1"), p.dtype("x1")))


@in_memory
def finalized(
    rows: Array, expert: Array, x: Array, bias: Array, scales: Array, *addends: Array, out: Array
) -> None:  # fmt: skip
    whole = rows.reshape(scales.shape[1], len(scales))
    # without rows of bias, every expert is out of range
    bias = bias if len(bias) else np.zeros((1, *bias.shape[1:]), bias.dtype)
    for tokens in row_slices(*out.shape):
        sums = sum([widen(each[tokens]) for each in addends[1:]], widen(addends[0][tokens]))
        table, experts = whole[:, tokens], expert[tokens]
        for slot in range(scales.shape[1]):
            with_bias = widen(take(x, table[slot], 0)) + widen(take(bias, experts[:, slot], 0))
            sums = sums + widen(scales[tokens, slot : slot + 1]) * with_bias
        store(sums, out[tokens])

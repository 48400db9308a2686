"""MoeTokenPermuteWithRoutingMap and its inverse: rows of tokens for the experts that a map chooses."""

from collections.abc import Sequence

import numpy as np

from aclnn.op import (
    Arguments, Array, Bad, Planning, Shape, T, apart_from, check_range, demand, empty, in_memory, lacks, listed,
    may_be_null, not_negative, order, planned, ranks, refused_by_kernel, row_slices, same_dtype, same_shape, shape,
)  # fmt: skip
from aclnn.ops.moe._routing_map import (
    MAP,
    MOST_PER_TOKEN,
    PLACES,
    PROBS,
    experts_of_rows,
    rows_of,
    sorted_places,
    summed,
)
from aclnn.ops.moe.routing import added

WEIGHTS_OUT, PLACES_OUT = "permuteProbsOutOptional", "sortedIndicesOut"


def units(a: Arguments) -> int:
    """The number of tokens; in the padded mode that of experts. Each has the same number of rows."""
    return a.shape(MAP)[1] if a["dropAndPad"] else a.shape("tokens")[0]


def share(a: Arguments) -> int:
    """The rows of each token; in the padded mode those of each expert."""
    return a["numOutTokens"] // max(units(a), 1)


def kept(a: Arguments) -> Shape:
    return (units(a) * share(a),)


def too_large(a: Arguments) -> bool:
    return a["dropAndPad"] and share(a) > a.shape("tokens")[0]


@planned(
    "aclnnMoeTokenPermuteWithRoutingMap", lacks("a capacity above the number of tokens", too_large),
    listed("tokens", MAP, PROBS, PLACES_OUT), same_dtype("permuteTokensOut", "tokens"),
    same_dtype(WEIGHTS_OUT, PROBS), ranks("tokens", MAP, PROBS), rows_of(MAP, "tokens"), same_shape(PROBS, MAP),
    not_negative("numOutTokens"),
    shape("permuteTokensOut", "{0} has the rows that are kept", lambda a: (*kept(a), a.shape("tokens")[1])),
    *(shape(name, "{0} has an element for each row", kept) for name in (WEIGHTS_OUT, PLACES_OUT)), empty("tokens"),
)  # fmt: skip
def moe_token_permute_with_routing_map(p: Planning) -> None:
    """The rows of permuteTokensOut are those of the experts that routingMap chooses: expert by expert, the tokens of
    each in ascending order. permuteProbsOut = probs of these tokens and experts. k = numOutTokens // the number of
    tokens, and sortedIndicesOut[i] = the row of the i-th choice, counted token by token:
    permuteTokensOut[sortedIndicesOut[i]] = tokens[i // k]. With dropAndPad each expert has numOutTokens // the number
    of experts rows: its tokens, then those it did not choose. sortedIndicesOut[i] is then the token of row i."""
    tokens, weighted = p.read("tokens"), p.given(PROBS) and p.given(WEIGHTS_OUT)
    inputs, names = [tokens, p.read(MAP)], ["permuteTokensOut", PLACES_OUT]
    results: list[tuple[Shape, int]] = [((*kept(p), tokens.shape[1]), tokens.dtype), (kept(p), T.ACL_INT32)]
    if weighted:
        inputs.append(p.read(PROBS))
        names.append(WEIGHTS_OUT)
        results.append((kept(p), p.dtype(PROBS)))
    kernel = of_capacity if p["dropAndPad"] else of_choices
    for name, result in zip(names, p.steps(kernel, inputs, results, moves=True, count=share(p)), strict=True):
        p.store(name, result)


@in_memory
def of_choices(tokens: Array, chosen: Array, *probs: Array, out: Sequence[Array], count: int) -> None:
    """Rows that the map does not fill are 0, and their places -1."""
    rows, places, *weights = out
    tokens, chosen = apart_from(out, tokens), apart_from(out, chosen)
    expert, token = experts_of_rows(chosen, len(places))
    targets = order(token, 0)
    for array, rest in ((rows, 0), (places, -1), *((weight, 0) for weight in weights)):
        array[len(targets) :] = rest
    places[: len(targets)] = targets
    for part in row_slices(len(targets), tokens.shape[1]):
        rows[targets[part]] = tokens[np.arange(part.start, part.stop) // count]
    for weight, table in zip(weights, probs, strict=True):
        weight[: len(token)] = table[token, expert]


@in_memory
def of_capacity(tokens: Array, chosen: Array, *probs: Array, out: Sequence[Array], count: int) -> None:
    rows, places, *weights = out
    tokens, chosen = apart_from(out, tokens), apart_from(out, chosen)
    for expert in range(chosen.shape[1]):
        part = slice(expert * count, (expert + 1) * count)
        first = order((chosen[:, expert] == 0).astype(np.int8), 0)[:count]
        places[part], rows[part] = first, tokens[first]
        for weight, table in zip(weights, probs, strict=True):
            weight[part] = table[first, expert]


# the inverse


ROUTES, ROWS, OUT, WEIGHTS = "routingMapOptional", "permutedTokens", "unpermutedTokens", "permuteProbs"


def uneven(a: Arguments) -> Bad:
    count, tokens = a[PLACES].numel, a.shape(OUT)[0]
    units = a.shape(PROBS)[1] if a["paddedMode"] and a.given(PROBS) else tokens
    if a["paddedMode"] and not a.given(PROBS):
        return None
    return None if units > 0 and count % units == 0 else (f"{count} places", f"a multiple of {units}")


def too_many(a: Arguments) -> Bad:
    count = 0 if a["paddedMode"] else a[PLACES].numel // a.shape(OUT)[0]
    return None if count <= MOST_PER_TOKEN else (f"{count} rows for each token", f"at most {MOST_PER_TOKEN}")


def without_map(a: Arguments) -> bool:
    return a.given(PROBS) and not a.given(ROUTES)


@planned(
    "aclnnMoeTokenUnpermuteWithRoutingMap", may_be_null(WEIGHTS), lacks("probs without a routingMap", without_map),
    listed(ROWS, PLACES, ROUTES, PROBS, "outIndex", "permuteTokenId"), same_dtype(OUT, ROWS),
    same_dtype(WEIGHTS, PROBS), ranks(ROWS, PLACES, ROUTES, PROBS, OUT), same_shape(PROBS, ROUTES),
    rows_of(ROUTES, OUT),
    shape(OUT, "{0} has the columns of permutedTokens", lambda a: (*a.shape(OUT)[:1], *a.shape(ROWS)[1:])),
    *(same_shape(name, PLACES) for name in ("outIndex", "permuteTokenId")), empty(OUT),
    demand("{0} has as many places for each token, or expert of the padded mode", PLACES, OUT, bad=uneven),
    refused_by_kernel(demand(f"{{0}} has at most {MOST_PER_TOKEN} places for each token", PLACES, OUT, bad=too_many)),
)  # fmt: skip
def moe_token_unpermute_with_routing_map(p: Planning) -> None:
    """unpermutedTokens[permuteTokenId[i]] = the sum of permutedTokens[outIndex[i]] * permuteProbs[i], in FLOAT;
    without probs the factor is 1. permuteTokenId[i] = i // k, where k is the number of places for each token, outIndex
    = sortedIndices, and permuteProbs = probs where routingMap is true, token by token. A place of -1 is skipped. In the
    padded mode permuteTokenId = sortedIndices in ascending order, outIndex = the place of each in sortedIndices, and
    permuteProbs[i] = the element of probs for this token and the expert of this row."""
    rows, places, padded = p.read(ROWS), p.read(PLACES), p["paddedMode"]
    count, tokens = places.shape[0], p.shape(OUT)[0]
    legal, besides = (tokens, None) if padded else (rows.shape[0], -1)
    p.builder.launch(check_range, [places], [], name=PLACES, count=legal, besides=besides)
    if padded:
        ids, lines = sorted_places(p, places)
    else:
        ids, lines = p.step(counted, [], (count,), T.ACL_INT32, per_token=count // tokens), places
    weights = []
    if p.given(PROBS):
        experts = p.shape(PROBS)[1]
        inputs = [p.read(PROBS), *([ids, lines] if padded else [p.read(ROUTES)])]
        kernel = factors_of_rows if padded else factors_of_choices
        weights = [p.step(kernel, inputs, (count,), p.dtype(PROBS), moves=True, count=count // max(experts, 1))]
        p.store(WEIGHTS, weights[0])
    for name, result in (("outIndex", lines), ("permuteTokenId", ids)):
        p.store(name, result)
    if padded:
        p.store(OUT, p.step(summed, [rows, ids, lines, *weights], p.shape(OUT), rows.dtype))
        return
    per_token = count // tokens
    table = [p.builder.reshape(factors, (tokens, per_token)) for factors in weights]
    p.store(OUT, p.step(added, [rows, places, *table], p.shape(OUT), rows.dtype, per_token=per_token))


@in_memory
def counted(*, out: Array, per_token: int) -> None:
    out[...] = np.arange(len(out)) // per_token


@in_memory
def factors_of_choices(probs: Array, chosen: Array, *, out: Array, count: int) -> None:
    """Token by token. Factors behind the last choice are 0."""
    factors = probs[chosen != 0][: len(out)]
    out[: len(factors)], out[len(factors) :] = factors, 0


@in_memory
def factors_of_rows(probs: Array, ids: Array, rows: Array, *, out: Array, count: int) -> None:
    """In the padded mode, where each expert has `count` rows."""
    out[...] = probs[np.clip(ids, 0, len(probs) - 1), np.minimum(rows // max(count, 1), probs.shape[1] - 1)]

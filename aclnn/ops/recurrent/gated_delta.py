"""The gated delta rule: the state of each head forgets by a gate, and learns the value of each key."""

from collections.abc import Callable
from itertools import pairwise
from typing import Final

import numpy as np

from aclnn.op import (
    TILING, Arguments, Array, Bad, Operand, Planning, Relation, Shape, T, Wording, demand, generated, in_memory, listed,
    may_be_null, out_of_range, planned, ranks, shape, updates, widen,
)  # fmt: skip

STATES: Final = (T.ACL_BF16, T.ACL_FLOAT)


def wrong_heads(state: str, most_heads: int, most_size: int) -> Callable[[Arguments], Bad]:
    def bad(a: Arguments) -> Bad:
        (tokens, of_keys, key), (_, heads, value) = a.shape("query"), a.shape("value")
        if not (1 <= of_keys <= most_heads and 1 <= heads <= most_heads and heads % of_keys == 0):
            return [of_keys, heads], f"1 to {most_heads} heads, those of value a multiple of those of key"
        if not (1 <= key <= most_size and 1 <= value <= most_size):
            return [key, value], f"1 to {most_size} elements"
        good = tokens and a.shape("value")[0] == tokens and a.shape("actualSeqLengths")[0]
        if not good or a.shape(state)[1:] != (heads, value, key):
            return list(a.shape(state)), f"tokens and batches, and {[heads, value, key]} in each state"
        return None

    return bad


def delta_rule(state: str, gate: str, most_heads: int, most_size: int) -> tuple[Relation, ...]:
    """The checks of both functions. All but the data types belong to the tiling."""
    dimensions = {"query": 3, "key": 3, "value": 3, "beta": 2, state: 4, "actualSeqLengths": 1, "out": 3}
    return (
        listed("query", "key", "value", "beta"), listed(state, among=STATES, provenance="public"),
        listed("actualSeqLengths", gate, "out"),
        *(ranks(name, least=rank, most=rank, status=TILING) for name, rank in dimensions.items()),
        demand("the heads and sizes of {0}, {1} and {2} fit", state, "query", "value",
               bad=wrong_heads(state, most_heads, most_size), status=TILING),
        shape("key", "{0} has the shape of query", lambda a: a.shape("query"), status=TILING),
        *(shape(name, "{0} has a number for each head of value and each token", lambda a: a.shape("value")[:2],
                status=TILING) for name in ("beta", gate)),
        shape("out", "{0} has the shape of value", lambda a: a.shape("value"), status=TILING),
    )  # fmt: skip


def inputs(p: Planning, *optional: str) -> tuple[list[Operand], tuple[str, ...]]:
    """The operands that both kernels have, and the names of optional ones behind them."""
    names = tuple(name for name in optional if p.given(name))
    return [p.read(name) for name in ("query", "key", "value", "beta", "actualSeqLengths", *names)], names


def spans(lengths: Array, most: int) -> list[slice]:
    """The tokens of each batch. Tokens behind the last one do not exist."""
    ends = np.minimum(np.cumsum(np.maximum(lengths.astype(np.int64), 0)), most).tolist()
    return [slice(start, stop) for start, stop in pairwise((0, *ends))]


def advance(
    state: Array, token: int, q: Array, k: Array, v: Array, beta: Array, decay: Array | None, scale: float
) -> Array:  # fmt: skip
    """Update the state (heads, values, keys) by a token, and return the output of the token. `decay` are the factors
    of the state."""
    group = v.shape[1] // k.shape[1]
    key, query = (np.repeat(widen(x[token]), group, 0) for x in (k, q))
    if decay is not None:
        state *= decay
    missing = widen(v[token]) - np.matmul(state, key[:, :, None])[:, :, 0]
    missing *= widen(beta[token])[:, None]
    state += missing[:, :, None] * key[:, None]
    return np.matmul(state, query[:, :, None])[:, :, 0] * np.float32(scale)


# the states of all tokens, in a cache


def index_shape(a: Arguments) -> Shape:
    return a.shape("query")[:1]


def few_states(a: Arguments) -> Bad:
    count, tokens = a.shape("stateRef")[0], a.shape("query")[0]
    return None if count >= tokens else (f"{count} states", f"{tokens}, one for each token, or more")


@planned(
    "aclnnRecurrentGatedDeltaRule", generated(), may_be_null("numAcceptedTokens"), updates("stateRef"),
    *delta_rule("stateRef", "g", 256, 512), listed("ssmStateIndices", "gk", "numAcceptedTokens"),
    demand("{0} has a state for each token", "stateRef", "query", bad=few_states, status=TILING),
    shape("ssmStateIndices", "{0} has an element for each token", index_shape, status=TILING),
    shape("gk", "{0} has a number for each token, head of value and element of key",
          lambda a: (*a.shape("value")[:2], a.shape("query")[2]), status=TILING),
    shape("numAcceptedTokens", "{0} has the shape of actualSeqLengths", lambda a: a.shape("actualSeqLengths"),
          status=TILING),
)  # fmt: skip
def recurrent_gated_delta_rule(p: Planning) -> None:
    """For each token t of a batch, in its order: S = S * exp(g[t]) * exp(gk[t]);
    S = S + beta[t] * (value[t] - S key[t]) key[t]^T; out[t] = scaleValue * S query[t]; state[ssmStateIndices[t]] = S.
    The first S of a batch is the state of its token numAcceptedTokens - 1 before this call. S is FLOAT between
    tokens."""
    operands, names = inputs(p, "g", "gk", "numAcceptedTokens")
    out = p.builder.alloc(p.shape("out"), p.dtype("out"))
    p.builder.launch(
        recurrence, [*operands, p.read("ssmStateIndices")], [out, p.builder.written(p["stateRef"])], names=names,
        scale=p["scaleValue"],
    )  # fmt: skip
    p.store("out", out)


@in_memory
def recurrence(
    q: Array, k: Array, v: Array, beta: Array, lengths: Array, *more: Array, out: list[Array], names: tuple[str, ...],
    scale: float,
) -> None:  # fmt: skip
    """Write the outputs, and the states into their cache. A batch does not see states that another batch writes."""
    optional, indices, (results, cache) = dict(zip(names, more, strict=False)), more[-1], out
    batches = spans(lengths, len(q))
    results[...] = 0
    checked_indices(indices, len(cache))
    accepted = optional.get("numAcceptedTokens")
    first = [span.start + (0 if accepted is None else int(accepted[b]) - 1) for b, span in enumerate(batches)]
    # a place outside of the list stands for its end: whatever is in the memory of numAcceptedTokens
    sources = [indices[min(max(at, 0), len(indices) - 1)] if len(indices) else 0 for at in first]
    starts = [np.array(cache[source], np.float32) if span.stop > span.start else None
              for source, span in zip(sources, batches, strict=True)]  # fmt: skip
    g, gk = optional.get("g"), optional.get("gk")
    for span, state in zip(batches, starts, strict=True):
        for token in range(span.start, span.stop):
            assert state is not None
            decay = None if g is None else np.exp(g[token])[:, None, None]
            if gk is not None:
                columns = np.exp(gk[token])[:, None]
                decay = columns if decay is None else decay * columns
            results[token] = advance(state, token, q, k, v, beta, decay, scale)
            cache[indices[token]] = state


def checked_indices(indices: Array, count: int) -> None:
    wrong = indices[(indices < 0) | (indices >= count)]
    if wrong.size:
        raise out_of_range(
            "ssmStateIndices",
            Wording("{index} has the state {state}, legal values are {least} to {most}.", index="ssmStateIndices",
                    state=wrong[0], least=0, most=count - 1),
        )  # fmt: skip


# the last state of each batch


def final_shape(a: Arguments) -> Shape:
    return a.shape("initialState")


def few_batches(a: Arguments) -> Bad:
    count, batches = a.shape("initialState")[0], a.shape("actualSeqLengths")[0]
    return None if count == batches else (f"{count} states", f"{batches}, one for each batch")


@planned(
    "aclnnChunkGatedDeltaRule", generated(), *delta_rule("initialState", "gOptional", 64, 128),
    listed("finalState", among=STATES, provenance="public"),
    demand("{0} has a state for each batch", "initialState", "actualSeqLengths", bad=few_batches, status=TILING),
    shape("finalState", "{0} has the shape of initialState", final_shape, status=TILING),
)  # fmt: skip
def chunk_gated_delta_rule(p: Planning) -> None:
    """For each token t of a batch, in its order: S = S * exp(g[t]); S = S + beta[t] * (value[t] - S key[t]) key[t]^T;
    out[t] = scaleValue * S query[t]. The first S is initialState of the batch, the last one finalState."""
    operands, names = inputs(p, "gOptional")
    results = [p.builder.alloc(p.shape(name), p.dtype(name)) for name in ("out", "finalState")]
    p.builder.launch(
        chunks, [*operands, p.read("initialState")], results, names=names, scale=p["scaleValue"],
    )  # fmt: skip
    for name, result in zip(("out", "finalState"), results, strict=True):
        p.store(name, result)


@in_memory
def chunks(
    q: Array, k: Array, v: Array, beta: Array, lengths: Array, *more: Array, out: list[Array], names: tuple[str, ...],
    scale: float,
) -> None:  # fmt: skip
    initial, g, (results, finals) = more[-1], more[0] if names else None, out
    results[...] = 0
    for batch, span in enumerate(spans(lengths, len(q))):
        state = np.array(initial[batch], np.float32)
        for token in range(span.start, span.stop):
            decay = None if g is None else np.exp(g[token])[:, None, None]
            results[token] = advance(state, token, q, k, v, beta, decay, scale)
        finals[batch] = state

"""FusedCausalConv1d: causal convolution of three taps that continues the last rows of each sequence, in a cache."""

from itertools import pairwise
from typing import Final

import numpy as np

from aclnn.op import (
    TILING, Arguments, Array, Bad, Operator, Planning, Wording, demand, generated, in_memory, lacks, listed,
    one_of, out_of_range, planned, ranks, same_dtype, same_shape, shape, updates, widen,
)  # fmt: skip

TAPS: Final = 3
STATES: Final = "convStates"
BLOCKS: Final = ("blockIdxFirstScheduledToken", "blockIdxLastScheduledToken", "initialStateIdx")
INDICES: Final = ("queryStartLoc", "cacheIndices", "numAcceptedTokens", "numComputedTokens")


def by_prefix(a: Arguments) -> bool:
    return any(map(a.given, BLOCKS)) or (a.given("cacheIndices") and a.rank("cacheIndices") == 2)


def packed(a: Arguments) -> bool:
    return a.rank("x") == 2


def batches(a: Arguments) -> int:
    return a.shape("queryStartLoc")[0] - 1 if packed(a) else a.shape("x")[0]


def wrong_starts(a: Arguments) -> Bad:
    if not packed(a):
        return None
    good = a.given("queryStartLoc") and a.rank("queryStartLoc") == 1 and a.shape("queryStartLoc")[0] > 1
    return None if good else (list(a.shape("x")), "3 dimensions, or the first rows of sequences in queryStartLoc")


def wrong_states(a: Arguments) -> Bad:
    shape, dim = a.shape(STATES), a.shape("x")[-1]
    good = shape[1] >= TAPS - 1 and shape[2] == dim
    return None if good else (list(shape), f"at least {TAPS - 1} rows of {dim} elements")


def wrong_count(a: Arguments) -> Bad:
    for name in INDICES[1:]:
        if a.given(name) and a.shape(name) != (batches(a),) and not (name == "cacheIndices" and by_prefix(a)):
            return list(a.shape("x")), f"sequences for the elements of {name} {list(a.shape(name))}"
    return None


def needs_count(a: Arguments) -> Bad:
    return (1, "0, as numComputedTokens is null") if a["convMode"] == 1 and not a.given("numComputedTokens") else None


def causal(name: str, out: str) -> Operator:
    """A function. `out`: the name of its output."""
    relations = (
        generated(), updates(STATES), lacks("blocks of prefixes", by_prefix),
        lacks("initialStateMode", lambda a: a.given("initialStateMode")),
        listed("x", status=TILING), *(same_dtype(each, "x", status=TILING) for each in ("weight", STATES, "bias")),
        *(() if out == "x" else (same_dtype(out, "x", status=TILING),)),
        listed(*INDICES, *BLOCKS, "initialStateMode", status=TILING),
        ranks("x", least=2, most=3, status=TILING), ranks(STATES, least=3, most=3, status=TILING),
        one_of("residualConnection", 0, 1, status=TILING), one_of("convMode", 0, 1, status=TILING),
        demand("{0} comes with the first rows of its sequences", "x", bad=wrong_starts, status=TILING),
        shape("weight", "{0} has three rows, with the elements of x", lambda a: (TAPS, a.shape("x")[-1]),
              status=TILING),
        demand("{0} has rows for the elements of x", STATES, "x", bad=wrong_states, status=TILING),
        demand("{0} has as many sequences as the lists have elements", "x", bad=wrong_count, status=TILING),
        demand("numComputedTokens is given if {0} is 1", "convMode", bad=needs_count, status=TILING),
        *(() if out == "x" else (same_shape(out, "x", status=TILING),)),
    )  # fmt: skip

    def plan(p: Planning) -> None:
        convolve(p, out)

    plan.__doc__ = (
        "For each sequence, with s = the last two rows of its state in convStates, or zeros if numComputedTokens is 0, "
        f"and p = s followed by x: {out}[i] = the sum of weight[k] * p[i + k] over the three rows of weight, plus x if "
        "residualConnection is 1. The last rows of p become the state. numAcceptedTokens - 1 is the first row of the "
        "state that counts, in place of the last two. With convMode 1 rows before the third computed one are 0. A "
        "sequence whose cacheIndices is padSlotId is not changed."
    )
    return planned(name, *relations)(plan)


def convolve(p: Planning, out: str) -> None:
    names = tuple(name for name in INDICES if p.given(name))
    in_place = out == "x"
    inputs = [p.read("weight"), *map(p.read, names), *(() if in_place else (p.read("x"),))]
    p.builder.launch(
        continued, inputs, [p.builder.written(p[out]), p.builder.written(p[STATES])], names=names,
        pad=p["padSlotId"], residual=p["residualConnection"] == 1, early=p["convMode"] == 1,
    )  # fmt: skip


@in_memory
def continued(
    weight: Array, *more: Array, out: list[Array], names: tuple[str, ...], pad: int, residual: bool, early: bool
) -> None:  # fmt: skip
    """Write the rows of each sequence, and its state. Without an input of rows the output has them."""
    lists = dict(zip(names, more, strict=False))
    y, states = out
    x, taps = more[-1] if len(more) > len(names) else y, widen(weight)
    computed, accepted, lines = (lists.get(name) for name in ("numComputedTokens", "numAcceptedTokens", "cacheIndices"))
    for batch, place in enumerate(places(x, lists.get("queryStartLoc"))):
        line = batch if lines is None else int(lines[batch])
        if line == pad:
            continue
        check_line(line, len(states))
        capacity, rows, count = states.shape[1], widen(x[place]), None if computed is None else int(computed[batch])
        if count == 0:
            first, state = 0, np.zeros((TAPS - 1, x.shape[-1]), np.float32)
        else:
            first = capacity - TAPS + 1 if accepted is None else int(accepted[batch]) - 1
            first = min(max(first, 0), capacity - TAPS + 1)  # whatever is in the memory of numAcceptedTokens
            state = widen(states[line, : first + TAPS - 1])
        whole = np.concatenate([state, rows])
        kept = min(capacity, len(whole))
        states[line, capacity - kept :] = whole[len(whole) - kept :]
        result: Array = np.zeros(rows.shape, np.float32)
        for tap in range(TAPS):
            result += whole[first + tap :][: len(rows)] * taps[tap]
        if early and count is not None:
            result[: max(TAPS - 1 - count, 0)] = 0
        y[place] = result + rows if residual else result


def places(x: Array, starts: Array | None) -> list[int | slice]:
    """The index of the rows of each sequence."""
    if x.ndim == 3 or starts is None:
        return list(range(len(x)))
    ends = np.clip(starts.astype(np.int64), 0, len(x)).tolist()
    return [slice(start, max(start, stop)) for start, stop in pairwise(ends)]


def check_line(line: int, count: int) -> None:
    if not 0 <= line < count:
        raise out_of_range(
            "cacheIndices",
            Wording("{index} has the state {state}, legal values are {least} to {most}.", index="cacheIndices",
                    state=line, least=0, most=count - 1),
        )  # fmt: skip


fused_causal_conv = causal("aclnnFusedCausalConv1d", "y")
inplace_fused_causal_conv = causal("aclnnInplaceFusedCausalConv1d", "x")

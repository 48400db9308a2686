"""The kernel that brings the rows of experts back to the ranks of their tokens, and adds them up."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from aclnn.op import Array, in_memory, narrowed, widen
from aclnn.ops.collective._experts import TRIPLE, Experts, active, earlier, named
from aclnn.ops.collective._kernels import Received

NEIGHBOURS: Final = 8
"""elements that share a scale, if rows travel as INT8"""


@in_memory
def combined(
    received: Received, *, out: Array, names: tuple[str, ...], experts: Experts, ranges: tuple[int, int, int],
    short: bool,
) -> None:  # fmt: skip
    """Write the sum of the rows that come back for each token. Rows of tokens that take no part are not written.
    `ranges`: the numbers of zero, copy and constant experts. `short`: rows travel as INT8."""
    ranks = named(received, names)
    own = ranks[experts.rank]
    routed, taking = combined_sum(ranks, experts, ranges, short=short)
    total = with_addend(routed, own.get("sharedExpertX"))
    rows = taking.any(1)
    out.reshape(total.shape)[rows] = narrowed(total[rows], out.dtype)


def with_addend(total: Array, addend: Array | None) -> Array:
    """A sum in FLOAT, and the elements of another input, if there is one."""
    rows: Any = None if addend is None else widen(addend)
    return total if rows is None else np.add(total, rows.reshape(total.shape))


def combined_sum(
    ranks: Sequence[Mapping[str, Array]], experts: Experts, ranges: tuple[int, int, int], *, short: bool
) -> tuple[Array, Array]:  # fmt: skip
    """The sum of the rows of each token of this rank in FLOAT, and which experts take part."""
    own = ranks[experts.rank]
    ids, scales = own["expertIds"], own["expertScales"]
    count, k = ids.shape
    taking = active(ids, own.get("xActiveMask"))
    rows = np.zeros((count, k + experts.shared, own["expandX"].shape[1]), np.float32)
    present = np.zeros(rows.shape[:2], np.bool_)
    for rank, inputs in enumerate(ranks):
        places, tokens, positions = returning(inputs, taking, ids, experts._replace(rank=rank), experts.rank)
        values = inputs["expandX"][places]
        rows[tokens, positions] = travelled(values) if short else widen(values)
        present[tokens, positions] = True
    specials(own, rows, present, experts.number, ranges)
    present[:, :k] &= taking
    weights = np.ones((count, k), np.float32) if not scales.size else scales
    total = np.zeros((count, rows.shape[2]), np.float32)
    for position in range(rows.shape[1]):
        weight = weights[:, position, None] if position < k else np.float32(1)
        total += np.where(present[:, position, None], rows[:, position] * weight, np.float32(0))
    return total, taking


def returning(
    inputs: Mapping[str, Array], taking: Array, ids: Array, experts: Experts, target: int
) -> tuple[Array, Array, Array]:  # fmt: skip
    """The rows of a rank that go back to the rank `target`: their places, tokens and positions."""
    ends = inputs["epSendCounts"].reshape(-1)[: experts.own * experts.ranks].astype(np.int64)
    count = max(0, min(int(ends[-1]), len(inputs["expandX"])))  # whatever is in the memory
    if "assistInfo" in inputs:
        triples = inputs["assistInfo"].reshape(-1)[: TRIPLE * count].reshape(-1, TRIPLE)
        inside = (triples[:, 1] >= 0) & (triples[:, 1] < len(ids)) & (triples[:, 2] >= 0)
        inside &= triples[:, 2] < ids.shape[1] + experts.shared
        places = np.flatnonzero((triples[:, 0] == target) & inside)
        return places, triples[places, 1], triples[places, 2]
    starts: Any = np.concatenate([[0], ends])
    if experts.rank < experts.shared_ranks:
        tokens = experts.shares(target, np.flatnonzero(taking.any(1)), len(ids))
        first: Any = np.arange(len(tokens)) + int(starts[target])
        legal: Any = (first >= 0) & (first < count)
        return first[legal], tokens[legal], np.full(int(legal.sum()), ids.shape[1])
    ranks, numbers = experts.place(ids)
    tokens, positions = np.nonzero((ranks == experts.rank) & (ids >= 0) & (ids < experts.number))
    index = numbers[tokens, positions] * experts.ranks + target
    before: Any = earlier(np.ravel(ids))
    rows = np.add(starts[index], before.reshape(ids.shape)[tokens, positions])
    legal = (rows >= 0) & (rows < np.minimum(ends[index], count))
    return rows[legal], tokens[legal], positions[legal]


def travelled(rows: Array) -> Array:
    """Rows as they are after the way as INT8 with a scale for each 8 neighbours."""
    parts = widen(rows).astype(np.float32).reshape(len(rows), rows.shape[1] // NEIGHBOURS, NEIGHBOURS)
    scales = np.abs(parts).max(2, keepdims=True) * np.float32(1 / 127)
    quotients = np.divide(parts, scales, where=scales != 0, out=np.zeros_like(parts))
    short = np.rint(np.rint(quotients).astype(np.float16)).astype(np.int8)
    back = short.astype(np.float32) * widen(narrowed(scales, rows.dtype))
    result: Any = widen(narrowed(back, rows.dtype))
    return result.astype(np.float32).reshape(rows.shape)


def specials(
    own: Mapping[str, Array], rows: Array, present: Array, first: int, ranges: tuple[int, int, int]
) -> None:  # fmt: skip
    """Fill in the rows of experts behind the others: zero experts, copies, constants."""
    ids, (zero, copies, constants) = own["expertIds"], ranges
    if "oriX" not in own:
        return
    x = widen(own["oriX"]).astype(np.float32)
    for position in range(ids.shape[1]):
        numbers = ids[:, position] - first - zero
        tokens = np.flatnonzero((numbers >= 0) & (numbers < copies))
        rows[tokens, position], present[tokens, position] = x[tokens], True
        tokens = np.flatnonzero((numbers >= copies) & (numbers < copies + constants))
        rows[tokens, position] = constant_rows(own, x[tokens], numbers[tokens] - copies)
        present[tokens, position] = True


def constant_rows(own: Mapping[str, Array], x: Array, numbers: Array) -> Array:
    """The rows of constant experts: a mean of the token and the expert's vector, with weights from two products."""
    if not len(x):
        return x
    first, second, vectors = (
        widen(own[name]).astype(np.float32)[numbers]
        for name in ("constExpertAlpha1", "constExpertAlpha2", "constExpertV")
    )
    products: Any = np.stack([(x * first).sum(1), (x * second).sum(1)], 1)
    weights = np.exp(products - products.max(1, keepdims=True))
    weights /= weights.sum(1, keepdims=True)
    return weights[:, :1] * x + weights[:, 1:] * vectors

"""Mixtures of experts on several ranks: the rows that each rank receives.

`Experts` describes a group. Each rank has `local` experts. The first `shared_ranks` ranks have one shared expert each
instead. The rows that a rank receives are ordered by expert, then by the rank that they come from, then by their
position there.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from aclnn.op import Array, in_memory, widen
from aclnn.ops.collective._kernels import Received

TRIPLE: Final = 3
"""numbers of a row in assistInfoForCombine: rank, token, and position of the expert"""
GREATEST: Final = np.float32(127)


class Experts(NamedTuple):
    """The experts of a group."""

    ranks: int
    rank: int
    """this rank"""
    number: int
    """experts, without the shared ones"""
    shared: int
    shared_ranks: int
    blocks: bool = False
    """True if the tokens of a rank are split over the ranks of the shared expert, as in the first version"""

    @property
    def local(self) -> int:
        """Experts of a rank without a shared expert."""
        return self.number // (self.ranks - self.shared_ranks)

    @property
    def own(self) -> int:
        """Experts of this rank."""
        return 1 if self.rank < self.shared_ranks else self.local

    def place(self, expert: Array) -> tuple[Array, Array]:
        """Rank and local number of experts."""
        return self.shared_ranks + expert // self.local, expert % self.local

    def shares(self, source: int, tokens: Array, count: int) -> Array:
        """The tokens among these, of `count` tokens of a rank, that go to the shared expert of this rank."""
        copies = self.shared_ranks // self.shared
        if self.blocks:
            return tokens[tokens // -(-count // copies) == self.rank]
        return tokens if self.rank % copies == source % copies else tokens[:0]

    @property
    def of_shared(self) -> int:
        """The number of the shared expert of this rank."""
        return self.rank // (self.shared_ranks // self.shared)


class Rows(NamedTuple):
    """Rows that a rank receives from another one, for one expert."""

    source: int
    tokens: Array
    positions: Array
    """the position of the expert among those of the token; for a shared expert behind all of them"""


def active(ids: Array, mask: Array | None) -> Array:
    """True for each expert of a token that takes part."""
    if mask is None:
        return np.ones(ids.shape, np.bool_)
    return np.broadcast_to(mask if mask.ndim == 2 else mask[:, None], ids.shape)


def arriving(received: Sequence[Mapping[str, Array]], experts: Experts) -> Iterator[list[Rows]]:
    """For each expert of this rank, the rows of each rank."""
    for local in range(experts.own):
        rows: list[Rows] = []
        for source, inputs in enumerate(received):
            ids = inputs["expertIds"]
            taking = active(ids, inputs.get("xActiveMask"))
            if experts.rank < experts.shared_ranks:
                tokens = experts.shares(source, np.flatnonzero(taking.any(1)), len(ids))
                rows.append(Rows(source, tokens, np.full(len(tokens), ids.shape[1] + experts.of_shared)))
                continue
            ranks, numbers = experts.place(ids)
            here = taking & (ids >= 0) & (ids < experts.number) & (ranks == experts.rank) & (numbers == local)
            rows.append(Rows(source, *np.nonzero(here)))
        yield rows


def named(received: Received, names: Sequence[str]) -> list[dict[str, Array]]:
    """The arrays of each rank by their names."""
    return [dict(zip(names, inputs, strict=True)) for inputs in received]


@in_memory
def dispatched(
    received: Received, *, out: list[Array], names: tuple[str, ...], written: tuple[str, ...], experts: Experts,
    quantised: bool, running: bool,
) -> None:  # fmt: skip
    """Write the rows that this rank receives, and what belongs to them. Rows behind the last one are not written.
    `running`: expertTokenNums has running sums."""
    ranks, results = named(received, names), dict(zip(written, out, strict=True))
    counts, start = list[list[int]](), 0
    for local, groups in enumerate(arriving(ranks, experts)):
        counts.append([len(rows.tokens) for rows in groups])
        for rows in groups:
            end = start + len(rows.tokens)
            _write_rows(results, slice(start, end), ranks[rows.source], rows, _smooth_row(experts, local), quantised)
            start = end
    by_expert = np.array(counts).sum(1)
    results["expertTokenNums"][:] = by_expert.cumsum() if running else by_expert
    received_counts = np.array(counts).reshape(-1).cumsum()
    results["epRecvCounts"].reshape(-1)[: len(received_counts)] = received_counts
    if "expandIdx" in results:
        results["expandIdx"][...] = earlier(ranks[experts.rank]["expertIds"].reshape(-1))


def _smooth_row(experts: Experts, local: int) -> int:
    """The row of the smoothing scales of an expert of this rank."""
    if experts.rank < experts.shared_ranks:
        return experts.of_shared
    return experts.shared + (experts.rank - experts.shared_ranks) * experts.local + local


def _write_rows(
    results: Mapping[str, Array], where: slice, inputs: Mapping[str, Array], rows: Rows, smooth: int, quantised: bool
) -> None:  # fmt: skip
    values = inputs["x"][rows.tokens]
    if quantised:
        wide = widen(values).astype(np.float32)
        wide = wide * inputs["scales"][smooth] if "scales" in inputs else wide
        values, scales = quantise(wide)
        results["dynamicScales"].reshape(-1)[where] = scales
    results["expandX"][where] = values
    if "assistInfo" in results:
        triples = np.stack([np.full(len(rows.tokens), rows.source), rows.tokens, rows.positions], 1)
        results["assistInfo"].reshape(-1)[TRIPLE * where.start : TRIPLE * where.stop] = triples.reshape(-1)
    if "expandScales" in results and "expertScales" in inputs:
        columns = np.minimum(rows.positions, inputs["expertScales"].shape[1] - 1)
        own = inputs["expertScales"][rows.tokens, columns]
        shared = rows.positions >= inputs["expertScales"].shape[1]
        results["expandScales"].reshape(-1)[where] = np.where(shared, np.float32(1), own)


def quantise(rows: Array) -> tuple[Array, Array]:
    """Rows as INT8, and the scale of each. A row of zeros has the scale 0."""
    greatest = np.abs(rows).max(1) if rows.size else np.zeros(len(rows), np.float32)
    zero = greatest == 0
    factors = np.divide(GREATEST, greatest, where=~zero, out=np.zeros_like(greatest))
    scales = np.divide(np.float32(1), factors, where=~zero, out=np.zeros_like(greatest))
    return np.rint(rows * factors[:, None]).astype(np.int32).astype(np.int8), scales


def earlier(ids: Array) -> Array:
    """For each entry, how many earlier ones are equal."""
    order = np.argsort(ids, kind="stable")
    ordered = ids[order]
    starts = np.searchsorted(ordered, ordered)
    counts = np.empty(len(ids), np.int32)
    counts[order] = np.arange(len(ids)) - starts
    return counts

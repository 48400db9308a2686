"""Multinomial and Randperm: random positions."""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from aclnn.op import (
    ACLNN_ERR_INNER_NULLPTR, IEEE_FLOATS, INTEGERS, REAL_FLOAT, Arguments, Array, Bad, Planning, Relation, T, demand,
    empty, in_memory, in_order, listed, null_status, order, planned, positive, ranks, row_slices, shape, store, widen,
    with_bf16,
)  # fmt: skip
from aclnn.ops.random._family import DSA, each_block, each_word, source, start, uniform

MOST_CATEGORIES: Final = 1 << 24

ON_HOST: Final = 5000
"""A2 and A3 sample from up to this number of elements on a CPU"""
TINY: Final = np.float32(1e-7)


# multinomial


def wrong_sizes(a: Arguments) -> Bad:
    expected_shape = (*a.shape("self")[:-1], a["numsamples"])
    return None if a.shape("out") == expected_shape else (list(a.shape("out")), list(expected_shape))


def too_many(a: Arguments) -> Bad:
    categories = a.shape("self")[-1]
    fit = a["replacement"] or a["numsamples"] <= categories
    return None if fit else (a["numsamples"], f"at most {categories}, if none comes twice")


def too_large(a: Arguments) -> Bad:
    categories = a.shape("self")[-1]
    return None if categories <= MOST_CATEGORIES else (f"{categories} categories", f"at most {MOST_CATEGORIES}")


def unread(a: Arguments) -> Bad:
    """Checks the tensors of seed and offset, if a CPU reads them."""
    wrong = [a.type_name(name) for name in ("seedTensor", "offsetTensor") if a.dtype(name) != T.ACL_INT64]
    return (wrong[0], "INT64") if wrong and 0 < a["self"].numel <= ON_HOST else None


def checks(*seeds: Relation) -> tuple[Relation, ...]:
    return (
        listed("self", among=REAL_FLOAT), *seeds, listed("out"), ranks("self", least=1, most=2),
        demand("{0} has the shape of {1}, with numsamples in place of the categories", "out", "self", bad=wrong_sizes),
        positive("numsamples"),
        demand("without replacement {0} is at most the number of categories", "numsamples", "self", bad=too_many),
        demand(f"{{0}} has at most {MOST_CATEGORIES} categories", "self", bad=too_large), empty("self"),
    )  # fmt: skip


def sample(p: Planning) -> None:
    x, out = p.read("self"), p["out"]
    tensors, numbers = source(p)
    values: dict[str, Any] = {"samples": p["numsamples"], **numbers}
    if p["replacement"] and p["numsamples"] > 1:
        values["shared"] = p.soc.series in DSA and p["self"].numel > ON_HOST
        result = p.step(with_replacement, [x, *tensors], out.shape, T.ACL_INT64, **values)
    else:
        result = p.step(without_replacement, [x, *tensors], out.shape, T.ACL_INT64, **values)
    p.store("out", result)


@in_memory
def with_replacement(
    x: Array, *tensors: Array, out: Array, samples: int, seed: int = 0, offset: int, shared: bool
) -> None:  # fmt: skip
    """For each sample, the first category whose running sum exceeds a uniform share of the sum of its row. `shared`:
    all rows use the same uniform numbers."""
    weights, drawn = np.atleast_2d(x), np.atleast_2d(out)
    rows, categories = weights.shape
    u = uniform_numbers(start(tensors, seed, offset), samples if shared else samples * rows).reshape(-1, samples)
    for part in row_slices(rows, max(categories, samples)):
        own_points = u if shared else u[part]
        points = np.add(own_points, np.arange(part.start, part.stop, dtype=np.int64)[:, None])
        store(np.clip(searched(weights[part], points, part.start), 0, categories - 1), drawn[part])


def searched(weights: Array, points: Array, first: int) -> Array:
    """For each point, the number of running sums of its row that are not above the point. The running sums of row r are
    scaled to the range from r to r + 1, so that one search serves all rows. `first`: the number of the first row. A row
    is summed twice, block by block, as scaling needs the sum of the whole row."""
    rows, whole = len(weights), np.zeros((len(weights), 1))
    for sums in running_sums(weights):
        whole = sums[:, -1:]
    counts = np.zeros(points.shape, np.int64)
    number = np.arange(first, first + rows, dtype=np.int64)[:, None]
    for sums in running_sums(weights):
        with np.errstate(all="ignore"):
            ends = np.add(np.where(whole > 0, sums / whole, 1), number)
        count = sums.shape[1]
        places = np.searchsorted(ends.reshape(-1), points.reshape(-1), side="right")
        row_starts = np.repeat(np.multiply(np.arange(rows, dtype=np.int64), count), points.shape[1])
        row_places = np.minimum(np.maximum(np.subtract(places, row_starts), 0), count)
        np.add(counts, row_places.reshape(points.shape), out=counts)  # pyright: ignore[reportUnknownArgumentType]
    return counts


def running_sums(weights: Array) -> Iterator[Array]:
    """Sums up to each category, in float64, block by block."""
    last: Array = np.zeros((len(weights), 1))
    for part in row_slices(weights.shape[1], len(weights)):
        block = weights[:, part].astype(np.float64)
        block[:, :1] += last
        sums = np.cumsum(block, axis=1, out=block)
        last[...] = sums[:, -1:]
        yield sums


@in_memory
def without_replacement(
    x: Array, *tensors: Array, out: Array, samples: int, seed: int = 0, offset: int
) -> None:  # fmt: skip
    """The categories with the largest quotients of their weight and an exponential number, in descending order."""
    weights, drawn = np.atleast_2d(x), np.atleast_2d(out)
    rows, categories = weights.shape
    seed, offset = start(tensors, seed, offset)
    u = uniform_numbers((seed, offset), x.size).reshape(rows, categories)
    for part in row_slices(rows, categories):
        scores = quotients(widen(weights[part]), u[part])
        store(order(scores, -1, first=samples), drawn[part])


def quotients(weights: Array, u: Array) -> Array:
    """The negated quotients, written over the uniform numbers."""
    u = np.negative(np.log1p(np.negative(u, out=u), out=u), out=u)
    return np.negative(np.divide(weights, np.add(u, TINY, out=u), out=u if weights.dtype == u.dtype else None))


def uniform_numbers(start: tuple[int, int], count: int) -> Array:
    return each_word(start, np.empty(count, np.float32), lambda words: uniform(words, T.ACL_FLOAT))


@planned("aclnnMultinomial", *checks())
def multinomial(p: Planning) -> None:
    """out = numsamples positions for each row of self. The elements of self are weights, which need not add up to 1"""
    sample(p)


@planned(
    "aclnnMultinomialTensor",
    *checks(demand("{0} and {1} are INT64", "seedTensor", "offsetTensor", "self", bad=unread)),
)  # fmt: skip
def multinomial_by_tensors(p: Planning) -> None:
    """Like aclnnMultinomial, from the seed in seedTensor and the offset offsetTensor + offset"""
    sample(p)


# permutations


@in_memory
def wide_words(*, out: Array, seed: int, offset: int) -> None:
    """Random numbers of 64 bits."""

    def formula(rows: Array) -> Array:
        high, low = (rows[:, i::2].astype(np.uint64) for i in (0, 1))
        return high << np.uint64(32) | low

    each_block((seed, offset), out, formula, per_counter=2)


@in_memory
def sorted_positions(words: Array, *, out: Array) -> None:
    """The positions, sorted by the numbers `words`."""
    for part, places in in_order(words):
        out[part] = places


@planned(
    "aclnnRandperm", null_status(ACLNN_ERR_INNER_NULLPTR, "out"),
    listed("out", among=with_bf16((*IEEE_FLOATS, *INTEGERS))),
    shape("out", "{0} has n elements in one dimension", lambda a: (a["n"],)), empty("out"),
)  # fmt: skip
def randperm(p: Planning) -> None:
    """out = a random permutation of 0 to n - 1. A number that the data type cannot represent is rounded, or loses its
    high bits."""
    sizes = (p["n"],)
    words = p.step(wide_words, [], sizes, T.ACL_UINT64, seed=p["seed"], offset=p["offset"])
    p.store("out", p.step(sorted_positions, [words], sizes, T.ACL_INT64))

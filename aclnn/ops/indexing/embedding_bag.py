"""EmbeddingBag: sums, means and maxima of the rows of a table, for bags (groups) of positions."""

from math import prod

import numpy as np

from aclnn.op import (
    SHORT_FLOAT, Arguments, Array, Bad, Planning, Relation, Series, Shape, T, demand, empty, listed, planned, ranks,
    same_dtype, shape,
)  # fmt: skip
from aclnn.ops.indexing._family import watch

WHOLE_TYPES = (T.ACL_INT64, T.ACL_INT32, T.ACL_INT16, T.ACL_INT8, T.ACL_UINT8)
WIDE = (T.ACL_INT32, T.ACL_INT64)
SUM, MEAN = 0, 1
"""every other mode is the maximum"""


def newest(a: Arguments) -> bool:
    return a.soc.series is Series.A950


def narrow_indices(a: Arguments) -> Bad:
    good = {a.dtype("indices"), a.dtype("offsets")} & set(WIDE)
    return None if good else (a.type_name("indices"), "DT_INT32 or DT_INT64, of indices or of offsets")


def flat(name: str) -> Relation:
    """Checks that a tensor has one dimension; on Ascend 950 up to two."""

    def bad(a: Arguments) -> Bad:
        most = 2 if newest(a) else 1
        return None if a.rank(name) <= most else (list(a.shape(name)), f"at most {most} dimensions")

    return demand("{0} has at most one dimension (two on Ascend 950)", name, bad=bad)


def wrong_weights(a: Arguments) -> Bad:
    return None if newest(a) or a["mode"] == SUM else ("a tensor", "null, as mode is not 0")


def bags(a: Arguments) -> int:
    return a["offsets"].numel - (1 if a["includeLastOffset"] else 0)


def wrong_bag_places(a: Arguments) -> Bad:
    count, expected_count = a["offset2bag"].numel, a["indices"].numel
    return None if count in (0, expected_count) else (f"{count} elements", f"{expected_count} elements, or none")


def counts(a: Arguments) -> int:
    """The number of elements that bagSize must have."""
    return a["offsets"].numel if newest(a) else bags(a)


def wrong_bag_counts(a: Arguments) -> Bad:
    count = a["bagSize"].numel
    return None if count == counts(a) else (f"{count} elements", f"{counts(a)} elements")


def wrong_maxima(a: Arguments) -> Bad:
    shape = a.shape("maxIndices")
    if a["mode"] not in (SUM, MEAN):
        expected_shape: Shape = (bags(a), a.shape("weight")[1])
        return None if shape == expected_shape else (list(shape), list(expected_shape))
    good = newest(a) or (len(shape) <= 1 and a["maxIndices"].numel == bags(a))
    return None if good else (list(shape), f"{bags(a)} elements in one dimension")


def wrong_weight_count(a: Arguments) -> Bad:
    count, expected_count = a["perSampleWeights"].numel, a["indices"].numel
    return None if count == expected_count else (f"{count} elements", f"{expected_count} elements, as indices has")


@planned(
    "aclnnEmbeddingBag", listed("weight", among=SHORT_FLOAT, provenance="public"),
    listed("indices", "offsets", among=WHOLE_TYPES, provenance="public"),
    demand("{0} or {1} has 32 or 64 bits", "indices", "offsets", bad=narrow_indices),
    listed("perSampleWeights", among=SHORT_FLOAT, provenance="public"), same_dtype("perSampleWeights", as_="weight"),
    same_dtype("output", as_="weight"),
    listed("offset2bag", "bagSize", "maxIndices"),
    ranks("weight", least=2, most=2), flat("indices"), ranks("offsets", least=0, most=1), flat("perSampleWeights"),
    ranks("output", least=2, most=2), ranks("offset2bag", "bagSize", least=0, most=1),
    demand("{0} is null, unless {1} is 0 (not on Ascend 950)", "perSampleWeights", "mode", bad=wrong_weights),
    demand("{0} has a number for each index", "perSampleWeights", "indices", bad=wrong_weight_count),
    shape("output", "{0} has a row for each bag", lambda a: (bags(a), a.shape("weight")[1])),
    demand("{0} is empty or has a number for each index", "offset2bag", "indices", bad=wrong_bag_places),
    demand("{0} has a number for each bag", "bagSize", "offsets", bad=wrong_bag_counts),
    demand("{0} has a number for each bag, or for each element of output", "maxIndices", "mode", bad=wrong_maxima),
    empty("weight", "indices", "offsets"),
)  # fmt: skip
def embedding_bag(p: Planning) -> None:
    """output[b] = the sum (mode 0), mean (mode 1) or maximum of the rows of weight at the positions of bag b. Bag b has
    the positions of indices from offsets[b] on, without paddingIdx. Rows of a sum may be scaled by perSampleWeights.
    offset2bag = the bag of each index. bagSize = the size of each bag, but 0 in mode 0. maxIndices = the position of
    each maximum, and in modes 0 and 1 the same as bagSize."""
    rows, width = p.shape("weight")
    weight, indices, offsets = (p.read(name) for name in ("weight", "indices", "offsets"))
    watch(p, indices, "indices", rows)
    watch(p, offsets, "offsets", p["indices"].numel + 1)
    inputs = [weight, indices, offsets]
    if p.given("perSampleWeights"):
        inputs.append(p.read("perSampleWeights"))
    mode, count, total = p["mode"], bags(p), p["indices"].numel
    highest = mode not in (SUM, MEAN)
    results = [
        ((count, width), weight.dtype), ((total,), T.ACL_INT64), ((count,), T.ACL_INT64),
        ((count, width) if highest else (count,), T.ACL_INT64),
    ]  # fmt: skip
    outputs = p.steps(bagged, inputs, results, mode=mode, count=count, padding=p["paddingIdx"])
    p.store("output", outputs[0])
    if p["offset2bag"].numel:
        p.store("offset2bag", p.builder.reshape(outputs[1], p.shape("offset2bag")))
    for name, result in (("bagSize", outputs[2]), ("maxIndices", outputs[3])):
        if p[name].numel == prod(result.shape):
            p.store(name, p.builder.reshape(result, p.shape(name)))


def bagged(
    weight: Array, indices: Array, offsets: Array, scales: Array | None = None, *, mode: int, count: int, padding: int
) -> tuple[Array, ...]:  # fmt: skip
    """The four outputs. Positions outside of the table are skipped, like padding."""
    indices, offsets = indices.ravel(), offsets.ravel()
    bag = np.searchsorted(offsets, np.arange(indices.size), side="right") - 1
    valid = (indices >= 0) & (indices < len(weight)) & (bag >= 0) & (bag < count)
    valid &= (indices != padding) if padding >= 0 else True
    rows, bags_of_rows = indices[valid], bag[valid]
    sizes = np.bincount(bags_of_rows, minlength=count)
    scale = None if scales is None else scales.ravel()[valid]
    if mode in (SUM, MEAN):
        output = summed(weight, rows, bags_of_rows, count, scale)
        if mode == MEAN:
            shares: Array = np.reciprocal(np.maximum(sizes, 1).astype(np.float32))
            output = np.multiply(output, shares[:, None])
        reported_sizes = sizes if mode == MEAN else 0 * sizes
        return output, np.clip(bag, 0, count - 1), reported_sizes, reported_sizes
    output, places = highest(weight, rows, sizes)
    return output, np.clip(bag, 0, count - 1), sizes, places


def summed(weight: Array, rows: Array, bags: Array, count: int, scale: Array | None) -> Array:
    """The rows of each bag, added up in their order."""
    output = np.zeros((count, weight.shape[1]), np.float32)
    np.add.at(output, bags, weight[rows] if scale is None else weight[rows] * scale[:, None])
    return output


def highest(weight: Array, row_numbers: Array, sizes: Array) -> tuple[Array, Array]:
    """The maximum of each bag, and its position. The k-th rows of all bags are compared together. A later row replaces
    an earlier one, unless the earlier one is greater or equal. So NaN replaces any element, and any later element
    replaces NaN."""
    output = np.zeros((len(sizes), weight.shape[1]), np.float32)
    places = np.zeros(output.shape, np.int64)
    starts = np.cumsum(sizes) - sizes
    for k in range(int(sizes.max(initial=0))):
        bags = np.flatnonzero(sizes > k)
        positions = row_numbers[starts[bags] + k]
        rows, best = weight[positions], output[bags]
        wins = ~(best >= rows) if k else np.ones(rows.shape, np.bool_)
        output[bags] = np.where(wins, rows, best)
        places[bags] = np.where(wins, positions[:, None], places[bags])
    return output, places

"""Slices whose norm is limited: Renorm, and EmbeddingRenorm for the rows that an index tensor names."""

import numpy as np

from aclnn.op import (
    FLOAT_OR_HALF, PART, SHORT_FLOAT, Arguments, Array, Bad, Planning, Relation, Series, aclDataType, axis, demand,
    empty, in_parts, listed, planned, public_format, ranks, same_dtype, same_format, same_shape, scalar_as, total,
    with_bf16,
)  # fmt: skip
from aclnn.ops.indexing._family import watch
from aclnn.ops.norm._family import FLOAT

RENORM_TYPES = with_bf16(FLOAT_OR_HALF, on={Series.INFERENCE: (aclDataType.ACL_BF16,)})


def not_negative(name: str) -> Relation:
    """Checks that a scalar is 0 or more. NaN passes."""

    def bad(a: Arguments) -> Bad:
        try:
            value = float(scalar_as(a[name], FLOAT))
        except TypeError:  # the plan refuses such a scalar
            return None
        return (value, "0 or more") if value < 0 else None

    return demand("{0} is not negative", name, bad=bad)


@planned(
    "aclnnRenorm", "aclnnInplaceRenorm", listed("self", among=RENORM_TYPES, provenance="public"),
    listed("out", among=RENORM_TYPES, provenance="public"), same_dtype("out", as_="self"),
    same_format("out", "self", storage=False), ranks("self", least=2, most=8), same_shape("out", "self"),
    not_negative("p"), axis("dim", of="self"), not_negative("maxNorm"), empty("self"),
)  # fmt: skip
def renorm(p: Planning) -> None:
    """out = each slice of self along dim, times min(n, maxNorm) / n, where n = (the sum of |x|^p)^(1/p), but at least
    1e-12 (1e-7 for FLOAT16 before Ascend 950). If p is infinite, n is the greatest |x|. If p is 0, n is the number of
    nonzero elements."""
    newest, dtype = p.soc.series is Series.A950, p.dtype("self")
    along, rank = p.axis("dim", "self"), p.rank("self")
    x = p.read("self", FLOAT if newest else None)
    least = 1e-7 if dtype == aclDataType.ACL_FLOAT16 and not newest else 1e-12
    sizes = tuple(size if dim == along else 1 for dim, size in enumerate(x.shape))
    axes = tuple(dim for dim in range(rank) if dim != along)
    order, most = (float(p.scalar(name, FLOAT)) for name in ("p", "maxNorm"))
    sums = p.step(powers, [x], sizes, FLOAT, axes=axes, order=order)
    factors = p.step(limiting, [sums], sizes, FLOAT, order=order, most=most, least=least)
    p.store("out", p.step(np.multiply, [x, factors], x.shape, x.dtype))


def limiting(sums: Array, *, order: float, most: float, least: float) -> Array:
    """The factor that limits the norm of each slice to `most`. The root is taken of a dense array, so it is computed
    once for a slice, not once for an element."""
    norm = np.maximum(root(np.ascontiguousarray(sums), order), np.float32(least))
    return np.minimum(norm, np.float32(most)) / norm


@in_parts("axes")
def powers(x: Array, *, axes: tuple[int, ...], order: float) -> Array:
    """The sums of |x|^order; the greatest |x| for an infinite order, the number of elements that are not 0 for 0."""
    if np.isinf(order):
        return np.max(np.abs(x), axes, keepdims=True)
    if order == 0:
        return total(np.where(x != 0, np.float32(1), np.float32(0)), axes, keepdims=True)
    if order == 1:
        return total(np.abs(x), axes, keepdims=True)
    if order in (2, 3):
        return total(x * x if order == 2 else x * x * np.abs(x), axes, keepdims=True)
    return total(np.abs(x) ** np.float32(order), axes, keepdims=True)


def root(sums: Array, order: float) -> Array:
    if np.isinf(order) or order in (0, 1):
        return sums
    return np.sqrt(sums) if order == 2 else sums ** np.float32(1 / order)


def norms(x: Array, axes: tuple[int, ...], order: float) -> Array:
    return root(powers(x, axes=axes, order=order), order)


@planned(
    "aclnnEmbeddingRenorm", listed("selfRef", among=SHORT_FLOAT, provenance="public"), listed("indices"),
    ranks("selfRef", least=2, most=2), ranks("indices", least=0, most=8), public_format("selfRef", "indices"),
    empty("selfRef", "indices"),
)  # fmt: skip
def embedding_renorm(p: Planning) -> None:
    """Multiplies each row of selfRef that indices names by maxNorm / (n + 1e-7), once, if its norm n = (the sum of
    |x|^normType)^(1/normType) is above maxNorm. A maxNorm of NaN is no limit."""
    newest, count = p.soc.series is Series.A950, p.shape("selfRef")[0]
    x, indices = p.read("selfRef", FLOAT if newest else None), p.read("indices")
    watch(p, indices, "indices", count)
    most = np.inf if np.isnan(p["maxNorm"]) else p["maxNorm"]
    factors = p.step(row_factors, [x, indices], (count, 1), x.dtype, order=p["normType"], most=most)
    p.store("selfRef", p.step(np.multiply, [x, factors], x.shape, x.dtype))


def row_factors(x: Array, indices: Array, *, order: float, most: float) -> Array:
    """The factor of each row; 1 for a row without an index."""
    numbers = np.unique(indices)
    rows = numbers[(numbers >= 0) & (numbers < len(x))]
    factors = np.ones((len(x), 1), np.float32)
    step = max(1, PART // x.shape[1])
    for some in (rows[i : i + step] for i in range(0, len(rows), step)):
        norm: Array = norms(x[some], (1,), order)
        shares: Array = np.divide(np.float32(most), norm + np.float32(1e-7))
        factors[some] = np.where(norm > most, shares, np.float32(1))
    return factors

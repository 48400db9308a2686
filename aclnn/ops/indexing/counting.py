"""Bincount and Histc, which count elements by their value."""

import numpy as np

from aclnn.op import (
    Arguments, Array, Bad, Planning, T, castable, demand, done, empty, filling, is_integer, listed, planned, positive,
    public_format, ranks, same_format, same_shape, scalar_as,
)  # fmt: skip
from aclnn.ops.indexing._family import watch

PART = 1 << 16
"""elements that are counted at a time"""
MOST_BINS = 2**31 - 1


def length(a: Arguments) -> int:
    return max(*a.shape("out")[:1], a["minlength"], 0)


def too_long(a: Arguments) -> Bad:
    return None if length(a) <= MOST_BINS else (length(a), f"at most {MOST_BINS}")


@planned(
    "aclnnBincount", listed("self", "out", "weights"), public_format("self", "out"), ranks("self", least=1, most=1),
    same_format("weights", "self", storage=False), same_shape("weights", "self"),
    done("self is empty and minlength is not positive", "self", "minlength",
         when=lambda a: a["self"].numel == 0 and a["minlength"] <= 0),
    empty("self", plan=filling("out", 0)), demand("out has room for {0}", "minlength", bad=too_long),
)  # fmt: skip
def bincount(p: Planning) -> None:
    """out[v] = the number of elements of self that are v, or the sum of their weights"""
    size = (length(p),)
    x = p.read("self", T.ACL_INT32)
    watch(p, x, "self", *size)
    inputs = [x]
    if p.given("weights"):
        wide = p.dtype("weights") == T.ACL_FLOAT
        inputs.append(p.read("weights", T.ACL_FLOAT if wide else T.ACL_DOUBLE))
    p.store("out", p.step(counted, inputs, size, inputs[-1].dtype if len(inputs) > 1 else T.ACL_INT64, size=size[0]))


def counted(x: Array, weights: Array | None = None, *, size: int) -> Array:
    """The counts of numbers. A negative number, or one that is too large, is not counted."""
    out = np.zeros(size, np.int64 if weights is None else np.float64)
    for start in range(0, x.size, PART):
        part = x[start : start + PART]
        good = (part >= 0) & (part < size)
        out += np.bincount(part[good], None if weights is None else weights[start : start + PART][good], size)
    return out


def limits(a: Arguments, dtype: int) -> tuple[float, float] | None:
    """min and max in a data type; None if they cannot be cast, because the plan then fails."""
    try:
        low, high = (scalar_as(a[name], dtype).item() for name in ("min", "max"))
    except TypeError:
        return None
    return low, high


def kind(a: Arguments) -> int:
    """The data type in which min and max are compared."""
    return T.ACL_INT32 if is_integer(a.dtype("self")) else T.ACL_FLOAT


def infinite(a: Arguments) -> Bad:
    bounds = limits(a, T.ACL_FLOAT)
    good = bounds is None or np.isfinite(bounds).all() or bounds[0] == bounds[1]
    return None if good else (bounds, "finite numbers, or twice the same infinity")


def reversed_(a: Arguments) -> Bad:
    bounds = limits(a, kind(a))
    return None if bounds is None or bounds[0] <= bounds[1] else (bounds[0], f"at most {bounds[1]}")


def other_size(a: Arguments) -> Bad:
    return None if a["out"].numel == a["bins"] else (list(a.shape("out")), f"{a['bins']} elements")


@planned(
    "aclnnHistc", listed("self", "out"),
    demand("{0} and {1} are finite, or the same infinity", "min", "max", bad=infinite), positive("bins"),
    demand("{0} is not above {1}", "min", "max", bad=reversed_),
    castable("out", "self"), ranks("out", least=1, most=1), ranks("self", least=0, most=8),
    demand("{0} has an element for each bin", "out", "bins", bad=other_size), empty("self", plan=filling("out", 0)),
)  # fmt: skip
def histc(p: Planning) -> None:
    """out = the number of elements in each of `bins` equal parts of [min, max]; max is in the last part. If min equals
    max, the limits are the least and the largest element; if these are equal too, that value - 1 and that value + 1."""
    low, high = (p.scalar(name, kind(p)).item() for name in ("min", "max"))
    x = p.read("self")
    p.store("out", p.step(parts, [x], p.shape("out"), T.ACL_INT32, bins=p["bins"], low=low, high=high))


def parts(x: Array, *, bins: int, low: float, high: float) -> Array:
    near = high - low < 1e-6 if x.dtype.kind == "f" else low == high
    if near or np.isnan(high - low):
        low, high = x.min().item(), x.max().item()
        low, high = (low - 1, high + 1) if low == high else (low, high)
    out, row = np.zeros(bins, np.int64), x.reshape(-1)
    for start in range(0, row.size, PART):
        out += _counts(row[start : start + PART], bins, low, high)
    return out


def _counts(x: Array, bins: int, low: float, high: float) -> Array:
    values = x[(x >= low) & (x <= high)]
    if x.dtype.kind == "f":
        first, last = np.asarray(low, np.float32), np.asarray(high, np.float32)
        places: Array = np.divide((values - first) * np.float32(bins), np.subtract(last, first))
    else:
        places = (values.astype(np.int64) - low) * bins / (high - low)
    return np.bincount(np.minimum(places.astype(np.int64), bins - 1), minlength=bins)

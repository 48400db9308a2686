"""Functions that fill a tensor with random numbers: uniform, integer, exponential."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from aclnn.op import (
    BOOL, COMPLEX, IEEE_FLOATS, INTEGERS, Arguments, Array, Bad, Operand, Planning, Series, T, aclDataType, array_dtype,
    demand, empty, generated, in_memory, in_parts, is_float, listed, only_on, overwrites, planned, positive, ranks,
    with_bf16,
)  # fmt: skip
from aclnn.ops.random._family import BITS, DSA, each_word, in_type, source, start, uniform

INTO: Final = (overwrites("selfRef"),)
RANK: Final = ranks("selfRef", least=0, most=8)
UNIFORM: Final = with_bf16((*IEEE_FLOATS, *INTEGERS))
RANDOM: Final = with_bf16(
    (*IEEE_FLOATS, *INTEGERS, *BOOL), {series: COMPLEX for series in Series if series is not Series.A950}
)


def drawn(p: Planning, kernel: Callable[..., None], dtype: int, **values: Any) -> Operand:
    """Plans random numbers for all elements of selfRef."""
    tensors, numbers = source(p)
    shape = p.shape("selfRef")
    return p.step(kernel, tensors, shape, dtype, **values, **numbers)


# uniform


def disorder(a: Arguments) -> Bad:
    return (a["from"], f"at most to, {a['to']}") if a["from"] > a["to"] else None


@in_memory
def between(
    *tensors: Array, out: Array, seed: int = 0, offset: int, own: int, low: float, high: float
) -> None:  # fmt: skip
    """Uniform numbers from low to high. Those of FLOAT16 are computed in float16, all others in float32."""
    kind = np.float16 if own == T.ACL_FLOAT16 else np.float32

    def formula(words: Array) -> Array:
        with np.errstate(over="ignore"):
            u: Array = uniform(words, own).astype(kind)
            return np.add(np.multiply(u, np.subtract(kind(high), kind(low))), kind(low))

    each_word(start(tensors, seed, offset), out, formula)


def fill_uniform(p: Planning) -> None:
    own_dtype = p.dtype("selfRef")
    dtype = own_dtype if own_dtype in BITS else T.ACL_FLOAT
    low, high = (in_type(p[name], dtype if p.soc.series in DSA else T.ACL_FLOAT) for name in ("from", "to"))
    p.store("selfRef", drawn(p, between, dtype, own=int(dtype), low=low, high=high))


ORDERED: Final = demand("{0} is at most {1}", "from", "to", bad=disorder)


@planned("aclnnInplaceUniform", *INTO, listed("selfRef", among=UNIFORM), RANK, ORDERED, empty("selfRef"))
def uniform_in_place(p: Planning) -> None:
    """selfRef = uniform numbers in [from, to). A rounded number may be equal to the bound `to`."""
    fill_uniform(p)


@planned(
    "aclnnInplaceUniformTensor", *INTO, listed("selfRef", among=UNIFORM), RANK, ORDERED,
    only_on(Series.A950, listed("seedTensor", "offsetTensor", among=(T.ACL_UINT64, T.ACL_INT64))), empty("selfRef"),
)  # fmt: skip
def uniform_by_tensors(p: Planning) -> None:
    """selfRef = uniform numbers in [from, to), from the seed in seedTensor and the offset offsetTensor + offset"""
    fill_uniform(p)


# integers


def backwards(a: Arguments) -> Bad:
    return (a["from"], f"less than to, {a['to']}") if a["from"] >= a["to"] else None


LESS: Final = demand("{0} is less than {1}", "from", "to", bad=backwards)


def limits_of_type(low: int, high: int, dtype: int) -> tuple[int, int]:
    """The bounds, moved inward to integers that a float type can represent. The upper bound is exclusive."""
    kind = array_dtype(dtype)
    first, last = (np.asarray(float(each)).astype(kind) for each in (low + 1, high - 1))
    if np.isfinite(first) and int(first) < low:
        first = np.nextafter(first, kind.type(np.inf))
        low = int(first)
    if np.isfinite(last) and int(last) >= high:
        high = int(np.nextafter(last, kind.type(-np.inf)))
    return low, high


@in_memory
def spread(
    *tensors: Array, out: Array, seed: int = 0, offset: int, low: float, high: float, whole: bool = False
) -> None:  # fmt: skip
    """Uniform numbers from low to high: u * high - (u * low - low), in float32. `whole`: the numbers are rounded down
    to integers, at most high - 1."""
    first, last = np.float32(low), np.float32(high)

    def formula(words: Array) -> Array:
        u = uniform(words, T.ACL_FLOAT)
        values = u * last - (u * first - first)
        return np.minimum(np.floor(values), np.float32(high - 1)) if whole else values

    each_word(start(tensors, seed, offset), out, formula)


@in_parts()
def nearest(x: Array) -> Array:
    return np.rint(x)


def fill_integers(p: Planning, low: int, high: int) -> None:
    """Random integers from low to high - 1. For a float or complex selfRef they are first cast to INT64."""
    dtype = p.dtype("selfRef")
    if is_float(dtype):
        low, high = limits_of_type(low, high, dtype)
    x = drawn(p, spread, T.ACL_FLOAT, low=float(low), high=float(high), whole=dtype != T.ACL_BOOL)
    if dtype == T.ACL_BOOL:
        x = p.step(nearest, [x], x.shape, x.dtype)
    elif dtype not in INTEGERS:
        x = p.builder.cast(x, T.ACL_INT64)
    p.store("selfRef", x)


@planned("aclnnInplaceRandom", *INTO, listed("selfRef", among=RANDOM), RANK, LESS, empty("selfRef"))
def random_in_place(p: Planning) -> None:
    """selfRef = random integers in [from, to - 1]. They are uniform numbers, rounded down. BOOL is true for a uniform
    number that does not round to 0."""
    fill_integers(p, p["from"], p["to"])


def whole_seed(p: Planning) -> None:
    """Refuses tensors of seed and offset that are not INT64, as the first phase does when it plans."""
    for name in ("seedTensor", "offsetTensor"):
        if p.dtype(name) != T.ACL_INT64:
            raise p.builder.failed(f"{name} has to be INT64, and is {p.type_name(name)}.")


@planned("aclnnInplaceRandomTensor", *INTO, listed("selfRef", among=RANDOM), RANK, LESS, empty("selfRef"))
def random_by_tensors(p: Planning) -> None:
    """Like aclnnInplaceRandom, from the seed in seedTensor and the offset offsetTensor + offset"""
    whole_seed(p)
    fill_integers(p, p["from"], p["to"])


GREATEST: Final = {
    T.ACL_FLOAT: 1 << 24, T.ACL_DOUBLE: 1 << 53, T.ACL_FLOAT16: 1 << 11, T.ACL_BF16: 1 << 8, T.ACL_BOOL: 1,
    T.ACL_UINT8: 255, T.ACL_INT8: 127, T.ACL_INT16: 2**15 - 1, T.ACL_INT32: 2**31 - 1, T.ACL_INT64: 2**63 - 1,
}  # fmt: skip
"""the largest integer for a data type: the type can represent all integers up to this one"""


def fill_all(p: Planning) -> None:
    x = drawn(p, spread, T.ACL_FLOAT, low=0.0, high=float(GREATEST[aclDataType(p.dtype("selfRef"))] + 1))
    p.store("selfRef", p.builder.cast(x, T.ACL_INT64))


@planned("aclnnInplaceRandomWithoutFromTo", *INTO, listed("selfRef"), RANK, empty("selfRef"))
def random_without_bounds(p: Planning) -> None:
    """selfRef = random integers from 0 to the largest one of its data type. For a float type this is the largest
    integer up to which the type can represent all integers"""
    fill_all(p)


@planned("aclnnInplaceRandomWithoutFromToTensor", *INTO, listed("selfRef"), RANK, empty("selfRef"))
def random_without_bounds_by_tensors(p: Planning) -> None:
    """Like aclnnInplaceRandomWithoutFromTo, from the seed in seedTensor and the offset offsetTensor + offset"""
    whole_seed(p)
    fill_all(p)


# exponential


@in_memory
def logarithms(*tensors: Array, out: Array, seed: int = 0, offset: int, lambda_: float) -> None:
    """-ln(1 - u) / lambda, in float32."""

    def formula(words: Array) -> Array:
        return -np.log1p(-uniform(words, T.ACL_FLOAT)) / np.float32(lambda_)

    each_word(start(tensors, seed, offset), out, formula)


@planned(
    "aclnnSimThreadExponential", generated(), *INTO, listed("selfRef"), RANK,
    positive("lambda"), empty("selfRef"),
)  # fmt: skip
def exponential(p: Planning) -> None:
    """selfRef = random numbers of the exponential distribution with the rate lambda"""
    p.store("selfRef", drawn(p, logarithms, p.dtype("selfRef"), lambda_=p["lambda"]))

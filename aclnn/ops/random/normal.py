"""Normal numbers. The mean and the deviation are numbers, or tensors with a value for each element."""

from typing import Final

import numpy as np

from aclnn.op import (
    BOOL, IEEE_FLOATS, INTEGERS, Array, Operand, Planning, T, broadcast, broadcast_into, empty, in_memory, in_parts,
    listed, not_negative, nulls, overwrites, planned, ranks, same_shape, shape, with_bf16, with_elements,
)  # fmt: skip
from aclnn.ops.random._family import DSA, each_block, source, start, uniform

NORMAL_TYPES: Final = with_bf16((*IEEE_FLOATS, *INTEGERS, *BOOL))
LEAST: Final = 1e-7
"""lower limit of a uniform number, so that its logarithm is finite"""


@in_memory
def pairs(*tensors: Array, out: Array, seed: int = 0, offset: int, double: bool) -> None:
    """Standard normal numbers, two from each pair of uniform numbers, by the method of Box and Muller. `double`: a
    uniform number is made of two words."""
    kind = np.float64 if double else np.float32

    def formula(rows: Array) -> Array:
        u: Array = wide(rows) if double else uniform(rows, T.ACL_FLOAT)
        radius = np.sqrt(np.multiply(np.log(np.maximum(u[:, 0::2], kind(LEAST))), kind(-2)))
        angle = np.multiply(u[:, 1::2], kind(2 * np.pi))
        return np.stack([radius * np.sin(angle), radius * np.cos(angle)], axis=-1)

    per_counter = 2 if double else 4
    each_block(start(tensors, seed, offset), out, formula, per_counter=per_counter)


def wide(rows: Array) -> Array:
    """Uniform numbers in [0, 1) of float64: 20 bits of a word above the 32 bits of the next word."""
    high, low = (rows[:, i::2].astype(np.uint64) for i in (0, 1))
    return ((high & np.uint64(0xFFFFF)) << np.uint64(32) | low).astype(np.float64) * 2.0**-52


def standard(p: Planning, sizes: tuple[int, ...], dtype: int) -> Operand:
    """Standard normal numbers, in FLOAT or DOUBLE."""
    tensors, numbers = source(p)
    return p.step(pairs, tensors, sizes, dtype, double=dtype == T.ACL_DOUBLE, **numbers)


@in_parts()
def scaled(z: Array, *tensors: Array, mean: float | None = None, std: float | None = None) -> Array:
    """z * std + mean. `tensors`: the mean, then the std, if they are tensors."""
    inputs = list(tensors)
    centre = inputs.pop(0) if mean is None else z.dtype.type(mean)
    return z * (inputs.pop(0) if std is None else z.dtype.type(std)) + centre


# in place


CHECKED: Final = (
    not_negative("std"),
    listed("selfRef", among=NORMAL_TYPES),
    ranks("selfRef", least=0, most=8),
    empty("selfRef"),
)


def fill_normal(p: Planning) -> None:
    own_dtype = p.dtype("selfRef")
    double = own_dtype == T.ACL_DOUBLE and p.soc.series not in DSA
    z = standard(p, p.shape("selfRef"), T.ACL_DOUBLE if double else T.ACL_FLOAT)
    half = own_dtype in (T.ACL_FLOAT16, T.ACL_BF16)
    p.store("selfRef", p.step(scaled, [z], z.shape, own_dtype if half else z.dtype, mean=p["mean"], std=p["std"]))


@planned("aclnnInplaceNormal", overwrites("selfRef"), *CHECKED)
def normal_in_place(p: Planning) -> None:
    """selfRef = random numbers of the normal distribution. Integers are truncated; BOOL is true for any number but
    0."""
    fill_normal(p)


@planned(
    "aclnnInplaceNormalTensor", overwrites("selfRef"), nulls("seedTensor", "offsetTensor", "selfRef"),
    listed("seedTensor", "offsetTensor"),
    *(shape(name, "{0} has the shape [1]", lambda a: (1,)) for name in ("seedTensor", "offsetTensor")), *CHECKED,
)  # fmt: skip
def normal_by_tensors(p: Planning) -> None:
    """Like aclnnInplaceNormal, from the seed in seedTensor and the offset offsetTensor + offset"""
    fill_normal(p)


# into out


def fill_out(p: Planning, *tensors: str) -> None:
    out = p["out"]
    double = T.ACL_DOUBLE in (p.dtype(name) for name in (*tensors, "out"))
    dtype = T.ACL_DOUBLE if double else T.ACL_FLOAT
    inputs = [p.read(name, dtype) for name in tensors]
    numbers = {name: p[name] for name in ("mean", "std") if name not in tensors}
    p.store("out", p.step(scaled, [standard(p, out.shape, dtype), *inputs], out.shape, dtype, **numbers))


RANK: Final = ranks("out", least=0, most=8)


@planned("aclnnNormalFloatFloat", listed("out"), RANK, empty("out"))
def normal(p: Planning) -> None:
    """out = random numbers of the normal distribution with the mean `mean` and the deviation `std`"""
    fill_out(p)


@planned("aclnnNormalTensorFloat", broadcast_into("mean", "out"), listed("mean", "out"), RANK, empty("out"))
def normal_of_means(p: Planning) -> None:
    """out = random numbers of normal distributions, each with its own mean"""
    fill_out(p, "mean")


@planned(
    "aclnnNormalFloatTensor", with_elements("std"), same_shape("out", as_="std"),
    listed("std", "out"), RANK,
)  # fmt: skip
def normal_of_deviations(p: Planning) -> None:
    """out = random numbers of normal distributions, each with its own deviation"""
    fill_out(p, "std")


@planned(
    "aclnnNormalTensorTensor", broadcast("mean", "std", into="out"), listed("mean", "std", "out"), RANK, empty("out")
)
def normal_of_both(p: Planning) -> None:
    """out = random numbers of normal distributions, each with its own mean and deviation"""
    fill_out(p, "mean", "std")

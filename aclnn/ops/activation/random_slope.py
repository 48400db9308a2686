"""RReluWithNoise, whose slope below 0 is random."""

from typing import Any

import numpy as np

from aclnn.op import (
    SHORT_FLOAT, Arguments, Array, Bad, Operator, Planning, Relation, T, demand, empty, listed, may_be_in_place,
    same_dtype, same_format, same_shape, updates,
)  # fmt: skip
from aclnn.ops.activation._family import numbers
from aclnn.ops.activation.piecewise import leaky
from aclnn.ops.random._family import BITS, each_word, uniform

DOC = """In training: out = self * a and noise = a where self is below 0, else out = self and noise = 1. Each a is a
random number in [lower, upper). Not in training: out = self where it is above 0, else self * (lower + upper) / 2; noise
is not changed."""


def too_few(a: Arguments) -> Bad:
    count, expected_count = a["noise"].numel, a["self"].numel
    return (f"{count} elements", f"at least {expected_count}") if a["training"] and count < expected_count else None


def plan(p: Planning) -> None:
    x, low, high = p.read("self"), *numbers(p, "lower", "upper").values()
    if not p["training"]:
        slope = (float(low) + float(high)) / 2
        p.store("out", p.step(leaky, [x], x.shape, x.dtype, negativeSlope=np.float32(slope)))
        return
    noise = p.read("noise")
    out, noise_out = p.steps(
        randomly_sloped, [x, noise], [(x.shape, x.dtype), (noise.shape, noise.dtype)],
        start=(p["seed"], p["offset"]), dtype=int(x.dtype), low=low, high=high,
    )  # fmt: skip
    p.store("noise", noise_out)
    p.store("out", out)


def randomly_sloped(
    x: Array, noise: Array, *, start: tuple[int, int], dtype: int, low: Any, high: Any
) -> tuple[Array, Array]:  # fmt: skip
    """The result, and noise, whose first elements become the slopes."""

    def formula(words: Array) -> Array:
        return uniform(words, dtype) * (high - low) + low

    random_slopes = each_word(start, np.empty(x.shape, np.float32), formula)
    slopes = np.where(x < 0, random_slopes, np.float32(1))
    result = np.array(noise)
    result.reshape(-1)[: x.size] = slopes.reshape(-1)
    return x * slopes, result


def relations(*more: Relation) -> tuple[Relation, ...]:
    scalars = listed("lower", "upper", among=(*BITS, T.ACL_DOUBLE), provenance="public")
    return (
        updates("noise"), *more, listed("self", "noise", "out", among=SHORT_FLOAT, provenance="public"), scalars,
        same_dtype("noise", "self"), same_dtype("out", "self"), same_shape("out", "self"),
        demand("{0} has at least as many elements as {1} in training", "noise", "self", bad=too_few),
        same_format("noise", "self"), same_format("out", "self"), empty("self"), may_be_in_place(),
    )  # fmt: skip


r_relu = Operator(("aclnnRReluWithNoise",), relations(), plan, DOC, __name__)
inplace_r_relu = Operator(("aclnnInplaceRReluWithNoise",), relations(updates("self")), plan, DOC, __name__)

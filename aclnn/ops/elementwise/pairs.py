"""Functions of two tensors with the contract of the catalogue: Gcd, Heaviside, Xlog1py. The order of the checks is
ours."""

import numpy as np

from aclnn.op import (
    Array, Planning, becomes, broadcast, elementwise, empty, listed, planned, promoted, public_format, ranks,
    same_dtype,
)  # fmt: skip


@elementwise(
    "aclnnGcd", listed("self", "other", "out"), promoted("self", "other"), becomes("out"),
    ranks("self", "other", least=0, most=8), broadcast("self", "other", into="out"), empty("self", "other"),
)  # fmt: skip
def gcd(self: Array, other: Array) -> Array:
    """out = the greatest common divisor of self and other"""
    return np.gcd(self, other)


@planned(
    "aclnnHeaviside", listed("input", "values", "out"), same_dtype("values", as_="input"),
    same_dtype("out", as_="input"), ranks("input", "values", least=0, most=8),
    broadcast("input", "values", into="out"), empty("input", "values"),
)  # fmt: skip
def heaviside(p: Planning) -> None:
    """out = values where input is 0, 1 where it is positive, else 0"""
    inputs = [p.read("input"), p.read("values")]
    p.store("out", p.step(steps, inputs, p.shape("out"), p.dtype("input")))


def steps(x: Array, values: Array) -> Array:
    return np.where(x == 0, values, np.where(x > 0, np.float32(1), np.float32(0)))


@planned(
    "aclnnXlog1py", listed("x"), same_dtype("y", as_="x"), same_dtype("z", as_="x"),
    ranks("x", "y", "z", least=0, most=8), broadcast("x", "y", into="z"), public_format("x", "y", "z"),
    empty("x", "y"),
)  # fmt: skip
def xlog1py(p: Planning) -> None:
    """z = x * log(1 + y); 0 where x is 0, unless y is NaN"""
    inputs = [p.read("x"), p.read("y")]
    p.store("z", p.step(weighted, inputs, p.shape("z"), p.dtype("x")))


def weighted(x: Array, y: Array) -> Array:
    return np.where(np.isnan(y), y, np.where(x == 0, np.float32(0), x * np.log1p(y)))

"""Modulate and its gradient: all rows of a batch have the same scale and shift for each column."""

from typing import Any

import numpy as np

from aclnn.op import (
    SHORT_FLOAT, Arguments, Array, Bad, Planning, Relation, Shape, T, demand, empty, listed, may_be_null, planned,
    ranks, required, same_dtype, same_shape, shape, total,
)  # fmt: skip


FACTORS = ("scaleOptional", "shiftOptional")


def beside(name: str) -> Relation:
    def bad(a: Arguments) -> Bad:
        return None if a.given(name) else (f"no {name}", f"a {name} beside self")

    return demand(f"{{0}} comes with {name}", "self", bad=bad, provenance="public")


def of_columns(name: str) -> Relation:
    def expected_shape(a: Arguments) -> Shape:
        batch, _, columns = a.shape("self")
        return (batch, columns) if a.rank(name) == 2 else (batch, 1, columns)

    return shape(name, "{0} has an element for each batch and column of self", expected_shape)


@planned(
    "aclnnModulate", listed("self", *FACTORS, "out", among=SHORT_FLOAT, provenance="public"),
    *(same_dtype(name, "self") for name in (*FACTORS, "out")), *map(beside, FACTORS), ranks("self", least=3, most=3),
    *map(of_columns, FACTORS), same_shape("out", "self"), empty("self"),
)  # fmt: skip
def modulate(p: Planning) -> None:
    """out = self * (1 + scaleOptional) + shiftOptional"""
    x = p.read("self")
    batch, _, columns = x.shape
    factors = [p.builder.reshape(p.read(name), (batch, 1, columns)) for name in FACTORS]
    p.store("out", p.step(modulated, [x, *factors], x.shape, x.dtype))


def modulated(x: Array, scale: Array, shift: Array) -> Array:
    return x * (1 + scale) + shift


BIG, SMALL = ("grad_output", "input", "grad_input"), ("scale", "shift", "grad_scale", "grad_shift")
NAMES = ("grad_output", "input", "scale", "shift", "grad_input", "grad_scale", "grad_shift")


@planned(
    "aclnnModulateBackward", required("scale", "shift"), may_be_null("grad_scale", "grad_shift"),
    listed(*NAMES, among=SHORT_FLOAT, provenance="public"), ranks(*BIG, least=3, most=3),
    ranks("scale", "shift", least=2, most=2), same_shape("input", "grad_output"),
    *(shape(name, "{0} has an element for each batch and column of input", lambda a: a.shape("input")[::2])
      for name in SMALL),
    same_shape("grad_input", "input"), empty("input"),
)  # fmt: skip
def modulate_backward(p: Planning) -> None:
    """grad_input = grad_output * scale; grad_scale = the sum of grad_output * input over the rows; grad_shift = the sum
    of grad_output over the rows. All are computed in FLOAT, and rounded to the data type of grad_input"""
    g, x, scale = (p.read(name, T.ACL_FLOAT) for name in ("grad_output", "input", "scale"))
    batch, _, columns = x.shape
    results: list[Any] = [(x.shape, T.ACL_FLOAT), *[((batch, columns), T.ACL_FLOAT)] * 2]
    for name, result in zip(NAMES[4:], p.steps(slopes, [g, x, scale], results), strict=True):
        p.store(name, p.builder.cast(result, p.dtype("grad_input"), name))


def slopes(g: Array, x: Array, scale: Array) -> tuple[Array, Array, Array]:
    return g * scale[:, np.newaxis, :], total(g * x, 1), total(g, 1)

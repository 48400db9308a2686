"""Foreach functions with one number for all tensors: an aclScalar, or a tensor of one element."""

from collections.abc import Iterator

from aclnn.op import Operator
from aclnn.ops.foreach import formulas as f
from aclnn.ops.foreach._family import foreach
from aclnn.ops.foreach._numbers import Base, Host, OnDevice, Weight

HOST, DEVICE = Host("scalar"), OnDevice("scalar")


def declared() -> Iterator[Operator]:
    """The functions of each formula: with an aclScalar, with a tensor of one element, and in place."""
    for word, (formula, result) in f.WITH_ONE.items():
        doc = f"out = {result.format('scalar')}, of each tensor"
        yield foreach(__name__, f"{word}ScalarV2", "x", formula=formula, by=HOST, doc=doc)
        yield foreach(__name__, f"{word}Scalar", "x", formula=formula, by=DEVICE, doc=doc)
        if word in ("Mul", "Sub"):
            in_place = f"x = {result.format('scalar')}, of each tensor"
            yield foreach(__name__, f"{word}ScalarInplace", "x", formula=formula, by=DEVICE, out="x", doc=in_place)
    for word, formula, sign in (("Add", f.with_sum, "+"), ("Sub", f.with_difference, "-")):
        result = f"x1 {sign} x2 * alpha, of each tensor"
        yield foreach(__name__, f"{word}ListV2", "x1", "x2", formula=formula, by=Host("alpha"), doc=f"out = {result}")
        yield foreach(__name__, f"{word}List", "x1", "x2", formula=formula, by=OnDevice("alpha"), doc=f"out = {result}")
        yield foreach(
            __name__, f"{word}ListInplace", "x1", "x2", formula=formula, by=OnDevice("alpha"), out="x1",
            doc=f"x1 = {result}",
        )  # fmt: skip
    for word, formula, sign in (("Addcmul", f.with_product, "*"), ("Addcdiv", f.with_quotient, "/")):
        doc = f"out = x1 + x2 {sign} x3 * scalar, of each tensor"
        yield foreach(__name__, f"{word}ScalarV2", "x1", "x2", "x3", formula=formula, by=HOST, doc=doc)
        yield foreach(__name__, f"{word}Scalar", "x1", "x2", "x3", formula=formula, by=DEVICE, doc=doc)


operators = tuple(declared())
lerp = foreach(
    __name__, "LerpScalar", "x1", "x2", formula=f.between, by=Weight("weight"),
    doc="out = x1 + (x2 - x1) * weight, of each tensor",
)  # fmt: skip
power = foreach(
    __name__, "PowScalarAndTensor", "x", formula=f.base_of, by=Base("scalar"),
    doc="out = scalar to the power x, of each tensor",
)  # fmt: skip

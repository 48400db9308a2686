"""Foreach functions of two or three lists, without a number."""

from collections.abc import Iterator

from aclnn.op import Operator
from aclnn.ops.foreach import formulas as f
from aclnn.ops.foreach._family import foreach


def declared() -> Iterator[Operator]:
    for word in ("Mul", "Div", "Maximum", "Minimum", "Pow"):
        formula, result = f.WITH_ONE[word]
        of_two = result.replace("x", "x1", 1) if word in ("Mul", "Div", "Pow") else result.replace(" x ", " x1 ")
        doc = f"{of_two.format('x2')}, of each pair of tensors"
        yield foreach(__name__, f"{word}List", "x1", "x2", formula=formula, doc=f"out = {doc}")
        if word in ("Mul", "Div"):
            yield foreach(__name__, f"{word}ListInplace", "x1", "x2", formula=formula, out="x1", doc=f"x1 = {doc}")


operators = tuple(declared())
lerp = foreach(
    __name__, "LerpList", "x1", "x2", "weight", formula=f.between,
    doc="out = x1 + (x2 - x1) * weight, of each triple of tensors",
)  # fmt: skip

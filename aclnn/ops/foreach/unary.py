"""Foreach functions of one list. Integers are computed in float32."""

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Final

import numpy as np

from aclnn.op import Array, Operator, erf, erfc
from aclnn.ops.activation._family import sigmoid
from aclnn.ops.elementwise.rounding import sign_of
from aclnn.ops.foreach._family import foreach

Formula = Callable[[Array], Array]


def in_float(formula: Formula) -> Formula:
    """A formula that first converts integers to float32."""

    @wraps(formula)
    def computed(x: Array) -> Array:
        return formula(x.astype(np.float32) if x.dtype.kind in "iu" else x)

    return computed


def negative(x: Array) -> Array:
    """0 - x, so that 0 becomes 0, not -0."""
    return 0 - x


def inverse(x: Array) -> Array:
    return 1 / x


FORMULAS: Final[dict[str, tuple[Formula, str]]] = {
    "Abs": (np.abs, "the absolute value of x"), "Acos": (np.arccos, "the arc cosine of x"),
    "Asin": (np.arcsin, "the arc sine of x"), "Atan": (np.arctan, "the arc tangent of x"),
    "Cos": (np.cos, "the cosine of x"), "Cosh": (np.cosh, "the hyperbolic cosine of x"),
    "Erf": (erf, "the error function of x"), "Erfc": (erfc, "1 - the error function of x"),
    "Exp": (in_float(np.exp), "e to the power x"), "Expm1": (in_float(np.expm1), "e to the power x, minus 1"),
    "Log": (np.log, "the natural logarithm of x"), "Log10": (np.log10, "the logarithm of x to base 10"),
    "Log1p": (np.log1p, "the natural logarithm of x + 1"), "Log2": (np.log2, "the logarithm of x to base 2"),
    "Neg": (negative, "0 - x"), "Reciprocal": (inverse, "1 / x"), "Sigmoid": (sigmoid, "1 / (1 + e to the power -x)"),
    "Sign": (sign_of, "-1, 0 or 1, the sign of x; 0 for NaN"), "Sin": (np.sin, "the sine of x"),
    "Sinh": (np.sinh, "the hyperbolic sine of x"), "Sqrt": (np.sqrt, "the square root of x"),
    "Tan": (np.tan, "the tangent of x"), "Tanh": (np.tanh, "the hyperbolic tangent of x"),
}  # fmt: skip


def declared() -> Iterator[Operator]:
    for word, (formula, result) in FORMULAS.items():
        yield foreach(__name__, word, "x", formula=formula, doc=f"out = {result}, of each tensor")
    for word, like in (("ACosInplace", "Acos"), ("LogInplace", "Log")):
        formula, result = FORMULAS[like]
        yield foreach(__name__, word, "x", formula=formula, out="x", doc=f"x = {result}, of each tensor")


operators = tuple(declared())

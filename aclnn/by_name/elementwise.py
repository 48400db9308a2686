"""Elementwise operators by name."""

from aclnn.by_name.row import row
from aclnn.by_name.uses import uses

ROWS = (
    *(row(name, "x -> y", uses(f"aclnn{name}", "x", "y"))
      for name in ("Relu", "Sigmoid", "Tanh", "Sqrt", "Rsqrt", "Abs", "Neg", "Sign", "Floor", "Ceil", "Sin", "Cos", "Gelu", "Mish")),
    row("Add", "x1, x2 -> y", uses("aclnnAdd", "x1", "x2", 1, "y")),
)  # fmt: skip

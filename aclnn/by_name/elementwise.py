"""Elementwise operators by name."""

from math import log
from typing import Final

from acl_runtime.headers.dtypes import numpy_dtype
from acl_runtime.headers.enums import aclDataType
from acl_runtime.objects.handle_table import Tensor
from aclnn.by_name.call import Named
from aclnn.by_name.row import Plan, Required, row
from aclnn.by_name.uses import affine, copy, described, in_float, rounded_into, same_types, uses

T = aclDataType
TRUNCATED: Final = 1
"""the mode of aclnnDivMod that truncates"""
NATURAL: Final = -1.0
"""the value of `base` that means e"""
SAME_NAME: Final = (
    "Abs", "Acos", "Asin", "Atan", "Ceil", "Cos", "Cosh", "Erf", "Expm1", "Floor", "Gelu", "Log1p", "Mish", "Neg",
    "Reciprocal", "Relu", "Rsqrt", "Selu", "Sigmoid", "Sign", "Sin", "Sinh", "Sqrt", "Square", "Tan", "Tanh",
    "LogicalNot",
)  # fmt: skip
"""types of one tensor whose function of aclnn has the same name"""
COMPARISONS: Final = {
    "Equal": "aclnnEqTensor", "NotEqual": "aclnnNeTensor", "Greater": "aclnnGtTensor",
    "GreaterEqual": "aclnnGeTensor", "Less": "aclnnLtTensor", "LessEqual": "aclnnLeTensor",
    "LogicalAnd": "aclnnLogicalAnd", "LogicalOr": "aclnnLogicalOr",
}  # fmt: skip
"""types of two tensors of one data type; the result has another"""
BINARY: Final = {
    "Maximum": "aclnnMaximum", "Minimum": "aclnnMinimum", "Mul": "aclnnMul", "FloorDiv": "aclnnFloorDivide",
    "Mod": "aclnnFmodTensor", "FloorMod": "aclnnRemainderTensorTensor", "Pow": "aclnnPowTensorTensor",
    "Atan2": "aclnnAtan2", "BitwiseAnd": "aclnnBitwiseAndTensor", "BitwiseOr": "aclnnBitwiseOrTensor",
    "BitwiseXor": "aclnnBitwiseXorTensor",
}  # fmt: skip
"""types of two tensors whose result has their data type"""


def cast(n: Named) -> None:
    """aclnnCast; the output has the data type dst_type"""
    x, y, dtype = n["x"], n["y"], n["dst_type"]
    if y.dtype != dtype:
        raise n.refused(f"y has the data type {y.dtype}, and dst_type is {dtype}")
    n.aclnn("aclnnCast", x, dtype, y)


def exp(n: Named) -> None:
    """base ^ (scale x + shift): aclnnExp, after aclnnMuls and aclnnAdds"""
    x, y, base = in_float(n, n["x"]), n["y"], n["base"]
    factor = 1.0 if base == NATURAL else log(base)
    x = affine(n, x, n["scale"] * factor, n["shift"] * factor)
    rounded_into(n, y, lambda wide: n.aclnn("aclnnExp", x, wide))


def logarithm(n: Named) -> None:
    """log_base(scale x + shift): aclnnLog, and aclnnMuls for another base than e"""
    x, y, base = in_float(n, n["x"]), n["y"], n["base"]
    x = affine(n, x, n["scale"], n["shift"])

    def compute(wide: object) -> None:
        logarithms = n.like(x)
        n.aclnn("aclnnLog", x, logarithms)
        n.aclnn("aclnnMuls", logarithms, 1.0 if base == NATURAL else 1 / log(base), wide)

    if base == NATURAL:
        rounded_into(n, y, lambda wide: n.aclnn("aclnnLog", x, wide))
    else:
        rounded_into(n, y, compute)


def power(n: Named) -> None:
    """(shift + scale x) ^ power: aclnnPowTensorScalar, after aclnnMuls and aclnnAdds"""
    x, y = affine(n, in_float(n, n["x"]), n["scale"], n["shift"]), n["y"]
    rounded_into(n, y, lambda wide: n.aclnn("aclnnPowTensorScalar", x, n["power"], wide))


def hard_sigmoid(n: Named) -> None:
    """clamp(alpha x + beta, 0, 1): aclnnClamp, after aclnnMuls and aclnnAdds"""
    x, y = affine(n, in_float(n, n["input_x"]), n["alpha"], n["beta"]), n["output_y"]
    rounded_into(n, y, lambda wide: n.aclnn("aclnnClamp", x, 0.0, 1.0, wide))


def divide(n: Named) -> None:
    """aclnnDiv; for integers aclnnDivMod, which truncates, and 0 where x2 is 0"""
    same_types(n, "x1", "x2", "y")
    x1, x2, y = n["x1"], n["x2"], n["y"]
    if _is_float(y.dtype):
        n.aclnn("aclnnDiv", x1, x2, y)
        return
    # a device has no exception for a division by 0, and programs divide masks by themselves
    whole = [_in_int32(n, x) for x in (x1, x2)]
    zero, safe, quotient = n.like(x2, T.ACL_BOOL), n.like(whole[1]), n.like(y, whole[0].dtype)
    n.aclnn("aclnnEqScalar", x2, 0, zero)
    n.aclnn("aclnnSWhere", zero, n.constant(1, safe.dtype), whole[1], safe)
    n.aclnn("aclnnDivMod", whole[0], safe, TRUNCATED, quotient)
    result = n.like(quotient)
    n.aclnn("aclnnSWhere", zero, n.constant(0, quotient.dtype), quotient, result)
    n.aclnn("aclnnCast", result, y.dtype, y)


def _in_int32(n: Named, x: Tensor) -> Tensor:
    if x.dtype in (T.ACL_INT32, T.ACL_INT64):
        return x
    whole = n.like(x, T.ACL_INT32)
    n.aclnn("aclnnCast", x, T.ACL_INT32, whole)
    return whole


def divide_no_nan(n: Named) -> None:
    """aclnnDiv, and 0 where x2 is 0"""
    same_types(n, "x1", "x2", "y")
    zero = n.like(n["x2"], T.ACL_BOOL)
    n.aclnn("aclnnEqScalar", n["x2"], 0, zero)
    if _is_float(n["y"].dtype):
        n.aclnn("aclnnDiv", n["x1"], n["x2"], n["y"])
        n.aclnn("aclnnInplaceMaskedFillScalar", n["y"], zero, 0)
    else:
        divide(n)


def with_number(function: str, *more: int) -> Plan:
    """A plan that passes the attribute `value` in the data type of x."""

    def plan(n: Named) -> None:
        n.aclnn(function, n["x"], n.scalar(n["value"], n["x"]), *more, n["y"])

    return described(plan, function)


def axpy(n: Named) -> None:
    """x1 + alpha x2: aclnnAdd"""
    alpha = n["alpha"] if "alpha" in n.arguments.row.attributes else n.number("alpha")
    n.aclnn("aclnnAdd", n["x1"], n["x2"], n.scalar(alpha, n["x2"]), n["y"])


def masked_fill(n: Named) -> None:
    """aclnnInplaceMaskedFillTensor of a copy"""
    copy(n, n["x"], n["y"])
    n.aclnn("aclnnInplaceMaskedFillTensor", n["y"], n["mask"], _scalar_tensor(n, "value"))


def fill(n: Named) -> None:
    """aclnnInplaceFillTensor"""
    n.aclnn("aclnnInplaceFillTensor", n["y"], _scalar_tensor(n, "value"))


def clip(n: Named) -> None:
    """aclnnClampTensor"""
    n.aclnn("aclnnClampTensor", n["x"], n["clip_value_min"], n["clip_value_max"], n["y"])


def _scalar_tensor(n: Named, name: str) -> object:
    value = n[name]
    return n.viewed(value, ()) if value.numel == 1 else value


def _is_float(dtype: int) -> bool:
    numbers = numpy_dtype(dtype)
    return numbers is not None and numbers.kind not in "iub"


SCALED: Final = {"scale": 1.0, "shift": 0.0}
ROWS: Final = (
    row("Identity", "x -> y", uses("aclnnInplaceCopy", "y", "x", alike="x y")),
    row("Cast", "x -> y", cast, dst_type=Required(0)),
    row("OnesLike", "x -> y", uses("aclnnInplaceOne", "y")),
    row("ZerosLike", "x -> y", uses("aclnnInplaceZero", "y")),
    *(row(name, "x -> y", uses(f"aclnn{name}", "x", "y")) for name in SAME_NAME),
    row("Inv", "x -> y", uses("aclnnReciprocal", "x", "y")),
    row("Invert", "x -> y", uses("aclnnBitwiseNot", "x", "y")),
    row("HardSwish", "x -> y", uses("aclnnHardswish", "x", "y")),
    row("IsFinite", "x -> y", uses("aclnnIsFinite", "x", "y")),
    row("RotaryMul", "x, r1, r2 -> y", uses("aclnnRotaryPositionEmbedding", "x", "r1", "r2", 0, "y")),
    row("Softplus", "x -> y", uses("aclnnSoftplus", "x", 1.0, 20.0, "y")),
    row("SoftplusV2", "x -> y", uses("aclnnSoftplus", "x", "beta", "threshold", "y"), beta=1.0, threshold=20.0),
    row("PRelu", "x, weight -> y", uses("aclnnPrelu", "x", "weight", "y")),
    row("Exp", "x -> y", exp, base=NATURAL, **SCALED),
    row("Log", "x -> y", logarithm, base=NATURAL, **SCALED),
    row("Power", "x -> y", power, power=1.0, **SCALED),
    row("Round", "x -> y", uses("aclnnRoundDecimals", "x", "decimals", "y"), decimals=0),
    row("LeakyRelu", "x -> y", uses("aclnnLeakyRelu", "x", "negative_slope", "y"), negative_slope=0.0),
    row("Elu", "x -> y", uses("aclnnElu", "x", "alpha", "scale", "input_scale", "y"),
        alpha=1.0, scale=1.0, input_scale=1.0),
    row("HardSigmoid", "input_x -> output_y", hard_sigmoid, alpha=0.16666666, beta=0.5),
    row("Swish", "x -> y", uses("aclnnSwish", "x", "scale", "y"), scale=1.0),
    row("Add AddV2", "x1, x2 -> y", uses("aclnnAdd", "x1", "x2", 1, "y", alike="x1 x2 y")),
    row("Sub", "x1, x2 -> y", uses("aclnnSub", "x1", "x2", 1, "y", alike="x1 x2 y")),
    *(row(name, "x1, x2 -> y", uses(function, "x1", "x2", "y", alike="x1 x2 y")) for name, function in BINARY.items()),
    *(row(name, "x1, x2 -> y", uses(function, "x1", "x2", "y", alike="x1 x2"))
      for name, function in COMPARISONS.items()),
    row("Div RealDiv", "x1, x2 -> y", divide),
    row("DivNoNan", "x1, x2 -> y", divide_no_nan),
    row("Adds", "x -> y", with_number("aclnnAdds", 1), value=Required(0.0)),
    row("Muls", "x -> y", with_number("aclnnMuls"), value=Required(0.0)),
    row("Axpy", "x1, x2 -> y", axpy, alpha=Required(0.0)),
    row("AxpyV2", "x1, x2, alpha -> y", axpy),
    row("Select SelectV2", "condition, x1, x2 -> y",
        uses("aclnnSWhere", "condition", "x1", "x2", "y", alike="x1 x2 y")),
    row("ClipByValue ClipByValueV2", "x, clip_value_min, clip_value_max -> y", clip),
    row("Fill", "dims, value -> y", fill),
    row("FillD", "value -> y", fill, dims=Required(())),
    row("MaskedFill", "x, mask, value -> y", masked_fill),
)  # fmt: skip

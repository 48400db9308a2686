"""Shared by the matrix products: cubeMathType, the data types of a product, HFLOAT32.

cubeMathType says how a product of FLOAT inputs may be computed. The cube unit multiplies FLOAT16 and BFLOAT16, and
accumulates in FLOAT.
"""

from enum import IntEnum
from typing import Final

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.headers.enums import aclDataType
from acl_runtime.machine.current import current
from acl_runtime.objects.soc import NEWER, Series
from aclnn.engine.arguments import Arguments
from aclnn.engine.plan_builder import Operand
from aclnn.engine.planning import Planning
from aclnn.engine.relation import Relation
from aclnn.engine.words.values import demand

T = aclDataType
HALVES: Final = (T.ACL_FLOAT16, T.ACL_BF16)
WITH_FLOAT: Final = NEWER
"""the products whose cube unit takes FLOAT"""


class CubeMathType(IntEnum):
    """The values of the parameter cubeMathType."""

    INNER = -1
    """undocumented: as KEEP_DTYPE, but the result is FLOAT before the last cast; Ascend 950 refuses it"""
    KEEP_DTYPE = 0
    ALLOW_FP32_DOWN_PRECISION = 1
    USE_FP16 = 2
    USE_HF32 = 3
    USE_FP32_ADD = 4


C = CubeMathType
WITH_HF32: Final = (C.ALLOW_FP32_DOWN_PRECISION, C.USE_HF32)
NOT_FOR_FLOAT: Final = (C.KEEP_DTYPE, C.USE_HF32, C.INNER)
"""values that a product whose cube unit has no FLOAT refuses for FLOAT inputs"""


def cube_math_type(one: str = "self", other: str = "mat2") -> Relation:
    """cubeMathType is a value that the product has for these inputs."""

    def bad(a: Arguments) -> tuple[object, object] | None:
        value, floats = a["cubeMathType"], T.ACL_FLOAT in a.dtypes(one, other)
        if value not in tuple(C) or (value == C.INNER and a.soc.series is Series.A950):
            return value, "0, 1, 2, 3, 4"
        if a.soc.series not in WITH_FLOAT and floats and value in NOT_FOR_FLOAT:
            return f"{C(value).name} ({value}) with a FLOAT input", "1, 2"
        return None

    return demand("{0} is a value that the product has for these inputs", "cubeMathType", one, other, bad=bad)


def product_types(a: Arguments, one: str = "self", other: str = "mat2") -> tuple[int, int]:
    """The data type that both inputs are cast to, and the one that the product is rounded to before it is cast to the
    data type of out."""
    math, types, to = a["cubeMathType"], set(a.dtypes(one, other)), a.dtype("out")
    alike = len(types) == 1 and types <= set(HALVES)
    if a.soc.series not in WITH_FLOAT:
        return T.ACL_FLOAT16, T.ACL_FLOAT if to == T.ACL_FLOAT else T.ACL_FLOAT16
    if alike:
        (both,) = types
    else:
        both = T.ACL_FLOAT16 if math == C.USE_FP16 else T.ACL_FLOAT
    if math == C.INNER or (to == T.ACL_FLOAT and (alike or math != C.USE_FP16)):
        return both, T.ACL_FLOAT
    return both, both


def product(p: Planning, one: Operand, other: Operand, shape: tuple[int, ...], dtype: int, result: int) -> Operand:
    """The step that multiplies two operands, cast to `dtype`, as numpy's matmul does."""
    hf32 = dtype == T.ACL_FLOAT and p["cubeMathType"] in WITH_HF32 and p.soc.series in WITH_FLOAT
    if hf32 and not current().options.hf32:
        note_float32(p)
        hf32 = False
    inputs = [p.builder.cast(one, dtype), p.builder.cast(other, dtype)]
    return p.step(multiply_hf32 if hf32 else multiply, inputs, shape, result)


def note_float32(p: Planning, one: str = "self") -> None:
    """Give the advice `hf32`, once for each machine. `one`: an input."""
    machine, name = current(), p.op.c_name()
    if machine.consequences.first("hf32", "in any line"):
        value = C(p["cubeMathType"])
        what = f"{name} with cubeMathType {value.name} ({value.value}) is computed in FLOAT here, not in HFLOAT32."
        machine.undefined("hf32", what, *p[one].past())


def multiply(self: Array, other: Array) -> Array:
    return np.matmul(self, other)


def multiply_hf32(self: Array, other: Array) -> Array:
    return np.matmul(hfloat32(self), hfloat32(other))


def hfloat32(values: Array) -> Array:
    """float32 rounded to 11 bits of mantissa, half to even. NaN stays NaN."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    odd = (bits >> np.uint32(12)) & np.uint32(1)
    rounded = ((bits + np.uint32(0x7FF) + odd) & np.uint32(0xFFFFF000)).view(np.float32)
    return np.where(np.isnan(values), values, rounded)


def dot(self: Array, other: Array) -> Array:
    return np.asarray(np.matmul(self, other))

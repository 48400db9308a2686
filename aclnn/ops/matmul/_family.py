"""Shared by the matrix products: cubeMathType, shapes, the data types of a product, HFLOAT32.

cubeMathType says how a product of FLOAT inputs may be computed. The cube unit multiplies FLOAT16 and BFLOAT16, and
accumulates in FLOAT.
"""

from enum import IntEnum
from typing import Any, Final

from aclnn.op import Wording
from aclnn.op import (
    HALVES, NEWER, Arguments, Bad, Kernel, Operand, Planning, Relation, Series, Shape, T, aclFormat, broadcast_shape,
    current, demand, format_name, is_nz, numpy_dtype, row_major,
)  # fmt: skip
from aclnn.ops.matmul._kernels import multiply

PACKED_SCALES: Final = (T.ACL_UINT64, T.ACL_INT64)
"""data types of a packed scale: a word with the high bits of a FLOAT, and perhaps an offset"""
PER_INT32: Final = 8
"""INT4 values in an element of INT32"""
WITH_FLOAT: Final = NEWER
"""the series of devices whose cube unit takes FLOAT"""


class CubeMathType(IntEnum):
    """The values of the parameter cubeMathType."""

    INNER = -1
    """undocumented: like KEEP_DTYPE, but FLOAT before the last cast; most functions refuse it on Ascend 950"""
    KEEP_DTYPE = 0
    ALLOW_FP32_DOWN_PRECISION = 1
    USE_FP16 = 2
    USE_HF32 = 3
    USE_FP32_ADD = 4


C = CubeMathType
WITH_HF32: Final = (C.ALLOW_FP32_DOWN_PRECISION, C.USE_HF32)
NOT_FOR_FLOAT: Final = (C.KEEP_DTYPE, C.USE_HF32, C.USE_FP32_ADD, C.INNER)
"""values that are refused for FLOAT inputs if the cube unit takes no FLOAT"""


def cube_math_type(*inputs: str, newest: bool = False) -> Relation:
    """Checks that the device supports cubeMathType for these inputs, by default `self` and `mat2`. `newest`: True if
    Ascend 950 accepts INNER."""
    names = inputs or ("self", "mat2")

    def bad(a: Arguments) -> Bad:
        value, floats = a["cubeMathType"], T.ACL_FLOAT in a.dtypes(*names)
        if value not in tuple(C) or (value == C.INNER and a.soc.series is Series.A950 and not newest):
            return value, "0, 1, 2, 3, 4"
        if a.soc.series not in WITH_FLOAT and floats and value in NOT_FOR_FLOAT:
            return f"{C(value).name} ({value}) with a FLOAT input", "1, 2"
        return None

    return demand("{0} is a value that the product has for these inputs", "cubeMathType", *names, bad=bad)


def plain_format(name: str) -> Relation:
    """Checks that the storage format is ND."""

    def bad(a: Arguments) -> Bad:
        storage_format = a[name].storage_format
        return None if storage_format == aclFormat.ACL_FORMAT_ND else (format_name(storage_format), "ND")

    return demand("the storage format of {0} is ND", name, bad=bad)


def inner(first: str = "self", second: str = "mat2") -> Relation:
    """Checks that the inner sizes are equal."""

    def bad(a: Arguments) -> Bad:
        left, right = a.shape(first), a.shape(second)
        k = right[0] if len(right) == 1 else right[-2]
        return None if left[-1] == k else (list(left), f"the last size is {k}, as {second} {list(right)} has it")

    sentence = "the last dimension of {0} equals the inner dimension of {1}"
    broken = "the last dimension of {0} differs from the inner dimension of {1}"
    return demand(sentence, first, second, bad=bad, broken=broken)


def batches(first: str = "self", second: str = "mat2") -> Relation:
    """Checks that the dimensions before the last two broadcast. A vector has none."""

    def bad(a: Arguments) -> Bad:
        left, right = a.shape(first), a.shape(second)
        if min(len(left), len(right)) < 2 or broadcast_shape(left[:-2], right[:-2]) is not None:
            return None
        return list(left[:-2]), f"batches that broadcast with {list(right[:-2])}"

    return demand(f"the batches of {{0}} and {second} broadcast", first, second, bad=bad)


def product_shape(a: Arguments, first: str = "self", second: str = "mat2") -> Shape:
    """The shape of the product, by the rules of numpy's matmul."""
    left, right = a.shape(first), a.shape(second)
    batch = broadcast_shape(left[:-2], right[:-2]) if min(len(left), len(right)) >= 2 else left[:-2] or right[:-2]
    return (*(batch or ()), *left[-2:-1], *right[-1:] * (len(right) > 1))


def product_types(a: Arguments, first: str = "self", second: str = "mat2", out: str = "out") -> tuple[int, int]:
    """Two data types: both inputs are cast to the first; the product is rounded to the second before it is cast to the
    data type of out."""
    math, types, dtype = a["cubeMathType"], set(a.dtypes(first, second)), a.dtype(out)
    alike = len(types) == 1 and types <= set(HALVES)
    if a.soc.series not in WITH_FLOAT:
        return T.ACL_FLOAT16, T.ACL_FLOAT if dtype == T.ACL_FLOAT else T.ACL_FLOAT16
    if alike:
        (in_type,) = types
    else:
        in_type = T.ACL_FLOAT16 if math == C.USE_FP16 else T.ACL_FLOAT
    if math == C.INNER or (dtype == T.ACL_FLOAT and (alike or math != C.USE_FP16)):
        return in_type, T.ACL_FLOAT
    return in_type, in_type


def factor(p: Planning, name: str, *, nz: bool = False) -> Operand:
    """A factor as a view of its memory, with any strides. `nz`: a tensor whose storage is in FRACTAL_NZ is converted to
    a dense one."""
    return p.read(name, nz=True) if nz and is_nz(p[name]) else p.builder.view(p[name])


def as_int4(x: Operand) -> Operand:
    """A dense operand as INT4. Each INT32 is eight values."""
    per_element = PER_INT32 if x.dtype == T.ACL_INT32 else 1
    shape = (*x.shape[:-1], x.shape[-1] * per_element)
    return Operand(shape, T.ACL_INT4, row_major(shape), x.offset * per_element, x.memory)


def swapped(x: Operand) -> Operand:
    """The transpose of a matrix, or of each matrix of a batch, as a view."""
    (*batch, rows, columns), (*outer, down, across) = x.shape, x.strides
    return Operand((*batch, columns, rows), x.dtype, (*outer, across, down), x.offset, x.memory)


def product(
    p: Planning, first: Operand, second: Operand, shape: Shape, types: tuple[int, int], out_dtype: int,
    *addend: Operand, kernel: Kernel = multiply, **attributes: Any,
) -> Operand:  # fmt: skip
    """Plans a product of two operands with the shapes of numpy's matmul. Both are cast to the first of `types`, and the
    product is rounded to the second. `addend` and `attributes` go to `multiply`, or to another `kernel`."""
    in_type, through = types
    hf32 = in_type == T.ACL_FLOAT and p["cubeMathType"] in WITH_HF32 and p.soc.series in WITH_FLOAT
    if hf32 and not current().options.hf32:
        note_float32(p, p.op.tensors[0].printed)
        hf32 = False
    # the kernel itself widens inputs to FLOAT, without a copy
    inputs = [each if in_type == T.ACL_FLOAT else p.builder.cast(each, in_type) for each in (first, second)]
    exact = through == T.ACL_FLOAT or (through == out_dtype and not addend and attributes.get("alpha", 1) == 1)
    return p.step(kernel, [*inputs, *addend], shape, out_dtype, hf32=hf32,
                  through=None if exact else numpy_dtype(through), **attributes)  # fmt: skip


def note_float32(p: Planning, name: str = "self") -> None:
    """Give the advice `hf32`, once for each machine. `name`: an input."""
    machine = current()
    if machine.consequences.first("hf32", "in any line"):
        value = C(p["cubeMathType"])
        sentence = Wording(
            "{operator} with cubeMathType {name} ({value}) is computed in FLOAT here, not in HFLOAT32.",
            operator=p.op.c_name(),
            name=value.name,
            value=value.value,
        )
        machine.undefined("hf32", sentence, *p[name].past())

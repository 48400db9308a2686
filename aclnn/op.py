"""Everything that the file of an operator imports.

    from aclnn.op import Array, elementwise, empty, listed, ranks, same_shape

`aclnn docs adding-an-op` shows whole operators: three that the catalogue has, and one that it does not have.
"""

from acl_runtime.headers.dtypes import Array, dtype_name, format_name
from acl_runtime.objects.handle_table import Tensor
from acl_runtime.objects.soc import Series, Soc
from aclnn.engine.arguments import Arguments, axes_of, reduced
from aclnn.engine.constraints import PLAN, POLICY, TILING
from aclnn.engine.declaration import Op, Products
from aclnn.engine.numbers.rounding import store, total, widen
from aclnn.engine.operand import Operand
from aclnn.engine.operator import elementwise, planned
from aclnn.engine.parameters import (
    FLOAT_AND_HALF,
    FLOATS,
    UP_TO_8,
    BoolArrayIn,
    DataTypes,
    Double,
    Flag,
    FloatArrayIn,
    Int64,
    IntArrayIn,
    OptionalTensorIn,
    ScalarIn,
    TensorIn,
    TensorOut,
    Text,
    UInt64,
)
from aclnn.engine.plan_builder import PlanBuilder
from aclnn.engine.planning import Planning
from aclnn.engine.steps.indices import check_range, whole_numbers
from aclnn.engine.steps.parts import in_parts
from aclnn.engine.words.products import answers
from aclnn.engine.words.shapes import axes, axis, broadcast, ranks, same_shape, shape
from aclnn.engine.words.types import (
    becomes,
    castable,
    computed_in,
    fits,
    listed,
    promoted,
    same_dtype,
    type_rows,
    uniform,
)
from aclnn.engine.words.values import (
    demand,
    empty,
    generated,
    in_range,
    may_be_in_place,
    nulls,
    one_of,
    overwrites,
    public_format,
)

__all__ = [  # noqa: RUF022 (in the order in which the file of an operator uses them)
    # its plan or formula, and the words of its contract
    "elementwise", "planned", "Planning", "Arguments", "axes_of", "reduced",
    "listed", "promoted", "computed_in", "fits", "becomes", "castable", "same_dtype", "uniform", "type_rows",
    "ranks", "same_shape", "broadcast", "shape", "axis", "axes",
    "one_of", "in_range", "demand", "empty", "public_format", "nulls", "overwrites", "generated", "may_be_in_place",
    "answers", "PLAN", "POLICY", "TILING",
    # the prototype of an operator that the catalogue does not have
    "Op", "Products", "Series", "Soc",
    "TensorIn", "OptionalTensorIn", "TensorOut", "ScalarIn", "IntArrayIn", "FloatArrayIn", "BoolArrayIn",
    "Int64", "UInt64", "Flag", "Double", "Text",
    "DataTypes", "FLOATS", "FLOAT_AND_HALF", "UP_TO_8",
    # its steps
    "PlanBuilder", "Operand", "Tensor",
    # its kernels
    "Array", "total", "widen", "store", "check_range", "in_parts", "whole_numbers", "dtype_name", "format_name",
]  # fmt: skip

"""Everything that the file of an operator imports.

    from aclnn.op import FLOATS, Listed, Op, PlanBuilder, SameShape, TensorIn, TensorOut, two_phase

`aclnn docs adding-an-op` shows whole operators: three that are made from the facts of the catalogue, and one with a
class of its own.
"""

from acl_runtime.headers.dtypes import Array, dtype_name, format_name
from acl_runtime.objects.executor_life import Family
from acl_runtime.objects.handle_table import Tensor
from acl_runtime.objects.soc import Series, Soc
from aclnn.engine.arguments import Arguments, axes_of, reduced
from aclnn.engine.constraints import (
    PLAN,
    POLICY,
    TILING,
    AxisOf,
    Empty,
    Listed,
    MustBeNull,
    NotPrivate,
    OneOf,
    Rank,
    Rule,
    SameDtype,
    SameShape,
    ShapeIs,
)
from aclnn.engine.declaration import Check, Op, Products, Violation
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
from aclnn.engine.two_phase import two_phase
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
    # an operator made from facts: its plan or formula, and the words of its contract
    "elementwise", "planned", "Planning", "Arguments", "axes_of", "reduced",
    "listed", "promoted", "computed_in", "fits", "becomes", "castable", "same_dtype", "uniform", "type_rows",
    "ranks", "same_shape", "broadcast", "shape", "axis", "axes",
    "one_of", "in_range", "demand", "empty", "public_format", "nulls", "overwrites", "generated", "may_be_in_place",
    # an operator with a class of its own, and its two functions
    "Op", "two_phase", "Family", "Products", "Series", "Soc",
    # its parameters
    "TensorIn", "OptionalTensorIn", "TensorOut", "ScalarIn", "IntArrayIn", "FloatArrayIn", "BoolArrayIn",
    "Int64", "UInt64", "Flag", "Double", "Text",
    "DataTypes", "FLOATS", "FLOAT_AND_HALF", "UP_TO_8",
    # its constraints
    "Listed", "SameDtype", "SameShape", "ShapeIs", "Rank", "AxisOf", "NotPrivate", "OneOf", "MustBeNull", "Rule",
    "Empty", "Check", "Violation", "PLAN", "POLICY", "TILING",
    # its plan
    "PlanBuilder", "Operand", "Tensor",
    # its kernels
    "Array", "total", "widen", "store", "check_range", "in_parts", "whole_numbers", "dtype_name", "format_name",
]  # fmt: skip

"""Plans that are made of several functions of aclnn, each with its own checks and planner.

A `Composer` is a plan builder. A function reads and writes tensors of the call, other views of these, and temporary
tensors in the workspace, which hand the result of one function to the next.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, cast

import numpy as np

from acl_runtime.headers.dtypes import Shape, numpy_dtype
from acl_runtime.headers.enums import aclDataType, aclFormat
from acl_runtime.objects.handle_table import (
    BoolArray,
    FloatArray,
    IntArray,
    Scalar,
    Tensor,
    row_major,
)
from acl_runtime.objects.soc import Soc
from aclnn.engine.declaration import Op
from aclnn.engine.first_phase import check_nulls, nothing, run_checks
from aclnn.engine.numbers.scalars import PassedScalar
from aclnn.engine.operand import Operand
from aclnn.engine.parameters import BoolArrayIn, FloatArrayIn, IntArrayIn, Param, ScalarIn
from aclnn.engine.plan_builder import PlanBuilder, Queued
from aclnn.engine.workspace import Intermediate

ARRAYS: Final = ((IntArrayIn, IntArray), (FloatArrayIn, FloatArray), (BoolArrayIn, BoolArray))
KINDS: Final[dict[type[Any], int]] = {bool: aclDataType.ACL_BOOL, int: aclDataType.ACL_INT64}
"""the data type of a Python number; FLOAT for any other"""


class Composer(PlanBuilder):
    """A plan builder to which whole functions can be added."""

    def __init__(self, call: Op, soc: Soc) -> None:
        super().__init__(call, soc)
        self._memory: dict[Tensor, Tensor | Intermediate] = {}
        """the memory of temporary tensors, and of other views"""
        self._values: Sequence[Any] = ()
        """the arguments of the function that is planned"""

    def temporary(self, shape: Shape, dtype: int) -> Tensor:
        """A dense tensor in the workspace."""
        tensor = _dense(shape, dtype)
        self._memory[tensor] = self.alloc(shape, dtype).memory
        return tensor

    def viewed(
        self, tensor: Tensor, shape: Shape, strides: Shape, offset: int = 0, form: int = aclFormat.ACL_FORMAT_ND
    ) -> Tensor:
        """Another view of the memory of a tensor; `offset` counts from its first element, `form` is its label."""
        start = tensor.offset + offset
        view = Tensor(shape, tensor.dtype, strides, start, form, tensor.storage_shape, 0)
        self._memory[view] = self._memory.get(tensor, tensor)
        return view

    def add(self, function: Callable[..., int], values: Sequence[Any]) -> None:
        """Plan a function of aclnn. `values`: its arguments; a scalar or an array may be a Python value instead of an
        object. Raises AclError if a check of the function fails."""
        op: type[Op] = cast("Any", function).op
        objects = [as_argument(param, value) for param, value in zip(op.params, values, strict=True)]
        call, soc = op(objects), self.soc
        check_nulls(op, call, soc, op.first_nulls)
        check_nulls(op, call, soc, op.null_checked)
        empty = run_checks((*op.first_checks, *op.checks), call, soc)
        planner = cast("Any", function).planner if empty is None else empty.plan or nothing
        self._made_contiguous.clear()  # the function may write to tensors, and would make these copies stale
        self._values = objects
        planner(call, self)

    @property
    def has_effect(self) -> bool:
        """Always True: steps that write only temporary tensors are kept as well."""
        return True

    def written(self, tensor: Tensor) -> Operand:
        return self._placed(super().written(tensor))

    def room(self, out: Tensor, most: Sequence[int]) -> Operand:
        if out in self._memory:
            raise TypeError("a shape that depends on values is not known for a tensor in another layout")
        return self._placed(super().room(out, most))

    def redirected(self, slot: Intermediate, out: Tensor) -> bool:
        """True if a kernel may write to the output instead of the slot; never for a temporary tensor."""
        return super().redirected(slot, out) and out not in self._memory and slot not in self._memory.values()

    def _placed(self, operand: Operand) -> Operand:
        if isinstance(operand.memory, Tensor):
            operand.memory = self._memory.get(operand.memory, operand.memory)
        return operand

    def _add(self, step: Queued) -> None:
        """Add a step of a function. Its scalars get their values here, as no later call passes other values."""
        attributes = step.attributes.items()
        values = {name: value.of(self._values) if type(value) is PassedScalar else value for name, value in attributes}
        super()._add(step._replace(attributes=values))


def as_argument(param: Param[Any], value: Any) -> Any:
    """A Python value as the object that a parameter takes. Other values are returned unchanged."""
    if isinstance(param, ScalarIn) and value is not None and not isinstance(value, Scalar):
        return scalar(value)
    for kind, array in ARRAYS:
        if isinstance(param, kind) and value is not None:
            return array(tuple(cast("Sequence[Any]", value)))
    return tuple(cast("list[Any]", value)) if isinstance(value, list) else value


def scalar(value: float, dtype: int | None = None) -> Scalar:
    """A number as an aclScalar of the given data type. Without one, the number decides: BOOL, INT64 or FLOAT."""
    kind = KINDS.get(type(value), aclDataType.ACL_FLOAT) if dtype is None else dtype
    return Scalar(np.asarray(value).astype(numpy_dtype(kind)).tobytes(), kind)


def _dense(shape: Shape, dtype: int) -> Tensor:
    return Tensor(shape, dtype, row_major(shape), 0, aclFormat.ACL_FORMAT_ND, shape, 0)

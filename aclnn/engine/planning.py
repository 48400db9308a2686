"""The call that a planner gets: its arguments, and methods that add steps to its plan."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from acl_runtime.collective.ranks import Communicator
from acl_runtime.headers.dtypes import Array, Shape
from acl_runtime.headers.enums import aclDataType
from acl_runtime.objects.handle_table import Scalar, row_major
from aclnn.engine.arguments import Arguments, broadcast_shape
from aclnn.engine.declaration import Op
from aclnn.engine.numbers.rounding import widen
from aclnn.engine.numbers.scalars import PassedScalar, scalar_as
from aclnn.engine.operand import Operand
from aclnn.engine.parameters import Elements, ScalarIn
from aclnn.engine.plan import Exchange, Kernel
from aclnn.engine.plan_builder import PlanBuilder
from aclnn.engine.ranks.groups import group_of
from aclnn.engine.steps.private_formats import is_nz, nz_to_nd


class Planning(Arguments):
    """One call while it is planned."""

    def __init__(self, call: Op, builder: PlanBuilder) -> None:
        super().__init__(call, builder.soc)
        self.builder = builder

    def read(self, name: str, dtype: int | None = None, *, nz: bool = False) -> Operand:
        """An input tensor, dense, and cast to a data type. With `nz` a storage in FRACTAL_NZ is converted; without it,
        its bytes are read as ND."""
        tensor = self[name]
        operand = nz_to_nd(self.builder, tensor) if nz and is_nz(tensor) else self.builder.contiguous(tensor)
        return operand if dtype is None else self.builder.cast(operand, dtype, self.name(name))

    def read_all(self, name: str, dtype: int | None = None) -> list[Operand]:
        """The tensors of a list, dense, and cast to a data type."""
        dense = [self.builder.contiguous(tensor) for tensor in self[name]]
        return dense if dtype is None else [self.builder.cast(operand, dtype, self.name(name)) for operand in dense]

    def number(self, name: str, dtype: int) -> Any:
        """The value of an aclScalar in a data type, in the form that kernels get: 16-bit floats are float32. Any other
        argument is returned unchanged."""
        value = self[name]
        return widen(np.asarray(self.scalar(name, dtype)))[()] if isinstance(value, Scalar) else value

    def passed(self, name: str, dtype: int, at: int | None = None) -> Any:
        """A placeholder for the value of an aclScalar, or of member `at` of an aclScalarList. Any other argument is
        returned unchanged. The kernel gets the value at launch, so calls with other values share the plan."""
        value = self[name] if at is None else self[name][at]
        if not isinstance(value, Scalar):
            return value
        placeholder = PassedScalar(self.op.params.index(self.param(name)), at, dtype)
        looked = value.looked
        try:
            placeholder.read(value)
        except TypeError as error:
            raise self.builder.failed(f"{name}: {error}.") from None
        finally:
            value.looked = looked  # the value is not used yet
        return placeholder

    def scalar(self, name: str, dtype: int) -> Any:
        """The value of an aclScalar in a data type. Raises 561103 if the library has no such conversion."""
        try:
            return scalar_as(self[name], dtype)
        except TypeError as error:
            raise self.builder.failed(f"{name}: {error}.") from None

    def nibbles(self, name: str) -> Operand:
        """The memory of a tensor of floats of 4 bits, as INT4. A step reads or writes the bits of its elements."""
        tensor = self[name]
        strides = row_major(tensor.shape) if tensor.contiguous else tensor.strides
        return Operand(tensor.shape, aclDataType.ACL_INT4, strides, tensor.offset, tensor)

    def step(
        self,
        kernel: Kernel,
        inputs: Sequence[Operand],
        shape: Shape,
        dtype: int,
        /,
        *,
        moves: bool = False,
        **attributes: Any,
    ) -> Operand:
        """A step with one result. With `moves` the kernel only moves elements, which are not widened."""
        (result,) = self.steps(kernel, inputs, [(shape, dtype)], moves=moves, **attributes)
        return result

    def steps(
        self, kernel: Kernel, inputs: Sequence[Operand], results: Sequence[tuple[Shape, int]], *, moves: bool = False,
        **attributes: Any,
    ) -> list[Operand]:  # fmt: skip
        """A step with several results, each with a shape and a data type."""
        operands = [self.builder.alloc(shape, dtype) for shape, dtype in results]
        self.builder.launch(kernel, inputs, operands, moves=moves, **attributes)
        return operands

    def meets(self, group: str, **equal: Sequence[int] | int) -> Exchange:
        """The meeting of a step with the same step of the other ranks of a group, for the argument `exchange` of
        `step`. The kernel gets a list with the inputs of each rank. The values of `equal` have to be the same on all
        ranks."""
        numbers = {name: (value,) if isinstance(value, int) else tuple(value) for name, value in equal.items()}
        return Exchange(self.group(group), numbers)

    def group(self, name: str) -> Communicator:
        """The communicator that an argument names. A check refuses the name of none."""
        communicator = group_of(self, name)
        assert communicator is not None
        return communicator

    def size(self, kernel: Kernel, inputs: Sequence[Operand], name: str, most: Shape, **attributes: Any) -> None:
        """A step that moves elements to an output with a late shape, of at most the shape `most`."""
        self.builder.launch(kernel, inputs, [self.builder.room(self[name], most)], moves=True, sized=[0], **attributes)

    def store(self, name: str, result: Operand) -> None:
        """Cast a result to the type of an output, and copy it there. Null, or a masked output, is skipped."""
        if self.given(name):
            self.put(self[name], result, self.name(name))

    def must_fit(self, name: str, shape: Sequence[int]) -> None:
        """Refuse an output that `store` would refuse for a result of this shape. Planners of large tables call it
        first."""
        if self.given(name) and self[name].numel:
            self.builder.must_fit(shape, self[name])

    def fill(self, name: str, value: Any) -> None:
        """Write one value to all elements of an output. The value is a Python number or a numpy scalar."""
        out = self[name]
        if out.numel:
            self.store(name, self.step(filled, [], out.shape, out.dtype, moves=True, value=value, sizes=out.shape))

    def one_dimension(self, x: Operand) -> Operand:
        """The operand with one dimension if it has none, else unchanged."""
        return x if x.shape else self.builder.reshape(x, (1,))

    def put(self, tensor: Any, result: Operand, name: str = "") -> None:
        """Cast a result to the data type of a tensor, and copy it there. `name` is the parameter in error texts."""
        if tensor.numel:
            self.builder.view_copy(self.builder.cast(result, tensor.dtype, name), tensor)

    def computed(self) -> int:
        """The data type of the computation. The checks ensure that there is one."""
        dtype = self.op.computed(self)
        if dtype is None:
            names = [param.printed for param in self.op.params if isinstance(param, Elements | ScalarIn)]
            types = ", ".join(f"{name} {self.type_name(name)}" for name in names if self.given(name))
            raise self.builder.failed(f"{self.op.c_name()} cannot compute with these data types: {types}.")
        return dtype

    def constant(self, name: str, dtype: int) -> Operand:
        """An aclScalar as a 0-d tensor."""
        return self.step(constant, [], (), dtype, value=self.passed(name, dtype))

    def operand(self, name: str, dtype: int) -> Operand:
        """A tensor, or an aclScalar as a 0-d tensor, in a data type."""
        return self.constant(name, dtype) if isinstance(self[name], Scalar) else self.read(name, dtype)


def filling(name: str, value: Any) -> Callable[[Op, PlanBuilder], None]:
    """The plan of a call that only writes one value to an output."""

    def plan(call: Op, builder: PlanBuilder) -> None:
        Planning(call, builder).fill(name, value)

    return plan


def broadcast_of(*operands: Operand) -> Shape:
    """The shape that operands broadcast to. The checks ensure that there is one."""
    return broadcast_shape(*(operand.shape for operand in operands)) or ()


def filled(*, value: Any, sizes: Shape) -> Array:
    """A tensor whose elements are equal: a broadcast view of one element."""
    return np.broadcast_to(np.asarray(value), sizes)


def constant(*, value: Any) -> Any:
    """A tensor of one value."""
    return np.asarray(value)

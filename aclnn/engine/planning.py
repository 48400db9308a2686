"""The view that a planner has of a call: its arguments, and the steps of its plan."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from acl_runtime.headers.dtypes import Array, Shape
from acl_runtime.objects.handle_table import Scalar
from aclnn.engine.arguments import Arguments, broadcast_shape
from aclnn.engine.declaration import Op
from aclnn.engine.numbers.rounding import widen
from aclnn.engine.numbers.scalars import PassedScalar, scalar_as
from aclnn.engine.operand import Operand
from aclnn.engine.parameters import Elements, ScalarIn
from aclnn.engine.plan import Kernel
from aclnn.engine.plan_builder import PlanBuilder
from aclnn.engine.steps.private_formats import is_nz, nz_to_nd


class Planning(Arguments):
    """Plans one call."""

    def __init__(self, call: Op, builder: PlanBuilder) -> None:
        super().__init__(call, builder.soc)
        self.builder = builder

    def read(self, name: str, dtype: int | None = None, *, nz: bool = False) -> Operand:
        """An input tensor, dense, and cast to a data type. `nz`: one whose storage is in FRACTAL_NZ is read as such;
        without it, its bytes are taken for ND."""
        tensor = self[name]
        operand = nz_to_nd(self.builder, tensor) if nz and is_nz(tensor) else self.builder.contiguous(tensor)
        return operand if dtype is None else self.builder.cast(operand, dtype, self.name(name))

    def read_all(self, name: str, dtype: int | None = None) -> list[Operand]:
        """The tensors of a list, dense, and cast to a data type."""
        dense = [self.builder.contiguous(each) for each in self[name]]
        return dense if dtype is None else [self.builder.cast(each, dtype, self.name(name)) for each in dense]

    def number(self, name: str, dtype: int) -> Any:
        """The value of an aclScalar in a data type, as a kernel meets it: 16-bit floats are float32. Any other argument
        as it is."""
        value = self[name]
        return widen(np.asarray(self.scalar(name, dtype)))[()] if isinstance(value, Scalar) else value

    def passed(self, name: str, dtype: int, at: int | None = None) -> Any:
        """As `number`, of a member of an aclScalarList too, for an attribute that the plan hands on and does not look
        at: calls with other values have the same plan."""
        value = self[name] if at is None else self[name][at]
        if not isinstance(value, Scalar):
            return value
        place = self.op.params.index(self.param(name))
        number, looked = PassedScalar(place, at, dtype), value.looked
        try:
            number.read(value)
        except TypeError as error:
            raise self.builder.failed(f"{name}: {error}.") from None
        finally:
            value.looked = looked  # the value is not used yet
        return number

    def scalar(self, name: str, dtype: int) -> Any:
        """The value of an aclScalar in a data type. 561103 if the library has no such conversion."""
        try:
            return scalar_as(self[name], dtype)
        except TypeError as error:
            raise self.builder.failed(f"{name}: {error}.") from None

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
        """A step with one result. `moves`: the kernel only moves elements, so it gets them as they are."""
        (result,) = self.steps(kernel, inputs, [(shape, dtype)], moves=moves, **attributes)
        return result

    def steps(
        self, kernel: Kernel, inputs: Sequence[Operand], results: Sequence[tuple[Shape, int]], *, moves: bool = False,
        **attributes: Any,
    ) -> list[Operand]:  # fmt: skip
        """A step with several results, each of a shape and a data type."""
        made = [self.builder.alloc(shape, dtype) for shape, dtype in results]
        self.builder.launch(kernel, inputs, made, moves=moves, **attributes)
        return made

    def size(self, kernel: Kernel, inputs: Sequence[Operand], name: str, most: Shape, **attributes: Any) -> None:
        """A step that moves elements to an output, and finds out how many they are: at most `most`."""
        self.builder.launch(kernel, inputs, [self.builder.room(self[name], most)], moves=True, sized=[0], **attributes)

    def store(self, name: str, result: Operand) -> None:
        """Cast a result to the data type of an output, and bring it there. Nothing, if that is null or turned off."""
        if self.given(name):
            self.put(self[name], result, self.name(name))

    def must_fit(self, name: str, shape: Sequence[int]) -> None:
        """Refuse an output as `store` would, before a table for a result of this shape is made."""
        if self.given(name) and self[name].numel:
            self.builder.must_fit(shape, self[name])

    def fill(self, name: str, value: Any) -> None:
        """Write one value, a Python number or a numpy scalar, into all elements of an output."""
        out = self[name]
        if out.numel:
            self.store(name, self.step(filled, [], out.shape, out.dtype, moves=True, value=value, sizes=out.shape))

    def one_dimension(self, x: Operand) -> Operand:
        """A 0-d tensor as one element in one dimension; every other as it is."""
        return x if x.shape else self.builder.reshape(x, (1,))

    def put(self, tensor: Any, result: Operand, name: str = "") -> None:
        """As `store`, for a tensor of a list, which has the `name` of the parameter in error texts."""
        if tensor.numel:
            self.builder.view_copy(self.builder.cast(result, tensor.dtype, name), tensor)

    def computed(self) -> int:
        """The data type that the call is computed in. (The checks have found that there is one.)"""
        found = self.op.computed(self)
        if found is None:
            given = [param.printed for param in self.op.params if isinstance(param, Elements | ScalarIn)]
            found = ", ".join(f"{name} {self.type_name(name)}" for name in given if self.given(name))
            raise self.builder.failed(f"{self.op.c_name()} cannot compute with these data types: {found}.")
        return found

    def constant(self, name: str, dtype: int) -> Operand:
        """An aclScalar as a 0-d tensor."""
        return self.step(constant, [], (), dtype, value=self.passed(name, dtype))

    def operand(self, name: str, dtype: int) -> Operand:
        """A tensor, or an aclScalar as a 0-d tensor, in a data type."""
        return self.constant(name, dtype) if isinstance(self[name], Scalar) else self.read(name, dtype)


def filling(name: str, value: Any) -> Callable[[Op, PlanBuilder], None]:
    """The plan of a call that only writes one value into an output."""

    def plan(call: Op, builder: PlanBuilder) -> None:
        Planning(call, builder).fill(name, value)

    return plan


def broadcast_of(*operands: Operand) -> Shape:
    """The shape that operands broadcast to. (The checks have found that there is one.)"""
    return broadcast_shape(*(each.shape for each in operands)) or ()


def filled(*, value: Any, sizes: Shape) -> Array:
    """A tensor whose elements are one value, which is in memory once."""
    return np.broadcast_to(np.asarray(value), sizes)


def constant(*, value: Any) -> Any:
    """A tensor of one value."""
    return np.asarray(value)

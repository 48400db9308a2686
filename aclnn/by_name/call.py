"""A call as the plan of a row uses it: tensors, attributes, values, and the functions of aclnn."""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, Final, cast

import numpy as np

import aclnn.ops as ops
from acl_runtime.errors import AclError
from acl_runtime.headers.dtypes import Array, Shape, numpy_dtype
from acl_runtime.headers.enums import aclFormat
from acl_runtime.headers.statuses import ACL_ERROR_GE_FAILURE
from acl_runtime.objects.handle_table import Tensor, row_major
from acl_runtime.objects.soc import Soc
from aclnn.by_name.arguments import NamedArguments, refused
from aclnn.by_name.composition import Composer, scalar
from aclnn.by_name.row import Required
from aclnn.engine.plan import Plan
from aclnn.engine.steps.channel_blocks import STORED_RANKS, from_channel_blocks, to_channel_blocks
from aclnn.engine.steps.private_formats import is_nz, nd_to_nz, nz_to_nd, stored_as
from aclnn.engine.words.common_types import COMPLEX

LABELS = {3: aclFormat.ACL_FORMAT_NCL, 4: aclFormat.ACL_FORMAT_NCHW, 5: aclFormat.ACL_FORMAT_NCDHW}
"""the usual format, by the number of dimensions"""
Read = Callable[[Tensor], Array]
"""function that returns the elements of a tensor"""


MISFITS: Final = (ArithmeticError, LookupError, TypeError, ValueError)
"""exceptions of a plan whose tensors and attributes have fewer elements or dimensions than their type needs"""


class ValueOnDevice(Exception):
    """Raised by a plan that depends on values in device memory, which earlier tasks may still write."""


class Named:
    """A call of an operator by name, while it is planned."""

    def __init__(self, arguments: NamedArguments, soc: Soc, read: Read | None) -> None:
        self.arguments, self.soc, self._read = arguments, soc, read
        self.builder = Composer(arguments.row.declaration(arguments.operands), soc)
        self._dense: dict[Tensor, Tensor] = {}
        """replacements of tensors in private formats, and of values on the host"""
        self._late: list[tuple[Tensor, Tensor]] = []
        """outputs in a private format, and their replacements"""

    def plan(self) -> Plan:
        try:
            with np.errstate(all="ignore"):
                self.arguments.row.plan(self)
                for out, dense in self._late:
                    self._lay_out(out, dense)
                plan = self.builder.finish(0)
        except AclError as error:
            if error.status == ACL_ERROR_GE_FAILURE:
                raise
            raise self.refused("; ".join(item.reason() for item in error.items)) from None
        except MISFITS as error:
            raise self.refused(f"its tensors and attributes do not fit: {error}") from error
        if plan.lacking:
            raise self.refused(f"this emulator has no formula for {plan.lacking}")
        return plan

    def refused(self, why: str) -> AclError:
        """The error 500002: the compilation fails."""
        return refused(self.arguments.row.type, why)

    # tensors

    def __getitem__(self, name: str) -> Any:
        """A tensor, a tuple of tensors for a list, None for a missing tensor, or an attribute."""
        if name not in self.arguments.tensors:
            return self._attribute(name)
        value = self.arguments.tensors[name]
        output = any(slot.name == name for slot in self.arguments.row.outputs)
        if isinstance(value, tuple):
            return tuple(self._as_nd(tensor, output) for tensor in cast("tuple[Tensor, ...]", value))
        return None if value is None else self._as_nd(value, output)

    def _as_nd(self, tensor: Tensor, output: bool) -> Tensor:
        """A tensor with its elements in the order of its shape."""
        dense = self._dense.get(tensor)
        if dense is None:
            dense = self._dense[tensor] = self._replacement(tensor, output)
        return dense

    def _replacement(self, tensor: Tensor, output: bool) -> Tensor:
        if tensor in self.arguments.values:
            return self.constant(self.arguments.values[tensor], tensor.dtype)
        note = self.arguments.notes[tensor]
        if not is_nz(tensor) and note.layout not in STORED_RANKS:
            return tensor
        dense = self.temporary(note.shape, tensor.dtype)
        if output:
            self._late.append((tensor, dense))
        elif is_nz(tensor):
            self.builder.view_copy(nz_to_nd(self.builder, tensor), dense)
        else:
            self.step(from_channel_blocks, [tensor], dense, moves=True, form=note.layout, shape=note.shape,
                      order=note.order)  # fmt: skip
        return dense

    def _lay_out(self, out: Tensor, dense: Tensor) -> None:
        """Plan the conversion of an output into its private format."""
        if is_nz(out):
            nd_to_nz(self.builder, self.builder.contiguous(dense), out, stored_as(out))
        else:
            note, columns = self.arguments.notes[out], out.shape[-1]
            self.step(to_channel_blocks, [dense], out, moves=True, form=note.layout, order=note.order, columns=columns)

    def temporary(self, shape: Shape, dtype: int) -> Tensor:
        """A temporary tensor, which hands the result of one function to another."""
        return self.builder.temporary(shape, dtype)

    def like(self, tensor: Tensor, dtype: int | None = None) -> Tensor:
        """A temporary tensor of the shape of another."""
        return self.temporary(tensor.shape, tensor.dtype if dtype is None else dtype)

    def constant(self, values: Any, dtype: int) -> Tensor:
        """A temporary tensor with values from the host."""
        array = np.asarray(values, numpy_dtype(dtype))
        tensor = self.temporary(array.shape, dtype)
        self.builder.launch(values_, [], [self.builder.written(tensor)], moves=True, value=array)
        return tensor

    def viewed(
        self, tensor: Tensor, shape: Sequence[int], strides: Sequence[int] | None = None, offset: int = 0
    ) -> Tensor:
        """Another view of a tensor. Without strides the view is dense."""
        shape = tuple(shape)
        if strides is None and prod(shape) != tensor.numel:
            raise self.refused(f"a tensor {list(tensor.shape)} has not the elements of {list(shape)}")
        return self.builder.viewed(tensor, shape, row_major(shape) if strides is None else tuple(strides), offset)

    def labelled(self, tensor: Tensor) -> Tensor:
        """The tensor with the usual format for its number of dimensions: NCL, NCHW, NCDHW."""
        form = LABELS.get(len(tensor.shape), aclFormat.ACL_FORMAT_ND)
        return self.builder.viewed(tensor, tensor.shape, tensor.strides, form=form)

    def format(self, name: str) -> int:
        """The format of the descriptor of a tensor."""
        return self.arguments.notes[self.arguments.tensors[name]].format

    def permuted(self, tensor: Tensor, order: Sequence[int]) -> Tensor:
        """The view of a tensor with its dimensions in another order."""
        return self.viewed(tensor, [tensor.shape[i] for i in order], [tensor.strides[i] for i in order])

    def step(self, kernel: Callable[..., Any], inputs: Sequence[Tensor], out: Tensor, **attributes: Any) -> None:
        """Plan a kernel of this emulator, for a formula without a function of aclnn."""
        operands = [self.builder.contiguous(tensor) for tensor in inputs]
        result = self.builder.alloc(out.shape, out.dtype)
        self.builder.launch(kernel, operands, [result], **attributes)
        self.builder.view_copy(result, out)

    # values

    def _attribute(self, name: str) -> Any:
        """The value of an attribute, or its default."""
        default = self.arguments.row.attributes[name]
        like = default.like if isinstance(default, Required) else default
        value = self.arguments.attributes.get(name)
        if value is None:
            if isinstance(default, Required):
                raise self.refused(f"the attribute {name} is required")
            return list(cast("tuple[Any, ...]", default)) if isinstance(default, tuple) else default
        if not _fits(value, like):
            raise self.refused(f"the attribute {name} is {value!r}, which has another type than {like!r}")
        return type(like)(value) if isinstance(like, bool | float) else value

    def array(self, name: str) -> Array | None:
        """The values of a small input; None for a missing one. Raises ValueOnDevice if only the device has the
        values."""
        tensor = self.arguments.tensors[name]
        if tensor is None:
            return None
        if tensor.dtype in COMPLEX:
            raise self.refused(f"{name} has complex numbers")
        if tensor in self.arguments.values:
            return self.arguments.values[tensor]
        if self._read is None:
            raise ValueOnDevice(name)
        return self._read(tensor)

    def ints(self, name: str) -> list[int]:
        """The values of a small integer input, or of an attribute; empty if it is missing."""
        if name not in self.arguments.tensors:
            return list(self[name])
        values = self.array(name)
        if values is not None and values.dtype.kind not in "iub":
            raise self.refused(f"{name} has to have integers")
        return [] if values is None else [int(each) for each in values.reshape(-1)]

    def integer(self, name: str) -> int:
        """The value of an integer input of one element, or of an attribute."""
        if name not in self.arguments.tensors:
            return self[name]
        numbers = self.ints(name)
        if len(numbers) != 1:
            raise self.refused(f"{name} has to have one element")
        return numbers[0]

    def number(self, name: str) -> Any:
        """The value of an input of one element."""
        values = self.array(name)
        if values is None or values.size != 1:
            raise self.refused(f"{name} has to have one element")
        return values.reshape(-1)[0].item()

    def scalar(self, value: float, like: Tensor) -> Any:
        """A number as an aclScalar of the data type of a tensor."""
        return scalar(value, like.dtype)

    # functions of aclnn

    def aclnn(self, name: str, *values: Any) -> None:
        """Plan a function of aclnn. The values are its arguments: tensors, and Python values."""
        self.builder.add(ops_function(name), values)


def ops_function(name: str) -> Callable[..., int]:
    """The second phase of an operator."""
    return ops.function(name)


def values_(*, value: Array) -> Array:
    """Values from the host."""
    return value


def _fits(value: Any, like: Any) -> bool:
    """True if an attribute may have this value. An integer is accepted for a data type, a bool or a float."""
    if isinstance(like, bool | int | float):
        return isinstance(value, bool | int | float) and (isinstance(like, float) or not isinstance(value, float))
    if isinstance(like, str):
        return isinstance(value, str)
    return isinstance(value, tuple)

"""The tensors of a call by name: descriptors and buffers, matched with the inputs and outputs of a row."""

from collections.abc import Mapping
from functools import cached_property
from math import prod
from typing import Any, Final, NamedTuple, cast

import numpy as np

from acl_runtime.errors import AclError
from acl_runtime.headers.dtype_names import bits, format_name
from acl_runtime.headers.dtypes import Array, Shape, numpy_dtype
from acl_runtime.headers.enums import aclDataType, aclFormat
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_GE_FAILURE
from acl_runtime.memory.private_formats import ROW_BITS
from acl_runtime.objects.descriptions import TensorDesc
from acl_runtime.objects.handle_table import Tensor, row_major
from acl_runtime.objects.named_operators import NamedOperator, NamedTensor
from aclnn.by_name.row import OperatorRow, TensorSlot
from aclnn.engine.constraints import PRIVATE
from aclnn.engine.steps.channel_blocks import DEEP, ORDERS, STORED_RANKS, storage
from aclnn.engine.steps.private_formats import C0

ORDER: Final[Mapping[int, str]] = {**ORDERS, aclFormat.ACL_FORMAT_ND: "NCHW"}
"""the order of the dimensions of a tensor whose memory is in a private format, by format of its descriptor"""


class Note(NamedTuple):
    """Facts of a descriptor that the tensor made from it does not have."""

    format: int
    """the format of the descriptor, which does not describe the memory"""
    shape: Shape
    layout: int = aclFormat.ACL_FORMAT_ND
    """a format of `channel_blocks` if the tensor has the shape of its memory"""

    @property
    def order(self) -> str:
        """The names of the dimensions."""
        return ORDER[self.format]


class NamedArguments:
    """The tensors of one call, by the names of the row. A value on the host is an array."""

    def __init__(
        self,
        row: OperatorRow,
        tensors: Mapping[str, Any],
        values: Mapping[Tensor, Array],
        notes: Mapping[Tensor, Note],
        attributes: Mapping[str, Any],
    ) -> None:
        self.row, self.tensors, self.values, self.notes, self.attributes = row, tensors, values, notes, attributes

    @cached_property
    def operands(self) -> list[Any]:
        """The tensors in device memory, in the order of the parameters of the declaration."""
        return [self._in_memory(self.tensors[slot.name]) for slot in (*self.row.inputs, *self.row.outputs)]

    def _in_memory(self, value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple([tensor for tensor in cast("tuple[Tensor, ...]", value) if tensor not in self.values])
        return None if value in self.values else value


def refused(type: str, why: str) -> AclError:
    """The error 500002: an operator cannot be compiled."""
    text = f"The operator {type} cannot be compiled: {why}."
    return AclError(ACL_ERROR_GE_FAILURE, Item("EH9999", (text.replace("..", "."),)))


def arguments_of(row: OperatorRow, operator: NamedOperator, *, outputs: bool = True) -> NamedArguments:
    """The tensors of a call by the names of the row. `outputs`: the outputs are included."""
    values: dict[Tensor, Array] = {}
    notes: dict[Tensor, Note] = {}
    inputs = _by_name(row, row.inputs, operator.inputs, values, notes)
    outputs_by_name: dict[str, Any] = dict.fromkeys(slot.name for slot in row.outputs)
    if outputs:
        outputs_by_name = _by_name(row, row.outputs, operator.outputs, values, notes)
    return NamedArguments(row, {**inputs, **outputs_by_name}, values, notes, operator.attributes)


def _by_name(
    row: OperatorRow, slots: tuple[TensorSlot, ...], tensors: tuple[NamedTensor, ...], values: dict[Tensor, Array],
    notes: dict[Tensor, Note],
) -> dict[str, Any]:  # fmt: skip
    """Match tensors to names by position. A list takes all tensors that match no other name."""
    tensors_by_slot: dict[str, Any] = {}
    position, spare = 0, len(tensors) - sum(not slot.listed for slot in slots)
    for slot in slots:
        if slot.listed:
            count = max(spare, 0)
            tensors_by_slot[slot.name] = tuple(
                _tensor(row, slot, member, values, notes) for member in tensors[position : position + count]
            )
            position += count
            continue
        tensor = tensors[position] if position < len(tensors) else None
        missing = tensor is None or _missing(slot, tensor)
        if missing and not slot.optional:
            raise refused(row.type, f"{slot.name} is missing")
        tensors_by_slot[slot.name] = None if tensor is None or missing else _tensor(row, slot, tensor, values, notes)
        position += 1
    if position < len(tensors) and any(
        member.desc.dtype != aclDataType.ACL_DT_UNDEFINED for member in tensors[position:]
    ):
        raise refused(row.type, f"{len(tensors)} tensors were given, and it has {position}")
    return tensors_by_slot


def _missing(slot: TensorSlot, tensor: NamedTensor) -> bool:
    """True if there is no tensor. Callers do not set the data type of a missing one."""
    without_data = slot.optional and not (tensor.address or tensor.value)
    return without_data or tensor.desc.dtype == aclDataType.ACL_DT_UNDEFINED


def _tensor(
    row: OperatorRow, slot: TensorSlot, named: NamedTensor, values: dict[Tensor, Array], notes: dict[Tensor, Note]
) -> Tensor:  # fmt: skip
    """The tensor of a descriptor. A format that does not describe the memory is only noted."""
    desc = named.desc
    shape, form = desc.shape, desc.storage_format
    if any(size < 0 for size in shape):  # the kernel decides the shape; all of the buffer is room for it
        shape = _room(shape, named.size * 8 // bits(desc.dtype))
    note = Note(desc.format, shape)
    if form in STORED_RANKS and len(shape) == 1:  # its channels are in their order
        form = aclFormat.ACL_FORMAT_ND
    if form in STORED_RANKS:
        order = ORDER.get(desc.format, "")
        if not 0 < len(shape) <= len(order) or ("D" in order) != (form in DEEP):
            raise refused(row.type, f"{slot.name} in {format_name(form)} has to be a tensor of N, C, H, W")
        note = Note(desc.format, shape, form)
        shape = storage(form, shape, order, _columns(desc))
    elif form in PRIVATE and form not in C0:
        raise refused(row.type, f"{slot.name} is in {format_name(form)}, which this emulator does not lay out")
    if form in C0 and len(shape) < 2:
        raise refused(row.type, f"{slot.name} in {format_name(form)} has to have two dimensions or more")
    tensor = Tensor(shape, desc.dtype, row_major(shape), 0, aclFormat.ACL_FORMAT_ND, shape, named.address)
    if form in C0:
        tensor.stored_as(form, desc.storage_shape)
    notes[tensor] = note
    if named.value is not None:
        values[tensor] = _value(row, slot, named, shape)
    return tensor


def _columns(desc: TensorDesc) -> int:
    """The channels of a block: from the storage shape if it is set, otherwise as many as fit into 32 bytes."""
    stored = desc.storage_shape
    is_set = stored != desc.shape and len(stored) == STORED_RANKS[desc.storage_format] and stored[-1] > 0
    return stored[-1] if is_set else ROW_BITS // bits(desc.dtype)


def _room(shape: Shape, elements: int) -> Shape:
    """The shape of the largest tensor with this number of elements, if only its first dimension is unknown. Otherwise
    the shape is one-dimensional."""
    rest = shape[1:]
    return (elements // max(prod(rest), 1), *rest) if min(rest, default=0) >= 0 else (elements,)


def _value(row: OperatorRow, slot: TensorSlot, tensor: NamedTensor, shape: Shape) -> Array:
    dtype, raw = numpy_dtype(tensor.desc.dtype), tensor.value or b""
    if dtype is None or len(raw) < prod(shape) * dtype.itemsize:
        raise refused(row.type, f"the value of {slot.name} on the host has too few bytes")
    return np.frombuffer(raw, dtype, prod(shape)).reshape(shape)

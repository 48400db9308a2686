"""The arguments of the functions that take an operator by its type name, checked in the order of the library."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from math import prod
from typing import Any, Final, NamedTuple, Protocol, cast

from acl_runtime.abi.pointers import Address, Values
from acl_runtime.api.live_objects import alive, host_bytes, required
from acl_runtime.api.meta.objects import take
from acl_runtime.api.refusals import invalid, null
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import aclMemType
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_API_NOT_SUPPORT, ACL_ERROR_RT_PARAM_INVALID
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.memory.device_memory import looks_like_device_address
from acl_runtime.objects.data_buffer import DataBuffer
from acl_runtime.objects.descriptions import OpAttributes, TensorDesc
from acl_runtime.objects.handle_table import Some
from acl_runtime.objects.named_operators import NamedOperator, NamedTensor
from acl_runtime.streams.host_thread import ThreadState
from acl_runtime.streams.stream import Stream

OPERATORS: Final = "aclnn.by_name"
"""the package with the operators, which is imported by name when a call first needs it"""


class Compiled(Protocol):
    """An operator that can be launched."""

    sized: bool
    """True if the shapes of its outputs depend on values"""

    def launch(self, stream: Stream, thread: ThreadState) -> None:
        """Queue the task of the operator."""
        ...

    def shapes(self) -> list[tuple[int, ...] | None]:
        """The shapes of the outputs; after the run also the shapes that depend on values."""
        ...


class Operators(Protocol):
    """The functions of the package `aclnn.by_name` that this module uses."""

    def exists(self, type: str) -> bool:
        """True if there is an operator of this type."""
        ...

    def shapes(self, machine: Machine, operator: NamedOperator) -> list[tuple[int, ...]]:
        """The shapes of the outputs of a call; AclError 500002 if the call does not fit the operator."""
        ...

    def compiled(self, machine: Machine, operator: NamedOperator) -> Compiled:
        """The operator of a call; AclError 500002 if it cannot be compiled."""
        ...


@dataclass(frozen=True)
class TensorArguments:
    """The arguments for the inputs or for the outputs of a call."""

    name: str
    """input or output"""
    count: int
    descriptors: Values | None
    """None if the function takes no descriptors"""
    buffers: Values | None
    """None if the function takes no buffers"""

    @property
    def counter(self) -> str:
        """The name of the parameter with the count."""
        return f"num{self.name.title()}s"


class ArgumentLists(NamedTuple):
    """The arguments for the inputs and for the outputs of a call."""

    inputs: TensorArguments
    outputs: TensorArguments

    def check_counts(self) -> None:
        """Refuse a negative count."""
        for arguments in self:
            if arguments.count < 0:
                raise invalid(arguments.count, arguments.counter, "0 or more")

    def descriptors(self) -> list[list[TensorDesc]]:
        """The descriptors of inputs and outputs; AclError 100000 for a null array or member."""
        return [_objects(side.descriptors, side.count, TensorDesc, f"{side.name}Desc") for side in self]

    def buffers(self, *, null_data: bool) -> list[list[DataBuffer]]:
        """The buffers of inputs and outputs; AclError 100000 for a null array or member. `null_data`: True if a buffer
        with a null address may have a length."""
        return [buffers(arguments, null_data=null_data) for arguments in self]


def argument_lists(
    inputs: int, input_descriptors: Values | None, input_buffers: Values | None, outputs: int,
    output_descriptors: Values | None, output_buffers: Values | None,
) -> ArgumentLists:  # fmt: skip
    """The arguments of a function for inputs and for outputs; None for an array that the function does not have."""
    return ArgumentLists(
        TensorArguments("input", inputs, input_descriptors, input_buffers),
        TensorArguments("output", outputs, output_descriptors, output_buffers),
    )


def required_type(type: str | None) -> str:
    """The type of an operator; 100000 for null."""
    if type is None:
        raise null("opType")
    return type


def operators() -> Operators:
    """The package `aclnn.by_name`, which the first call imports."""
    return cast("Operators", import_module(OPERATORS))


def compiled(operator: NamedOperator) -> Compiled:
    """The operator of a call; 500002 if it cannot be compiled."""
    return operators().compiled(current(), operator)


def buffers(arguments: TensorArguments, *, null_data: bool) -> list[DataBuffer]:
    """The buffers of the inputs or of the outputs."""
    buffers = _objects(arguments.buffers, arguments.count, DataBuffer, f"{arguments.name}s")
    for i, buffer in enumerate(buffers):
        if not buffer.address and buffer.size and not null_data:
            raise invalid("null", f"{arguments.name}s[{i}]", f"the address of its {buffer.size} bytes")
    return buffers


def attributes(number: int) -> dict[str, Any]:
    """A copy of the attributes of a call; empty for a null handle."""
    return dict(alive(number, OpAttributes, "attr").values) if number else {}


def all_empty(described: Sequence[TensorDesc]) -> bool:
    """True if every output has a dimension of size 0, so that nothing has to run."""
    return bool(described) and all(0 in tensor.shape for tensor in described)


def check_ranges(inputs: Sequence[TensorDesc]) -> None:
    """Check that unknown dimensions have a range, and that the members of a list are neighbours."""
    for i, tensor in enumerate(inputs):
        if any(size < 0 for size in tensor.shape) and "shape" not in tensor.ranges:
            raise invalid(list(tensor.shape), f"inputDesc[{i}]", "sizes, or a range of each (aclSetTensorShapeRange)")
    names = [input_.list_name for input_ in inputs]
    for i, name in enumerate(names):
        if name and name in names[:i] and names[i - 1] != name:
            raise invalid(name, f"the name of inputDesc[{i}]", "a list whose members are neighbours")


def check_device(described: Sequence[Sequence[TensorDesc]]) -> None:
    """AclError 200001 if a descriptor is placed on the host."""
    for tensor in itertools.chain(*described):
        if tensor.placement != aclMemType.ACL_MEMTYPE_DEVICE:
            reason = "the function takes only tensors on the device"
            raise AclError(ACL_ERROR_API_NOT_SUPPORT, Item("EH0006", (f"{tensor} on the host", reason)))


def operator(
    type: str, described: Sequence[Sequence[TensorDesc]], buffers: Sequence[Sequence[DataBuffer]] | None, attr: int
) -> NamedOperator:  # fmt: skip
    """The operator of a call, with the values of its inputs on the host."""
    inputs, outputs = (tuple(NamedTensor(desc.copy()) for desc in side) for side in described)
    operator = NamedOperator(type, inputs, outputs, attributes(attr))
    return operator if buffers is None else with_buffers(operator, buffers)


def with_buffers(operator: NamedOperator, buffers: Sequence[Sequence[DataBuffer]]) -> NamedOperator:
    """The operator with the buffers of a call."""
    pairs = zip(operator.outputs, buffers[1], strict=True)
    outputs = tuple(replace(each, address=buffer.address, size=buffer.size) for each, buffer in pairs)
    return replace(with_inputs(operator, buffers[0]), outputs=outputs)


def with_inputs(operator: NamedOperator, buffers: Sequence[DataBuffer]) -> NamedOperator:
    """The operator with the buffers of its inputs."""
    inputs = tuple(
        replace(tensor, address=buffer.address, size=buffer.size, value=_value(tensor.desc, buffer, f"inputs[{i}]"))
        for i, (tensor, buffer) in enumerate(zip(operator.inputs, buffers, strict=True))
    )
    return replace(operator, inputs=inputs)


def _value(desc: TensorDesc, buffer: DataBuffer, name: str) -> bytes | None:
    if desc.constant is not None:
        return desc.constant
    if not buffer.size or (desc.placement == aclMemType.ACL_MEMTYPE_DEVICE and not _on_host(desc, buffer)):
        return None
    return host_bytes(Address(buffer.address), buffer.size, name)


def _on_host(desc: TensorDesc, buffer: DataBuffer) -> bool:
    """True if the only number of a tensor is in memory of the host, although its placement is the device. ONNX Runtime
    passes alpha and beta of GEMM like this."""
    single = prod(desc.shape) == 1 and buffer.address != 0
    return single and current().memory_at(buffer.address) is None and not looks_like_device_address(buffer.address)


def _objects(values: Values | None, count: int, kind: type[Some], name: str) -> list[Some]:
    """The objects of an array of handles. 100000 for a null array or member."""
    if not count:
        return []
    if values is None or values.null:
        raise null(name)
    numbers = take(values, count, name, ACL_ERROR_RT_PARAM_INVALID)
    return [required(number, kind, f"{name}[{i}]") for i, number in enumerate(numbers)]

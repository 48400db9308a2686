"""The arguments of an execution, judged in the order of the library: data sets, buffers, the model, counts, sizes."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Final

from acl_runtime.api.live_objects import alive, required
from acl_runtime.api.mdl.lookup import loaded
from acl_runtime.api.memory.allocation_checks import allocated
from acl_runtime.api.refusals import invalid
from acl_runtime.errors import AclError
from acl_runtime.headers.dtypes import Shape, nbytes
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_GE_FAILURE, ACL_ERROR_GE_PARAM_INVALID
from acl_runtime.machine.current import current
from acl_runtime.memory.allocation import Allocation
from acl_runtime.memory.sizes import round_up
from acl_runtime.models import described
from acl_runtime.models.described import Described
from acl_runtime.models.gears import GEAR_INPUT, Gear
from acl_runtime.models.loaded import LoadedModel
from acl_runtime.models.objects import DataSet
from acl_runtime.models.statement import BLOCK
from acl_runtime.objects.data_buffer import DataBuffer
from acl_runtime.objects.descriptions import TensorDesc
from acl_runtime.text import Text, counted

TOLERATED: Final = 64
"""the bytes by which a buffer may be too short without a refusal"""


@dataclass(frozen=True, eq=False)
class ModelBuffer:
    """An input or an output with its memory."""

    name: str
    output: bool
    dtype: int
    address: int
    declared: int
    """the bytes that the data buffer says"""
    size: int
    """the bytes that the execution uses, from the address on"""

    @property
    def role(self) -> str:
        return f"{'output' if self.output else 'input'} `{self.name}`"


@dataclass(frozen=True)
class ExecutionRequest:
    """The arguments of an execution."""

    model: LoadedModel
    gear: Gear
    """the gear that a setter has chosen for the data set; empty if none has"""
    shapes: dict[str, Shape] | None
    """the shapes of the inputs, if the program gives them for this run"""
    inputs: tuple[ModelBuffer, ...]
    outputs: tuple[ModelBuffer, ...]
    output_set: DataSet
    late: tuple[tuple[int, DataBuffer], ...]
    """outputs by index whose buffers get memory when the run knows their sizes"""


def requested(id: int, input: int, output: int, *, allocates: bool) -> ExecutionRequest:
    """The arguments of an execution. `allocates`: True if the library allocates outputs without memory, as it does for
    a synchronous execution."""
    sets = required(input, DataSet, "input"), required(output, DataSet, "output")
    buffers = [
        [alive(number, DataBuffer, Text("a data buffer of {set}", set=name)) for number in data_set.buffers]
        for data_set, name in zip(sets, ("input", "output"), strict=True)
    ]
    model = loaded(id)
    sides = described.inputs(model.model), described.outputs(model.model)
    late = _allocate(buffers[1], sides[1]) if allocates else ()
    _check_counts(model, buffers, sides)
    gear = sets[0].gear
    shapes = _given_shapes(model, sets[0]) if model.model.unknown else None
    needed = _needed(model, gear, shapes, sides)
    judged = not gear and shapes is None and model.model.dynamic_aipp is None
    inputs = _slots(model, sides[0], buffers[0], needed[0], judged=judged, output=False)
    outputs = _slots(model, sides[1], buffers[1], needed[1], judged=judged, output=True, late=late)
    _check_overlaps(model, inputs, outputs)
    return ExecutionRequest(model, gear, shapes, inputs, outputs, sets[1], late)


def _check_overlaps(model: LoadedModel, inputs: Sequence[ModelBuffer], outputs: Sequence[ModelBuffer]) -> None:
    """500002 if an output shares bytes with an input."""
    for output in outputs:
        for slot in inputs:
            if slot.address < output.address + output.size and output.address < slot.address + slot.size:
                text = f"{output.role} of {model} shares memory with {slot.role}"
                raise AclError(ACL_ERROR_GE_FAILURE, Item("E13025", (text,)))


def _allocate(buffers: Sequence[DataBuffer], outputs: Sequence[Described]) -> tuple[tuple[int, DataBuffer], ...]:
    """Allocate the memory of outputs with a null address and the size 0; the program frees it. Returns the outputs
    whose sizes only the run knows."""
    empty = [(i, buffer) for i, buffer in enumerate(buffers) if not buffer.address and not buffer.size]
    if empty and len(buffers) != len(outputs):
        raise invalid(len(buffers), "the number of output buffers", f"{len(outputs)}, to allocate their memory")
    for i, buffer in empty:
        if outputs[i].size:
            give_memory(buffer, outputs[i].size)
    return tuple((i, buffer) for i, buffer in empty if not outputs[i].size)


def give_memory(buffer: DataBuffer, size: int) -> Allocation:
    """Allocate the memory of an output."""
    memory = current().context("Execution of a model").device.memory
    allocation = allocated(memory, size, round_up(size, BLOCK))
    buffer.address, buffer.size = allocation.address, size
    return allocation


def _check_counts(
    model: LoadedModel, buffers: Sequence[Sequence[DataBuffer]], sides: tuple[list[Described], ...]
) -> None:
    """The number of buffers: 145000; for a model whose sizes are unknown, too few inputs are 100000, and more are
    ignored."""
    for name, present, expected in zip(("input", "output"), buffers, sides, strict=True):
        if model.model.unknown and name == "input":
            if len(present) < len(expected):
                raise invalid(len(present), "the number of input buffers", f"{len(expected)} or more")
        elif len(present) != len(expected):
            sizes = counted(len(expected), name), counted(len(present), "data buffer")
            text = "{} has {}, but the data set has {}".format(model, *sizes)
            raise AclError(ACL_ERROR_GE_PARAM_INVALID, Item("E13025", (text,)))


def _given_shapes(model: LoadedModel, inputs: DataSet) -> dict[str, Shape]:
    """The shapes of the inputs in their tensor descriptors; 100000 if one is missing or out of its range."""
    shapes: dict[str, Shape] = {}
    for i, tensor in enumerate(described.inputs(model.model)):
        desc = current().handles.find(inputs.descriptors.get(i, 0), TensorDesc)
        if desc is None:
            if -1 in tensor.dims:
                expected = "a tensor descriptor with its sizes (aclmdlSetDatasetTensorDesc)"
                raise invalid("none", f"the tensor descriptor of input {tensor.name}", expected)
            shapes[tensor.name] = tensor.stored
            continue
        bounds = tensor.bounds or tuple((size, size) for size in tensor.dims)
        inside = len(bounds) == len(desc.shape) and all(
            low <= size and (high <= 0 or size <= high) for size, (low, high) in zip(desc.shape, bounds, strict=False)
        )
        if not inside:
            raise invalid(list(desc.shape), f"the sizes of input {tensor.name}", f"sizes in the ranges {list(bounds)}")
        shapes[tensor.name] = desc.shape
    return shapes


def _needed(
    model: LoadedModel, gear: Gear, shapes: dict[str, Shape] | None, sides: tuple[list[Described], list[Described]]
) -> tuple[list[int], list[int]]:
    """The bytes of each input and output. Without a chosen gear: of the largest."""
    stated, largest = model.model, ([tensor.size for tensor in sides[0]], [tensor.size for tensor in sides[1]])
    if shapes is not None:
        return [nbytes(prod(shapes[tensor.name]), tensor.dtype) for tensor in sides[0]], largest[1]
    if not gear:
        return largest
    by_name = stated.input_shapes(gear)
    return (
        [nbytes(prod(by_name.get(tensor.name, tensor.stored)), tensor.dtype) for tensor in sides[0]],
        [nbytes(prod(stated.output_shape(tensor, gear)), tensor.dtype) for tensor in stated.outputs],
    )


def _slots(
    model: LoadedModel, tensors: Sequence[Described], buffers: Sequence[DataBuffer], needed: Sequence[int], *,
    judged: bool, output: bool, late: Sequence[tuple[int, DataBuffer]] = (),
) -> tuple[ModelBuffer, ...]:  # fmt: skip
    """The inputs or the outputs with their buffers. `judged`: True if sizes are compared with the model: 500002 if a
    buffer is more than `TOLERATED` bytes too short."""
    slots: list[ModelBuffer] = []
    for i, (tensor, buffer, size) in enumerate(zip(tensors, buffers, needed, strict=False)):
        used = min(buffer.size, 2 * size) if tensor.name == GEAR_INPUT else size or buffer.size
        if not output and i == model.model.dynamic_aipp:
            used = min(buffer.size, size)  # the parameters say how much of it is read
        slot = ModelBuffer(tensor.name, output, tensor.dtype, buffer.address, buffer.size, used)
        if (judged and buffer.size + TOLERATED < size) or (not buffer.address and i not in dict(late)):
            has = f"its data buffer has {buffer.size} bytes at {buffer.address:#x}"
            text = f"{slot.role} of {model} needs {size} bytes, but {has}"
            raise AclError(ACL_ERROR_GE_FAILURE, Item("E13025", (text,)))
        slots.append(slot)
    return tuple(slots)

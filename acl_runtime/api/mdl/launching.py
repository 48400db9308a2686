"""The task of an execution: the memory that it uses, the arrays that the function of the model gets, its outputs.

The task reads the inputs, writes the outputs and uses the work memory of the model, so the checks of races, freed and
unwritten memory see it as they see an operator. Two executions of one model in two streams without order are the
finding `ws-shared`, as both use its work memory.
"""

from collections.abc import Iterator
from functools import partial
from math import prod
from typing import Final

import numpy as np

from acl_runtime.abi.pointers import Address
from acl_runtime.api.mdl.data_sets import set_descriptor
from acl_runtime.api.mdl.requests import ExecutionRequest, ModelBuffer, give_memory
from acl_runtime.errors import AclError, DeviceFault, Past, UndefinedBehaviour
from acl_runtime.headers.dtypes import Array, Shape
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_AICORE_EXCEPTION, ACL_ERROR_RT_PARAM_INVALID
from acl_runtime.machine.machine import Machine
from acl_runtime.machine.missed import FREED_WORKSPACE, missed
from acl_runtime.machine.raised import called, kernel_raised
from acl_runtime.memory.copies import Side, exchange, locate, on_device
from acl_runtime.memory.ports import PastEnd
from acl_runtime.memory.ranges import Range, Use
from acl_runtime.models.aipp_parameters import AippHeader
from acl_runtime.models.gears import GEAR_INPUT, Gear
from acl_runtime.models.images import AIPP_INPUT, DYNAMIC, StaticAipp
from acl_runtime.models.loaded import LoadedModel
from acl_runtime.objects.descriptions import TensorDesc
from acl_runtime.source.frames import trail
from acl_runtime.streams.stream import OperatorTask, Stream
from acl_runtime.text import Text

RETURN: Final = Text("Return an array of each output's shape and data type from the function of the model.")
WORK: Final = Text("work memory")
WEIGHTS: Final = Text("weights")
_report: Final = partial(missed, status=ACL_ERROR_RT_PARAM_INVALID)


class ModelRun:
    """An execution of a model."""

    def __init__(self, machine: Machine, request: ExecutionRequest, stream: Stream) -> None:
        self.machine, self.request, self.stream = machine, request, stream
        self.model: LoadedModel = request.model
        self.results: list[Array] = []
        """the outputs, when it has run"""
        self._sides: dict[ModelBuffer, Side] = {}

    def launch(self) -> None:
        """Queue the task."""
        machine, model, request = self.machine, self.model, self.request
        seen: set[object] = set()
        slots = (*request.inputs, *request.outputs)
        ranges = [used for slot in slots if slot.size and (used := self._range(slot, seen)) is not None]
        ranges += self._own_ranges(seen)
        # nobody has chosen a gear: the run reports a buffer without one
        taint = frozenset(slot.role for slot in request.inputs if slot.name == GEAR_INPUT and not request.gear)
        nbytes = sum(used.high - used.low for used in ranges)
        work = on_device(machine, self._run)
        task = OperatorTask(str(model), work, tuple(ranges), trail(), nbytes, taint, None)
        machine.submit(self.stream, task)
        if self.stream.stores is None:
            model.last[self.stream] = task

    def _own_ranges(self, seen: set[object]) -> Iterator[Range]:
        """The ranges of the work memory and of the weights. The program keeps what it gave until the unload."""
        machine, model, device = self.machine, self.model, self.stream.context.device
        for (address, size), role, use in ((model.work, WORK, Use.SCRATCH), (model.weights, WEIGHTS, Use.READ)):
            memory = machine.memory_at(address)
            if size and (memory is None or memory.holding(address) is None) and model.own_work is None:
                name = Text("{role} of {model}", role=role, model=model)
                behind = partial(self._short, name, size, 0)
                _report(
                    machine, address, lambda name=name: name, device, behind=behind, seen=seen, freed=FREED_WORKSPACE
                )
            elif size:
                yield Range(address, address + size, role, use)

    def _range(self, slot: ModelBuffer, seen: set[object]) -> Range | None:
        """The range of an input or an output. Its memory is judged here, as its address may change until the call."""
        machine, device = self.machine, self.stream.context.device
        name = Text("{role} of {model}", role=slot.role, model=self.model)

        allocation = device.memory.holding(slot.address)
        if allocation is None:
            behind = partial(self._short, name, slot.size, 0)
            _report(machine, slot.address, lambda: name, device, behind=behind, seen=seen)
            return None
        room, end = allocation.end - slot.address, slot.address + slot.size
        if slot.declared < slot.size:
            text = Text(
                "{name} needs {needed} bytes, but its data buffer has only {declared}.",
                name=name,
                needed=slot.size,
                declared=slot.declared,
            )
            machine.undefined("model-buffer-short", text, *allocation.past())
        elif room < slot.size and not machine.consequences.of(past_end := PastEnd(allocation, end)):
            self._short(name, slot.size, room, Text("it lies in {memory}", memory=allocation), *allocation.past())
            machine.consequences.taint(past_end)
        count = min(slot.size, room)
        self._sides[slot] = side = locate(
            machine, Address(slot.address), count, slot.role, write=slot.output, already_reported=True
        )
        return side.range(count)._replace(dtype=slot.dtype)

    def _short(self, name: Text, needed: int, room: int, where: str, *past: Past) -> None:
        text = Text(
            "{name} needs {needed} bytes, but only {room} are allocated from its address on: {where}.",
            name=name,
            needed=needed,
            room=room,
            where=where,
        )
        self.machine.undefined("storage-exceeds-alloc", text, *past)

    def _run(self) -> None:
        model, gear = self.model.model, self._gear()
        if model.run is None:
            text = (
                f"{self.model} is stated without a function. Give it one: "
                f"machine.models[{self.model.name!r}] = Model(inputs, outputs, run)"
            )
            raise DeviceFault(ACL_ERROR_RT_AICORE_EXCEPTION, Item("EZ2001", (text,)))
        shapes = self.request.shapes or model.input_shapes(gear)
        parameters = None
        if (index := model.dynamic_aipp) is not None:
            slot, tensor = self.request.inputs[-1], model.inputs[index]
            parameters = self._read(slot, (slot.size,), np.dtype(np.uint8))
            shapes = {**shapes, tensor.name: self._image_shape(parameters, tensor.shape[0], self.request.inputs[index])}
        arrays = {
            slot.name: self._read(slot, shapes[slot.name], model.dtype_of(tensor))
            for slot, tensor in zip(self.request.inputs, model.inputs, strict=False)  # the gear comes last
        }
        if parameters is not None:
            arrays[AIPP_INPUT] = parameters
        try:
            with np.errstate(all="ignore"):  # a device does not warn
                self.results = model.compute(arrays, gear)
        except (AclError, UndefinedBehaviour):
            raise
        except Exception as error:
            name = Text("the function {function} of {model}", function=called(model.run), model=self.model)
            raise kernel_raised(self.machine, name, error, hint=RETURN) from None
        self._write_results()

    def _gear(self) -> Gear:
        """The gear in its buffer."""
        gears = self.model.model.gears
        if gears is None:
            return ()
        slot = self.request.inputs[-1]
        raw = self._read(slot, (slot.size,), np.dtype(np.uint8)).tobytes()
        for kind in (np.int64, np.int32):  # the setters write 8 bytes for each value where the buffer has room
            width = gears.width * np.dtype(kind).itemsize
            if len(raw) >= width and (gear := tuple(np.frombuffer(raw[:width], kind).tolist())) in gears.values:
                return gear
        text = Text(
            "{model} is executed, but its input {input} holds none of the sizes that it was built for: {setter} was "
            "not called for the data set.",
            model=self.model,
            input=GEAR_INPUT,
            setter=gears.kind.value,
        )
        finding = self.machine.undefined("gear-not-set", text, *self.model.past())
        fault = DeviceFault(ACL_ERROR_RT_AICORE_EXCEPTION, Item("EZ2001", (text,)))
        self.machine.consequences.taint(fault, finding)
        raise fault

    def _image_shape(self, parameters: Array, batch: int, images: ModelBuffer) -> Shape:
        """The shape of the images that the parameters of dynamic AIPP state."""
        header = AippHeader.from_buffer_copy(parameters.tobytes())
        width, height = int(header.srcImageSizeW), int(header.srcImageSizeH)
        if header.inputFormat not in DYNAMIC or width <= 0 or height <= 0:
            text = f"the input {AIPP_INPUT} of {self.model} has no parameters: call aclmdlSetInputAIPP for the data set"
            raise DeviceFault(ACL_ERROR_RT_AICORE_EXCEPTION, Item("EZ2001", (text,)))
        shape = StaticAipp(DYNAMIC[header.inputFormat], height, width).shape(batch)
        if prod(shape) > images.size:
            text = f"{images.role} of {self.model} has {prod(shape)} bytes, its data buffer {images.declared}"
            raise DeviceFault(ACL_ERROR_RT_AICORE_EXCEPTION, Item("EZ2001", (text,)))
        return shape

    def _read(self, slot: ModelBuffer, shape: Shape, dtype: np.dtype[np.generic]) -> Array:
        """The array of an input. Bytes that are not there read as zeros; they were reported."""
        array = np.zeros(prod(shape) * dtype.itemsize, np.uint8)
        side = self._sides.get(slot)
        if side is not None and side.alive and array.size:
            exchange(self.machine, side, array[: side.available], write=False)
        return array.view(dtype).reshape(shape)

    def _write_results(self) -> None:
        """Write the outputs. "The output of a gear smaller than the largest fills only the leading bytes"."""
        for slot, result in zip(self.request.outputs, self.results, strict=True):
            if result.nbytes > slot.size and slot.address:  # only the run knows the size
                text = f"{slot.role} of {self.model} has {result.nbytes} bytes, its data buffer {slot.size}"
                raise DeviceFault(ACL_ERROR_RT_AICORE_EXCEPTION, Item("EZ2001", (text,)))
            side = self._sides.get(slot)
            if side is not None and side.alive and result.nbytes:
                raw = np.frombuffer(result.tobytes(), np.uint8)
                exchange(self.machine, side, raw[: side.available], write=True)
        if self.model.model.unknown:
            self._describe_results()

    def allocate_late(self) -> None:
        """Allocate and write the outputs whose sizes only the run knows."""
        machine, request = self.machine, self.request
        for index, buffer in request.late:
            if index < len(self.results) and (result := self.results[index]).nbytes:
                raw = np.frombuffer(result.tobytes(), np.uint8)
                address = Address(give_memory(buffer, raw.nbytes).address)
                side = locate(machine, address, raw.nbytes, request.outputs[index].role, write=True)
                machine.announce.host_used((side.range(raw.nbytes),))
                exchange(machine, side, raw, write=True)

    def _describe_results(self) -> None:
        """Replace the tensor descriptors of the outputs: only the run knows their sizes."""
        data_set = self.request.output_set
        if not data_set.ended:
            for i, (tensor, result) in enumerate(zip(self.model.model.outputs, self.results, strict=True)):
                set_descriptor(data_set, i, TensorDesc(tensor.dtype, result.shape, int(tensor.format)))

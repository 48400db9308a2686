"""The plan builder, on which an operator's planner queues the steps of a plan.

Nothing is computed here. A tensor is an `Operand`: a view of the memory of a user's tensor, or of a slot, which is an
intermediate in the workspace. After the planner, `finish` lays out the slots and assigns each operand to the tensor of
a role or to the workspace. The launch binds the plan to addresses. The run reads and writes device memory.
"""

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

from acl_runtime.errors import AclError
from acl_runtime.headers.dtype_names import bits, dtype_name
from acl_runtime.headers.dtypes import nbytes, numpy_dtype
from acl_runtime.headers.enums import aclDataType
from acl_runtime.memory.private_formats import Padded, Stored
from acl_runtime.memory.ranges import Use
from acl_runtime.objects.clock import BYTES_PER_US
from acl_runtime.objects.executor_life import Family
from acl_runtime.objects.handle_table import Tensor, is_contiguous, reach, row_major
from acl_runtime.objects.soc import Series, Soc
from aclnn.engine.declaration import Op
from aclnn.engine.operand import Operand
from aclnn.engine.parameters import Elements
from aclnn.engine.plan import (
    PACKED,
    PAIRED,
    Exchange,
    Kernel,
    Part,
    Plan,
    Role,
    Step,
    has_numbers,
    refused,
    role_name,
    same,
)
from aclnn.engine.steps.casts import converted, has_cast, stored_as_cast
from aclnn.engine.words.lacking import is_listed
from aclnn.engine.workspace import Intermediate, lay_out, share


class Queued(NamedTuple):
    """A step that the planner queued."""

    name: str
    kernel: Kernel
    inputs: tuple[Operand, ...]
    outputs: tuple[Operand, ...]
    attributes: dict[str, Any]
    moves: bool = False
    sized: tuple[int, ...] = ()
    exchange: Exchange | None = None


class PlanBuilder:
    """The steps of one call while it is planned."""

    def __init__(self, call: Op, soc: Soc) -> None:
        self.soc = soc
        self.steps: list[Queued] = []
        self.lacking = ""
        """description of a call without a kernel, whose launch returns 561003; else empty"""
        self.scratch = 0
        """bytes of workspace that the kernel of a generated operator uses itself"""
        self.idle = 0.0
        """simulated microseconds in which the task waits, beside the time for its tensors"""
        self._op = type(call)
        self._operator, self._family, self._in_place = call.c_name(), call.family, call.in_place
        self._aligned = call.level() == "exact"
        self._places = call.input_places, call.output_places
        self._slots: list[Intermediate] = []
        self._redirects: dict[Intermediate, Operand] = {}
        """outputs that replace intermediates"""
        self._made_contiguous: dict[Tensor, Operand] = {}
        self._reads: dict[Tensor, Stored | Padded] = {}
        """layouts of tensors that are read in FRACTAL_NZ"""
        self._leaves: dict[Tensor, Stored | Padded] = {}
        """layouts of tensors that are written in FRACTAL_NZ"""
        self._roles: list[Role] = []
        self._tensors: list[Tensor] = []
        """tensor of each role"""
        for place, param in enumerate(call.params):
            if isinstance(param, Elements) and param.in_use(call):
                self._add_roles(param, place, call.__dict__[param.name])
        for tensor in filter(None, self._tensors):  # a null member of a list has no shape
            if min(tensor.shape, default=0) < 0 and tensor.numel:
                reason = f"{self._role(tensor)} has a negative dimension, {list(tensor.shape)}"
                raise self.failed(f"Invalid input tensor: {reason}.")

    def _add_roles(self, param: Elements[Any], place: int, value: Tensor | tuple[Tensor, ...]) -> None:
        """Add the role of a tensor, or one role for each member of a list."""
        use = Use.READ if not param.writes else Use.UPDATE if param.reads else Use.WRITE
        if isinstance(value, Tensor):
            self._roles.append(Role(role_name(str(param), use), use, place))
            self._tensors.append(value)
            return
        for number, member in enumerate(value):
            self._roles.append(Role(role_name(f"{param}[{number}]", use), use, place, number))
            self._tensors.append(member)

    # operands and steps

    def contiguous(self, tensor: Tensor) -> Operand:
        """The tensor itself if it is row-major without gaps, else a dense copy in the workspace."""
        if tensor in self._made_contiguous:
            return self._made_contiguous[tensor]
        operand = self.written(tensor)
        if tensor.contiguous:
            operand.strides = row_major(tensor.shape)
        else:
            low, high = reach(tensor.shape, tensor.strides)
            room = prod(tensor.storage_shape)
            if tensor.offset + low < 0 or tensor.offset + high >= room:
                raise self.failed(
                    f"Invalid input tensor: ViewShape overlap. {self._role(tensor)} with shape {list(tensor.shape)}, "
                    f"strides {list(tensor.strides)} and offset {tensor.offset} reaches elements "
                    f"{tensor.offset + low} to {tensor.offset + high}; "
                    f"its storage {list(tensor.storage_shape)} has {room}."
                )
            if tensor.dtype in PACKED or not has_numbers(tensor.dtype):
                raise self.failed(f"Contiguous of {self._role(tensor)}, {dtype_name(tensor.dtype)}, is not supported.")
            operand = self._step("Contiguous", same, operand, tensor.dtype, moves=True)
        self._made_contiguous[tensor] = operand
        return operand

    def view(self, tensor: Tensor) -> Operand:
        """The tensor with its strides, for a kernel that takes a strided view. A view that exceeds its storage is
        refused, see `contiguous`."""
        low, high = reach(tensor.shape, tensor.strides)
        inside = tensor.offset + low >= 0 and tensor.offset + high < prod(tensor.storage_shape)
        if not inside or tensor.dtype in PACKED or not has_numbers(tensor.dtype):
            return self.contiguous(tensor)
        return self.written(tensor)

    def written(self, tensor: Tensor) -> Operand:
        """The view of an output, for a kernel that writes some elements. The other elements keep their values."""
        return Operand(tensor.shape, tensor.dtype, tensor.strides, tensor.offset, tensor)

    def alloc(self, shape: Sequence[int], dtype: int) -> Operand:
        """A new intermediate in the workspace."""
        slot = Intermediate(nbytes(prod(shape), dtype))
        self._slots.append(slot)
        return Operand(tuple(shape), dtype, row_major(tuple(shape)), 0, slot)

    def room(self, out: Tensor, most: Sequence[int]) -> Operand:
        """The memory of an output tensor for a dense result of at most this shape, which may differ from the
        tensor's."""
        return Operand(tuple(most), out.dtype, row_major(tuple(most)), out.offset, out)

    def launch(
        self, kernel: Kernel, inputs: Sequence[Operand], outputs: Sequence[Operand], *, moves: bool = False,
        sized: Sequence[int] = (), exchange: Exchange | None = None, **attributes: Any,
    ) -> None:  # fmt: skip
        """Queue a kernel. It gets `inputs` as arrays, with 16-bit floats widened to float32, and `attributes`. It
        returns one array, or one for each of `outputs`, which are rounded once to the outputs' data types.

        With `moves` the kernel only moves elements, and nothing is widened, so that no bit changes. `sized` are the
        numbers of the outputs with late shapes, which are operands of `room`. `exchange`: see `Step`."""
        in_tensors = all(isinstance(outputs[number].memory, Tensor) for number in sized)
        assert in_tensors, "only a tensor of the user has a late shape"
        name, operands = kernel.__name__, (tuple(inputs), tuple(outputs))
        self._add(Queued(name, kernel, *operands, attributes, moves, tuple(sized), exchange))

    def cast(self, x: Operand, dtype: int, of: str = "") -> Operand:
        """`x` cast to a data type by the rules of `aclnn.engine.numbers.casting`; `x` itself if it has this type. `of`
        is the parameter that is cast, for error texts."""
        if x.dtype == dtype:
            return x
        newest = self.soc.series is Series.A950
        if newest and not (has_numbers(x.dtype) and has_numbers(dtype)):
            return self._step("Cast", same, x, dtype)  # the library has this cast, but numpy has no such type
        if not has_cast(x.dtype, dtype, self.soc.series):
            name = of or (self._role(x.memory) if isinstance(x.memory, Tensor) else "")
            start = f"Cast of {name} from" if name else "Cast from"
            raise self.failed(f"{start} {dtype_name(x.dtype)} to {dtype_name(dtype)} is not supported.")
        if stored_as_cast(x.dtype, dtype):
            return self._step("Cast", same, x, dtype)
        return self._step("Cast", converted, x, dtype, target=dtype, series=self.soc.series)

    def reshape(self, x: Operand, shape: Sequence[int]) -> Operand:
        """A dense operand with another shape of the same number of elements."""
        if not is_contiguous(x.shape, x.strides) or prod(shape) != prod(x.shape):
            raise self.failed(f"Reshape from {list(x.shape)} to {list(shape)} failed.")
        return Operand(tuple(shape), x.dtype, row_major(tuple(shape)), x.offset, x.memory)

    def must_fit(self, shape: Sequence[int], out: Tensor) -> None:
        """Raise an error if a result of this shape cannot be copied to an output tensor."""
        if tuple(shape) != out.shape and not prod(shape) == out.numel == 1:
            shapes = f"{list(shape)} to {list(out.shape)} of {self._role(out)}"
            raise self.failed(f"ViewCopy from {shapes} failed: the shapes differ.")

    def view_copy(self, x: Operand, out: Tensor) -> None:
        """Copy `x` to an output tensor, through its strides. A dense output replaces `x` in the workspace ("x's storage
        is redirected into y"); otherwise a step copies."""
        self.must_fit(x.shape, out)
        if out.dtype in PACKED and not out.contiguous:
            name = f"{self._role(out)}, a strided tensor of {dtype_name(out.dtype)},"
            raise self.failed(f"ViewCopy to {name} is not supported.")
        if x.dtype != out.dtype:
            types = f"{dtype_name(x.dtype)} to {dtype_name(out.dtype)}"
            raise self.failed(f"ViewCopy from {types} of {self._role(out)} failed.")
        target = self.written(out)
        if isinstance(x.memory, Intermediate) and x.memory not in self._redirects and self.redirected(x.memory, out):
            target.strides = row_major(out.shape)
            self._redirects[x.memory] = target
        else:
            if x.shape != out.shape:
                x = self.reshape(x, out.shape)
            self._add(Queued("ViewCopy", same, (x,), (target,), {}, moves=True))

    def redirected(self, slot: Intermediate, out: Tensor) -> bool:
        """True if an output may replace this intermediate."""
        return out.contiguous

    def blocks(self, tensor: Tensor, stored: Stored | Padded, dtype: int, *, write: bool) -> Operand:
        """The memory of a tensor in a private format, as an operand with the shape of its blocks. `dtype` has the width
        of the tensor's data type."""
        (self._leaves if write else self._reads)[tensor] = stored
        shape = stored.storage_shape
        return Operand(shape, dtype, row_major(shape), tensor.offset, tensor)

    def failed(self, why: str) -> AclError:
        """The error of a step that cannot be planned: 561103."""
        return refused(self.soc, why)

    def _step(
        self, name: str, kernel: Kernel, x: Operand, dtype: int, *, moves: bool = False, **attributes: Any
    ) -> Operand:  # fmt: skip
        result = self.alloc(x.shape, dtype)
        self._add(Queued(name, kernel, (x,), (result,), attributes, moves))
        return result

    def _add(self, step: Queued) -> None:
        number = len(self.steps)
        self.steps.append(step)
        for operand in step.inputs:
            if isinstance(operand.memory, Intermediate):
                operand.memory.last = number
        for operand in step.outputs:
            if isinstance(operand.memory, Intermediate):
                operand.memory.first = operand.memory.first if operand.memory.first >= 0 else number
                operand.memory.last = number

    def _role(self, tensor: Tensor) -> str:
        roles = zip(self._roles, self._tensors, strict=True)
        return next((role.name for role, own in roles if own is tensor), str(tensor))

    # the finished plan

    @property
    def has_effect(self) -> bool:
        """True if a step writes an output of the user, or has no outputs because it is a check."""
        outputs = (operand for step in self.steps for operand in step.outputs)
        return (
            bool(self._redirects)
            or any(isinstance(operand.memory, Tensor) for operand in outputs)
            or not all(step.outputs for step in self.steps)
        )

    def finish(self, min_workspace: int) -> Plan:
        """Lay out the workspace and make the plan. A plan with steps needs at least `min_workspace` bytes.

        If no output of the user is written, because a mask turns all off, the steps are dropped. Operators with a class
        of their own keep the steps, as in their documents."""
        if self._op.from_facts and not self.lacking and not self.has_effect:
            self.steps, self._slots = [], []
        slots = [slot for slot in self._slots if slot not in self._redirects]
        copies = 0
        if self._family is Family.GENERATED:
            size = lay_out(slots, self.scratch)
            copies = size - self.scratch
        else:
            size = share(slots)
        steps = tuple([
            Step(step.name, step.kernel, tuple(map(self._part, step.inputs)), tuple(map(self._part, step.outputs)),
                 step.attributes, step.moves, step.sized, step.exchange)
            for step in self.steps
        ])  # fmt: skip
        used = {part.role for step in steps for part in (*step.inputs, *step.outputs)}
        used |= {self._role_of(output.memory) for output in self._redirects.values()}
        return Plan(
            self._operator,
            self._family,
            self.soc,
            tuple([self._with_formats(role, tensor) for role, tensor in zip(self._roles, self._tensors, strict=True)]),
            steps,
            tuple(number for number, tensor in enumerate(self._tensors) if self._tensors.index(tensor) in used),
            input_places=self._places[0],
            output_places=self._places[1],
            workspace_size=max(size, min_workspace) if steps else size,
            copies=copies,
            traffic=int(self.idle * BYTES_PER_US)
            + (sum(nbytes(tensor.numel, tensor.dtype) for tensor in self._tensors) if steps else 0),
            in_place=self._in_place,
            lacking=self.lacking or self._no_numbers(steps),
            aligned=self._aligned,
        )

    def _with_formats(self, role: Role, tensor: Tensor) -> Role:
        reads = self._reads.get(tensor) if role.use is not Use.WRITE else None
        leaves = self._leaves.get(tensor) if role.output else None
        return role if reads is None and leaves is None else role._replace(reads=reads, leaves=leaves)

    def _part(self, operand: Operand) -> Part:
        """The operand of a step: its layout in bytes, and its role in place of its tensor."""
        memory, offset, dtype = operand.memory, operand.offset, numpy_dtype(operand.dtype)
        if isinstance(memory, Intermediate) and (output := self._redirects.get(memory)) is not None:
            memory, offset = output.memory, offset + output.offset
        if operand.dtype in PACKED:
            if not is_contiguous(operand.shape, operand.strides):
                raise self.failed(f"A strided view of {dtype_name(operand.dtype)} is not supported.")
            start = memory.offset * 2 if isinstance(memory, Intermediate) else 0
            dtype = PACKED[aclDataType(operand.dtype)]
            return Part(self._role_of(memory), start + offset, operand.shape, operand.strides, operand.dtype, dtype)
        width = 1 if dtype is None else dtype.itemsize
        if operand.dtype in PAIRED:
            dtype, width = PAIRED[aclDataType(operand.dtype)], bits(operand.dtype) // 8
        # "size-1 dims ignored": their strides may overflow
        pairs = zip(operand.shape, operand.strides, strict=True)
        strides = tuple([(stride if size > 1 else 1) * width for size, stride in pairs])
        start = memory.offset if isinstance(memory, Intermediate) else 0
        return Part(self._role_of(memory), start + offset * width, operand.shape, strides, operand.dtype, dtype)

    def _no_numbers(self, steps: Sequence[Step]) -> str:
        """A text with the operator and the first data type that numpy lacks; empty if there is none. A type that the
        operator does not list is refused."""
        types = (part.acl_type for step in steps for part in (*step.inputs, *step.outputs) if part.dtype is None)
        data_type = next(types, None)
        if data_type is None:
            return ""
        text = f"{self._operator} in {dtype_name(data_type)}"
        if not is_listed(self._op, data_type, self.soc.series):
            raise self.failed(f"{text} is not supported.")
        return text

    def _role_of(self, memory: Tensor | Intermediate) -> int | None:
        """The number of the first role of a tensor; None for a slot."""
        return None if isinstance(memory, Intermediate) else self._tensors.index(memory)

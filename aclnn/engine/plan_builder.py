"""The plan builder: an operator's planner calls it, step by step, and out comes a plan.

Nothing is computed here. A tensor is an `Operand`: a view of a user tensor's memory or of a slot, an intermediate in
the workspace. When the planner is done, `finish` lays out the slots and says where each operand lies: in the tensor of
which role, or where in the workspace. The launch binds that to the addresses of its moment; the run reads and writes
device memory when the stream gets there.
"""

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

from acl_runtime.errors import AclError
from acl_runtime.headers.dtypes import bits, dtype_name, nbytes, numpy_dtype
from acl_runtime.headers.enums import aclDataType
from acl_runtime.memory.private_formats import Padded, Stored
from acl_runtime.memory.ranges import Use
from acl_runtime.objects.executor_life import Family
from acl_runtime.objects.handle_table import Tensor, is_contiguous, reach, row_major
from acl_runtime.objects.soc import Series, Soc
from aclnn.engine.declaration import Op
from aclnn.engine.operand import Operand
from aclnn.engine.parameters import Elements
from aclnn.engine.plan import (
    PACKED,
    PAIRED,
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
from aclnn.engine.workspace import Slot, lay_out, share


class Queued(NamedTuple):
    """A step that the planner asked for."""

    name: str
    kernel: Kernel
    inputs: tuple[Operand, ...]
    outputs: tuple[Operand, ...]
    attributes: dict[str, Any]
    moves: bool = False
    sized: tuple[int, ...] = ()


class PlanBuilder:
    """Collects the steps of one call."""

    def __init__(self, call: Op, soc: Soc) -> None:
        self.soc = soc
        self.steps: list[Queued] = []
        self.lacking = ""
        """what there is no kernel for: the operator. Then its launch returns 561003"""
        self.scratch = 0
        """bytes of workspace that the kernel of a generated operator asks for itself"""
        self._op = type(call)
        self._operator, self._family, self._in_place = call.c_name(), call.family, call.in_place
        self._aligned = call.level() == "exact"
        self._places = call.input_places, call.output_places
        self._slots: list[Slot] = []
        self._homes: dict[Slot, Operand] = {}
        self._made_contiguous: dict[Tensor, Operand] = {}
        self._reads: dict[Tensor, Stored | Padded] = {}
        self._leaves: dict[Tensor, Stored | Padded] = {}
        """tensors that are read, and written, in FRACTAL_NZ"""
        self._roles: list[Role] = []
        self._tensors: list[Tensor] = []
        """of each role"""
        for place, param in enumerate(call.params):
            if isinstance(param, Elements) and param.in_use(call):
                self._add_roles(param, place, call.__dict__[param.name])
        for tensor in filter(None, self._tensors):  # a null member of a list has no shape
            if min(tensor.shape, default=0) < 0 and tensor.numel:
                found = f"{self._role(tensor)} has a negative dimension, {list(tensor.shape)}"
                raise self.failed(f"Invalid input tensor: {found}.")

    def _add_roles(self, param: Elements[Any], place: int, value: Tensor | tuple[Tensor, ...]) -> None:
        """A tensor has one role, a list one for each of its members."""
        use = Use.READ if not param.writes else Use.UPDATE if param.reads else Use.WRITE
        if isinstance(value, Tensor):
            self._roles.append(Role(role_name(str(param), use), use, place))
            self._tensors.append(value)
            return
        for at, member in enumerate(value):
            self._roles.append(Role(role_name(f"{param}[{at}]", use), use, place, at))
            self._tensors.append(member)

    # what a plan is made of

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
        """The tensor as it lies: the kernel reads it through its strides. For a view that reaches out of its storage,
        as `contiguous`."""
        low, high = reach(tensor.shape, tensor.strides)
        inside = tensor.offset + low >= 0 and tensor.offset + high < prod(tensor.storage_shape)
        if not inside or tensor.dtype in PACKED or not has_numbers(tensor.dtype):
            return self.contiguous(tensor)
        return self.written(tensor)

    def written(self, tensor: Tensor) -> Operand:
        """The memory of a tensor as its view says, for a kernel that writes a part of an output; the rest stays."""
        return Operand(tensor.shape, tensor.dtype, tensor.strides, tensor.offset, tensor)

    def alloc(self, shape: Sequence[int], dtype: int) -> Operand:
        """A new intermediate in the workspace."""
        slot = Slot(nbytes(prod(shape), dtype))
        self._slots.append(slot)
        return Operand(tuple(shape), dtype, row_major(tuple(shape)), 0, slot)

    def room(self, out: Tensor, most: Sequence[int]) -> Operand:
        """The memory of an output tensor for a dense result of at most this shape, whatever the shape of the tensor."""
        return Operand(tuple(most), out.dtype, row_major(tuple(most)), out.offset, out)

    def launch(
        self, kernel: Kernel, inputs: Sequence[Operand], outputs: Sequence[Operand], *, moves: bool = False,
        sized: Sequence[int] = (), **attributes: Any,
    ) -> None:  # fmt: skip
        """Queue a kernel. It gets `inputs` as arrays, 16-bit floats widened to float32, and `attributes`; it returns
        an array, or one for each of `outputs`, and these are rounded once to the outputs' data types. `moves`: the
        kernel only moves elements. Then nothing is widened, so that every bit stays. `sized`: the numbers of those
        outputs whose shape is known only when the kernel has run. They are made by `room`."""
        assert all(isinstance(outputs[at].memory, Tensor) for at in sized), "only a tensor of the user has a late shape"
        self._add(Queued(kernel.__name__, kernel, tuple(inputs), tuple(outputs), attributes, moves, tuple(sized)))

    def cast(self, x: Operand, dtype: int, of: str = "") -> Operand:
        """`x` in another data type, by the rules of `aclnn.engine.numbers.casting`: `x` itself if it has that. `of`:
        the parameter that it is cast from or to, for error texts."""
        if x.dtype == dtype:
            return x
        newest = self.soc.series is Series.A950
        if newest and not (has_numbers(x.dtype) and has_numbers(dtype)):
            return self._step("Cast", same, x, dtype)  # the library has it, and this emulator has no such numbers
        if not has_cast(x.dtype, dtype, self.soc.series):
            name = of or (self._role(x.memory) if isinstance(x.memory, Tensor) else "")
            lead = f"Cast of {name} from" if name else "Cast from"
            raise self.failed(f"{lead} {dtype_name(x.dtype)} to {dtype_name(dtype)} is not supported.")
        if stored_as_cast(x.dtype, dtype):
            return self._step("Cast", same, x, dtype)
        return self._step("Cast", converted, x, dtype, target=dtype, series=self.soc.series)

    def reshape(self, x: Operand, shape: Sequence[int]) -> Operand:
        """A dense operand under another shape of as many elements."""
        if not is_contiguous(x.shape, x.strides) or prod(shape) != prod(x.shape):
            raise self.failed(f"Reshape from {list(x.shape)} to {list(shape)} failed.")
        return Operand(tuple(shape), x.dtype, row_major(tuple(shape)), x.offset, x.memory)

    def must_fit(self, shape: Sequence[int], out: Tensor) -> None:
        """A result of this shape can be brought into an output tensor."""
        if tuple(shape) != out.shape and not prod(shape) == out.numel == 1:
            found = f"{list(shape)} to {list(out.shape)} of {self._role(out)}"
            raise self.failed(f"ViewCopy from {found} failed: the shapes differ.")

    def view_copy(self, x: Operand, out: Tensor) -> None:
        """Bring `x` into an output tensor, through its strides. A dense output takes the place of `x` in the
        workspace ("x's storage is redirected into y"); otherwise a step copies."""
        self.must_fit(x.shape, out)
        if out.dtype in PACKED and not out.contiguous:
            found = f"{self._role(out)}, a strided tensor of {dtype_name(out.dtype)},"
            raise self.failed(f"ViewCopy to {found} is not supported.")
        if x.dtype != out.dtype:
            types = f"{dtype_name(x.dtype)} to {dtype_name(out.dtype)}"
            raise self.failed(f"ViewCopy from {types} of {self._role(out)} failed.")
        target = self.written(out)
        if isinstance(x.memory, Slot) and x.memory not in self._homes and self.redirected(x.memory, out):
            target.strides = row_major(out.shape)
            self._homes[x.memory] = target
        else:
            if x.shape != out.shape:
                x = self.reshape(x, out.shape)
            self._add(Queued("ViewCopy", same, (x,), (target,), {}, moves=True))

    def redirected(self, slot: Slot, out: Tensor) -> bool:
        """May an output take the place of this intermediate?"""
        return out.contiguous

    def blocks(self, tensor: Tensor, stored: Stored | Padded, dtype: int, *, write: bool) -> Operand:
        """The memory of a tensor in a private format: an operand with the shape of its blocks. `dtype` has the width of
        the tensor's."""
        (self._leaves if write else self._reads)[tensor] = stored
        shape = stored.storage_shape
        return Operand(shape, dtype, row_major(shape), tensor.offset, tensor)

    def failed(self, why: str) -> AclError:
        """A step cannot be planned: 561103."""
        return refused(self.soc, why)

    def _step(
        self, name: str, kernel: Kernel, x: Operand, dtype: int, *, moves: bool = False, **attributes: Any
    ) -> Operand:  # fmt: skip
        result = self.alloc(x.shape, dtype)
        self._add(Queued(name, kernel, (x,), (result,), attributes, moves))
        return result

    def _add(self, step: Queued) -> None:
        at = len(self.steps)
        self.steps.append(step)
        for operand in step.inputs:
            if isinstance(operand.memory, Slot):
                operand.memory.last = at
        for operand in step.outputs:
            if isinstance(operand.memory, Slot):
                operand.memory.first = operand.memory.first if operand.memory.first >= 0 else at
                operand.memory.last = at

    def _role(self, tensor: Tensor) -> str:
        named = zip(self._roles, self._tensors, strict=True)
        return next((role.name for role, used in named if used is tensor), str(tensor))

    # the plan is done

    @property
    def lasts(self) -> bool:
        """Is anything left of the steps: an output of the user's, or what a step without outputs finds?"""
        outputs = (operand for step in self.steps for operand in step.outputs)
        return (
            bool(self._homes)
            or any(isinstance(each.memory, Tensor) for each in outputs)
            or not all(step.outputs for step in self.steps)
        )

    def finish(self, least: int) -> Plan:
        """Lay out the workspace; a plan with steps asks for `least` bytes or more. Steps that write no output of the
        user's are left out: a mask may turn all outputs off. (The documents of the exact operators queue them.)"""
        if self._op.from_facts and not self.lacking and not self.lasts:
            self.steps, self._slots = [], []
        kept = [slot for slot in self._slots if slot not in self._homes]
        copies = 0
        if self._family is Family.GENERATED:
            size = lay_out(kept, self.scratch)
            copies = size - self.scratch
        else:
            size = share(kept)
        steps = tuple([
            Step(each.name, each.kernel, tuple(map(self._part, each.inputs)), tuple(map(self._part, each.outputs)),
                 each.attributes, each.moves, each.sized)
            for each in self.steps
        ])  # fmt: skip
        used = {part.role for step in steps for part in (*step.inputs, *step.outputs)}
        used |= {self._role_of(home.memory) for home in self._homes.values()}
        return Plan(
            self._operator,
            self._family,
            self.soc,
            tuple([self._with_formats(role, tensor) for role, tensor in zip(self._roles, self._tensors, strict=True)]),
            steps,
            tuple(at for at, tensor in enumerate(self._tensors) if self._tensors.index(tensor) in used),
            input_places=self._places[0],
            output_places=self._places[1],
            workspace_size=max(size, least) if steps else size,
            copies=copies,
            traffic=sum(nbytes(tensor.numel, tensor.dtype) for tensor in self._tensors) if steps else 0,
            in_place=self._in_place,
            lacking=self.lacking or self._no_numbers(steps),
            aligned=self._aligned,
        )

    def _with_formats(self, role: Role, tensor: Tensor) -> Role:
        reads = self._reads.get(tensor) if role.use is not Use.WRITE else None
        leaves = self._leaves.get(tensor) if role.output else None
        return role if reads is None and leaves is None else role._replace(reads=reads, leaves=leaves)

    def _part(self, operand: Operand) -> Part:
        """The operand in bytes, without its tensor: in that of a role, or in the workspace."""
        memory, offset, dtype = operand.memory, operand.offset, numpy_dtype(operand.dtype)
        if isinstance(memory, Slot) and (home := self._homes.get(memory)) is not None:
            memory, offset = home.memory, offset + home.offset
        if operand.dtype in PACKED:
            if not is_contiguous(operand.shape, operand.strides):
                raise self.failed(f"A strided view of {dtype_name(operand.dtype)} is not supported.")
            start = memory.offset * 2 if isinstance(memory, Slot) else 0
            dtype = PACKED[aclDataType(operand.dtype)]
            return Part(self._role_of(memory), start + offset, operand.shape, operand.strides, operand.dtype, dtype)
        width = 1 if dtype is None else dtype.itemsize
        if operand.dtype in PAIRED:
            dtype, width = PAIRED[aclDataType(operand.dtype)], bits(operand.dtype) // 8
        # "size-1 dims ignored": their strides may be such that nobody can count in them
        pairs = zip(operand.shape, operand.strides, strict=True)
        strides = tuple([(stride if size > 1 else 1) * width for size, stride in pairs])
        start = memory.offset if isinstance(memory, Slot) else 0
        return Part(self._role_of(memory), start + offset * width, operand.shape, strides, operand.dtype, dtype)

    def _no_numbers(self, steps: Sequence[Step]) -> str:
        """The operator with the data type that this emulator has no numbers for, if a step has one. No step takes a
        type that the operator does not list."""
        types = (part.acl_type for step in steps for part in (*step.inputs, *step.outputs) if part.dtype is None)
        found = next(types, None)
        if found is None:
            return ""
        what = f"{self._operator} in {dtype_name(found)}"
        if not is_listed(self._op, found, self.soc.series):
            raise self.failed(f"{what} is not supported.")
        return what

    def _role_of(self, memory: Tensor | Slot) -> int | None:
        """The first role that has the tensor; None in the workspace."""
        return None if isinstance(memory, Slot) else self._tensors.index(memory)

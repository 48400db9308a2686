"""The plan, the result of a first phase: the steps of an operator over its tensors and its workspace.

A plan depends on the data types, shapes and values of a call, not on its addresses or handles. It identifies a tensor
by the number of its parameter, so similar calls share one plan. An executor is a plan with the tensors of one call.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from math import prod
from typing import Any, Final, NamedTuple, cast

import numpy as np

from acl_runtime.collective.ranks import Communicator
from acl_runtime.errors import AclError
from acl_runtime.headers.dtype_names import bits
from acl_runtime.headers.dtypes import Array, numpy_dtype
from acl_runtime.headers.enums import aclDataType
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACLNN_ERR_INNER_NULLPTR
from acl_runtime.memory.private_formats import Padded, Stored
from acl_runtime.memory.ranges import Use
from acl_runtime.objects.executor_life import Executor, Family
from acl_runtime.objects.handle_table import DESTROYED, Contents, Handles, Scalar, Tensor, Thing, ThingList
from acl_runtime.objects.soc import Soc
from acl_runtime.source.site import Trail
from acl_runtime.text import Text
from aclnn.engine.numbers.promotion import is_float
from aclnn.engine.numbers.scalars import PassedScalar
from aclnn.engine.steps.parts import QUICK, in_parts, repeatable, takes_out

Kernel = Callable[..., Any]
MIN_ELEMENTS_FOR_FAST_ENGINE: Final = 1 << 12
"""elements of the largest tensor from which the fast engine is faster than numpy; a quarter for elements of two bytes,
as numpy converts them slowly"""
TILED: Final = frozenset({aclDataType.ACL_FLOAT, aclDataType.ACL_FLOAT16, aclDataType.ACL_BF16})
"""floats that the fast engine supports"""


PACKED: Final = {aclDataType.ACL_INT4: np.dtype(np.int8)}
"""data types with two elements in a byte, and the type of their unpacked elements"""
PAIRED: Final = {aclDataType.ACL_COMPLEX32: np.dtype(np.complex64)}
"""data types of pairs of float16, and the type of their elements in arithmetic"""


def has_numbers(data_type: int) -> bool:
    """True if numpy or the emulator has an array type for the elements."""
    return numpy_dtype(data_type) is not None or data_type in PACKED or data_type in PAIRED


class Part(NamedTuple):
    """An input or output of a step: a view of the memory of a user's tensor, or of the workspace. Offset and strides
    are in bytes."""

    role: int | None
    """number of the role whose tensor has the memory; None: the workspace"""
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    acl_type: int
    dtype: np.dtype[Any] | None
    """type in numpy. For a packed type it is that of the unpacked elements, and offset and strides count half bytes.
    None if numpy has no type: offset and strides count elements, and the launch is refused"""

    @property
    def packed(self) -> bool:
        """True if two elements share a byte."""
        return self.acl_type in PACKED

    @property
    def paired(self) -> bool:
        """True if an element is a pair of float16, which `dtype` widens."""
        return self.acl_type in PAIRED


class Exchange(NamedTuple):
    """The meeting of a step with the same step of the other ranks of a communicator: each gets the inputs of all."""

    communicator: Communicator
    equal: dict[str, tuple[int, ...]]
    """values that have to be equal on all ranks, by their names"""
    sends: tuple[int, ...] = ()
    receives: tuple[int, ...] = ()
    """rows for each rank, and from each rank, where the ranks choose these numbers on their own"""


class Step(NamedTuple):
    """A call of a kernel. The kernel gets its inputs widened to float32. Its results are rounded into the outputs."""

    name: str
    kernel: Kernel
    inputs: tuple[Part, ...]
    outputs: tuple[Part, ...]
    attributes: dict[str, Any]
    moves: bool = False
    """true if the kernel only moves elements, which are not widened"""
    sized: tuple[int, ...] = ()
    """numbers of the outputs with late shapes"""
    exchange: Exchange | None = None
    """the meeting before the kernel runs. The kernel gets a list with the inputs of each rank, which are not widened"""


def role_name(param: str, use: Use = Use.READ) -> str:
    """The role of a tensor in a finding, such as "input `self`". The name is quoted, as many names are plain words."""
    if use is Use.READ:
        return Text("input `{quoted}`", quoted=param)
    if use is Use.WRITE:
        return Text("output `{quoted}`", quoted=param)
    return Text("in-place tensor `{quoted}`", quoted=param)


class Role(NamedTuple):
    """The role of a tensor in a call."""

    name: str
    """name for findings, see `role_name`"""
    use: Use
    place: int
    """number of the parameter in the first phase"""
    member: int | None = None
    """number of the tensor in a list"""
    reads: Stored | Padded | None = None
    """layout of its elements, if the steps read it in FRACTAL_NZ"""
    leaves: Stored | Padded | None = None
    """layout of its elements, if the steps write it in FRACTAL_NZ"""

    @property
    def output(self) -> bool:
        """True if the call writes the tensor."""
        return self.use is not Use.READ

    def tensor(self, things: Sequence[Any]) -> Tensor:
        """The tensor in this role. `things` are the values of a call."""
        value = things[self.place]
        return value if self.member is None else value[self.member]


def copies_elements(kernel: Kernel) -> Kernel:
    """Mark a kernel whose result has elements of its inputs, and constants, at places that depend on no value."""
    kernel.copies_elements = True  # type: ignore[attr-defined]
    return kernel


@repeatable
@copies_elements
@in_parts(times=QUICK)
def same(x: Array) -> Array:
    """The kernel of copies."""
    return x


def in_memory(kernel: Kernel) -> Kernel:
    """Mark a kernel that works in memory. The kernel gets arrays over the memory of its inputs, without widening. It
    writes its results to `out`, the array of its output or a list of arrays. It widens and rounds part by part, so that
    temporaries are small."""
    kernel.in_memory = True  # type: ignore[attr-defined]
    return kernel


def works_in_memory(kernel: Kernel) -> bool:
    """True for a kernel that `in_memory` marks."""
    return getattr(kernel, "in_memory", False)


def _cost(part: Part) -> int:
    """Number of elements. Elements of two bytes count four times."""
    return prod(part.shape) * (4 if bits(part.acl_type) == 16 else 1)


def _is_traceable(step: Step) -> bool:
    """True if the fast engine can trace the step. numpy converts between floats, and between integers, as a device
    does. A copy is traceable, but a launch of nothing but copies does not use the fast engine."""
    read, written = ({part.acl_type for part in parts} for parts in (step.inputs, step.outputs))
    same_conversion = written <= TILED or not any(is_float(data_type) for data_type in read | written)
    packed = any(part.packed or part.paired for part in (*step.inputs, *step.outputs))
    has_memory = works_in_memory(step.kernel) or takes_out(step.kernel)
    is_formula = (not step.moves or step.kernel is same) and not has_memory
    return is_formula and not (step.sized or packed or step.exchange) and same_conversion


def _copies(step: Step) -> bool:
    """True if the step only copies elements."""
    parts = *step.inputs, *step.outputs
    simple = not (step.sized or step.exchange or any(part.packed or part.paired for part in parts))
    return simple and len({part.dtype for part in parts}) == 1 and getattr(step.kernel, "copies_elements", False)


class Plan:
    """The plan of a call. Similar calls share a plan, which never changes."""

    def __init__(
        self,
        operator: str,
        family: Family,
        soc: Soc,
        roles: tuple[Role, ...],
        steps: tuple[Step, ...],
        used: tuple[int, ...],
        *,
        input_places: tuple[int, ...],
        output_places: tuple[int, ...],
        workspace_size: int,
        copies: int,
        traffic: int,
        in_place: bool = True,
        lacking: str = "",
        aligned: bool = True,
    ) -> None:
        self.operator = operator
        self.family = family
        self.composite = family is Family.COMPOSITE
        self.soc = soc
        self.roles = roles
        self._places = [role.place for role in roles]
        self._lists = any(role.member is not None for role in roles)
        self.input_places, self.output_places = input_places, output_places
        """numbers of the parameters whose tensors are read, and whose tensors are written"""
        self.steps = steps
        self.used = used
        """numbers of the roles that the steps use"""
        self.workspace_size = workspace_size
        self.copies = copies
        """bytes of the workspace for copies of non-contiguous inputs"""
        self.traffic = traffic
        """bytes of the tensors that a run reads and writes"""
        self.in_place = in_place
        """true if an output may have exactly the view of an input"""
        self.lacking = lacking
        """description of the operator, calls or data type without a kernel; empty if there is a kernel"""
        self.aligned = aligned
        """true if the operator's document demands that tensors start at multiples of 32 bytes"""
        self.sized = tuple(dict.fromkeys([step.outputs[number].role or 0 for step in steps for number in step.sized]))
        """numbers of the roles whose tensors have late shapes"""
        self.meets = next((number for number, step in enumerate(steps) if step.exchange is not None), None)
        """number of the step with an exchange; None if there is none"""
        computes = any(not step.moves for step in steps)
        costs = [max([_cost(part) for part in (*step.inputs, *step.outputs)], default=0) for step in steps]
        self.has_large_tensor = max(costs, default=0) >= MIN_ELEMENTS_FOR_FAST_ENGINE
        """true if some tensor has MIN_ELEMENTS_FOR_FAST_ENGINE elements or more"""
        # Each step is traced separately, which is slow for many small tensors (Foreach). So the mean cost is decisive.
        large_mean = self.has_large_tensor and sum(costs) >= MIN_ELEMENTS_FOR_FAST_ENGINE * len(steps)
        self.copies_elements = all(map(_copies, steps)) and all(roles[number].use is not Use.UPDATE for number in used)
        """true if the steps only copy elements"""
        self.suits_fast_engine = large_mean and computes and all(map(_is_traceable, steps))
        """true if the fast engine can run the plan, and is faster than numpy"""
        self.has_placeholders = any(type(value) is PassedScalar for step in steps for value in step.attributes.values())
        """true if some attributes are filled in at launch"""
        self.bindings: dict[tuple[object, ...], Any] = {}
        """cache of bindings by address; only `aclnn.engine.memo` uses it"""

    def held(self, things: Sequence[Any]) -> list[Tensor]:
        """The tensors of the roles. `things` are the values of a call."""
        if self._lists:
            return [role.tensor(things) for role in self.roles]
        return [things[place] for place in self._places]


class PlannedExecutor(Executor):
    """The executor of a call: its plan and its tensors. The first phase makes it, and the second phase launches it."""

    call: "NativeCall | None" = None
    """the call of a C program, if its objects are made later (see `LazyExecutor`)"""

    def __init__(self, plan: Plan, things: Sequence[Any], held: Sequence[Tensor], thread: str, trail: Trail) -> None:
        """`things` are the values of the call, with objects in place of handles. `held` are the tensors of the plan's
        roles. `thread` planned it."""
        self._made = trail  # `super().__init__` is slow, and every call makes an executor
        self.operator, self.family, self.thread = plan.operator, plan.family, thread
        self.repeatable = False
        self.plan = plan
        self.users: Sequence[Tensor] = held
        self.held: Sequence[Tensor] = held
        self.workspace_size = plan.workspace_size
        self.things = things

    @property
    def scalar_values(self) -> tuple[Hashable, ...]:
        """The values of the scalars of this call."""
        values: list[Hashable] = []
        for thing in self.things:
            members = cast("tuple[object, ...]", thing) if isinstance(thing, tuple) else (thing,)
            values += [member.content() for member in members if isinstance(member, Scalar)]
        return tuple(values)

    @property
    def inputs(self) -> list[Tensor | None]:
        """The tensors that the call reads, in the order of the prototype; None for a null tensor."""
        return [tensor for parameter in self.input_parameters for tensor in parameter]

    @property
    def outputs(self) -> list[Tensor | None]:
        """The tensors that the call writes, in the order of the prototype; None for a null tensor."""
        return [tensor for parameter in self.output_parameters for tensor in parameter]

    @property
    def input_parameters(self) -> "Sequence[Sequence[Tensor | None]]":
        return [self._members(place) for place in self.plan.input_places]

    @property
    def output_parameters(self) -> "Sequence[Sequence[Tensor | None]]":
        return [self._members(place) for place in self.plan.output_places]

    def _members(self, place: int) -> tuple[Tensor | None, ...]:
        """The tensors of a parameter: the members of a list, or a single tensor."""
        value: Tensor | tuple[Tensor, ...] | None = self.things[place]
        return value if isinstance(value, tuple) else (value,)

    @property
    def used(self) -> list[tuple[Role, Tensor]]:
        """The tensors that the steps use."""
        return [(self.plan.roles[number], self.held[number]) for number in self.plan.used]

    def capture(self) -> None:
        """Keep the current addresses of the tensors, as generated operators do."""
        copies: dict[Tensor, Tensor] = {tensor: tensor.snapshot() for tensor in self.held}
        self.things = [_captured(copies, thing) for thing in self.things]
        self.held = [copies[tensor] for tensor in self.held]

    def ends(self, end: tuple[str, str, Trail]) -> None:
        """End the executor and drop its tensors. The table of dead handles keeps it, but not its tensors."""
        self.gone = end
        self.users = self.held = ()
        self.things = (None,) * len(self.things)


class LazyExecutor(PlannedExecutor):
    """The executor of a call on descriptors that the library of a C program made. It has the numbers of the
    descriptors. Their objects are made at the first use, and a launch that is found in a cache needs none."""

    def __init__(self, plan: Plan, call: "NativeCall", thread: str, made: Trail) -> None:
        self._made = made  # as in `PlannedExecutor`
        self.operator, self.family, self.thread = plan.operator, plan.family, thread
        self.plan, self.workspace_size = plan, plan.workspace_size
        self.call = call
        self._things: Sequence[Any] | None = None

    @property
    def things(self) -> Sequence[Any]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The values of the call, with objects in place of handles."""
        if self._things is None:
            self._things = () if self.call is None else self.call.things()
        return self._things

    @property
    def held(self) -> Sequence[Tensor]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The tensors of the plan's roles."""
        return () if self.call is None else self.plan.held(self.things)

    @property
    def users(self) -> Sequence[Tensor]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The tensors of `held`: an operator that copies its tensors has no lazy executor."""
        return self.held

    def ends(self, end: tuple[str, str, Trail]) -> None:
        self.gone = end
        self._things = () if self.call is None else (None,) * self.call.count
        self.call = None


class NativeCall:
    """A call whose handles are descriptors of the library of a C program. `call[place]` is the value at a place, with
    objects in place of handles, which are made when they are asked for."""

    __slots__ = ("_given", "_handles", "_known", "_places", "_values", "copies", "count", "numbers")

    def __init__(
        self, handles: Handles, places: Sequence[int], numbers: bytes, count: int, values: Callable[[], tuple[Any, ...]]
    ) -> None:
        """`numbers`: the handles. `places`: their positions in the `values`, the `count` arguments before
        workspaceSize."""
        self.copies = b""
        """the scalars and lists as in `Contents.copies`"""
        self._handles, self._places, self._values = handles, places, values
        self._given: tuple[Any, ...] | None = None
        self._known: dict[int, Any] = {}
        self.numbers, self.count = numbers, count

    def contents(self) -> Contents | None:
        """See `NativeHandles.contents`."""
        return None if self._handles.native is None else self._handles.native.contents(self.numbers)

    def launched(self) -> tuple[bytes, bytes] | None:
        """See `NativeHandles.launched`."""
        return None if self._handles.native is None else self._handles.native.launched(self.numbers)

    def __getitem__(self, place: int) -> Any:
        if place not in self._known:
            if self._given is None:
                self._given = self._values()
            value = self._given[place]
            if place in self._places:
                value = self._object(value)
            self._known[place] = tuple(map(self._object, value.members)) if isinstance(value, ThingList) else value
        return self._known[place]

    def things(self) -> list[Any]:
        """The values with objects in place of handles."""
        return [self[place] for place in range(self.count)]

    def _object(self, number: int) -> Thing | None:
        return (self._handles.either(number) or self._forgotten(number)) if number else None

    def _forgotten(self, number: int) -> Thing:
        """An object that was destroyed so long ago that its record is dropped. The call keeps its scalars and lists."""
        native = self._handles.native
        thing = native.copies(self.copies).get(number) if native is not None else None
        return thing or _forgotten(number)


class LazyExecutors:
    """Makes the executors of a plan for calls that the library of a C program served. It implements
    `acl_runtime.objects.handle_table.ExecutorMaker`."""

    def __init__(self, plan: Plan, handles: Handles, places: Sequence[int], count: int) -> None:
        """`places`: positions of the handles among the `count` arguments before workspaceSize."""
        self.places = places
        self._plan, self._handles, self._count = plan, handles, count

    def __call__(
        self, handles: bytes, values: Callable[[], tuple[Any, ...]], copies: bytes, thread: str, creation: Trail
    ) -> LazyExecutor:
        call = NativeCall(self._handles, self.places, handles, self._count, values)
        call.copies = copies
        return LazyExecutor(self._plan, call, thread, creation)


def _forgotten(number: int) -> Tensor:
    """A destroyed tensor whose record is dropped: only its handle is known."""
    tensor = Tensor((), 0, (), 0, 0, (), 0, creation=())
    tensor.number, tensor.gone = number, ("", DESTROYED, ())
    return tensor


def _captured(copies: Mapping[Tensor, Tensor], thing: Any) -> Any:
    """A value of a call, with copies in place of its tensors."""
    if isinstance(thing, tuple):
        return tuple([_captured(copies, member) for member in cast("tuple[Any, ...]", thing)])
    return copies.get(thing, thing) if isinstance(thing, Tensor) else thing


def refused(soc: Soc, why: str) -> AclError:
    """The error of a step that cannot be planned: 561103."""
    return AclError(ACLNN_ERR_INNER_NULLPTR, Item("EZ9999", (f"{why} (SoC: {soc.label})",)))

"""A plan is the result of a first phase: the steps of an operator over its tensors and its workspace.

A plan follows from the data types, shapes and values of a call, not from its addresses or handles. It names the tensors
by the places of the parameters, so calls that are alike share one plan. An executor is a plan with the tensors of one
call.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from math import prod
from typing import Any, Final, NamedTuple, cast

import numpy as np

from acl_runtime.errors import AclError
from acl_runtime.headers.dtypes import Array, bits, numpy_dtype
from acl_runtime.headers.enums import aclDataType
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACLNN_ERR_INNER_NULLPTR
from acl_runtime.memory.private_formats import Padded, Stored
from acl_runtime.memory.ranges import Use
from acl_runtime.objects.executor_life import Executor, Family
from acl_runtime.objects.handle_table import Scalar, Tensor
from acl_runtime.objects.soc import Soc
from acl_runtime.source.site import Trail
from aclnn.engine.numbers.promotion import is_float
from aclnn.engine.numbers.scalars import PassedScalar
from aclnn.engine.steps.parts import in_parts

Kernel = Callable[..., Any]
LEAST: Final = 1 << 12
"""elements of the largest tensor of a call from which it pays to compute in tiles; a quarter of that in two bytes, as
their conversion is what numpy is slow at"""
TILED: Final = frozenset({aclDataType.ACL_FLOAT, aclDataType.ACL_FLOAT16, aclDataType.ACL_BF16})
"""the floats that can be computed in tiles"""


PACKED: Final = {aclDataType.ACL_INT4: np.dtype(np.int8)}
"""data types with two elements in a byte, and the type that their elements are unpacked to"""
PAIRED: Final = {aclDataType.ACL_COMPLEX32: np.dtype(np.complex64)}
"""data types of pairs of float16, and the type that their elements are computed in"""


def has_numbers(data_type: int) -> bool:
    """Can a kernel have the elements as an array of numbers?"""
    return numpy_dtype(data_type) is not None or data_type in PACKED or data_type in PAIRED


class Part(NamedTuple):
    """A tensor as a step sees it: a view of the memory of a user's tensor, or of the workspace; offset and strides in
    bytes."""

    role: int | None
    """the role of the tensor that it lies in; None: it lies in the workspace"""
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    acl_type: int
    dtype: np.dtype[Any] | None
    """None where numpy has no such type: then offset and strides count elements, and the launch is refused. Of a packed
    type: that of the unpacked elements; offset and strides count half bytes"""

    @property
    def packed(self) -> bool:
        """Do two elements share a byte?"""
        return self.acl_type in PACKED

    @property
    def paired(self) -> bool:
        """Is an element a pair of float16, which `dtype` widens?"""
        return self.acl_type in PAIRED


class Step(NamedTuple):
    """One kernel: it gets its inputs widened to float32 and returns what its outputs are rounded from."""

    name: str
    kernel: Kernel
    inputs: tuple[Part, ...]
    outputs: tuple[Part, ...]
    attributes: dict[str, Any]
    moves: bool = False
    """does the kernel only move elements? Then it gets them as they are"""
    sized: tuple[int, ...] = ()
    """the numbers of those outputs whose shape is known only when the step has run"""


def role_name(param: str, use: Use = Use.READ) -> str:
    """The role of a tensor in a finding: input `self`, output `out`. The name is quoted, as many are plain words."""
    return f"{_KINDS[use]} `{param}`"


_KINDS: Final = {Use.READ: "input", Use.WRITE: "output", Use.UPDATE: "in-place tensor"}


class Role(NamedTuple):
    """A tensor that a call uses."""

    name: str
    """as `role_name` has it"""
    use: Use
    place: int
    """which parameter of the first phase it is"""
    member: int | None = None
    """which member of a list it is"""
    reads: Stored | Padded | None = None
    """how its elements lie, if the steps read it in FRACTAL_NZ"""
    leaves: Stored | Padded | None = None
    """how its elements lie, if the steps write it in FRACTAL_NZ"""

    @property
    def output(self) -> bool:
        """Is it written?"""
        return self.use is not Use.READ

    def tensor(self, things: Sequence[Any]) -> Tensor:
        """The tensor in this role, of the values of a call."""
        value = things[self.place]
        return value if self.member is None else value[self.member]


@in_parts()
def same(x: Array) -> Array:
    """The kernel of steps that copy."""
    return x


def in_memory(kernel: Kernel) -> Kernel:
    """Let a kernel work in memory: it gets its inputs as they lie there, floats of 16 bits too, and `out`, the array of
    its output, or a list of them if there are several. It writes these itself. It widens, rounds and needs memory of
    its own in parts, not as a whole."""
    kernel.in_memory = True  # type: ignore[attr-defined]
    return kernel


def works_in_memory(kernel: Kernel) -> bool:
    """Is it such a kernel?"""
    return getattr(kernel, "in_memory", False)


def _weight(part: Part) -> int:
    """Its elements; those of two bytes count four times."""
    return prod(part.shape) * (4 if bits(part.acl_type) == 16 else 1)


def _fits_tiles(step: Step) -> bool:
    """May it be computed in tiles? Between floats, and between integers, numpy converts as a device does. A copy may,
    although it moves: a launch that only moves does not come to tiles."""
    read, written = ({part.acl_type for part in parts} for parts in (step.inputs, step.outputs))
    between = written <= TILED or not any(is_float(each) for each in read | written)
    packed = any(part.packed or part.paired for part in (*step.inputs, *step.outputs))
    written_down = (not step.moves or step.kernel is same) and not works_in_memory(step.kernel)
    return written_down and not (step.sized or packed) and between


class Plan:
    """The plan of a call. Calls that are alike share one; it never changes."""

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
        """which parameters are tensors that are read, and written"""
        self.steps = steps
        self.used = used
        """the roles that the steps use"""
        self.workspace_size = workspace_size
        self.copies = copies
        """bytes of the workspace for copies of non-contiguous inputs"""
        self.traffic = traffic
        """bytes of the tensors that a run reads and writes"""
        self.in_place = in_place
        """may an output be exactly an input?"""
        self.lacking = lacking
        """what there is no kernel for: the operator, or a data type of it; empty if there is one"""
        self.aligned = aligned
        """does the operator's document demand that tensors start at multiples of 32 bytes?"""
        self.sized = tuple(dict.fromkeys([step.outputs[at].role or 0 for step in steps for at in step.sized]))
        """the roles of the tensors whose shape is known only when the steps have run"""
        computes = any(not step.moves for step in steps)
        weights = [max([_weight(part) for part in (*step.inputs, *step.outputs)], default=0) for step in steps]
        self.much = max(weights, default=0) >= LEAST
        """are its tensors so large that it may pay to compute them in tiles, or in parts?"""
        # Each step is traced by itself, which does not pay for the many small tensors of a Foreach operator. So the
        # mean of its steps decides.
        heavy = self.much and sum(weights) >= LEAST * len(steps)
        self.large = heavy and computes and all(map(_fits_tiles, steps))
        """does it pay to compute it in tiles?"""
        self.threaded = self.large or (self.much and any(works_in_memory(step.kernel) for step in steps))
        """may several threads of BLAS pay?"""
        self.passes = any(type(value) is PassedScalar for step in steps for value in step.attributes.values())
        """has it attributes whose values each call brings?"""
        self.launches: dict[tuple[object, ...], Any] = {}
        """the shelf where `aclnn.engine.memo` keeps what launches found; the plan itself never looks"""

    def held(self, things: Sequence[Any]) -> list[Tensor]:
        """The tensors of its roles, of the values of a call."""
        if self._lists:
            return [role.tensor(things) for role in self.roles]
        return [things[place] for place in self._places]


class PlannedExecutor(Executor):
    """The executor that the first phase makes and the second launches: a plan, and the tensors of one call."""

    def __init__(self, plan: Plan, things: Sequence[Any], held: Sequence[Tensor], thread: str, made: Trail) -> None:
        """`things`: the values of the call, and the objects behind its handles; `held`: the tensors of the plan's
        roles. `thread` planned it."""
        self._made = made  # all that `super().__init__` would do; every call makes one
        self.operator, self.family, self.thread = plan.operator, plan.family, thread
        self.repeatable = False
        self.plan = plan
        self.users: Sequence[Tensor] = held
        self.held: Sequence[Tensor] = held
        self.workspace_size = plan.workspace_size
        self.things = things

    @property
    def passed(self) -> tuple[Hashable, ...]:
        """The values of the scalars of this call, if the plan leaves them to it."""
        if not self.plan.passes:
            return ()
        found: list[Hashable] = []
        for thing in self.things:
            members = cast("tuple[object, ...]", thing) if isinstance(thing, tuple) else (thing,)
            found += [each.content() for each in members if isinstance(each, Scalar)]
        return tuple(found)

    @property
    def inputs(self) -> list[Tensor | None]:
        """The tensors read, in the order of the prototype; None for a null one."""
        return [tensor for each in self.input_parameters for tensor in each]

    @property
    def outputs(self) -> list[Tensor | None]:
        """The tensors written, in the order of the prototype; None for a null one."""
        return [tensor for each in self.output_parameters for tensor in each]

    @property
    def input_parameters(self) -> "Sequence[Sequence[Tensor | None]]":
        return [self._members(place) for place in self.plan.input_places]

    @property
    def output_parameters(self) -> "Sequence[Sequence[Tensor | None]]":
        return [self._members(place) for place in self.plan.output_places]

    def _members(self, place: int) -> tuple[Tensor | None, ...]:
        """The tensors of a parameter: the members of a list, or the only one."""
        value: Tensor | tuple[Tensor, ...] | None = self.things[place]
        return value if isinstance(value, tuple) else (value,)

    @property
    def used(self) -> list[tuple[Role, Tensor]]:
        """The tensors that the steps use."""
        return [(self.plan.roles[at], self.held[at]) for at in self.plan.used]

    def capture(self) -> None:
        """Keep the tensors' addresses of now, as generated operators do."""
        copies: dict[Tensor, Tensor] = {tensor: tensor.snapshot() for tensor in self.held}
        self.things = [_captured(copies, thing) for thing in self.things]
        self.held = [copies[tensor] for tensor in self.held]

    def ends(self, end: tuple[str, str, Trail]) -> None:
        """Let its tensors go: an executor that is remembered as dead keeps nothing alive."""
        self.gone = end
        self.users = self.held = ()
        self.things = (None,) * len(self.things)


def _captured(copies: Mapping[Tensor, Tensor], thing: Any) -> Any:
    """A value of a call, with copies in place of its tensors."""
    if isinstance(thing, tuple):
        return tuple([_captured(copies, each) for each in cast("tuple[Any, ...]", thing)])
    return copies.get(thing, thing) if isinstance(thing, Tensor) else thing


def refused(soc: Soc, why: str) -> AclError:
    """A step cannot be planned: 561103."""
    return AclError(ACLNN_ERR_INNER_NULLPTR, Item("EZ9999", (f"{why} (SoC: {soc.label})",)))

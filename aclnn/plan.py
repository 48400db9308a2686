"""What a first phase decides: the steps of an operator over its tensors and its workspace, wherever these lie.

A plan follows from the data types, shapes and values of a call, not from its addresses or handles. So calls that are
alike share one: it names the tensors by the places of the parameters, and an executor brings those of its call.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from acl_runtime.dtypes import bits, dtype_name, numpy_dtype
from acl_runtime.errors import AclError
from acl_runtime.machine.executor import Family
from acl_runtime.machine.objects import Tensor
from acl_runtime.machine.soc import Soc
from acl_runtime.messages import Item
from acl_runtime.statuses import ACLNN_ERR_INNER_NULLPTR
from aclnn.workspace import Slot

Kernel = Callable[..., Any]
LEAST: Final = 1 << 18
"""elements of the largest tensor of a call from which it pays to compute in tiles; a quarter of that in two bytes, as
their conversion is what numpy is slow at"""


@dataclass(eq=False, slots=True)
class Operand:
    """A tensor as a step sees it: a view (in elements) of a user tensor's or a slot's memory."""

    shape: tuple[int, ...]
    dtype: int
    strides: tuple[int, ...]
    offset: int
    memory: Tensor | Slot | int
    """an int, in a finished plan: which of its roles"""


class Step(NamedTuple):
    """One kernel: it gets its inputs widened to float32 and returns what its outputs are rounded from."""

    name: str
    kernel: Kernel
    inputs: tuple[Operand, ...]
    outputs: tuple[Operand, ...]
    attributes: dict[str, Any]


def role_name(param: str, *, output: bool) -> str:
    """What a tensor is to an operator: input `self`, output `out`. The name is marked, as many are plain words."""
    return f"{'output' if output else 'input'} `{param}`"


class Role(NamedTuple):
    """A tensor that a call uses."""

    name: str
    """as `role_name` has it"""
    output: bool
    place: int
    """which parameter of the first phase it is"""


class Part(NamedTuple):
    """An operand in bytes."""

    role: int | None
    """whose tensor it lies in; None: in the workspace"""
    offset: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    strides: tuple[int, ...]


class Ready(NamedTuple):
    """A step over parts."""

    kernel: Kernel
    inputs: tuple[Part, ...]
    outputs: tuple[Part, ...]
    attributes: dict[str, Any]


class Plan:
    """What calls that are alike share; nothing of it changes but what is remembered in `bindings`."""

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
    ) -> None:
        self.operator = operator
        self.family = family
        self.composite = family is Family.COMPOSITE
        self.roles = roles
        self.places = [role.place for role in roles]
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
        operands = [operand for step in steps for operand in (*step.inputs, *step.outputs)]
        self.large = any(prod(each.shape) * (4 if bits(each.dtype) == 16 else 1) >= LEAST for each in operands)
        """does it pay to compute it in tiles?"""
        self._ready: tuple[Ready, ...] | None = None
        self.bindings: dict[tuple[object, ...], Any] = {}
        """what launches found at the addresses they had"""
        self._soc = soc

    def ready(self) -> tuple[Ready, ...]:
        """The steps in bytes; 561103 if numpy has no type for one."""
        if self._ready is None:  # (a `cached_property` would make Python 3.11 look up every attribute in a dict)
            self._ready = tuple(
                Ready(
                    step.kernel,
                    tuple(map(self._part, step.inputs)),
                    tuple(map(self._part, step.outputs)),
                    step.attributes,
                )
                for step in self.steps
            )
        return self._ready

    def _part(self, operand: Operand) -> Part:
        dtype, memory = numpy_dtype(operand.dtype), operand.memory
        if dtype is None:
            raise refused(self._soc, f"this emulator has no arithmetic for {dtype_name(operand.dtype)}.")
        # "size-1 dims ignored": their strides may be such that nobody can count in them
        steps = zip(operand.shape, operand.strides, strict=True)
        strides = tuple((stride if size > 1 else 1) * dtype.itemsize for size, stride in steps)
        offset = operand.offset * dtype.itemsize
        if isinstance(memory, Slot):
            return Part(None, memory.offset + offset, operand.shape, dtype, strides)
        assert isinstance(memory, int)
        return Part(memory, offset, operand.shape, dtype, strides)


def refused(soc: Soc, why: str) -> AclError:
    """A step cannot be planned: 561103."""
    return AclError(ACLNN_ERR_INNER_NULLPTR, Item("EZ9999", (f"{why} (SoC: {soc.label})",)))

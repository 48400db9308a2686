"""A row of the table: a type with its inputs, outputs and attributes, and the plan of a call.

    row("Relu Sigmoid", "x -> y", ...)

In the text of the tensors a name with `?` may be missing, one with `*` is a list, and one with `&` is an input that is
also written.
"""

import builtins
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

from acl_runtime.objects.soc import Series
from aclnn.engine.declaration import Op
from aclnn.engine.from_facts import safe
from aclnn.engine.parameters import (
    ANY,
    OptionalTensorIn,
    OptionalTensorOut,
    TensorIn,
    TensorListIn,
    TensorListOut,
    TensorOut,
    TensorRef,
)

KINDS: Final[Mapping[tuple[bool, str], type[Any]]] = {
    (False, ""): TensorIn, (False, "?"): OptionalTensorIn, (False, "*"): TensorListIn, (False, "&"): TensorRef,
    (True, ""): TensorOut, (True, "?"): OptionalTensorOut, (True, "*"): TensorListOut,
}  # fmt: skip
"""the class of a parameter, by a flag for outputs and by its mark"""


class Required(NamedTuple):
    """The mark of an attribute without a default. `like`: an example of its values."""

    like: Any


Plan = Callable[[Any], None]
"""plans a call, which is a `Named` of `call`"""


class TensorSlot(NamedTuple):
    """An input or an output of a type."""

    name: str
    mark: str = ""

    @property
    def listed(self) -> bool:
        """True if the slot is a list of tensors."""
        return self.mark == "*"

    @property
    def optional(self) -> bool:
        """True if the tensor may be missing."""
        return self.mark == "?"


@dataclass(frozen=True)
class OperatorRow:
    """One type of operator."""

    type: str
    inputs: tuple[TensorSlot, ...]
    outputs: tuple[TensorSlot, ...]
    attributes: Mapping[str, Any]
    """the defaults of the attributes, by name"""
    plan: Plan
    uses: str
    """functions of aclnn that compute the result, or a formula"""

    @cached_property
    def declaration(self) -> "builtins.type[Op]":
        """A declaration with the tensors of the type, whose names findings show."""
        params: dict[str, Any] = {}
        for output, slots in ((False, self.inputs), (True, self.outputs)):
            for slot in slots:
                params[safe(slot.name)] = KINDS[output, slot.mark](ANY, printed=slot.name)
        body = {"__doc__": self.uses, "series": tuple(Series), **params}
        op: builtins.type[Op] = builtins.type(self.type, (Op,), body)
        op._c_name = self.type  # pyright: ignore[reportPrivateUsage]
        return op


def row(types: str, tensors: str, plan: Plan, uses: str = "", /, **attributes: Any) -> tuple[OperatorRow, ...]:
    """Rows of types that differ in their names only."""
    input_text, output_text = tensors.split("->")
    inputs, outputs = (
        tuple(map(_slot, filter(None, side.replace(" ", "").split(",")))) for side in (input_text, output_text)
    )
    uses = uses or getattr(plan, "uses", "") or (plan.__doc__ or "").strip()
    return tuple(OperatorRow(type, inputs, outputs, attributes, plan, uses) for type in types.split())


def _slot(text: str) -> TensorSlot:
    name = text.rstrip("?*&")
    return TensorSlot(name, text[len(name) :])

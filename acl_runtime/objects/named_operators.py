"""Operators by their type name, with the arguments of a call of acl_op_compiler.h: descriptors, buffers, attributes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from acl_runtime.objects.descriptions import TensorDesc
from acl_runtime.objects.handle_table import Thing
from acl_runtime.text import Text


@dataclass(frozen=True)
class NamedTensor:
    """A descriptor with its buffer."""

    desc: TensorDesc
    address: int = 0
    size: int = 0
    """bytes of the buffer"""
    value: bytes | None = None
    """the bytes of a value on the host, which the call read"""

    @property
    def unknown_size(self) -> int:
        """The size of the buffer, if it determines an unknown dimension; else 0."""
        return self.size if min(self.desc.shape, default=0) < 0 else 0


@dataclass(frozen=True)
class NamedOperator:
    """A call of an operator by name."""

    type: str
    inputs: tuple[NamedTensor, ...]
    outputs: tuple[NamedTensor, ...]
    attributes: Mapping[str, Any]

    def key(self) -> object:
        """A key of a compiled operator: equal type, descriptors and attributes have an equal key."""
        sides = tuple(tuple(tensor.desc.content() for tensor in side) for side in (self.inputs, self.outputs))
        return self.type, sides, tuple(sorted((name, repr(value)) for name, value in self.attributes.items()))


class OperatorHandle(Thing):
    """aclopHandle: an operator that was compiled."""

    kind = Text("operator handle")
    destroyer = "aclopDestroyHandle"

    def __init__(self, operator: NamedOperator) -> None:
        super().__init__()
        self.operator = operator

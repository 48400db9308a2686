"""The operand of a step: a view of memory that a planner uses as a tensor. Its methods return views of views, which
cost nothing when the plan runs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from acl_runtime.objects.handle_table import Tensor
from aclnn.engine.workspace import Intermediate


@dataclass(eq=False, slots=True)
class Operand:
    """A view of the memory of a user's tensor, or of a slot. Offset and strides count elements."""

    shape: tuple[int, ...]
    dtype: int
    strides: tuple[int, ...]
    offset: int
    memory: Tensor | Intermediate

    def part(self, *slices: slice) -> "Operand":
        """A part. A dimension without a slice stays whole. The steps of slices are ignored."""
        shape, offset = list(self.shape), self.offset
        for dim, part in enumerate(slices):
            start, stop, _ = part.indices(shape[dim])
            shape[dim] = max(stop - start, 0)
            offset += start * self.strides[dim]
        return replace(self, shape=tuple(shape), offset=offset)

    def along(self, axis: int, part: slice) -> "Operand":
        """A part along one dimension, counted from the front."""
        return self.part(*(slice(None),) * axis, part)

    def at(self, axis: int, position: int) -> "Operand":
        """The elements at one position of a dimension, without this dimension. A negative axis counts from the end."""
        axis %= len(self.shape)
        rest: list[Sequence[int]] = [(*values[:axis], *values[axis + 1 :]) for values in (self.shape, self.strides)]
        return replace(self, shape=tuple(rest[0]), strides=tuple(rest[1]),
                       offset=self.offset + position * self.strides[axis])  # fmt: skip

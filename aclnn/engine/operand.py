"""An operand: a tensor in a planner's hands, which is a view of memory. Its methods are the views that planners need; a
view of a view costs nothing when the plan runs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from acl_runtime.objects.handle_table import Tensor
from aclnn.engine.workspace import Slot


@dataclass(eq=False, slots=True)
class Operand:
    """A view (in elements) of the memory of a user's tensor, or of a slot."""

    shape: tuple[int, ...]
    dtype: int
    strides: tuple[int, ...]
    offset: int
    memory: Tensor | Slot

    def part(self, *slices: slice) -> "Operand":
        """A part. A dimension without a slice stays whole. The steps of slices do not count."""
        shape, offset = list(self.shape), self.offset
        for at, each in enumerate(slices):
            start, stop, _ = each.indices(shape[at])
            shape[at] = max(stop - start, 0)
            offset += start * self.strides[at]
        return replace(self, shape=tuple(shape), offset=offset)

    def along(self, axis: int, which: slice) -> "Operand":
        """A part along one dimension, counted from the front."""
        return self.part(*(slice(None),) * axis, which)

    def at(self, axis: int, place: int) -> "Operand":
        """The elements at one place of a dimension, without this dimension. A negative axis counts from the end."""
        axis %= len(self.shape)
        rest: list[Sequence[int]] = [(*whole[:axis], *whole[axis + 1 :]) for whole in (self.shape, self.strides)]
        return replace(self, shape=tuple(rest[0]), strides=tuple(rest[1]),
                       offset=self.offset + place * self.strides[axis])  # fmt: skip

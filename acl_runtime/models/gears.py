"""Gears: the sets of sizes that a model with dynamic dimensions was built for. The program chooses one for each run."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import cycle
from typing import Final, TypeAlias

from acl_runtime.headers.dtypes import Shape
from acl_runtime.headers.enums import ACL_DYNAMIC_TENSOR_NAME

GEAR_INPUT: Final = ACL_DYNAMIC_TENSOR_NAME
"""the name of the additional input with the chosen gear"""
Gear: TypeAlias = tuple[int, ...]
"""the values of one gear: a batch size; height and width; or the sizes of all dynamic dimensions"""
PAIR: Final = 2


class GearKind(Enum):
    """The dimensions that are dynamic, and the function that chooses a gear."""

    BATCH = "aclmdlSetDynamicBatchSize"
    HW = "aclmdlSetDynamicHWSize"
    DIMS = "aclmdlSetInputDynamicDims"


@dataclass(frozen=True)
class Gears:
    """The gears of a model."""

    kind: GearKind
    values: tuple[Gear, ...]
    order: tuple[str, ...] = ()
    """for `dims`: the names of the inputs in the order in which the values of a gear fill them"""

    def __post_init__(self) -> None:
        widths = {len(gear) for gear in self.values}
        if len(widths) != 1 or min(map(min, self.values)) < 1:
            raise ValueError(f"gears are one or more lists of sizes, all of one length: {list(self.values)}")

    @property
    def width(self) -> int:
        """The number of values of a gear."""
        return len(self.values[0])

    def input_shapes(self, shapes: Mapping[str, Shape], gear: Gear) -> dict[str, Shape]:
        """The shapes of the inputs for a gear, in the order of `shapes`. -1 stands for a dynamic dimension."""
        values = iter(gear)
        filled: dict[str, Shape] = {}
        for name in self.order or shapes:
            source = values if self.kind is GearKind.DIMS else cycle(gear)
            filled[name] = fill(shapes[name], source)
        return {name: filled[name] for name in shapes}

    def output_shape(self, shape: Shape, gear: Gear) -> Shape:
        """The shape of an output for a gear of batch sizes or image sizes."""
        return fill(shape, cycle(gear))


def fill(shape: Shape, values: Iterator[int]) -> Shape:
    """The shape with the next of the values in place of each -1."""
    return tuple(next(values) if size < 0 else size for size in shape)


def batch(sizes: Sequence[int]) -> Gears:
    """Dynamic batch sizes: `batch([1, 2, 4])`."""
    return Gears(GearKind.BATCH, tuple((int(size),) for size in sizes))


def hw(sizes: Sequence[Sequence[int]]) -> Gears:
    """Dynamic image sizes, height and width: `hw([(320, 320), (640, 640)])`."""
    gears = Gears(GearKind.HW, _tuples(sizes))
    if gears.width != PAIR:
        raise ValueError("an image size is a height and a width")
    return gears


def dims(gears: Sequence[Sequence[int]], order: Sequence[str] = ()) -> Gears:
    """Sizes of all dynamic dimensions of all inputs: `dims([(20, 1), (40, 2)])`. `order`: the names of the inputs, if
    the values have another order than the inputs of the model."""
    return Gears(GearKind.DIMS, _tuples(gears), tuple(order))


def _tuples(values: Sequence[Sequence[int]]) -> tuple[Gear, ...]:
    return tuple(tuple(map(int, gear)) for gear in values)

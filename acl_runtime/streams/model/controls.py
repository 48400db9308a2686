"""Control tasks of built models, and the places in bound streams at which they let an execution go on."""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from acl_runtime.memory.copies import Side, array_of
from acl_runtime.objects.handle_table import Thing
from acl_runtime.source.site import Trail
from acl_runtime.streams.stream import Context, Stream
from acl_runtime.text import Text


class Place(NamedTuple):
    """A place in a bound stream: the stream, and the number of the entry there."""

    stream: Stream
    entry: int


Decision = Callable[[deque[Place]], None]
"""Changes the places at which an execution goes on. The first is the one behind the control task."""


class Label(Thing):
    """aclrtLabel: a place in a bound stream, once it is set."""

    kind = Text("label")
    destroyer = "aclrtDestroyLabel"

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.context = context
        self.model: Thing | None = None
        self.place: Place | None = None


class LabelList(Thing):
    """aclrtLabelList."""

    kind = Text("list of labels")
    destroyer = "aclrtDestroyLabelList"

    def __init__(self, labels: list[Label]) -> None:
        super().__init__()
        self.labels = labels


class Control(NamedTuple):
    """A control task: its name, the memory that it reads, and its decision."""

    name: Text
    sides: tuple[Side, ...]
    decide: Decision
    trail: Trail


def activate(stream: Stream) -> Decision:
    """Let a stream begin, after the tasks that come next."""
    return lambda places: places.append(Place(stream, 0))


def switch(sides: Sequence[Side], dtype: Any, holds: Callable[[int, int], bool], stream: Stream) -> Decision:
    """Go on with another stream instead, if two values of device memory compare so."""

    def decide(places: deque[Place]) -> None:
        left, right = (int(array_of(side, dtype, 1)[0]) for side in sides)
        if holds(left, right):
            places[0] = Place(stream, 0)

    return decide


def jump(side: Side, most: int, labels: list[Label]) -> Decision:
    """Go on at a label, whose number is in device memory; at the last one if that is too large."""

    def decide(places: deque[Place]) -> None:
        number = min(int(array_of(side, np.uint32, 1)[0]), len(labels) - 1, max(most - 1, 0))
        place = labels[number].place
        assert place is not None
        places[0] = place

    return decide


def stop(places: deque[Place]) -> None:
    """End the execution."""
    places.clear()

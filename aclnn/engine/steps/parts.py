"""Steps that a large tensor goes through in parts, so that their temporaries are as large as a part.

A kernel says by `in_parts` along which dimensions its results do not depend on each other. If a launch does not come to
the tiles (`aclnn.engine.fast`), its large steps run part by part along one of these dimensions: each part is widened,
computed, and rounded into its place in the memory of the outputs.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import Any, Final, NamedTuple, TypeVar, cast

import numpy as np

from acl_runtime.headers.dtypes import Array
from aclnn.engine.numbers.rounding import store, widen

PART: Final = 1 << 18
"""elements of a part: 1 MiB of FLOAT, which the cache of a core holds. A step with twice as many runs in parts"""
QUICK: Final = 4
"""so many times as large are the parts of a quick kernel, as each part has a fixed cost"""
Shape = tuple[int, ...]
Attributes = Mapping[str, Any]
Places = tuple[int | None, ...]
"""for each input and then each output the dimension that is cut; None: each part gets the whole"""
Ways = Callable[[Sequence[Shape], Sequence[Shape], Attributes], Iterable[Places]]
"""from the shapes of the inputs and of the outputs to the ways to cut a step, the best one first"""
Besides = str | Sequence[int] | Callable[[Attributes], Sequence[int]]
K = TypeVar("K", bound=Callable[..., Any])


class Parts(NamedTuple):
    """The parts of a kernel, see `by`."""

    ways: Ways
    times: int
    looked_up: Sequence[int]


class Cut(NamedTuple):
    """How a step is cut."""

    places: Places
    size: int
    """of that dimension"""
    step: int
    """of a part"""

    def parts(self, arrays: Sequence[Array]) -> Iterator[list[Array]]:
        """The parts of the inputs and the outputs."""
        for low in range(0, self.size, self.step):
            there = slice(low, low + self.step)
            yield [
                array if place is None else array[(*(slice(None),) * place, there)]
                for array, place in zip(arrays, self.places, strict=True)
            ]


def row_slices(size: int, width: int = 1) -> Iterator[slice]:
    """Parts of `size` rows, each of `width` elements, for a kernel that works part by part itself."""
    step = max(1, PART // max(width, 1))
    for at in range(0, size, step):
        yield slice(at, min(at + step, size))


def in_parts(
    besides: Besides = (), *, first: int | None = None, whole: Sequence[int] = (), alike: bool = False,
    times: int = 1,
) -> Callable[[K], K]:  # fmt: skip
    """Say of a kernel along which dimensions its results do not depend on each other: all, if nothing is given.

    `besides` are dimensions along which they do: numbers, the name of an attribute with one or several, or a function
    of the attributes. An output may lack these. Tensors with fewer dimensions than others are aligned at their last
    ones, as in a broadcast; with `first` they are aligned at their first ones, and only so many of these count. `whole`
    are the numbers of inputs that each part needs as a whole. `alike`: an input with one element is not stretched.
    `times`: see `by`."""

    def ways(inputs: Sequence[Shape], outputs: Sequence[Shape], attributes: Attributes) -> Iterator[Places]:
        shapes = [*inputs, *outputs]
        rank = max(map(len, shapes))
        gone = {axis % rank for axis in _axes(besides, attributes)}
        kept = [dim for dim in range(rank) if dim not in gone]
        for dim in kept if first is None else kept[:first]:
            places: list[int | None] = []
            for number, shape in enumerate(shapes):
                place = dim if first is not None else dim - rank + len(shape)
                if number >= len(inputs) and gone and len(shape) == len(kept):  # an output without these dimensions
                    place = kept.index(dim)
                there = 0 <= place < len(shape) and number not in whole and (alike or shape[place] > 1)
                places.append(place if there else None)
            yield tuple(places)

    return by(ways, times=times)


def by(ways: Ways, *, times: int = 1, looked_up: Sequence[int] = ()) -> Callable[[K], K]:
    """Say how a kernel may be cut. Its parts have `times` as many elements as those of others. `looked_up` are the
    numbers of inputs of which only some elements are read: how large they are does not count."""

    def decorate(kernel: K) -> K:
        kernel.parts = Parts(ways, times, looked_up)  # type: ignore[attr-defined]
        return kernel

    return decorate


@in_parts()
def _elements() -> None:
    """Stands for each ufunc."""


def _axes(besides: Besides, attributes: Attributes) -> Sequence[int]:
    if callable(besides):
        return besides(attributes)
    found = attributes[besides] if isinstance(besides, str) else besides
    return (found,) if isinstance(found, int) else found


def cut_of(
    kernel: Callable[..., Any], inputs: Sequence[Shape], outputs: Sequence[Shape], attributes: Attributes
) -> Cut | None:
    """How a step on these shapes is cut. None, if it is not large, or cannot be cut."""
    said: Parts | None = getattr(_elements if isinstance(kernel, np.ufunc) else kernel, "parts", None)
    if said is None or not outputs:
        return None
    worked_on = [shape for number, shape in enumerate((*inputs, *outputs)) if number not in said.looked_up]
    most = max(map(prod, worked_on), default=0)
    part = said.times * PART
    if most < 2 * part:
        return None
    parts, best = -(-most // part), None
    for places in said.ways(inputs, outputs, attributes):
        sizes = {shape[at] for shape, at in zip((*inputs, *outputs), places, strict=True) if at is not None}
        if len(sizes) == 1 and None not in places[len(inputs) :]:
            (size,) = sizes
            if best is None or size > best.size:
                best = Cut(places, size, max(1, size // parts))
            if size >= parts:
                break
    return best


def run_in_parts(
    kernel: Callable[..., Any], cut: Cut, inputs: Sequence[Array], outputs: Sequence[Array], *, narrow: bool
) -> None:  # fmt: skip
    """Run a step part by part. `narrow`: floats of 16 bits are widened."""
    given = [apart_from(outputs, array, place) for array, place in zip(inputs, cut.places, strict=False)]
    for arrays in cut.parts([*given, *outputs]):
        mine, out = arrays[: len(given)], arrays[len(given) :]
        returned = kernel(*(map(widen, mine) if narrow else mine))
        results = cast("tuple[Array, ...]", returned if isinstance(returned, tuple) else (returned,))
        for result, memory in zip(results, out, strict=True):
            if result.shape != memory.shape:
                found = f"{list(result.shape)}; {list(memory.shape)} was planned"
                raise ValueError(f"the formula returns the shape {found}")
            store(result, memory)
        del returned, results  # before the next part needs memory


def apart_from(outputs: Sequence[Array], array: Array, place: int | None = None) -> Array:
    """An input that no part overwrites before another one reads it: a copy, if it shares memory with an output in
    another way than element by element."""
    for out in outputs:
        same = array.ctypes.data == out.ctypes.data and (array.shape, array.strides) == (out.shape, out.strides)
        if not (same and place is not None) and np.may_share_memory(array, out):
            return np.array(array)
    return array

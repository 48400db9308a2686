"""Steps that a large tensor goes through in parts, so that their temporaries are as large as a part.

A kernel says by `in_parts` along which dimensions its results do not depend on each other. If a launch does not come to
the tiles (`aclnn.engine.fast`), its large steps run part by part along one of these dimensions: each part is widened,
computed, and rounded into its place in the memory of the outputs.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from typing import Any, Final, NamedTuple, TypeVar, cast

import numpy as np

from acl_runtime.headers.dtypes import Array
from aclnn.engine.numbers.rounding import store, widen

PART: Final = 1 << 18
"""elements of a part: 1 MiB of FLOAT, which the cache of a core holds"""
LARGE: Final = 2 * PART
"""elements from which a step runs in parts"""
Shape = tuple[int, ...]
K = TypeVar("K", bound=Callable[..., Any])
Besides = str | Sequence[int] | Callable[[Mapping[str, Any]], Sequence[int]]


class Parted(NamedTuple):
    """Along which dimensions the results of a kernel do not depend on each other."""

    besides: Besides = ()
    """the dimensions along which they do"""
    first: int | None = None
    """only along so many first dimensions of all tensors"""
    whole: tuple[int, ...] = ()
    """the inputs that each part needs as a whole"""


class Cut(NamedTuple):
    """How a step is cut."""

    places: tuple[int | None, ...]
    """for each input and then each output the dimension; None: each part gets the whole"""
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


def in_parts(besides: Besides = (), *, first: int | None = None, whole: Sequence[int] = ()) -> Callable[[K], K]:
    """Say of a kernel along which dimensions its results do not depend on each other: all, if nothing is given.

    `besides` are dimensions along which they do: numbers, the name of an attribute with one or several, or a function
    of the attributes. An output may lack these. Tensors with fewer dimensions than others are aligned at their last
    ones, as in a broadcast; with `first`, at their first ones."""

    def decorate(kernel: K) -> K:
        kernel.parted = Parted(besides, first, tuple(whole))  # type: ignore[attr-defined]
        return kernel

    return decorate


ELEMENTS: Final = Parted()
"""of a ufunc"""


def cut_of(
    kernel: Callable[..., Any], inputs: Sequence[Shape], outputs: Sequence[Shape], attributes: Mapping[str, Any]
) -> Cut | None:
    """How a step on these shapes is cut. None, if it is not large, or cannot be cut."""
    how: Parted | None = ELEMENTS if isinstance(kernel, np.ufunc) else getattr(kernel, "parted", None)
    most = max(map(prod, (*inputs, *outputs)), default=0)
    if how is None or not outputs or most < LARGE:
        return None
    best: Cut | None = None
    for cut in _ways(how, inputs, outputs, attributes, -(-most // PART)):
        if best is None or cut.size > best.size:
            best = cut
        if cut.size * PART >= most:
            break
    return best


def _ways(
    how: Parted, inputs: Sequence[Shape], outputs: Sequence[Shape], attributes: Mapping[str, Any], parts: int
) -> Iterator[Cut]:  # fmt: skip
    """All ways to cut it into so many parts, that along the first dimension first."""
    rank = max(map(len, (*inputs, *outputs)))
    axes = how.besides
    if isinstance(axes, str):
        axes = (attributes[axes],) if isinstance(attributes[axes], int) else attributes[axes]
    gone = {axis % rank for axis in (axes(attributes) if callable(axes) else axes)}
    kept = [dim for dim in range(rank) if dim not in gone]
    for dim in kept if how.first is None else range(how.first):
        places: list[int | None] = []
        sizes: set[int] = set()
        for number, shape in enumerate((*inputs, *outputs)):
            given = number < len(inputs)
            place = dim if how.first is not None else dim - rank + len(shape)
            if not given and gone and len(shape) == len(kept):  # an output without these dimensions
                place = kept.index(dim)
            there = 0 <= place < len(shape) and shape[place] > 1 and not (given and number in how.whole)
            places.append(place if there else None)
            sizes |= {shape[place]} if there else set()
        if len(sizes) == 1 and None not in places[len(inputs) :]:
            (size,) = sizes
            yield Cut(tuple(places), size, max(1, size // parts))


def run_in_parts(
    kernel: Callable[..., Any], cut: Cut, inputs: Sequence[Array], outputs: Sequence[Array], *, narrow: bool
) -> None:  # fmt: skip
    """Run a step part by part. `narrow`: floats of 16 bits are widened."""
    given = [_apart_from(outputs, array, place) for array, place in zip(inputs, cut.places, strict=False)]
    for arrays in cut.parts([*given, *outputs]):
        mine, out = arrays[: len(given)], arrays[len(given) :]
        returned = kernel(*(map(widen, mine) if narrow else mine))
        results = cast("tuple[Array, ...]", returned if isinstance(returned, tuple) else (returned,))
        for result, memory in zip(results, out, strict=True):
            if result.shape != memory.shape:
                raise ValueError(
                    f"the formula returns the shape {list(result.shape)}; {list(memory.shape)} was planned"
                )
            store(result, memory)


def _apart_from(outputs: Sequence[Array], array: Array, place: int | None) -> Array:
    """An input that no part overwrites before another one reads it: a copy, if it shares memory with an output in
    another way than element by element."""
    for out in outputs:
        same = array.ctypes.data == out.ctypes.data and (array.shape, array.strides) == (out.shape, out.strides)
        if not (same and place is not None) and np.may_share_memory(array, out):
            return np.array(array)
    return array

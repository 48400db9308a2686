"""Rules of shapes that many types share, and parts of other rules. A rule returns one shape, or one for each output."""

from collections.abc import Callable
from typing import Final, TypeAlias

from acl_runtime.headers.dtypes import Shape
from aclnn.by_name.call import Named

Shapes: TypeAlias = list[Shape] | list[list[int]]
Rule: TypeAlias = Callable[[Named], Shapes | Shape]


UNKNOWN: Final = (1_000_003, 2_000_006)
"""two sizes that replace an unknown size in turn: a result that differs between them depends on the unknown size"""


def first(n: Named) -> Shape:
    """The shape of the first input."""
    return n[n.arguments.row.inputs[0].name].shape


def like(*names: str) -> Rule:
    """The shapes of inputs, one for each output."""
    return lambda n: [n[name].shape for name in names]


def together(*names: str) -> Rule:
    """The shape to which inputs are broadcast. An unknown size takes the size of the other inputs if that is not 1."""

    def rule(n: Named) -> Shape:
        shapes = [n[name].shape for name in names]
        rank = max(map(len, shapes))
        columns = zip(*((*(1,) * (rank - len(shape)), *shape) for shape in shapes), strict=True)
        return tuple(map(_together, columns))

    return rule


def _together(sizes: tuple[int, ...]) -> int:
    fixed = {size for size in sizes if size not in UNKNOWN and size != 1}
    if len(fixed) > 1:
        raise ValueError(f"sizes {sorted(fixed)} do not broadcast")
    return fixed.pop() if fixed else max(sizes)


def values(name: str) -> Rule:
    """The values of an input or of an attribute."""
    return lambda n: tuple(n.ints(name))


def without(shape: Shape, axes: list[int], *, keep: bool) -> Shape:
    """A shape after a reduction."""
    dropped = {axis % max(len(shape), 1) for axis in axes}
    ones = [1 if dim in dropped else size for dim, size in enumerate(shape)]
    return tuple(ones if keep else [size for dim, size in enumerate(shape) if dim not in dropped])


def reduced(axes: str, keep: str) -> Rule:
    return lambda n: without(first(n), n.ints(axes), keep=n[keep])


def position(n: Named) -> Shape:
    return without(n["x"].shape, [n.integer("dimension")], keep=False)


def replaced(shape: Shape, axis: int, *sizes: int) -> Shape:
    """A shape in which `sizes` replace one size."""
    axis %= len(shape)
    return (*shape[:axis], *sizes, *shape[axis + 1 :])

"""MaxUnpool2d, MaxUnpool3d and their gradients: elements at the places that a maximum pooling found."""

from math import prod
from typing import Final

import numpy as np

from aclnn.op import (
    Arguments, Array, Bad, Operand, Operator, Planning, Relation, at_least, castable, check_range, demand, done,
    empty, in_memory, in_parts, length, listed, planned, ranks, row_slices, same_dtype, same_rank, same_shape,
    take_along, write_into,
)  # fmt: skip

ARRAYS: Final = ("stride", "padding")
"""the arrays of the functions for volumes; the result does not depend on them"""


def planes(a: Arguments, name: str, dims: int) -> tuple[int, int]:
    """The number of planes (or volumes), and the elements of one."""
    shape = a.shape(name)
    return prod(shape[:-dims]), prod(shape[-dims:])


def holes(a: Arguments) -> Bad:
    return (list(a.shape("self")), "a size of 0 in the first dimension only") if 0 in a.shape("self")[1:] else None


def too_small(dims: int) -> Relation:
    def bad(a: Arguments) -> Bad:
        sizes, count = a["outputSize"].values, planes(a, "self", dims)[1]
        return None if prod(sizes) >= count else (list(sizes), f"room for {count} elements")

    return demand("{0} has room for the elements of {1}", "outputSize", "self", bad=bad)


def arrays(dims: int) -> tuple[Relation, ...]:
    """Checks the arrays of a function for volumes; a function for planes has none."""
    return () if dims == 2 else (*(length(name, dims) for name in ARRAYS), at_least("stride", 1))


def forward(name: str, dims: int, out: str) -> Operator:
    def plan(p: Planning) -> None:
        (count, size), sizes = planes(p, "self", dims), p["outputSize"].values
        x, indices = (p.builder.reshape(p.read(each), (count, size)) for each in ("self", "indices"))
        p.builder.launch(check_range, [indices], [], name="indices", count=prod(sizes))
        result = p.step(unpooled, [x, indices], (count, prod(sizes)), x.dtype)
        p.store(out, p.builder.reshape(result, p.shape(out)))

    plan.__doc__ = (
        f"{out} = 0, and each element of self at its place in a plane, or volume, of outputSize. indices has them."
    )
    return planned(
        name, listed("self", "indices"), same_dtype(out, "self"), ranks("self"), same_shape("indices", "self"),
        demand("{0} has no dimension of size 0 but the first", "self", bad=holes), length("outputSize", dims),
        at_least("outputSize", 1), too_small(dims), *arrays(dims), ranks(out), empty("self"),
    )(plan)  # fmt: skip


@in_memory
def unpooled(x: Array, indices: Array, *, out: Array) -> None:
    """A step before this one reports places out of range, which are left out."""
    out[...] = 0
    flat, size = out.reshape(-1), out.shape[1]
    for part in row_slices(len(x), x.shape[1]):
        places = indices[part].astype(np.int64)
        rows: Array = np.arange(part.start, part.stop, dtype=np.int64)
        start, legal = rows[:, None] * size, (places >= 0) & (places < size)
        write_into(flat, np.where(legal, places + start, -1), x[part])


max_unpool_2d = forward("aclnnMaxUnpool2d", 2, "out")
max_unpool_3d = forward("aclnnMaxUnpool3d", 3, "outRef")


def other_planes(dims: int) -> Relation:
    def bad(a: Arguments) -> Bad:
        own, right = a.shape("gradOutput")[:-dims], a.shape("self")[:-dims]
        return None if own == right else (list(own), f"{list(right)}, as self")

    return demand("{0} has the planes of {1}", "gradOutput", "self", bad=bad)


def output_size(dims: int) -> Relation:
    def bad(a: Arguments) -> Bad:
        own, right = tuple(a["outputSize"].values), a.shape("gradOutput")[-dims:]
        return None if own == right else (list(own), f"{list(right)}, as gradOutput")

    return demand("{0} is the size of {1}", "outputSize", "gradOutput", bad=bad)


def no_grad(a: Arguments) -> Bad:
    return ("no elements", "elements, as self") if a["self"].numel and not a["gradOutput"].numel else None


def with_gaps(a: Arguments) -> Bad:
    return None if a["out"].contiguous else (f"strides {list(a['out'].strides)}", "a dense tensor")


def backward(name: str, dims: int, types: tuple[Relation, ...], *last: Relation) -> Operator:
    def plan(p: Planning) -> None:
        grad, indices = (p.builder.reshape(p.read(each), planes(p, each, dims)) for each in ("gradOutput", "indices"))
        p.builder.launch(check_range, [indices], [], name="indices", count=grad.shape[1])
        picked: Operand = p.step(at_places, [grad, indices], indices.shape, grad.dtype, moves=True)
        p.store("out", p.builder.reshape(picked, p.shape("out")))

    plan.__doc__ = "out = the element of gradOutput at the place that indices has for each element of self"
    return planned(
        name, *types, ranks("self"), same_rank("gradOutput", "self"), other_planes(dims),
        *(same_shape(each, "self") for each in ("indices", "out")), length("outputSize", dims), *arrays(dims),
        output_size(dims), *last,
    )(plan)  # fmt: skip


@in_parts([-1])
def at_places(grad: Array, indices: Array) -> Array:
    return take_along(grad, indices, 1)


TYPED: Final = (listed("gradOutput", "self", "indices", "out"), same_dtype("gradOutput", "self"))
max_unpool_2d_backward = backward(
    "aclnnMaxUnpool2dBackward", 2, (*TYPED, castable("gradOutput", "out")),
    demand("{0} has elements if {1} has", "gradOutput", "self", bad=no_grad), empty("self"),
)  # fmt: skip
max_unpool_3d_backward = backward(
    "aclnnMaxUnpool3dBackward", 3,
    (demand("{0} is dense", "out", bad=with_gaps), *TYPED, same_dtype("out", "self")),
    done("gradOutput or self is empty", "gradOutput", "self",
         when=lambda a: not (a["gradOutput"].numel and a["self"].numel)),
)  # fmt: skip

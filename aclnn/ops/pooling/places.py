"""Maximum pooling that returns the places of the largest elements, and its gradient.

WithIndices and WithArgmax return a place as an index into the plane (or volume) without its padding. WithMask returns
an opaque tensor of bytes, which only its gradient reads. The first bytes are the places in INT32. For a kernel of one
element all bytes are 0.
"""

from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from aclnn.op import (
    SHORT_FLOAT, Arguments, Array, Bad, Operand, Operator, Planning, Relation, Series, Shape, at_least, before_nulls,
    check_range, demand, empty, length, listed, planned, public_format, ranks, same_dtype, same_format, same_shape,
    shape,
)  # fmt: skip
from aclnn.ops.pooling._family import (
    PoolOf, T, channels_last, half_of_the_kernel, only_batch_empty, pool_from, pooled, sizes_of, spread, windows_fit,
)  # fmt: skip
from aclnn.ops.pooling.sums import largest_places, scattered_back

ARRAYS = ("kernelSize", "stride", "padding", "dilation")


def arrays(dims: int) -> tuple[Relation, ...]:
    """Checks the lengths and the values of the arrays."""

    def dilation(a: Arguments) -> Bad:
        values = a["dilation"].values
        fits = min(values) > 0 if a.soc.series is Series.A950 else set(values) == {1}
        return None if fits else (list(values), "above 0" if a.soc.series is Series.A950 else "1")

    counts = sorted({1, dims})
    return (
        length("kernelSize", *counts), length("stride", 0, *counts), length("padding", *counts),
        length("dilation", *counts), at_least("kernelSize", 1), at_least("stride", 1), at_least("padding", 0),
        demand("{0} is 1, or above 0 on Ascend 950", "dilation", bad=dilation),
    )  # fmt: skip


def half_of_the_window(dims: int) -> Relation:
    """Checks that a padding is at most half as long as a window with its gaps."""

    def bad(a: Arguments) -> Bad:
        paddings, kernel, gaps = (spread(a[name].values, dims) for name in ("padding", "kernelSize", "dilation"))
        fits = all(2 * p <= (k - 1) * d + 1 for p, k, d in zip(paddings, kernel, gaps, strict=True))
        return None if fits else (list(paddings), "at most half of a window")

    return demand("{0} is at most half as long as a window", "padding", "kernelSize", "dilation", bad=bad)


def mask_shape(pool: PoolOf) -> Callable[[Arguments], Shape]:
    """The shape of the tensor of bytes, which has room for a bit for each element of each window."""

    def expected_shape(a: Arguments) -> Shape:
        own_pool = pool(a)
        count = prod(own_pool.counts(a.shape("self")[-2:]))
        return (*a.shape("self")[:-2], prod(own_pool.kernel), (-(-count // 16) + 1) * 32)

    return expected_shape


# forward


def searched(p: Planning, pool: PoolOf) -> Sequence[Operand]:
    """The largest elements, and their places in INT32. The Atlas training series computes in FLOAT16."""
    x = p.read("self", T.ACL_FLOAT16 if p.soc.series is Series.TRAINING else None)
    own_pool, dims = pool(p), len(pool(p).kernel)
    shape, windows = pooled(p, own_pool), own_pool.windows(sizes_of(p, dims))
    results = [(shape, x.dtype), (shape, int(T.ACL_INT32))]
    return p.steps(largest_places, [x], results, windows=windows, whole=np.int32, last=channels_last(p, dims))


def forward(name: str, dims: int, *first: Relation) -> Operator:
    pool = pool_from(dims)

    def window(a: Arguments) -> Shape:
        return pooled(a, pool(a))

    def plan(p: Planning) -> None:
        values, indices = searched(p, pool)
        p.store("out", values)
        p.store("indices", indices)

    plan.__doc__ = "out = the largest element of each window of self; indices = its place in the unpadded plane"
    return planned(
        name, *first, listed("self", "out", among=SHORT_FLOAT), same_dtype("out", as_="self"), listed("indices"),
        same_format("out", "self", storage=False), ranks("self", "out", "indices"), *arrays(dims),
        half_of_the_kernel(dims=dims), only_batch_empty(dims=dims), windows_fit(pool, *ARRAYS, "ceilMode"),
        shape("out", "{0} has an element for each window", window),
        shape("indices", "{0} has an element for each window", window), empty("self"),
    )(plan)  # fmt: skip


max_pool_2d_with_indices = forward("aclnnMaxPool2dWithIndices", 2)
max_pool_3d_with_argmax = forward("aclnnMaxPool3dWithArgmax", 3)
POOL = pool_from(2)
KERNEL_LENGTH = length("kernelSize", 1, 2)


@planned(
    "aclnnMaxPool2dWithMask", before_nulls(("kernelSize", "self", "out"), KERNEL_LENGTH),
    listed("self", "out", "indices"), same_dtype("out", as_="self"), same_format("out", "self", storage=False),
    ranks("self", "out", "indices"), *arrays(2)[1:], half_of_the_kernel(), only_batch_empty(),
    windows_fit(POOL, *ARRAYS, "ceilMode"),
    shape("out", "{0} has an element for each window", lambda a: pooled(a, POOL(a))),
    shape("indices", "{0} has room for a bit for each place of each window", mask_shape(POOL)), empty("self", "out"),
)  # fmt: skip
def max_pool_2d_with_mask(p: Planning) -> None:
    """out = the largest element of each window of self. indices = the places of these elements, in bytes that only
    aclnnMaxPool2dWithMaskBackward reads."""
    values, indices = searched(p, POOL)
    p.store("out", values)
    room = p.shape("indices")
    p.store("indices", p.step(as_bytes, [indices], room, T.ACL_INT8, room=room, needed=prod(POOL(p).kernel) > 1))


def as_bytes(places: Array, *, room: Shape, needed: bool) -> Array:
    out = np.zeros(prod(room), np.int8)
    if needed:
        out[: places.nbytes] = np.ascontiguousarray(places).reshape(-1).view(np.int8)
    return out.reshape(room)


# backward


def add_up(p: Planning, places: Operand, dims: int) -> None:
    """Plan gradInput: gradOutput, added up at the places of the largest elements."""
    grad, sizes, last = p.read("gradOutput"), sizes_of(p, dims), channels_last(p, dims)
    p.builder.launch(check_range, [places], [], name="indices", count=prod(sizes))
    p.store("gradInput", p.step(scattered_back, [grad, places], p.shape("self"), grad.dtype, sizes=sizes, last=last))


GRADIENT = ("gradOutput", "self", "gradInput")


def gradient_types(*relations: Relation) -> tuple[Relation, ...]:
    return (*relations, same_dtype("self", as_="gradOutput"), same_dtype("gradInput", as_="gradOutput"),
            listed("indices"), same_format("gradOutput", "self", storage=False),
            same_format("gradInput", "self", storage=False))  # fmt: skip


def backward(name: str, dims: int) -> Operator:
    pool = pool_from(dims)

    def plan(p: Planning) -> None:
        add_up(p, p.read("indices"), dims)

    plan.__doc__ = "gradInput = the gradients of the windows, added up at their places; zeros elsewhere"
    return planned(
        name, *gradient_types(listed("gradOutput", "self")), ranks("self", "gradOutput", "gradInput"), *arrays(dims),
        half_of_the_window(dims), only_batch_empty(dims=dims), same_shape("gradInput", as_="self"),
        windows_fit(pool, *ARRAYS, "ceilMode"),
        shape("gradOutput", "{0} has an element for each window", lambda a: pooled(a, pool(a))),
        shape("indices", "{0} has an element for each window", lambda a: pooled(a, pool(a))),
        empty("gradOutput", "self", "indices"),
    )(plan)  # fmt: skip


max_pool_2d_with_indices_backward = backward("aclnnMaxPool2dWithIndicesBackward", 2)
max_pool_3d_with_argmax_backward = backward("aclnnMaxPool3dWithArgmaxBackward", 3)


@planned(
    "aclnnMaxPool2dWithMaskBackward",
    before_nulls(("kernelSize", "self", "gradOutput"), KERNEL_LENGTH),
    *gradient_types(listed("gradOutput", "self", among=SHORT_FLOAT)), public_format("gradOutput"),
    ranks(*GRADIENT, least=3, most=4), *arrays(2)[1:],
    half_of_the_window(2), only_batch_empty(), same_shape("gradInput", as_="self"),
    windows_fit(POOL, *ARRAYS, "ceilMode"),
    shape("gradOutput", "{0} has an element for each window", lambda a: pooled(a, POOL(a))),
    shape("indices", "{0} has room for a bit for each place of each window", mask_shape(POOL)),
    empty("gradOutput", "self"),
)  # fmt: skip
def max_pool_2d_with_mask_backward(p: Planning) -> None:
    """gradInput = the gradients of the windows, added up at the places that aclnnMaxPool2dWithMask returned; zeros
    elsewhere"""
    own_pool, shape = POOL(p), p.shape("gradOutput")
    sizes = p.shape("self")[-2:]
    if prod(own_pool.kernel) > 1:
        places = p.step(from_bytes, [p.read("indices")], shape, T.ACL_INT32, sizes=shape)
    else:
        places = p.step(of_single_places, [], shape, T.ACL_INT32, sizes=sizes, stride=own_pool.stride, shape=shape)
    add_up(p, places, 2)


def from_bytes(mask: Array, *, sizes: Shape) -> Array:
    return mask.reshape(-1)[: 4 * prod(sizes)].view(np.int32).reshape(sizes)


def of_single_places(*, sizes: Shape, stride: Shape, shape: Shape) -> Array:
    """The places for a kernel of one element: the first place of each window, as there is no padding."""
    rows, columns = (np.arange(count, dtype=np.int32) * step for count, step in zip(shape[-2:], stride, strict=True))
    return np.broadcast_to(rows[:, None] * sizes[1] + columns, shape)

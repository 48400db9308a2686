"""Adaptive pooling: the windows follow from the size of the result. Window i of n in a dimension of `size` elements
reaches from floor(i * size / n) to ceil((i + 1) * size / n)."""

from collections.abc import Sequence
from math import prod
from typing import Final

import numpy as np

from aclnn.op import (
    REAL_FLOAT, SHORT_FLOAT, Arguments, Array, Bad, Operator, Planning, Relation, Series, Shape, Windows, adaptive,
    at_least, check_range, demand, empty, except_on, lacks, length, listed, only_on, planned, ranks, same_dtype,
    same_format, same_rank, same_shape, shape, with_elements,
)  # fmt: skip
from aclnn.ops.pooling._family import T, channels_first, channels_last, only_batch_empty, sizes_of, with_sizes
from aclnn.ops.pooling.sums import average, average_back, largest_places, outer, scattered_back

MOST_INT32: Final = 2**31 - 1


def windows_of(sizes: Shape, counts: Shape) -> list[Windows]:
    return [adaptive(size, count) for size, count in zip(sizes, counts, strict=True)]


def element_counts(windows: Sequence[Windows]) -> Array:
    """The number of elements of each window."""
    return outer([own.sizes() for own in windows])


def same_lead(name: str, dims: int, as_: str = "self") -> Relation:
    """Checks that two tensors have the same batch and channels."""

    def bad(a: Arguments) -> Bad:
        sizes, expected_sizes = a.shape(name)[:-dims], a.shape(as_)[:-dims]
        return None if sizes == expected_sizes else (list(a.shape(name)), f"{list(expected_sizes)} in front, as {as_}")

    return demand("{0} has the batch and the channels of {1}", name, as_, bad=bad)


def given_size(out: str) -> Relation:
    """Checks that a tensor has planes of outputSize."""
    return shape(out, "{0} has planes of outputSize", lambda a: with_sizes(a, a["outputSize"].values))


def positive(dims: int) -> tuple[Relation, ...]:
    """Checks that outputSize has sizes above 0. On Ascend 950, 0 is accepted in two dimensions."""
    if dims == 3:
        return length("outputSize", 3), at_least("outputSize", 1)
    newest = only_on(Series.A950, at_least("outputSize", 0))
    return length("outputSize", 2), except_on(Series.A950, at_least("outputSize", 1)), newest


# the average


def averaged(p: Planning, dims: int) -> None:
    """Plans the means. In 2-d the Atlas training series computes a matrix product, which rounds FLOAT to FLOAT16."""
    x = p.read("self", T.ACL_FLOAT16 if p.soc.series is Series.TRAINING and dims == 2 else None)
    windows = windows_of(x.shape[-dims:], p["outputSize"].values)
    p.store("out", p.step(average, [x], p.shape("out"), x.dtype, windows=windows, divisor=element_counts))


@planned(
    "aclnnAdaptiveAvgPool2d", ranks("self", "out"), same_rank("out", "self"), same_lead("out", 2),
    listed("self", "out", among=SHORT_FLOAT), same_dtype("out", as_="self"), channels_first("self", "out"),
    *positive(2), given_size("out"), empty("self", "out"),
)  # fmt: skip
def adaptive_avg_pool_2d(p: Planning) -> None:
    """out = the mean of each window of self"""
    averaged(p, 2)


@planned(
    "aclnnAdaptiveAvgPool3d", listed("self"), listed("out", like="self"), same_dtype("out", as_="self"),
    ranks("self", "out"), same_rank("out", "self"), only_batch_empty(dims=3),
    except_on(Series.A950, with_elements("self")),
    *positive(3), given_size("out"), empty("self"),
)  # fmt: skip
def adaptive_avg_pool_3d(p: Planning) -> None:
    """out = the mean of each window of self"""
    averaged(p, 3)


def average_gradient(name: str, dims: int, *front: Relation) -> Operator:
    def plan(p: Planning) -> None:
        grad, sizes = p.read("gradOutput"), p.shape("self")[-dims:]
        windows = windows_of(sizes, grad.shape[-dims:])
        p.store("out", p.step(average_back, [grad], p.shape("self"), grad.dtype, windows=windows,
                              divisor=element_counts, sizes=sizes))  # fmt: skip

    plan.__doc__ = (
        f"out = the gradient of aclnnAdaptiveAvgPool{dims}d: each window divides gradOutput among its elements"
    )
    return planned(name, *front, empty("gradOutput", "self"))(plan)


def wide(a: Arguments) -> Bad:
    """Checks that DOUBLE is used only for one mean of the whole volume."""
    lone = a.shape("gradOutput")[-3:] == (1, 1, 1)
    return None if lone or a.dtype("gradOutput") != T.ACL_DOUBLE else (list(a.shape("gradOutput")), "one place")


def with_places(name: str) -> Relation:
    """Checks that no size of the volume is 0."""

    def bad(a: Arguments) -> Bad:
        return None if min(a.shape(name)[-3:]) > 0 else (list(a.shape(name)), "sizes above 0")

    return demand("the volume of {0} has places", name, bad=bad)


INPUTS = ("gradOutput", "self", "out")
SHAPES = (ranks(*INPUTS), same_rank("gradOutput", "self"))
TYPE_RULES = (listed(*INPUTS, among=SHORT_FLOAT), same_dtype("gradOutput", as_="self"))
SELF_RULES = (same_dtype("out", as_="self"), same_format("gradOutput", "self", storage=False))
adaptive_avg_pool_2d_backward = average_gradient(
    "aclnnAdaptiveAvgPool2dBackward", 2, *SHAPES, same_lead("gradOutput", 2), *TYPE_RULES, *SELF_RULES,
    same_format("out", "self", storage=False), same_shape("out", as_="self"),
)  # fmt: skip
adaptive_avg_pool_3d_backward = average_gradient(
    "aclnnAdaptiveAvgPool3dBackward", 3, *SHAPES, same_lead("gradOutput", 3), same_shape("out", as_="self"),
    listed(*INPUTS, among=REAL_FLOAT),
    demand("{0} is DOUBLE only if it has one place", "gradOutput", bad=wide, provenance="public",
           broken="{0} is DOUBLE and has several places"),
    same_dtype("gradOutput", as_="self"), *SELF_RULES, with_places("gradOutput"), with_places("self"),
)  # fmt: skip


# the largest element


def searched(p: Planning, dims: int) -> None:
    x, shape = p.read("self"), p.shape("outputOut")
    windows = windows_of(sizes_of(p, dims), p["outputSize"].values)
    values, indices = p.steps(largest_places, [x], [(shape, x.dtype), (shape, int(T.ACL_INT64))], windows=windows,
                            whole=np.int64, last=channels_last(p, dims))  # fmt: skip
    p.store("outputOut", values)
    p.store("indicesOut", indices)


@planned(
    "aclnnAdaptiveMaxPool2d", listed("self", "outputOut", among=REAL_FLOAT), same_dtype("outputOut", as_="self"),
    listed("indicesOut"), ranks("self", "outputOut", "indicesOut"), only_batch_empty(),
    same_shape("indicesOut", as_="outputOut"), length("outputSize", 2), at_least("outputSize", 1),
    given_size("outputOut"), empty("self"),
)  # fmt: skip
def adaptive_max_pool_2d(p: Planning) -> None:
    """outputOut = the largest element of each window of self; indicesOut = its place in the plane"""
    searched(p, 2)


@planned(
    "aclnnAdaptiveMaxPool3d", ranks("self", "outputOut", "indicesOut"), listed("self", "outputOut", "indicesOut"),
    same_dtype("outputOut", as_="self"), same_format("outputOut", "self", storage=False), only_batch_empty(dims=3),
    length("outputSize", 3), at_least("outputSize", 1), given_size("outputOut"),
    same_shape("indicesOut", as_="outputOut"), empty("self"),
)  # fmt: skip
def adaptive_max_pool_3d(p: Planning) -> None:
    """outputOut = the largest element of each window of self; indicesOut = its place in the volume"""
    searched(p, 3)


def large(a: Arguments) -> Bad:
    """Checks that INT32 can count the elements of a plane."""
    fits = a.dtype("indices") != T.ACL_INT32 or prod(a.shape("self")[-2:]) <= MOST_INT32
    return None if fits else (list(a.shape("self")), f"at most {MOST_INT32} places with INT32 indices")


def other_channels(a: Arguments) -> bool:
    return a.shape("gradOutput")[:-2] != a.shape("self")[:-2]


def place_gradient(dims: int) -> Operator:
    def plan(p: Planning) -> None:
        grad, indices, sizes = p.read("gradOutput"), p.read("indices"), p.shape("self")[-dims:]
        p.builder.launch(check_range, [indices], [], name="indices", count=int(np.prod(sizes)))
        p.store("gradInput", p.step(scattered_back, [grad, indices], p.shape("self"), grad.dtype, sizes=sizes,
                                    last=False))  # fmt: skip

    plan.__doc__ = "gradInput = the gradients of the windows, added up at their places; zeros elsewhere"
    return planned(
        f"aclnnAdaptiveMaxPool{dims}dBackward",
        *((lacks("other channels in gradOutput than in self", other_channels),) if dims == 2 else ()),
        listed("gradOutput", "self", "indices", "gradInput"),
        same_dtype("self", as_="gradOutput"), same_dtype("gradInput", as_="gradOutput"),
        same_format("gradOutput", "self", storage=False), same_format("gradInput", "self", storage=False),
        ranks("gradOutput", "self", "indices", "gradInput"), same_rank("gradOutput", "self"),
        *((demand("the planes of {0} are small enough for {1}", "self", "indices", bad=large),) if dims == 2
          else (same_lead("gradOutput", dims),)),
        same_shape("indices", as_="gradOutput"), same_shape("gradInput", as_="self"),
        empty("gradOutput", "self"),
    )(plan)  # fmt: skip


adaptive_max_pool_2d_backward, adaptive_max_pool_3d_backward = (place_gradient(dims) for dims in (2, 3))

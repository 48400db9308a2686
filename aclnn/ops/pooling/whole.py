"""Pooling over all places of a channel: GlobalAveragePool, GlobalMaxPool. The order of the checks is ours."""

from collections.abc import Callable
from math import prod

import numpy as np

from aclnn.op import (
    Arguments, Array, Bad, Planning, Relation, Shape, demand, empty, listed, planned, public_format, ranks, same_dtype,
    shape, total,
)  # fmt: skip


def places_left(a: Arguments) -> Shape:
    return (*a.shape("self")[:2], *(1,) * (a.rank("self") - 2))


def no_places(a: Arguments) -> Bad:
    shape = a.shape("self")
    return None if prod(shape[2:]) or not prod(shape[:2]) else (list(shape), "places with elements")


CONTRACT: tuple[Relation, ...] = (
    listed("self", "out"), same_dtype("out", as_="self"), ranks("self", "out", least=4, most=8),
    shape("out", "{0} has the batch and the channels of self, then ones", places_left),
    demand("{0} has places", "self", bad=no_places, provenance="ours"), public_format("self", "out"), empty("self"),
)  # fmt: skip


def pooled(p: Planning, kernel: Callable[[Array], Array]) -> None:
    x = p.read("self")
    rows = p.builder.reshape(x, (prod(x.shape[:2]), prod(x.shape[2:])))
    result = p.step(kernel, [rows], rows.shape[:1], x.dtype)
    p.store("out", p.builder.reshape(result, p.shape("out")))


@planned("aclnnGlobalAveragePool", *CONTRACT)
def global_average_pool(p: Planning) -> None:
    """out = the mean of all places of each channel"""
    pooled(p, averages)


def averages(x: Array) -> Array:
    return total(x, 1) / x.dtype.type(x.shape[1])


@planned("aclnnGlobalMaxPool", *CONTRACT)
def global_max_pool(p: Planning) -> None:
    """out = the largest element of each channel"""
    pooled(p, largest)


def largest(x: Array) -> Array:
    return np.max(x, 1)

"""Instance normalisation."""

from math import prod

import numpy as np

from aclnn.op import (
    Arguments, Array, Bad, Planning, Shape, before_nulls, demand, empty, listed, planned, ranks, said, same_dtype,
    same_shape, shape,
)  # fmt: skip
from aclnn.ops.norm._family import FLOAT, average

OF_TYPE_OF_X = ("gamma", "beta", "y", "mean", "variance")


def channels_last(a: Arguments) -> bool:
    return a["dataFormat"].startswith("NHWC")


def unknown(a: Arguments) -> Bad:
    data_format = a["dataFormat"]
    return None if data_format.startswith(("NHWC", "NCHW")) else (repr(data_format), "NHWC or NCHW")


def sizes(a: Arguments) -> tuple[int, int, int]:
    """The numbers of instances, of channels, and of elements in a channel of x."""
    shape = a.shape("x")
    return (shape[0], shape[3], prod(shape[1:3])) if channels_last(a) else (shape[0], shape[1], prod(shape[2:]))


def statistics_shape(a: Arguments) -> Shape:
    rows, channels, _ = sizes(a)
    return (rows, 1, 1, channels) if channels_last(a) else (rows, channels, 1, 1)


@planned(
    "aclnnInstanceNorm", before_nulls((), said("dataFormat")),
    demand("{0} begins with NHWC or NCHW", "dataFormat", bad=unknown),
    listed("x"), listed(*OF_TYPE_OF_X, like="x"),
    *(same_dtype(name, as_="x") for name in OF_TYPE_OF_X),
    ranks("x", "y", "mean", "variance", least=4, most=4), ranks("gamma", "beta", least=1, most=1),
    empty("x", *OF_TYPE_OF_X),
    shape("gamma", "{0} has one element for each channel", lambda a: sizes(a)[1:2]), same_shape("y", "x"),
    *(shape(name, "{0} has one element for each channel of each instance", statistics_shape)
      for name in ("mean", "variance")),
)  # fmt: skip
def instance_norm(p: Planning) -> None:
    """y = (x - mean) / sqrt(variance + eps) * gamma + beta. mean and variance are over a channel of an instance."""
    rows, channels, places = sizes(p)
    last = channels_last(p)
    whole = (rows, places, channels) if last else (rows, channels, places)
    per_channel = (1, 1, channels) if last else (1, channels, 1)
    per_slice = (rows, *per_channel[1:])
    x = p.builder.reshape(p.read("x", FLOAT), whole)
    affine = [p.builder.reshape(p.read(name, FLOAT), per_channel) for name in ("gamma", "beta")]
    results = [(whole, p.dtype("x")), *[(per_slice, p.dtype("x"))] * 2]
    outputs = p.steps(instances, [x, *affine], results, eps=p["eps"], axis=1 if last else 2)
    for name, result in zip(("y", "mean", "variance"), outputs, strict=True):
        p.store(name, p.builder.reshape(result, p.shape(name)))


def instances(x: Array, gamma: Array, beta: Array, *, eps: float, axis: int) -> tuple[Array, ...]:
    mean = average(x, axis)
    off = x - mean
    variance = average(off * off, axis)
    return off / np.sqrt(variance + np.float32(eps)) * gamma + beta, mean, variance

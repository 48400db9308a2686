"""ConvTbc and its gradients: a convolution over time, of tensors with the dimensions time, batch, channel."""

import numpy as np

from aclnn.op import (
    SHORT_FLOAT, Arguments, Array, Bad, Planning, Relation, Shape, demand, in_memory, listed, not_negative, planned,
    ranks, regular, same_format, same_shape, shape, total,
)  # fmt: skip
from aclnn.ops.convolution._family import T, computed, cube_math_type, multiplied
from aclnn.ops.convolution.sums import correlated, gathered, scattered


def result(a: Arguments, x: str) -> Shape:
    kernel, _, channels = a.shape("weight")
    return (a.shape(x)[0] + 2 * a["pad"] - kernel + 1, a.shape(x)[1], channels)


def channels(x: str) -> Relation:
    def bad(a: Arguments) -> Bad:
        channels, expected_channels = a.shape(x)[2], a.shape("weight")[1]
        return None if channels == expected_channels else (f"{channels} channels", f"{expected_channels}, as weight")

    return demand("{0} has the channels of weight", x, "weight", bad=bad)


PAD = not_negative("pad")


def short(x: str) -> Relation:
    def bad(a: Arguments) -> Bad:
        return None if result(a, x)[0] >= 1 else (list(a.shape(x)), "at least one window")

    return demand("{0} with its padding is at least as long as the kernel", x, "weight", "pad", bad=bad)


def bias_shape(a: Arguments) -> Shape:
    return a.shape("weight")[2:]


@planned(
    "aclnnConvTbc", listed("self", "weight", "bias", "output", among=SHORT_FLOAT),
    ranks("self", "weight", "output", least=3, most=3), ranks("bias", least=1, most=1), PAD, channels("self"),
    shape("bias", "{0} has a number for each output channel", bias_shape), short("self"),
    shape("output", "{0} has the shape of the convolution", lambda a: result(a, "self")),
    cube_math_type("self", "weight"),
)  # fmt: skip
def conv_tbc(p: Planning) -> None:
    """output[t, b, co] = bias[co] + the sum of self[t + k - pad, b, ci] * weight[k, ci, co]"""
    inputs = [*multiplied(p, "self", "weight"), p.read("bias", T.ACL_FLOAT)]
    p.store("output", p.step(along_time, inputs, result(p, "self"), computed(p, "self", "weight"), pad=p["pad"]))


@in_memory
def along_time(x: Array, weight: Array, bias: Array, *, out: Array, pad: int) -> None:
    windows = [regular(len(x), len(weight), 1, pad, 1, len(x) + 2 * pad - len(weight) + 1)]
    gathered(time_last(x), np.transpose(weight), bias, out=time_last(out), windows=windows, groups=1)


def time_last(x: Array) -> Array:
    """A view with the dimensions batch, channel, time."""
    return np.transpose(x, (1, 2, 0))


INPUTS = ("self", "input", "weight")
SAME_FORMAT = tuple(same_format(name, "self", storage=False) for name in ("input", "weight", "gradInput", "gradWeight"))


@planned(
    "aclnnConvTbcBackward", listed(*INPUTS, "bias", "gradInput", "gradWeight", "gradBias", among=SHORT_FLOAT),
    ranks(*INPUTS, least=3, most=3), ranks("bias", least=1, most=1), *SAME_FORMAT, PAD,
    channels("input"),
    shape("bias", "{0} has a number for each output channel", bias_shape), short("input"),
    shape("self", "{0} has the shape of the convolution", lambda a: result(a, "input")),
    same_shape("gradInput", as_="input"), same_shape("gradWeight", as_="weight"), same_shape("gradBias", as_="bias"),
    cube_math_type(),
)  # fmt: skip
def conv_tbc_backward(p: Planning) -> None:
    """The gradients of aclnnConvTbc with respect to input, weight and bias; self is the gradient of its output."""
    grad, x, weight = multiplied(p, *INPUTS)
    p.store("gradInput", p.step(back_in_time, [grad, weight], x.shape, T.ACL_FLOAT, pad=p["pad"]))
    p.store("gradWeight", p.step(of_weight, [x, grad], weight.shape, T.ACL_FLOAT, pad=p["pad"]))
    p.store("gradBias", p.step(of_bias, [grad], p.shape("bias"), T.ACL_FLOAT))


@in_memory
def back_in_time(grad: Array, weight: Array, *, out: Array, pad: int) -> None:
    windows = [regular(len(out), len(weight), 1, pad, 1, len(grad))]
    scattered(time_last(grad), np.transpose(weight), out=time_last(out), windows=windows, groups=1)


@in_memory
def of_weight(x: Array, grad: Array, *, out: Array, pad: int) -> None:
    windows = [regular(len(x), len(x) + 2 * pad - len(grad) + 1, 1, pad, 1, len(grad))]
    correlated(time_last(x), time_last(grad), out=np.transpose(out), windows=windows, groups=1)


def of_bias(grad: Array) -> Array:
    return total(grad, (0, 1))

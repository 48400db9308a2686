"""TransformBiasRescaleQkv: queries, keys and values of one projection, with a bias and heads of their own. And
ConfusionTranspose."""

from math import prod

import numpy as np

from aclnn.op import (
    PLAN, Arguments, Array, Bad, Planning, Shape, copies_elements, demand, empty, in_parts, listed, planned, ranks,
    reads, same_dtype, shape,
)  # fmt: skip

OUTPUTS = ("qOut", "kOut", "vOut")


def wrong_heads(a: Arguments) -> Bad:
    columns, heads = a.shape("qkv")[2], a["numHeads"]
    good = heads > 0 and columns % (3 * heads) == 0
    return None if good else (heads, f"a number that divides a third of {columns}")


def heads(a: Arguments) -> Shape:
    batch, tokens, columns = a.shape("qkv")
    return batch, a["numHeads"], tokens, columns // 3 // a["numHeads"]


@planned(
    "aclnnTransformBiasRescaleQkv", listed("qkv", "qkvBias"), same_dtype("qkvBias", "qkv"),
    *(same_dtype(name, "qkv") for name in OUTPUTS), ranks("qkv", "qkvBias", *OUTPUTS),
    shape("qkvBias", "{0} has an element for each column of qkv", lambda a: a.shape("qkv")[2:]),
    demand("{0} divides the columns of each third of {1}", "numHeads", "qkv", bad=wrong_heads),
    *(shape(name, "{0} has the tokens of each head", heads) for name in OUTPUTS), empty("qkv"),
)  # fmt: skip
def transform_bias_rescale_qkv(p: Planning) -> None:
    """qOut, kOut and vOut = the thirds of qkv + qkvBias, with heads before tokens; qOut is divided by the root of the
    elements of a head"""
    qkv, bias, size = p.read("qkv"), p.read("qkvBias"), p.shape("qkvBias")[0] // 3
    for number, name in enumerate(OUTPUTS):
        third = slice(number * size, (number + 1) * size)
        divisor = np.float32(np.sqrt(heads(p)[3])) if number == 0 else np.float32(1)
        p.store(name, p.step(by_head, [qkv.along(2, third), bias.part(third)], heads(p), p.dtype(name),
                             count=p["numHeads"], divisor=divisor))  # fmt: skip


@in_parts(first=1, whole=[1])
def by_head(x: Array, bias: Array, *, count: int, divisor: np.float32) -> Array:
    batch, tokens, _ = x.shape
    return np.swapaxes(((x + bias) / divisor).reshape(batch, tokens, count, -1), 1, 2)


# permutations


def permuted(shape: Shape, a: Arguments) -> Shape:
    places: Shape = a["perm"].values
    return tuple(shape[i] for i in places)


def wrong_order(a: Arguments) -> Bad:
    rank = a.rank("x") if a["transpose_first"] else len(a["shape"].values)
    return None if sorted(a["perm"].values) == list(range(rank)) else (list(a["perm"].values), f"0 to {rank - 1}")


def wrong_sizes(a: Arguments) -> Bad:
    sizes = list(a["shape"].values)
    return None if prod(sizes) == a["x"].numel and min(sizes, default=1) >= 0 else (sizes, f"{a['x'].numel} elements")


def result(a: Arguments) -> Shape:
    sizes: Shape = tuple(a["shape"].values)
    return sizes if a["transpose_first"] else permuted(sizes, a)


@planned(
    "aclnnConfusionTranspose", reads("x"), listed("x"), same_dtype("out", "x"), ranks("x"),
    demand("{0} has the elements of {1}", "shape", "x", bad=wrong_sizes, status=PLAN),
    demand("{0} is an order of dimensions", "perm", "x", bad=wrong_order, status=PLAN),
    shape("out", "{0} has the shape of the result", result, status=PLAN), empty("x"),
)  # fmt: skip
def confusion_transpose(p: Planning) -> None:
    """out = x in the shape `shape`, then with its dimensions in the order of perm; with transpose_first in the other
    order"""
    x = p.read("x")
    if p["transpose_first"]:
        turned = p.step(in_order, [x], permuted(x.shape, p), x.dtype, moves=True, places=tuple(p["perm"].values))
        p.store("out", p.builder.reshape(turned, result(p)))
        return
    whole = p.builder.reshape(x, tuple(p["shape"].values))
    p.store("out", p.step(in_order, [whole], result(p), x.dtype, moves=True, places=tuple(p["perm"].values)))


@copies_elements
def in_order(x: Array, *, places: Shape) -> Array:
    return np.transpose(x, places)

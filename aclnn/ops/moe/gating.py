"""Gating: the experts with the largest probabilities of each token."""

from math import prod
from typing import cast

import numpy as np

from aclnn.op import (
    TILING, Arguments, Array, Bad, Planning, Relation, Shape, T, Tensor, demand, in_parts, listed, one_of, only_if,
    order, planned, public_format, ranks, same_dtype, same_shape, shape, softmax_along, stands_for_null,
)  # fmt: skip


def too_many_selected(a: Arguments) -> Bad:
    most = min(a.shape("x")[-1], 1024)
    return None if 0 <= a["k"] <= most else (a["k"], f"0 to {most}, as x has experts")


def chosen(a: Arguments) -> Shape:
    return (*a.shape("x")[:-1], a["k"])


def gating(*outputs: str) -> tuple[Relation, ...]:
    """The rules of both versions. `outputs`: the outputs with k elements for each token."""
    return (
        listed("x", "finishedOptional", "expertIdxOut"), same_dtype("yOut", "x"), public_format("x", "yOut"),
        ranks("x", least=2, most=3, status=TILING),
        shape("finishedOptional", "{0} has the tokens of x", lambda a: a.shape("x")[:-1], status=TILING),
        demand("{0} is at most the number of experts", "k", "x", bad=too_many_selected, status=TILING),
        *(shape(output, "{0} has k elements for each token", chosen, status=TILING) for output in outputs),
    )  # fmt: skip


@in_parts([-1])
def softmax_of_rows(x: Array) -> Array:
    return softmax_along(x, axis=-1)


@in_parts(first=1)
def largest(x: Array, finished: Array | None = None, *, k: int, renormalise: bool) -> tuple[Array, Array]:
    """The k largest scores in descending order, and their experts. Of equal scores the first is taken. For a finished
    token, each expert is the number of experts."""
    scores = x if renormalise else softmax_along(x, axis=-1)
    places = order(-scores, -1, first=k)
    values = np.take_along_axis(scores, places, -1)
    if finished is not None:
        places = np.where(finished[..., None], x.shape[-1], places)
    return softmax_along(values, axis=-1) if renormalise and k else values, places


def choose(p: Planning, *, renormalise: bool) -> None:
    tokens, sizes = prod(p.shape("x")[:-1]), chosen(p)
    inputs = [p.builder.reshape(p.read("x"), (tokens, p.shape("x")[-1]))]
    if p.given("finishedOptional"):
        inputs.append(p.builder.reshape(p.read("finishedOptional"), (tokens,)))
    results = [((tokens, p["k"]), p.dtype("x")), ((tokens, p["k"]), T.ACL_INT32)]
    values, places = p.steps(largest, inputs, results, k=p["k"], renormalise=renormalise)
    p.store("yOut", p.builder.reshape(values, sizes))
    p.store("expertIdxOut", p.builder.reshape(places, sizes))


def numbers(*, sizes: Shape) -> Array:
    """The numbers of the places in column order."""
    rows, k = int(np.prod(sizes[:-1])), sizes[-1]
    return np.transpose(cast("Array", np.arange(rows * k, dtype=np.int32)).reshape(k, rows)).reshape(sizes)


@planned(
    "aclnnMoeGatingTopKSoftmax", *gating("yOut", "expertIdxOut", "rowIdxOut"), listed("rowIdxOut"),
)  # fmt: skip
def moe_gating_top_k_softmax(p: Planning) -> None:
    """yOut and expertIdxOut = the k largest of softmax(x) of each token, and their experts, in descending order. For a
    finished token expertIdxOut is the number of experts. rowIdxOut = the numbers of the places in the column order."""
    choose(p, renormalise=False)
    p.store("rowIdxOut", p.step(numbers, [], chosen(p), T.ACL_INT32, moves=True, sizes=chosen(p)))


def has_softmax(a: Arguments) -> bool:
    """True if there is an output for the softmax. torch_npu passes an empty tensor for none."""
    result: Tensor | None = a["softmaxResultOutOptional"]
    return result is not None and not stands_for_null(result)


@planned(
    "aclnnMoeGatingTopKSoftmaxV2", *gating("yOut", "expertIdxOut"), one_of("renorm", 0, 1, status=TILING),
    listed("softmaxResultOutOptional", unless=stands_for_null),
    only_if("softmaxResultOutOptional is no empty tensor", has_softmax,
            same_shape("softmaxResultOutOptional", "x", status=TILING)),
)  # fmt: skip
def moe_gating_top_k_softmax_v2(p: Planning) -> None:
    """Like aclnnMoeGatingTopKSoftmax if renorm is 0; softmaxResultOut = softmax(x) if outputSoftmaxResultFlag is true.
    If renorm is 1: yOut = softmax of the k largest of x"""
    choose(p, renormalise=p["renorm"] == 1)
    if p["outputSoftmaxResultFlag"] and p["renorm"] == 0 and has_softmax(p):
        x = p.read("x")
        p.store("softmaxResultOutOptional", p.step(softmax_of_rows, [x], x.shape, T.ACL_FLOAT))

"""MhcPost: the residual streams after a layer, and the gradient."""

from math import prod

import numpy as np

from aclnn.op import (
    Arguments, Array, Operand, Planning, Relation, Series, Shape, in_parts, lacks, listed, planned,
    ranks, required, same_dtype, same_shape, shape,
)  # fmt: skip

MATRIX, LAYER, GATE = "hRes", "hOut", "hPost"


def streams(a: Arguments) -> Shape:
    """The shape of x: tokens in one dimension or two, streams, and elements."""
    return a.shape("x")


def matrices(a: Arguments) -> Shape:
    *tokens, number, _ = streams(a)
    return (*tokens, number, number)


def of_layer(a: Arguments) -> Shape:
    *tokens, _, size = streams(a)
    return (*tokens, size)


def gates(a: Arguments) -> Shape:
    return streams(a)[:-1]


def without_matrix(a: Arguments) -> bool:
    return not a.given(MATRIX) and a.soc.series is not Series.A950


def shapes(prefix: str = "") -> tuple[Relation, ...]:
    """The shapes of the three tensors beside x, or of their gradients."""
    names = (f"{prefix}{name[0].upper()}{name[1:]}" if prefix else name for name in (MATRIX, LAYER, GATE))
    sentences = ("{0} has a matrix for each token", "{0} has a row for each token", "{0} has a number for each stream")
    return tuple(
        shape(name, sentence, expected)
        for name, sentence, expected in zip(names, sentences, (matrices, of_layer, gates), strict=True)
    )


def by_tokens(p: Planning, name: str) -> Operand:
    """A tensor with one dimension for the tokens."""
    sizes = p.shape(name)
    lead = p.rank("x") - 2
    return p.builder.reshape(p.read(name), (prod(sizes[:lead]), *sizes[lead:]))


@planned(
    "aclnnMhcPost", lacks("no hRes on A2 and A3", without_matrix), listed("x", MATRIX, LAYER, GATE, "out"),
    same_dtype(LAYER, "x"), same_dtype("out", "x"), ranks("x", MATRIX, LAYER, GATE, "out"), *shapes(),
    same_shape("out", "x"),
)  # fmt: skip
def mhc_post(p: Planning) -> None:
    """out = hRes.T @ x + the outer product of hPost and hOut, for each token. Without hRes x itself is added."""
    names = ["x", LAYER, GATE, *([MATRIX] if p.given(MATRIX) else [])]
    inputs = [by_tokens(p, name) for name in names]
    out = p.step(mixed, inputs, inputs[0].shape, p.dtype("out"))
    p.store("out", p.builder.reshape(out, p.shape("out")))


@in_parts(first=1)
def mixed(x: Array, layer: Array, gate: Array, *matrix: Array) -> Array:
    carried = np.matmul(np.swapaxes(matrix[0], 1, 2), x) if matrix else x
    return carried + gate[:, :, None] * layer[:, None, :]


@planned(
    "aclnnMhcPostBackward", required(MATRIX), listed("gradOutput", MATRIX),
    *(same_dtype(name, "gradOutput") for name in ("x", LAYER, "gradX", "gradHOut")),
    *(same_dtype(name, MATRIX) for name in (GATE, "gradHRes", "gradHPost")),
    ranks("gradOutput", "x", MATRIX, LAYER, GATE), same_shape("gradOutput", "x"), *shapes(), same_shape("gradX", "x"),
    *shapes("grad"),
)  # fmt: skip
def mhc_post_backward(p: Planning) -> None:
    """gradX = hRes @ gradOutput; gradHRes = x @ gradOutput.T; gradHOut = the sum of hPost * gradOutput over the
    streams; gradHPost = the sum of gradOutput * hOut over the elements; all for each token."""
    inputs = [by_tokens(p, name) for name in ("gradOutput", "x", MATRIX, LAYER, GATE)]
    grad, x, matrix, layer, gate = inputs
    results = [(each.shape, each.dtype) for each in (x, matrix, layer, gate)]
    outputs = p.steps(slopes, [grad, x, matrix, layer, gate], results)
    for name, result in zip(("gradX", "gradHRes", "gradHOut", "gradHPost"), outputs, strict=True):
        p.store(name, p.builder.reshape(result, p.shape(name)))


@in_parts(first=1)
def slopes(grad: Array, x: Array, matrix: Array, layer: Array, gate: Array) -> tuple[Array, Array, Array, Array]:
    of_matrix = np.matmul(x, np.swapaxes(grad, 1, 2))
    of_rows = np.matmul(gate[:, None, :], grad)[:, 0]
    return np.matmul(matrix, grad), of_matrix, of_rows, np.matmul(grad, layer[:, :, None])[:, :, 0]

"""A call of each type, with its results by numpy.

case("Tanh", [X], [np.tanh(X)])                      the inputs, the results, the attributes
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from acl_runtime import ACL_BOOL, ACL_FLOAT16, ACL_FORMAT_NHWC, ACL_INT64
from tests.aclnn.by_name import derivatives
from tests.aclnn.by_name.case import *
from tests.helpers.named_operators import Array, OnHost


def erf(x: Array) -> Array:
    from math import erf as of_one

    return np.vectorize(of_one)(x).astype(F32)


UNARY: dict[str, tuple[Array, Callable[[Array], Array]]] = {
    "Abs": (X, np.abs), "Acos": (SMALL, np.arccos), "Asin": (SMALL, np.arcsin), "Atan": (X, np.arctan),
    "Ceil": (X, np.ceil), "Cos": (X, np.cos), "Cosh": (X, np.cosh), "Erf": (X, erf), "Expm1": (X, np.expm1),
    "Floor": (X, np.floor), "Log1p": (POSITIVE, np.log1p), "Neg": (X, np.negative), "Reciprocal": (X, lambda x: 1 / x),
    "Inv": (X, lambda x: 1 / x), "Relu": (X, lambda x: np.maximum(x, 0)), "Rsqrt": (POSITIVE, lambda x: 1 / np.sqrt(x)),
    "Sigmoid": (X, sigmoid), "Sign": (X, np.sign), "Sin": (X, np.sin), "Sinh": (X, np.sinh),
    "Sqrt": (POSITIVE, np.sqrt), "Square": (X, np.square), "Tan": (SMALL, np.tan), "Tanh": (X, np.tanh),
    "LogicalNot": (B, np.logical_not), "Invert": (N, np.invert), "Identity": (X, lambda x: x),
    "OnesLike": (X, np.ones_like), "ZerosLike": (X, np.zeros_like), "Softplus": (X, softplus),
    "Mish": (X, lambda x: x * np.tanh(softplus(x))), "Exp": (X, np.exp), "Log": (POSITIVE, np.log),
    "HardSwish": (X, lambda x: x * np.clip(x + 3, 0, 6) / 6), "Round": (X, np.round),
    "Gelu": (X, lambda x: x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3))) / 2),
    "Selu": (X, lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x))),
    "Elu": (X, lambda x: np.where(x > 0, x, np.expm1(x))), "Swish": (X, lambda x: x * sigmoid(x)),
    "LeakyRelu": (X, lambda x: np.where(x > 0, x, 0)), "HardSigmoid": (X, lambda x: np.clip(x / 6 + 0.5, 0, 1)),
    "Power": (X, lambda x: x),
}  # fmt: skip
BINARY: dict[str, tuple[Array, Array, Callable[[Array, Array], Array]]] = {
    "Add": (X, Y, np.add), "AddV2": (X, Y[0], np.add), "Sub": (X, Y, np.subtract), "Mul": (X, Y[:, :1], np.multiply),
    "Maximum": (X, Y, np.maximum), "Minimum": (X, Y, np.minimum), "Div": (X, Y, np.divide),
    "RealDiv": (X, Y, np.divide),
    "FloorDiv": (N, M, np.floor_divide), "Mod": (N, M, np.fmod), "FloorMod": (N, M, np.mod),
    "Pow": (POSITIVE, Y, np.power), "Atan2": (X, Y, np.arctan2), "Equal": (N, M, np.equal),
    "NotEqual": (N, M, np.not_equal), "Greater": (X, Y, np.greater), "GreaterEqual": (N, M, np.greater_equal),
    "Less": (X, Y, np.less), "LessEqual": (N, M, np.less_equal), "LogicalAnd": (B, C, np.logical_and),
    "LogicalOr": (B, C, np.logical_or), "BitwiseAnd": (N, M, np.bitwise_and), "BitwiseOr": (N, M, np.bitwise_or),
    "BitwiseXor": (N, M, np.bitwise_xor), "DivNoNan": (X, Y, np.divide),
}  # fmt: skip


def elementwise() -> Iterator[Case]:
    for type, (x, function) in UNARY.items():
        yield case(type, [x], [function(x).astype(x.dtype)])
    for type, (x, y, function) in BINARY.items():
        yield case(type, [x, y], [function(x, y)])
    yield case("Cast", [X], [X.astype(F16)], dst_type=int(ACL_FLOAT16))
    yield case("Cast", [X], [X != 0], dst_type=int(ACL_BOOL))
    yield case("Exp", [X], [np.power(F32(2), X * 3 + 1)], base=2.0, scale=3.0, shift=1.0)
    yield case("Exp", [X.astype(F16)], [np.exp(X.astype(F16).astype(F32)).astype(F16)])
    yield case("Log", [POSITIVE], [np.log2(POSITIVE * 3 + 1)], base=2.0, scale=3.0, shift=1.0)
    yield case("Power", [POSITIVE], [np.sqrt(POSITIVE * 2 + 1)], power=0.5, scale=2.0, shift=1.0)
    yield case("Round", [X], [np.round(X, 1)], decimals=1)
    yield case("LeakyRelu", [X], [np.where(X > 0, X, X * F32(0.2))], negative_slope=0.2)
    yield case("Elu", [X], [np.where(X > 0, X * 2, 2 * 0.5 * np.expm1(X)).astype(F32)], alpha=0.5, scale=2.0)
    yield case("HardSigmoid", [X], [np.clip(X * 0.5 + 0.25, 0, 1).astype(F32)], alpha=0.5, beta=0.25)
    yield case("Swish", [X], [X * sigmoid(2 * X)], scale=2.0)
    s = sigmoid(2 * X)
    yield case("SwishGrad", [Y, X, X * s], [Y * (2 * X * s + s * (1 - 2 * X * s))], scale=2.0)
    yield case("Adds", [X], [X + F32(1.5)], value=1.5)
    yield case("Muls", [N], [N * 3], value=3.0)
    yield case("Axpy", [X, Y], [X + F32(0.5) * Y], alpha=0.5)
    yield case("AxpyV2", [X, Y, one(0.5)], [X + F32(0.5) * Y])
    yield case("Div", [N, np.where(M > 4, M, 0).astype(I32)], [np.trunc(N / M).astype(I32) * (M > 4)])
    yield case("Div", [np.array([7, 200, 0], U8), np.array([2, 3, 0], U8)], [np.array([3, 66, 0], U8)])
    yield case("DivNoNan", [X, Y * C], [np.divide(X, Y, out=np.zeros_like(X), where=C)])
    yield case("Select", [B, X, Y], [np.where(B, X, Y)])
    yield case("SelectV2", [B[:1], X, Y], [np.where(B[:1], X, Y)])
    yield case("ClipByValue", [X, one(-0.5), one(0.5)], [np.clip(X, -0.5, 0.5)])
    yield case("Fill", [ints(2, 3), one(1.5)], [np.full((2, 3), 1.5, F32)])
    yield case("FillD", [one(1.5)], [np.full((2, 3), 1.5, F32)], dims=[2, 3])
    yield case("MaskedFill", [X, B, one(9)], [np.where(B, F32(9), X)])


def movement() -> Iterator[Case]:
    image = normal(1, 2, 3, 4)
    yield case("Transpose", [CUBE, ints(2, 0, 1)], [CUBE.transpose(2, 0, 1)])
    yield case("Transpose", [CUBE, np.array([2, 0, 1], I64)], [CUBE.transpose(2, 0, 1)])
    yield case("TransposeD", [CUBE], [CUBE.transpose(1, 2, 0)], perm=[1, 2, 0])
    yield case("TransData", [image], [image.transpose(0, 2, 3, 1)], src_format="NCHW", dst_format="NHWC")
    yield case("TransData", [image], [image.transpose(0, 3, 1, 2)], src_format="NHWC", dst_format="NCHW")
    yield case("ConfusionTransposeD", [X], [X.reshape(2, 2, 3).transpose(1, 0, 2)], perm=[1, 0, 2], shape=[2, 2, 3],
               transpose_first=False)  # fmt: skip
    yield case("ConfusionTransposeD", [CUBE], [CUBE.transpose(1, 0, 2).reshape(6, 4)], perm=[1, 0, 2], shape=[6, 4],
               transpose_first=True)  # fmt: skip
    yield case("Reshape", [X, ints(2, 6)], [X.reshape(2, 6)])
    yield case("Flatten", [CUBE], [CUBE.reshape(2, 12)])
    yield case("FlattenV2", [CUBE], [CUBE.reshape(2, 12)])
    yield case("Squeeze", [X[None]], [X])
    yield case("Unsqueeze", [X], [X[None]], axes=[0])
    yield case("Concat", [ints(1), X, Y], [np.concatenate([X, Y], 1)], N=2)
    yield case("ConcatD", [X, Y, X], [np.concatenate([X, Y, X])], concat_dim=0)
    yield case("ConcatV2", [X, Y, ints(1)], [np.concatenate([X, Y], 1)])
    yield case("ConcatV2D", [X, Y], [np.concatenate([X, Y], 1)], concat_dim=1, N=2)
    yield case("Split", [ints(1), X], np.split(X, 2, 1), num_split=2)
    yield case("SplitD", [X], np.split(X, 3), split_dim=0, num_split=3)
    yield case("SplitV", [X, ints(1, -1), ints(1)], np.split(X, [1], 1), num_split=2)
    yield case("SplitVD", [X], np.split(X, [1], 1), size_splits=[1, 3], split_dim=1, num_split=2)
    yield case("Pack", [X, Y], [np.stack([X, Y], 1)], axis=1, N=2)
    yield case("Unpack", [X], [X[:, at] for at in range(4)], num=4, axis=1)
    yield case("Slice", [X, ints(1, 1), ints(-1, 2)], [X[1:, 1:3]])
    short = N.astype(np.int16)  # images of OpenCV have 16 bits too
    yield case("Slice", [short, ints(0, 1), ints(2, -1)], [short[:2, 1:]])
    yield case("StridedSliceD", [short], [short[::2, -3:]], begin=[0, -3], end=[9, 4], strides=[2, 1])
    yield case("Crop", [short, np.empty((2, 2), np.int16)], [short[1:, 1:3]], axis=0, offsets=[1])
    yield case("BroadcastTo", [short[:1], ints(3, 4)], [np.broadcast_to(short[:1], (3, 4))])
    yield case("SliceD", [X], [X[1:, 1:3]], offsets=[1, 1], size=[2, 2])
    yield case("StridedSlice", [X, ints(0, 1), ints(3, 4), ints(2, 1)], [X[0:3:2, 1:4]])
    yield case("StridedSlice", [X, ints(1, 0), ints(2, 2), ints(1, 1)], [X[1, 0:2]], shrink_axis_mask=1)
    yield case("StridedSliceD", [X], [X[0:3:2, 1:4]], begin=[0, 1], end=[3, 4], strides=[2, 1])
    yield case("Crop", [image, np.empty((1, 2, 2, 3), F32)], [image[:, :, 1:3, 1:4]], axis=2, offsets=[1, 1])
    yield case("Pad", [X, ints(1, 0, 0, 2)], [np.pad(X, [(1, 0), (0, 2)])])
    yield case("PadD", [X], [np.pad(X, [(1, 0), (0, 2)])], paddings=[[1, 0], [0, 2]])
    yield case("PadV3", [X, ints(1, 0, 0, 2), one(5)], [np.pad(X, [(1, 0), (0, 2)], constant_values=5)])
    yield case("PadV3", [X, ints(1, 0, 0, 2)], [np.pad(X, [(1, 0), (0, 2)])], paddings_contiguous=False)
    for mode in ("reflect", "edge", "wrap"):
        padded = np.pad(image, [(0, 0), (0, 0), (1, 1), (2, 1)], mode=mode)  # pyright: ignore
        yield case("PadV3", [image, ints(0, 0, 0, 0, 1, 1, 2, 1)], [padded],
                   mode="circular" if mode == "wrap" else mode)  # fmt: skip
    yield case("BroadcastTo", [X[:1], ints(3, 4)], [np.repeat(X[:1], 3, 0)])
    yield case("Expand", [X[:1], ints(3, 4)], [np.repeat(X[:1], 3, 0)])
    yield case("BroadcastToD", [X[:1]], [np.repeat(X[:1], 3, 0)], shape=[3, 4])
    yield case("ExpandD", [X[:1]], [np.repeat(X[:1], 3, 0)], shape=[3, 4])
    yield case("Tile", [X, ints(2, 3)], [np.tile(X, (2, 3))])
    yield case("TileD", [X], [np.tile(X, (2, 3))], multiples=[2, 3])
    yield case("ReverseV2", [X, ints(1)], [X[:, ::-1]])
    yield case("ReverseV2D", [X], [X[::-1]], axis=[0])
    yield case("AsStrided", [X, ints(2, 3), ints(1, 4), ints(1)], [X.T[1:3]])
    copied = X.copy()
    copied[:2, :2] = Y.T[:2, :2]
    yield case("ViewCopy", [X, ints(2, 2), ints(4, 1), ints(0), Y, ints(2, 2), ints(1, 4), ints(0)], [copied])
    yield case("Triu", [X], [np.triu(X, 1)], diagonal=1)
    yield case("Tril", [X], [np.tril(X, -1)], diagonal=-1)


def indexing() -> Iterator[Case]:
    places = np.array([2, 0], I32)
    yield case("GatherV2", [X, places, ints(0)], [X[places]])
    yield case("GatherV2D", [X, places], [X[:, places]], axis=1)
    replaced = X.copy()
    replaced[places] = Y[:2]
    yield case("ScatterUpdate", [X, places, Y[:2]], [replaced])
    yield case("ScatterNdUpdate", [X, places[:, None], Y[:2]], [replaced])
    at, beside = np.array([2, 0], I64), np.array([3, 1], I64)
    yield case("Index", [X, ints(1, 1, dtype=I64), ints(1, dtype=I64), at, beside], [X[at, beside]])
    yield case("Index", [X, ints(0, 1, dtype=I64), ints(1, dtype=I64), beside], [X[:, beside]])
    put, summed = X.copy(), X.copy()
    put[at, beside] = Y[0, :2]
    yield case("IndexPutV2", [X, Y[0, :2], ints(1, 1, dtype=I64), ints(1, dtype=I64), at, beside], [put])
    np.add.at(summed, at, Y[:2])
    yield case("IndexPutV2", [X, Y[:2], ints(1, dtype=I64), ints(1, dtype=I64), at], [summed], accumulate=True)
    hot = np.where(np.eye(4, dtype=bool)[[2, 0]], F32(5), F32(-1))
    yield case("OneHot", [places, ints(4), one(5), one(-1)], [hot])
    yield case("OneHotD", [places, one(5), one(-1)], [hot], depth=4)
    yield case("Range", [OnHost(one(1)), OnHost(one(3)), OnHost(one(0.5))], [np.arange(1, 3, 0.5, F32)])
    yield case("Range", [one(1, I64), one(7, I64), one(2, I64)], [np.arange(1, 8, 2)], is_closed=True)
    yield case("ArgMaxV2", [X, ints(1)], [X.argmax(1).astype(I32)], dtype=3)
    yield case("ArgMaxD", [X], [X.argmax(0)], dimension=0, dtype=int(ACL_INT64))
    yield case("ArgMin", [X, ints(-1)], [X.argmin(1).astype(I32)])
    yield case("ArgMinD", [X], [X.argmin(0).astype(I32)], dimension=0)
    order = np.argsort(-X, 1)
    top = order[:, :2].astype(I32)
    yield case("TopKV2", [X, ints(2)], [np.take_along_axis(X, top, 1), top])
    yield case("TopK", [X, ints(2)], [np.take_along_axis(X, top, 1), top])
    yield case("Sort", [X], [np.take_along_axis(X, order, 1), order.astype(I32)], descending=True)


REDUCTIONS: dict[str, tuple[Array, Any]] = {
    "Sum": (CUBE, np.sum), "Mean": (CUBE, np.mean), "Prod": (CUBE, np.prod), "Max": (CUBE, np.max),
    "Min": (CUBE, np.min),
    "All": (CUBE > -1, np.all), "Any": (CUBE > 1, np.any),
}  # fmt: skip


def reductions() -> Iterator[Case]:
    for name, (x, function) in REDUCTIONS.items():
        yield case(f"Reduce{name}", [x, ints(0, -1)], [function(x, axis=(0, 2))])
        yield case(f"Reduce{name}", [x, np.array([1], I64)], [function(x, axis=1, keepdims=True)], keep_dims=True)
        yield case(f"Reduce{name}", [x, ints()], [x])
        yield case(f"Reduce{name}D", [x], [function(x, axis=2)], axes=[2])
    yield case("Cumsum", [X, ints(1)], [np.cumsum(X, 1)])
    yield case("Cumsum", [X, ints(1)], [np.cumsum(X, 1) - X], exclusive=True)
    yield case("CumsumD", [X], [np.cumsum(X[::-1], 0)[::-1]], axis=0, reverse=True)
    yield case("SoftmaxV2", [X], [softmax(X)])
    yield case("SoftmaxV2", [X.astype(F16)], [softmax(X.astype(F16).astype(F32), 0)], axes=[0], half_to_float=True)
    yield case("LogSoftmaxV2", [X], [np.log(softmax(X))], axes=[1])
    scores, mask = normal(2, 1, 4, 4), np.triu(np.ones((4, 4), bool), 1)[None, None]
    yield case("ScaledMaskedSoftmax", [scores, np.repeat(mask, 2, 0)], [softmax(np.where(mask, -10000, scores * 2))],
               scale=2.0)  # fmt: skip
    gamma, beta = normal(4), normal(4)
    mean, variance = X.mean(1, keepdims=True), X.var(1, keepdims=True)
    norm = {"begin_norm_axis": 1, "begin_params_axis": 1, "epsilon": 1e-3}
    y = (X - mean) / np.sqrt(variance + 1e-3) * gamma + beta
    yield case("LayerNorm", [X, gamma, beta], [y, mean, variance], **norm)
    yield case("LayerNormV3", [X, gamma, beta], [y, mean, 1 / np.sqrt(variance + 1e-3)], **norm)
    image = normal(2, 3, 2, 2)
    scale, offset, given, spread = normal(3), normal(3), normal(3), RANDOM.uniform(0.5, 2, 3).astype(F32)

    def normed(mean: Array, variance: Array, epsilon: float) -> Array:
        row = [each[:, None, None] for each in (mean, variance, scale, offset)]
        return ((image - row[0]) / np.sqrt(row[1] + F32(epsilon)) * row[2] + row[3]).astype(F32)

    yield case("BNInfer", [image, scale, offset, given, spread], [normed(given, spread, 1e-3)], epsilon=1e-3)
    yield case("BatchNorm", [image, scale, offset, given, spread],
               [normed(given, spread, 1e-4), given, spread, given, spread], is_training=False,
               data_format="NCHW")  # fmt: skip
    axes = (0, 2, 3)
    sums = image.sum(axes, keepdims=True), (image * image).sum(axes, keepdims=True)
    yield case("BNTrainingReduce", [image], [each.reshape(1, 3, 1, 1) for each in sums])


def convolved(x: Array, w: Array, stride: int = 1, pad: int = 0) -> Array:
    """A plain loop, NCHW."""
    x = np.pad(x, [(0, 0), (0, 0), (pad, pad), (pad, pad)])
    kernel = w.shape[2]
    rows, columns = ((size - kernel) // stride + 1 for size in x.shape[2:])
    out = np.zeros((x.shape[0], w.shape[0], rows, columns), np.float64)
    for i in range(rows):
        for j in range(columns):
            part = x[:, :, i * stride : i * stride + kernel, j * stride : j * stride + kernel]
            out[:, :, i, j] = np.tensordot(part, w, ([1, 2, 3], [1, 2, 3]))
    return out.astype(F32)


def slopes(x: Array, w: Array, grad: Array, of: Array, stride: int, pad: int) -> Array:
    """The derivative of sum(grad * convolved(x, w)), by differences: the sum is linear in each."""
    found = np.zeros_like(of)
    for at in np.ndindex(of.shape):
        unit = np.zeros_like(of)
        unit[at] = 1
        pair = (unit, w) if of is x else (x, unit)
        found[at] = (convolved(*pair, stride, pad) * grad).sum()
    return found


def products() -> Iterator[Case]:
    a, b, bias = normal(3, 5), normal(5, 4), normal(4)
    yield case("MatMul", [a, b], [a @ b])
    yield case("MatMul", [np.ascontiguousarray(a.T), b, bias], [a @ b + bias], transpose_x1=True)
    yield case("MatMulV2", [a.astype(F16), np.ascontiguousarray(b.T).astype(F16)],
               [(a.astype(F16).astype(F32) @ b.astype(F16).astype(F32)).astype(F16)], transpose_x2=True)  # fmt: skip
    batch = normal(2, 3, 5)
    yield case("BatchMatMul", [batch, np.stack([b, b * 2])], [batch @ np.stack([b, b * 2])])
    yield case("BatchMatMulV2", [np.ascontiguousarray(batch.transpose(0, 2, 1)), np.stack([b, b])], [batch @ b],
               adj_x1=True)  # fmt: skip
    c = normal(3, 4)
    scaled = F32(0.5) * (a @ b) + 2 * c
    yield case("GEMM", [a, np.ascontiguousarray(b.T), c, OnHost(one(0.5)), OnHost(one(2))], [scaled], transpose_b=True)
    x, w, bias = normal(1, 2, 5, 5), normal(3, 2, 3, 3), normal(3)
    nchw = {"strides": [1, 1, 2, 2], "pads": [1, 1, 1, 1], "dilations": [1, 1, 1, 1], "data_format": "NCHW"}
    y = convolved(x, w, 2, 1)
    yield case("Conv2D", [x, w, bias], [y + bias[:, None, None]], **nchw)
    nhwc = {"strides": [1, 2, 2, 1], "pads": [1, 1, 1, 1]}
    last = np.ascontiguousarray(x.transpose(0, 2, 3, 1))
    yield case("Conv2D", [last, w], [y.transpose(0, 2, 3, 1)], **nhwc)
    grad = normal(*y.shape)
    yield case("Conv2DBackpropInput", [ints(*x.shape), w, grad], [slopes(x, w, grad, x, 2, 1)], **nchw)
    yield case("Conv2DBackpropFilter", [x, ints(*w.shape), grad], [slopes(x, w, grad, w, 2, 1)], **nchw)
    yield case("Conv2DTranspose", [ints(*x.shape), grad, w], [slopes(x, w, grad, x, 2, 1)], **nchw)
    deep = x[:, :, None]
    yield case("Conv3D", [deep, w[:, :, None]], [y[:, :, None]], strides=[1, 1, 1, 2, 2], pads=[0, 0, 1, 1, 1, 1],
               data_format="NCDHW")  # fmt: skip


def images() -> Iterator[Case]:
    x = normal(1, 2, 4, 6)
    blocks = x.reshape(1, 2, 2, 2, 3, 2)
    halves = {"ksize": [1, 1, 2, 2], "strides": [1, 1, 2, 2]}
    yield case("MaxPoolV3", [x], [blocks.max((3, 5))], **halves)
    yield case("AvgPoolV2", [x], [blocks.mean((3, 5))], **halves)
    yield case("MaxPoolV3", [x], [x.max((2, 3), keepdims=True)], global_pooling=True, **halves)
    yield case("GlobalAveragePool", [x], [x.mean((2, 3), keepdims=True)])
    nhwc = {0: ACL_FORMAT_NHWC}
    last = np.ascontiguousarray(x.transpose(0, 2, 3, 1))
    twice = np.repeat(np.repeat(last, 2, 1), 2, 2)
    yield case("ResizeNearestNeighborV2", [last, ints(8, 12)], [twice], nhwc)
    yield case("ResizeArea", [last, ints(2, 3)], [blocks.mean((3, 5)).transpose(0, 2, 3, 1)], nhwc)
    yield case("ResizeBilinearV2", [last, ints(2, 3)], [blocks.mean((3, 5)).transpose(0, 2, 3, 1)], nhwc)
    yield case("ResizeBicubic", [last, ints(4, 6)], [last], nhwc)
    boxes = np.array([[0, 0, 10, 10], [10, 10, 20, 20], [32, 32, 38, 42]], F32)
    others = np.array([[0, 0, 10, 20], [0, 10, 10, 10], [10, 10, 20, 20]], F32)
    yield case("Iou", [boxes, others], [[[0.4987526, 0, 0], [0, 0, 0], [0, 0.9960139, 0]]], eps=0.01)
    yield case("Iou", [boxes[:1], others[:1]], [[[0.49925]]], eps=0.01, mode="iof")


def training() -> Iterator[Case]:
    numbers = {"beta1_power": 0.9, "beta2_power": 0.999, "lr": 0.001, "weight_decay": 0.01, "beta1": 0.9,
               "beta2": 0.999, "epsilon": 1e-8}  # fmt: skip
    state = [one(1), one(0.1), one(0.01)]
    yield case("ApplyAdamW", [*state, *map(one, numbers.values()), one(0.5)], [one(0.9996644), one(0.14), one(0.01024)])
    yield case("ApplyAdamW", [*state, *map(one, numbers.values()), one(0.5)], [one(0.9998969), one(0.04), one(0.01024)],
               maximize=True)  # fmt: skip
    rest = [one(value) for name, value in numbers.items() if name != "weight_decay"]
    m, v = 0.1 + (0.5 - 0.1) * 0.1, 0.01 + (0.25 - 0.01) * 0.001
    var = 1 - 0.001 * np.sqrt(0.001) / 0.1 * m / (np.sqrt(v) + 1e-8)
    yield case("ApplyAdamD", [*state, *rest, one(0.5)], [one(var), one(m), one(v)])
    mask = np.array([0x0B] + [0] * 15, U8)
    yield case("DropOutDoMask", [np.arange(1, 9, dtype=F32), mask, OnHost(one(0.5))],
               [np.array([2, 4, 0, 8, 0, 0, 0, 0], F32)])  # fmt: skip
    yield case("NPUAllocFloatStatus", [], [np.zeros(8, F32)])
    yield case("NPUGetFloatStatus", [np.zeros(8, F32)], [np.zeros(8, F32)])
    yield case("NPUClearFloatStatus", [np.zeros(8, F32)], [np.zeros(8, F32)])
    yield case("NPUGetFloatStatusV2", [], [np.zeros(8, I32)])
    yield case("NPUClearFloatStatusV2", [], [])


CASES = [*elementwise(), *movement(), *indexing(), *reductions(), *products(), *images(), *training(),
         *(case for family in derivatives.FAMILIES for case in family())]  # fmt: skip

"""Operators by name against torch: the calls of `tests/aclnn/by_name/cases.py`, computed by functions of torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from acl_runtime import Machine
from tests.aclnn.by_name.case import Case
from tests.aclnn.by_name.cases import CASES
from tests.helpers.named_operators import Array, OnHost, by_name
from tests.oracle.named_derivatives import derived

BOUND = {"float16": 1e-3}
"""by data type of a result; 1e-5 for any other"""
SAME_NAME = (
    "Abs Acos Asin Atan Ceil Cos Cosh Erf Expm1 Floor Log1p Neg Reciprocal Relu Rsqrt Sigmoid Sign Sin Sinh Sqrt Square"
    " Tan Tanh Triu Tril"
).split()
BINARY = {
    "Add": "add", "AddV2": "add", "Sub": "sub", "Mul": "mul", "Maximum": "maximum", "Minimum": "minimum",
    "RealDiv": "div", "FloorDiv": "floor_divide", "Mod": "fmod", "FloorMod": "remainder", "Pow": "pow",
    "Atan2": "atan2", "Equal": "eq", "NotEqual": "ne", "Greater": "gt", "GreaterEqual": "ge", "Less": "lt",
    "LessEqual": "le", "LogicalAnd": "logical_and", "LogicalOr": "logical_or", "BitwiseAnd": "bitwise_and",
    "BitwiseOr": "bitwise_or", "BitwiseXor": "bitwise_xor",
}  # fmt: skip
Route = Callable[..., Any]
"""takes torch, torch's tensors and the attributes; gives the result, or a list of results"""


def part(x: Any, begin: Sequence[int], sizes: Sequence[int]) -> Any:
    """A part of a tensor; the size -1 reaches to the end."""
    return x[tuple(slice(at, None if size == -1 else at + size) for at, size in zip(begin, sizes, strict=True))]


def conv(torch: Any, function: str) -> Route:
    """A convolution of NCHW or NHWC."""

    def route(x: Any, w: Any, bias: Any = None, **a: Any) -> Any:
        last = a.get("data_format", "NHWC") == "NHWC"
        at = slice(1, 3) if last else slice(2, None)
        x = x.permute(0, 3, 1, 2) if last else x
        pads = a["pads"][::2]
        y = getattr(torch.nn.functional, function)(x, w, bias, tuple(a["strides"][at]), tuple(pads))
        return y.permute(0, 2, 3, 1) if last else y

    return route


def values(x: Any) -> list[int]:
    return [int(each) for each in x.reshape(-1)]


def reduced(torch: Any, name: str) -> Route:
    """A reduction along axes that are a tensor."""
    function = {"Max": torch.amax, "Min": torch.amin, "Sum": torch.sum, "Mean": torch.mean}[name]

    def route(x: Any, axes: Any, keep_dims: bool = False) -> Any:
        return function(x, values(axes), keepdim=keep_dims) if axes.numel() else x

    return route


def indices(x: Any, mask: Any, at: Sequence[Any]) -> tuple[Any, ...]:
    """An index tensor, or all, for each dimension."""
    rest = iter(at)
    return tuple(next(rest) if on else slice(None) for on in values(mask))


def put(x: Any, value: Any, mask: Any, _: Any, *at: Any, accumulate: bool = False) -> Any:
    return x.clone().index_put_(indices(x, mask, at), value, accumulate=accumulate)


def replaced(x: Any, at: Any, updates: Any) -> Any:
    made = x.clone()
    made[at.reshape(-1)] = updates
    return made


def resized(torch: Any, mode: str) -> Route:
    def route(x: Any, size: Any, **a: Any) -> Any:
        how = {"align_corners": False} if mode in ("bicubic", "bilinear") else {}
        y = torch.nn.functional.interpolate(x.permute(0, 3, 1, 2), size=values(size), mode=mode, **how)
        return y.permute(0, 2, 3, 1)

    return route


def pool(torch: Any, function: str, whole: str) -> Route:
    def route(x: Any, ksize: list[int], strides: list[int], global_pooling: bool = False) -> Any:
        if global_pooling:
            return getattr(torch, whole)(x, (2, 3), keepdim=True)
        return getattr(torch.nn.functional, function)(x, ksize[2:], strides[2:])

    return route


def more_routes(torch: Any) -> dict[str, Route]:
    """By type: those with attributes or values that change the form of the call."""
    f = torch.nn.functional
    nchw, nhwc = (0, 3, 1, 2), (0, 2, 3, 1)

    def confusion(x: Any, perm: list[int], shape: list[int], transpose_first: bool) -> Any:
        return x.permute(perm).reshape(shape) if transpose_first else x.reshape(shape).permute(perm)

    def hot(x: Any, depth: int, on: Any, off: Any) -> Any:
        return torch.where(f.one_hot(x.long(), depth).bool(), on, off)

    return {
        **{f"Reduce{name}": reduced(torch, name) for name in ("Sum", "Mean", "Max", "Min")},
        "Cast": lambda x, dst_type: x != 0 if dst_type == 12 else x.half(),
        "Exp": lambda x, base=None, scale=1.0, shift=0.0: torch.exp(x) if base is None else base ** (x * scale + shift),
        "Log": lambda x, base=None, scale=1.0, shift=0.0: x.log() if base is None else (x * scale + shift).log2(),
        "Power": lambda x, power=1.0, scale=1.0, shift=0.0: (x * scale + shift) ** power,
        "Elu": lambda x, alpha=1.0, scale=1.0: f.elu(x, alpha) * scale,
        "HardSigmoid": lambda x, alpha=1 / 6, beta=0.5: (x * alpha + beta).clamp(0, 1),
        "DivNoNan": lambda x, y: torch.where(y == 0, 0, x / y), "AxpyV2": lambda x, y, alpha: x + alpha * y,
        "Fill": lambda dims, value: torch.full(values(dims), value.item()),
        "FillD": lambda value, dims: torch.full(dims, value.item()),
        "TransData": lambda x, src_format, dst_format: x.permute(nhwc if dst_format == "NHWC" else nchw),
        "ConfusionTransposeD": confusion, "Concat": lambda dim, *x, N: torch.cat(x, int(dim)),
        "ConcatV2": lambda *x: torch.cat(x[:-1], int(x[-1])), "Tile": lambda x, by: x.repeat(values(by)),
        "Split": lambda dim, x, num_split: x.chunk(num_split, int(dim)),
        "SplitV": lambda x, sizes, dim, num_split: x.split([1, 3], int(dim)),
        "Slice": lambda x, begin, size: part(x, values(begin), values(size)),
        "SliceD": lambda x, offsets, size: part(x, offsets, size),
        "StridedSliceD": lambda x, begin, end, strides: x[tuple(map(slice, begin, end, strides))],
        "Crop": lambda x, size, axis, offsets: part(
            x, [*[0] * axis, *(offsets * (x.dim() - axis))[: x.dim() - axis]], [-1] * axis + [*size.shape[axis:]]),
        "Pad": lambda x, pads: f.pad(x, [*values(pads)[2:], *values(pads)[:2]]),
        "BroadcastTo": lambda x, shape: x.expand(values(shape)), "Expand": lambda x, shape: x.expand(values(shape)),
        "ScatterUpdate": replaced, "ScatterNdUpdate": replaced, "IndexPutV2": put,
        "Index": lambda x, mask, _, *at: x[indices(x, mask, at)],
        "OneHot": lambda x, depth, on, off: hot(x, int(depth), on, off),
        "OneHotD": lambda x, on, off, depth: hot(x, depth, on, off),
        "Range": lambda a, b, by, is_closed=False: torch.arange(a.item(), b.item() + is_closed, by.item()),
        "ArgMaxV2": lambda x, dim, **a: x.argmax(int(dim)), "ArgMin": lambda x, dim: x.argmin(int(dim)),
        "TopK": lambda x, k: list(x.topk(int(k))),
        "Cumsum": lambda x, axis, exclusive=False: x.cumsum(int(axis)) - (x if exclusive else 0),
        "CumsumD": lambda x, axis, reverse: x.flip(axis).cumsum(axis).flip(axis),
        "ScaledMaskedSoftmax": lambda x, mask, scale: (x * scale).masked_fill(mask, -10000.0).softmax(-1),
        "BatchNorm": lambda x, w, b, m, v, **a: f.batch_norm(x, m, v, w, b, eps=1e-4),
        "MatMul": lambda a, b, bias=0, transpose_x1=False: (a.T if transpose_x1 else a) @ b + bias,
        "MatMulV2": lambda a, b, transpose_x2: a.float() @ b.float().T,
        "BatchMatMulV2": lambda a, b, adj_x1: a.mT @ b,
        "GEMM": lambda a, b, c, alpha, beta, transpose_b: torch.addmm(c, a, b.T, alpha=alpha.item(), beta=beta.item()),
        "Conv2DTranspose": lambda _, x, w, strides, pads, **a: f.conv_transpose2d(x, w, None, strides[2:], pads[::2]),
        "Conv3D": lambda x, w, strides, pads, **a: f.conv3d(x, w, None, strides[2:], pads[::2]),
        "MaxPoolV3": pool(torch, "max_pool2d", "amax"), "AvgPoolV2": pool(torch, "avg_pool2d", "mean"),
        "ResizeNearestNeighborV2": resized(torch, "nearest"), "ResizeArea": resized(torch, "area"),
        "ResizeBilinearV2": resized(torch, "bilinear"), "ResizeBicubic": resized(torch, "bicubic"),
    }  # fmt: skip


def routes(torch: Any) -> dict[str, Route]:
    """By type."""
    f = torch.nn.functional
    same = {name: getattr(torch, name.lower()) for name in SAME_NAME if name not in ("Triu", "Tril")}
    binary = {name: getattr(torch, function) for name, function in BINARY.items()}
    return {
        **same, **binary,
        "Triu": lambda x, diagonal: x.triu(diagonal), "Tril": lambda x, diagonal: x.tril(diagonal),
        "Inv": lambda x: 1 / x, "Invert": lambda x: ~x, "LogicalNot": lambda x: ~x, "Identity": lambda x: x.clone(),
        "OnesLike": torch.ones_like, "ZerosLike": torch.zeros_like, "Softplus": f.softplus, "Mish": f.mish,
        "HardSwish": f.hardswish, "Gelu": lambda x: f.gelu(x, approximate="tanh"), "Selu": f.selu,
        "Round": lambda x, decimals=0: x.round(decimals=decimals),
        "LeakyRelu": lambda x, negative_slope=0.0: f.leaky_relu(x, negative_slope),
        "Adds": lambda x, value: x + value, "Muls": lambda x, value: x * int(value),
        "Axpy": lambda x, y, alpha: torch.add(x, y, alpha=alpha),
        "Select": torch.where, "SelectV2": torch.where,
        "MaskedFill": lambda x, mask, value: x.masked_fill(mask, value[0]),
        "ClipByValue": lambda x, low, high: x.clamp(low, high),
        "TransposeD": lambda x, perm: x.permute(perm), "Pack": lambda *x, axis, N: torch.stack(x, axis),
        "Transpose": lambda x, perm: x.permute(perm.tolist()), "Reshape": lambda x, shape: x.reshape(shape.tolist()),
        "Flatten": lambda x: x.flatten(1), "FlattenV2": lambda x: x.flatten(1), "Squeeze": lambda x: x.squeeze(0),
        "Unsqueeze": lambda x, axes: x.unsqueeze(axes[0]),
        "ConcatD": lambda *x, concat_dim, **a: torch.cat(x, concat_dim),
        "ConcatV2D": lambda *x, concat_dim, **a: torch.cat(x, concat_dim),
        "SplitD": lambda x, split_dim, num_split: x.chunk(num_split, split_dim),
        "SplitVD": lambda x, size_splits, split_dim, num_split: x.split(size_splits, split_dim),
        "Unpack": lambda x, num, axis: x.unbind(axis), "TileD": lambda x, multiples: x.repeat(multiples),
        "BroadcastToD": lambda x, shape: x.expand(shape), "ExpandD": lambda x, shape: x.expand(shape),
        "ReverseV2": lambda x, axis: x.flip(axis.tolist()), "ReverseV2D": lambda x, axis: x.flip(axis),
        "PadD": lambda x, paddings: f.pad(x, [each for pair in paddings[::-1] for each in pair]),
        "AsStrided": lambda x, size, stride, at: x.as_strided(size.tolist(), stride.tolist(), int(at)),
        "GatherV2": lambda x, at, axis: x.index_select(int(axis), at),
        "GatherV2D": lambda x, at, axis: x.index_select(axis, at),
        "ArgMaxD": lambda x, dimension, **a: x.argmax(dimension), "ArgMinD": lambda x, dimension: x.argmin(dimension),
        "TopKV2": lambda x, k: list(x.topk(int(k))), "Sort": lambda x, descending: list(x.sort(descending=descending)),
        "SoftmaxV2": lambda x, axes=(-1,), **a: x.float().softmax(axes[0]),
        "LogSoftmaxV2": lambda x, axes: x.log_softmax(axes[0]),
        "LayerNorm": lambda x, g, b, epsilon, **a: f.layer_norm(x, x.shape[1:], g, b, epsilon),
        "LayerNormV3": lambda x, g, b, epsilon, **a: f.layer_norm(x, x.shape[1:], g, b, epsilon),
        "BNInfer": lambda x, w, b, m, v, epsilon: f.batch_norm(x, m, v, w, b, eps=epsilon),
        "ReduceSumD": lambda x, axes: x.sum(axes), "ReduceMeanD": lambda x, axes: x.mean(axes),
        "ReduceMaxD": lambda x, axes: x.amax(axes), "ReduceMinD": lambda x, axes: x.amin(axes),
        "ReduceProdD": lambda x, axes: x.prod(axes[0]), "ReduceAllD": lambda x, axes: x.all(axes[0]),
        "ReduceAnyD": lambda x, axes: x.any(axes[0]),
        "Conv2D": conv(torch, "conv2d"),
        "Conv2DBackpropInput": lambda size, w, grad, **a: torch.nn.grad.conv2d_input(
            size.tolist(), w, grad, a["strides"][2:], a["pads"][::2]),
        "Conv2DBackpropFilter": lambda x, size, grad, **a: torch.nn.grad.conv2d_weight(
            x, size.tolist(), grad, a["strides"][2:], a["pads"][::2]),
        "BatchMatMul": torch.matmul, "GlobalAveragePool": lambda x: x.mean((2, 3), keepdim=True),
        "Swish": lambda x, scale=1.0: x * torch.sigmoid(scale * x),
        **more_routes(torch), **derived(torch),
    }  # fmt: skip


def tensors(torch: Any, inputs: Sequence[Any]) -> list[Any]:
    """The inputs as tensors of torch."""
    arrays = [each.value if isinstance(each, OnHost) else each for each in inputs]
    return [None if each is None else torch.from_numpy(np.ascontiguousarray(each)) for each in arrays]


def compared(torch: Any) -> list[tuple[Case, Route]]:
    """The calls that torch computes."""
    known = routes(torch)
    return [(case, route) for case in CASES if (route := known.get(case.type)) is not None]


def error(torch: Any, case: Case, route: Route) -> str:
    """Why the results differ from torch's; empty if they do not."""
    expected = route(*tensors(torch, case.inputs), **case.attributes)
    expected = list(expected) if isinstance(expected, list | tuple) else [expected]
    with Machine():
        found = by_name(case.type, case.inputs, case.results, case.formats, **case.attributes)
    for one, other in zip(found, expected, strict=False):
        right: Array = other.to(torch.float64).numpy()
        bound = BOUND.get(str(one.dtype), 1e-5)
        if not np.allclose(one.astype(np.float64), right, bound, bound):
            return f"differs by {np.abs(one.astype(np.float64) - right).max()}"
    return ""


def main() -> list[str]:
    """Compare all of them. The types that differ."""
    import torch  # late: the module is imported where torch is not installed

    bad: list[str] = []
    rows = compared(torch)
    for case, route in rows:
        try:
            why = error(torch, case, route)
        except Exception as failed:  # a route that does not fit is a line, and the others still run
            why = f"{type(failed).__name__}: {failed}"
        if why:
            print(f"{case.type:40} FAILED  {why}")
            bad.append(case.type)
    print(f"by name: {len(rows)} calls of {len({case.type for case, _ in rows})} types, {len(bad)} failed")
    return bad

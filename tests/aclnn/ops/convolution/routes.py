"""Routes for `aclnn.ops.convolution`: torch, and a loop over the places of the kernel and of the smaller tensor."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np

from acl_runtime import ACL_FLOAT16
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.convolution.good_calls import image
from tests.derived.values import Values
from tests.oracle.route import Route, as_tensor, but, of_terms, route

Place = tuple[int, ...]
Arrays = list[np.ndarray]


def steps(
    small: Place, large: Place, kernel: Place, stride: Any, padding: Any, dilation: Any
) -> Iterator[tuple[Place, Place, Place]]:
    """The places of the smaller tensor, of the kernel, and of the larger one that meet."""
    for at, k in product(np.ndindex(*small), np.ndindex(*kernel)):
        rows = zip(at, k, stride, padding, dilation, strict=True)
        other = tuple(one * s - p + each * d for one, each, s, p, d in rows)
        if all(0 <= place < size for place, size in zip(other, large, strict=True)):
            yield at, k, other


def parts(channels: int, groups: int, group: int) -> slice:
    each = channels // groups
    return slice(group * each, (group + 1) * each)


def convolution(
    input: np.ndarray, weight: np.ndarray, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: bool,
    groups: int, output: np.ndarray,
) -> np.ndarray:  # fmt: skip
    out = np.zeros(output.shape, np.result_type(input, weight))
    ends = (input.shape[2:], out.shape[2:]) if transposed else (out.shape[2:], input.shape[2:])
    for small, k, large in steps(*ends, weight.shape[2:], stride, padding, dilation):
        source, target = (small, large) if transposed else (large, small)
        for group in range(groups):
            own, to = parts(input.shape[1], groups, group), parts(out.shape[1], groups, group)
            front = parts(len(weight), groups, group)
            matrix = weight[(front, slice(None), *k)]
            matrix = matrix if transposed else matrix.T
            out[(slice(None), to, *target)] += input[(slice(None), own, *source)] @ matrix
    column = (-1, *[1] * (input.ndim - 2))
    return out if bias is None else out + bias.reshape(column)


def torch_convolution(
    input: np.ndarray, weight: np.ndarray, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: bool,
    outputPadding: Any, groups: int,
) -> np.ndarray:  # fmt: skip
    import torch

    given = [as_tensor(each) for each in (input, weight, bias)]
    return torch.convolution(*given, list(stride), list(padding), list(dilation), bool(transposed),
                             list(outputPadding), groups).numpy()  # fmt: skip


def bound(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    words = ("stride", "padding", "dilation", "transposed", "groups", "output")
    sizes = {name: np.abs(arguments[name]) for name in ("input", "weight")}
    bias = arguments["bias"]
    found = convolution(
        **sizes, bias=None if bias is None else np.abs(bias), **{name: arguments[name] for name in words}
    )
    return of_terms(found, arguments["weight"].size // len(arguments["weight"]) + 1, dtype)


def backward(
    gradOutput: np.ndarray, input: np.ndarray, weight: np.ndarray, stride: Any, padding: Any, dilation: Any,
    transposed: bool, groups: int, outputMask: Any,
) -> list[np.ndarray | None]:  # fmt: skip
    """Each product of the convolution gives its share to both of its factors."""
    x, w = np.zeros(input.shape, np.result_type(input)), np.zeros(weight.shape, np.result_type(weight))
    slope, other = gradOutput, input
    ends = (input.shape[2:], slope.shape[2:]) if transposed else (slope.shape[2:], input.shape[2:])
    for small, k, large in steps(*ends, weight.shape[2:], stride, padding, dilation):
        source, target = (small, large) if transposed else (large, small)
        for group in range(groups):
            own, to = parts(x.shape[1], groups, group), parts(slope.shape[1], groups, group)
            front = (parts(len(weight), groups, group), slice(None), *k)
            dy, here = slope[(slice(None), to, *target)], other[(slice(None), own, *source)]
            x[(slice(None), own, *source)] += dy @ (weight[front].T if transposed else weight[front])
            w[front] += here.T @ dy if transposed else dy.T @ here
    bias = slope.sum((0, *range(2, slope.ndim)))
    return [each if flag else None for each, flag in zip((x, w, bias), outputMask, strict=True)]


def torch_backward(
    gradOutput: np.ndarray, input: np.ndarray, weight: np.ndarray, biasSizes: Any, stride: Any, padding: Any,
    dilation: Any, transposed: bool, outputPadding: Any, groups: int, outputMask: Any,
) -> Any:  # fmt: skip
    import torch

    given = [as_tensor(each) for each in (gradOutput, input, weight)]
    found = torch.ops.aten.convolution_backward(  # pyright: ignore
        *given, list(biasSizes), list(stride), list(padding), list(dilation), bool(transposed), list(outputPadding),
        groups, [bool(each) for each in outputMask],
    )  # fmt: skip
    return [None if each is None else each.numpy() for each in found]


def bound_backward(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    """The sums of magnitudes; by shape, as the bound is asked for each output."""
    words = ("stride", "padding", "dilation", "transposed", "groups")
    sizes = {name: np.abs(arguments[name]) for name in ("gradOutput", "input", "weight")}
    outs = backward(**sizes, **{name: arguments[name] for name in words}, outputMask=[True] * 3)
    slope = arguments["gradOutput"]
    same = next(each for each in outs if each is not None and each.shape == exact.shape)
    return of_terms(same, slope.size + arguments["weight"].size, dtype)


def tbc(self: np.ndarray, weight: np.ndarray, bias: np.ndarray, pad: int, output: np.ndarray) -> np.ndarray:
    out = np.zeros(output.shape, self.dtype) + bias
    for t, k in product(range(len(out)), range(len(weight))):
        if 0 <= t + k - pad < len(self):
            out[t] += self[t + k - pad] @ weight[k]
    return out


def torch_tbc(self: np.ndarray, weight: np.ndarray, bias: np.ndarray, pad: int) -> np.ndarray:
    import torch

    return torch.conv_tbc(*(as_tensor(each) for each in (self, weight, bias)), pad).numpy()


def bound_tbc(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    x, weight, bias = (np.abs(arguments[name]) for name in ("self", "weight", "bias"))
    return of_terms(tbc(x, weight, bias, arguments["pad"], exact), len(weight) * weight.shape[1] + 1, dtype)


def tbc_backward(self: np.ndarray, input: np.ndarray, weight: np.ndarray, pad: int) -> Arrays:
    x, w = np.zeros(input.shape, input.dtype), np.zeros(weight.shape, weight.dtype)
    for t, k in product(range(len(self)), range(len(weight))):
        if 0 <= t + k - pad < len(input):
            x[t + k - pad] += self[t] @ weight[k].T
            w[k] += input[t + k - pad].T @ self[t]
    return [x, w, self.sum((0, 1))]


def torch_tbc_backward(self: np.ndarray, input: np.ndarray, weight: np.ndarray, bias: np.ndarray, pad: int) -> Any:
    import torch

    given = [as_tensor(each).requires_grad_() for each in (input, weight, bias)]
    return [each.numpy() for each in torch.autograd.grad(torch.conv_tbc(*given, pad), given, as_tensor(self))]


def bound_tbc_backward(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    sizes = {name: np.abs(arguments[name]) for name in ("self", "input", "weight")}
    outs = tbc_backward(**sizes, pad=arguments["pad"])
    return of_terms(next(each for each in outs if each.shape == exact.shape), arguments["self"].size, dtype)


def depthwise(
    self: np.ndarray, weight: np.ndarray, bias: Any, stride: Any, padding: Any, dilation: Any, out: np.ndarray
) -> np.ndarray:
    return convolution(self, weight, bias, stride, padding, dilation, False, self.shape[1], out)


def torch_depthwise(
    self: np.ndarray, weight: np.ndarray, bias: Any, stride: Any, padding: Any, dilation: Any
) -> np.ndarray:
    return torch_convolution(self, weight, bias, stride, padding, dilation, False, [0, 0], self.shape[1])


def bound_depthwise(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    words = {"input": arguments["self"], "output": arguments["out"], "groups": arguments["self"].shape[1]}
    return bound({**arguments, **words, "transposed": False}, exact, dtype)


def flipped(arguments: Mapping[str, Any]) -> np.ndarray:
    """The kernel, backwards in its last dimension."""
    return arguments["weight"][..., ::-1]


def ones(arguments: Mapping[str, Any]) -> list[int]:
    return [1] * (arguments["weight"].ndim - 2)


def zeros(arguments: Mapping[str, Any]) -> list[int]:
    return [0] * (arguments["weight"].ndim - 2)


def vector(size: int) -> Meta:
    return Meta((size,), ACL_FLOAT16)


def numbers(stride: Place, padding: Place, dilation: Place, more: Place = ()) -> dict[str, Any]:
    """The arrays of a convolution, which is transposed if it has an outputPadding."""
    words = {"stride": stride, "padding": padding, "dilation": dilation, "outputPadding": more or (0,) * len(stride)}
    return {"transposed": bool(more), **{name: Values(value) for name, value in words.items()}}


ALSO = (
    {"input": image(2, 4, 5), "weight": image(4, 1, 3), "bias": None, "groups": 4, "output": image(2, 4, 3),
     **numbers((1,), (0,), (1,))},
    {"input": image(1, 2, 3, 4, 3), "weight": image(3, 2, 2, 3, 1), "bias": vector(3), "groups": 1,
     "output": image(1, 3, 3, 2, 3), **numbers((1, 1, 1), (1, 1, 0), (2, 2, 1))},
    {"input": image(2, 4, 2, 3), "weight": image(4, 3, 3, 2), "bias": vector(6), "output": image(2, 6, 4, 5),
     **numbers((2, 2), (1, 1), (1, 1), (1, 1))},
    {"input": image(1, 2, 4), "weight": image(2, 3, 3), "bias": vector(3), "groups": 1, "output": image(1, 3, 12),
     **numbers((3,), (0,), (1,), (0,))},
)  # fmt: skip
"""one dimension, each channel a group; three dimensions; transposed ones"""


def gradients(call: Mapping[str, Any]) -> dict[str, Any]:
    """The gradients of a convolution."""
    words = {name: value for name, value in call.items() if name not in ("bias", "output")}
    count = call["output"].shape[1]
    return {"groups": 2, **words, "gradOutput": call["output"], "gradInput": call["input"],
            "gradWeight": call["weight"], "gradBias": vector(count), "biasSizes": Values((count,))}  # fmt: skip


EXTREMES = {"input": ("nan", "tiny", "0")}
WRONG = {
    "the kernel turned round": but(convolution, weight=flipped),
    "dilation ignored": but(convolution, dilation=ones),
    "padding ignored": but(convolution, padding=zeros),
    "no bias": but(convolution, bias=None),
}
ROUTES: tuple[Route, ...] = (
    route("aclnnConvolution", "loop", convolution, bound=bound, torch=("torch.convolution", torch_convolution),
          wrong=WRONG, also=ALSO, extremes=EXTREMES),
    route("aclnnConvDepthwise2d", "loop", depthwise, bound=bound_depthwise, extremes={"self": ("nan", "tiny", "0")},
          torch=("torch.convolution", torch_depthwise),
          wrong={"the kernel turned round": but(depthwise, weight=flipped), "no bias": but(depthwise, bias=None)}),
    route("aclnnConvolutionBackward", "loop", backward, bound=bound_backward,
          torch=("torch.convolution_backward", torch_backward), also=[gradients(each) for each in ALSO],
          wrong={"the kernel turned round": but(backward, weight=flipped),
                 "dilation ignored": but(backward, dilation=ones), "stride ignored": but(backward, stride=ones)}),
    route("aclnnConvTbc", "loop", tbc, bound=bound_tbc, torch=("torch.conv_tbc", torch_tbc),
          wrong={"the kernel turned round": but(tbc, weight=lambda a: a["weight"][::-1]),
                 "padding ignored": but(tbc, pad=0)}),
    route("aclnnConvTbcBackward", "loop", tbc_backward, bound=bound_tbc_backward,
          torch=("torch.autograd", torch_tbc_backward),
          wrong={"the kernel turned round": but(tbc_backward, weight=lambda a: a["weight"][::-1]),
                 "padding ignored": but(tbc_backward, pad=0)}),
)  # fmt: skip

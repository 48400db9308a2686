"""Routes for variants and gradients of normalisations: torch, and loops over the slices that are normalised."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.norm.routes_norms import Arrays, magnitude, normal, rms_norm, rounded_often
from tests.derived.values import Number
from tests.oracle.route import Expected, Route, as_tensor, but, route


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


# groups of channels


def groups(x: np.ndarray, count: int) -> list[tuple[int, int, slice]]:
    """The places of a row, a group, and its channels."""
    each = x.shape[1] // count
    return [(n, g, slice(g * each, (g + 1) * each)) for n in range(x.shape[0]) for g in range(count)]


def per_channel(vector: Any, x: np.ndarray, null: float = 1.0) -> np.ndarray:
    found = np.full(x.shape[1], null) if vector is None else vector
    return found.reshape(-1, *[1] * (x.ndim - 2))


def group_norm_backward(
    gradOut: np.ndarray, input: np.ndarray, mean: np.ndarray, rstd: np.ndarray, gamma: Any, group: int, outputMask: Any
) -> Any:  # fmt: skip
    """Group by group, by the product of the gradient with the projection."""
    grad, h, g = np.empty_like(input), np.empty_like(input), gradOut * per_channel(gamma, input)
    for n, k, part in groups(input, group):
        h[n, part] = (input[n, part] - mean[n, k]) * rstd[n, k]
        slope, size = g[n, part].ravel() @ h[n, part].ravel(), g[n, part].size
        grad[n, part] = rstd[n, k] * (g[n, part] - g[n, part].sum() / size - h[n, part] * slope / size)
    axes = (0, *range(2, input.ndim))
    found = [grad, (gradOut * h).sum(axes), gradOut.sum(axes)]
    return [each for each, flag in zip(found, outputMask, strict=True) if flag]


def torch_group_norm_backward(
    gradOut: Any, input: Any, mean: Any, rstd: Any, gamma: Any, N: int, C: int, HxW: int, group: int, outputMask: Any
) -> Any:  # fmt: skip
    import torch

    scale = np.ones(C) if gamma is None else gamma
    given = [as_tensor(each) for each in (gradOut, input, mean, rstd, scale)]
    backward = torch.ops.aten.native_group_norm_backward  # pyright: ignore
    found = backward(*given, N, C, HxW, group, [bool(each) for each in outputMask])
    return [each.numpy() for each, flag in zip(found, outputMask, strict=True) if flag]


def swish(
    x: np.ndarray, gamma: Any, beta: Any, groups_: int, eps: float, scale: float | None
) -> Arrays:  # fmt: skip
    out, statistics = np.empty(x.shape, x.dtype), np.empty((2, x.shape[0], groups_), x.dtype)
    for n, g, part in groups(x, groups_):
        out[n, part], statistics[0, n, g], statistics[1, n, g] = normal(x[n, part], eps)
    out = out * per_channel(gamma, x).astype(x.dtype) + per_channel(beta, x, 0.0).astype(x.dtype)
    return [out if scale is None else out * sigmoid(out * x.dtype.type(scale)), *statistics]


def torch_swish(x: Any, gamma: Any, beta: Any, count: int, eps: float, scale: float | None) -> Any:
    import torch

    given = [as_tensor(each) for each in (x, gamma, beta)]
    size = (x.shape[0], x.shape[1], x[0, 0].size)
    out, *statistics = torch.native_group_norm(*given, *size, count, eps)
    out = out if scale is None else out * torch.sigmoid(scale * out)
    return [each.numpy() for each in (out, *statistics)]


def silu(way: Callable[..., Any]) -> Expected:
    def expected(self: Any, gamma: Any, beta: Any, group: int, eps: float) -> Any:
        return way(self, gamma, beta, group, eps, 1.0)

    return expected


def silu_v2(way: Callable[..., Any]) -> Expected:
    def expected(self: Any, gamma: Any, beta: Any, group: int, eps: float, activateSilu: bool) -> Any:
        return way(self, gamma, beta, group, eps, 1.0 if activateSilu else None)

    return expected


def swished(way: Callable[..., Any]) -> Expected:
    def expected(
        x: Any, gamma: Any, beta: Any, numGroups: int, eps: float, activateSwish: bool, swishScale: float
    ) -> Any:  # fmt: skip
        return way(x, gamma, beta, numGroups, eps, swishScale if activateSwish else None)

    return expected


def swish_grad(
    dy: np.ndarray, mean: np.ndarray, rstd: np.ndarray, x: np.ndarray, gamma: Any, beta: Any, numGroups: int,
    swishScale: float,
) -> Any:  # fmt: skip
    h = np.empty_like(x)
    for n, g, part in groups(x, numGroups):
        h[n, part] = (x[n, part] - mean[n, g]) * rstd[n, g]
    z = h * per_channel(gamma, x) + per_channel(beta, x)
    s = sigmoid(swishScale * z)
    dz = dy * (s + swishScale * z * s * (1 - s))
    dx, slopes, sums = group_norm_backward(dz, x, mean, rstd, gamma, numGroups, [1, 1, 1])
    return [dx, slopes, sums]


def torch_swish_grad(
    dy: np.ndarray, mean: Any, rstd: Any, x: np.ndarray, gamma: Any, beta: Any, numGroups: int, swishScale: float
) -> Any:  # fmt: skip
    """The gradient of swish by torch; that of group normalisation, of any statistics, is torch's too."""
    import torch

    shape = (x.shape[0], numGroups, -1)
    h = ((x.reshape(shape) - mean[..., None]) * rstd[..., None]).reshape(x.shape)
    z = as_tensor(h * per_channel(gamma, x) + per_channel(beta, x)).requires_grad_()
    dz = torch.autograd.grad(z * torch.sigmoid(swishScale * z), z, as_tensor(dy))[0].numpy()
    sizes = (*x.shape[:2], x[0, 0].size)
    return torch_group_norm_backward(dz, x, mean, rstd, gamma, *sizes, numGroups, [1, 1, 1])


# rows


def rms_norm_grad(dy: np.ndarray, x: np.ndarray, rstd: np.ndarray, gamma: np.ndarray) -> Arrays:
    rows, slopes = (each.reshape(-1, gamma.size) for each in (x, dy))
    dx, dgamma = np.empty_like(rows), np.zeros(gamma.size)
    for at, (row, slope, root) in enumerate(zip(rows, slopes, rstd.ravel(), strict=True)):
        h, g = row * root, slope * gamma.ravel()
        dx[at] = root * g - root * h * (g @ h) / row.size
        dgamma = dgamma + slope * h
    return [dx.reshape(x.shape), dgamma.reshape(gamma.shape)]


def torch_rms_norm_grad(dy: np.ndarray, x: np.ndarray, rstd: np.ndarray, gamma: np.ndarray) -> Any:
    """Torch's gradient of a function with the same one, where rstd is any number."""
    import torch

    dims = tuple(range(x.ndim - gamma.ndim, x.ndim))
    given, scale = as_tensor(x).requires_grad_(), as_tensor(gamma).requires_grad_()
    root = as_tensor(rstd.reshape(*x.shape[: x.ndim - gamma.ndim], *[1] * gamma.ndim))
    slope = as_tensor(dy)
    out = given * root * scale * slope
    size = given.detach().square().mean(dims, keepdim=True) * 0 + gamma.size
    inner = (slope * scale * given.detach()).sum(dims, keepdim=True).detach()
    part = -(root**3) * inner / size * given.square() / 2
    (dx,) = torch.autograd.grad((out + part).sum(), given, retain_graph=True)
    (dgamma,) = torch.autograd.grad(out.sum(), scale)
    return [dx.numpy(), dgamma.numpy()]


def inplace_add_rms_norm(x1: np.ndarray, x2: np.ndarray, gamma: np.ndarray, epsilon: float) -> Arrays:
    y, rstd = rms_norm(x1 + x2, gamma, epsilon)
    return [y, x1 + x2, rstd]


def torch_inplace_add_rms_norm(x1: np.ndarray, x2: np.ndarray, gamma: np.ndarray, epsilon: float) -> Any:
    import torch

    x = as_tensor(x1 + x2)
    axes = tuple(range(x.ndim - gamma.ndim, x.ndim))
    y = torch.nn.functional.rms_norm(x, gamma.shape, as_tensor(gamma), epsilon)
    return [y.numpy(), x.numpy(), torch.rsqrt(x.square().mean(axes, keepdim=True) + epsilon).numpy()]


def rows_of(x: np.ndarray, gamma: np.ndarray, beta: np.ndarray, epsilon: float) -> Arrays:
    """y, mean and rstd of the last dimensions."""
    found = [normal(row, epsilon) for row in x.reshape(-1, gamma.size)]
    y = np.stack([each[0] for each in found]) * gamma.ravel() + beta.ravel()
    lead = (*x.shape[: x.ndim - gamma.ndim], *[1] * gamma.ndim)
    return [y.reshape(x.shape), *(np.array([each[at] for each in found]).reshape(lead) for at in (1, 2))]


def torch_rows(x: np.ndarray, gamma: np.ndarray, beta: np.ndarray, epsilon: float) -> Arrays:
    import torch

    given = [as_tensor(each) for each in (x, gamma, beta)]
    found = torch.native_layer_norm(given[0], list(gamma.shape), *given[1:], epsilon)
    return [each.numpy() for each in found]


def add_layer_norm(way: Callable[..., Any]) -> Expected:
    def expected(x1: Any, x2: Any, gamma: Any, beta: Any, biasOptional: Any, epsilon: float) -> Any:
        x = x1 + x2 + (0 if biasOptional is None else biasOptional)
        return [*way(x, gamma, beta, epsilon), x]

    return expected


def deep_norm(way: Callable[..., Any]) -> Expected:
    def expected(x: Any, gx: Any, beta: Any, gamma: Any, alpha: float, epsilon: float) -> Any:
        y, mean, rstd = way(x.dtype.type(alpha) * x + gx, gamma, beta, epsilon)
        return [mean, rstd, y]

    return expected


def rows_grad(dy: np.ndarray, x: np.ndarray, mean: Any, rstd: Any, gamma: np.ndarray) -> Arrays:
    """The gradients of the input, gamma and beta."""
    dx, dgamma, dbeta = np.empty((x.size // gamma.size, gamma.size)), np.zeros(gamma.size), np.zeros(gamma.size)
    for at, (slope, row) in enumerate(zip(dy.reshape(dx.shape), x.reshape(dx.shape), strict=True)):
        h, g = (row - mean.ravel()[at]) * rstd.ravel()[at], slope * gamma.ravel()
        dx[at] = rstd.ravel()[at] * (g - g.sum() / g.size - h * (g @ h) / g.size)
        dgamma, dbeta = dgamma + slope * h, dbeta + slope
    return [dx.reshape(x.shape), dgamma.reshape(gamma.shape), dbeta.reshape(gamma.shape)]


def torch_rows_grad(dy: np.ndarray, x: np.ndarray, mean: Any, rstd: Any, gamma: np.ndarray) -> Any:
    import torch

    given = [as_tensor(np.array(each)) for each in (dy, x)]
    rest = [as_tensor(np.array(each)) for each in (mean, rstd, gamma, gamma)]
    backward = torch.ops.aten.native_layer_norm_backward  # pyright: ignore
    return [each.numpy() for each in backward(*given, list(gamma.shape), *rest, [True] * 3)]


def add_layer_norm_grad(way: Callable[..., Any]) -> Expected:
    def expected(dy: Any, x1: Any, x2: Any, rstd: Any, mean: Any, gamma: Any, dsumOptional: Any) -> Any:
        dx, dgamma, dbeta = way(dy, x1 + x2, mean, rstd, gamma)
        return [dx if dsumOptional is None else dx + dsumOptional, dgamma, dbeta]

    return expected


def deep_norm_grad(way: Callable[..., Any]) -> Expected:
    def expected(dy: Any, x: Any, gx: Any, gamma: Any, mean: Any, rstd: Any, alpha: float) -> Any:
        dgx, dgamma, dbeta = way(dy, alpha * x + gx, mean, rstd, gamma)
        return [alpha * dgx, dgx, dbeta, dgamma]

    return expected


def instance_norm(x: np.ndarray, gamma: Any, beta: Any, dataFormat: str, eps: float) -> Any:
    last = dataFormat.startswith("NHWC")
    lanes = np.moveaxis(x, -1, 1) if last else x
    y, statistics = np.empty(lanes.shape, x.dtype), np.empty((2, *lanes.shape[:2], 1, 1), x.dtype)
    for n, c in np.ndindex(*lanes.shape[:2]):
        found, statistics[0, n, c], _ = normal(lanes[n, c], eps)
        y[n, c] = found * gamma[c] + beta[c]
        statistics[1, n, c] = ((lanes[n, c] - lanes[n, c].mean()) ** 2).mean()
    return [np.moveaxis(each, 1, -1) if last else each for each in (y, *statistics)]


def torch_instance_norm(x: np.ndarray, gamma: Any, beta: Any, dataFormat: str, eps: float) -> Any:
    import torch

    last = dataFormat.startswith("NHWC")
    lanes = as_tensor(np.moveaxis(x, -1, 1) if last else x)
    y = torch.nn.functional.instance_norm(lanes, weight=as_tensor(gamma), bias=as_tensor(beta), eps=eps)
    var, mean = torch.var_mean(lanes, (2, 3), correction=0, keepdim=True)
    return [np.moveaxis(each.numpy(), 1, -1) if last else each.numpy() for each in (y, mean, var)]


def renorm(self: np.ndarray, p: float, dim: int, maxNorm: float) -> np.ndarray:
    """Slice by slice."""
    out = self.copy()
    for at in range(self.shape[dim]):
        part = [slice(None)] * self.ndim
        part[dim] = slice(at, at + 1)
        norm = np.linalg.norm(self[tuple(part)].ravel(), p)
        out[tuple(part)] *= min(1.0, maxNorm / norm) if norm > 1e-7 else 1.0
    return out


def torch_renorm(self: np.ndarray, p: float, dim: int, maxNorm: float) -> Any:
    import torch

    if p == 0 or np.isinf(p):  # torch's own has no such norms
        rest = tuple(at for at in range(self.ndim) if at != dim % self.ndim)
        norm = torch.linalg.vector_norm(as_tensor(self), p, rest, keepdim=True)
        return (as_tensor(self) * torch.clamp(maxNorm / norm, max=1)).numpy()
    return torch.renorm(as_tensor(self), p, dim, maxNorm).numpy()


def of_the_slice(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    """Rounding of a factor to 16 bits, where the input has them. Torch adds 1e-7 to a norm."""
    step = {"float16": 2.0**-9, "bfloat16": 2.0**-6}.get(dtype, 2.0**-20)
    return step * np.abs(exact)


def of_squares(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    """Four times the square of the largest magnitude, in FLOAT: terms may cancel in a sum, which is then scaled."""
    arrays = [each for each in arguments.values() if isinstance(each, np.ndarray)]
    largest = max(float(np.abs(each).max(initial=1, where=np.isfinite(each))) for each in arrays)
    return 2.0**-22 * largest**2


NHWC = {"x": Meta((2, 4, 4, 16)), "y": Meta((2, 4, 4, 16)), "mean": Meta((2, 1, 1, 16)),
        "variance": Meta((2, 1, 1, 16)), "dataFormat": "NHWC"}  # fmt: skip


def ones(name: str) -> Callable[[Mapping[str, Any]], Any]:
    return lambda arguments: np.ones_like(arguments[name])


def times(name: str, factor: float) -> Callable[[Mapping[str, Any]], Any]:
    return lambda arguments: factor * arguments[name]


ROUTES: tuple[Route, ...] = (
    route("aclnnGroupNormBackward", "loop", group_norm_backward, bound=magnitude,
          torch=("torch.native_group_norm_backward", torch_group_norm_backward), also=[{"gamma": None}],
          extremes={"gradOut": ("nan", "0")},
          wrong={"gamma ignored": but(group_norm_backward, gamma=None),
                 "no mean": but(group_norm_backward, mean=times("mean", 0))}),
    route("aclnnGroupNormSilu", "loop", silu(swish), bound="composite",
          torch=("torch.native_group_norm", silu(torch_swish)), extremes={"self": ("nan", "tiny")},
          wrong={"gamma ignored": but(silu(swish), gamma=None), "no silu": but(silu_v2(swish), activateSilu=False)}),
    route("aclnnGroupNormSiluV2", "loop", silu_v2(swish), bound="composite",
          torch=("torch.native_group_norm", silu_v2(torch_swish)), also=[{"activateSilu": False}],
          extremes={"self": ("nan", "tiny")},
          wrong={"gamma ignored": but(silu_v2(swish), gamma=None),
                 "flag ignored": but(silu_v2(swish), activateSilu=True)}),
    route("aclnnGroupNormSwish", "loop", swished(swish), bound="composite",
          torch=("torch.native_group_norm", swished(torch_swish)), also=[{"activateSwish": False}],
          extremes={"x": ("nan", "tiny")},
          wrong={"scale ignored": but(swished(swish), swishScale=1.0), "beta ignored": but(swished(swish), beta=None)}),
    route("aclnnGroupNormSwishGrad", "loop", swish_grad, bound=magnitude,
          torch=("torch.autograd", torch_swish_grad),
          wrong={"scale ignored": but(swish_grad, swishScale=1.0),
                 "beta ignored": but(swish_grad, beta=times("beta", 0))}),
    route("aclnnRmsNormGrad", "loop", rms_norm_grad, bound=magnitude, torch=("torch.autograd", torch_rms_norm_grad),
          extremes={"dy": ("nan", "0")},
          wrong={"no gamma": but(rms_norm_grad, gamma=ones("gamma")),
                 "rstd of one": but(rms_norm_grad, rstd=ones("rstd"))}),
    route("aclnnInplaceAddRmsNorm", "loop", inplace_add_rms_norm, bound=rounded_often,
          torch=("torch.rms_norm", torch_inplace_add_rms_norm), extremes={"x1": ("nan", "tiny", "0")},
          wrong={"no gamma": but(inplace_add_rms_norm, gamma=ones("gamma")),
                 "one input": but(inplace_add_rms_norm, x2=times("x2", 0))}),
    route("aclnnAddLayerNorm", "loop", add_layer_norm(rows_of), bound=of_squares,
          torch=("torch.native_layer_norm", add_layer_norm(torch_rows)),
          also=[{"biasOptional": None}, {"biasOptional": Meta((5, 3))}], extremes={"x1": ("nan", "tiny")},
          wrong={"bias ignored": but(add_layer_norm(rows_of), biasOptional=None),
                 "one input": but(add_layer_norm(rows_of), x2=times("x2", 0))}),
    route("aclnnDeepNorm", "loop", deep_norm(rows_of), bound="composite",
          torch=("torch.native_layer_norm", deep_norm(torch_rows)), extremes={"x": ("nan", "tiny")},
          wrong={"alpha ignored": but(deep_norm(rows_of), alpha=1.0),
                 "no beta": but(deep_norm(rows_of), beta=times("beta", 0))}),
    route("aclnnAddLayerNormGrad", "loop", add_layer_norm_grad(rows_grad), bound=magnitude,
          torch=("torch.native_layer_norm_backward", add_layer_norm_grad(torch_rows_grad)),
          also=[{"dsumOptional": None}], extremes={"dy": ("nan", "0")},
          wrong={"dsum ignored": but(add_layer_norm_grad(rows_grad), dsumOptional=None),
                 "mean and rstd swapped": but(
                     add_layer_norm_grad(rows_grad), mean=times("rstd", 1), rstd=times("mean", 1))}),
    route("aclnnDeepNormGrad", "loop", deep_norm_grad(rows_grad), bound=magnitude,
          torch=("torch.native_layer_norm_backward", deep_norm_grad(torch_rows_grad)), extremes={"dy": ("nan", "0")},
          wrong={"alpha ignored": but(deep_norm_grad(rows_grad), alpha=1.0),
                 "no gamma": but(deep_norm_grad(rows_grad), gamma=ones("gamma"))}),
    route("aclnnInstanceNorm", "loop", instance_norm, bound="composite", also=[NHWC],
          torch=("torch.instance_norm", torch_instance_norm), extremes={"x": ("nan", "tiny")},
          wrong={"no gamma": but(instance_norm, gamma=ones("gamma")), "eps outside": but(instance_norm, eps=0.5)}),
    route("aclnnRenorm", "aclnnInplaceRenorm", "loop", renorm, bound=of_the_slice,
          torch=("torch.renorm", torch_renorm),
          also=[{"p": Number(2.0)}, {"p": Number(1.0)}, {"p": Number(np.inf)}, {"p": Number(0.0), "dim": -1}],
          wrong={"norm of 2": but(renorm, p=2.0), "no limit": but(renorm, maxNorm=1e9)}),
)  # fmt: skip

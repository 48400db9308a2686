"""Routes for adaptive pooling, and for average pooling in three dimensions: torch, and a loop over the windows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from math import prod
from typing import Any

import numpy as np

from tests.aclnn.ops.pooling.good_calls import image
from tests.aclnn.ops.pooling.routes import divisor, windows
from tests.derived.values import Values
from tests.oracle.route import Route, as_tensor, but, of_terms, route

Place = tuple[int, ...]
Words = Mapping[str, Any]


def cuts(sizes: Place, counts: Place) -> Iterator[tuple[Place, tuple[slice, ...]]]:
    """Each window, in exact fractions: from the floor to the ceiling."""
    for number in product(*map(range, counts)):
        rows = zip(number, sizes, counts, strict=True)
        yield number, tuple(slice(i * size // n, -((i + 1) * size // -n)) for i, size, n in rows)


def apart(sizes: Place, counts: Place) -> Iterator[tuple[Place, tuple[slice, ...]]]:
    """Windows that share no place."""
    for number in product(*map(range, counts)):
        rows = zip(number, sizes, counts, strict=True)
        yield number, tuple(slice(i * size // n, max((i + 1) * size // n, i * size // n + 1)) for i, size, n in rows)


def mean(cut: Any = cuts, **a: Any) -> np.ndarray:
    x, out = a["self"], np.empty(a["out"].shape, np.result_type(a["self"]))
    dims = len(a["outputSize"])
    for number, each in cut(x.shape[-dims:], out.shape[-dims:]):
        part = x[(..., *each)]
        out[(..., *number)] = part.reshape(*part.shape[:-dims], -1).mean(-1)
    return out


def torch_mean(**a: Any) -> np.ndarray:
    import torch

    pool = getattr(torch.nn.functional, f"adaptive_avg_pool{len(a['outputSize'])}d")
    return pool(as_tensor(a["self"]), list(a["outputSize"])).numpy()


def mean_back(cut: Any = cuts, **a: Any) -> np.ndarray:
    slope, dims = a["gradOutput"], a["self"].ndim - 2
    out = np.zeros(a["self"].shape, np.result_type(slope))
    for number, each in cut(out.shape[-dims:], slope.shape[-dims:]):
        share = slope[(..., *number)] / prod(own.stop - own.start for own in each)
        out[(..., *each)] += share.reshape(*share.shape, *[1] * dims)
    return out


def torch_mean_back(**a: Any) -> np.ndarray:
    import torch

    x, dims = as_tensor(a["self"].astype(np.float64)).requires_grad_(), a["self"].ndim - 2
    out = getattr(torch.nn.functional, f"adaptive_avg_pool{dims}d")(x, list(a["gradOutput"].shape[-dims:]))
    return torch.autograd.grad(out, x, as_tensor(a["gradOutput"].astype(np.float64)))[0].numpy()


def largest(cut: Any = cuts, **a: Any) -> list[np.ndarray]:
    x, sizes = a["self"], a["self"].shape[2:]
    shape = (*x.shape[:2], *a["outputSize"])
    out, found = np.empty(shape, np.result_type(x)), np.empty(shape, np.int64)
    numbers = np.arange(prod(sizes)).reshape(sizes)
    for number, each in cut(sizes, shape[2:]):
        flat = x[(..., *each)].reshape(*x.shape[:2], -1)
        out[(..., *number)], found[(..., *number)] = flat.max(-1), numbers[each].ravel()[flat.argmax(-1)]
    return [out, found]


def torch_largest(**a: Any) -> list[np.ndarray]:
    import torch

    pool = getattr(torch.nn.functional, f"adaptive_max_pool{len(a['outputSize'])}d")
    return [each.numpy() for each in pool(as_tensor(a["self"]), list(a["outputSize"]), True)]


def from_the_end(**a: Any) -> list[np.ndarray]:
    out, found = largest(**a)
    return [out, prod(a["self"].shape[2:]) - 1 - found]


def given_back(**a: Any) -> np.ndarray:
    out = np.zeros(a["self"].shape, np.result_type(a["gradOutput"]))
    flat = out.reshape(*out.shape[:2], -1)
    for at in np.ndindex(*a["gradOutput"].shape):
        flat[(*at[:2], int(a["indices"][at]))] += a["gradOutput"][at]
    return out


def torch_given_back(**a: Any) -> np.ndarray:
    import torch

    shape = a["self"].shape
    slope, at = (as_tensor(a[name].reshape(*shape[:2], -1)) for name in ("gradOutput", "indices"))
    out = torch.zeros(*shape[:2], prod(shape[2:]), dtype=torch.float64)
    return out.scatter_add(2, at, slope.double()).reshape(shape).numpy()


def volumes(**a: Any) -> np.ndarray:
    x, out = a["self"], np.empty(a["out"].shape, np.result_type(a["self"]))
    for number, cut in windows(x.shape[-3:], out.shape[-3:], a["kernelSize"], a["stride"], a["padding"]):
        total = x[(..., *cut)].sum((-3, -2, -1))
        out[(..., *number)] = total / divisor(number, cut, x.shape[-3:], a, a["stride"], a["padding"])
    return out


def torch_volumes(**a: Any) -> np.ndarray:
    import torch

    numbers = (list(a[name]) for name in ("kernelSize", "stride", "padding"))
    flags = bool(a["ceilMode"]), bool(a["countIncludePad"]), a["divisorOverride"] or None
    return torch.nn.functional.avg_pool3d(as_tensor(a["self"]), *numbers, *flags).numpy()


def volumes_back(**a: Any) -> np.ndarray:
    slope, out = a["gradOutput"], np.zeros(a["self"].shape, np.result_type(a["gradOutput"]))
    for number, cut in windows(out.shape[-3:], slope.shape[-3:], a["kernelSize"], a["stride"], a["padding"]):
        share = slope[(..., *number)] / divisor(number, cut, out.shape[-3:], a, a["stride"], a["padding"])
        out[(..., *cut)] += share[..., None, None, None]
    return out


def torch_volumes_back(**a: Any) -> np.ndarray:
    import torch

    x = as_tensor(a["self"].astype(np.float64)).requires_grad_()
    numbers = (list(a[name]) for name in ("kernelSize", "stride", "padding"))
    flags = bool(a["ceilMode"]), bool(a["countIncludePad"]), a["divisorOverride"] or None
    out = torch.nn.functional.avg_pool3d(x, *numbers, *flags)
    return torch.autograd.grad(out, x, as_tensor(a["gradOutput"].astype(np.float64)))[0].numpy()


def bounded(formula: Any, name: str, terms: int = 64) -> Any:
    """The bound of sums: the formula of the magnitudes."""

    def bound(arguments: Words, exact: np.ndarray, dtype: str) -> Any:
        return of_terms(formula(**{**arguments, name: np.abs(arguments[name])}), terms, dtype)

    return bound


WIDE = {"outputSize": Values((6, 5))}
SHARED = "windows that share no place"
VOLUMES = [{"countIncludePad": False, "ceilMode": True}, {"divisorOverride": 3}]
MEANS = ("aclnnAdaptiveAvgPool2d", "aclnnAdaptiveAvgPool3d")
BACKS = ("aclnnAdaptiveAvgPool2dBackward", "aclnnAdaptiveAvgPool3dBackward")
ROUTES: tuple[Route, ...] = (
    *(route(name, "loop", mean, bound=bounded(mean, "self"), torch=("torch.adaptive_avg_pool", torch_mean),
            also=[{**WIDE, "out": image(2, 3, 6, 5)}] if name.endswith("2d") else [],
            wrong={SHARED: but(mean, cut=lambda a: apart)}, extremes={"self": ("nan", "tiny", "0")}) for name in MEANS),
    *(route(name, "loop", mean_back, bound=bounded(mean_back, "gradOutput"),
            torch=("torch.autograd", torch_mean_back),
            also=[{"gradOutput": image(2, 3, 6, 5)}] if "2d" in name else [],
            wrong={SHARED: but(mean_back, cut=lambda a: apart)}) for name in BACKS),
    *(route(f"aclnnAdaptiveMaxPool{dims}d", "loop", largest, bound="exact",
            torch=("torch.adaptive_max_pool", torch_largest),
            wrong={SHARED: but(largest, cut=lambda a: apart), "places counted from the end": from_the_end},
            extremes={"self": ("huge", "-huge", "tiny", "0")}) for dims in (2, 3)),
    *(route(f"aclnnAdaptiveMaxPool{dims}dBackward", "loop", given_back, bound=bounded(given_back, "gradOutput"),
            torch=("torch.scatter_add", torch_given_back),
            wrong={"all to the first place": but(given_back, indices=lambda a: 0 * a["indices"])}) for dims in (2, 3)),
    route("aclnnAvgPool3d", "loop", volumes, bound=bounded(volumes, "self"), also=VOLUMES,
          torch=("torch.avg_pool3d", torch_volumes), extremes={"self": ("nan", "tiny", "0")},
          wrong={"the padding never counts": but(volumes, countIncludePad=False),
                 "divisorOverride ignored": but(volumes, divisorOverride=0)}),
    route("aclnnAvgPool3dBackward", "loop", volumes_back, bound=bounded(volumes_back, "gradOutput"), also=VOLUMES,
          torch=("torch.autograd", torch_volumes_back),
          wrong={"the padding never counts": but(volumes_back, countIncludePad=False),
                 "divisorOverride ignored": but(volumes_back, divisorOverride=0)}),
)  # fmt: skip

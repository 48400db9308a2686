"""Routes for `aclnn.ops.pooling`: torch, and a loop over the windows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import prod
from typing import Any

import numpy as np

from acl_runtime import ACL_INT32
from tests.aclnn.ops.pooling.good_calls import image
from tests.derived.values import Values
from tests.oracle.route import Expected, Route, as_tensor, but, of_terms, route, sums

Place = tuple[int, ...]
Words = Mapping[str, Any]


def spread(values: Any, dims: int, empty: Any = ()) -> list[int]:
    found = list(values) if values is not None and len(values) else list(empty)
    return found * dims if len(found) == 1 else found


def windows(
    sizes: Place, counts: Place, kernel: Any, stride: Any, padding: Any
) -> Iterator[tuple[Place, tuple[slice, ...]]]:
    """Each window: its number, and its places in the tensor."""
    dims = len(sizes)
    kernel = spread(kernel, dims)
    step, around = spread(stride, dims, kernel), spread(padding, dims)
    for number in np.ndindex(*counts):
        starts = [at * s - p for at, s, p in zip(number, step, around, strict=True)]
        rows = zip(starts, kernel, sizes, strict=True)
        yield number, tuple(slice(max(start, 0), min(start + k, size)) for start, k, size in rows)


def divisor(number: Place, cut: tuple[slice, ...], sizes: Place, a: Words, stride: Any, padding: Any) -> float:
    if a["divisorOverride"]:
        return a["divisorOverride"]
    if not a["countIncludePad"]:
        return prod(each.stop - each.start for each in cut)
    kernel = spread(a["kernelSize"], len(sizes))
    rows = zip(number, spread(stride, len(sizes), kernel), spread(padding, len(sizes)), kernel, sizes, strict=True)
    return prod(min(at * s - p + k, size + p) - (at * s - p) for at, s, p, k, size in rows)


def average(**a: Any) -> np.ndarray:
    x, out = a["self"], np.empty(a["out"].shape, np.result_type(a["self"]))
    stride, padding, sizes = a["strides"], a["paddings"], x.shape[-2:]
    for number, cut in windows(sizes, out.shape[-2:], a["kernelSize"], stride, padding):
        total = x[(..., *cut)].sum((-2, -1))
        out[(..., *number)] = total / divisor(number, cut, sizes, a, stride, padding)
    return out


def torch_average(**a: Any) -> np.ndarray:
    import torch

    kernel, stride, padding = (list(a[name]) for name in ("kernelSize", "strides", "paddings"))
    return torch.nn.functional.avg_pool2d(
        as_tensor(a["self"]), kernel, stride or None, padding, bool(a["ceilMode"]), bool(a["countIncludePad"]),
        a["divisorOverride"] or None,
    ).numpy()  # fmt: skip


def bound_average(arguments: Words, exact: np.ndarray, dtype: str) -> Any:
    given = {**arguments, "self": np.abs(arguments["self"])}
    return of_terms(average(**given), prod(spread(arguments["kernelSize"], 2)), dtype)


def average_back(**a: Any) -> np.ndarray:
    slope, out = a["gradOutput"], np.zeros(a["self"].shape, np.result_type(a["gradOutput"]))
    stride, padding, sizes = a["stride"], a["padding"], out.shape[-2:]
    for number, cut in windows(sizes, slope.shape[-2:], a["kernelSize"], stride, padding):
        share = slope[(..., *number)] / divisor(number, cut, sizes, a, stride, padding)
        out[(..., *cut)] += share[..., None, None]
    return out


def torch_average_back(**a: Any) -> np.ndarray:
    import torch

    given = as_tensor(a["self"].astype(np.float64)).requires_grad_()
    words = {"self": given, "strides": a["stride"], "paddings": a["padding"]}
    kernel, stride, padding = (list(each) for each in (a["kernelSize"], words["strides"], words["paddings"]))
    out = torch.nn.functional.avg_pool2d(given, kernel, stride or None, padding, bool(a["ceilMode"]),
                                         bool(a["countIncludePad"]), a["divisorOverride"] or None)  # fmt: skip
    return torch.autograd.grad(out, given, as_tensor(a["gradOutput"].astype(np.float64)))[0].numpy()


def bound_back(arguments: Words, exact: np.ndarray, dtype: str) -> Any:
    given = {**arguments, "gradOutput": np.abs(arguments["gradOutput"])}
    return of_terms(average_back(**given), prod(spread(arguments["kernelSize"], 2)), dtype)


def largest(**a: Any) -> np.ndarray:
    """Without places."""
    x, out = a["self"], np.empty(a["out"].shape, np.result_type(a["self"]))
    cuts = windows(x.shape[-2:], out.shape[-2:], a["kernelShape"], list(a["strides"]) or [1], list(a["pads"]) or [0])
    for number, cut in cuts:
        out[(..., *number)] = x[(..., *cut)].max((-2, -1))
    return out


def torch_largest(**a: Any) -> np.ndarray:
    return torch_places({"kernelSize": a["kernelShape"], "stride": a["strides"] or [1], "padding": a["pads"] or [0]},
                        a["self"], a["ceilMode"], 2)[0]  # fmt: skip


def places(**a: Any) -> list[np.ndarray]:
    """The largest elements, and their places."""
    x, out = a["self"], np.empty(a["out"].shape, np.result_type(a["self"]))
    found, dims = np.empty(out.shape, np.int64), x.ndim - 2
    sizes = x.shape[2:]
    numbers = np.arange(prod(sizes)).reshape(sizes)
    for number, cut in windows(sizes, out.shape[2:], a["kernelSize"], a["stride"], a["padding"]):
        part, own = x[(..., *cut)], numbers[cut].ravel()
        flat = part.reshape(*part.shape[:2], -1)
        out[(..., *number)], found[(..., *number)] = flat.max(-1), own[flat.argmax(-1)]
    assert dims == len(sizes)
    return [out, found]


def torch_places(a: Words, x: np.ndarray, ceil: Any, dims: int) -> list[np.ndarray]:
    import torch

    pool = torch.nn.functional.max_pool3d if dims == 3 else torch.nn.functional.max_pool2d
    kernel, stride, padding = (spread(a[name], dims) for name in ("kernelSize", "stride", "padding"))
    found = pool(as_tensor(x), kernel, stride or None, padding, 1, bool(ceil), True)
    return [each.numpy() for each in found]


def torch_with_places(**a: Any) -> list[np.ndarray]:
    return torch_places(a, a["self"], a["ceilMode"], a["self"].ndim - 2)


def masked(**a: Any) -> list[np.ndarray]:
    """The bytes that begin with the places."""
    out, found = places(**a)
    mask = np.zeros(a["indices"].shape, np.int8)
    mask.reshape(-1)[: 4 * found.size] = found.astype(np.int32).reshape(-1).view(np.int8)
    return [out, mask]


def torch_masked(**a: Any) -> list[Any]:
    return [torch_with_places(**a)[0], None]


def given_back(**a: Any) -> np.ndarray:
    out = np.zeros(a["self"].shape, np.result_type(a["gradOutput"]))
    planes = out.reshape(*out.shape[:2], -1)
    for at in np.ndindex(*a["gradOutput"].shape):
        planes[(*at[:2], int(a["indices"][at]))] += a["gradOutput"][at]
    return out


def torch_given_back(**a: Any) -> np.ndarray:
    import torch

    shape = a["self"].shape
    out = torch.zeros(*shape[:2], prod(shape[2:]), dtype=torch.float64)
    slope, at = (as_tensor(a[name].reshape(*shape[:2], -1)) for name in ("gradOutput", "indices"))
    return out.scatter_add(2, at, slope.double()).reshape(shape).numpy()


def unmasked(arguments: Words) -> np.ndarray:
    """The places that a mask begins with."""
    slope = arguments["gradOutput"]
    found = arguments["indices"].astype(np.int8).reshape(-1)[: 4 * slope.size]
    return found.view(np.int32).reshape(slope.shape)


def bound_given(arguments: Words, exact: np.ndarray, dtype: str) -> Any:
    slope = np.abs(arguments["gradOutput"])
    return of_terms(slope.sum(), slope.size, dtype)


def some_places(drawn: np.ndarray) -> np.ndarray:
    """A mask whose places are the first four of each plane."""
    return (np.arange(drawn.size // 4, dtype=np.int32) % 4).view(np.int8).reshape(drawn.shape)


def transposed(arguments: Words) -> np.ndarray:
    """The places counted by columns."""
    height, width = arguments["self"].shape[-2:]
    found = arguments["indices"]
    return found % width * height + found // width


AVERAGES = tuple(
    {"kernelSize": Values((2, 3)), "strides": Values((2,)), "paddings": Values((1,)), "ceilMode": ceil,
     "countIncludePad": padded, "divisorOverride": override, "out": image(2, 3, 3, 2 + ceil)}
    for ceil, padded, override in ((True, True, 0), (True, False, 0), (False, False, 0), (False, True, 5))
)  # fmt: skip
BACKS = tuple(
    {name: value for name, value in each.items() if name not in ("strides", "paddings", "out")}
    | {"stride": each["strides"], "padding": each["paddings"], "gradOutput": each["out"]}
    for each in AVERAGES
)
GLOBAL = {"kernelSize": Values((4,)), "stride": Values(()), "padding": Values((0,))}
POOLED = {"out": image(2, 3, 1, 1), "indices": image(2, 3, 1, 1, dtype=ACL_INT32)}
HANGING = {"kernelSize": Values((2, 3)), "stride": Values((2,)), "padding": Values((1,)), "ceilMode": True}
HUNG = {"out": image(2, 3, 3, 3), "indices": image(2, 3, 3, 3, dtype=ACL_INT32)}
FINITE = {"self": ("huge", "-huge", "tiny", "0")}


def last(**a: Any) -> list[np.ndarray]:
    """Places counted from the end."""
    out, found = places(**a)
    return [out, prod(a["self"].shape[2:]) - 1 - found]


WRONG_PLACES = {"padding ignored": but(places, padding=lambda a: [0] * len(a["padding"])),
                "places counted from the end": last}  # fmt: skip


def over_all(function: Callable[[np.ndarray], Any]) -> Expected:
    """Channel by channel."""

    def expected(self: np.ndarray) -> np.ndarray:
        rows = [function(row) for row in self.reshape(prod(self.shape[:2]), -1)]
        return np.array(rows).reshape(*self.shape[:2], *[1] * (self.ndim - 2))

    return expected


def torch_over_all(name: str) -> Expected:
    def expected(self: np.ndarray) -> Any:
        import torch

        return getattr(torch, name)(as_tensor(self), tuple(range(2, self.ndim)), keepdim=True).numpy()

    return expected


ROUTES: tuple[Route, ...] = (
    route("aclnnAvgPool2d", "loop", average, bound=bound_average, torch=("torch.avg_pool2d", torch_average),
          also=AVERAGES, extremes={"self": ("nan", "tiny", "0")},
          wrong={"the padding never counts": but(average, countIncludePad=False),
                 "divisorOverride ignored": but(average, divisorOverride=0)}),
    route("aclnnAvgPool2dBackward", "loop", average_back, bound=bound_back, also=BACKS,
          torch=("torch.autograd", torch_average_back),
          wrong={"the padding never counts": but(average_back, countIncludePad=False),
                 "divisorOverride ignored": but(average_back, divisorOverride=0)}),
    route("aclnnMaxPool", "loop", largest, bound="exact", torch=("torch.max_pool2d", torch_largest),
          extremes={"self": ("nan", "inf", "huge", "tiny", "0")},
          also=[{"kernelShape": Values((4,)), "strides": Values(()), "pads": Values(()), "out": image(2, 3, 1, 1)},
                {"kernelShape": Values((2, 3)), "strides": Values((2,)), "pads": Values((1,)), "ceilMode": 1,
                 "out": image(2, 3, 3, 3)}],
          wrong={"padding ignored": but(largest, pads=[0]), "stride ignored": but(largest, strides=[1])}),
    route("aclnnMaxPool2dWithIndices", "loop", places, bound="exact", torch=("torch.max_pool2d", torch_with_places),
          extremes=FINITE, also=[{**GLOBAL, **POOLED}, {**HANGING, **HUNG}], wrong=WRONG_PLACES),
    route("aclnnMaxPool3dWithArgmax", "loop", places, bound="exact", torch=("torch.max_pool3d", torch_with_places),
          extremes=FINITE, wrong={"places counted from the end": last}),
    route("aclnnMaxPool2dWithMask", "loop", masked, bound="exact", torch=("torch.max_pool2d", torch_masked),
          extremes=FINITE, wrong={"padding ignored": but(masked, padding=[0])}),
    route("aclnnMaxPool2dWithIndicesBackward", "aclnnMaxPool3dWithArgmaxBackward", "loop", given_back,
          bound=bound_given, torch=("torch.scatter_add", torch_given_back),
          wrong={"places counted by columns": but(given_back, indices=transposed)}),
    route("aclnnMaxPool2dWithMaskBackward", "loop", but(given_back, indices=unmasked), bound=bound_given,
          torch=("torch.scatter_add", but(torch_given_back, indices=unmasked)), values={"indices": some_places},
          wrong={"all to the first place": but(given_back, indices=lambda a: 0 * unmasked(a))}),
    route("aclnnGlobalAveragePool", "loop", over_all(lambda row: sum(row) / row.size), bound=sums("self"),
          torch=("torch.mean", torch_over_all("mean")), extremes={"self": ("nan", "tiny", "0")},
          wrong={"the sum": over_all(sum), "the largest": over_all(max)}),
    route("aclnnGlobalMaxPool", "loop", over_all(lambda row: np.sort(row)[-1]), bound="exact",
          torch=("torch.amax", torch_over_all("amax")), extremes={"self": ("nan", "inf", "huge", "0")},
          wrong={"the sum": over_all(sum), "the smallest": over_all(min)}),
)  # fmt: skip

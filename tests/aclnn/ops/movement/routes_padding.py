"""Routes for the paddings and their gradients, Im2col and its gradient, UnfoldGrad."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.derived.values import Values
from tests.oracle.extremes import ALL, FINITE
from tests.oracle.route import Route, as_tensor, but, of_terms, route

NUMPY = {"reflect": "reflect", "replicate": "edge", "circular": "wrap", "constant": "constant"}
"""numpy's words for those of torch"""
KINDS = {"reflect": "Reflection", "replicate": "Replication", "circular": "Circular"}
Formula = Callable[..., Any]


def pairs(padding: list[int], rank: int) -> list[tuple[int, int]]:
    found = list(zip(padding[::2], padding[1::2], strict=True))[::-1]
    return [(0, 0)] * (rank - len(found)) + found


def by_numpy(mode: str) -> Formula:
    def expected(self: np.ndarray, padding: list[int]) -> np.ndarray:
        return np.pad(self, pairs(padding, self.ndim), NUMPY[mode])

    return expected


def by_torch_pad(mode: str) -> Formula:
    def expected(self: np.ndarray, padding: list[int]) -> Any:
        import torch

        numbers = self.astype(np.float64) if self.dtype.kind in "biu" else self  # the values are small
        return torch.nn.functional.pad(as_tensor(numbers), padding, mode).numpy().astype(self.dtype)

    return expected


def back(mode: str) -> Formula:
    """Number each element, pad the numbers, add up what has one number."""

    def expected(gradOutput: np.ndarray, self: np.ndarray, padding: list[int]) -> np.ndarray:
        numbers = by_numpy(mode)(np.arange(self.size).reshape(self.shape), padding)
        out = [0] * self.size
        for number, value in zip(numbers.ravel().tolist(), gradOutput.ravel().tolist(), strict=True):
            out[number] += value
        return np.array(out).reshape(self.shape)

    return expected


def torch_back(mode: str) -> Formula:
    def expected(gradOutput: np.ndarray, self: np.ndarray, padding: list[int]) -> Any:
        import torch

        x = torch.zeros(self.shape, dtype=as_tensor(gradOutput).dtype, requires_grad=True)
        torch.nn.functional.pad(x, padding, mode).backward(as_tensor(gradOutput))
        return x.grad.numpy()  # pyright: ignore

    return expected


def only_inside(gradOutput: np.ndarray, self: np.ndarray, padding: list[int]) -> np.ndarray:
    cuts = pairs(padding, self.ndim)
    inner = (slice(begin, begin + size) for size, (begin, _) in zip(self.shape, cuts, strict=True))
    return gradOutput[tuple(inner)]


def terms(arguments: Any, exact: np.ndarray, dtype: str) -> Any:
    """Each element gets eight terms or fewer."""
    return of_terms(8 * float(np.abs(arguments.get("gradOutput", arguments.get("gradOut"))).max(initial=0.0)), 8, dtype)


def constant(self: np.ndarray, pad: list[int], value: Any) -> np.ndarray:
    around = pairs(pad, self.ndim)
    wide = np.pad(self, [(max(one, 0), max(other, 0)) for one, other in around], constant_values=value)
    cut = (slice(max(-one, 0), size - max(-other, 0)) for size, (one, other) in zip(wide.shape, around, strict=True))
    return wide[tuple(cut)]


def held(self: np.ndarray, value: Any) -> Any:
    """The value in the type of self."""
    return bool(value) if self.dtype.kind == "b" else int(value) if self.dtype.kind in "iu" else value


def constant_of_type(self: np.ndarray, pad: list[int], value: Any) -> np.ndarray:
    whole = self.dtype.kind == "u"
    return constant(self.astype(np.int64) if whole else self, pad, held(self, value))


def torch_constant(self: np.ndarray, pad: list[int], value: Any) -> Any:
    import torch

    return torch.nn.functional.pad(as_tensor(self), pad, value=held(self, value)).numpy()


def im2col(self: np.ndarray, kernelSize: Any, dilation: Any, padding: Any, stride: Any, out: np.ndarray) -> np.ndarray:
    """Element by element."""
    batch = self.reshape(-1, *self.shape[-3:])
    (high, wide), (rows, columns) = kernelSize, batch.shape[-2:]
    count = (columns + 2 * padding[1] - dilation[1] * (wide - 1) - 1) // stride[1] + 1
    found = np.zeros((len(batch), *out.shape[-2:]), self.dtype)
    for n, row, column in product(*map(range, found.shape)):
        channel, i, j = row // (high * wide), row // wide % high, row % wide
        y = column // count * stride[0] - padding[0] + i * dilation[0]
        x = column % count * stride[1] - padding[1] + j * dilation[1]
        if 0 <= y < rows and 0 <= x < columns:
            found[n, row, column] = batch[n, channel, y, x]
    return found.reshape(out.shape)


def torch_im2col(self: np.ndarray, kernelSize: Any, dilation: Any, padding: Any, stride: Any) -> Any:
    import torch

    return torch.nn.functional.unfold(as_tensor(self), kernelSize, dilation, padding, stride).numpy()


def columns_first(self: np.ndarray, kernelSize: Any, dilation: Any, padding: Any, stride: Any,
                  out: np.ndarray) -> np.ndarray:  # fmt: skip
    right = im2col(self, kernelSize, dilation, padding, stride, out)
    parts = right.reshape(*right.shape[:-2], -1, *kernelSize, right.shape[-1])
    return parts.swapaxes(-2, -3).reshape(right.shape)


def im2col_back(gradOutput: np.ndarray, inputSize: Any, kernelSize: Any, dilation: Any, padding: Any, stride: Any,
                out: np.ndarray) -> np.ndarray:  # fmt: skip
    """Element by element."""
    (rows, columns), (high, wide) = inputSize, kernelSize
    batch = gradOutput.reshape(-1, *gradOutput.shape[-2:])
    count = (columns + 2 * padding[1] - dilation[1] * (wide - 1) - 1) // stride[1] + 1
    found = np.zeros((len(batch), batch.shape[1] // (high * wide), rows, columns), gradOutput.dtype)
    for n, row, column in product(*map(range, batch.shape)):
        channel, i, j = row // (high * wide), row // wide % high, row % wide
        y = column // count * stride[0] - padding[0] + i * dilation[0]
        x = column % count * stride[1] - padding[1] + j * dilation[1]
        if 0 <= y < rows and 0 <= x < columns:
            found[n, channel, y, x] += batch[n, row, column]
    return found.reshape(out.shape)


def torch_im2col_back(gradOutput: np.ndarray, inputSize: Any, kernelSize: Any, dilation: Any, padding: Any,
                      stride: Any) -> Any:  # fmt: skip
    import torch

    fold = torch.nn.functional.fold
    return fold(as_tensor(gradOutput), inputSize, kernelSize, dilation, padding, stride).numpy()


def im2col_terms(arguments: Any, exact: np.ndarray, dtype: str) -> Any:
    words = ("inputSize", "kernelSize", "dilation", "padding", "stride", "out")
    sizes = im2col_back(np.abs(arguments["gradOutput"]), **{name: arguments[name] for name in words})
    return of_terms(sizes, 16, dtype)


def folded(gradOut: np.ndarray, inputSizes: list[int], dim: int, step: int) -> np.ndarray:
    out = np.zeros(inputSizes)
    for at in np.ndindex(gradOut.shape):
        place = list(at[:-1])
        place[dim] = at[dim] * step + at[-1]
        out[tuple(place)] += gradOut[at]
    return out


def torch_folded(gradOut: np.ndarray, inputSizes: list[int], dim: int, size: int, step: int) -> Any:
    import torch

    x = torch.zeros(inputSizes, dtype=torch.float64, requires_grad=True)
    x.unfold(dim, size, step).backward(as_tensor(gradOut))
    return x.grad.numpy()  # pyright: ignore


def apart(gradOut: np.ndarray, inputSizes: list[int], dim: int, size: int) -> np.ndarray:
    """Windows that do not overlap."""
    found = np.moveaxis(gradOut, dim, -2)
    flat = found.reshape(*found.shape[:-2], -1)
    return np.moveaxis(flat[..., : inputSizes[dim]], -1, dim)


def forward(mode: str, dims: range) -> Route:
    names = [f"aclnn{KINDS[mode]}Pad{each}d" for each in dims]
    other = "replicate" if mode == "reflect" else "reflect"
    return route(*names, "numpy.pad", by_numpy(mode), bound="exact", extremes={"self": ALL},
                 torch=("torch.pad", by_torch_pad(mode)), wrong={"another mode": by_numpy(other)})  # fmt: skip


def backward(mode: str, dims: range) -> Route:
    names = [f"aclnn{KINDS[mode]}Pad{each}dBackward" for each in dims]
    other = "replicate" if mode == "reflect" else "reflect"
    return route(*names, "loop", back(mode), bound=terms, extremes={"gradOutput": FINITE},
                 torch=("torch.autograd", torch_back(mode)),
                 wrong={"another mode": back(other), "without the border": only_inside})  # fmt: skip


ROUTES: tuple[Route, ...] = (
    forward("reflect", range(1, 4)), forward("replicate", range(1, 4)), forward("circular", range(2, 4)),
    backward("reflect", range(1, 4)), backward("replicate", range(1, 4)), backward("circular", range(2, 4)),
    route("aclnnConstantPadNd", "numpy.pad", constant_of_type, bound="exact", extremes={"self": ALL},
          groups=[["self", "out"]],
          torch=("torch.pad", torch_constant), also=[{"pad": Values((0, 2)), "out": Meta((2, 5))},
                                                    {"pad": Values((0, 0)), "out": Meta((2, 3))}],
          wrong={"zeros": lambda self, pad: constant(self, pad, 0),
                 "from the first dimension on": lambda self, pad, value: constant_of_type(
                     self.T, pad, value).T if len(pad) == 4 else self}),
    route("aclnnIm2col", "loop", im2col, bound="exact", extremes={"self": ALL},
          torch=("torch.unfold", torch_im2col),
          also=[{"self": Meta((1, 3, 4)), "kernelSize": Values((3, 1)), "dilation": Values((1, 1)),
                 "padding": Values((0, 1)), "stride": Values((1, 3)), "out": Meta((3, 2))}],
          wrong={"columns of the window first": columns_first}),
    route("aclnnIm2colBackward", "loop", im2col_back, bound=im2col_terms,
          torch=("torch.fold", torch_im2col_back), extremes={"gradOutput": FINITE},
          also=[{"gradOutput": Meta((3, 2)), "inputSize": Values((3, 4)), "kernelSize": Values((3, 1)),
                 "dilation": Values((1, 1)), "padding": Values((0, 1)), "stride": Values((1, 3)),
                 "out": Meta((1, 3, 4))}],
          wrong={"dilation ignored": but(im2col_back, dilation=[1, 1])}),
    route("aclnnUnfoldGrad", "loop", folded, bound=terms, extremes={"gradOut": FINITE},
          torch=("torch.autograd", torch_folded), wrong={"windows that do not overlap": apart}),
)  # fmt: skip

"""Routes for Tril, Triu, Diag, DiagFlat, Trace, Eye, Arange, Range, Linspace, LogSpace, OneHot."""

from __future__ import annotations

from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.derived.launching import FILL
from tests.derived.values import Number
from tests.oracle.extremes import ALL, FINITE
from tests.oracle.route import Route, as_tensor, but, by_torch, of_terms, route

OF_SELF = {"self": ALL}


def lower(self: np.ndarray, diagonal: int) -> np.ndarray:
    out = np.zeros_like(self)
    for at in np.ndindex(self.shape):
        if at[-1] - at[-2] <= diagonal:
            out[at] = self[at]
    return out


def upper(self: np.ndarray, diagonal: int) -> np.ndarray:
    return lower(self.swapaxes(-1, -2), -diagonal).swapaxes(-1, -2)


def diag(self: np.ndarray, diagonal: int) -> np.ndarray:
    if self.ndim < 2:
        values = self.ravel().tolist()
        side = len(values) + abs(diagonal)
        out = np.zeros((side, side), self.dtype)
        for at, value in enumerate(values):
            out[at + max(-diagonal, 0), at + max(diagonal, 0)] = value
        return out
    rows, columns = self.shape
    found = [self[i, j] for i in range(rows) for j in range(columns) if j - i == diagonal]
    return np.array(found, self.dtype)


def flat(self: np.ndarray, diagonal: int) -> np.ndarray:
    return diag(self.reshape(-1), diagonal)


def trace(self: np.ndarray) -> np.ndarray:
    found = np.zeros((), self.dtype if self.dtype.kind in "fc" else np.int64)
    for at in range(min(self.shape)):
        found = found + self[at, at]
    return found


def trace_bound(arguments: Any, exact: np.ndarray, dtype: str) -> Any:
    return of_terms(float(np.abs(np.diagonal(arguments["self"])).sum()), min(arguments["self"].shape), dtype)


def torch_trace(self: np.ndarray) -> Any:
    return as_tensor(self).trace().numpy()


def eye(n: int, m: int) -> np.ndarray:
    return np.array([[float(i == j) for j in range(m)] for i in range(n)])


def counted(start: float, end: float, step: float, out: np.ndarray) -> np.ndarray:
    """The first elements, one by one; the others keep the fill."""
    found: list[float] = []
    while (start < end if step > 0 else start > end) and len(found) < out.size:
        found.append(start)
        start += step
    return np.array(found + [FILL] * (out.size - len(found)))


def closed(start: float, end: float, step: float, out: np.ndarray) -> np.ndarray:
    """The end is an element too."""
    if out.dtype.kind == "i":
        start, end, step = int(start), int(end), int(step)
    return counted(start, end + step / 2, step, out)


def torch_arange(start: float, end: float, step: float, out: np.ndarray) -> Any:
    import torch

    found = torch.arange(start, end, step, dtype=torch.float64).numpy()[: out.size]
    return np.concatenate([found, np.full(out.size - found.size, float(FILL))])


def torch_range(start: float, end: float, step: float, out: np.ndarray) -> Any:
    if out.dtype.kind == "i":
        start, end, step = int(start), int(end), int(step)
    return torch_arange(start, end + step / 2, step, out)


def spaced(start: float, end: float, steps: int, out: np.ndarray) -> np.ndarray:
    start, end = as_out(start, out), as_out(end, out)
    return np.array([start + at * (end - start) / (steps - 1) for at in range(steps)])


def as_out(number: float, out: np.ndarray) -> float:
    """Truncated to the integers of 8 bits or more that out has."""
    return int(number) % 256 if out.dtype.kind == "u" else int(number) if out.dtype.kind == "i" else number


def torch_linspace(start: float, end: float, steps: int, out: np.ndarray) -> Any:
    import torch

    return torch.linspace(as_out(start, out), as_out(end, out), steps, dtype=torch.float64).numpy()


def powers(start: float, end: float, steps: int, base: float, result: np.ndarray) -> np.ndarray:
    return np.array([base ** float(each) for each in spaced(start, end, steps, result)])


def torch_logspace(start: float, end: float, steps: int, base: float) -> Any:
    import torch

    return torch.logspace(start, end, steps, base=base, dtype=torch.float64).numpy()


def one_hot(self: np.ndarray, numClasses: int, onValue: np.ndarray, offValue: np.ndarray, axis: int) -> np.ndarray:
    rows = [[onValue[0] if at == each else offValue[0] for at in range(numClasses)] for each in self.ravel().tolist()]
    return np.moveaxis(np.array(rows).reshape(*self.shape, numClasses), -1, axis)


def torch_one_hot(self: np.ndarray, numClasses: int, onValue: np.ndarray, offValue: np.ndarray, axis: int) -> Any:
    import torch

    inside = (self >= 0) & (self < numClasses)
    marks = torch.nn.functional.one_hot(as_tensor(np.where(inside, self, 0)), numClasses).numpy() * inside[..., None]
    return np.moveaxis(np.where(marks, onValue[0], offValue[0]), -1, axis)


OTHER = [{"diagonal": -1}, {"diagonal": 1}]

ROUTES: tuple[Route, ...] = (
    route("aclnnTril", "aclnnInplaceTril", "loop", lower, bound="exact", extremes=OF_SELF, also=OTHER,
          torch=("torch.tril", by_torch("tril", "self", "diagonal")),
          wrong={"the other triangle": upper,
                 "without the diagonal": but(lower, diagonal=lambda a: a["diagonal"] - 1)}),
    route("aclnnTriu", "aclnnInplaceTriu", "loop", upper, bound="exact", extremes=OF_SELF, also=OTHER,
          torch=("torch.triu", by_torch("triu", "self", "diagonal")),
          wrong={"the other triangle": lower,
                 "without the diagonal": but(upper, diagonal=lambda a: a["diagonal"] + 1)}),
    route("aclnnDiag", "loop", diag, bound="exact", extremes=OF_SELF,
          torch=("torch.diag", by_torch("diag", "self", "diagonal")),
          start={"self": Meta((3, 4)), "out": Meta((3,))},
          also=[{"diagonal": -1, "out": Meta((2,))}, {"diagonal": 2, "out": Meta((2,))},
                {"self": Meta((3,)), "out": Meta((3, 3))}, {"self": Meta((2,)), "diagonal": -1, "out": Meta((3, 3))}],
          wrong={"the diagonal on the other side": but(diag, diagonal=lambda a: -a["diagonal"])}),
    route("aclnnDiagFlat", "loop", flat, bound="exact", extremes=OF_SELF,
          torch=("torch.diagflat", by_torch("diagflat", "self", "diagonal")),
          start={"self": Meta((2, 2)), "diagonal": 1, "out": Meta((5, 5))},
          also=[{"self": Meta((24,)), "diagonal": 0, "out": Meta((24, 24))}],
          wrong={"the diagonal on the other side": but(flat, diagonal=lambda a: -a["diagonal"])}),
    route("aclnnTrace", "loop", trace, bound=trace_bound, extremes={"self": FINITE}, torch=("torch.trace", torch_trace),
          start={"self": Meta((3, 4))}, groups=[["self", "out"], ["self"]],
          wrong={"the sum of the first row": lambda self: self[0].sum(),
                 "the largest element": lambda self: np.diagonal(self)[0]}),
    route("aclnnEye", "loop", eye, bound="exact", torch=("torch.eye", by_torch("eye", "n", "m")),
          also=[{"n": 3, "m": 2, "out": Meta((3, 2))}], wrong={"ones": lambda n, m: np.ones((n, m))}),
    route("aclnnArange", "loop", counted, bound="exact", groups=[["out"]], torch=("torch.arange", torch_arange),
          also=[{"start": Number(5), "end": Number(-4), "step": Number(-2), "out": Meta((5,))}],
          wrong={"a closed interval": closed, "without start": lambda step, out: np.arange(out.size) * step}),
    route("aclnnRange", "loop", closed, bound="exact", groups=[["out"]], torch=("torch.arange", torch_range),
          also=[{"start": Number(5), "end": Number(-3), "step": Number(-2), "out": Meta((5,))}],
          wrong={"without end": counted}),
    route("aclnnLinspace", "loop", spaced, groups=[["out"]], torch=("torch.linspace", torch_linspace),
          also=[{"start": Number(-3), "end": Number(9), "steps": 4, "out": Meta((4,))}],
          wrong={"without end": lambda start, end, steps: start + (end - start) / steps * np.arange(steps)}),
    route("aclnnLogSpace", "loop", powers, groups=[["result"]], torch=("torch.logspace", torch_logspace),
          also=[{"start": Number(-2), "end": Number(2), "steps": 3, "base": 10.0, "result": Meta((3,))}],
          wrong={"base 10": but(powers, base=10.0)}),
    route("aclnnOneHot", "loop", one_hot, bound="exact", groups=[["onValue", "offValue", "out"], ["self"]],
          torch=("torch.one_hot", torch_one_hot), extremes={"onValue": ALL, "offValue": ALL},
          also=[{"axis": 0, "out": Meta((4, 2, 3))}, {"axis": 1, "out": Meta((2, 4, 3))}],
          wrong={"the values change places": lambda self, numClasses, onValue, offValue, axis: one_hot(
                     self, numClasses, offValue, onValue, axis)}),
)  # fmt: skip

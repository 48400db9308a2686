"""Routes for Qr, LinalgQr, Slogdet and Logdet: reflections and elimination, and torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.oracle.route import Route, as_tensor, route


def reflected(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One matrix, column by column, by Householder's reflections; Q is square."""
    m, n = x.shape
    q, r = np.eye(m, dtype=x.dtype), x.copy()
    for at in range(min(m - (not np.iscomplexobj(x)), n)):
        first, size = r[at, at], np.linalg.norm(r[at:, at])
        if size == 0:
            continue
        beta = -np.copysign(size, first.real)
        v = r[at:, at].copy()
        v[0] -= beta
        tau = (beta - first) / beta
        v = v / (first - beta)
        h = np.eye(m - at, dtype=x.dtype) - tau * np.outer(v, v.conj())
        r[at:] = h.conj().T @ r[at:]
        q[:, at:] = q[:, at:] @ h
    return q, np.triu(r)


def stack(function: Callable[[np.ndarray], Any], x: np.ndarray) -> list[np.ndarray]:
    """The results of a function of each matrix, by result."""
    found = [function(each) for each in x.reshape(-1, *x.shape[-2:])]
    return [np.array(each).reshape(*x.shape[:-2], *np.shape(each[0])) for each in zip(*found, strict=True)]


def qr(self: np.ndarray, *, mode: int = 0, some: bool | None = None) -> Any:
    complete = mode == 1 if some is None else not some
    q, r = stack(reflected, self)
    inner = self.shape[-2] if complete else min(self.shape[-2:])
    return None if mode == 2 else q[..., :inner], r[..., :inner, :]


def qr_by_torch(self: np.ndarray, *, mode: int = 0, some: bool | None = None) -> Any:
    import torch

    complete = mode == 1 if some is None else not some
    q, r = torch.linalg.qr(as_tensor(self), mode="complete" if complete else "reduced")
    return None if mode == 2 else q.numpy(), r.numpy()


def by_mode(function: Any) -> Any:
    return lambda self, mode: function(self, mode=mode)


def by_some(function: Any) -> Any:
    return lambda self, some: function(self, some=some)


def eliminated(x: np.ndarray) -> tuple[Any, Any]:
    """Sign and logarithm of the determinant of a matrix, by elimination."""
    rows, sign, log = x.copy(), x.dtype.type(1), 0.0
    for at in range(len(rows)):
        best = at + int(np.abs(rows[at:, at]).argmax())
        if best != at:
            rows[[at, best]] = rows[[best, at]]
            sign = -sign
        pivot = rows[at, at]
        if pivot == 0:
            return x.dtype.type(0), -np.inf
        sign, log = sign * pivot / abs(pivot), log + np.log(abs(pivot))
        rows[at + 1 :] -= np.outer(rows[at + 1 :, at] / pivot, rows[at])
    return sign, log


def slogdet(self: np.ndarray) -> Any:
    return tuple(stack(eliminated, self))


def slogdet_by_torch(self: np.ndarray) -> Any:
    import torch

    return tuple(each.numpy() for each in torch.linalg.slogdet(as_tensor(self)))


def logdet(self: np.ndarray) -> Any:
    sign, log = slogdet(self)
    return log + 1j * np.angle(sign) if np.iscomplexobj(self) else np.where(sign < 0, np.nan, log)


def logdet_by_torch(self: np.ndarray) -> Any:
    import torch

    if np.iscomplexobj(self):  # torch has no such function of complex matrices
        return logdet(self)
    return torch.logdet(as_tensor(self)).numpy()


TALL = {"self": Meta((2, 4, 3)), "Q": Meta((2, 4, 4)), "R": Meta((2, 4, 3))}
ROUTES: tuple[Route, ...] = (
    route("aclnnLinalgQr", "reflections", by_mode(qr), bound="composite",
          torch=("torch.linalg.qr", by_mode(qr_by_torch)),
          also=[{**TALL, "mode": 1}, {**TALL, "mode": 2, "R": Meta((2, 3, 3))}],
          wrong={"of the transpose": lambda self, mode: qr(np.swapaxes(self, -1, -2).reshape(self.shape), mode=mode)}),
    route("aclnnQr", "reflections", by_some(qr), bound="composite", torch=("torch.linalg.qr", by_some(qr_by_torch)),
          also=[{**TALL, "some": False}],
          wrong={"of the transpose": lambda self, some: qr(np.swapaxes(self, -1, -2).reshape(self.shape), some=some)}),
    route("aclnnSlogdet", "elimination", slogdet, bound="composite", torch=("torch.linalg.slogdet", slogdet_by_torch),
          wrong={"without sign": lambda self: (np.ones(self.shape[:-2]), slogdet(self)[1])}),
    route("aclnnLogdet", "elimination", logdet, bound="composite", torch=("torch.logdet", logdet_by_torch),
          wrong={"without sign": lambda self: slogdet(self)[1]}),
)  # fmt: skip

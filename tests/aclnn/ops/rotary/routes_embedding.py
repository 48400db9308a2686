"""Routes for `aclnn.ops.rotary.embedding`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.oracle.route import Route, as_tensor, but, route

MODES = ("half", "interleave", "quarter", "interleave-half")


def matrix(mode: int, size: int) -> np.ndarray:
    """rotate(x) = x @ matrix, element by element."""
    found = np.zeros((size, size))
    part = size // (4 if mode == 2 else 2)
    for at in range(size):
        partner = at ^ 1 if mode == 1 else at + part if (at // part) % 2 == 0 else at - part
        found[at, partner] = -1 if partner < at else 1
    return found


def order(mode: int, size: int) -> np.ndarray:
    """x' = x @ order"""
    places = [*range(0, size, 2), *range(1, size, 2)] if mode == 3 else range(size)
    return np.eye(size)[:, list(places)]


def by_matrix(x: np.ndarray, cos: np.ndarray, sin: np.ndarray, mode: int) -> np.ndarray:
    size = x.shape[-1]
    given = (x @ order(mode, size)).astype(x.dtype)
    return given * cos + (given @ matrix(mode, size)).astype(x.dtype) * sin


def by_torch(x: Any, cos: Any, sin: Any, mode: int) -> Any:
    import torch

    x, cos, sin = (as_tensor(each) for each in (x, cos, sin))
    if mode == 1:
        turned = torch.stack((-x[..., 1::2], x[..., ::2]), -1).flatten(-2)
    else:
        x = torch.cat((x[..., ::2], x[..., 1::2]), -1) if mode == 3 else x
        parts = list(x.chunk(4 if mode == 2 else 2, -1))
        turned = torch.cat([each for at in range(0, len(parts), 2) for each in (-parts[at + 1], parts[at])], -1)
    return (x * cos + turned * sin).numpy()


def by_given_matrix(
    x: np.ndarray, cos: np.ndarray, sin: np.ndarray, mode: int, rotate: np.ndarray | None
) -> np.ndarray:
    """Element by element; without a matrix as the first version."""
    if rotate is None:
        return by_matrix(x, cos, sin, mode)
    turned = np.stack([sum(x[..., at] * rotate[at, to] for at in range(x.shape[-1])) for to in range(x.shape[-1])], -1)
    return x * cos + turned * sin


def grads(dy: Any, cos: Any, sin: Any, xOptional: Any, mode: int) -> Any:
    """By the transposed matrices."""
    size = dy.shape[-1]
    back = dy * cos + (dy * sin) @ matrix(mode, size).T.astype(dy.dtype)
    dx = back @ order(mode, size).T.astype(dy.dtype)
    if xOptional is None:
        return dx, None, None
    x = (xOptional @ order(mode, size)).astype(dy.dtype)
    axes = tuple(at for at, each in enumerate(cos.shape) if each == 1)
    sums = [(dy * each).sum(axes, keepdims=True) for each in (x, (x @ matrix(mode, size)).astype(dy.dtype))]
    return dx, *sums


def by_autograd(dy: Any, cos: Any, sin: Any, xOptional: Any, mode: int) -> Any:
    import torch

    x = torch.zeros(dy.shape, dtype=torch.float64) if xOptional is None else as_tensor(xOptional)
    given = [each.clone().requires_grad_() for each in (x, as_tensor(cos), as_tensor(sin))]
    turn, first = (torch.from_numpy(make(mode, dy.shape[-1])).to(x.dtype) for make in (matrix, order))
    own = given[0] @ first
    found = torch.autograd.grad(own * given[1] + (own @ turn) * given[2], given, as_tensor(dy))
    made = [each.numpy() for each in found]
    return made if xOptional is not None else [made[0], None, None]


def pair(way: Callable[..., Any]) -> Callable[..., Any]:
    def expected(queryRef: Any, keyRef: Any, cos: Any, sin: Any, **others: Any) -> Any:
        mode = MODES.index(others.get("rotaryMode", "half"))
        return tuple(way(x, cos, sin, mode) for x in (queryRef, keyRef))

    return expected


def turned(sizes: tuple[int, ...]) -> dict[str, Any]:
    table = Meta((1, sizes[1], 1, sizes[3]))
    return {"x": Meta(sizes), "cos": table, "sin": table, "out": Meta(sizes)}


def other_layout(layout: int, *shapes: tuple[int, ...]) -> dict[str, Any]:
    names = ("queryRef", "keyRef", "cos", "sin")
    return {"layout": layout, **{name: Meta(each) for name, each in zip(names, (*shapes, shapes[-1]), strict=True)}}


def transposed(given: dict[str, Any]) -> Any:
    return None if given["rotate"] is None else given["rotate"].T


SBND, BNSD = ((3, 2, 4, 8), (3, 2, 2, 8), (3, 2, 1, 8)), ((2, 4, 3, 8), (2, 2, 3, 8), (2, 1, 3, 8))
WRONG = {"the other direction": lambda given: -given["sin"], "cos for sin": lambda given: given["cos"]}
PLAIN = ("x", "cos", "sin", "out")
PAIR = {name: but(pair(by_matrix), sin=each) for name, each in WRONG.items()}
MODES_AND_LAYOUTS = (
    {"rotaryMode": "interleave"}, {"rotaryMode": "quarter"}, other_layout(2, *SBND), other_layout(3, *BNSD),
)  # fmt: skip
ROUTES: tuple[Route, ...] = (
    route("aclnnRotaryPositionEmbedding", "matrix", by_matrix, bound="composite", groups=[PLAIN],
          also=[{"mode": 1}, turned((2, 3, 2, 8)), {"mode": 1, **turned((1, 5, 3, 6))}], torch=("torch.cat", by_torch),
          wrong={**{name: but(by_matrix, sin=each) for name, each in WRONG.items()},
                 "always halves": but(by_matrix, mode=0), "always pairs": but(by_matrix, mode=1)}),
    route("aclnnRotaryPositionEmbeddingV2", "loop", by_given_matrix, bound="composite", groups=[(*PLAIN, "rotate")],
          start={"rotate": None},
          also=[{"mode": 1}, turned((2, 3, 2, 8)), *({"rotate": Meta((32, 32)), "mode": mode} for mode in (0, 1))],
          wrong={**{name: but(by_given_matrix, sin=each) for name, each in WRONG.items()},
                 "the transposed matrix": but(by_given_matrix, rotate=transposed)}),
    route("aclnnRotaryPositionEmbeddingGrad", "matrix", grads, bound="composite", also=[{"mode": 1}],
          torch=("torch.autograd", by_autograd),
          wrong={"the other direction": but(grads, sin=WRONG["the other direction"]),
                 "always halves": but(grads, mode=0)}),
    route("aclnnApplyRotaryPosEmb", "matrix", pair(by_matrix), bound="composite",
          torch=("torch.cat", pair(by_torch)), wrong=PAIR),
    route("aclnnApplyRotaryPosEmbV2", "matrix", pair(by_matrix), bound="composite", also=MODES_AND_LAYOUTS,
          torch=("torch.cat", pair(by_torch)),
          wrong={**PAIR, "always halves": but(pair(by_matrix), rotaryMode="half")}),
    route("aclnnInterleaveRope", "matrix", lambda x, cos, sin: by_matrix(x, cos, sin, 3), bound="composite",
          torch=("torch.cat", lambda x, cos, sin: by_torch(x, cos, sin, 3)),
          wrong={"pairs stay in place": lambda x, cos, sin: by_matrix(x, cos, sin, 1),
                 "not taken apart": lambda x, cos, sin: by_matrix(x, cos, sin, 0)}),
)  # fmt: skip

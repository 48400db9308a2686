"""Routes for GeluQuant and QuantMax: loops over elements and rows, and torch. In float32, as integers depend on it."""

from __future__ import annotations

from math import erf, pi, sqrt, tanh
from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.oracle.route import Route, as_tensor, but, elements, route

F32 = np.float32
TOP = {2: 127.0, 35: 57344.0, 36: 448.0}
"""the greatest number of a data type"""


def gelu(x: Any, approximate: str) -> Any:
    if approximate == "tanh":
        return elements(lambda x: x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))))(x=x).astype(F32)
    return elements(lambda x: x / 2 * (1 + erf(x / sqrt(2))))(x=x).astype(F32)


def gelu_by_torch(x: Any, approximate: str) -> Any:
    import torch

    return torch.nn.functional.gelu(as_tensor(x), approximate=approximate).float().numpy()


def on_grid(values: Any, dtype: int) -> Any:
    return np.clip(np.rint(values), -128, 127).astype(np.int64) if dtype == 2 else values


def quantised(way: Any) -> Any:
    def expected(
        self: Any, inputScaleOptional: Any, inputOffsetOptional: Any, approximate: str, quantMode: str, dstType: int
    ) -> Any:  # fmt: skip
        values = way(self, approximate)
        values = values if inputScaleOptional is None else values * inputScaleOptional.astype(F32)
        if quantMode == "static":
            shift = 0 if inputOffsetOptional is None else inputOffsetOptional.astype(F32)
            return on_grid(values + shift, dstType)
        scale = np.array([max(map(abs, row)) / F32(TOP[dstType]) for row in values.reshape(-1, values.shape[-1])])
        scale = scale.reshape(values.shape[:-1]).astype(F32)
        return on_grid(values / scale[..., None], dstType), scale

    return expected


def with_maximum(x: Any, scale: Any) -> Any:
    return elements(lambda x: x * scale[0])(x=x), np.array([max(abs(each) for each in x.ravel())])


def with_maximum_by_torch(x: Any, scale: Any) -> Any:
    tensor = as_tensor(x)
    return (tensor * scale[0]).numpy(), tensor.abs().amax().reshape(1).numpy()


STATIC = {"quantMode": "static", "outScaleOptional": None}
ROUTES: tuple[Route, ...] = (
    route("aclnnGeluQuant", "loop", quantised(gelu), bound="composite", groups=[("self",)],
          also=[STATIC, {**STATIC, "inputOffsetOptional": Meta((8,))}, {"approximate": "tanh"},
                {"inputScaleOptional": None},
                {**STATIC, "inputScaleOptional": Meta((1,)), "inputOffsetOptional": Meta((1,))}],
          torch=("torch.gelu", quantised(gelu_by_torch)),
          wrong={"no scale": but(quantised(gelu), inputScaleOptional=None),
                 "no offset": but(quantised(gelu), inputOffsetOptional=None),
                 "without tanh": but(quantised(lambda x, _: x), approximate="none")}),
    route("aclnnQuantMax", "loop", with_maximum, groups=[("x", "amax")],
          torch=("torch.amax", with_maximum_by_torch),
          wrong={"no scale": but(with_maximum, scale=lambda given: given["scale"] * 0 + 1)}),
)  # fmt: skip

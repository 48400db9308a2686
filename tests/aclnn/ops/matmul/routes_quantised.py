"""Routes for products of INT8: outer products, and scales whose bits are cut one by one."""

from __future__ import annotations

from collections.abc import Mapping
from math import erf, pi, tanh
from struct import pack, unpack
from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.matmul.routes import product
from tests.oracle.route import Route, but, route, unit


def cut(bits: int) -> float:
    """The FLOAT of the highest 19 bits."""
    return unpack("<f", pack("<I", bits % 2**32 >> 13 << 13))[0]


def scaled(x1: np.ndarray, x2: np.ndarray, bias: np.ndarray | None, deqScale: float) -> np.ndarray:
    found = product(x1, x2) + (0 if bias is None else bias)
    return found * cut(unpack("<I", pack("<f", deqScale))[0])


def scaled_columns(
    x1: np.ndarray, x2: np.ndarray, bias: np.ndarray | None, deqScale: np.ndarray, adjX1: bool, adjX2: bool
) -> np.ndarray:
    left, right = (np.swapaxes(each, -1, -2) if swap else each for each, swap in ((x1, adjX1), (x2, adjX2)))
    found = product(left, right) + (0 if bias is None else bias)
    return found * np.array([cut(int(each)) for each in deqScale])[: right.shape[-1]]


def bound(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    return 8 * unit(dtype) * np.abs(exact)


def scales(x: np.ndarray) -> np.ndarray:
    """Those of FLOAT, with bits above that do not count."""
    return (np.linspace(0.001, 0.004, x.size).astype(np.float32).view(np.uint32) + np.uint64(1 << 46)).reshape(x.shape)


def fused(
    x1: np.ndarray, x2: np.ndarray, x1Scale: np.ndarray, x2Scale: np.ndarray, biasOptional: Any, fusedOpType: str,
    dtypes: Any,
) -> np.ndarray:  # fmt: skip
    bias = 0 if biasOptional is None else biasOptional
    early = str(dtypes.get("biasOptional", "")).startswith("int")
    found = (product(x1, x2) + (bias if early else 0)) * x2Scale * x1Scale[:, None] + (0 if early else bias)
    by_tanh = fusedOpType == "gelu_tanh"
    return np.vectorize(gelu_by_tanh if by_tanh else gelu_by_erf)(found)


def gelu_by_tanh(x: float) -> float:
    return x / 2 * (1 + tanh((2 / pi) ** 0.5 * (x + 0.044715 * x**3)))


def gelu_by_erf(x: float) -> float:
    return x / 2 * (1 + erf(x / 2**0.5))


def bound_of_gelu(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    """The rounding of the result, and that of the argument of gelu, whose slope is below 1.2."""
    names = ("x1", "x2", "x1Scale", "x2Scale")
    terms = product(*(np.abs(arguments[name]) for name in names[:2])) * np.abs(arguments["x2Scale"])
    return 2 * unit(dtype) * np.abs(exact) + 2.0**-20 * (1 + terms * np.abs(arguments["x1Scale"])[:, None])


def reduced(x1: np.ndarray, x2: np.ndarray, x1Scale: np.ndarray, x2Scale: np.ndarray) -> np.ndarray:
    found = np.zeros((x1.shape[1], x2.shape[2]))
    for left, right, rows in zip(x1, x2, x1Scale, strict=True):
        found += product(left, right) * rows[:, None] * x2Scale
    return found


def bound_of_reduced(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    terms = reduced(*(np.abs(arguments[name]) for name in ("x1", "x2", "x1Scale", "x2Scale")))
    return 2 * unit(dtype) * np.abs(exact) + 2.0**-21 * terms


def of_weight(
    x: np.ndarray, weight: np.ndarray, antiquantScale: np.ndarray, antiquantOffsetOptional: Any, biasOptional: Any
) -> np.ndarray:
    offset = 0 if antiquantOffsetOptional is None else antiquantOffsetOptional
    return product(x, (weight + offset) * antiquantScale) + (0 if biasOptional is None else biasOptional)


def bound_of_weight(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    """The sum and its product with the scale are rounded to the data type of x."""
    given = (None if (each := arguments[name]) is None else np.abs(each)
             for name in ("x", "weight", "antiquantScale", "antiquantOffsetOptional", "biasOptional"))  # fmt: skip
    return 2 * {"float16": 2.0**-11, "bfloat16": 2.0**-8}[dtype] * of_weight(*given)


def small(x: np.ndarray) -> np.ndarray:
    return np.abs(x.astype(np.float32)) / 64 + 1 / 64


NO_BIAS = {"bias": None}
ROUTES: tuple[Route, ...] = (
    route("aclnnQuantMatmul", "outer products", scaled, bound=bound, also=[NO_BIAS, {"deqScale": -0.003}],
          groups=[["x1"]],
          wrong={"no bias": but(scaled, bias=None), "another scale": but(scaled, deqScale=0.71)}),
    route("aclnnFusedQuantMatmul", "aclnnFusedQuantMatmulWeightNz", "outer products", fused, bound=bound_of_gelu,
          groups=[["biasOptional"]], values={"x1Scale": small, "x2Scale": small},
          also=[{"fusedOpType": "gelu_erf"}, {"x2Scale": Meta((32,), ACL_BF16), "out": Meta((3, 32), ACL_BF16)}],
          wrong={"the other gelu": but(fused, fusedOpType=lambda given: {
                     "gelu_erf": "gelu_tanh", "gelu_tanh": "gelu_erf"}[given["fusedOpType"]]),
                 "no bias": but(fused, biasOptional=None)}),
    route("aclnnQuantMatmulReduceSumWeightNz", "outer products", reduced, bound=bound_of_reduced,
          groups=[["x1"]], values={"x1Scale": small, "x2Scale": small},
          wrong={"scales of rows lost": but(reduced, x1Scale=lambda given: np.ones_like(given["x1Scale"])),
                 "the first batch": but(reduced, x1=lambda given: given["x1"] * [[[1]], [[0]]])}),
    route("aclnnWeightQuantBatchMatmulNz", "outer products", of_weight, bound=bound_of_weight, groups=[["weight"]],
          also=[{"antiquantOffsetOptional": None, "biasOptional": None}],
          wrong={"no offset": but(of_weight, antiquantOffsetOptional=None),
                 "the weight transposed": but(of_weight, weight=lambda given: given["weight"].T)}),
    route("aclnnQuantMatmulV2", "outer products", scaled_columns, bound=bound, groups=[["x1"]], also=[NO_BIAS],
          values={"deqScale": scales},
          wrong={"no bias": but(scaled_columns, bias=None),
                 "one scale": but(scaled_columns, deqScale=lambda given: given["deqScale"][:1].repeat(16))}),
)  # fmt: skip

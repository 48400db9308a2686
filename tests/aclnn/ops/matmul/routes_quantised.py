"""Routes for products of INT8: outer products, and scales whose bits are cut one by one."""

from __future__ import annotations

from collections.abc import Mapping
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


def of_int8_weight(
    x1: np.ndarray, x2: np.ndarray, x1Scale: np.ndarray | None, x2Scale: np.ndarray, bias: np.ndarray
) -> np.ndarray:
    found = product(x1, x2) * x2Scale
    return (found if x1Scale is None else found * x1Scale[:, None]) + bias


def of_weight(
    x: np.ndarray, weight: np.ndarray, antiquantScale: np.ndarray, antiquantOffsetOptional: Any, biasOptional: Any
) -> np.ndarray:
    offset = 0 if antiquantOffsetOptional is None else antiquantOffsetOptional
    return product(x, (weight + offset) * antiquantScale) + (0 if biasOptional is None else biasOptional)


def bound_of_sums(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    terms = of_int8_weight(*(np.abs(arguments[name]) for name in ("x1", "x2", "x1Scale", "x2Scale", "bias")))
    return 8 * unit(dtype) * terms


def bound_of_weight(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    """The sum and its product with the scale are rounded to the data type of x."""
    given = (None if (each := arguments[name]) is None else np.abs(each)
             for name in ("x", "weight", "antiquantScale", "antiquantOffsetOptional", "biasOptional"))  # fmt: skip
    return 2 * {"float16": 2.0**-11, "bfloat16": 2.0**-8}[dtype] * of_weight(*given)


NO_BIAS = {"bias": None}
ROUTES: tuple[Route, ...] = (
    route("aclnnQuantMatmul", "outer products", scaled, bound=bound, also=[NO_BIAS, {"deqScale": -0.003}],
          groups=[["x1"]],
          wrong={"no bias": but(scaled, bias=None), "another scale": but(scaled, deqScale=0.71)}),
    route("aclnnQuantMatmulWeightNz", "outer products", of_int8_weight, bound=bound_of_sums, groups=[["x1"]],
          start={"x2Offset": None, "x1Scale": Meta((3,)), "x2Scale": Meta((32,)), "bias": Meta((32,)),
                 "out": Meta((3, 32), ACL_BF16)},
          wrong={"scales of rows lost": but(of_int8_weight, x1Scale=None),
                 "the weight transposed": but(of_int8_weight, x2=lambda given: given["x2"].T)}),
    route("aclnnWeightQuantBatchMatmulNz", "outer products", of_weight, bound=bound_of_weight, groups=[["weight"]],
          also=[{"antiquantOffsetOptional": None, "biasOptional": None}],
          wrong={"no offset": but(of_weight, antiquantOffsetOptional=None),
                 "the weight transposed": but(of_weight, weight=lambda given: given["weight"].T)}),
    route("aclnnQuantMatmulV2", "outer products", scaled_columns, bound=bound, groups=[["x1"]], also=[NO_BIAS],
          values={"deqScale": scales},
          wrong={"no bias": but(scaled_columns, bias=None),
                 "one scale": but(scaled_columns, deqScale=lambda given: given["deqScale"][:1].repeat(16))}),
)  # fmt: skip

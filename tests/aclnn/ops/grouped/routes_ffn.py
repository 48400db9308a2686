"""Routes for FFN: row by row."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, sqrt, tanh
from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.grouped.good_calls import in_third
from tests.aclnn.ops.grouped.routes import ends
from tests.derived.values import Values
from tests.oracle.route import Route, but, route

H = ACL_FLOAT16
Given = dict[str, Any]


def gelu(x: float) -> float:
    return 0.5 * x * (1 + tanh(sqrt(2 / 3.141592653589793) * (x + 0.044715 * x**3)))


def silu(x: float) -> float:
    return x / (1 + exp(-x))


def relu(x: float) -> float:
    return max(x, 0.0)


def fast_gelu(x: float) -> float:
    """As the document of aclnnFastGelu has it."""
    return x * exp(0.851 * (x - abs(x))) / (1 + exp(-1.702 * abs(x)))


ACTIVATIONS = {"gelu": gelu, "silu": silu, "relu": relu, "fastgelu": fast_gelu}
GATES = {"geglu": gelu, "swiglu": silu, "reglu": relu}


def part(given: Given, name: str, expert: int) -> Any:
    """The tensor of an expert; None if there is none."""
    found = given.get(name, given.get(f"{name}Optional"))
    if found is None or not isinstance(found, np.ndarray):
        return None
    return found[expert] if given["weight1"].ndim == 3 else found


def expert_of(given: Given, row: int) -> int | None:
    if given["weight1"].ndim == 2:
        return 0
    tokens = np.ravel(given.get("expertTokens", given.get("expertTokensOptional")))
    ends = tokens if given.get("tokensIndexFlag") else np.cumsum(tokens)
    behind = int((ends <= row).sum())
    return behind if behind < len(ends) else None


def product(given: Given, at: int, row: np.ndarray, expert: int) -> np.ndarray:
    weight = part(given, f"weight{at}", expert).astype(float)
    if (scale := part(given, f"antiquantScale{at}", expert)) is not None:
        groups = [np.repeat(np.atleast_2d(each), len(weight) // len(np.atleast_2d(each)), 0)
                  for each in (scale, part(given, f"antiquantOffset{at}", expert))]  # fmt: skip
        weight = (weight + groups[1]) * groups[0]
    found = sum(value * line for value, line in zip(row.tolist(), weight, strict=True))
    bias, scale = part(given, f"bias{at}", expert), part(given, f"deqScale{at}", expert)
    found = found if bias is None else found + bias
    return np.asarray(found if scale is None else found * scale)


def acted(name: str, row: np.ndarray) -> np.ndarray:
    name = name.lower()
    if name in GATES:
        half = len(row) // 2
        return np.array([GATES[name](one) * other for one, other in zip(row[:half], row[half:], strict=True)])
    return np.array([ACTIVATIONS[name](each) for each in row.tolist()])


def ffn(**given: Any) -> np.ndarray:
    rows = given["x"].reshape(-1, given["x"].shape[-1])
    found: list[np.ndarray] = []
    for at, row in enumerate(rows):
        expert = expert_of(given, at)
        assert expert is not None
        inner = acted(given["activation"], product(given, 1, row, expert))
        if (scale := part(given, "scale", expert)) is not None:
            offset = part(given, "offset", expert)
            inner = np.clip(np.rint(inner * scale + (0 if offset is None else offset)), -128, 127)
        found.append(product(given, 2, inner, expert))
    return np.array(found).reshape(given["x"].shape)


def bound(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    """The result of the first product is rounded to the data type of x."""
    unit = {"float16": 2.0**-10, "bfloat16": 2.0**-7}[dtype]
    large = {name: np.abs(each) if isinstance(each, np.ndarray) and each.dtype.kind != "u" and "Tokens" not in name
             else each for name, each in arguments.items()}  # fmt: skip
    return unit / 2 * np.abs(ffn(**large))


EXPERTS: Given = {
    "x": Meta((3, 4), H), "weight1": Meta((2, 4, 16), H), "weight2": Meta((2, 16, 4), H), "bias1": Meta((2, 16), H),
    "bias2": Meta((2, 4), H), "y": Meta((3, 4), H), "expertTokens": Values((1, 3)), "tokensIndexFlag": True,
}  # fmt: skip
BYTES: Given = {
    "x": Meta((3, 4), ACL_INT8), "weight1": Meta((2, 4, 16), ACL_INT8), "weight2": Meta((2, 16, 4), ACL_INT8),
    "bias1": Meta((2, 16), ACL_INT32), "bias2": None, "scale": Meta((2, 16)), "offset": Meta((2,)),
    "deqScale1": Meta((2, 16)), "deqScale2": Meta((2, 4)),
}  # fmt: skip
WEIGHTS: Given = {
    **{f"weight{at}": Meta((2, *each), ACL_INT8) for at, each in ((1, (4, 16)), (2, (16, 4)))},
    **{f"antiquant{kind}{at}": Meta((2, *each), H) for kind in ("Scale", "Offset")
       for at, each in ((1, (2, 16)), (2, (4,)))},
}  # fmt: skip
GATED: Given = {
    "weight1": Meta((4, 32), H), "bias1": Meta((32,), H), "innerPrecise": 1, "activation": "SwiGLU",
}  # fmt: skip
NO_BIAS = {"bias1": None, "bias2": None}
IN_TENSOR = {"expertTokensOptional": Meta((2,), ACL_INT64)}


def halved(x: np.ndarray) -> np.ndarray:
    return x / 4


SMALL = dict.fromkeys(("deqScale1", "deqScale2", "antiquantScale1", "antiquantScale2", "scale"), halved)
FLOATS = ["x", "weight1", "weight2", "y"]
WRONG = {"no activation of gelu": but(ffn, activation="relu"), "without bias": but(ffn, bias1=None, bias1Optional=None)}
ROUTES: tuple[Route, ...] = (
    route("aclnnFFN", "row by row", ffn, bound=bound, groups=[FLOATS, ["y"]], values=SMALL,
          also=[{**EXPERTS, **BYTES, "expertTokens": Values((1, 2))}, {"activation": "fastgelu"}, NO_BIAS],
          wrong={"the other expert": but(ffn, expertTokens=[2, 1]),
                 "without bias": but(ffn, bias1=None)}),
    route("aclnnFFNV2", "row by row", ffn, bound=bound, groups=[FLOATS, ["y"]], values=SMALL, wrong=WRONG,
          also=[EXPERTS, {**EXPERTS, **BYTES}, {**EXPERTS, **WEIGHTS}, GATED, {**GATED, "activation": "geglu"},
                {**GATED, "activation": "reglu"}, {"activation": "silu"}, NO_BIAS]),
    route("aclnnFFNV3", "row by row", ffn, bound=bound, groups=[FLOATS, ["y"]], wrong=WRONG,
          values={**{f"{name}Optional": each for name, each in SMALL.items()}, "expertTokensOptional": ends},
          also=[{**in_third(each), **IN_TENSOR} for each in (EXPERTS, {**EXPERTS, **BYTES}, {**EXPERTS, **WEIGHTS})]),
)  # fmt: skip

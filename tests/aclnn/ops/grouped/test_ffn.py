"""FFN: what more than one change of a good call reaches, and figures by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import aclnn
from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn.testing import run
from tests.aclnn.ops.case import A2, INFERENCE, Meta
from tests.aclnn.ops.grouped.routes_ffn import BYTES, EXPERTS, GATED, WEIGHTS, H
from tests.derived.values import Values
from tests.helpers.builders import on_device
from tests.helpers.refusals import Mistake, answer, assert_in_order, assert_refused
from tests.helpers.weights import launch

NULL, INVALID = ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID
NAMES = (
    "x", "weight1", "weight2", "expertTokens", "bias1", "bias2", "scale", "offset", "deqScale1", "deqScale2",
    "antiquantScale1", "antiquantScale2", "antiquantOffset1", "antiquantOffset2", "activation", "innerPrecise",
)  # fmt: skip
PLAIN = ("x", "weight1", "weight2", "activation", "innerPrecise")
VERSIONS = pytest.mark.parametrize("version", [1, 2, 3])


def named(version: int, name: str) -> str:
    return f"{name}Optional" if version == 3 and name not in (*PLAIN, "tokensIndexFlag", "y") else name


def call(version: int, **changes: Any) -> dict[str, Any]:
    """The arguments of experts, in the order of the prototype."""
    given = {"activation": "relu", "innerPrecise": 0, **EXPERTS, **changes}
    tokens = Meta((2,), ACL_INT64) if version == 3 else Values((1, 3) if version == 2 else (1, 2))
    given = {**given, "expertTokens": changes.get("expertTokens", tokens)}
    flag = () if version == 1 else ("tokensIndexFlag",)
    return {named(version, name): given.get(name) for name in (*NAMES, *flag, "y")}


def first(version: int) -> Any:
    return getattr(aclnn, f"aclnnFFN{f'V{version}' if version > 1 else ''}GetWorkspaceSize")


def refused(version: int, parameter: str, status: int = INVALID, soc: str = A2, **changes: Any) -> None:
    assert_refused(first(version), call(version, **changes), Mistake("", status, named(version, parameter)), soc)


def accepted(version: int, soc: str = A2, **changes: Any) -> None:
    found = answer(first(version), call(version, **changes), soc=soc)
    assert found.status == ACL_SUCCESS, found.text


@VERSIONS
def test_mistakes_are_refused_in_order(version: int) -> None:
    def bfloat(*shape: int) -> Meta:
        return Meta(shape, ACL_BF16)

    mistakes = [
        *(Mistake(f"{name} is null", NULL, name, **{name: None}) for name in ("x", "weight1", "weight2", "y")),
        Mistake("no activation", INVALID, "activation", activation=None),
        Mistake("type of x", INVALID, "x", x=Meta((3, 4))),
        Mistake("weights of another type", INVALID, "x", weight1=bfloat(2, 4, 16)),
        Mistake("innerPrecise", INVALID, "innerPrecise", innerPrecise=2),
        Mistake("rank of x", INVALID, "x", x=Meta((4,), H)),
        Mistake("activation", INVALID, "activation", activation="tanh"),
        Mistake("inner size", INVALID, "x", x=Meta((3, 5), H)),
        Mistake("tokens", INVALID, named(version, "expertTokens"), **{
            named(version, "expertTokens"): Meta((3,), ACL_INT64) if version == 3 else Values((1, 1))
        }),
        Mistake("bias", INVALID, named(version, "bias1"), **{named(version, "bias1"): Meta((16,), H)}),
        Mistake("shape of y", INVALID, "y", y=Meta((4, 3), H)),
    ]  # fmt: skip
    assert_in_order(first(version), call(version), mistakes)


@VERSIONS
def test_tensors_of_quantised_products(version: int) -> None:
    accepted(version, **BYTES)
    for name in ("scale", "deqScale1", "deqScale2"):
        refused(version, "x", **{**BYTES, name: None})
        refused(version, name, **{**BYTES, name: Meta((2, 3))})
    refused(version, "offset", **{**BYTES, "offset": Meta((3,))})
    accepted(version, **{**BYTES, "scale": Meta((2,)), "offset": None})
    accepted(version, **WEIGHTS)
    for at in (1, 2):
        for kind in ("Scale", "Offset"):
            name = f"antiquant{kind}{at}"
            refused(version, "x", **{**WEIGHTS, name: None})
            refused(version, name, **{**WEIGHTS, name: Meta((2, 3), H)})
    for at, n in ((1, 16), (2, 4)):
        refused(version, f"antiquantScale{at}", **{**WEIGHTS, f"antiquantScale{at}": Meta((2, 4, n), H)})


@VERSIONS
def test_activations_and_products(version: int) -> None:
    alone: dict[str, Any] = {"weight1": Meta((4, 16), H), "weight2": Meta((16, 4), H), "bias1": None, "bias2": None,
                             "expertTokens": None}  # fmt: skip
    gated = {**alone, **GATED}
    accepted(version, **gated)
    refused(version, "activation", **{**gated, "innerPrecise": 0})
    refused(version, "activation", activation="geglu", innerPrecise=1)
    refused(version, "weight1", expertTokens=None)
    types = {name: Meta(EXPERTS[name].shape, ACL_BF16) for name in ("x", "weight1", "weight2", "y")}
    floats = {**types, "bias1": Meta((2, 16)), "bias2": Meta((2, 4))}
    accepted(version, **floats)
    refused(version, "innerPrecise", **floats, innerPrecise=1)
    refused(version, "x", x=Meta((0, 4), H), y=Meta((0, 4), H), **alone)
    if version > 1:
        accepted(version, INFERENCE, **alone)
        refused(version, "x", soc=INFERENCE)


@pytest.mark.fidelity("the activations of aclnnFFN")
@pytest.mark.parametrize(("name", "of_1"), [
    ("gelu", 0.841192), ("GeGLU", 2 * 0.841192), ("swiglu", 2 * 0.731059), ("ReGLU", 2.0), ("SILU", 0.731059),
])  # fmt: skip
def test_activations_by_hand(machine: Machine, name: str, of_1: float) -> None:
    """One column is 1. A gated activation is that of the first half, times the second half, which is 2."""
    x, weight = np.ones((1, 1), np.float16), np.ones((1, 1), np.float16)
    wide = np.array([[1, 2]], np.float16) if name.lower().endswith("glu") else weight
    found = run(aclnn.aclnnFFN, x, wide, weight, *[None] * 11, name, 1, np.empty((1, 1), np.float16))
    assert found[0, 0] == np.float16(of_1)


def test_the_middle_of_int8_is_rounded_and_saturates(machine: Machine) -> None:
    """Half to even."""
    x, one = np.array([[1], [3], [100]], np.int8), np.ones((1, 1), np.int8)
    half, whole = np.full(1, 0.5, np.float32), np.ones(1, np.float32)
    found = run(
        aclnn.aclnnFFN, x, one, one, None, None, None, np.full(1, 4, np.float32), None, half / 4, whole, *[None] * 4,
        "relu", 0, np.empty((3, 1), np.float16),
    )  # fmt: skip
    np.testing.assert_array_equal(found[:, 0], [0, 2, 50])
    found = run(
        aclnn.aclnnFFN, x, one, one, None, None, None, np.full(1, 4, np.float32), -whole, whole, whole, *[None] * 4,
        "relu", 0, np.empty((3, 1), np.float16),
    )  # fmt: skip
    np.testing.assert_array_equal(found[:, 0], [3, 11, 127])


def in_tensor(tokens: list[int]) -> Any:
    x, weight = on_device(np.ones((3, 2), np.float16)), on_device(np.ones((2, 2, 2), np.float16))
    y = on_device(np.full((3, 2), 7, np.float16))
    launch("aclnnFFNV3", x, weight, weight, on_device(np.array(tokens)), *[None] * 10, "relu", 0, False, y)
    return y.read()


def test_rows_behind_the_last_expert_stay(machine: Machine) -> None:
    np.testing.assert_array_equal(in_tensor([1, 1]), [[4, 4], [4, 4], [7, 7]])


def test_tokens_beyond_the_rows_are_found_when_they_are_read(machine: Machine) -> None:
    with pytest.raises(UndefinedBehaviour, match="expertTokensOptional"):
        in_tensor([1, 3])

"""GroupedMatmulSwigluQuant: what more than one change of a good call reaches, and figures by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import aclnn
from acl_runtime import *
from acl_runtime import Machine
from tests.aclnn.ops.case import A2, Meta, board
from tests.aclnn.ops.grouped.good_calls import GOOD as GOOD_CALLS
from tests.derived.first_phases import first_phase
from tests.helpers.builders import on_device, plan
from tests.helpers.refusals import Mistake, answer, assert_in_order, made
from tests.helpers.weights import blocks_by_hand, in_blocks, laid_out, launch, tensor

NULL, INVALID = ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID
FIRST = aclnn.aclnnGroupedMatmulSwigluQuantGetWorkspaceSize
NZ = ACL_FORMAT_FRACTAL_NZ
GOOD: dict[str, Any] = {
    "x": Meta((3, 32), ACL_INT8), "weight": Meta((2, 32, 64), ACL_INT8, NZ, storage=(2, 2, 2, 16, 32)), "bias": None,
    "offset": None, "weightScale": Meta((2, 64)), "xScale": Meta((3,)), "groupList": Meta((2,), ACL_INT64),
    "output": Meta((3, 32), ACL_INT8), "outputScale": Meta((3,)), "outputOffset": None,
}  # fmt: skip
INT4 = {"weight": Meta((2, 32, 64), ACL_INT4), "weightScale": Meta((2, 64), ACL_UINT64), "bias": Meta((2, 64))}


def test_mistakes_are_refused_in_order() -> None:
    mistakes = [
        *(Mistake(f"{name} is null", NULL, name, **{name: None}) for name in (
            "x", "weight", "weightScale", "xScale", "groupList", "output", "outputScale")),
        Mistake("type of x", INVALID, "x", x=Meta((3, 32))),
        Mistake("offset", INVALID, "offset", offset=Meta((2, 64))),
        Mistake("outputOffset", INVALID, "outputOffset", outputOffset=Meta((3,))),
        Mistake("rank of x", INVALID, "x", x=Meta((32,), ACL_INT8)),
        Mistake("type of weightScale", INVALID, "weightScale", weightScale=Meta((2, 64), ACL_UINT64)),
        Mistake("bias", INVALID, "bias", bias=Meta((2, 64))),
        Mistake("weight in ND", INVALID, "weight", weight=Meta((2, 32, 64), ACL_INT8)),
        Mistake("inner size", INVALID, "x", x=Meta((3, 33), ACL_INT8)),
        Mistake("shape of weightScale", INVALID, "weightScale", weightScale=Meta((2, 63))),
        Mistake("shape of xScale", INVALID, "xScale", xScale=Meta((4,))),
        Mistake("groups", INVALID, "groupList", groupList=Meta((3,), ACL_INT64)),
        Mistake("shape of output", INVALID, "output", output=Meta((3, 31), ACL_INT8)),
        Mistake("shape of outputScale", INVALID, "outputScale", outputScale=Meta((4,))),
    ]  # fmt: skip
    assert_in_order(FIRST, GOOD, mistakes)


@pytest.mark.parametrize("name", ["", "WeightNZ"])
def test_mistakes_of_int4(name: str) -> None:
    first = getattr(aclnn, f"aclnnGroupedMatmulSwigluQuant{name}GetWorkspaceSize")
    assert answer(first, GOOD, INT4).status == ACL_SUCCESS
    for scales in ((2, 63), (2, 3, 64), (3, 64)):
        assert answer(first, GOOD, {**INT4, "weightScale": Meta(scales, ACL_UINT64)}).status == INVALID
    for bias in (None, Meta((2, 63))):
        assert answer(first, GOOD, {**INT4, "bias": bias}).status == INVALID
    stored = {**INT4, "weight": Meta((2, 1, 2, 16, 64), ACL_INT4, NZ)}
    assert answer(first, GOOD, stored).status == ACL_SUCCESS
    with board(catalogued="plan"):
        assert plan(first, *map(made, {**GOOD, **stored}.values())).status == ACLNN_ERR_INNER_FIND_KERNEL_ERROR


@pytest.mark.fidelity("aclnnGroupedMatmulSwigluQuant, rows of zeros")
@pytest.mark.parametrize("five", [False, True], ids=["3 dimensions", "5 dimensions"])
def test_rows_by_hand(machine: Machine, five: bool) -> None:
    """The first row has products of 1 on the left, and of 1 and 2 on the right; the second row is zero. The third one
    is behind the last group."""
    weight = np.zeros((2, 32, 64), np.int8)
    weight[:, 0, :32], weight[:, 0, 32:], weight[:, 0, 63] = 1, 1, 2
    x = np.zeros((3, 32), np.int8)
    x[0, 0] = 1
    shape = blocks_by_hand(weight).shape
    stored = tensor(laid_out(weight), shape, ACL_INT8) if five else in_blocks(weight).handle
    output, scale = on_device(np.full((3, 32), 7, np.int8)), on_device(np.full(3, 7, np.float32))
    ones = on_device(np.ones((2, 64), np.float32)), on_device(np.ones(3, np.float32))
    launch("aclnnGroupedMatmulSwigluQuant", on_device(x), stored, None, None, *ones, on_device(np.array([1, 2])),
           output, scale, None)  # fmt: skip
    np.testing.assert_array_equal(output.read(), [[64] * 31 + [127], [0] * 32, [7] * 32])
    np.testing.assert_allclose(scale.read(), [2 * 0.731059 / 127, 0, 7], rtol=1e-5)


@pytest.mark.parametrize("apart", [False, True], ids=["one tensor", "a list"])
@pytest.mark.parametrize("name", ["aclnnGroupedMatmulSwigluQuantV2", "aclnnGroupedMatmulSwigluQuantWeightNzV2"])
def test_the_figures_of_lists(machine: Machine, name: str, apart: bool) -> None:
    """The worked example of the document."""
    weight = np.array([[1, 0, 2, 1], [0, 1, 1, 1]], np.int8)
    scales = np.array([0.1, 0.2, 0.3, 0.4], np.float32)
    tensors = [in_blocks(each).handle for each in ([weight] if apart else [weight[None]])]
    factors = [on_device(each).handle for each in ([scales] if apart else [scales[None]])]
    lists = [aclCreateTensorList(each, 1) for each in (tensors, factors)]
    output, scale = on_device(np.zeros((2, 2), np.int8)), on_device(np.zeros(2, np.float32))
    launch(name, on_device(np.array([[1, 2], [3, 4]], np.int8)), *lists, None, None,
           on_device(np.array([1, 0.5], np.float32)), None, on_device(np.array([2])), 0, 0, 0, 0, None, output, scale,
           )  # fmt: skip
    np.testing.assert_array_equal(output.read(), [[28, 127], [46, 127]])
    np.testing.assert_allclose(scale.read(), [0.00226276, 0.00263988], rtol=1e-5)


LISTS = {name: GOOD_CALLS["aclnnGroupedMatmulSwigluQuantV2"][name] for name in ("weight", "weightScale")}


@pytest.mark.parametrize(("changes", "status"), [
    ({"weight": ()}, NULL), ({"output": None}, INVALID), ({"bias": Meta((64,))}, INVALID), ({"quantMode": 2}, INVALID),
    ({"weight": (Meta((2, 32, 64), ACL_INT8),)}, INVALID), ({"weightScale": (Meta((2, 63)),)}, INVALID),
    ({"weight": LISTS["weight"] * 2}, INVALID), ({"groupListType": 2}, INVALID),
])  # fmt: skip
def test_mistakes_of_lists(changes: dict[str, Any], status: int) -> None:
    name = "GroupedMatmulSwigluQuantV2"
    assert first_phase(name, A2, {}).status == ACL_SUCCESS
    assert first_phase(name, A2, changes).status == status

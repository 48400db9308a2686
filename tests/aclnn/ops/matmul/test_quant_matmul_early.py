"""QuantMatmul and QuantMatmulV2: rules that no table has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import INFERENCE, Meta
from tests.helpers.refusals import Mistake, answer, assert_in_order

INVALID, PLANNED = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_INNER_NULLPTR
BYTES = ACL_INT8
FIRST: dict[str, Any] = {
    "x1": Meta((2, 3, 8), BYTES), "x2": Meta((2, 8, 4), BYTES), "bias": Meta((4,), ACL_INT32), "deqScale": 0.5,
    "out": Meta((2, 3, 4), ACL_FLOAT16),
}  # fmt: skip
SECOND: dict[str, Any] = {
    "x1": Meta((2, 8, 3), BYTES), "x2": Meta((2, 4, 8), BYTES), "bias": Meta((4,), ACL_INT32),
    "deqScale": Meta((16,), ACL_UINT64), "adjX1": True, "adjX2": True, "out": Meta((2, 3, 4), ACL_FLOAT16),
}  # fmt: skip
NZ = Meta((2, 8, 4), BYTES, ACL_FORMAT_FRACTAL_NZ)
MISTAKES = [
    *(Mistake(f"{name} is null", PLANNED, name, **{name: None}) for name in ("x1", "x2", "out")),
    Mistake("type of x1", INVALID, "x1", x1=Meta((2, 3, 8))),
    Mistake("type of out", INVALID, "out", out=Meta((2, 3, 4))),
    Mistake("format of x2", INVALID, "x2", x2=NZ),
    Mistake("rank of x1", INVALID, "x1", x1=Meta((8,), BYTES)),
    Mistake("rank of bias", INVALID, "bias", bias=Meta((1, 4), ACL_INT32)),
    Mistake("inner size", INVALID, "x1", x1=Meta((2, 3, 9), BYTES)),
    Mistake("size of bias", INVALID, "bias", bias=Meta((3,), ACL_INT32)),
    Mistake("batch", INVALID, "x1", x1=Meta((1, 3, 8), BYTES)),
    Mistake("shape of out", INVALID, "out", out=Meta((2, 3, 5), ACL_FLOAT16)),
]


@pytest.mark.fidelity("aclnnQuantMatmul and aclnnQuantMatmulV2, a null tensor")
def test_refusals_come_in_order() -> None:
    assert_in_order(aclnnQuantMatmulGetWorkspaceSize, FIRST, MISTAKES)
    scales = [
        Mistake("deqScale is null", PLANNED, "deqScale", deqScale=None),
        Mistake("type of deqScale", INVALID, "deqScale", deqScale=Meta((16,))),
        Mistake("number of scales", INVALID, "deqScale", deqScale=Meta((4,), ACL_UINT64)),
    ]
    assert_in_order(aclnnQuantMatmulV2GetWorkspaceSize, SECOND, scales)


@pytest.mark.parametrize("mistake", MISTAKES, ids=str)
def test_the_product_is_looked_at_last(mistake: Mistake) -> None:
    first = aclnnQuantMatmulGetWorkspaceSize
    assert answer(first, FIRST, soc=INFERENCE).status == ACLNN_ERR_RUNTIME_ERROR
    assert answer(first, FIRST, mistake.changes, INFERENCE).status == mistake.status


def test_without_inner_elements_the_product_is_0(machine: Machine) -> None:
    left, right, out = np.empty((2, 0), np.int8), np.empty((0, 3), np.int8), np.ones((2, 3), np.float16)
    np.testing.assert_array_equal(run(aclnnQuantMatmul, left, right, None, 0.5, out), np.zeros((2, 3)))


def test_without_inner_elements_there_is_no_bias() -> None:
    none = {"x1": Meta((2, 3, 0), BYTES), "x2": Meta((2, 0, 4), BYTES)}
    assert answer(aclnnQuantMatmulGetWorkspaceSize, FIRST, none | {"bias": None}).status == ACL_SUCCESS
    assert answer(aclnnQuantMatmulGetWorkspaceSize, FIRST, none).status == PLANNED


def test_19_bits_of_the_scale_count(machine: Machine) -> None:
    one, out = np.ones((1, 1), np.int8), np.empty((1, 1), np.float16)
    odd = np.nextafter(np.float32(0.5), np.float32(1))
    assert run(aclnnQuantMatmul, one, one, None, float(odd), out) == 0.5

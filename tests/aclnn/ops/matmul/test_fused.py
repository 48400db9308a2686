"""FusedMatmul: figures by hand, and what the search does not reach."""

from __future__ import annotations

from math import erf, tanh
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A950, Meta, f16
from tests.aclnn.ops.matmul.good_calls import GOOD
from tests.helpers.refusals import Mistake, answer, assert_in_order

NULL, INVALID = ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID
FIRST, GOOD_CALL = aclnnFusedMatmulGetWorkspaceSize, GOOD["aclnnFusedMatmul"]
F32, H = np.float32, np.float16


def fused(operation: str, bias: Any = None, x3: Any = None, dtype: Any = F32, out: Any = None) -> Any:
    """[1, 2] @ [[3, -5], [-1, 1]] = [1, -3]"""
    x1, x2 = np.array([[1, 2]], dtype), np.array([[3, -5], [-1, 1]], dtype)
    with Machine(soc=A950):
        return run(aclnnFusedMatmul, x1, x2, bias, x3, operation, 0, np.empty((1, 2), out or dtype))[0].tolist()


def test_operations_on_the_sum() -> None:
    bias, x3 = np.array([2, 2], F32), np.array([[10, 100]], F32)
    assert fused("", bias) == [3, -1]
    assert fused("relu", bias) == [3, 0]
    assert fused("add", bias, x3) == [13, 99]
    assert fused("mul", bias[None], x3) == [30, -100]


def test_the_two_forms_of_gelu() -> None:
    root = (2 / np.pi) ** 0.5
    by_tanh = [0.5 * x * (1 + tanh(root * (x + 0.044715 * x**3))) for x in (1, -3)]
    assert fused("gelu_tanh") == pytest.approx(by_tanh, rel=1e-5)
    assert fused("gelu_erf") == pytest.approx([0.5 * x * (1 + erf(x / 2**0.5)) for x in (1, -3)], rel=1e-5)
    assert fused("gelu_erf") != fused("gelu_tanh")


@pytest.mark.fidelity("aclnnFusedMatmul")
def test_the_sum_is_rounded_once() -> None:
    """1 - 1 + 2^-12: a sum in FLOAT16 would lose the last term."""
    bias, x3 = np.array([2**-12, 3], H), np.array([[-1, 0]], H)
    assert fused("add", bias, x3, H) == [2**-12, 0]
    assert fused("16cast32", bias, None, H, F32) == [1 + 2**-12, 0]


MISTAKES = [
    *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in ("x1", "x2", "y", "fusedOpType")),
    Mistake("operation", INVALID, "fusedOpType", fusedOpType="tanh"),
    Mistake("type", INVALID, "x1", x1=Meta((2, 3, 8), ACL_INT32)),
    Mistake("rank", INVALID, "x1", x1=Meta((8,)), y=Meta((2, 3, 4))),
    Mistake("inner size", INVALID, "x1", x1=Meta((2, 3, 7))),
    Mistake("shape", INVALID, "y", y=Meta((3, 4))),
]


def test_mistakes_are_refused_in_the_order_of_the_contract() -> None:
    assert_in_order(FIRST, GOOD_CALL, MISTAKES, A950)


@pytest.mark.fidelity("aclnnFusedMatmul")
@pytest.mark.parametrize(("changes", "status"), [
    ({"x3": None}, NULL),
    ({"x3": Meta((3, 4))}, INVALID),
    ({"bias": Meta((3,))}, INVALID),
    ({"fusedOpType": "gelu_erf", "bias": None}, ACL_SUCCESS),
    ({"fusedOpType": "gelu_erf"}, NULL),
    ({"fusedOpType": "16cast32", "x1": f16(2, 3, 8), "x2": f16(8, 4), "y": f16(2, 3, 4)}, INVALID),
    ({"fusedOpType": "relu", "x3": Meta((9, 9))}, ACL_SUCCESS),
    ({"x1": Meta((2, 0, 8)), "x3": Meta((2, 0, 4)), "y": Meta((2, 0, 4))}, ACL_SUCCESS),
])  # fmt: skip
def test_operands_of_an_operation(changes: dict[str, Any], status: int) -> None:
    assert answer(FIRST, GOOD_CALL, changes, A950).status == status

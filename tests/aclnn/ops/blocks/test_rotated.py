"""RotateQuant: figures by hand, blocks of floats, and what the search does not reach."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.blocks.blocks import Narrow, launched
from tests.aclnn.ops.blocks.good_calls import GOOD
from tests.aclnn.ops.case import A2, A950, Meta
from tests.helpers.refusals import Mistake, answer, assert_in_order

F32, H = np.float32, np.float16
NULL, INVALID = ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID
FIRST, CALL = aclnnRotateQuantGetWorkspaceSize, GOOD["aclnnRotateQuant"]
ROTATION = np.array([[1, 1], [1, -1]], H)
X = np.array([[1, 2, 3, 4], [0, 0, 0, 0]], H)


def quantised(alpha: Any = None, dtype: Any = np.int8, columns: int = 4, x: Any = X) -> tuple[Any, Any]:
    outs = np.empty((len(x), columns), dtype), np.empty(len(x), F32)
    with Machine(A2):
        return run(aclnnRotateQuant, x, ROTATION, alpha, -1, "rint", 0, 0.0, False, *outs)


@pytest.mark.fidelity("aclnnRotateQuant")
def test_parts_of_a_row_are_rotated() -> None:
    """z = 3 -1 7 -1: the scale is 7 / 127."""
    y, scale = quantised()
    assert y.tolist() == [[54, -18, 127, -18], [0, 0, 0, 0]]
    assert scale.tolist() == [pytest.approx(7 / 127), 0]


def test_int4_in_words() -> None:
    x = np.array([[1, 2, 3, 4, 0, 0, 0, 0]], H)
    y, scale = quantised(dtype=np.int32, columns=1, x=x)
    assert [int((int(y[0, 0]) >> shift & 15 ^ 8) - 8) for shift in (0, 4, 8, 12)] == [3, -1, 7, -1]
    assert scale.tolist() == [1]


@pytest.mark.fidelity("aclnnRotateQuant")
def test_blocks_of_32_are_clamped() -> None:
    """The largest magnitudes of the blocks are 8 and 2; with alpha 0.5 they become 4 and 1."""
    x = np.zeros((1, 34), H)
    x[0, :2], x[0, 2:4], x[0, 32:] = (4, 4), (1, 0), (1, 1)
    alpha = np.array([0.5], np.dtype("bfloat16"))
    y, scale = quantised(alpha, columns=34, x=x)
    assert scale.tolist() == [pytest.approx(4 / 127)]
    assert y[0, [0, 1, 2, 3, 32, 33]].tolist() == [127, 0, 32, 32, 32, 0]


def test_blocks_of_floats_are_those_of_mx() -> None:
    x = np.linspace(-3, 3, 128, dtype=F32).reshape(2, 64)
    z = (x.reshape(-1, 2) @ ROTATION.astype(F32)).reshape(x.shape)
    results = []
    for name, rows, others in (("aclnnRotateQuant", x, (ROTATION, None, -1, "rint", 0, 0.0, False)),
                               ("aclnnDynamicMxQuant", z, (-1, "rint", int(ACL_FLOAT8_E4M3FN), 32, 0))):  # fmt: skip
        half = rows.astype(H)
        outs = Narrow.out((2, 64), ACL_FLOAT8_E4M3FN), Narrow.out((2, 1, 2), ACL_FLOAT8_E8M0)
        results.append(launched(name, half if name.endswith("RotateQuant") else rows, *others, *outs))
    for one, other in zip(*results, strict=True):
        assert np.allclose(one, other, rtol=0.07)


MISTAKES = [
    *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in ("x", "rotation", "yOut", "scaleOut")),
    Mistake("type", INVALID, "rotation", rotation=Meta((4, 4), ACL_BF16)),
    Mistake("floats", INVALID, "yOut", yOut=Meta((3, 8), ACL_FLOAT8_E4M3FN)),
    Mistake("rotation", INVALID, "rotation", rotation=Meta((3, 3), ACL_FLOAT16)),
    Mistake("result", INVALID, "yOut", yOut=Meta((3, 4), ACL_INT8)),
    Mistake("scales", INVALID, "scaleOut", scaleOut=Meta((2,))),
]


def test_mistakes_are_refused_in_the_order_of_the_contract() -> None:
    assert_in_order(FIRST, CALL, MISTAKES)


MX = {"yOut": Meta((3, 8), ACL_FLOAT8_E4M3FN), "scaleOut": Meta((3, 1, 2), ACL_FLOAT8_E8M0)}


@pytest.mark.parametrize(("changes", "status"), [
    ({}, ACL_SUCCESS), ({"yOut": Meta((3, 8), ACL_FLOAT8_E5M2)}, ACL_SUCCESS),
    ({"yOut": Meta((3, 8), ACL_FLOAT4_E2M1)}, ACL_SUCCESS), ({"roundMode": "half"}, INVALID),
    ({"scaleAlg": 2}, INVALID), ({"roundMode": "floor"}, INVALID), ({"dstTypeMax": 5.0}, INVALID),
    ({"yOut": Meta((3, 1), ACL_INT32), "scaleOut": Meta((3,))}, ACL_SUCCESS),
    ({"yOut": Meta((3, 1), ACL_INT32), "scaleOut": Meta((3,)), "x": Meta((3, 4), ACL_FLOAT16)}, INVALID),
    ({"yOut": Meta((3, 5), ACL_FLOAT4_E2M1), "x": Meta((3, 5), ACL_FLOAT16), "rotation": Meta((5, 5), ACL_FLOAT16)},
     INVALID),
    ({"scaleOut": Meta((3,))}, INVALID), ({"yOut": Meta((3, 16), ACL_FLOAT8_E4M3FN)}, INVALID),
])  # fmt: skip
def test_forms_on_950(changes: dict[str, Any], status: int) -> None:
    assert answer(FIRST, CALL, {**MX, **changes}, A950).status == status

"""RotaryPositionEmbeddingV2: with a matrix, and as torch_npu calls it, without one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A2, A950, Meta
from tests.aclnn.ops.rotary.good_calls import GOOD
from tests.helpers.refusals import Mistake, answer, assert_refused

F32 = np.float32
V1, V2 = GOOD["aclnnRotaryPositionEmbedding"], GOOD["aclnnRotaryPositionEmbeddingV2"]
FIRST = aclnnRotaryPositionEmbeddingV2GetWorkspaceSize
KERNEL = ACLNN_ERR_INNER_NULLPTR


def row(*values: float) -> np.ndarray:
    return np.array(values, F32).reshape(1, 1, 1, -1)


@pytest.mark.parametrize("given", [True, False])
def test_pairs_of_neighbours(given: bool) -> None:
    """The matrix of the mode 1 and the mode 1 itself."""
    matrix = np.zeros((4, 4), F32)
    matrix[[0, 2], [1, 3]], matrix[[1, 3], [0, 2]] = 1, -1
    with Machine():
        found = run(aclnnRotaryPositionEmbeddingV2, row(1, 2, 3, 4), row(0.5, 0.5, 2, 2), row(1, 1, -1, -1), 1,
                    matrix if given else None, row(0, 0, 0, 0))  # fmt: skip
    assert found.ravel().tolist() == [-1.5, 2, 10, 5]


@pytest.mark.parametrize("changes", [
    {"out": Meta((1, 3, 2, 8))}, {"sin": Meta((1, 3, 1, 8))}, {"cos": Meta((1, 2, 1, 32))},
    {"x": Meta((3, 32))}, {"x": Meta((1, 3, 2, 32), ACL_INT32)}, {"mode": 7},
    *({name: Meta(V1[name].shape, ACL_FLOAT16)} for name in ("cos", "sin", "out")),
])  # fmt: skip
def test_without_a_matrix_all_is_as_in_the_first_version(changes: dict[str, Any]) -> None:
    first = answer(aclnnRotaryPositionEmbeddingGetWorkspaceSize, V1, changes)
    second = answer(FIRST, V2, {"rotate": None, **changes})
    assert first.status == second.status == KERNEL
    assert first.text.partition("(parameter")[2][:40] == second.text.partition("(parameter")[2][:40]


@pytest.mark.parametrize("mistake", [
    Mistake("a square", KERNEL, "rotate", rotate=Meta((32, 16))),
    Mistake("the type of x", KERNEL, "rotate", rotate=Meta((32, 32), ACL_FLOAT16)),
    Mistake("four dimensions", KERNEL, "x", x=Meta((3, 2, 32))),
    Mistake("few tables in mode 1", KERNEL, "cos", mode=1, **dict.fromkeys(("cos", "sin"), Meta((1, 3, 2, 32)))),
], ids=str)  # fmt: skip
def test_refusals(mistake: Mistake) -> None:
    assert_refused(FIRST, V2, mistake)


def test_the_matrix_is_for_a2_and_a3() -> None:
    assert_refused(FIRST, V2, Mistake("", ACLNN_ERR_PARAM_INVALID, "rotate"), A950)
    assert [answer(FIRST, V2, {"rotate": None}, chip).status for chip in (A2, A950)] == [ACL_SUCCESS] * 2

"""AddLora: figures by hand."""

from __future__ import annotations

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import f16
from tests.aclnn.ops.grouped.good_calls import GOOD
from tests.helpers.refusals import Mistake, answer, assert_refused

F16 = np.float16


@pytest.mark.fidelity("aclnnAddLora: sums, and a row without a weight")
def test_a_row_without_a_weight() -> None:
    """Row 0 has 16 ones times 1, then times 2, times 0.5; row 1 has the index -1."""
    x, up, down = np.ones((2, 16), F16), np.full((1, 1, 16, 1), 2, F16), np.ones((1, 1, 1, 16), F16)
    with Machine():
        out = run(aclnnAddLora, np.ones((2, 18), F16), x, up, np.array([0, -1], np.int32), down, 0, 0.5, 1, 16,
                  np.empty((2, 18), F16))  # fmt: skip
    assert out.tolist() == [[1, *[17] * 16, 1], [1] * 18]


def test_inputs_of_the_second_product() -> None:
    first, good = aclnnAddLoraGetWorkspaceSize, GOOD["aclnnAddLora"]
    wide = Mistake("", ACLNN_ERR_INNER_TILING_ERROR, "x", weightAOptional=None)
    assert_refused(first, good, wide)
    fitting = {"weightAOptional": None, "weightB": f16(2, 2, 32, 16)}
    assert answer(first, good, fitting).status == ACL_SUCCESS

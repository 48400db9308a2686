"""InplacePartialRotaryMul: figures by hand, and what the search does not reach."""

from __future__ import annotations

import numpy as np

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.rotary.good_calls import GOOD
from tests.derived.values import Values
from tests.helpers.refusals import Mistake, answer, assert_refused

F32 = np.float32
FIRST, CALL = aclnnInplacePartialRotaryMulGetWorkspaceSize, GOOD["aclnnInplacePartialRotaryMul"]


def test_two_columns_of_four() -> None:
    x = np.array([1, 2, 3, 4], F32).reshape(1, 1, 1, 4)
    cos, sin = (np.array(each, F32).reshape(1, 1, 1, 2) for each in ([0.5, 2], [1, -1]))
    with Machine():
        found = run(aclnnInplacePartialRotaryMul, x, cos, sin, 1, [1, 3])
    assert found.ravel().tolist() == [1, 1 - 3, 6 - 2, 4]


def test_no_column() -> None:
    assert answer(FIRST, CALL, {"partialSlice": Values((2, 2))}).status == ACL_SUCCESS


def test_a_wide_head() -> None:
    wide = Mistake("", ACLNN_ERR_PARAM_INVALID, "xRef", xRef=Meta((2, 3, 2, 1026), ACL_FLOAT16))
    assert_refused(FIRST, CALL, wide)

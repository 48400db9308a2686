"""ApplyTopKTopP: figures by hand, and what the search does not reach."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.sorting.good_calls import GOOD
from tests.helpers.refusals import answer

F32, I32, INF = np.float32, np.int32, np.inf


@pytest.mark.parametrize(("logits", "k", "p", "left"), [
    ([1, 3, 2, 2], 2, None, [-INF, 3, 2, 2]),
    ([1, 3, 2, 0], None, 0.8, [-INF, 3, 2, -INF]),
    ([1, 3, 2, 0], 0, None, [1, 3, 2, 0]),
    ([1, 3, 2, 0], 4, None, [1, 3, 2, 0]),
    ([1, 3, 2, 0], 3, 0.0, [-INF, 3, -INF, -INF]),
    ([5], 1, 0.0, [5]),
])  # fmt: skip
def test_what_the_filters_leave(logits: Any, k: Any, p: Any, left: Any) -> None:
    """Ties with the k-th largest stay. Without k, the sums of probabilities are .032 .119 .356 1."""
    x = np.array([logits], F32)
    filters = (None if p is None else np.array([p], F32), None if k is None else np.array([k], I32))
    with Machine():
        assert run(aclnnApplyTopKTopP, x, *filters, np.empty_like(x)).tolist() == [left]


def test_a_call_without_filters_is_refused() -> None:
    first, good = aclnnApplyTopKTopPGetWorkspaceSize, GOOD["aclnnApplyTopKTopP"]
    assert answer(first, good, {"k": None, "p": None}).status == ACLNN_ERR_PARAM_NULLPTR

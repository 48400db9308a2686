"""MultilabelMarginLoss: rules that no table has, and figures by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import Meta
from tests.helpers.refusals import Mistake, assert_order

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
NONE, MEAN, SUM = 0, 1, 2
HALF, LONG = ACL_FLOAT16, ACL_INT64


def of(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


X = of(0, 1, 2, 3, 4, 4, 0, 0).reshape(2, 4)
LABELS = np.array([[3, 0, -1, 1], [-1, 0, 0, 0]])
"""classes 3 and 0 of the first row, and none of the second"""


@pytest.mark.parametrize(("reduction", "wanted"), [(NONE, [1.25, 0]), (MEAN, 0.625), (SUM, 1.25), (7, 1.25)])
def test_margins_by_hand(machine: Machine, reduction: int, wanted: Any) -> None:
    """Each of the labels 3 and 0 against the classes 1 and 2: 0 + 0 + 2 + 3, divided by 4 classes."""
    out = np.empty(np.shape(wanted), np.float32)
    loss, named = run(aclnnMultilabelMarginLoss, X, LABELS, reduction, out, np.empty_like(X))
    np.testing.assert_array_equal(loss, wanted)
    np.testing.assert_array_equal(named, [[1, 0, 0, 1], [0, 0, 0, 0]])


@pytest.mark.fidelity("a label of aclnnMultilabelMarginLoss that comes twice")
def test_a_label_that_comes_twice_counts_twice(machine: Machine) -> None:
    labels, one = np.array([0, 0, -1, -1], np.int32), np.empty((), np.float32)
    loss, named = run(aclnnMultilabelMarginLoss, X[0], labels, NONE, one, X[0].copy())
    assert loss == 2 * (2 + 3 + 4) / 4
    np.testing.assert_array_equal(named, [1, 0, 0, 0])


def test_a_label_out_of_range_is_found_when_it_is_read(machine: Machine) -> None:
    labels, one = np.array([4, -1, -1, -1]), np.empty((), np.float32)
    with pytest.raises(UndefinedBehaviour, match=r"target\[0\] is 4, legal values are 0 to 3, or -1"):
        run(aclnnMultilabelMarginLoss, X[0], labels, NONE, one, X[0].copy())


def test_nothing_is_written_without_rows(machine: Machine) -> None:
    x, labels = np.empty((0, 4), np.float32), np.empty((0, 4), np.int64)
    assert np.isnan(run(aclnnMultilabelMarginLoss, x, labels, SUM, of(7).reshape(()), x.copy())[0])


def test_refusals_come_in_order() -> None:
    good: dict[str, Any] = {
        "self": Meta((2, 4)), "target": Meta((2, 4), LONG), "reduction": MEAN, "out": Meta(()),
        "isTarget": Meta((2, 4)),
    }  # fmt: skip
    mistakes = [
        Mistake("self is null", NULL, "self", self=None),
        Mistake("isTarget is null", NULL, "isTarget", isTarget=None),
        Mistake("type of self", INVALID, "self", self=Meta((2, 4), LONG)),
        Mistake("type of target", INVALID, "target", target=Meta((2, 4))),
        Mistake("type of out", INVALID, "out", out=Meta((), HALF)),
        Mistake("type of isTarget", INVALID, "isTarget", isTarget=Meta((2, 4), HALF)),
        Mistake("rank of self", INVALID, "self", self=Meta((1, 2, 4))),
        Mistake("shape of target", INVALID, "target", target=Meta((2, 3), LONG)),
        Mistake("shape of out", INVALID, "out", out=Meta((2,))),
        Mistake("shape of isTarget", INVALID, "isTarget", isTarget=Meta((2, 3))),
    ]
    assert_order(aclnnMultilabelMarginLossGetWorkspaceSize, good, mistakes)

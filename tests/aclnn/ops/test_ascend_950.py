"""The five documents' operators on Ascend 950: as on A2, except where sources name the product."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import aclnn
from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.objects.soc import Series
from tests.aclnn.ops.case import A2, A950, Case, board
from tests.aclnn.ops.cases import CASES
from tests.helpers.builders import meta, on_device, plan, run
from tests.helpers.operator_launches import assert_works, ready

SOFTMAX = aclnn.aclnnSoftmaxBackwardGetWorkspaceSize, aclnn.aclnnSoftmaxBackward
BATCH_NORM = aclnn.aclnnBatchNormReduceBackwardGetWorkspaceSize, aclnn.aclnnBatchNormReduceBackward


@pytest.fixture
def newest() -> Iterator[Machine]:
    with board(A950) as machine:
        yield machine


@pytest.mark.fidelity("the operators with documents, on Ascend 950")
def test_softmax_backward_checks_empty_tensors_first(newest: Machine) -> None:
    """ "Not on Ascend950, where the normal checks run first"."""
    wrong = meta((0, 2), ACL_DOUBLE), meta((0, 2), ACL_DOUBLE), 0, meta((0, 2))
    assert plan(SOFTMAX[0], *wrong).status == ACLNN_ERR_PARAM_INVALID
    right = meta((0, 2)), meta((0, 2)), 0, meta((0, 2))
    planned = plan(SOFTMAX[0], *right)
    assert (planned.status, planned.workspace_size) == (ACL_SUCCESS, 0)


@pytest.mark.fidelity("the operators with documents, on Ascend 950")
@pytest.mark.parametrize(("soc", "left"), [(A950, 0), (A2, 7)], ids=["Ascend950", "A2"])
def test_batch_norm_without_elements_fills_with_zeros(soc: str, left: int) -> None:
    """ "Untouched on Ascend910A/910B/910_93, zero-filled only on Ascend950"; a masked-out output stays."""
    with board(soc):
        outputs = [on_device(np.full(2, 7, np.float32)) for _ in range(4)]
        dy, x = (on_device(np.zeros((0, 2), np.float32)) for _ in range(2))
        mean, invstd = (on_device(np.ones(2, np.float32)) for _ in range(2))
        run(*BATCH_NORM, dy, x, mean, invstd, None, True, False, True, *outputs)
        assert [list(each.read()) for each in outputs] == [[left] * 2, [left] * 2, [7, 7], [left] * 2]


@pytest.mark.fidelity("the operators with documents, on Ascend 950")
@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_good_call_computes_as_on_a2(case: Case) -> None:
    """ "As A2"; but the level is computed there."""
    assert (case.op.level(), case.op.level(Series.A2), case.op.level(Series.A950)) == ("exact", "exact", "computed")
    with board(A950):
        assert_works(ready(case))

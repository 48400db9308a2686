"""Projections and permutations: figures by hand, and what the search does not reach."""

from __future__ import annotations

import numpy as np

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A950, Meta
from tests.aclnn.ops.movement.good_calls import GOOD
from tests.derived.values import Values
from tests.helpers.refusals import answer

F32 = np.float32


def test_two_heads() -> None:
    qkv, bias = np.arange(24, dtype=F32).reshape(1, 1, 24), np.ones(24, F32)
    with Machine():
        q, k, v = run(aclnnTransformBiasRescaleQkv, qkv, bias, 2, *[np.empty((1, 2, 1, 4), F32)] * 3)
    assert q.reshape(2, 4).tolist() == [[0.5, 1, 1.5, 2], [2.5, 3, 3.5, 4]]
    assert k.ravel().tolist() == list(range(9, 17))
    assert v.ravel().tolist() == list(range(17, 25))


def test_projections_of_nothing() -> None:
    none = {"qkv": Meta((2, 0, 24)), **dict.fromkeys(("qOut", "kOut", "vOut"), Meta((2, 2, 0, 4)))}
    found = answer(aclnnTransformBiasRescaleQkvGetWorkspaceSize, GOOD["aclnnTransformBiasRescaleQkv"], none)
    assert (found.status, found.workspace_size) == (ACL_SUCCESS, 0)


def test_both_orders_of_a_permutation() -> None:
    x = np.arange(6, dtype=np.int32)
    with Machine(A950):
        first = run(aclnnConfusionTranspose, x, [1, 0], [2, 3], False, np.empty((3, 2), np.int32))
        last = run(aclnnConfusionTranspose, x.reshape(2, 3), [1, 0], [6], True, np.empty(6, np.int32))
    assert first.tolist() == [[0, 3], [1, 4], [2, 5]]
    assert last.tolist() == [0, 3, 1, 4, 2, 5]


def test_permutations_of_nothing() -> None:
    none = {"x": Meta((0, 4)), "shape": Values((2, 0, 4)), "out": Meta((0, 2, 4))}
    found = answer(aclnnConfusionTransposeGetWorkspaceSize, GOOD["aclnnConfusionTranspose"], none, A950)
    assert (found.status, found.workspace_size) == (ACL_SUCCESS, 0)

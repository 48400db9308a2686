"""MaxUnpool and its gradients: figures by hand, and what the search does not reach."""

from __future__ import annotations

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.errors import UndefinedBehaviour
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.pooling.good_calls import GOOD
from tests.derived.values import Values
from tests.helpers.refusals import Mistake, answer, assert_refused

F32 = np.float32
X, PLACES = np.array([[[5, 7], [2, 9]]], F32), np.array([[[0, 3], [12, 10]]])
INVALID = ACLNN_ERR_PARAM_INVALID


def test_elements_at_their_places() -> None:
    with Machine():
        out = run(aclnnMaxUnpool2d, X, PLACES, [4, 4], np.empty((1, 4, 4), F32))
        back = run(aclnnMaxUnpool2dBackward, out, X, PLACES, [4, 4], np.empty_like(X))
        deep = run(aclnnMaxUnpool3d, X[None], PLACES[None], [1, 4, 4], [1, 1, 1], [0, 0, 0],
                   np.empty((1, 1, 4, 4), F32))  # fmt: skip
    flat = np.zeros(16, F32)
    flat[[0, 3, 12, 10]] = 5, 7, 2, 9
    assert out.ravel().tolist() == deep.ravel().tolist() == flat.tolist()
    assert np.array_equal(back, X)


@pytest.mark.fidelity("aclnnMaxUnpool2d, aclnnMaxUnpool3d: one place for several elements")
def test_the_last_of_two_elements() -> None:
    with Machine():
        out = run(aclnnMaxUnpool2d, X, PLACES * 0, [2, 2], np.empty((1, 2, 2), F32))
    assert out.ravel().tolist() == [9, 0, 0, 0]


def test_a_place_outside_of_the_plane() -> None:
    with Machine(), pytest.raises(UndefinedBehaviour, match=r"index-range.*12"):
        run(aclnnMaxUnpool2d, X, PLACES, [3, 4], np.empty((1, 3, 4), F32))


def test_an_output_of_another_size_is_the_kernels() -> None:
    first, good = aclnnMaxUnpool2dGetWorkspaceSize, GOOD["aclnnMaxUnpool2d"]
    assert answer(first, good, {"out": Meta((2, 3, 16))}).status == ACL_SUCCESS
    assert answer(first, good, {"out": Meta((2, 3, 4, 5))}).status == ACLNN_ERR_INNER_NULLPTR


def test_a_gradient_without_elements() -> None:
    empty = {"gradOutput": Meta((2, 3, 0, 4)), "outputSize": Values((0, 4))}
    mistake = Mistake("", INVALID, "gradOutput", **empty)
    assert_refused(aclnnMaxUnpool2dBackwardGetWorkspaceSize, GOOD["aclnnMaxUnpool2dBackward"], mistake)


def test_the_gradient_of_a_volume_is_dense() -> None:
    good = GOOD["aclnnMaxUnpool3dBackward"]
    wide = Meta(good["out"].shape, strides=(108, 36, 18, 6, 2), storage=(432,))
    assert_refused(aclnnMaxUnpool3dBackwardGetWorkspaceSize, good, Mistake("", INVALID, "out", out=wide))

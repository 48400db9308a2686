"""Sampling: figures by hand, and what the search does not reach."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.sorting.good_calls import GOOD
from tests.helpers.refusals import Mistake, assert_refused

F32, I32, I64 = np.float32, np.int32, np.int64
FIRST, CALL = aclnnTopKTopPSampleV2GetWorkspaceSize, GOOD["aclnnTopKTopPSampleV2"]
LOGITS, Q = np.array([[2, 1, 3, 0]], F32), np.array([[4, 0.5, 1, 1]], F32)


def sampled(
    k: int = 3, p: float = 0.8, q: Any = None, least: float | None = None, largest: int = 1024, *, soft: bool = True,
    draws: bool = False, logits: Any = LOGITS,
) -> list[Any]:  # fmt: skip
    shape = logits.shape
    with Machine():
        found = run(
            aclnnTopKTopPSampleV2, logits, np.array([k], I32), np.array([p], F32), q,
            None if least is None else np.array([least], F32), 0.0, True, 32, largest, soft, draws, np.empty(1, I64),
            np.empty(shape, F32), np.empty(shape, I64), np.empty(shape, F32),
        )  # fmt: skip
    return [each.ravel().tolist() for each in found]


def test_the_first_tokens_up_to_a_sum() -> None:
    """w = .665241 .244728 .090031 of the tokens 2, 0, 1; the third has .910 before it."""
    chosen, selected, *_ = sampled()
    assert chosen == [2]
    assert selected == [2, -np.inf, 3, -np.inf]
    assert sampled(q=Q)[0] == [0], ".166310 and .489457"
    *_, places, weights = sampled(draws=True)
    assert places == [2, 0, 0, 0]
    assert np.allclose(weights, [0.665241, 0.244728, 0, 0], atol=1e-6)


@pytest.mark.parametrize(("k", "p", "wanted"), [
    (0, 1.0, [0, 1, 2, 3]), (5, 1.0, [0, 1, 2, 3]), (4, 1.0, [2, 0, 1, 3]), (0, 0.99, [2, 0, 1, 3]), (2, 0.0, [2]),
    (1, 0.5, [2]),
])  # fmt: skip
def test_tokens_stay_in_place_where_nothing_cuts(k: int, p: float, wanted: list[int]) -> None:
    *_, places, weights = sampled(k, p, draws=True)
    assert places[: len(wanted)] == wanted
    assert all(weights[: len(wanted)])
    assert not any(weights[len(wanted) :])


def test_a_share_of_the_largest() -> None:
    """w of all tokens = .236883 .087144 .643914 .032059."""
    assert sampled(0, 1.0, least=0.2, draws=True)[2] == [0, 2, 0, 0]
    assert sampled(0, 1.0, least=1.0, draws=True)[2] == [2, 0, 0, 0]
    assert sampled(3, 0.95, least=0.5, draws=True)[2] == [2, 0, 0, 0]


def test_a_topk_above_ks_max_does_not_cut() -> None:
    logits = np.arange(12, dtype=F32)[None]
    assert sampled(9, 1.0, largest=8, draws=True, logits=logits)[2] == list(range(12))
    assert sampled(9, 1.0, largest=9, draws=True, logits=logits)[2] == [*range(11, 2, -1), 0, 0, 0]


def test_probabilities_are_taken_as_they_are() -> None:
    chosen, selected, *_ = sampled(soft=False, logits=np.array([[0.2, 0.5, 0.3, 0]], F32), p=0.6)
    assert (chosen, np.round(selected, 3).tolist()) == ([1], [0, 0.5, 0.3, 0])
    *_, weights = sampled(soft=False, logits=np.array([[0.2, 0.5, 0.3, 0]], F32), p=0.0, draws=True)
    assert weights == [0.5, 0, 0, 0]


@pytest.mark.fidelity("aclnnTopKTopPSampleV2: inputs below 0 that are no logits")
def test_inputs_below_0() -> None:
    assert sampled(soft=False, least=0.5, draws=True, logits=-LOGITS)[2] == [3, 0, 0, 0]
    assert sampled(soft=False, p=1.0, least=0.5, draws=True, logits=-LOGITS - 1)[2] == [3, 0, 0, 0]


@pytest.mark.parametrize("mistake", [
    Mistake("q beside draws", ACLNN_ERR_INNER_TILING_ERROR, "q", isNeedSampleResult=True),
    *(Mistake(name, ACLNN_ERR_INNER_TILING_ERROR, name, isNeedSampleResult=True, q=None, **{
        name: Meta((3, 4), CALL[name].dtype)}) for name in ("logitsIdx", "logitsSortMasked")),
    Mistake("a long row", ACLNN_ERR_INNER_TILING_ERROR, "logits", q=None, logits=Meta((3, (1 << 20) + 1), ACL_FLOAT16)),
], ids=str)  # fmt: skip
def test_refusals(mistake: Mistake) -> None:
    assert_refused(FIRST, CALL, mistake)


def test_a_long_row_of_the_first_version() -> None:
    mistake = Mistake("", ACLNN_ERR_INNER_TILING_ERROR, "logits", q=None, logits=Meta((3, (1 << 20) + 1), ACL_FLOAT16))
    assert_refused(aclnnTopKTopPSampleGetWorkspaceSize, GOOD["aclnnTopKTopPSample"], mistake)

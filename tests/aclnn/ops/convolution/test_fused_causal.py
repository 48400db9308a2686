"""FusedCausalConv1d and its in-place twin: figures, states, sequences that are left out, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import aclnn
from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn.testing import run
from tests.aclnn.ops.case import A950, Meta, board
from tests.derived.good import subject
from tests.derived.launching import planned

F16 = np.float16
PLAIN, TWIN = "aclnnFusedCausalConv1d", "aclnnInplaceFusedCausalConv1d"


def column(*numbers: float) -> np.ndarray:
    return np.array(numbers, F16).reshape(-1, 1)


def convolved(name: str = PLAIN, **changes: Any) -> tuple[list[float], list[float]]:
    """Rows 3 and 4 behind the state 1 2, with the weights .5, 1, 2."""
    given = {
        **dict.fromkeys(subject(name).good, 0), "x": column(3, 4), "weight": column(0.5, 1, 2),
        "convStates": column(1, 2)[None], "queryStartLoc": np.array([0, 2], np.int32), "padSlotId": -1,
        **dict.fromkeys(("cacheIndices", "initialStateMode", "bias", "numAcceptedTokens", "numComputedTokens",
                         "blockIdxFirstScheduledToken", "blockIdxLastScheduledToken", "initialStateIdx")),
        **({"y": column(0, 0)} if name == PLAIN else {}), **changes,
    }  # fmt: skip
    with Machine(A950):
        results = run(getattr(aclnn, name), *(given[each] for each in subject(name).good))
    y, states = sorted(results, key=lambda x: x.ndim)
    return y.ravel().tolist(), states.ravel().tolist()


@pytest.mark.parametrize("name", [PLAIN, TWIN])
def test_the_figures_of_the_page(name: str) -> None:
    assert convolved(name) == ([8.5, 12], [3, 4])
    assert convolved(name, residualConnection=1) == ([11.5, 16], [3, 4])


def test_a_new_sequence_has_zeros_before_it() -> None:
    """In mode 1 the rows before the third one are 0, too."""
    new = {"numComputedTokens": np.array([0], np.int32)}
    assert convolved(**new) == ([6, 11], [3, 4])
    assert convolved(**new, convMode=1) == ([0, 0], [3, 4])
    assert convolved(numComputedTokens=np.array([1], np.int32), convMode=1) == ([0, 12], [3, 4])


def test_accepted_tokens_select_the_first_row_of_the_state() -> None:
    """A state of three rows: with one accepted token the first two rows come before x, and the state moves by one."""
    states = column(1, 2, 9)[None]
    accepted = {"convStates": states, "numAcceptedTokens": np.array([1], np.int32)}
    assert convolved(**accepted) == ([8.5, 12], [2, 3, 4])
    assert convolved(convStates=column(9, 1, 2)[None]) == ([8.5, 12], [2, 3, 4])


def test_a_sequence_without_a_slot_is_not_changed() -> None:
    assert convolved(TWIN, cacheIndices=np.array([-1], np.int32)) == ([3, 4], [1, 2])


@pytest.mark.fidelity("states of aclnnFusedCausalConv1d")
def test_a_state_that_does_not_exist_is_found() -> None:
    with pytest.raises(UndefinedBehaviour, match="cacheIndices has the state 1"):
        convolved(cacheIndices=np.array([1], np.int32))


REFUSED: list[tuple[int, dict[str, Any]]] = [
    (ACLNN_ERR_PARAM_NULLPTR, {"convStates": None}), (ACLNN_ERR_INNER_TILING_ERROR, {"x": Meta((5, 6))}),
    (ACLNN_ERR_INNER_TILING_ERROR, {"queryStartLoc": None}),
    (ACLNN_ERR_INNER_TILING_ERROR, {"convMode": 1, "numComputedTokens": None}),
    (ACLNN_ERR_INNER_TILING_ERROR, {"cacheIndices": Meta((3,), ACL_INT32)}),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "changes"), REFUSED, ids=str)
def test_refusals(answer: int, changes: dict[str, Any]) -> None:
    this = subject(PLAIN)
    with board(A950):
        assert planned(this, this.changed(changes)).status == answer

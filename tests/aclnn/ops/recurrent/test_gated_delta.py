"""The gated delta rule: figures, states, refusals."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import aclnn
from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn.testing import run
from tests.aclnn.ops.case import A2, Meta, board
from tests.derived.good import subject
from tests.derived.launching import planned

BF16, F32, I32 = ml_dtypes.bfloat16, np.float32, np.int32
RECURRENT, CHUNK = "aclnnRecurrentGatedDeltaRule", "aclnnChunkGatedDeltaRule"
NULLPTR, INVALID, TILING = ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_INNER_TILING_ERROR


def called(name: str, **given: Any) -> list[Any]:
    with Machine():
        return list(run(getattr(aclnn, name), *(given.get(each) for each in subject(name).good)))


def token(count: int = 1) -> dict[str, Any]:
    """Equal tokens of one head: key [.6, .8], value [1, 2], beta .5, query [1, 0], gate ln 0.5, scale 2."""
    rows: dict[str, Any] = {"key": [[0.6, 0.8]], "value": [[1, 2]], "query": [[1, 0]], "beta": [0.5]}
    made = {name: np.array([row] * count, BF16) for name, row in rows.items()}
    return {**made, "scaleValue": 2.0, "out": np.empty((count, 1, 2), BF16),
            "actualSeqLengths": np.array([count], I32)}  # fmt: skip


GATE = np.log(np.array([[0.5]], F32))
STATE, OUT = [[0.71, 0.28], [0.48, 1.14]], [1.42, 0.96]


def test_the_figures_of_one_token() -> None:
    state = np.eye(2, dtype=F32)[None, None]
    cache, out = called(RECURRENT, **token(), stateRef=state, ssmStateIndices=np.zeros(1, I32), g=GATE)
    assert np.allclose(cache[0, 0], STATE, atol=4e-3)
    assert np.allclose(out[0, 0].astype(F32), OUT, atol=8e-3)
    out, final = called(CHUNK, **token(), initialState=state, gOptional=GATE, finalState=state)
    assert np.allclose(final[0, 0], STATE, atol=4e-3)
    assert np.allclose(out[0, 0].astype(F32), OUT, atol=8e-3)


def test_a_gate_of_columns_is_one_of_each_element_of_a_key() -> None:
    cache = np.eye(2, dtype=F32)[None, None]
    given = {**token(), "stateRef": cache, "ssmStateIndices": np.zeros(1, I32)}
    one = called(RECURRENT, **given, g=GATE)[0]
    assert np.array_equal(called(RECURRENT, **given, gk=np.repeat(GATE[..., None], 2, -1))[0], one)


@pytest.mark.fidelity("states of the gated delta rule")
def test_states_of_other_batches_are_read_before_they_are_written() -> None:
    """Both batches begin with the same state, which the first batch changes; other states stay."""
    cache = np.stack([np.eye(2, dtype=F32), np.full((2, 2), 7, F32)])[:, None]
    cache = np.concatenate([cache, cache])
    given = {**token(2), "stateRef": cache, "ssmStateIndices": np.array([0, 0], I32)}
    given["actualSeqLengths"] = np.array([1, 1], I32)
    found, out = called(RECURRENT, **given, g=np.repeat(GATE, 2, 0))
    assert np.array_equal(out[0], out[1])
    assert np.array_equal(found[1:], cache[1:])


def test_accepted_tokens_choose_the_first_state() -> None:
    cache = np.stack([np.zeros((2, 2), F32), np.eye(2, dtype=F32)])[:, None]
    given = {**token(2), "stateRef": cache, "ssmStateIndices": np.array([0, 1], I32), "g": np.repeat(GATE, 2, 0)}
    found, _ = called(RECURRENT, **given, numAcceptedTokens=np.array([2], I32))
    assert np.allclose(found[0, 0], STATE, atol=4e-3)


@pytest.mark.fidelity("states of the gated delta rule")
def test_a_state_that_does_not_exist_is_found() -> None:
    given = {**token(), "stateRef": np.zeros((1, 1, 2, 2), F32), "ssmStateIndices": np.ones(1, I32)}
    with pytest.raises(UndefinedBehaviour, match="ssmStateIndices has the state 1"):
        called(RECURRENT, **given)


REFUSED: list[tuple[str, int, dict[str, Any]]] = [
    (RECURRENT, NULLPTR, {"ssmStateIndices": None}), (CHUNK, NULLPTR, {"finalState": None}),
    (RECURRENT, INVALID, {"query": Meta((5, 2, 3))}), (CHUNK, INVALID, {"gOptional": Meta((5, 4), ACL_BF16)}),
    (RECURRENT, 0, {"numAcceptedTokens": None}), (RECURRENT, 0, {"stateRef": Meta((6, 4, 6, 3))}),
    (RECURRENT, TILING, {"stateRef": Meta((4, 4, 6, 3), ACL_BF16)}),
    (CHUNK, TILING, {"initialState": Meta((3, 4, 6, 3), ACL_BF16)}),
    (CHUNK, TILING, {"query": Meta((5, 3, 3), ACL_BF16), "key": Meta((5, 3, 3), ACL_BF16)}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "answer", "changes"), REFUSED, ids=str)
def test_refusals(name: str, answer: int, changes: dict[str, Any]) -> None:
    this = subject(name)
    with board(A2):
        assert planned(this, this.changed(changes)).status == answer

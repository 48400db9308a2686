"""Rotary embedding: figures by hand, and what the derived tests do not reach."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A2, A950, INFERENCE, Meta, board
from tests.derived.good import subject
from tests.derived.launching import planned

F32 = np.float32
X = np.arange(1, 9, dtype=F32).reshape(1, 1, 1, 8)
TURNED = {
    0: [-5, -6, -7, -8, 1, 2, 3, 4], 1: [-2, 1, -4, 3, -6, 5, -8, 7], 2: [-3, -4, 1, 2, -7, -8, 5, 6],
    3: [-2, -4, -6, -8, 1, 3, 5, 7],
}  # fmt: skip


def status(chip: str, **changes: Any) -> int:
    this = subject("aclnnRotaryPositionEmbedding")
    with board(chip):
        return planned(this, this.changed(changes)).status


@pytest.mark.parametrize("mode", TURNED)
def test_modes(mode: int) -> None:
    """With cos 0 and sin 1 the result is rotate(x)."""
    with Machine(A950):
        found = run(aclnnRotaryPositionEmbedding, X, 0 * X, 0 * X + 1, mode, np.empty_like(X))
    assert found.ravel().tolist() == TURNED[mode]


@pytest.mark.parametrize("mode", TURNED)
def test_the_gradient_turns_back(mode: int) -> None:
    turned = np.array(TURNED[mode], F32).reshape(X.shape)
    table = 0 * X
    with Machine(A950):
        dx, dcos, dsin = run(aclnnRotaryPositionEmbeddingGrad, turned, table, table + 1, X, mode, X.copy(), X.copy(),
                             X.copy())  # fmt: skip
    assert np.array_equal(dx, X)
    own = np.concatenate([X[..., ::2], X[..., 1::2]], -1) if mode == 3 else X
    assert np.array_equal(dcos, turned * own)
    assert np.array_equal(dsin, turned**2)


def test_modes_of_products() -> None:
    answers = {(chip, mode): status(chip, mode=mode) for chip in (A2, A950, INFERENCE) for mode in range(4)}
    good = {key for key, answer in answers.items() if answer == ACL_SUCCESS}
    assert good == {(A2, 0), (A2, 1), *((A950, mode) for mode in range(4)), (INFERENCE, 0)}
    assert set(answers.values()) == {ACL_SUCCESS, ACLNN_ERR_INNER_NULLPTR}


def test_out_is_dense() -> None:
    wide = Meta((1, 3, 2, 32), strides=(384, 128, 64, 2), storage=(384,))
    assert status(A2, out=wide) == ACLNN_ERR_INNER_NULLPTR
    assert status(A2, x=Meta((1, 3, 2, 32), strides=(192, 32, 96, 1))) == ACL_SUCCESS


def test_a_packed_tensor_has_three_dimensions() -> None:
    given = {name: Meta((3, 2, 32)) for name in ("x", "out")}
    assert status(A2, **given, cos=Meta((3, 1, 32)), sin=Meta((3, 1, 32))) == ACL_SUCCESS


def test_pairs_have_a_table_of_one_dimension() -> None:
    """On A2, tables of pairs spread over all dimensions but the rows."""
    shape = (2, 3, 2, 32)
    given = {"x": Meta(shape), "out": Meta(shape), "cos": Meta((2, 3, 1, 32)), "sin": Meta((2, 3, 1, 32))}
    assert status(A2, **given) == ACL_SUCCESS
    assert status(A2, **given, mode=1) == ACLNN_ERR_INNER_NULLPTR
    assert status(A950, **given, mode=1) == ACL_SUCCESS


@pytest.mark.parametrize(("size", "good"), [(894, True), (896, False), (31, False)])
def test_sizes(size: int, good: bool) -> None:
    given = {name: Meta((1, 3, heads, size)) for name, heads in (("x", 2), ("cos", 1), ("sin", 1), ("out", 2))}
    assert status(A2, **given) == (ACL_SUCCESS if good else ACLNN_ERR_INNER_NULLPTR)


@pytest.mark.parametrize(("chip", "size", "allowed"), [
    (A2, 896, "below 896, a multiple of 2"), (A950, 1026, "below 1025, a multiple of 2"),
    (INFERENCE, 48, "of at most 128, a multiple of 32"), (INFERENCE, 160, "of at most 128, a multiple of 32"),
])  # fmt: skip
def test_refusals_name_the_sizes_of_the_product(chip: str, size: int, allowed: str) -> None:
    this = subject("aclnnRotaryPositionEmbedding")
    given = {name: Meta((1, 3, heads, size)) for name, heads in (("x", 2), ("cos", 1), ("sin", 1), ("out", 2))}
    with board(chip):
        assert f"a last dimension {allowed}" in planned(this, this.changed(given)).text


def test_without_x_the_tables_have_no_gradient() -> None:
    one = np.ones((1, 2, 1, 4), F32)
    with Machine():
        dx, dcos, _ = run(aclnnRotaryPositionEmbeddingGrad, one, one, one, None, 0, one.copy(), 7 * one, 7 * one)
    assert dx.ravel().tolist() == [2, 2, 0, 0] * 2
    assert dcos.shape == one.shape

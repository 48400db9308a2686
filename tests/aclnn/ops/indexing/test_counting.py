"""Bincount, Histc, EmbeddingBag: what the derived tests do not reach, and figures by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A2, A950, Meta, board
from tests.derived.good import subject
from tests.derived.launching import planned

F32, INT = np.float32, np.int64


def plan(name: str, chip: str = A2, **changes: Any) -> int:
    this = subject(f"aclnn{name}")
    with board(chip):
        return planned(this, this.changed(changes)).status


def test_bincount_by_hand(machine: Machine) -> None:
    x = np.array([1, 3, 1, 0], np.int32)
    assert run(aclnnBincount, x, None, 2, np.empty(5, INT)).tolist() == [1, 2, 0, 1, 0]
    weights = np.array([0.5, 1, 2, 4], F32)
    assert run(aclnnBincount, x, weights, 0, np.empty(4, F32)).tolist() == [4, 2.5, 0, 1]
    assert run(aclnnBincount, x[:0], None, 3, np.empty(3, INT)).tolist() == [0, 0, 0]
    assert plan("Bincount", minlength=9) == ACLNN_ERR_INNER_NULLPTR  # out is too short


@pytest.mark.fidelity("numbers that aclnnBincount has no place for")
def test_bincount_has_a_place_for_each_number(machine: Machine) -> None:
    with pytest.raises(UndefinedBehaviour, match="index-range"):
        run(aclnnBincount, np.array([5, -1], np.int32), None, 2, np.empty(2, INT))


@pytest.mark.parametrize(
    ("x", "low", "high", "wanted"),
    [
        ([1, 2, 4, 5, -1], 1, 4, [1, 1, 1]),
        ([1.0, 2.0, np.nan, np.inf, 3.0], 0.0, 3.0, [0, 1, 2]),
        ([1.0, 2.5, 4.0], 0.0, 0.0, [1, 1, 1]),
        ([2.0, 2.0], 7.0, 7.0, [0, 2, 0]),
        ([1.0, 2.5, 4.0], np.inf, np.inf, [1, 1, 1]),
    ],
    ids=["integers", "not counted", "of itself", "one value", "infinite"],
)
@pytest.mark.fidelity("aclnnHistc of one value")
def test_histc_by_hand(machine: Machine, x: list[float], low: float, high: float, wanted: list[int]) -> None:
    given = np.array(x, np.int32 if isinstance(low, int) else F32)
    assert run(aclnnHistc, given, 3, low, high, np.empty(3, np.int32)).tolist() == wanted


def bags(weight: np.ndarray, indices: Any, offsets: Any, mode: int, last: bool = False, padding: int = -1) -> Any:
    count = len(offsets) - last
    wide = (count, weight.shape[1]) if mode > 1 else (count,)
    outs = [np.empty(len(indices), INT), np.empty(count, INT), np.empty(wide, INT)]
    given = [weight, np.array(indices), np.array(offsets), False, mode, False, None, last, padding]
    return run(aclnnEmbeddingBag, *given, np.empty((count, weight.shape[1]), F32), *outs)


def test_embedding_bag_by_hand(machine: Machine) -> None:
    """The second bag is empty; in the mode of sums the sizes are 0."""
    weight = np.array([[1, 2], [3, 0], [5, 1]], F32)
    output, bag, size, most = bags(weight, [0, 2, 1], [0, 2, 2], 0)
    assert output.tolist() == [[6, 3], [0, 0], [3, 0]]
    assert (bag.tolist(), size.tolist(), most.tolist()) == ([0, 0, 2], [0, 0, 0], [0, 0, 0])
    output, _, size, most = bags(weight, [0, 2, 1], [0, 2, 2], 1, padding=1)
    assert output.tolist() == [[3, 1.5], [0, 0], [0, 0]]
    assert (size.tolist(), most.tolist()) == ([2, 0, 0], [2, 0, 0])
    output, _, size, most = bags(weight, [0, 2, 1], [0, 3], 2, last=True)
    assert (output.tolist(), size.tolist(), most.tolist()) == ([[5, 2]], [3], [[2, 0]])


def test_the_maximum_of_a_bag_forgets_nan(machine: Machine) -> None:
    """A row takes the place of NaN, and of a smaller number; NaN takes any place."""
    weight = np.array([[np.nan, 1], [3, np.nan], [1, 0]], F32)
    assert bags(weight, [0, 1, 2], [0], 2)[0].tolist() == [[3, 0]]


def test_positions_out_of_range_are_found(machine: Machine) -> None:
    with pytest.raises(UndefinedBehaviour, match="index-range"):
        bags(np.ones((3, 2), F32), [0, 3], [0], 0)


def test_shapes_of_bags_by_product() -> None:
    two = {"indices": Meta((1, 5), ACL_INT64), "perSampleWeights": Meta((1, 5))}
    assert (plan("EmbeddingBag", A2, **two), plan("EmbeddingBag", A950, **two)) == (
        ACLNN_ERR_PARAM_INVALID,
        ACL_SUCCESS,
    )
    assert plan("EmbeddingBag", A2, mode=1) == ACLNN_ERR_PARAM_INVALID  # with perSampleWeights
    assert plan("EmbeddingBag", A950, mode=1) == ACL_SUCCESS


def test_embedding_renorm_by_hand(machine: Machine) -> None:
    """A row that comes twice is scaled once; one that does not come stays."""
    table = np.array([[3, 4], [0, 9], [0.3, 0.4]], F32)
    found = run(aclnnEmbeddingRenorm, table.copy(), np.array([0, 0, 2]), 1.0, 2.0)
    assert np.allclose(found, [[0.6, 0.8], [0, 9], [0.3, 0.4]])
    assert np.array_equal(run(aclnnEmbeddingRenorm, table.copy(), np.array([0, 1]), np.nan, 2.0), table)

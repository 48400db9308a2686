"""Embedding: rows of a table, positions out of range, refusals in their order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn import *
from aclnn.testing import run
from tests.helpers.refusals import Mistake, Of, pairs, planned_with, rules

INVALID, NULL, NO_STEP = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_INNER_NULLPTR
TYPES = (np.float32, np.float16, bfloat16, np.float64, np.int64, np.int8, np.uint8, np.bool_, np.complex64)


@pytest.mark.parametrize("dtype", TYPES, ids=lambda each: np.dtype(each).name)
@pytest.mark.parametrize("index", [np.int32, np.int64], ids=lambda each: each.__name__)
def test_each_row_is_the_one_at_its_position(machine: Machine, dtype: Any, index: Any) -> None:
    rng = np.random.default_rng(8)
    table = np.asfortranarray(rng.integers(0, 100, (6, 5)).astype(dtype))
    for shape in [(), (4,), (2, 3), (1, 2, 2)]:
        indices = np.asarray(rng.integers(0, 6, shape)).astype(index)
        found = run(aclnnEmbedding, table, indices, np.empty((*shape, 5), dtype))
        for place in np.ndindex(*shape):
            np.testing.assert_array_equal(found[place], table[int(indices[place])])


@pytest.mark.parametrize("rows", [3, 1 << 15], ids=["small", "large"])
def test_every_bit_stays(machine: Machine, rows: int) -> None:
    """NaN payloads too."""
    table = np.array([[0x7C01, 0xFE37], [0x3C00, 0x8000]], np.uint16)
    indices = np.arange(rows * 8) % 2
    found = run(aclnnEmbedding, table.view(np.float16), indices, np.empty((rows * 8, 2), np.float16))
    np.testing.assert_array_equal(found.view(np.uint16), np.tile(table, (rows * 4, 1)))


@pytest.mark.parametrize("index", [-1, 3, 1 << 40], ids=str)
def test_a_position_out_of_range_is_found_when_it_is_read(machine: Machine, index: int) -> None:
    table, indices = np.ones((3, 2), np.float32), np.array([[0, 1], [index, 2]])
    legal = rf"indices\[1, 0\] is {index}, legal values are 0 to 2"
    with pytest.raises(UndefinedBehaviour, match=legal) as caught:
        run(aclnnEmbedding, table, indices, np.empty((2, 2, 2), np.float32))
    assert caught.value.finding.id == "index-range"


def test_report_mode_drops_the_row_and_the_task_fails(lenient: Machine) -> None:
    table, indices = np.ones((3, 2), np.float32), np.array([1, 5])
    with pytest.raises(AssertionError, match="507035"):
        run(aclnnEmbedding, table, indices, np.empty((2, 2), np.float32))
    assert [finding.id for finding in lenient.findings] == ["index-range"]


@pytest.mark.parametrize(
    "values",
    [
        {"weight": Of((0, 4)), "indices": Of((3,), ACL_INT64), "out": Of((3, 4))},
        {"weight": Of((5, 4)), "indices": Of((0,), ACL_INT64), "out": Of((0, 4))},
    ],
    ids=["weight", "indices"],
)
def test_an_empty_tensor_needs_no_work(machine: Machine, values: Any) -> None:
    planned = planned_with(aclnnEmbeddingGetWorkspaceSize, values)
    assert (planned.status, planned.workspace_size) == (ACL_SUCCESS, 0)


GOOD: dict[str, Any] = {"weight": Of((5, 4)), "indices": Of((2, 3), ACL_INT64), "out": Of((2, 3, 4))}
MISTAKES = [
    Mistake("weight is null", NULL, "weight", weight=None),
    Mistake("indices is null", NULL, "indices", indices=None),
    Mistake("out is null", NULL, "out", out=None),
    Mistake("weight has a type of the list", INVALID, "weight", weight=Of((5, 4), ACL_UINT16)),
    Mistake("out has the type of weight", INVALID, "out", out=Of((2, 3, 4), ACL_FLOAT16)),
    Mistake("indices are INT32 or INT64", INVALID, "indices", indices=Of((2, 3), ACL_INT16)),
    Mistake("weight has at most 8 dimensions", INVALID, "weight", weight=Of((1,) * 9)),
    Mistake("indices has at most 8 dimensions", INVALID, "indices", indices=Of((1,) * 9, ACL_INT64)),
    Mistake("out has at most 8 dimensions", INVALID, "out", out=Of((1,) * 9)),
    Mistake("out has one dimension more than indices", INVALID, "out", out=Of((2, 3))),
    Mistake("out has the dimensions of indices", INVALID, "out", out=Of((3, 2, 4))),
]


@pytest.mark.parametrize("mistake", MISTAKES, ids=rules)
def test_refusals(machine: Machine, mistake: Mistake) -> None:
    assert planned_with(aclnnEmbeddingGetWorkspaceSize, GOOD).status == ACL_SUCCESS
    mistake.found(aclnnEmbeddingGetWorkspaceSize, GOOD)


@pytest.mark.parametrize(("one", "other"), pairs(MISTAKES))
def test_refusals_come_in_order(machine: Machine, one: Mistake, other: Mistake) -> None:
    one.found(aclnnEmbeddingGetWorkspaceSize, GOOD, other)


@pytest.mark.parametrize(
    "changes",
    [{"out": Of((2, 3, 5))}, {"weight": Of((5, 4, 2))}, {"weight": Of((5,))}, {"weight": Of(())}],
    ids=["length of a row", "weight of 3 dimensions", "weight of 1 dimension", "weight of none"],
)
def test_rows_that_do_not_fit_cannot_be_copied(machine: Machine, changes: Any) -> None:
    """The rank of weight is not checked; the copy into out fails."""
    assert planned_with(aclnnEmbeddingGetWorkspaceSize, GOOD | changes).status == NO_STEP

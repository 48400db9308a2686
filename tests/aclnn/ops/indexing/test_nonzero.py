"""aclnnNonzero, by its contract among the indexing functions. `tests/aclnn/engine/test_late_shapes.py` has the tests of
the shape of its result."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import *
from acl_runtime import Machine
from aclnn import aclnnNonzero, aclnnNonzeroGetWorkspaceSize
from aclnn.testing import run
from tests.aclnn.ops.case import A2, INFERENCE, Meta, f32, i64
from tests.helpers.refusals import Mistake, answer, assert_order, assert_refused

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
FIRST = aclnnNonzeroGetWorkspaceSize
GOOD = {"self": f32(2, 3), "out": i64(6, 2)}
NINE = (1,) * 9
MISTAKES = [
    Mistake("null self", NULL, "self", self=None),
    Mistake("null out", NULL, "out", out=None),
    Mistake("type of self", INVALID, "self", self=Meta((2, 3), ACL_COMPLEX64)),
    Mistake("type of out", INVALID, "out", out=Meta((6, 2), ACL_INT32)),
    Mistake("rank of self", INVALID, "self", self=f32(*NINE)),
    Mistake("rank of out", INVALID, "out", out=i64(*NINE)),
    Mistake("a dimension of 2^31", INVALID, "self", self=f32(1 << 31, 1)),
]


@pytest.mark.parametrize("mistake", MISTAKES, ids=str)
def test_a_mistake_is_refused(mistake: Mistake) -> None:
    assert_refused(FIRST, GOOD, mistake)


def test_the_first_mistake_wins() -> None:
    assert_order(FIRST, GOOD, MISTAKES)


@pytest.mark.parametrize("shape", [(6, 2), (3, 4), (1,), (2, 2, 2)], ids=str)
def test_the_shape_of_out_is_not_looked_at(shape: tuple[int, ...]) -> None:
    assert answer(FIRST, GOOD, {"out": i64(*shape)}).status == ACL_SUCCESS


@pytest.mark.parametrize(("soc", "status"), [(A2, ACL_SUCCESS), (INFERENCE, ACLNN_ERR_PARAM_INVALID)])
def test_bfloat16_depends_on_the_product(soc: str, status: int) -> None:
    assert answer(FIRST, GOOD, {"self": Meta((2, 3), ACL_BF16)}, soc).status == status


@pytest.mark.parametrize(
    "dtype", [np.float32, np.float16, np.float64, bfloat16, np.int8, np.uint8, np.int16, np.int32, np.int64, np.bool_]
)
@pytest.mark.parametrize("shape", [(7,), (3, 4), (2, 3, 2)], ids=str)
def test_places_are_those_of_a_loop(dtype: type, shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(5).integers(0, 3, shape).astype(dtype)
    wanted = [list(place) for place in product(*map(range, shape)) if float(x[place]) != 0]
    with Machine():
        found = run(aclnnNonzero, np.ascontiguousarray(x.T).T, np.empty((x.size, x.ndim), np.int64))
    assert found.tolist() == wanted


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.float64, bfloat16])
def test_nan_counts_and_minus_zero_does_not(dtype: type) -> None:
    x = np.array([np.nan, -0.0, 0.0, -np.inf, 1], np.float32).astype(dtype)
    smallest = np.zeros(1, dtype)
    smallest.view(np.uint8)[0] = 1
    with Machine():
        assert run(aclnnNonzero, x, np.empty((5, 1), np.int64)).tolist() == [[0], [3], [4]]
        assert run(aclnnNonzero, smallest, np.empty((1, 1), np.int64)).tolist() == [[0]], "a subnormal counts"


def test_no_element_counts() -> None:
    with Machine():
        assert run(aclnnNonzero, np.zeros((2, 3), np.int8), np.empty((6, 2), np.int64)).shape == (0, 2)

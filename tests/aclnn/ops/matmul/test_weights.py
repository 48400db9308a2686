"""aclnnMatmul and aclnnMm with mat2 in FRACTAL_NZ."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from acl_runtime import *
from acl_runtime.headers.dtypes import data_type_of
from aclnn import *
from tests.helpers.builders import malloc, meta, plan
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.weights import blocks_by_hand, fetched, filled, laid_out, launch, tensor

NZ = ACL_FORMAT_FRACTAL_NZ
NAMES = pytest.mark.parametrize("name", ["aclnnMatmul", "aclnnMm"])


def small(shape: tuple[int, ...], dtype: object, seed: int) -> np.ndarray:
    """Integers whose sums every data type holds."""
    return np.random.default_rng(seed).integers(-2, 3, shape).astype(np.float32).astype(np.dtype(dtype))


@NAMES
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("swap", [False, True], ids=["dense", "transposed"])
def test_the_product_is_that_of_the_matrix_before_it_was_laid_out(
    name: str, schedule: str, dtype: type, swap: bool
) -> None:
    left, right = small((5, 18), dtype, 1), small((18, 33), dtype, 2)
    kind = data_type_of(np.dtype(dtype))
    with board(schedule, on_undefined="raise"):
        address = laid_out(right.T.copy() if swap else right)
        weight = tensor(address, (18, 33), kind, format=NZ, strides=(1, 18) if swap else None)
        out = malloc(5 * 33 * 2)
        launch(name, tensor(filled(left), (5, 18), kind), weight, tensor(out, (5, 33), kind), 0)
        expected = left.astype(np.float64) @ right.astype(np.float64)
        assert fetched(out, (5, 33), dtype).astype(np.float64).tolist() == expected.tolist()


@NAMES
def test_the_tensor_that_was_laid_out_is_a_weight_at_once(name: str) -> None:
    """Its view format is ND still; the storage format is what counts."""
    left, right = small((5, 18), np.float16, 1), small((18, 33), np.float16, 2)
    with board(on_undefined="raise"):
        weight = tensor(filled(right, blocks_by_hand(right).nbytes), right.shape, ACL_FLOAT16)
        out = malloc(5 * 33 * 2)
        target, source = tensor(out, (5, 33), ACL_FLOAT16), tensor(filled(left), (5, 18), ACL_FLOAT16)
        launch(name, source, weight, target, 0)
        before = fetched(out, (5, 33), np.float16)
        launch("aclnnTransMatmulWeight", weight)
        launch(name, source, weight, target, 0)
        assert fetched(out, (5, 33), np.float16).tolist() == before.tolist()
        assert before.tolist() == (left.astype(np.float64) @ right.astype(np.float64)).tolist()


@NAMES
def test_a_product_of_matrices_has_no_wider_result(name: str) -> None:
    """2049 is no FLOAT16. In ND the product is FLOAT; with FRACTAL_NZ it is rounded to FLOAT16 before the cast."""
    left, right = np.array([[2048, 1]], np.float16), np.ones((2, 1), np.float16)
    with board(on_undefined="raise"):
        out = malloc(4)
        source, target = tensor(filled(left), (1, 2), ACL_FLOAT16), tensor(out, (1, 1), ACL_FLOAT)
        launch(name, source, tensor(filled(right), (2, 1), ACL_FLOAT16), target, 0)
        assert fetched(out, (1,), np.float32).tolist() == [2049]
        launch(name, source, tensor(laid_out(right), (2, 1), ACL_FLOAT16, format=NZ), target, 0)
        assert fetched(out, (1,), np.float32).tolist() == [2048]


def test_matmul_refuses_a_weight_of_the_other_half() -> None:
    with board():
        weight = meta([16, 16], ACL_BF16, format=NZ)
        arguments = meta([16, 16], ACL_FLOAT16), weight, meta([16, 16], ACL_FLOAT16), 0
        assert plan(aclnnMatmulGetWorkspaceSize, *arguments).status == ACLNN_ERR_PARAM_INVALID
        assert plan(aclnnMmGetWorkspaceSize, *arguments).status == ACLNN_SUCCESS


@pytest.mark.parametrize("which", ["self", "out"])
def test_matmul_takes_no_other_tensor_in_fractal_nz(which: str) -> None:
    with board():
        form = {each: NZ if each == which else ACL_FORMAT_ND for each in ("self", "out")}
        self, out = (meta([16, 16], ACL_FLOAT16, format=form[each]) for each in ("self", "out"))
        planned = plan(aclnnMatmulGetWorkspaceSize, self, meta([16, 16], ACL_FLOAT16), out, 0)
        assert planned.status == ACLNN_ERR_PARAM_INVALID
        assert f"parameter: {which}" in planned.text

"""Operands in FRACTAL_NZ: an operator of the test reads one as a dense matrix (`Planning.read(..., nz=True)`)."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from acl_runtime import *
from acl_runtime.headers.dtypes import data_type_of, numpy_dtype
from aclnn.engine.operator import planned
from aclnn.engine.planning import Planning
from tests.helpers.builders import malloc, plan
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.outcomes import ok
from tests.helpers.weights import blocks_by_hand, fetched, filled, laid_out, launch_pair, matrix, tensor

NZ = ACL_FORMAT_FRACTAL_NZ
SHAPES = [(16, 16), (17, 33), (64, 5), (1, 40), (40, 1), (3, 20, 40)]


def product(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.matmul(x, y)


@planned("aclnnMatmul")
def matmul(p: Planning) -> None:
    """out = self @ mat2, with mat2 in FRACTAL_NZ."""
    dtype = p.dtype("self")
    given = [p.read("self", dtype), p.read("mat2", dtype, nz=True)]
    p.store("out", p.step(product, given, p.shape("out"), dtype))


@planned("aclnnNeg")
def dense(p: Planning) -> None:
    """out = self, which may be in FRACTAL_NZ."""
    p.store("out", p.read("self", nz=True))


def swapped(shape: tuple[int, ...]) -> tuple[int, ...]:
    return (*shape[:-2], shape[-1], shape[-2])


def read(values: np.ndarray, weight: aclTensor, shape: tuple[int, ...]) -> np.ndarray:
    """The elements that an operator reads of a weight."""
    address = malloc(values.nbytes)
    launch_pair(dense.pairs["aclnnNeg"], weight, tensor(address, shape, data_type_of(values.dtype)))
    return fetched(address, shape, values.dtype)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.int8])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_weight_is_read_as_it_was_before_it_was_laid_out(shape: tuple[int, ...], dtype: Any) -> None:
    values = matrix(shape, dtype)
    with board(on_undefined="raise"):
        weight = tensor(laid_out(values), shape, data_type_of(np.dtype(dtype)), format=NZ)
        assert read(values, weight, shape).tobytes() == values.tobytes()


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_transposed_view_is_the_transpose_of_the_matrix_in_memory(shape: tuple[int, ...]) -> None:
    """A view (k, n) with strides (1, k) is what aclnnTransMatmulWeight made of an (n, k) tensor."""
    values = matrix(shape, np.float16)
    rows, columns = shape[-2:]
    strides = (*[rows * columns] * (len(shape) - 2), 1, columns)
    with board(on_undefined="raise"):
        weight = tensor(laid_out(values), swapped(shape), ACL_FLOAT16, format=NZ, strides=strides, storage=[1])
        found = read(values, weight, swapped(shape))
        assert found.tobytes() == values.swapaxes(-1, -2).tobytes()


def test_the_storage_dimensions_do_not_count() -> None:
    """Programs pass one dimension with the number of elements, without the padding."""
    values = matrix((17, 33), np.float16)
    with board(on_undefined="raise"):
        weight = tensor(laid_out(values), values.shape, ACL_FLOAT16, format=NZ, storage=[values.size])
        assert read(values, weight, values.shape).tobytes() == values.tobytes()


def test_the_tensor_that_was_laid_out_is_read_as_fractal_nz_from_then_on() -> None:
    """The first phase has changed its storage format; its view format is still ND."""
    from aclnn import aclnnTransMatmulWeight, aclnnTransMatmulWeightGetWorkspaceSize

    values = matrix((17, 33), np.float16)
    with board(on_undefined="raise"):
        weight = tensor(filled(values, blocks_by_hand(values).nbytes), values.shape, ACL_FLOAT16)
        launch_pair((aclnnTransMatmulWeightGetWorkspaceSize, aclnnTransMatmulWeight), weight)
        assert read(values, weight, values.shape).tobytes() == values.tobytes()


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("seed", range(4))
def test_a_product_with_a_weight_in_fractal_nz(schedule: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    m, k, n = random.integers(1, 70, 3).tolist()
    left = random.integers(-4, 5, (m, k)).astype(np.float16)
    right = random.integers(-4, 5, (k, n)).astype(np.float16)
    with board(schedule, on_undefined="raise"):
        weight = tensor(laid_out(right), (k, n), ACL_FLOAT16, format=NZ)
        out = malloc(2 * m * n)
        launch_pair(
            matmul.pairs["aclnnMatmul"], tensor(filled(left), (m, k), ACL_FLOAT16), weight,
            tensor(out, (m, n), ACL_FLOAT16), 0,
        )  # fmt: skip
        expected = left.astype(np.float64) @ right.astype(np.float64)
        assert fetched(out, (m, n), np.float16).astype(np.float64).tolist() == expected.tolist()


def test_a_cached_launch_reads_the_weight_again() -> None:
    with board(on_undefined="raise"):
        one, other = matrix((17, 33), np.float16, 1), matrix((17, 33), np.float16, 2)
        address = laid_out(one)
        weight = tensor(address, one.shape, ACL_FLOAT16, format=NZ)
        assert read(one, weight, one.shape).tobytes() == one.tobytes()
        ok(aclrtMemcpy(address, 3 * 2 * 512, laid_out(other), 3 * 2 * 512, ACL_MEMCPY_DEVICE_TO_DEVICE))
        assert read(one, weight, one.shape).tobytes() == other.tobytes()


@pytest.mark.parametrize("dtype", [ACL_FLOAT16, ACL_FLOAT])
def test_memory_that_ends_before_the_padding_is_found(dtype: int) -> None:
    known = numpy_dtype(dtype)
    assert known is not None
    values = matrix((17, 17), known)
    with board(on_undefined="report") as machine:
        weight = tensor(filled(values), values.shape, dtype, format=NZ)
        read(values, weight, values.shape)
        assert machine.findings[0].id == "storage-exceeds-alloc"


@pytest.mark.parametrize("shape", [(), (16,)], ids=str)
def test_a_tensor_that_is_no_matrix_has_no_blocks(shape: tuple[int, ...]) -> None:
    with board():
        weight = tensor(malloc(512), shape, ACL_FLOAT16, format=NZ)
        assert plan(dense.pairs["aclnnNeg"][0], weight, tensor(malloc(512), shape, ACL_FLOAT16)).status == (
            ACLNN_ERR_INNER_NULLPTR
        )

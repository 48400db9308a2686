"""FRACTAL_NZ: sizes of weights, aclnnTransMatmulWeight and aclnnNpuFormatCast.

The blocks are compared with a loop over all elements (`blocks_by_hand`)."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import POINTER, byref, c_int32, c_int64, c_uint64
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.headers.dtypes import data_type_of
from aclnn import *
from tests.helpers.builders import Planned, malloc, meta, plan
from tests.helpers.machines import board
from tests.helpers.outcomes import ok, text
from tests.helpers.weights import blocks_by_hand, fetched, filled, laid_out, launch, matrix, tensor

A2, A3, P310, P910 = "Ascend910B3", "Ascend910_9391", "Ascend310P3", "Ascend910A"
A950 = "Ascend950PR_9599"
NZ, ND = ACL_FORMAT_FRACTAL_NZ, ACL_FORMAT_ND
SHAPES = [(16, 16), (1, 1), (17, 33), (64, 5), (2, 20, 40), (2, 1, 3, 18, 7)]


def seed_of(*values: object) -> str:
    return "-".join(map(str, values))


# aclnnCalculateMatmulWeightSize and V2


def size(dims: Sequence[int], *dtype: int) -> tuple[int, int]:
    """The status and the number of elements; with a data type, of V2."""
    shape, found = aclCreateIntArray(list(dims), len(dims)), c_uint64(7)
    calculate = aclnnCalculateMatmulWeightSizeV2 if dtype else aclnnCalculateMatmulWeightSize
    return calculate(shape, *dtype, byref(found)), found.value


@pytest.mark.parametrize(
    ("dims", "dtype", "expected"),
    [
        ((510, 510), (), 262144),
        ((3, 17, 1), (), 3 * 32 * 16),
        ((510, 270), (ACL_INT8,), 512 * 288),
        ((510, 270), (ACL_FLOAT16,), 512 * 272),
        ((510, 270), (ACL_BF16,), 512 * 272),
        ((510, 270), (ACL_FLOAT,), 512 * 288),
    ],
    ids=["the document's", "a batch", "V2 INT8", "V2 FLOAT16", "V2 BFLOAT16", "V2 any other counts as INT8"],
)
def test_the_size_of_a_weight_counts_elements_with_the_padding(
    dims: tuple[int, ...], dtype: tuple[int, ...], expected: int
) -> None:
    with Machine(soc=A2):
        assert size(dims, *dtype) == (ACLNN_SUCCESS, expected)


def test_no_context_is_needed_for_a_size() -> None:
    with Machine():
        assert size((16, 16)) == (ACLNN_SUCCESS, 256)


@pytest.mark.parametrize(
    ("soc", "dims", "dtype", "status"),
    [
        (A2, (16,), (), ACLNN_ERR_PARAM_INVALID),
        (A2, (1,) * 7, (), ACLNN_ERR_PARAM_INVALID),
        (A3, (1,) * 6, (), ACLNN_SUCCESS),
        (P310, (1, 16, 16), (), ACLNN_ERR_PARAM_INVALID),
        (P310, (16, 16), (), ACLNN_SUCCESS),
        (P910, (16, 16), (), ACLNN_SUCCESS),
        (P910, (1, 16, 16), (), ACLNN_ERR_PARAM_INVALID),
        (A2, (1,) * 7, (ACL_INT8,), ACLNN_ERR_PARAM_INVALID),
        (P310, (1, 16, 16), (ACL_INT8,), ACLNN_SUCCESS),
        (P910, (16,), (ACL_INT8,), ACLNN_ERR_PARAM_INVALID),
        (A2, (0, 16), (ACL_INT8,), ACLNN_ERR_PARAM_INVALID),
        (A2, (0, 16), (), ACLNN_SUCCESS),
    ],
)
def test_ranks_and_products_of_a_size(soc: str, dims: tuple[int, ...], dtype: tuple[int, ...], status: int) -> None:
    with Machine(soc=soc):
        assert size(dims, *dtype)[0] == status


def test_null_pointers_of_a_size_in_their_order() -> None:
    with Machine(soc=A2):
        found, long = c_uint64(), aclCreateIntArray([1] * 7, 7)
        assert aclnnCalculateMatmulWeightSize(None, byref(found)) == ACLNN_ERR_PARAM_NULLPTR
        assert "tensorShape" in text()
        assert aclnnCalculateMatmulWeightSize(long, None) == ACLNN_ERR_PARAM_NULLPTR
        assert "weightTensorSize" in text()
        assert aclnnCalculateMatmulWeightSizeV2(long, ACL_INT8, None) == ACLNN_ERR_PARAM_NULLPTR


# aclnnTransMatmulWeight


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.int8, np.uint8, ml_dtypes.float8_e4m3fn])
@pytest.mark.parametrize("shape", SHAPES, ids=seed_of)
def test_the_blocks_of_a_weight_lie_in_its_own_memory(shape: tuple[int, ...], dtype: Any) -> None:
    with board(on_undefined="raise"):
        values = matrix(shape, dtype)
        blocks = blocks_by_hand(values)
        assert fetched(laid_out(values), blocks.shape, dtype).tobytes() == blocks.tobytes()


def test_a_type_without_arithmetic_is_laid_out_too() -> None:
    with board(on_undefined="raise"):
        values = matrix((20, 40), np.uint8)
        blocks = blocks_by_hand(values)
        address = filled(values, blocks.nbytes)
        launch("aclnnTransMatmulWeight", tensor(address, values.shape, ACL_HIFLOAT8))
        assert fetched(address, blocks.shape, np.uint8).tobytes() == blocks.tobytes()


def test_a_transposed_weight_is_made_dense_first() -> None:
    with board(on_undefined="raise"):
        values = matrix((18, 20), np.float16)
        blocks = blocks_by_hand(values.T.copy())
        address = filled(values, blocks.nbytes)
        launch("aclnnTransMatmulWeight", tensor(address, (20, 18), ACL_FLOAT16, storage=(18, 20), strides=(1, 20)))
        assert fetched(address, blocks.shape, np.float16).tobytes() == blocks.tobytes()


def test_the_first_phase_changes_the_storage_and_leaves_the_view() -> None:
    with board():
        weight = meta([2, 17, 33], ACL_FLOAT16)
        assert plan(aclnnTransMatmulWeightGetWorkspaceSize, weight).status == ACLNN_SUCCESS
        assert dims(aclGetStorageShape, weight) == [2, 3, 2, 16, 16]
        assert dims(aclGetViewShape, weight) == [2, 17, 33]
        assert dims(aclGetViewStrides, weight) == [17 * 33, 33, 1]
        found = c_int32()
        ok(aclGetFormat(weight, byref(found)))
        assert found.value == ND


def dims(query: Any, of: aclTensor) -> list[int]:
    values, count = POINTER(c_int64)(), c_uint64()
    ok(query(of, byref(values), byref(count)))
    return values[: count.value]


@pytest.mark.fidelity("the workspace of a cast to FRACTAL_NZ")
def test_the_blocks_are_made_in_the_workspace() -> None:
    with board():
        planned = plan(aclnnTransMatmulWeightGetWorkspaceSize, meta([17, 33], ACL_FLOAT16))
        assert planned.workspace_size >= 3 * 2 * 512


def test_a_second_call_on_the_same_tensor_is_refused() -> None:
    with board():
        for _ in range(2):  # a call like it on another tensor succeeds: the plan comes from a cache
            weight = meta([16, 16], ACL_FLOAT16)
            assert plan(aclnnTransMatmulWeightGetWorkspaceSize, weight).status == ACLNN_SUCCESS
            again = plan(aclnnTransMatmulWeightGetWorkspaceSize, weight)
            assert again.status == ACLNN_ERR_PARAM_INVALID
            assert "FRACTAL_NZ" in again.text


def test_an_empty_weight_stays_in_nd() -> None:
    with board():
        weight = meta([0, 16], ACL_FLOAT16)
        planned = plan(aclnnTransMatmulWeightGetWorkspaceSize, weight)
        assert (planned.status, planned.workspace_size) == (ACLNN_SUCCESS, 0)
        assert dims(aclGetStorageShape, weight) == [0, 16]


@pytest.mark.parametrize(
    ("soc", "weight", "status", "named"),
    [
        (A2, None, ACLNN_ERR_PARAM_NULLPTR, "mmWeightRef"),
        (A2, ([16, 16], ACL_FLOAT, ND), ACLNN_ERR_PARAM_INVALID, "DT_FLOAT"),
        (A2, ([16, 16], ACL_FLOAT, NZ), ACLNN_ERR_PARAM_INVALID, "DT_FLOAT"),
        (A2, ([1] * 9, ACL_FLOAT16, NZ), ACLNN_ERR_PARAM_INVALID, "FRACTAL_NZ"),
        (A2, ([0] * 9, ACL_FLOAT16, ND), ACLNN_ERR_PARAM_INVALID, "9 dimensions"),
        (A2, ([0], ACL_FLOAT16, ND), ACLNN_SUCCESS, ""),
        (A2, ([16], ACL_FLOAT16, ND), ACLNN_ERR_PARAM_INVALID, "1 dimensions"),
        (A2, ([1] * 7, ACL_FLOAT16, ND), ACLNN_ERR_PARAM_INVALID, "7 dimensions"),
        (A3, ([1] * 6, ACL_BF16, ND), ACLNN_SUCCESS, ""),
        (P310, ([16, 16], ACL_BF16, ND), ACLNN_ERR_PARAM_INVALID, "DT_BFLOAT16"),
        (P310, ([1, 16, 16], ACL_FLOAT16, ND), ACLNN_ERR_PARAM_INVALID, "3 dimensions"),
        (P310, ([1, 16, 16], ACL_INT8, ND), ACLNN_SUCCESS, ""),
    ],
)
def test_refusals_of_a_weight_in_their_order(
    soc: str, weight: tuple[list[int], int, int] | None, status: int, named: str
) -> None:
    with board(soc=soc):
        given = None if weight is None else meta(weight[0], weight[1], format=weight[2])
        planned = plan(aclnnTransMatmulWeightGetWorkspaceSize, given)
        assert planned.status == status, planned.text
        assert named in planned.text


def test_memory_without_room_for_the_padding_is_found_at_the_launch() -> None:
    with board(on_undefined="report") as machine:
        values = matrix((17, 17), np.float16)
        launch("aclnnTransMatmulWeight", tensor(filled(values), values.shape, ACL_FLOAT16))
        assert [finding.id for finding in machine.findings] == ["storage-exceeds-alloc"]
        assert "2048 bytes, but only 578" in machine.findings[0].what


def test_the_padding_counts_as_written() -> None:
    with board(on_undefined="raise") as machine:
        values = matrix((17, 17), np.float16)
        address = laid_out(values)
        ok(aclrtMemcpy(malloc(2048), 2048, address, 2048, ACL_MEMCPY_DEVICE_TO_DEVICE))
        assert list(machine.findings) == []


# aclnnNpuFormatCastCalculateSizeAndFormat


def formats(source: Any, wanted: int, additional: int = -1) -> tuple[int, list[int], int]:
    """The status, the shape and the format."""
    values, count, actual = POINTER(c_int64)(), c_uint64(), c_int32()
    status = aclnnNpuFormatCastCalculateSizeAndFormat(
        source, wanted, additional, byref(values), byref(count), byref(actual)
    )  # fmt: skip
    return status, values[: count.value] if status == ACLNN_SUCCESS else [], actual.value


@pytest.mark.parametrize(
    ("shape", "dtype", "form", "wanted", "additional", "expected"),
    [
        ([17, 33], ACL_FLOAT16, ND, NZ, -1, [3, 2, 16, 16]),
        ([17, 33], ACL_FLOAT16, ND, NZ, ACL_FLOAT16, [3, 2, 16, 16]),
        ([17, 33], ACL_FLOAT, ND, NZ, -1, [5, 2, 16, 8]),
        ([17, 33], ACL_INT32, ND, NZ, ACL_INT8, [2, 2, 16, 32]),
        ([4, 17, 33], ACL_INT8, ACL_FORMAT_NCL, NZ, -1, [4, 2, 2, 16, 32]),
        ([17, 33], ACL_INT8, NZ, ND, -1, [17, 33]),
        ([2, 3, 17, 33], ACL_INT8, ACL_FORMAT_NCHW, NZ, -1, [2, 3, 2, 2, 16, 32]),
        ([2, 20, 3, 4], ACL_FLOAT16, ACL_FORMAT_NCHW, ACL_FORMAT_NC1HWC0, -1, [2, 2, 3, 4, 16]),
        ([2, 3, 4, 20], ACL_FLOAT16, ACL_FORMAT_NHWC, ACL_FORMAT_NC1HWC0, -1, [2, 2, 3, 4, 16]),
        ([2, 20, 3, 4], ACL_FLOAT16, ACL_FORMAT_NCHW, ACL_FORMAT_FRACTAL_Z, -1, [24, 1, 16, 16]),
        ([3, 4, 20, 17], ACL_FLOAT16, ACL_FORMAT_HWCN, ACL_FORMAT_FRACTAL_Z, -1, [24, 2, 16, 16]),
        ([2, 20, 5, 3, 4], ACL_FLOAT16, ACL_FORMAT_NCDHW, ACL_FORMAT_NDC1HWC0, -1, [2, 5, 2, 3, 4, 16]),
        ([2, 5, 3, 4, 20], ACL_FLOAT16, ACL_FORMAT_NDHWC, ACL_FORMAT_NDC1HWC0, -1, [2, 5, 2, 3, 4, 16]),
        ([2, 20, 5, 3, 4], ACL_FLOAT16, ACL_FORMAT_NCDHW, ACL_FRACTAL_Z_3D, -1, [120, 1, 16, 16]),
    ],
)
def test_the_shape_of_a_format(
    shape: list[int], dtype: int, form: int, wanted: int, additional: int, expected: list[int]
) -> None:
    with Machine(soc=A2):
        assert formats(meta(shape, dtype, format=form), wanted, additional) == (ACLNN_SUCCESS, expected, wanted)


@pytest.mark.parametrize(
    ("soc", "source", "wanted", "additional", "status"),
    [
        (P310, ([16, 16], ACL_FLOAT16, ND), NZ, -1, ACLNN_ERR_RUNTIME_ERROR),
        (A2, None, NZ, -1, ACLNN_ERR_PARAM_INVALID),
        (A2, ([16, 16], ACL_DOUBLE, ND), NZ, -1, ACLNN_ERR_PARAM_INVALID),
        (A2, ([16, 16], ACL_FLOAT16, ND), NZ, ACL_DOUBLE, ACLNN_ERR_PARAM_INVALID),
        (A2, ([16, 16], ACL_FLOAT16, ND), ACL_FORMAT_NC1HWC0, -1, ACLNN_ERR_RUNTIME_ERROR),
        (A2, ([16, 16], ACL_FLOAT16, ND), ND, -1, ACLNN_ERR_RUNTIME_ERROR),
        (A2, ([1, 1, 16, 16], ACL_INT32, ACL_FORMAT_NCHW), NZ, ACL_FLOAT16, ACLNN_ERR_RUNTIME_ERROR),
        (A2, ([16], ACL_FLOAT16, ND), NZ, -1, ACLNN_ERR_PARAM_INVALID),
        (A2, ([0, 16], ACL_FLOAT16, ND), NZ, -1, ACLNN_ERR_RUNTIME_ERROR),
    ],
)
def test_refusals_of_a_format(
    soc: str, source: tuple[list[int], int, int] | None, wanted: int, additional: int, status: int
) -> None:
    with Machine(soc=soc):
        given = None if source is None else meta(source[0], source[1], format=source[2])
        assert formats(given, wanted, additional)[0] == status


NZ_16, NZ_32 = ACL_FORMAT_FRACTAL_NZ_C0_16, ACL_FORMAT_FRACTAL_NZ_C0_32


@pytest.mark.parametrize(
    ("shape", "dtype", "form", "wanted", "additional", "expected", "actual"),
    [
        ([17, 33], ACL_FLOAT, ND, NZ, -1, [5, 2, 16, 8], NZ),
        ([17, 33], ACL_FLOAT, ND, NZ, ACL_FLOAT16, [3, 2, 16, 16], NZ_16),
        ([17, 33], ACL_INT32, ND, NZ, ACL_BF16, [3, 2, 16, 16], NZ_16),
        ([17, 33], ACL_INT32, ND, NZ, ACL_INT8, [2, 2, 16, 32], NZ_32),
        ([17, 33], ACL_FLOAT, ND, NZ, ACL_FLOAT8_E4M3FN, [2, 2, 16, 32], NZ_32),
        ([17, 65], ACL_FLOAT4_E2M1, ND, NZ, -1, [2, 2, 16, 64], NZ),
        ([17, 33], ACL_HIFLOAT8, ND, NZ, -1, [2, 2, 16, 32], NZ),
        ([1, 33], ACL_INT8, ND, NZ, -1, [2, 1, 16, 32], NZ),
        ([17, 33], ACL_INT8, NZ, ND, -1, [17, 33], ND),
    ],
)
def test_the_shape_and_the_format_on_ascend_950(
    shape: list[int], dtype: int, form: int, wanted: int, additional: int, expected: list[int], actual: int
) -> None:
    with Machine(soc=A950):
        assert formats(meta(shape, dtype, format=form), wanted, additional) == (ACLNN_SUCCESS, expected, actual)


@pytest.mark.parametrize(
    ("source", "wanted", "additional", "status"),
    [
        (([2, 20, 3, 4], ACL_FLOAT16, ACL_FORMAT_NCHW), ACL_FORMAT_NC1HWC0, -1, ACLNN_ERR_RUNTIME_ERROR),
        (([17, 33], ACL_FLOAT, ND), NZ, ACL_INT8, ACLNN_ERR_PARAM_INVALID),
        (([17, 33], ACL_FLOAT16, ND), NZ, ACL_FLOAT, ACLNN_ERR_PARAM_INVALID),
        (([1, 33], ACL_FLOAT16, ND), NZ, -1, ACLNN_ERR_PARAM_INVALID),
        (([2, 3, 17, 33], ACL_FLOAT, ND), NZ, ACL_FLOAT16, ACLNN_ERR_PARAM_INVALID),
        (([0, 16], ACL_FLOAT16, ND), NZ, -1, ACLNN_ERR_PARAM_INVALID),
    ],
)
def test_refusals_of_a_format_on_ascend_950(
    source: tuple[list[int], int, int], wanted: int, additional: int, status: int
) -> None:
    with Machine(soc=A950):
        assert formats(meta(source[0], source[1], format=source[2]), wanted, additional)[0] == status


@pytest.mark.parametrize("columns", [16, 32])
def test_a_cast_to_blocks_for_a_second_type_and_back_on_ascend_950(columns: int) -> None:
    values = matrix((17, 33), np.int32)
    blocks = blocks_by_hand(values, columns)
    form = NZ_16 if columns == 16 else NZ_32
    with board(soc=A950, on_undefined="raise"):
        nz, back = malloc(blocks.nbytes), malloc(values.nbytes)
        weight = tensor(nz, blocks.shape, ACL_INT32, format=form)
        launch("aclnnNpuFormatCast", tensor(filled(values), (17, 33), ACL_INT32), weight)
        assert np.array_equal(fetched(nz, blocks.shape, np.int32), blocks)
        launch("aclnnNpuFormatCast", weight, tensor(back, (17, 33), ACL_INT32))
        assert np.array_equal(fetched(back, (17, 33), np.int32), values)


def test_a_cast_takes_the_storage_that_its_size_function_gives() -> None:
    """INT32 as the carrier of another type, in blocks of 16 columns, as a document's example does it (public)."""
    values = matrix((64, 128), np.int32)
    blocks = blocks_by_hand(values, 16)
    with board(soc=A2, on_undefined="raise"):
        assert formats(meta((64, 128), ACL_INT32), NZ, ACL_FLOAT16)[1] == list(blocks.shape) == [8, 4, 16, 16]
        nz, back = malloc(blocks.nbytes), malloc(values.nbytes)
        weight = tensor(nz, blocks.shape, ACL_INT32, format=NZ, storage=blocks.shape)
        launch("aclnnNpuFormatCast", tensor(filled(values), (64, 128), ACL_INT32), weight)
        assert np.array_equal(fetched(nz, blocks.shape, np.int32), blocks)
        launch("aclnnNpuFormatCast", weight, tensor(back, (64, 128), ACL_INT32))
        assert np.array_equal(fetched(back, (64, 128), np.int32), values)


def test_a_null_result_of_a_format_is_refused() -> None:
    with Machine(soc=A2):
        status = aclnnNpuFormatCastCalculateSizeAndFormat(meta([16, 16]), NZ, -1, None, None, None)
        assert status == ACLNN_ERR_PARAM_NULLPTR
        assert "dstShape" in text()


# aclnnNpuFormatCast


def cast(source: Any, target: Any) -> Planned:
    return plan(aclnnNpuFormatCastGetWorkspaceSize, source, target)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.int8, np.uint8, np.float32, np.int32, np.uint32])
@pytest.mark.parametrize("shape", SHAPES[:-1], ids=seed_of)
def test_a_cast_to_fractal_nz_and_back(shape: tuple[int, ...], dtype: Any) -> None:
    values = matrix(shape, dtype)
    blocks, kind = blocks_by_hand(values), data_type_of(np.dtype(dtype))
    with board(on_undefined="raise"):
        nz, back = malloc(blocks.nbytes), malloc(values.nbytes)
        weight = tensor(nz, blocks.shape, kind, format=NZ)
        launch("aclnnNpuFormatCast", tensor(filled(values), shape, kind), weight)
        assert fetched(nz, blocks.shape, dtype).tobytes() == blocks.tobytes()
        launch("aclnnNpuFormatCast", weight, tensor(back, shape, kind))
        assert fetched(back, shape, dtype).tobytes() == values.tobytes()


CHANNEL_BLOCKS = [
    ("NCHW", ACL_FORMAT_NC1HWC0), ("NHWC", ACL_FORMAT_NC1HWC0), ("NCHW", ACL_FORMAT_FRACTAL_Z),
    ("HWCN", ACL_FORMAT_FRACTAL_Z), ("NCDHW", ACL_FORMAT_NDC1HWC0), ("NDHWC", ACL_FORMAT_NDC1HWC0),
    ("NCDHW", ACL_FRACTAL_Z_3D),
]  # fmt: skip


def channel_blocks_by_hand(x: np.ndarray, order: str, form: int) -> np.ndarray:
    """The blocks of channels, element by element: c0 channels of a place lie together."""
    c0, size = 32 // x.itemsize, {"D": 1, **dict(zip(order, x.shape, strict=True))}
    n, c1, d, h, w = size["N"], -(-size["C"] // c0), size["D"], size["H"], size["W"]
    weights = form in (ACL_FORMAT_FRACTAL_Z, ACL_FRACTAL_Z_3D)
    found = np.zeros((d, c1, h, w, -(-n // 16) * 16, c0) if weights else (n, d, c1, h, w, c0), x.dtype)
    for index in np.ndindex(*x.shape):
        at = {"D": 0, **dict(zip(order, index, strict=True))}
        place = at["C"] // c0, at["H"], at["W"]
        whole = (at["D"], *place, at["N"]) if weights else (at["N"], at["D"], *place)
        found[(*whole, at["C"] % c0)] = x[index]
    return found


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.int8, np.float32])
@pytest.mark.parametrize(("order", "form"), CHANNEL_BLOCKS)
def test_a_cast_to_blocks_of_channels_and_back(order: str, form: int, dtype: Any) -> None:
    """The shapes of the table of formats: "(N, C1, H, W, c0)", "(C1*H*W, N1, 16, c0)" and those with D (public)."""
    shape = [{"N": 3, "C": 37, "D": 2, "H": 3, "W": 2}[name] for name in order]
    values, base = matrix(shape, dtype), globals()[f"ACL_FORMAT_{order}"]
    blocks, kind = channel_blocks_by_hand(values, order, form), data_type_of(np.dtype(dtype))
    stored = {ACL_FORMAT_NC1HWC0: (3, *blocks.shape[2:]), ACL_FORMAT_NDC1HWC0: blocks.shape}
    storage = stored.get(form, (blocks.size // (16 * blocks.shape[-1]), 1, 16, blocks.shape[-1]))
    with board(soc=A2, on_undefined="raise"):
        laid, back = malloc(blocks.nbytes), malloc(values.nbytes)
        target = tensor(laid, storage, kind, format=form)
        launch("aclnnNpuFormatCast", tensor(filled(values), shape, kind, format=base), target)
        assert fetched(laid, blocks.shape, dtype).tobytes() == blocks.tobytes()
        launch("aclnnNpuFormatCast", target, tensor(back, shape, kind, format=base))
        assert fetched(back, shape, dtype).tobytes() == values.tobytes()


@pytest.mark.fidelity("memory in blocks of channels")
def test_memory_in_blocks_of_channels_is_read_as_it_lies() -> None:
    values = matrix((1, 16, 1, 2), np.float16)
    with board(soc=A2, on_undefined="raise"):
        laid, back = malloc(64), malloc(64)
        target = tensor(laid, (1, 1, 1, 2, 16), ACL_FLOAT16, format=ACL_FORMAT_NC1HWC0)
        launch("aclnnNpuFormatCast", tensor(filled(values), (1, 16, 1, 2), ACL_FLOAT16, format=ACL_FORMAT_NCHW), target)
        launch("aclnnInplaceCopy", tensor(back, (32,), ACL_FLOAT16), tensor(laid, (32,), ACL_FLOAT16))
        assert (fetched(back, (2, 16), np.float16) == values.reshape(16, 2).T).all()


def test_the_first_phase_gives_the_target_the_view_of_the_source() -> None:
    with board():
        target = meta([3, 2, 16, 16], ACL_FLOAT16, format=NZ)
        assert cast(meta([17, 33], ACL_FLOAT16), target).status == ACLNN_SUCCESS
        assert dims(aclGetViewShape, target) == [17, 33]
        assert dims(aclGetStorageShape, target) == [3, 2, 16, 16]
        found = c_int32()
        ok(aclGetFormat(target, byref(found)))
        assert found.value == ND


@pytest.mark.parametrize(
    ("source", "target", "status", "named"),
    [
        (None, None, ACLNN_ERR_INNER_NULLPTR, "srcTensor"),
        (meta, None, ACLNN_ERR_INNER_NULLPTR, "dstTensor"),
        (([17, 33], ACL_DOUBLE), ([3, 2, 16, 16], ACL_DOUBLE, NZ), ACLNN_ERR_PARAM_INVALID, "srcTensor"),
        (([17, 33], ACL_INT8), ([3, 2, 16, 16], ACL_FLOAT16, NZ), ACLNN_ERR_PARAM_INVALID, "DT_INT8"),
        (([17, 33], ACL_FLOAT16), ([17, 33], ACL_FLOAT16, ND), ACLNN_ERR_PARAM_INVALID, "ND to ND"),
        (([17, 33], ACL_FLOAT16), ([2, 3, 16, 16], ACL_FLOAT16, NZ), ACLNN_ERR_PARAM_INVALID, "[3, 2, 16, 16]"),
        (([16], ACL_FLOAT16), ([1, 1, 16, 16], ACL_FLOAT16, NZ), ACLNN_ERR_PARAM_INVALID, "srcTensor with 1 dim"),
        (([2, 20, 3, 4], ACL_FLOAT16, ACL_FORMAT_NCHW), ([2, 1, 3, 4, 16], ACL_FLOAT16, ACL_FORMAT_NC1HWC0),
         ACLNN_ERR_PARAM_INVALID, "[2, 2, 3, 4, 16]"),
    ],
)  # fmt: skip
def test_refusals_of_a_cast(source: Any, target: Any, status: int, named: str) -> None:
    def made(given: Any) -> Any:
        if given is None or given is meta:
            return given and meta([16, 16], ACL_FLOAT16)
        shape, dtype, *form = given
        return meta(shape, dtype, format=form[0] if form else ND)

    with board(soc=A2):
        planned = cast(made(source), made(target))
        assert planned.status == status, planned.text
        assert named in planned.text


@pytest.mark.fidelity("aclnnNpuFormatCast of formats without a cast")
def test_formats_without_a_cast_are_refused() -> None:
    with board(soc=A2):
        planned = cast(meta([16, 16], ACL_FLOAT16), meta([16, 16], ACL_FLOAT16))
        assert planned.status == ACLNN_ERR_PARAM_INVALID
        assert "found: ND to ND" in planned.text


@pytest.mark.parametrize("which", ["srcTensor", "dstTensor"])
def test_a_cast_takes_contiguous_tensors(which: str) -> None:
    with board(soc=A2):
        source = meta([16, 16], ACL_FLOAT16, strides=(1, 16) if which == "srcTensor" else None)
        strides = (256, 256, 1, 16) if which == "dstTensor" else None
        planned = cast(source, meta([1, 1, 16, 16], ACL_FLOAT16, strides=strides, format=NZ))
        assert planned.status == ACLNN_ERR_PARAM_INVALID
        assert f"parameter: {which}, found: strides" in planned.text


# functions without a second phase


def test_a_dead_handle_is_found_in_a_function_without_a_second_phase() -> None:
    with Machine(on_undefined="report") as machine:
        shape = aclCreateIntArray([16, 16], 2)
        ok(aclDestroyIntArray(shape))
        status = aclnnCalculateMatmulWeightSize(shape, byref(c_uint64()))
        assert status == ACLNN_ERR_RUNTIME_ERROR
        assert [finding.id for finding in machine.findings] == ["dead-handle"]
        assert "argument tensorShape of aclnnCalculateMatmulWeightSize is no live int array" in machine.findings[0].what


def test_a_function_without_a_second_phase_has_one_name() -> None:
    import aclnn

    assert "aclnnCalculateMatmulWeightSize" in aclnn.__all__
    assert "aclnnCalculateMatmulWeightSizeGetWorkspaceSize" not in aclnn.__all__
    assert not hasattr(aclnnCalculateMatmulWeightSize, "phases")

"""Figures of aclnnEmbeddingDenseBackward: rows of grad summed up by index.

The operator's contract: "4. Mathematics", "6. Empty tensors", "8. Precision"; constraints of the document for the
training series ("约束与限制")."""

from __future__ import annotations

from ctypes import byref
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn import *
from tests.aclnn.ops.case import A2, A3, TRAINING, board
from tests.helpers.builders import malloc, meta, on_device, plan, run

PAIR = aclnnEmbeddingDenseBackwardGetWorkspaceSize, aclnnEmbeddingDenseBackward
NONE = 2**64 - 1  # (uint64_t)-1: "negative as int64: no effect"
G = np.arange(1, 13, dtype=np.float32).reshape(6, 2)
K = (1, 3, 1, 0, 1, 2)


def embedding(
    grad: Any, indices: Any, rows: int, *, padding: int = NONE, scale: bool = False, out: Any = None
) -> np.ndarray:
    """The operator on dense tensors; `indices` are INT64 unless they are an array of another type."""
    grad = np.asarray(grad)
    indices = indices if isinstance(indices, np.ndarray) else np.array(indices, np.int64)
    target = on_device(np.full((rows, grad.shape[-1]), 7, out or grad.dtype))
    run(*PAIR, on_device(grad), on_device(indices), rows, padding, scale, target)
    return target.read()


def f32(values: object) -> np.ndarray:
    return np.array(values, np.float32)


every_product = pytest.mark.parametrize("soc", [A2, A3, TRAINING])


# figures


@every_product
def test_the_sample_of_the_document_is_reproduced(soc: str) -> None:
    """paddingIdx 0: that row stays 0, as do rows that no index names."""
    with board(soc):
        out = embedding(f32([[1, 2, 3], [4, 5, 6]]), (1, 2), 4, padding=0)
    np.testing.assert_array_equal(out, [[0, 0, 0], [1, 2, 3], [4, 5, 6], [0, 0, 0]])


SUMS = [[7, 8], [15, 18], [11, 12], [3, 4], [0, 0]]
MEANS = [[7, 8], [5, 6], [11, 12], [3, 4], [0, 0]]
PADDED = [[7, 8], [0, 0], [11, 12], [3, 4], [0, 0]]


@every_product
@pytest.mark.parametrize(
    ("padding", "scale", "expected"),
    [
        (NONE, False, SUMS), (7, False, SUMS), (NONE, True, MEANS), (7, True, MEANS), (1, False, PADDED),
        (1, True, PADDED),
    ],
)  # fmt: skip
def test_the_second_example_is_reproduced(soc: str, padding: int, scale: bool, expected: list[list[float]]) -> None:
    with board(soc):
        np.testing.assert_array_equal(embedding(G, K, 5, padding=padding, scale=scale), expected)


@pytest.mark.fidelity("aclnnEmbeddingDenseBackward, a negative paddingIdx")
@pytest.mark.parametrize(
    "padding", [5, 392092, 2**31, 2**32, 2**32 + 1, 2**63 - 1, 2**63, 2**64 - 1819776, NONE, -1, -1819776]
)
def test_a_padding_index_outside_of_the_rows_has_no_effect(machine: Machine, padding: int) -> None:
    """ ">= numWeights: no effect, no error; >= 2^63 (callers pass -1): negative as int64: no effect, no error"."""
    np.testing.assert_array_equal(embedding(G, K, 5, padding=padding), SUMS)


@pytest.mark.parametrize("padding", range(5))
def test_padding_row_is_zero(machine: Machine, padding: int) -> None:
    expected = np.array(SUMS)
    expected[padding] = 0
    np.testing.assert_array_equal(embedding(G, K, 5, padding=padding), expected)


def test_if_all_indices_are_padding_the_result_is_zero(machine: Machine) -> None:
    np.testing.assert_array_equal(embedding(G, [2] * 6, 3, padding=2, scale=True), np.zeros((3, 2)))


@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_nan_and_inf_stay_in_their_row_and_column(machine: Machine, value: float, scale: bool) -> None:
    """And a padded row is 0 whatever its gradient: "contributions to row p are dropped"."""
    grad = G.copy()
    grad[0, 1] = value
    found = embedding(grad, K, 5, scale=scale)
    assert not np.isfinite(found[1, 1])
    found[1, 1] = (MEANS if scale else SUMS)[1][1]
    np.testing.assert_array_equal(found, MEANS if scale else SUMS)
    np.testing.assert_array_equal(embedding(grad, K, 5, scale=scale, padding=1), PADDED)


@pytest.mark.fidelity("aclnnEmbeddingDenseBackward, rows are added to out")
def test_out_is_overwritten(machine: Machine) -> None:
    """ "out is overwritten, never accumulated into"."""
    out = on_device(np.full((5, 2), 1000, np.float32))
    for _ in range(2):
        run(*PAIR, on_device(G), on_device(np.array(K)), 5, NONE, False, out)
        np.testing.assert_array_equal(out.read(), SUMS)


@pytest.mark.parametrize("shape", [(6,), (2, 3), (6, 1), (1, 6), (1, 1, 1, 1, 1, 1, 2, 3)], ids=str)
@pytest.mark.parametrize("lead", [(6,), (3, 2), (1, 2, 1, 3, 1, 1, 1)], ids=str)
def test_only_the_counts_of_indices_and_rows_matter(
    machine: Machine, shape: tuple[int, ...], lead: tuple[int, ...]
) -> None:
    """ "Only the element count matters, not the shape"."""
    found = embedding(G.reshape(*lead, 2), np.array(K).reshape(shape), 5)
    np.testing.assert_array_equal(found, SUMS)


def test_long_rows_and_many_indices(machine: Machine) -> None:
    """Rows of more than 512 columns, where the library sorts the indices first."""
    rng = np.random.default_rng(5)
    grad, indices = rng.integers(-9, 9, (40, 600)).astype(np.float32), rng.integers(0, 7, 40)
    expected = np.zeros((7, 600))
    np.add.at(expected, indices, grad)
    np.testing.assert_array_equal(embedding(grad, indices, 7), expected)


# small dimensions, and the deterministic option

SMALL, SORTED = 0, 2 * 512  # "Sort of the flattened indices, giving values and INT32 positions": a slot for each
PATHS = {  # (chip, D, numWeights, M, workspace while the option is off, and while it is on)
    "D of 512": (A2, 512, 4, 40, SMALL, SORTED),
    "D of 513": (A2, 513, 4, 40, SORTED, SORTED),
    "D of 1": (A2, 1, 4, 40, SMALL, SORTED),
    "2^24 rows": (A2, 1, 1 << 24, 40, SMALL, SORTED),
    "more rows": (A2, 1, (1 << 24) + 1, 40, SORTED, SORTED),
    "A3": (A3, 512, 4, 40, SMALL, SORTED),
    "one index": (A2, 513, 4, 1, SMALL, SMALL),
    "training series": (TRAINING, 513, 4, 40, SMALL, SMALL),
}


def path(columns: int = 512, rows: int = 4, count: int = 40) -> int:
    """The workspace of FLOAT and INT32, which no cast needs."""
    tensors = meta((count, columns)), meta((count,), ACL_INT32), rows, NONE, False, meta((rows, columns))
    planned = plan(PAIR[0], *tensors)
    assert planned.status == ACL_SUCCESS, planned.text
    return planned.workspace_size


@pytest.mark.fidelity("aclnnEmbeddingDenseBackward, where ACL_OPT_DETERMINISTIC is set")
@pytest.mark.parametrize(("soc", "columns", "rows", "count", "off", "on"), PATHS.values(), ids=PATHS)
def test_the_deterministic_option_and_large_tables_sort(
    soc: str, columns: int, rows: int, count: int, off: int, on: int
) -> None:
    """ "Small mode (not deterministic, D <= 512, numWeights <= 2^24): nothing. Otherwise Sort [...] skipped when
    M == 1", on A2 and A3."""
    with board(soc):
        for level in (0, 1, 2, 3, 0):
            assert aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, level) == ACL_SUCCESS
            assert path(columns, rows, count) == (on if level else off), level


@pytest.mark.fidelity("aclnnEmbeddingDenseBackward, where ACL_OPT_DETERMINISTIC is set")
def test_the_deterministic_option_of_the_context_counts_before_that_of_the_process(machine: Machine) -> None:
    """Both count (docs/fidelity.md): the context's where it was set, else the process's."""
    assert path() == SMALL
    assert aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1) == ACL_SUCCESS
    assert path() == SORTED
    other = aclrtContext()
    assert aclrtCreateContext(byref(other), 0) == ACL_SUCCESS
    assert path() == SMALL
    assert aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1) == ACL_SUCCESS
    assert path() == SORTED
    assert aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 0) == ACL_SUCCESS
    assert path() == SMALL


def test_a_repeated_call_follows_the_option(machine: Machine) -> None:
    """Calls on the same handles share a plan, but only under the same option."""
    tensors = meta((40, 512)), meta((40,), ACL_INT32), 4, NONE, False, meta((4, 512))
    sizes: list[int] = []
    for level in (0, 0, 1, 1, 0, 2):
        assert aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, level) == ACL_SUCCESS
        sizes.append(plan(PAIR[0], *tensors).workspace_size)
    assert sizes == [SMALL, SMALL, SORTED, SORTED, SMALL, SORTED]


@pytest.mark.fidelity("non-deterministic results")
@pytest.mark.parametrize("fast", [True, False])
def test_the_sorted_path_gives_the_same_bits(fast: bool) -> None:
    """D = 512 exactly, where only the option decides."""
    rng = np.random.default_rng(6)
    grad, indices = rng.standard_normal((300, 512)).astype(np.float32), rng.integers(0, 7, 300)
    with board(fast=fast):
        off = embedding(grad, indices, 7)
        assert aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1) == ACL_SUCCESS
        on = embedding(grad, indices, 7)
    assert off.tobytes() == on.tobytes()
    expected = np.zeros((7, 512))
    np.add.at(expected, indices, grad.astype(np.float64))
    np.testing.assert_allclose(on, expected, rtol=1e-5, atol=1e-4)


# indices

INTEGERS = [np.int32, np.int64, np.int16, np.int8, np.uint8]
FLOATS = [np.float32, np.float16, np.float64]


@every_product
@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS], ids=lambda dtype: np.dtype(dtype).name)
def test_indices_of_every_data_type(soc: str, dtype: type) -> None:
    with board(soc):
        np.testing.assert_array_equal(embedding(G, np.array(K, dtype), 5), SUMS)


@every_product
@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: np.dtype(dtype).name)
def test_float_indices_are_truncated_toward_zero(soc: str, dtype: type) -> None:
    """1.9 is 1; -0.9 is 0, and legal."""
    with board(soc):
        out = embedding(f32([[1], [2], [4], [8]]), np.array([1.9, -0.9, 0.5, 2], dtype), 3)
    np.testing.assert_array_equal(out, [[6], [1], [8]])


@every_product
def test_bool_indices_are_0_and_1(soc: str) -> None:
    with board(soc):
        out = embedding(f32([[1], [2], [4]]), np.array([True, False, True]), 2)
    np.testing.assert_array_equal(out, [[2], [5]])


def test_unsigned_bytes_reach_255(machine: Machine) -> None:
    out = embedding(f32([[1], [2]]), np.array([255, 200], np.uint8), 256)
    assert (out[255], out[200], out.sum()) == (1, 2, 3)


@every_product
@pytest.mark.parametrize(
    "indices",
    [
        np.array([1, -1]), np.array([1, 5]), np.array([1, 2**32], np.int64), np.array([1, -128], np.int8),
        np.array([1, np.nan], np.float32), np.array([1, -1.5], np.float16), np.array([1, 1e300]), np.array([1, np.inf]),
    ],
    ids=lambda indices: f"{indices.dtype}-{indices[1]}",
)  # fmt: skip
def test_an_index_out_of_range_is_index_range(soc: str, indices: np.ndarray) -> None:
    """Finding index-range: "position, value, legal range". 2^32 is not index 0."""
    with board(soc), pytest.raises(UndefinedBehaviour) as caught:
        embedding(f32([[1], [2]]), indices, 5)
    assert caught.value.finding.id == "index-range"
    assert f"indices[1] is {indices[1]}, legal values are 0 to 4" in caught.value.finding.message


def test_position_of_a_bad_index_has_the_shape_of_indices(machine: Machine) -> None:
    with pytest.raises(UndefinedBehaviour, match=r"indices\[1, 2\] is 9\b"):
        embedding(np.ones((2, 3, 4), np.float32), np.array([[0, 1, 2], [3, 4, 9]]), 5)


@pytest.mark.fidelity("a target or index out of range")
def test_a_bad_index_shows_when_the_task_runs(machine: Machine) -> None:
    """Phase 1 and phase 2 look at no value: "values live on the device"."""
    tensors = (
        on_device(f32([[1], [2]])),
        on_device(np.array([1, 9])),
        5,
        NONE,
        False,
        on_device(np.zeros((5, 1), np.float32)),
    )
    planned = plan(PAIR[0], *tensors)
    assert planned.status == ACL_SUCCESS
    assert PAIR[1](malloc(planned.workspace_size), planned.workspace_size, planned.executor, None) == ACL_SUCCESS
    with pytest.raises(UndefinedBehaviour, match="index-range"):
        aclrtSynchronizeStream(None)


@pytest.mark.fidelity("a target or index out of range")
@every_product
@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize("columns", [1, 600])
def test_index_out_of_range_in_a_machine_that_reports(soc: str, scale: bool, columns: int) -> None:
    """ "In report mode the element is dropped and the next synchronise returns 507035", on 910 507015; "with
    scaleGradByFreq ignored elements do not count"."""
    with board(soc, on_undefined="report") as machine:
        grad = np.repeat(f32([[2], [4], [8], [16], [32]]), columns, axis=1)
        out = on_device(np.full((3, columns), 7, np.float32))
        tensors = on_device(grad), on_device(np.array([0, 3, 0, -1, 2])), 3, NONE, scale, out
        planned = plan(PAIR[0], *tensors)
        workspace = malloc(max(planned.workspace_size, 1))
        assert PAIR[1](workspace, planned.workspace_size, planned.executor, None) == ACL_SUCCESS
        failed = ACL_ERROR_RT_AICORE_EXCEPTION if soc == TRAINING else ACL_ERROR_RT_VECTOR_CORE_EXCEPTION
        assert aclrtSynchronizeStream(None) == failed
        assert [finding.id for finding in machine.findings] == ["index-range"]
        assert aclrtSynchronizeStream(None) == ACL_SUCCESS
        np.testing.assert_array_equal(out.read()[:, 0], [5 if scale else 10, 0, 32])


# scaleGradByFreq


@pytest.mark.fidelity("aclnnEmbeddingDenseBackward with scaleGradByFreq")
@every_product
def test_scale_is_one_product_with_the_rounded_reciprocal(soc: str) -> None:
    """ "The sum times fl32(1/n), once, on every product": 10 * fl(1/3) is one bit above 10/3."""
    with board(soc):
        out = embedding(f32([[2], [3], [5], [1]]), (0, 0, 0, 1), 2, scale=True)
    assert out[0, 0] == np.float32(10) * (np.float32(1) / np.float32(3))
    assert out[0, 0] != np.float32(10 / 3)
    assert out[1, 0] == 1


@every_product
def test_16_bit_scaled_sum_is_rounded_once(soc: str) -> None:
    """The sum 2049 is no float16; scaled by 1/3 it is 683."""
    with board(soc):
        out = embedding(np.array([[2047], [1], [1]], np.float16), (0, 0, 0), 1, scale=True)
    np.testing.assert_array_equal(out, [[683]])


LIMITS = [  # (chip, data type of indices, numWeights, the most columns)
    (TRAINING, ACL_INT32, 20000, 4935), (TRAINING, ACL_INT64, 20000, 8759),
    (TRAINING, ACL_INT32, 1, 5005), (TRAINING, ACL_INT64, 1, 9009),
    (TRAINING, ACL_INT32, 3, 5004),  # 36 * 5005 = 180192 - 3 * 4: "<", not "<="
    (TRAINING, ACL_INT64, 4, 9007),  # 20 * 9008 = 180192 - 4 * 8
    (TRAINING, ACL_INT8, 1, 5005),  # "indices INT32 (or cast to it)"
    (TRAINING, aclDataType.ACL_DOUBLE, 1, 5005),
    (TRAINING, ACL_INT32, 31, 5001),  # countsSize = 31 / 32 + 31 % 32 = 31
    ("Ascend910ProB", ACL_INT32, 20000, 4929),  # 30 cores: 666 + 20
    ("Ascend910ProA", ACL_INT64, 20000, 8759),
]  # fmt: skip


@pytest.mark.fidelity("aclnnEmbeddingDenseBackward, limit of a scaled row on the training series")
@pytest.mark.parametrize(("soc", "dtype", "rows", "most"), LIMITS)
def test_limit_of_scaled_rows_on_the_training_series(soc: str, dtype: int, rows: int, most: int) -> None:
    """ "INT32: D < (180192 - countsSize * 4) / 36; INT64: D < (180192 - countsSize * 8) / 20; countsSize =
    numWeights / coreNum + numWeights % coreNum"."""

    def status(columns: int, scale: bool) -> int:
        tensors = meta((1, columns)), meta((1,), dtype), rows, NONE, scale, meta((rows, columns))
        return plan(PAIR[0], *tensors).status

    with board(soc):
        assert status(most, True) == ACL_SUCCESS
        assert status(most + 1, True) == ACLNN_ERR_INNER_NULLPTR
        assert status(most + 1, False) == ACL_SUCCESS


@pytest.mark.parametrize("soc", [A2, A3])
def test_other_products_have_no_limit_of_scaled_rows(soc: str) -> None:
    with board(soc):
        planned = plan(PAIR[0], meta((1, 100_000)), meta((1,), ACL_INT32), 1, NONE, True, meta((1, 100_000)))
    assert planned.status == ACL_SUCCESS


@pytest.mark.parametrize("soc", [A2, A3])
def test_soft_limits_are_no_error(soc: str) -> None:
    """ "M > 2147483647 or numWeights > 2147483647: accuracy not guaranteed": no status."""
    many = 2**31 + 5
    with board(soc):
        assert (
            plan(PAIR[0], meta((many, 1)), meta((many,), ACL_INT32), 1, NONE, False, meta((1, 1))).status == ACL_SUCCESS
        )
        assert (
            plan(PAIR[0], meta((1, 1)), meta((1,), ACL_INT32), many, NONE, False, meta((many, 1))).status == ACL_SUCCESS
        )


# precision and data types


@every_product
def test_16_bit_gradients_are_summed_in_float(soc: str) -> None:
    """ "Accumulation always in FP32, one final rounding": 2048 + 1 + 1 would stay 2048 in FLOAT16."""
    with board(soc):
        out = embedding(np.array([[2048], [1], [1]], np.float16), (0, 0, 0), 1)
    np.testing.assert_array_equal(out, [[2050]])


@pytest.mark.parametrize("soc", [A2, A3])
def test_bfloat16_sums_are_rounded_once(soc: str) -> None:
    with board(soc):
        out = embedding(np.array([[256], [1], [1]], bfloat16), (0, 0, 0), 1)
    np.testing.assert_array_equal(out, np.array([[258]], bfloat16))


@pytest.mark.fidelity("aclnnEmbeddingDenseBackward, data type of out")
@pytest.mark.parametrize("out", [np.float32, np.float16, bfloat16], ids=lambda dtype: np.dtype(dtype).name)
@pytest.mark.parametrize("grad", [np.float32, np.float16, bfloat16], ids=lambda dtype: np.dtype(dtype).name)
def test_out_of_another_data_type_is_converted_once_with_advice(machine: Machine, grad: Any, out: Any) -> None:
    """ "Any of the product's list; when it differs from grad's it is converted once at the end, with advice"."""
    found = embedding(np.array([[256], [3], [2048]], grad), (0, 0, 1), 2, out=out)
    assert found.dtype == out
    np.testing.assert_array_equal(found, np.array([[259], [2048]], np.float32).astype(out))
    advice = [(finding.id, finding.level) for finding in machine.findings]
    assert advice == ([] if grad is out else [("dtype-converted", "advice")])
    if advice:
        assert "aclnnEmbeddingDenseBackward" in machine.findings[0].message


# empty tensors


@every_product
@pytest.mark.parametrize("dtype", [np.float32, np.float16], ids=["FLOAT", "FLOAT16"])
@pytest.mark.parametrize("strided", [False, True])
def test_no_rows_fill_out_with_zeros(soc: str, dtype: Any, strided: bool) -> None:
    """ "M == 0: out is zero-filled on every product; workspace 0 for a contiguous out, else the zero tensor"."""
    with board(soc):
        layout: dict[str, Any] = {"strides": (5, 2), "offset": 1, "tail": 3} if strided else {}
        out = on_device(np.full((3, 2), 5, dtype), **layout)
        arguments = on_device(np.zeros((0, 2), dtype)), on_device(np.zeros(0, np.int64)), 3, NONE, False, out
        assert plan(PAIR[0], *arguments).workspace_size == (512 if strided else 0)
        run(*PAIR, *arguments)
        assert not out.read().any()
        assert np.count_nonzero(out.read_storage()) == out.storage.size - 6


@pytest.mark.fidelity("aclnnEmbeddingDenseBackward, grad without columns")
def test_no_columns_succeed_without_a_size_check(machine: Machine) -> None:
    """ "D == 0: success if out is [numWeights, 0]; grad/indices size match not required"."""
    arguments = meta((2, 0)), meta((5,), ACL_INT64), 4, NONE, False, meta((4, 0))
    planned = plan(PAIR[0], *arguments)
    assert (planned.status, planned.workspace_size) == (ACL_SUCCESS, 0)
    assert PAIR[1](None, 0, planned.executor, None) == aclrtSynchronizeStream(None) == ACL_SUCCESS
    refused = plan(PAIR[0], meta((2, 0)), meta((2,), ACL_INT64), 4, NONE, False, meta((4, 1)))
    assert refused.status == ACLNN_ERR_PARAM_INVALID


def test_no_rows_in_the_table(machine: Machine) -> None:
    """ "numWeights == 0 with non-empty grad: passes the checks; scale true: tiling fails, 561103"."""
    for scale, status in ((False, ACL_SUCCESS), (True, ACLNN_ERR_INNER_NULLPTR)):
        assert plan(PAIR[0], meta((2, 3)), meta((2,), ACL_INT64), 0, NONE, scale, meta((0, 3))).status == status


@pytest.mark.parametrize("rows", [3, -1, 2**32 + 4, 2**64 - 4])
def test_numweights_is_an_unsigned_64_bit_number(machine: Machine, rows: int) -> None:
    """Only 4 rows fit an out of 4 rows; nothing is cut to 32 bits."""
    planned = plan(PAIR[0], meta((2, 3)), meta((2,), ACL_INT64), rows, NONE, False, meta((4, 3)))
    assert planned.status == ACLNN_ERR_PARAM_INVALID
    assert f"[{rows % 2**64}, 3]" in planned.text

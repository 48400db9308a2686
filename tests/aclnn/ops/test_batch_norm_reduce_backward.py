"""Figures of aclnnBatchNormReduceBackward: sums over every dimension but 1.

The operator's contract: "3. Parameters", "4. Mathematics", "6. Empty and scalar tensors", "8. Precision"."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from tests.aclnn.ops.case import TRAINING, Meta, board
from tests.helpers.builders import malloc, meta, on_device, plan, run

PAIR = aclnnBatchNormReduceBackwardGetWorkspaceSize, aclnnBatchNormReduceBackward
OUTPUTS = ("sumDy", "sumDyXmu", "gradWeight", "gradBias")
DY = np.array([1, 1, 1, 2, 2, 2, 3, 3], np.float32).reshape(4, 2)
X = np.arange(8, dtype=np.float32).reshape(4, 2)


def batch_norm(
    dy: Any, x: Any, mean: Any, invstd: Any, weight: Any = None, *, masks: tuple[bool, bool, bool] = (True, True, True),
    out: Any = np.float32, format: int = ACL_FORMAT_ND,
) -> list[np.ndarray]:  # fmt: skip
    """The four outputs, which hold 7 where nothing was written."""
    given = [on_device(np.asarray(each), format=format) for each in (dy, x)]
    given += [on_device(np.asarray(each)) for each in (mean, invstd)]
    outputs = [on_device(np.full(np.shape(x)[1], 7, out)) for _ in OUTPUTS]
    run(*PAIR, *given, None if weight is None else on_device(weight), *masks, *outputs)
    return [each.read() for each in outputs]


def f32(values: object) -> np.ndarray:
    return np.array(values, np.float32)


# figures


@pytest.mark.fidelity("aclnnBatchNormReduceBackward, sumDy and sumDyXmu")
def test_the_sample_of_the_document_is_reproduced(machine: Machine) -> None:
    """Sums, not averages: averaging "would print 1.75/2.00 and 5.25/7.50"."""
    ones = np.ones(2, np.float32)
    found = batch_norm(DY, X, ones, ones, ones)
    np.testing.assert_array_equal(found, [[7, 8], [21, 30], [21, 30], [7, 8]])


def test_the_second_example_is_reproduced(machine: Machine) -> None:
    ones = np.ones((2, 3, 1, 4), np.float32)
    found = batch_norm(ones, ones, f32([-2, 2, 1]), f32([0.125, 0.1, 0.3]))
    np.testing.assert_allclose(found, [[8, 8, 8], [24, -8, 0], [3, -0.8, 0], [8, 8, 8]], rtol=1e-7)


@pytest.mark.parametrize("rank", range(2, 9))
@pytest.mark.parametrize("format", [ACL_FORMAT_ND, ACL_FORMAT_NHWC, ACL_FORMAT_NDHWC], ids=["ND", "NHWC", "NDHWC"])
def test_channel_is_axis_1_whatever_rank_and_format(machine: Machine, rank: int, format: int) -> None:
    """ "C = input.shape[1], always axis 1, whatever the format says"."""
    shape = (3, 2, 2, 1, 2, 1, 2, 2)[:rank]
    dy = np.arange(np.prod(shape), dtype=np.float32).reshape(shape) - 5
    x = dy[::-1].copy() + 1
    mean, invstd = f32([1, -2]), f32([0.5, 4])
    axes = tuple(axis for axis in range(rank) if axis != 1)
    centred = x - mean.reshape(-1, *[1] * (rank - 2))
    sums, products = dy.sum(axes), (dy * centred).sum(axes)  # whole numbers, exact in FLOAT
    found = batch_norm(dy, x, mean, invstd, format=format)
    np.testing.assert_array_equal(found, [sums, products, products * invstd, sums])


@pytest.mark.fidelity("aclnnBatchNormReduceBackward's arithmetic")
def test_large_mean_does_not_cancel(machine: Machine) -> None:
    """The centred form: closer to the formula than "the expanded form with sequential FP32 sums: 0.400146484375"."""
    x, dy = f32([10000.25, 10001.5, 9999.75, 10000.5]), f32([0.1, 0.2, -0.3, 0.4])
    found = batch_norm(dy.reshape(4, 1), x.reshape(4, 1), f32([10000.5]), f32([1]))
    exact = (dy.astype(np.float64) * (x.astype(np.float64) - 10000.5)).sum()
    np.testing.assert_allclose(found[1], exact, rtol=2e-7)


# masks

MASKS = [(bool(i & 4), bool(i & 2), bool(i & 1)) for i in range(8)]


@pytest.mark.parametrize("masks", MASKS, ids=str)
def test_only_wanted_outputs_are_written(machine: Machine, masks: tuple[bool, bool, bool]) -> None:
    """inputG: sumDy and sumDyXmu; weightG: gradWeight; biasG: gradBias. All false is success too."""
    ones = np.ones(2, np.float32)
    found = batch_norm(DY, X, ones, ones, masks=masks)
    input_g, weight_g, bias_g = masks
    expected = [[7, 8], [21, 30], [21, 30], [7, 8]]
    for values, figures, wanted in zip(found, expected, (input_g, input_g, weight_g, bias_g), strict=True):
        np.testing.assert_array_equal(values, figures if wanted else [7, 7])
    assert machine.findings == []


@pytest.mark.parametrize("masks", MASKS, ids=str)
def test_unwanted_outputs_may_be_null(machine: Machine, masks: tuple[bool, bool, bool]) -> None:
    ones = [on_device(np.ones(2, np.float32)) for _ in range(2)]
    input_g, weight_g, bias_g = masks
    outputs = [
        on_device(np.zeros(2, np.float32)) if wanted else None for wanted in (input_g, input_g, weight_g, bias_g)
    ]
    run(*PAIR, on_device(DY), on_device(X), *ones, None, *masks, *outputs)
    found = [each.read().tolist() for each in outputs if each is not None]
    assert found == [[7, 8]] * input_g + [[21, 30]] * (input_g + weight_g) + [[7, 8]] * bias_g


def test_memory_of_an_unwanted_output_is_not_looked_at(machine: Machine) -> None:
    """ "Neither inspected nor written": not even its address."""
    ones = [on_device(np.ones(2, np.float32)) for _ in range(2)]
    grad_bias = on_device(np.zeros(2, np.float32))
    run(
        *PAIR,
        on_device(DY),
        on_device(X),
        *ones,
        None,
        False,
        False,
        True,
        meta((2,)),
        meta((2,)),
        meta((2,)),
        grad_bias,
    )
    np.testing.assert_array_equal(grad_bias.read(), [7, 8])


# weight influences nothing


@pytest.mark.fidelity("aclnnBatchNormReduceBackward, data type of weight")
@pytest.mark.parametrize(
    "weight",
    [
        None, np.ones(2, np.float32), f32([np.nan, -1e30]), np.ones(2, np.float16), np.ones(2, bfloat16),
        np.ones(2, np.float64), np.ones(2, np.int64), np.ones(2, np.complex64), np.ones(5, np.float32),
        np.zeros(0, np.float32), f32(3), np.ones((2, 2), bool),
    ],
    ids=lambda weight: "null" if weight is None else f"{weight.dtype}-{weight.shape}",
)  # fmt: skip
def test_weight_never_influences_a_result(machine: Machine, weight: np.ndarray | None) -> None:
    """ "`weight` never influences a result"; "weight dtype/shape/format: not checked"."""
    ones = np.ones(2, np.float32)
    found = batch_norm(DY, X, ones, ones, weight)
    np.testing.assert_array_equal(found, [[7, 8], [21, 30], [21, 30], [7, 8]])


@pytest.mark.fidelity("aclnnBatchNormReduceBackward, data type of weight")
@pytest.mark.parametrize("dtype", aclDataType, ids=lambda dtype: dtype.name)
def test_weight_of_any_data_type_works_or_is_refused_by_the_first_phase(machine: Machine, dtype: int) -> None:
    """Its cast is the only thing that may fail ("unsupported pair": 561103); a second phase has no such status."""
    ones = [on_device(np.ones(2, np.float32)) for _ in range(2)]
    weight = meta((2,), dtype)
    address = malloc(256)
    assert aclSetRawTensorAddr(weight, address) == aclrtMemset(address, 256, 0, 256) == ACL_SUCCESS
    outputs = [on_device(np.zeros(2, np.float32)) for _ in OUTPUTS]
    arguments = [on_device(DY), on_device(X), *ones, weight, True, True, True, *outputs]
    planned = plan(PAIR[0], *arguments)
    assert planned.status in (ACL_SUCCESS, ACLNN_ERR_INNER_NULLPTR)
    if planned.status == ACL_SUCCESS:
        run(*PAIR, *arguments)
        np.testing.assert_array_equal(outputs[1].read(), [21, 30])


# data types


def test_half_input_with_float_statistics(machine: Machine) -> None:
    """ "Mixed dtypes are legal [...] half input with float statistics yields float outputs"."""
    found = batch_norm(DY.astype(np.float16), X.astype(np.float16), f32([1.1, 0.9]), f32([1, 1]))
    products = (DY.astype(np.float64) * (X - f32([1.1, 0.9]).astype(np.float64))).sum(0)
    np.testing.assert_allclose(found[1], products, rtol=3e-7)


@pytest.mark.parametrize("out", [np.float16, bfloat16], ids=lambda dtype: np.dtype(dtype).name)
@pytest.mark.parametrize("given", [np.float32, np.float16, bfloat16], ids=lambda dtype: np.dtype(dtype).name)
def test_outputs_need_not_have_the_data_type_of_the_inputs(machine: Machine, given: Any, out: Any) -> None:
    statistics = np.ones(2, np.float32)
    found = batch_norm(DY.astype(given), X.astype(given), statistics, statistics.astype(given), out=out)
    assert found[0].dtype == out
    np.testing.assert_array_equal(np.array(found, np.float32), [[7, 8], [21, 30], [21, 30], [7, 8]])


def test_gradweight_comes_from_the_unrounded_sum(machine: Machine) -> None:
    """ "gradWeight uses the unrounded-to-output FP32 q": 2049 * 3 = 6147 is 6148 in FLOAT16, 2048 * 3 would be 6144."""
    found = batch_norm(f32([[1], [1]]), f32([[2048], [1]]), f32([0]), f32([3]), out=np.float16)
    assert found[1] == 2048
    assert found[2] == 6148


def test_intermediates_are_not_rounded_to_16_bits(machine: Machine) -> None:
    """ "FP16/BF16 are widened to FP32 before the product": 300 * 300 would overflow FLOAT16, and 2049 is none."""
    half = np.float16
    dy, x = np.array([[300], [2048]], half), np.array([[300], [1]], half)
    found = batch_norm(dy, x, np.zeros(1, half), np.ones(1, half))
    np.testing.assert_array_equal(found, [[2348], [92048], [92048], [2348]])


def test_float16_outputs_round_half_to_even_once(machine: Machine) -> None:
    dy = f32([[2048, 2048, 1], [1, 3, 2**-25]])
    found = batch_norm(dy, np.zeros_like(dy), f32([0, 0, 0]), f32([1, 1, 1]), out=np.float16)
    np.testing.assert_array_equal(found[0], [2048, 2052, 1])


# special inputs


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("where", ["gradOut", "input", "mean", "invstd"])
def test_nan_and_inf_stay_in_their_channel(machine: Machine, where: str, value: float) -> None:
    """ "NaN/Inf propagate per IEEE"."""
    given = {"gradOut": DY.copy(), "input": X.copy(), "mean": np.ones(2, np.float32), "invstd": np.ones(2, np.float32)}
    given[where][..., 0].flat[0] = value
    sums, products, scales, biases = batch_norm(*given.values())
    for values, figure in ((sums, 8), (products, 30), (scales, 30), (biases, 8)):
        assert values[1] == figure
    assert np.isfinite(sums[0]) == np.isfinite(biases[0]) == (where != "gradOut")
    assert np.isfinite(products[0]) == (where == "invstd")
    assert not np.isfinite(scales[0])


EMPTY = {
    "batch": (f32([]).reshape(0, 2), f32([]).reshape(0, 2), np.ones(2), np.ones(2)),
    "inner-axis": (np.zeros((3, 2, 0)), np.zeros((3, 2, 0)), np.ones(2), np.ones(2)),
    "gradOut-only": (np.zeros((0, 2)), X, np.ones(2), np.ones(2)),
    "mean": (DY, X, np.zeros(0), np.ones(2)),
    "invstd": (DY, X, np.ones(2), np.zeros((2, 0))),
}


@pytest.mark.parametrize("given", EMPTY.values(), ids=EMPTY)
def test_empty_leaves_the_outputs_untouched(machine: Machine, given: tuple[np.ndarray, ...]) -> None:
    """ "gradOut or input empty with C > 0, or mean/invstd empty: success, workspace 0, outputs untouched"."""
    arguments = [each.astype(np.float32) for each in given]
    np.testing.assert_array_equal(batch_norm(*arguments), np.full((4, 2), 7))
    tensors = [meta(each.shape) for each in arguments]
    assert plan(PAIR[0], *tensors, None, True, True, True, *[meta((2,)) for _ in OUTPUTS]).workspace_size == 0


def test_statistics_of_rank_0_work_for_one_channel(machine: Machine) -> None:
    """ "mean/invstd rank 0: accepted by the checks; works only for C == 1"."""
    found = batch_norm(DY.reshape(8, 1), X.reshape(8, 1), f32(1), f32(2))
    np.testing.assert_array_equal(found, [[15], [51], [102], [15]])
    planned = plan(PAIR[0], meta((4, 2)), meta((4, 2)), meta(()), meta(()), None, True, True, True,
                   *[meta((2,)) for _ in OUTPUTS])  # fmt: skip
    assert planned.status == ACLNN_ERR_INNER_NULLPTR


@pytest.mark.parametrize("wanted", [True, False])
def test_gradweight_needs_invstd_of_its_shape(machine: Machine, wanted: bool) -> None:
    """ "With weightG true an invstd of another shape fails at ViewCopy: 561103 (one-element shapes interchange
    freely)"."""

    def status(channels: int, shape: tuple[int, ...]) -> int:
        tensors = [Meta((4, channels)), Meta((4, channels)), Meta((channels,)), Meta(shape)]
        outputs = [Meta((channels,)).make() for _ in OUTPUTS]
        return plan(PAIR[0], *[each.make() for each in tensors], None, True, wanted, True, *outputs).status

    assert status(2, (2, 1)) == (ACLNN_ERR_INNER_NULLPTR if wanted else ACL_SUCCESS)
    assert status(1, (1, 1)) == status(1, ()) == ACL_SUCCESS


def test_outputs_may_be_one_tensor(machine: Machine) -> None:
    """sumDy and gradBias are equal; sharing their memory harms nobody."""
    ones = [on_device(np.ones(2, np.float32)) for _ in range(2)]
    sums, products, scales = (on_device(np.zeros(2, np.float32)) for _ in range(3))
    run(*PAIR, on_device(DY), on_device(X), *ones, None, True, True, True, sums, products, scales, sums)
    np.testing.assert_array_equal([sums.read(), products.read(), scales.read()], [[7, 8], [21, 30], [21, 30]])


def test_bfloat16_statistics_are_refused_on_the_training_series() -> None:
    with board(TRAINING):
        for name in range(4):
            tensors = [Meta(shape) for shape in ((4, 2), (4, 2), (2,), (2,))]
            tensors[name] = Meta(tensors[name].shape, aclDataType.ACL_BF16)
            made = [each.make() for each in tensors]
            planned = plan(PAIR[0], *made, None, True, True, True, *[meta((2,)) for _ in OUTPUTS])
            assert planned.status == ACLNN_ERR_PARAM_INVALID

"""Figures of aclnnSoftmaxBackward: out = output * (gradOutput - sum(gradOutput * output, dim)).

The operator's contract: "3. Definition", "5. Special inputs", "7. Precision", "9. Expected output"."""

from __future__ import annotations

from ctypes import byref, c_int64, pointer
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from tests.aclnn.ops.case import A2, A3, INFERENCE, TRAINING, board
from tests.helpers.builders import OnDevice, meta, on_device, plan, run

PAIR = aclnnSoftmaxBackwardGetWorkspaceSize, aclnnSoftmaxBackward
G = np.array([[1, 2, 3], [-1, 0.5, 2]], np.float32)
Y = np.array([[0.2, 0.3, 0.5], [0.6, 0.1, 0.3]], np.float32)


def softmax_backward(g: np.ndarray, y: np.ndarray, dim: int, dtype: Any = None) -> np.ndarray:
    """The operator on dense tensors; `dtype` is that of out."""
    out = on_device(np.zeros(np.shape(g), dtype or np.asarray(g).dtype))
    run(*PAIR, on_device(g), on_device(y), dim, out)
    return out.read()


def formula(g: np.ndarray, y: np.ndarray, dim: int) -> np.ndarray:
    g, y = g.astype(np.float64), y.astype(np.float64)
    return y * (g - (g * y).sum(dim, keepdims=True))


# check vectors


def test_the_sample_of_the_document_is_reproduced(machine: Machine) -> None:
    """Column sums 28 and 38; `output` is no softmax, "the formula is applied literally"."""
    y = np.array([1, 1, 1, 2, 2, 2, 3, 3], np.float32).reshape(4, 2)
    out = softmax_backward(np.arange(8, dtype=np.float32).reshape(4, 2), y, 0)
    np.testing.assert_array_equal(out.ravel(), [-28, -37, -26, -70, -48, -66, -66, -93])


@pytest.mark.fidelity("aclnnSoftmaxBackward, negative dim")
@pytest.mark.parametrize(
    ("dim", "expected"),
    [
        (0, [[0.28, 0.405, 0.45], [-0.36, -0.015, -0.03]]),
        (-2, [[0.28, 0.405, 0.45], [-0.36, -0.015, -0.03]]),
        (1, [[-0.26, -0.09, 0.35], [-0.63, 0.045, 0.585]]),
        (-1, [[-0.26, -0.09, 0.35], [-0.63, 0.045, 0.585]]),
    ],
)
def test_the_check_vectors_are_reproduced(machine: Machine, dim: int, expected: list[list[float]]) -> None:
    np.testing.assert_allclose(softmax_backward(G, Y, dim), expected, atol=3e-7)


@pytest.mark.parametrize("dim", [0, -1])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16], ids=lambda dtype: np.dtype(dtype).name)
def test_0d_counts_as_one_dimension(machine: Machine, dim: int, dtype: Any) -> None:
    """ "0-D, g = 3, y = 0.25: 0.5625"."""
    assert softmax_backward(np.array(3, dtype), np.array(0.25, dtype), dim) == 0.5625


@pytest.mark.fidelity("aclnnSoftmaxBackward, type of dim")
@pytest.mark.parametrize(
    "dim", [c_int64(0), byref(c_int64(0)), pointer(c_int64(0)), 0.0, "0", None], ids=lambda dim: type(dim).__name__
)
def test_dim_is_an_integer_by_value(machine: Machine, dim: Any) -> None:
    """The prototype has `int64_t dim`, the list of parameters `int64_t *`; the compiler looks at its type."""
    tensors = meta((4, 2)), meta((4, 2)), meta((4, 2))
    if isinstance(dim, c_int64):
        assert plan(PAIR[0], *tensors[:2], dim, tensors[2]).status == ACL_SUCCESS
        return
    with pytest.raises(TypeError, match="dim"):
        plan(PAIR[0], *tensors[:2], dim, tensors[2])


@pytest.mark.parametrize("dim", [1, -2, 2**62, -(2**63)])
def test_0d_has_no_other_dimension(machine: Machine, dim: int) -> None:
    planned = plan(PAIR[0], meta(()), meta(()), dim, meta(()))
    assert planned.status == ACLNN_ERR_PARAM_INVALID
    assert "[-1, 0]" in planned.text


def test_float16_is_computed_in_float_and_rounded_once(machine: Machine) -> None:
    """ "Bit patterns 0x3572, 0x3A7F, 0xBC9C; pure FLOAT16 arithmetic would give 0x3A7E, 0xBC9D for the last two"."""
    g = np.array([[1.001, 2.003, -3.007]], np.float16)
    y = np.array([[0.2001, 0.3003, 0.4996]], np.float16)
    out = softmax_backward(g, y, 1)
    assert [hex(bits) for bits in out.view(np.uint16).ravel()] == ["0x3572", "0x3a7f", "0xbc9c"]
    pure = y * (g - (y * g).sum(1, keepdims=True, dtype=np.float16))
    assert pure.tobytes() != out.tobytes()


@pytest.mark.parametrize("soc", [A2, A3])
def test_bfloat16_is_computed_in_float_and_rounded_once(soc: str) -> None:
    g = np.array([[1.0078125, 2.015625, -3.015625]], bfloat16)
    y = np.array([[0.2001953125, 0.30078125, 0.5]], bfloat16)
    with board(soc):
        out = softmax_backward(g, y, 1)
    np.testing.assert_array_equal(out, formula(g, y, 1).astype(np.float32).astype(bfloat16))


def test_the_sum_is_subtracted_before_the_product(machine: Machine) -> None:
    """ "p = y * g; s = sum of p; t = g - s; r = y * t", each a FLOAT."""
    g, y = np.array([[1.1, 2.3]], np.float32), np.array([[0.7, 0.9]], np.float32)
    s = (y * g)[0, 0] + (y * g)[0, 1]
    expected = y * (g - s)
    assert softmax_backward(g, y, 1).tobytes() == expected.tobytes()
    assert (y * g - y * s).tobytes() != expected.tobytes()


# special inputs


def test_axis_of_one_element_is_elementwise(machine: Machine) -> None:
    g, y = np.array([[2], [3]], np.float32), np.array([[0.5], [1.5]], np.float32)
    np.testing.assert_array_equal(softmax_backward(g, y, 1), y * (g - g * y))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_nan_and_inf_spread_along_the_axis_only(machine: Machine, value: float) -> None:
    """ "Plain IEEE propagation of the formula along the reduced axis"."""
    g = G.copy()
    g[0, 1] = value
    along_rows = softmax_backward(g, Y, 1)
    assert not np.isfinite(along_rows[0]).any()
    np.testing.assert_array_equal(along_rows[1], softmax_backward(G, Y, 1)[1])
    along_columns = softmax_backward(g, Y, 0)
    assert not np.isfinite(along_columns[:, 1]).any()
    np.testing.assert_array_equal(along_columns[:, [0, 2]], softmax_backward(G, Y, 0)[:, [0, 2]])


def test_inf_follows_ieee(machine: Machine) -> None:
    """s = Inf; out = y * (g - Inf) = -Inf, and NaN where g is Inf itself."""
    out = softmax_backward(np.array([[np.inf, 1]], np.float32), np.array([[0.5, 0.5]], np.float32), 1)
    np.testing.assert_array_equal(out, [[np.nan, -np.inf]])


def test_float16_overflow_is_inf(machine: Machine) -> None:
    """The sum is FLOAT: it does not overflow where FLOAT16 would; the result does."""
    g = np.array([[60000, 60000]], np.float16)
    out = softmax_backward(g, np.array([[1, -1]], np.float16), 1)
    np.testing.assert_array_equal(out, [[60000, -60000]])
    out = softmax_backward(g, np.array([[2, -2]], np.float16), 1)
    np.testing.assert_array_equal(out, [[np.inf, -np.inf]])


@pytest.mark.parametrize("dim", range(-8, 8))
def test_rank_8_and_every_dim(machine: Machine, dim: int) -> None:
    rng = np.random.default_rng(8)
    g, y = rng.uniform(-2, 2, (2, 2, 1, 3, 2, 1, 2, 2)), rng.uniform(0, 1, (2, 2, 1, 3, 2, 1, 2, 2))
    g, y = g.astype(np.float32), y.astype(np.float32)
    np.testing.assert_allclose(softmax_backward(g, y, dim), formula(g, y, dim), rtol=1e-5, atol=1e-6)


@pytest.mark.fidelity("aclnnSoftmaxBackward, empty inputs of wrong type or shape")
@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0), (2, 0, 3)], ids=str)
def test_empty_is_success_and_writes_nothing(machine: Machine, shape: tuple[int, ...]) -> None:
    """ "Success, workspaceSize = 0, executor with no step; phase 2 succeeds and writes nothing"."""
    empty = np.zeros(shape, np.float32)
    out = on_device(np.full((2, 3), 7, np.float32))  # "public test: inputs {2,0}, out {2,3}, dim 0 -> success"
    arguments = on_device(empty), on_device(empty), 0, out
    assert plan(PAIR[0], *arguments).workspace_size == 0
    run(*PAIR, *arguments)
    np.testing.assert_array_equal(out.read(), np.full((2, 3), 7))


@pytest.mark.fidelity("aclnnSoftmaxBackward, empty inputs of wrong type or shape")
@pytest.mark.parametrize("which", ["gradOutput", "output"])
def test_one_empty_input_is_enough(machine: Machine, which: str) -> None:
    """The data types, dim and the shapes are not looked at then."""
    empty, other = meta((3, 0), ACL_DOUBLE), meta((4, 2), ACL_BF16)
    inputs = (empty, other) if which == "gradOutput" else (other, empty)
    planned = plan(PAIR[0], *inputs, 99, meta((1,), aclDataType.ACL_STRING))
    assert (planned.status, planned.workspace_size) == (ACL_SUCCESS, 0)


@pytest.mark.parametrize("target", ["gradOutput", "output"])
def test_out_may_be_an_input(machine: Machine, target: str) -> None:
    """ "Overlapping / in-place out: no check"; one tensor may serve as input and output."""
    g, y = on_device(G), on_device(Y)
    out = {"gradOutput": g, "output": y}[target]
    run(*PAIR, g, y, 1, out)
    np.testing.assert_allclose(out.read(), formula(G, Y, 1), atol=3e-7)


def test_one_tensor_for_both_inputs(machine: Machine) -> None:
    y, out = on_device(Y), on_device(np.zeros_like(Y))
    run(*PAIR, y, y, 1, out)
    np.testing.assert_allclose(out.read(), formula(Y, Y, 1), atol=3e-7)


# data types of out: "other dtypes by automatic cast, costs extra workspace"

VALUES = np.array([[2.5, -1.5, 0, 0.75, 100.25, 3]], np.float32)
CASTS = {
    "float32": VALUES, "float64": VALUES, "float16": VALUES, "bfloat16": [[2.5, -1.5, 0, 0.75, 100, 3]],
    "int8": [[2, -1, 0, 0, 100, 3]], "int16": [[2, -1, 0, 0, 100, 3]], "int32": [[2, -1, 0, 0, 100, 3]],
    "int64": [[2, -1, 0, 0, 100, 3]],
    "bool": [[True, True, False, True, True, True]],
    "complex64": VALUES, "complex128": VALUES,
}  # fmt: skip
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")


def with_result(values: np.ndarray) -> tuple[OnDevice, OnDevice]:
    """Inputs of one-element rows whose result is `values`: 1/2 * (4v - 4v * 1/2) = v."""
    column = np.asarray(values).reshape(-1, 1)
    return on_device(column * 4), on_device(np.full_like(column, 0.5))


@pytest.mark.fidelity("aclnnSoftmaxBackward, data type of out")
@pytest.mark.parametrize("dtype", [*CASTS, *UNSIGNED])
def test_out_of_every_castable_data_type(machine: Machine, dtype: str) -> None:
    """ "Float to narrower float round-half-to-even; float to integer truncation toward zero; to BOOL non-zero test;
    to complex imaginary part 0"."""
    values = np.abs(VALUES) if dtype in UNSIGNED else VALUES
    expected = [[2, 1, 0, 0, 100, 3]] if dtype in UNSIGNED else CASTS[dtype]
    out = on_device(np.zeros((values.size, 1), bfloat16 if dtype == "bfloat16" else dtype), background=1)
    run(*PAIR, *with_result(values), 1, out)
    np.testing.assert_array_equal(out.read().T, np.array(expected, out.storage.dtype))


CASTABLE = {
    "ACL_FLOAT", "ACL_FLOAT16", "ACL_BF16", "ACL_DOUBLE", "ACL_INT8", "ACL_INT16", "ACL_INT32", "ACL_INT64",
    "ACL_UINT8", "ACL_UINT16", "ACL_UINT32", "ACL_UINT64", "ACL_BOOL", "ACL_COMPLEX64", "ACL_COMPLEX128",
}  # fmt: skip


@pytest.mark.fidelity("aclnnSoftmaxBackward, data type of out")
@pytest.mark.parametrize("dtype", [*aclDataType, 999], ids=lambda dtype: getattr(dtype, "name", str(dtype)))
def test_out_that_cast_cannot_produce_is_561103(machine: Machine, dtype: int) -> None:
    """ "Anything else: 561103"."""
    planned = plan(PAIR[0], meta((4, 2)), meta((4, 2)), 0, meta((4, 2), dtype))
    castable = getattr(dtype, "name", "") in CASTABLE
    assert planned.status == (ACL_SUCCESS if castable else ACLNN_ERR_INNER_NULLPTR)
    assert planned.workspace_size == (12345 if not castable else 0 if dtype == ACL_FLOAT else 512)


@pytest.mark.parametrize("soc", [INFERENCE, TRAINING])
def test_bfloat16_out_on_older_products(soc: str) -> None:
    """ "The dtype of out is not in the check list at all": castable is enough."""
    with board(soc):
        assert plan(PAIR[0], meta((4, 2)), meta((4, 2)), 0, meta((4, 2), ACL_BF16)).status == ACL_SUCCESS


def test_result_has_the_data_type_of_gradoutput_before_the_cast(machine: Machine) -> None:
    """ "With FLOAT16 inputs and a FLOAT out the values are already rounded to FLOAT16 before the Cast"."""
    g = np.array([[1.001, 2.003, -3.007]], np.float16)
    y = np.array([[0.2001, 0.3003, 0.4996]], np.float16)
    out = softmax_backward(g, y, 1, np.float32)
    np.testing.assert_array_equal(out, np.array([[0x3572, 0x3A7F, 0xBC9C]], np.uint16).view(np.float16))


def test_narrow_cast_rounds_half_to_even(machine: Machine) -> None:
    """2049 and 2051 lie halfway between two float16 numbers."""
    out = on_device(np.zeros((4, 1), np.float16))
    run(*PAIR, *with_result(np.array([2049, 2051, -2049, 65520], np.float32)), 1, out)
    np.testing.assert_array_equal(out.read().T, [[2048, 2052, -2048, np.inf]])

"""aclnnMatmul and aclnnMm, by their contract among the matrix products."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import *
from acl_runtime import Machine
from aclnn import (
    aclnnBatchMatMul,
    aclnnBatchMatMulGetWorkspaceSize,
    aclnnMatmul,
    aclnnMatmulGetWorkspaceSize,
    aclnnMm,
    aclnnMmGetWorkspaceSize,
    aclnnMv,
    aclnnMvGetWorkspaceSize,
)
from aclnn.ops.matmul._kernels import hfloat32
from aclnn.testing import run
from tests.aclnn.ops.case import A2, A3, INFERENCE, TRAINING, Meta, f16, f32
from tests.helpers.refusals import Mistake, answer, assert_order, assert_refused

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
KEEP, DOWN, FP16, HF32, ADD, INNER = 0, 1, 2, 3, 4, -1
NZ, BF16 = ACL_FORMAT_FRACTAL_NZ, ACL_BF16
GOOD = {"self": f32(2, 3), "mat2": f32(3, 4), "out": f32(2, 4), "cubeMathType": KEEP}
BATCHED = {"self": f32(5, 2, 3), "mat2": f32(5, 3, 4), "out": f32(5, 2, 4), "cubeMathType": KEEP}
NULLS = {name: Mistake(f"null {name}", NULL, name, **{name: None}) for name in ("self", "mat2", "out")}
TYPES = [
    Mistake("type of self", INVALID, "self", self=Meta((2, 3), ACL_INT32)),
    Mistake("type of mat2", INVALID, "mat2", mat2=Meta((3, 4), ACL_DOUBLE)),
    Mistake("type of out", INVALID, "out", out=Meta((2, 4), ACL_INT32)),
    Mistake("cubeMathType", INVALID, "cubeMathType", cubeMathType=5),
]
MATMUL = [
    *NULLS.values(), *TYPES,
    Mistake("mixed NZ", INVALID, "mat2", self=f16(2, 3), mat2=Meta((3, 4), BF16, NZ)),
    Mistake("seven dimensions", INVALID, "self", self=f32(1, 1, 1, 1, 1, 2, 3)),
    Mistake("seven dimensions of mat2", INVALID, "mat2", mat2=f32(1, 1, 1, 1, 1, 3, 4)),
    Mistake("0-d self", INVALID, "self", self=f32()),
    Mistake("0-d mat2", INVALID, "mat2", mat2=f32()),
    Mistake("inner size", INVALID, "self", self=f32(2, 5)),
    Mistake("batches", INVALID, "self", self=f32(2, 2, 3), mat2=f32(3, 3, 4)),
    Mistake("format of out", INVALID, "out", out=f32(2, 4, format=NZ)),
]  # fmt: skip
MM = [
    *(NULLS[name] for name in ("out", "self", "mat2")), *TYPES,
    Mistake("rank of mat2", INVALID, "mat2", mat2=f32(1, 3, 4)),
    Mistake("rank of self", INVALID, "self", self=f32(3)),
    Mistake("inner size", INVALID, "self", self=f32(2, 5)),
    Mistake("rank of out", INVALID, "out", out=f32(8)),
    Mistake("shape of out", INVALID, "out", out=f32(4, 2)),
]  # fmt: skip
BATCH = [
    *NULLS.values(), *TYPES,
    Mistake("rank of self", INVALID, "self", self=f32(2, 3)),
    Mistake("rank of mat2", INVALID, "mat2", mat2=f32(3, 4)),
    Mistake("rank of out", INVALID, "out", out=f32(2, 4)),
    Mistake("thin FRACTAL_NZ", INVALID, "mat2", mat2=f32(5, 3, 1, format=NZ)),
    Mistake("inner size", INVALID, "self", self=f32(5, 2, 5)),
    Mistake("batches", INVALID, "self", self=f32(4, 2, 3)),
    Mistake("shape of out", INVALID, "out", out=f32(5, 4, 2)),
    Mistake("format of out", INVALID, "out", out=f32(5, 2, 4, format=NZ)),
]  # fmt: skip
VECTOR = {"self": f32(2, 3), "vec": f32(3), "out": f32(2), "cubeMathType": KEEP}
MV = [
    *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in ("self", "vec", "out")),
    Mistake("type of out", INVALID, "out", out=Meta((2,), ACL_FLOAT16)),
    Mistake("type of self", INVALID, "self", self=Meta((2, 3), ACL_FLOAT16)),
    Mistake("cubeMathType", INVALID, "cubeMathType", cubeMathType=5),
    Mistake("rank of self", INVALID, "self", self=f32(3)),
    Mistake("rank of vec", INVALID, "vec", vec=f32(3, 1)),
    Mistake("rank of out", INVALID, "out", out=f32(2, 1)),
    Mistake("length of vec", INVALID, "self", self=f32(2, 4)),
    Mistake("length of out", INVALID, "out", out=f32(3)),
]  # fmt: skip


@pytest.mark.parametrize("mistake", BATCH, ids=str)
def test_a_mistake_is_refused_by_batch_mat_mul(mistake: Mistake) -> None:
    assert_refused(aclnnBatchMatMulGetWorkspaceSize, BATCHED, mistake)


@pytest.mark.parametrize("mistake", MV, ids=str)
def test_a_mistake_is_refused_by_mv(mistake: Mistake) -> None:
    assert_refused(aclnnMvGetWorkspaceSize, VECTOR, mistake)


@pytest.mark.parametrize("mistake", MATMUL, ids=str)
def test_a_mistake_is_refused_by_matmul(mistake: Mistake) -> None:
    assert_refused(aclnnMatmulGetWorkspaceSize, GOOD, mistake)


@pytest.mark.parametrize("mistake", MM, ids=str)
def test_a_mistake_is_refused_by_mm(mistake: Mistake) -> None:
    assert_refused(aclnnMmGetWorkspaceSize, GOOD, mistake)


def test_the_first_mistake_wins() -> None:
    assert_order(aclnnMatmulGetWorkspaceSize, GOOD, MATMUL)
    assert_order(aclnnMmGetWorkspaceSize, GOOD, MM)
    assert_order(aclnnBatchMatMulGetWorkspaceSize, BATCHED, [each for each in BATCH if each.rule != "thin FRACTAL_NZ"])
    assert_order(aclnnMvGetWorkspaceSize, VECTOR, [each for each in MV if each.rule != "type of self"])


def test_an_empty_matrix_beside_a_vector() -> None:
    """The data type of self does not count then. Without rows, nothing is written."""
    changes = {"self": f16(2, 0), "vec": f32(0)}
    assert answer(aclnnMvGetWorkspaceSize, VECTOR, changes).status == ACL_SUCCESS
    wrong = {"vec": Meta((0,), ACL_INT32), "out": Meta((2,), ACL_INT32)}
    found = answer(aclnnMvGetWorkspaceSize, VECTOR, changes | wrong)
    assert (found.status, "parameter: vec" in found.text) == (INVALID, True)
    found = answer(aclnnMvGetWorkspaceSize, VECTOR, {"self": f32(0, 3), "out": f32(0)})
    assert (found.status, found.workspace_size) == (ACL_SUCCESS, 0)


def by_loops(one: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The product of two stacks of matrices, and the sums of the magnitudes of its terms, exactly summed."""
    batch = np.broadcast_shapes(one.shape[:-2], other.shape[:-2])
    one, other = (np.broadcast_to(each, (*batch, *each.shape[-2:])).astype(float) for each in (one, other))
    found = np.empty((*batch, one.shape[-2], other.shape[-1]))
    sizes = np.empty_like(found)
    for *at, i, j in product(*map(range, found.shape)):
        terms = [a * b for a, b in zip(one[(*at, i)], other[(*at, slice(None), j)], strict=True)]
        found[(*at, i, j)], sizes[(*at, i, j)] = math.fsum(terms), math.fsum(map(abs, terms))
    return found, sizes


def spread(values: np.ndarray, layout: str) -> np.ndarray:
    """The same values in another layout."""
    if layout == "transposed" and values.ndim > 1:
        return np.ascontiguousarray(values.swapaxes(-1, -2)).swapaxes(-1, -2)
    return np.repeat(values, 2, -1)[..., ::2] if layout == "strided" else values


@pytest.mark.parametrize("layout", ["dense", "transposed", "strided"])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16])
@pytest.mark.parametrize(
    ("one", "other", "shape"),
    [
        ((3, 5), (5, 4), (3, 4)), ((5,), (5,), ()), ((5,), (5, 4), (4,)), ((3, 5), (5,), (3,)),
        ((2, 3, 5), (2, 5, 4), (2, 3, 4)), ((2, 3, 5), (5,), (2, 3)), ((5,), (2, 5, 4), (2, 4)),
        ((2, 1, 3, 5), (6, 5, 4), (2, 6, 3, 4)), ((1, 70), (70, 1), (1, 1)),
    ],
    ids=str,
)  # fmt: skip
def test_products_stay_within_the_bound(
    one: tuple[int, ...], other: tuple[int, ...], shape: tuple[int, ...], dtype: type, layout: str
) -> None:
    """ "2^-24 * 4 * sqrt(n) * sum of the terms' magnitudes", then one rounding."""
    rng = np.random.default_rng(len(shape))
    a, b = (rng.standard_normal(each).astype(dtype) for each in (one, other))
    wanted, sizes = by_loops(a if a.ndim > 1 else a[None], b if b.ndim > 1 else b[:, None])
    wanted, sizes = wanted.reshape(shape), sizes.reshape(shape)
    with Machine():
        found = run(aclnnMatmul, spread(a, layout), spread(b, layout), spread(np.empty(shape, dtype), layout), KEEP)
    ulp = np.abs(np.spacing(np.abs(wanted).astype(dtype)).astype(float)) if dtype != bfloat16 else abs(wanted) * 2**-7
    assert (np.abs(found.astype(float) - wanted) <= 2**-22 * math.sqrt(one[-1]) * sizes + ulp).all()


def test_mm_is_the_product_of_two_matrices() -> None:
    a, b = np.arange(6, dtype=np.float32).reshape(2, 3), np.arange(12, dtype=np.float32).reshape(3, 4)
    with Machine():
        found = run(aclnnMm, a.T.copy().T, b, np.empty((4, 2), np.float32).T, KEEP)
    assert found.tolist() == by_loops(a, b)[0].tolist()


def test_a_transposed_input_takes_no_copy() -> None:
    """ "A transposed view of the last two axes is consumed without a copy"."""
    turned = Meta((3, 4), ACL_FLOAT, strides=(1, 3))
    for first in (aclnnMatmulGetWorkspaceSize, aclnnMmGetWorkspaceSize):
        found = answer(first, GOOD, {"mat2": turned})
        assert (found.status, found.workspace_size) == (ACL_SUCCESS, 0)


def test_a_batch_of_one_is_that_of_all() -> None:
    a, b = np.arange(6, dtype=np.float32).reshape(1, 2, 3), np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    with Machine():
        assert run(aclnnBatchMatMul, a, b, np.empty((2, 2, 4), np.float32), KEEP).tolist() == (a @ b).tolist()
        wide = run(aclnnBatchMatMul, b.swapaxes(1, 2), a.swapaxes(1, 2), np.empty((2, 4, 2), np.float16), KEEP)
        assert wide.tolist() == (b.swapaxes(1, 2) @ a.swapaxes(1, 2)).tolist()


@pytest.mark.fidelity("a batch of 0 in mat2 of aclnnBatchMatMul")
def test_empty_batches() -> None:
    """ "Batch of self, m or n == 0: workspace 0; k == 0: zeros; batch 0 against batch 1 asks for out batch 1"."""
    first, dense = aclnnBatchMatMulGetWorkspaceSize, f32(1, 2, 4)
    found = answer(first, BATCHED, {"self": f32(0, 2, 3), "mat2": f32(1, 3, 4), "out": dense})
    assert (found.status, found.workspace_size) == (ACL_SUCCESS, 0)
    assert answer(first, BATCHED, {"self": f32(0, 2, 3), "mat2": f32(1, 3, 4), "out": f32(0, 2, 4)}).status == INVALID
    none = np.empty((1, 2, 0), np.float32)
    with Machine():
        zeros = run(aclnnBatchMatMul, none, none.swapaxes(1, 2), np.ones((1, 2, 2), np.float32), KEEP)
        assert zeros.tolist() == [[[0, 0]] * 2]
        one = np.ones((1, 2, 3), np.float32)
        zeros = run(aclnnBatchMatMul, one, np.ones((0, 3, 2), np.float32), np.ones((1, 2, 2), np.float32), KEEP)
        assert zeros.tolist() == [[[0, 0]] * 2]


def test_mv_is_the_product_with_a_column() -> None:
    a, v = np.arange(6, dtype=np.float32).reshape(2, 3), np.arange(3, dtype=np.float32)
    with Machine():
        for matrix in (a, a.T.copy().T, np.repeat(a, 2, 1)[:, ::2]):
            assert run(aclnnMv, matrix, v, np.empty(2, np.float32), DOWN).tolist() == [5, 14]
        assert run(aclnnMv, np.empty((2, 0), np.float32), v[:0], np.ones(2, np.float32), KEEP).tolist() == [0, 0]


def test_out_of_matmul_may_have_any_shape_of_as_many_elements() -> None:
    a, b = np.eye(2, dtype=np.float32), np.arange(4, dtype=np.float32).reshape(2, 2)
    with Machine():
        assert run(aclnnMatmul, a, b, np.empty((4, 1), np.float32), KEEP).tolist() == [[0], [1], [2], [3]]
    assert answer(aclnnMatmulGetWorkspaceSize, GOOD, {"out": f32(9)}).status == ACLNN_ERR_INNER_NULLPTR
    assert answer(aclnnMatmulGetWorkspaceSize, BATCHED, {"out": f32(10, 4)}).status == ACL_SUCCESS


def test_vectors_beside_matrices_have_no_batches() -> None:
    """ "Batch dims broadcast only if both ranks >= 2"."""
    found = answer(aclnnMatmulGetWorkspaceSize, BATCHED, {"self": f32(3), "out": f32(5, 4)})
    assert found.status == ACL_SUCCESS, found.text


def test_empty_products() -> None:
    """ "k == 0: out filled with 0; out empty and an input empty: workspace 0, nothing written"."""
    with Machine():
        for operator in (aclnnMatmul, aclnnMm):
            none = np.empty((2, 0), np.float32), np.empty((0, 3), np.float32)
            assert run(operator, *none, np.empty((2, 3), np.float32), KEEP).tolist() == [[0] * 3] * 2
            assert run(operator, none[0].T, np.empty((2, 3), np.float32), none[1], KEEP).shape == (0, 3)


# data types

TYPE = {"f32": np.float32, "f16": np.float16, "bf16": bfloat16}
FINE = 1 + 2**-9
"""is lost in BFLOAT16; its square is lost in FLOAT16 as well"""
KEPT = {
    # pair: by cubeMathType the type that the inputs are cast to, where out is FLOAT
    ("f32", "f32"): ("f32", "f32", "f16", "f32", "f32"),
    ("f32", "f16"): ("f32", "f32", "f16", "f32", "f32"),
    ("f16", "f16"): ("f16", "f16", "f16", "f16", "f16"),
    ("f32", "bf16"): ("f32", "f32", "f16", "f32", "f32"),
    ("bf16", "f16"): ("f32", "f32", "f16", "f32", "f32"),
    ("bf16", "bf16"): ("bf16", "bf16", "bf16", "bf16", "bf16"),
}


@pytest.mark.parametrize("math_type", [KEEP, DOWN, FP16, HF32, ADD])
@pytest.mark.parametrize("pair", KEPT, ids="-".join)
@pytest.mark.parametrize("swapped", [False, True])
def test_the_type_of_the_product_on_a2(pair: tuple[str, str], math_type: int, swapped: bool) -> None:
    """The table by pair and cubeMathType; with out FLOAT only a FLOAT or mixed pair under USE_FP16 is rounded."""
    inputs, rounded = KEPT[pair][math_type], math_type == FP16 and pair not in (("f16", "f16"), ("bf16", "bf16"))
    a, b = ((np.array([[FINE, 3e-5]]).astype(TYPE[name])) for name in (pair[::-1] if swapped else pair))
    wide = [each.astype(TYPE[inputs]).astype(float) for each in (a, b)]
    wanted = np.float32(wide[0] @ wide[1].T)
    for out in ("f32", "f16", "bf16"):
        with Machine(A2):
            found = run(aclnnMm, a, b.T, np.empty((1, 1), TYPE[out]), math_type)
        middle = "f32" if out == "f32" and not rounded else inputs
        assert found == wanted.astype(TYPE[middle]).astype(TYPE[out]), out


def test_a_product_beyond_float16_is_inf_under_use_fp16() -> None:
    a = np.full((1, 1), 300, np.float32)
    with Machine():
        assert run(aclnnMm, a, a, np.empty((1, 1), np.float32), FP16).item() == np.inf
        half = a.astype(np.float16)
        assert run(aclnnMm, half, half, np.empty((1, 1), np.float32), FP16).item() == 90000


def test_the_inner_value_rounds_only_to_out() -> None:
    a = np.array([[FINE]], np.float32).astype(np.float16)
    exact = np.float32(float(a.item()) ** 2)
    with Machine():
        found = run(aclnnMm, a, a, np.empty((1, 1), bfloat16), INNER)
    assert found == exact.astype(bfloat16)


@pytest.mark.fidelity("cubeMathType that is no value, or USE_FP32_ADD beside FLOAT on 910, 310P and 310B")
@pytest.mark.parametrize("soc", [A3, TRAINING, INFERENCE])
@pytest.mark.parametrize("math_type", range(-2, 6))
@pytest.mark.parametrize("dtype", [ACL_FLOAT, ACL_FLOAT16, ACL_BF16], ids=["f32", "f16", "bf16"])
def test_cube_math_type_by_product(soc: str, math_type: int, dtype: int) -> None:
    """310P and 910 refuse 0, 3, 4 and -1 for FLOAT, and have no BFLOAT16."""
    old, known = soc != A3, math_type in range(-1, 5)
    refused = not known or (old and (dtype == ACL_BF16 or (dtype == ACL_FLOAT and math_type not in (DOWN, FP16))))
    changes = {"self": Meta((2, 3), dtype), "mat2": Meta((3, 4), dtype), "cubeMathType": math_type}
    found = answer(aclnnMmGetWorkspaceSize, GOOD, changes, soc)
    assert found.status == (ACLNN_ERR_PARAM_INVALID if refused else ACL_SUCCESS), found.text


def test_old_products_compute_float_in_float16() -> None:
    a, b = np.array([[1 + 2**-12]], np.float32), np.array([[FINE]], np.float32)
    with Machine(INFERENCE):
        found = run(aclnnMm, a, b, np.empty((1, 1), np.float32), DOWN)
    assert found.item() == np.float32(FINE), "an input is rounded, the result is not"


def test_two_vectors_are_computed_in_the_promoted_type() -> None:
    """ "1-D x 1-D: cubeMathType ignored (but still checked)"."""
    a = np.array([FINE, 1], np.float32)
    with Machine():
        found = run(aclnnMatmul, a, a.astype(np.float16), np.empty((), np.float32), FP16)
    assert found.item() == np.float32(FINE * FINE + 1)


# HFLOAT32


@pytest.mark.fidelity("HFLOAT32")
@pytest.mark.parametrize("math_type", [DOWN, HF32])
def test_hf32_is_float_with_advice_once(math_type: int) -> None:
    a = np.array([[1 + 2**-20]], np.float32)
    one, out = np.ones((1, 1), np.float32), np.empty((1, 1), np.float32)
    with Machine() as machine:
        for _ in range(2):
            assert run(aclnnMm, a, one, out, math_type).item() == a.item()
        assert run(aclnnMatmul, a, one, out, math_type).item() == a.item(), "of another line"
        assert [(each.id, each.level) for each in machine.findings] == [("hf32", "advice")]
        assert f"({math_type})" in machine.findings[0].what


def test_calls_without_hf32_give_no_advice() -> None:
    with Machine() as machine:
        for dtype, math_type in ((np.float32, KEEP), (np.float32, FP16), (np.float32, ADD), (np.float16, DOWN)):
            one = np.ones((1, 1), dtype)
            run(aclnnMm, one, one, np.empty_like(one), math_type)
        assert not machine.findings


@pytest.mark.fidelity("HFLOAT32")
def test_the_option_rounds_the_inputs_to_11_bits() -> None:
    """Halfway goes to even (ours). The product of the rounded inputs stays FLOAT."""
    half = 2.0**-12
    a = np.array([[1 + half], [1 + 3 * half], [1 + 1.25 * half], [-1 - half * 0.75]], np.float32)
    with Machine(hf32=True) as machine:
        found = run(aclnnMm, a, np.array([[3]], np.float32), np.empty((4, 1), np.float32), HF32)
        kept = run(aclnnMm, a, np.array([[1]], np.float32), np.empty((4, 1), np.float32), KEEP)
        assert not machine.findings
    assert found.reshape(-1).tolist() == [3, 3 * (1 + 4 * half), 3 * (1 + 2 * half), -3]
    assert kept.tolist() == a.tolist()


def test_rounding_to_hfloat32_is_that_of_the_nearest_multiple() -> None:
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.standard_normal(1000) * 10.0 ** rng.integers(-30, 30, 1000), [0.0, -0.0]])
    values = values.astype(np.float32)
    step = 2.0 ** (np.floor(np.log2(np.abs(np.where(values == 0, 1, values)).astype(float))) - 11)
    wanted = np.round(values.astype(float) / step) * step  # numpy rounds half to even
    assert hfloat32(values).tolist() == wanted.astype(np.float32).tolist()
    special = np.array([np.inf, -np.inf, np.nan, np.float32(3.4028235e38)], np.float32)
    assert np.array_equal(hfloat32(special), np.array([np.inf, -np.inf, np.nan, np.inf], np.float32), equal_nan=True)
    assert np.signbit(hfloat32(np.array([-0.0], np.float32)))[0]

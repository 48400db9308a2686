"""aclnnCat, by its contract among the movement functions."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import *
from acl_runtime import Machine
from aclnn import aclnnCat, aclnnCatGetWorkspaceSize
from aclnn.testing import run
from tests.aclnn.ops.case import A2, TRAINING, Meta, f16, f32, i64
from tests.helpers.refusals import Mistake, answer, assert_order, assert_refused

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
FIRST = aclnnCatGetWorkspaceSize
GOOD = {"tensors": [f32(2, 3), f32(2, 1)], "dim": 1, "out": f32(2, 4)}
NZ = ACL_FORMAT_FRACTAL_NZ
MISTAKES = [
    Mistake("null list", NULL, "tensors,", tensors=None),
    Mistake("null member", NULL, "tensors[1]", tensors=[f32(2, 3), None]),
    Mistake("null out", NULL, "out", out=None),
    Mistake("type of a member", INVALID, "tensors[1]", tensors=[f32(2, 3), Meta((2, 1), ACL_UINT16)]),
    Mistake("type of out", INVALID, "out", out=Meta((2, 4), ACL_COMPLEX128)),
    Mistake("promoted to complex128", INVALID, "tensors",
            tensors=[Meta((2, 3), ACL_COMPLEX64), Meta((2, 1), ACL_DOUBLE)]),
    Mistake("cast to out", INVALID, "out", out=i64(2, 4)),
    Mistake("private format", INVALID, "tensors, found: tensors[0]", tensors=[f32(2, 3, format=NZ), f32(2, 1)]),
    Mistake("format of out", INVALID, "tensors, found: out", out=f32(2, 4, format=ACL_FORMAT_NCHW)),
    Mistake("nine dimensions", INVALID, "tensors", tensors=[f32(*[1] * 9)] * 2),
    Mistake("axis", INVALID, "dim", dim=2),
    Mistake("0-d member", INVALID, "dim", tensors=[f32(), f32()]),
    Mistake("ranks", INVALID, "tensors, found: tensors[1]", tensors=[f32(2, 3), f32(2)]),
    Mistake("sizes", INVALID, "tensors, found: tensors[1]", tensors=[f32(2, 3), f32(3, 1)]),
    Mistake("shape of out", INVALID, "out", out=f32(2, 5)),
]  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES, ids=str)
def test_a_mistake_is_refused(mistake: Mistake) -> None:
    assert_refused(FIRST, GOOD, mistake)


def test_the_first_mistake_wins() -> None:
    assert_order(FIRST, GOOD, MISTAKES)


def joined(parts: list[np.ndarray], axis: int) -> np.ndarray:
    """Element by element."""
    shape = list(parts[0].shape)
    shape[axis] = sum(each.shape[axis] for each in parts)
    out = np.empty(shape, parts[0].dtype)
    start = 0
    for part in parts:
        for place in product(*map(range, part.shape)):
            target = list(place)
            target[axis] += start
            out[tuple(target)] = part[place]
        start += part.shape[axis]
    return out


@pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16, np.int8, np.int64, np.complex64, np.bool_])
@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_tensors_are_joined(dtype: type, axis: int) -> None:
    rng = np.random.default_rng(axis + 10)
    parts = []
    for length in (2, 0, 3):
        shape = [3, 2, 4]
        shape[axis] = length
        parts.append(rng.integers(0, 2, shape).astype(dtype))
    wanted = joined(parts, axis % 3)
    parts[0] = np.ascontiguousarray(parts[0].T).T
    with Machine():
        assert run(aclnnCat, parts, axis, np.empty_like(wanted.T).T).tobytes() == wanted.tobytes()


@pytest.mark.parametrize("size", [3, 700])
@pytest.mark.parametrize("dtype", [np.float16, bfloat16, np.float32])
@pytest.mark.parametrize("count", [1, 2])
def test_every_bit_stays(dtype: type, size: int, count: int) -> None:
    """Also those of NaN, through copies of strided tensors."""
    width = np.dtype(dtype).itemsize
    bits = np.random.default_rng(size).integers(0, 256, size * 2 * width, np.uint8)
    bits.reshape(-1, width)[::2, -2:] = 0x81, 0x7F  # signalling NaN of bfloat16 and float32, NaN of float16
    strided = bits.view(dtype)[::2]
    with Machine():
        found = run(aclnnCat, [strided] * count, 0, np.empty(size * count * 2, dtype)[::2])
    assert found.tobytes() == strided.tobytes() * count


def test_types_are_promoted_from_the_left_and_cast_to_out() -> None:
    """INT32 and FLOAT16 promote to FLOAT16: 2049 is rounded there, although out is FLOAT."""
    with Machine():
        found = run(aclnnCat, [np.array([2049], np.int32), np.array([1], np.float16)], 0, np.empty(2, np.float32))
    assert found.tolist() == [2048, 1]


def test_one_tensor_with_elements_is_cast_straight_to_out() -> None:
    """ "One left: cast straight to out's type", so 2049 stays."""
    parts = [np.array([[2049]], np.int32), np.empty((1, 0), np.float16)]
    with Machine():
        assert run(aclnnCat, parts, 1, np.empty((1, 1), np.float32)).tolist() == [[2049]]


def test_one_tensor_with_elements_for_an_out_of_another_shape_is_561103() -> None:
    """ "One left: VC", the copy refuses."""
    assert answer(FIRST, GOOD, {"tensors": [f32(2, 4), f32(2, 0)], "out": f32(2, 5)}).status == ACLNN_ERR_INNER_NULLPTR


def test_a_tensor_of_shape_0_counts_for_nothing() -> None:
    """Not its rank, and not its data type."""
    changes = {"tensors": [Meta((0,), ACL_UINT16), f32(2, 3), Meta((0,), ACL_STRING), f32(2, 1)]}
    assert answer(FIRST, GOOD, changes).status == ACL_SUCCESS


@pytest.mark.parametrize("tensors", [[], [f32(0)], [f32(2, 0), f32(2, 0)]], ids=["none", "(0,)", "without elements"])
def test_nothing_to_join_succeeds_whatever_out_is(tensors: list[Meta]) -> None:
    found = answer(FIRST, GOOD, {"tensors": tensors, "out": f32(7, 7)})
    assert (found.status, found.workspace_size) == (ACL_SUCCESS, 0)


def test_one_element_may_have_another_shape() -> None:
    """ "SS: equal shapes or both have one element": two tensors with elements have two, so it needs `one left`."""
    assert answer(FIRST, GOOD, {"tensors": [f32(1, 1), f32(1, 0)], "out": f32(1)}).status == ACL_SUCCESS


@pytest.mark.parametrize(("soc", "status"), [(A2, ACL_SUCCESS), (TRAINING, ACLNN_ERR_PARAM_INVALID)])
def test_bfloat16_depends_on_the_product(soc: str, status: int) -> None:
    half = Meta((2, 2), ACL_BF16)
    assert answer(FIRST, GOOD, {"tensors": [half, half], "out": Meta((2, 4), ACL_BF16)}, soc).status == status
    assert answer(FIRST, GOOD, {"tensors": [f16(2, 2)] * 2, "out": f16(2, 4)}, soc).status == ACL_SUCCESS

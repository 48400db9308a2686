"""aclnnSplitTensor, by its contract among the movement functions."""

from __future__ import annotations

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import *
from acl_runtime import Machine
from aclnn import aclnnSplitTensor, aclnnSplitTensorGetWorkspaceSize
from aclnn.testing import run
from tests.aclnn.ops.case import TRAINING, Meta, f16, f32
from tests.helpers.refusals import Mistake, answer, assert_order, assert_refused

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
FIRST = aclnnSplitTensorGetWorkspaceSize
GOOD = {"self": f32(5, 2), "splitSections": 2, "dim": 0, "out": [f32(2, 2), f32(2, 2), f32(1, 2)]}
MISTAKES = [
    Mistake("null self", NULL, "self", self=None),
    Mistake("null out", NULL, "out", out=None),
    Mistake("null member", NULL, "out[1]", out=[f32(2, 2), None]),
    Mistake("type of self", INVALID, "self", self=Meta((5, 2), ACL_UINT16)),
    Mistake(
        "type of a member", ACLNN_ERR_PARAM_INVALID, "out[1]", out=[f32(2, 2), Meta((2, 2), ACL_UINT64), f32(1, 2)]
    ),
    Mistake("types of the members", INVALID, "out", out=[f32(2, 2), f16(2, 2), f32(1, 2)]),
    Mistake("0-d self", INVALID, "self", self=f32()),
    Mistake("rank of a member", INVALID, "out[1]", out=[f32(2, 2), f32(*[1] * 9), f32(1, 2)]),
    Mistake("axis", INVALID, "dim", dim=2),
    Mistake("no length", INVALID, "splitSections", splitSections=0),
    Mistake("too few outputs", INVALID, "out", out=[f32(2, 2), f32(2, 2)]),
    Mistake("shape of a piece", INVALID, "out, found: out[2]", out=[f32(2, 2), f32(2, 2), f32(2, 2)]),
]


@pytest.mark.parametrize("mistake", MISTAKES, ids=str)
def test_a_mistake_is_refused(mistake: Mistake) -> None:
    assert_refused(FIRST, GOOD, mistake)


def test_the_first_mistake_wins() -> None:
    assert_order(FIRST, GOOD, MISTAKES)


def test_a_length_for_a_dimension_without_elements_is_161002() -> None:
    """ "size == 0 and sections != 0": before the return for empty tensors; with length 0 it is empty."""
    empty = {"self": f32(0, 2), "out": [f32(0, 2)]}
    assert answer(FIRST, GOOD, empty).status == ACLNN_ERR_PARAM_INVALID
    assert answer(FIRST, GOOD, {**empty, "splitSections": 0}).status == ACL_SUCCESS
    assert answer(FIRST, GOOD, {"self": f32(5, 0), "out": []}).status == ACL_SUCCESS


def cut(x: np.ndarray, length: int, axis: int) -> list[np.ndarray]:
    """The elements at start, start + 1, ... of each piece."""
    size = x.shape[axis]
    return [x.take(range(start, min(start + length, size)), axis) for start in range(0, size, length)]


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, bfloat16, np.int16, np.complex128, np.bool_])
@pytest.mark.parametrize(("axis", "length"), [(0, 2), (1, 1), (-1, 3), (2, 7), (2, 9), (0, 4)])
def test_pieces_have_one_length_but_the_last(dtype: type, axis: int, length: int) -> None:
    x = np.random.default_rng(length).integers(0, 2, (4, 3, 7)).astype(dtype)
    wanted = cut(x, length, axis)
    x = np.ascontiguousarray(x.transpose(2, 0, 1)).transpose(1, 2, 0)
    with Machine():
        found = run(aclnnSplitTensor, x, length, axis, [np.empty_like(each.T).T for each in wanted])
    assert [each.tobytes() for each in found] == [each.tobytes() for each in wanted]


def test_outputs_that_are_left_over_stay_as_they_are() -> None:
    """ "More outs than n: the rest is left untouched": also where one piece is all ("only out[0] is written")."""
    x = np.arange(3, dtype=np.float32)
    for length, count in ((3, 1), (2, 2)):
        outs = [np.empty(min(length, 3 - at * length), np.float32) for at in range(count)]
        with Machine(fill=0) as machine:
            found = run(aclnnSplitTensor, x, length, 0, [*outs, np.empty(5, np.float32)])
            assert not machine.findings
        assert np.concatenate(found[:count]).tolist() == [0, 1, 2]
        assert found[count].tolist() == [0] * 5


def test_a_piece_is_cast_to_the_type_of_its_output_without_a_question() -> None:
    """ "Cast with no C check (float -> int truncates)"."""
    with Machine():
        found = run(aclnnSplitTensor, np.array([1.75, -2.75], np.float32), 1, 0, [np.empty(1, np.int32)] * 2)
    assert [each.tolist() for each in found] == [[1], [-2]]


@pytest.mark.parametrize(
    ("size", "dtype", "status"),
    [
        (32, ACL_FLOAT, ACLNN_ERR_PARAM_INVALID), (33, ACL_FLOAT, ACLNN_ERR_INNER_NULLPTR),
        (33, ACL_DOUBLE, ACLNN_ERR_PARAM_INVALID), (513, ACL_DOUBLE, ACLNN_ERR_INNER_NULLPTR),
    ],
)  # fmt: skip
def test_with_many_pieces_the_copy_refuses_a_wrong_shape(size: int, dtype: int, status: int) -> None:
    """ "With more than 32 pieces (AI Core types) or more than 512 the SS test is missing: F"."""
    outs = [Meta((1,), dtype)] * (size - 1) + [Meta((2,), dtype)]
    found = answer(FIRST, GOOD, {"self": Meta((size,), dtype), "splitSections": 1, "out": outs})
    assert found.status == status, found.text


def test_one_piece_of_a_wrong_shape_is_561103() -> None:
    """ "size == sections: cast, VC"; a longer length is checked as any piece."""
    one = {"self": f32(5), "out": [f32(4)]}
    assert answer(FIRST, GOOD, {**one, "splitSections": 5}).status == ACLNN_ERR_INNER_NULLPTR
    assert answer(FIRST, GOOD, {**one, "splitSections": 6}).status == ACLNN_ERR_PARAM_INVALID


def test_bfloat16_is_listed_on_every_product_and_has_no_kernel_before_a2() -> None:
    half = {"self": Meta((5, 2), ACL_BF16), "out": [Meta((size, 2), ACL_BF16) for size in (2, 2, 1)]}
    assert answer(FIRST, GOOD, half, TRAINING).status == ACLNN_ERR_INNER_NULLPTR

"""ConstantPadNd, the paddings with own elements, Im2col, UnfoldGrad: rules that no table has."""

from __future__ import annotations

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import Meta
from tests.derived.values import Values
from tests.helpers.changed_calls import INVALID, UNPLANNED, assert_nothing_to_do, assert_refused, changed


def test_nothing_is_left_of_a_tensor() -> None:
    assert_nothing_to_do("aclnnConstantPadNd", self=Meta((2,)), pad=Values((-2, 0)), out=Meta((0,)))


def test_nothing_is_left_of_a_dimension() -> None:
    cut = {"self": Meta((2, 2)), "pad": Values((-2, 0, 1, 0)), "out": Meta((3, 0))}
    assert_refused("aclnnConstantPadNd", INVALID, "pad", **cut)


def test_an_empty_tensor_becomes_one_of_the_value() -> None:
    with Machine():
        found = run(aclnnConstantPadNd, np.empty((0, 2), np.float32), [0, 0, 1, 1], np.float32(3),
                    np.empty((2, 2), np.float32))  # fmt: skip
    assert found.tolist() == [[3, 3], [3, 3]]


def test_the_value_is_read_in_the_type_of_self() -> None:
    with Machine():
        found = run(aclnnConstantPadNd, np.zeros(1, np.int32), [0, 1], np.float32(2.9), np.empty(2, np.int32))
    assert found.tolist() == [0, 2]


@pytest.mark.parametrize("name", ["aclnnReflectionPad1d", "aclnnReplicationPad1d"])
def test_only_a_batch_may_be_empty(name: str) -> None:
    pad = Values((1, 1))
    assert_nothing_to_do(name, self=Meta((0, 2, 3)), padding=pad, out=Meta((0, 2, 5)))
    assert_refused(name, INVALID, "self", self=Meta((0, 3)), padding=pad, out=Meta((0, 5)))


@pytest.mark.parametrize("name", ["aclnnReflectionPad2dBackward", "aclnnReplicationPad2dBackward"])
def test_bfloat16_has_small_paddings(name: str) -> None:
    def given(above: int, left: int) -> dict[str, object]:
        grad, x = Meta((1, 12 + above, 12 + left), ACL_BF16), Meta((1, 12, 12), ACL_BF16)
        return {"gradOutput": grad, "self": x, "padding": Values((left, 0, above, 0)), "gradInput": x}

    assert_refused(name, INVALID, "padding", **given(1, 8))
    assert changed(name, **given(0, 8)).status == ACL_SUCCESS
    assert changed(name, **given(1, 7)).status == ACL_SUCCESS


def test_a_long_reflection() -> None:
    x = Meta((2, 3))
    long = {"gradOutput": Meta((2, 6)), "self": x, "padding": Values((3, 0)), "gradInput": x}
    assert_refused("aclnnReflectionPad1dBackward", INVALID, "padding", **long)


def test_negative_numbers_cut_off() -> None:
    x = np.arange(4, dtype=np.float32).reshape(1, 4)
    with Machine():
        assert run(aclnnReflectionPad1d, x, [2, -1], np.empty((1, 5), np.float32)).tolist() == [[2, 1, 0, 1, 2]]
        grad = run(aclnnReflectionPad1dBackward, np.ones((1, 5), np.float32), x, [2, -1], np.empty_like(x))
    assert grad.tolist() == [[1, 2, 2, 0]]


@pytest.mark.fidelity("gradients of the paddings")
def test_a_gradient_has_the_batch_of_self() -> None:
    other = {"gradOutput": Meta((3, 6)), "self": Meta((2, 4)), "padding": Values((1, 1)), "gradInput": Meta((2, 4))}
    assert_refused("aclnnReflectionPad1dBackward", INVALID, "gradOutput", **other)


@pytest.mark.fidelity("gradients of the paddings")
def test_sixteen_bit_gradients_are_added_up_in_float32() -> None:
    """In steps of float16, 2048 + 1 + 1 would stay 2048."""
    grad, x = np.array([[1, 1, 2048, 0]], np.float16), np.zeros((1, 2), np.float16)
    with Machine():
        assert run(aclnnReplicationPad1dBackward, grad, x, [2, 0], np.empty_like(x)).tolist() == [[2050, 0]]


def test_windows_that_do_not_fit_are_refused() -> None:
    assert_refused("aclnnIm2col", INVALID, "kernelSize", kernelSize=Values((9, 1)))


def test_the_gradient_of_windows_by_hand() -> None:
    columns = np.arange(1, 5, dtype=np.float32).reshape(2, 2)
    words = [1, 3], [1, 2], [1, 1], [0, 0], [1, 1]
    with Machine():
        found = run(aclnnIm2colBackward, columns, *words, np.empty((1, 1, 3), np.float32))
        half = run(aclnnIm2colBackward, columns, *words, np.empty((1, 1, 3), np.float16))
    assert found.tolist() == half.tolist() == [[[1, 2 + 3, 4]]]


def test_a_gradient_of_windows_has_one_of_each() -> None:
    name = "aclnnIm2colBackward"
    assert_refused(name, INVALID, "out", out=Meta((2, 3, 4)))
    assert_refused(name, INVALID, "inputSize", inputSize=Values((3,)))
    assert_refused(name, INVALID, "gradOutput", gradOutput=Meta((2, 7, 4)))
    assert_refused(name, INVALID, "gradOutput", gradOutput=Meta((2, 8, 5)))
    assert_refused(name, INVALID, "gradOutput", inputSize=Values((1, 1)))
    assert_refused(name, INVALID, "out", out=Meta((2, 2, 3, 5)))


def test_a_gradient_of_another_type_cannot_be_copied() -> None:
    assert changed("aclnnUnfoldGrad", gradIn=Meta((2, 5), ACL_FLOAT16)).status == UNPLANNED


@pytest.mark.fidelity("aclnnUnfoldGrad with a gradOut that has not the shape of the windows")
def test_a_gradient_that_is_no_set_of_windows_is_not_planned() -> None:
    assert_refused("aclnnUnfoldGrad", UNPLANNED, "gradOut", gradOut=Meta((2, 3, 3)))

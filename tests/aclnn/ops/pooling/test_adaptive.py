"""Adaptive pooling, and average pooling in three dimensions, by their contract."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.device_tensor import device_tensor
from aclnn.testing import run
from tests.aclnn.ops.case import A950, TRAINING, Meta
from tests.aclnn.ops.pooling.good_calls import GOOD, LARGE, PART, SMALL, VOLUME, image
from tests.derived.values import Values
from tests.helpers.refusals import Mistake, answer, assert_in_order

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
AVERAGE = [
    *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in ("self", "outputSize", "out")),
    Mistake("two dimensions", INVALID, "self", self=image(4, 4)),
    Mistake("ranks", INVALID, "out", out=image(3, 2, 3)),
    Mistake("channels", INVALID, "out", out=image(2, 4, 2, 3)),
    Mistake("type of self", INVALID, "self", self=replace(image(*LARGE), dtype=ACL_DOUBLE)),
    Mistake("type of out", INVALID, "out", out=replace(image(*SMALL), dtype=ACL_FLOAT16)),
    Mistake("an ND label", INVALID, "out", out=Meta(SMALL)),
    Mistake("one size", INVALID, "outputSize", outputSize=Values((2,))),
    Mistake("a size of 0", INVALID, "outputSize", outputSize=Values((0, 3))),
    Mistake("size of out", INVALID, "out", out=image(2, 3, 3, 3)),
]
AVERAGE_BACK = [
    *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in ("gradOutput", "self", "out")),
    Mistake("two dimensions", INVALID, "gradOutput", gradOutput=image(4, 4)),
    Mistake("ranks", INVALID, "gradOutput", gradOutput=image(3, 2, 3)),
    Mistake("channels", INVALID, "gradOutput", gradOutput=image(2, 4, 2, 3)),
    Mistake("type of self", INVALID, "self", self=replace(image(*LARGE), dtype=ACL_DOUBLE)),
    Mistake("type of gradOutput", INVALID, "gradOutput", gradOutput=replace(image(*SMALL), dtype=ACL_FLOAT16)),
    Mistake("format of gradOutput", INVALID, "gradOutput", gradOutput=Meta(SMALL)),
    Mistake("shape of out", INVALID, "out", out=image(2, 3, 4, 5)),
]
LARGEST = [
    *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in ("self", "outputSize", "outputOut")),
    Mistake("type of self", INVALID, "self", self=replace(image(*LARGE), dtype=ACL_INT32)),
    Mistake("type of outputOut", INVALID, "outputOut", outputOut=replace(image(*SMALL), dtype=ACL_FLOAT16)),
    Mistake("type of indicesOut", INVALID, "indicesOut", indicesOut=replace(image(*SMALL), dtype=ACL_INT32)),
    Mistake("two dimensions", INVALID, "self", self=image(4, 4)),
    Mistake("no rows", INVALID, "self", self=image(2, 3, 0, 4)),
    Mistake("shape of indicesOut", INVALID, "indicesOut", indicesOut=image(2, 3, 2, 2, dtype=ACL_INT64)),
    Mistake("one size", INVALID, "outputSize", outputSize=Values((2,))),
    Mistake("a size of 0", INVALID, "outputSize", outputSize=Values((0, 3))),
    Mistake("other sizes", INVALID, "outputOut", outputSize=Values((3, 3))),
]
VOLUMES = [
    *(Mistake(f"null {name}", NULL, name, **{name: None})
      for name in ("self", "kernelSize", "stride", "padding", "out")),
    Mistake("type of self", INVALID, "self", self=Meta(VOLUME, ACL_DOUBLE)),
    Mistake("type of out", INVALID, "out", out=Meta(PART, ACL_FLOAT16)),
    Mistake("format of out", INVALID, "out", out=Meta(PART, ACL_FLOAT, ACL_FORMAT_NCDHW)),
    Mistake("three dimensions", INVALID, "self", self=Meta((3, 4, 4))),
    Mistake("ranks", INVALID, "out", out=Meta(PART[1:])),
    Mistake("two numbers of the kernel", INVALID, "kernelSize", kernelSize=Values((2, 2))),
    Mistake("two strides", INVALID, "stride", stride=Values((2, 2))),
    Mistake("no padding", INVALID, "padding", padding=Values(())),
    Mistake("kernel of 0", INVALID, "kernelSize", kernelSize=Values((0,))),
    Mistake("a long kernel", INVALID, "kernelSize", kernelSize=Values((4,))),
    Mistake("stride of 0", INVALID, "stride", stride=Values((0,))),
    Mistake("a long padding", INVALID, "padding", padding=Values((2,))),
    Mistake("shape of out", INVALID, "out", out=Meta((2, 3, 2, 3, 4))),
]  # fmt: skip
ORDERS = {
    "aclnnAdaptiveAvgPool2d": AVERAGE, "aclnnAdaptiveAvgPool2dBackward": AVERAGE_BACK,
    "aclnnAdaptiveMaxPool2d": LARGEST, "aclnnAvgPool3d": VOLUMES,
}  # fmt: skip


def first(name: str) -> Any:
    import aclnn

    return getattr(aclnn, f"{name}GetWorkspaceSize")


@pytest.mark.fidelity("shape of outputOut in AdaptiveMaxPool2d")
@pytest.mark.parametrize("name", ORDERS)
def test_mistakes_are_found_in_this_order(name: str) -> None:
    assert_in_order(first(name), GOOD[name], ORDERS[name])


def test_an_empty_gradient_is_done_before_its_shape_is_looked_at() -> None:
    name = "aclnnAvgPool3dBackward"
    found = answer(first(name), GOOD[name], {"gradOutput": Meta((2, 3, 0, 9, 9))})
    assert (found.status, found.workspace_size) == (ACL_SUCCESS, 0)
    assert "parameter: gradOutput" in answer(first(name), GOOD[name], {"gradOutput": Meta((2, 3, 1, 9, 9))}).text
    changes = {"gradOutput": Meta((2, 3, 0, 9, 9)), "output": Meta(PART)}
    assert "parameter: output" in answer(first(name), GOOD[name], changes).text


def test_sizes_of_0_on_ascend_950() -> None:
    name, flat = "aclnnAdaptiveAvgPool2d", {"outputSize": Values((0, 3)), "out": image(2, 3, 0, 3)}
    assert answer(first(name), GOOD[name], flat, A950).workspace_size == 0
    below = answer(first(name), GOOD[name], {"outputSize": Values((-1, 3))}, A950)
    assert "parameter: outputSize" in below.text
    name, none = "aclnnAdaptiveAvgPool3d", {"self": Meta((0, *VOLUME[1:])), "out": Meta((0, *PART[1:]))}
    assert answer(first(name), GOOD[name], none, A950).workspace_size == 0
    assert "parameter: self" in answer(first(name), GOOD[name], none).text


# figures


def test_neighbours_may_share_places() -> None:
    x = np.array([[[[1, 2, 3, 4, 5]]]], np.float32)
    with Machine():
        aclrtSetDevice(0)
        given, out = (device_tensor(each, format=ACL_FORMAT_NCHW) for each in (x, x[..., :3].copy()))
        assert run(aclnnAdaptiveAvgPool2d, given, [1, 3], out).ravel().tolist() == [1.5, 3, 4.5]
        _, at = run(aclnnAdaptiveMaxPool2d, x, [1, 3], x[..., :3].copy(), np.empty((1, 1, 1, 3), np.int64))
        assert at.ravel().tolist() == [1, 3, 4]


def test_the_result_may_be_larger() -> None:
    """Each place is in several windows, and gets the gradients of all of them."""
    x, slope = np.array([[[[1, 2]]]], np.float32), np.array([[[[1, 2, 4, 8]]]], np.float32)
    with Machine():
        aclrtSetDevice(0)
        given, wide = (device_tensor(each, format=ACL_FORMAT_NCHW) for each in (x, slope))
        assert run(aclnnAdaptiveAvgPool2d, given, [1, 4], wide).ravel().tolist() == [1, 1, 2, 2]
        assert run(aclnnAdaptiveAvgPool2dBackward, slope, x, x).ravel().tolist() == [3, 12]


def test_the_training_series_rounds_to_float16() -> None:
    x = np.full((1, 1, 1, 1), 1 + 2**-12, np.float32)
    with Machine(TRAINING):
        aclrtSetDevice(0)
        given, out = (device_tensor(x, format=ACL_FORMAT_NCHW) for _ in range(2))
        assert run(aclnnAdaptiveAvgPool2d, given, [1, 1], out).item() == 1


@pytest.mark.parametrize("name", ["aclnnMaxPool2dWithIndices", "aclnnAdaptiveMaxPool2d"])
def test_the_label_says_where_the_channels_are(name: str) -> None:
    x = np.random.default_rng(0).standard_normal((2, 4, 6, 3)).astype(np.float32)
    out, at = np.empty((2, 2, 3, 3), np.float32), np.empty((2, 2, 3, 3), np.int64)
    function, rest = ((aclnnAdaptiveMaxPool2d, ([2, 3],)) if "Adaptive" in name else
                      (aclnnMaxPool2dWithIndices, ([2], [2], [0], [1], False)))  # fmt: skip
    with Machine():
        aclrtSetDevice(0)
        last = [device_tensor(each, format=ACL_FORMAT_NHWC) for each in (x, out, at)]
        found = run(function, last[0], *rest, *last[1:])
        moved = [np.moveaxis(each, -1, 1).copy() for each in (x, out, at)]
        wanted = run(function, moved[0], *rest, *moved[1:])
    for one, other in zip(found, wanted, strict=True):
        assert np.array_equal(np.moveaxis(one, -1, 1), other)


def test_the_label_counts_in_the_gradient_too() -> None:
    """Rows of one column of two channels."""
    x, slope = np.zeros((1, 1, 2, 2), np.float32), np.array([[[[1, 2]]]], np.float32)
    at = np.array([[[[1, 0]]]], np.int32)
    with Machine():
        aclrtSetDevice(0)
        given, last, places, out = (device_tensor(each, format=ACL_FORMAT_NHWC) for each in (x, slope, at, x))
        found = run(aclnnMaxPool2dWithIndicesBackward, last, given, places, [1, 2], [1], [0], [1], False, out)
    assert found.tolist() == [[[[0, 2], [1, 0]]]]

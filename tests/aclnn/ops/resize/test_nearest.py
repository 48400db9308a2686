"""aclnnUpsampleNearest2d by its contract."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.device_tensor import device_tensor
from aclnn.testing import run
from tests.aclnn.ops.case import A950, INFERENCE, Meta
from tests.aclnn.ops.resize.good_calls import GOOD, image
from tests.derived.values import Values
from tests.helpers.refusals import Mistake, answer, assert_in_order

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
NEAREST, FIRST = GOOD["aclnnUpsampleNearest2d"], aclnnUpsampleNearest2dGetWorkspaceSize
MISTAKES = [
    *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in ("self", "outputSize", "out")),
    Mistake("type of self", INVALID, "self", self=replace(image(2, 3, 2, 3), dtype=ACL_INT32)),
    Mistake("type of out", INVALID, "out", out=replace(image(2, 3, 4, 4), dtype=ACL_FLOAT16)),
    Mistake("three sizes", INVALID, "outputSize", outputSize=Values((4, 4, 4))),
    Mistake("three dimensions", INVALID, "self", self=image(3, 2, 3)),
    Mistake("no image", INVALID, "self", self=image(2, 3, 0, 3)),
    Mistake("no size", INVALID, "self", outputSize=Values((0, 4))),
    Mistake("an ND format", INVALID, "self", self=Meta((2, 3, 2, 3))),
    Mistake("another format of out", INVALID, "out", out=replace(image(2, 3, 4, 4), format=ACL_FORMAT_NHWC)),
    Mistake("channels", INVALID, "out", out=image(2, 4, 4, 4)),
    Mistake("size of out", INVALID, "out", out=image(2, 3, 4, 5)),
]


def test_mistakes_are_found_in_this_order() -> None:
    assert_in_order(FIRST, NEAREST, MISTAKES)


def test_long_dimensions_are_refused_before_ascend_950() -> None:
    long = {"self": image(2, 3, 2**31, 3)}
    assert "at most 2147483647" in answer(FIRST, NEAREST, long).text
    assert answer(FIRST, NEAREST, long, A950).status == ACL_SUCCESS


def test_float_is_accepted_on_the_inference_series() -> None:
    assert answer(FIRST, NEAREST, soc=INFERENCE).status == ACL_SUCCESS


def test_an_empty_batch_needs_no_work() -> None:
    found = answer(FIRST, NEAREST, {"self": image(0, 3, 2, 3), "out": image(0, 3, 4, 4)})
    assert (found.status, found.workspace_size) == (ACL_SUCCESS, 0)


@pytest.mark.parametrize(
    ("size", "rows"),
    [(6, [0, 0, 1, 1, 2, 2]), (4, [0, 0, 1, 2]), (2, [0, 1]), (1, [0]), (3, [0, 1, 2]), (7, [0, 0, 0, 1, 1, 2, 2])],
)
@pytest.mark.parametrize("format", [ACL_FORMAT_NCHW, ACL_FORMAT_NHWC], ids=["NCHW", "NHWC"])
def test_rows_are_those_before_their_place(size: int, rows: list[int], format: int) -> None:
    x = np.array([1.5, np.nan, -0.0], np.float32).reshape(1, 1, 3, 1)
    out = np.empty((1, 1, size, 2), np.float32)
    if format == ACL_FORMAT_NHWC:
        x, out = x.transpose(0, 2, 3, 1).copy(), out.transpose(0, 2, 3, 1).copy()
    with Machine():
        aclrtSetDevice(0)
        given, wanted = (device_tensor(each, format=format) for each in (x, out))
        found = run(aclnnUpsampleNearest2d, given, [size, 2], wanted)
    assert np.repeat(x.ravel()[rows], 2).tobytes() == found.tobytes()


def test_strided_images_are_read_and_written_through_their_strides() -> None:
    x = np.arange(6, dtype=np.float32).reshape(1, 1, 3, 2).swapaxes(2, 3)
    with Machine():
        aclrtSetDevice(0)
        out = device_tensor(np.zeros((1, 1, 3, 2), np.float32).swapaxes(2, 3), format=ACL_FORMAT_NCHW)
        found = run(aclnnUpsampleNearest2d, device_tensor(x, format=ACL_FORMAT_NCHW), [2, 3], out)
    assert np.array_equal(found, x)

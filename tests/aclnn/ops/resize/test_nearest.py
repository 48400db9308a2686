"""aclnnUpsampleNearest2d by its contract, and extreme sizes and scales of all functions that resize."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.device_tensor import device_tensor
from aclnn.testing import run
from tests.aclnn.ops.case import INFERENCE, Meta
from tests.aclnn.ops.resize.good_calls import GOOD, image
from tests.derived.good import subject
from tests.derived.launching import planned, ready
from tests.derived.values import Values
from tests.helpers.changed_calls import changed
from tests.helpers.refusals import Mistake, answer, assert_in_order

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
NEAREST, FIRST = GOOD["aclnnUpsampleNearest2d"], aclnnUpsampleNearest2dGetWorkspaceSize
MISTAKES = [
    *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in ("self", "outputSize", "out")),
    Mistake("type of self", INVALID, "self", self=replace(image(2, 3, 2, 3), dtype=ACL_INT32)),
    Mistake("type of out", INVALID, "out", out=replace(image(2, 3, 4, 5), dtype=ACL_FLOAT16)),
    Mistake("three sizes", INVALID, "outputSize", outputSize=Values((4, 4, 4))),
    Mistake("three dimensions", INVALID, "self", self=image(3, 2, 3)),
    Mistake("no image", INVALID, "self", self=image(2, 3, 0, 3)),
    Mistake("no size", INVALID, "self", outputSize=Values((0, 4))),
    Mistake("an ND format", INVALID, "self", self=Meta((2, 3, 2, 3))),
    Mistake("another format of out", INVALID, "out", out=replace(image(2, 3, 4, 5), format=ACL_FORMAT_NHWC)),
    Mistake("channels", INVALID, "out", out=image(2, 4, 4, 5)),
    Mistake("size of out", INVALID, "out", out=image(2, 3, 4, 6)),
]


def test_mistakes_are_found_in_this_order() -> None:
    assert_in_order(FIRST, NEAREST, MISTAKES)


def test_float_is_accepted_on_the_inference_series() -> None:
    assert answer(FIRST, NEAREST, soc=INFERENCE).status == ACL_SUCCESS


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


def places(function: Any, x: np.ndarray, size: int, *scales: float) -> list[float]:
    """The elements of one row."""
    with Machine():
        aclrtSetDevice(0)
        given, out = (device_tensor(each, format=ACL_FORMAT_NCL) for each in (x, np.empty((1, 1, size), x.dtype)))
        return run(function, given, [size], *scales, out).ravel().tolist()


ROW = np.arange(4, dtype=np.float32).reshape(1, 1, 4)


def test_exact_takes_the_middle_of_a_place() -> None:
    assert places(aclnnUpsampleNearest1d, ROW, 2) == [0, 2]
    assert places(aclnnUpsampleNearestExact1d, ROW, 2, 0.0) == [1, 3]
    assert places(aclnnUpsampleNearestExact1d, ROW, 6, 0.0) == [0, 1, 1, 2, 3, 3]


def test_a_scale_above_0_takes_the_place_of_the_ratio() -> None:
    assert places(aclnnUpsampleNearest1dV2, ROW, 4, 2.0) == [0, 0, 1, 1]
    assert places(aclnnUpsampleNearest1dV2, ROW, 8, 0.5) == [0, 2, 3, 3, 3, 3, 3, 3], "no place beyond the last"
    assert places(aclnnUpsampleNearest1dV2, ROW, 4, -1.0) == [0, 1, 2, 3]


def test_scales_of_images_count_together() -> None:
    x = np.arange(4, dtype=np.float32).reshape(1, 1, 2, 2)
    with Machine():
        aclrtSetDevice(0)
        given, out = (device_tensor(each, format=ACL_FORMAT_NCHW) for each in (x, np.empty((1, 1, 2, 4), np.float32)))
        for scales, columns in (((2.0, 4.0), [0, 0, 0, 0]), ((0.0, 4.0), [0, 0, 1, 1])):
            found = run(aclnnUpsampleNearest2dV2, given, [2, 4], *scales, out)
            assert found[0, 0, 0].tolist() == columns


def test_gradients_are_added_up_where_elements_were_copied_from() -> None:
    slope, out = np.array([[[1, 2, 4, 8, 16]]], np.float32), np.empty((1, 1, 2), np.float32)
    with Machine():
        aclrtSetDevice(0)
        given = [device_tensor(each, format=ACL_FORMAT_NCL) for each in (slope, out)]
        words = given[0], [5], [1, 1, 2], 0.0, given[1]
        assert run(aclnnUpsampleNearest1dBackward, *words).ravel().tolist() == [7, 24]
        assert run(aclnnUpsampleNearestExact1dBackward, *words).ravel().tolist() == [3, 28]


def test_strided_images_are_read_and_written_through_their_strides() -> None:
    x = np.arange(6, dtype=np.float32).reshape(1, 1, 3, 2).swapaxes(2, 3)
    with Machine():
        aclrtSetDevice(0)
        out = device_tensor(np.zeros((1, 1, 3, 2), np.float32).swapaxes(2, 3), format=ACL_FORMAT_NCHW)
        found = run(aclnnUpsampleNearest2d, device_tensor(x, format=ACL_FORMAT_NCHW), [2, 3], out)
    assert np.array_equal(found, x)


RESIZED = [name for name, call in GOOD.items() if "outputSize" in call]


@pytest.mark.parametrize("size", [2**31, 2**62])
@pytest.mark.parametrize("name", RESIZED)
def test_a_size_beyond_out_is_refused_before_a_table_is_made_for_it(name: str, size: int) -> None:
    """It would have as many rows as the size."""
    call = GOOD[name]
    changes = [{"outputSize": Values((size,) * len(call["outputSize"].values))}]
    if "inputSize" in call:
        changes.append(
            {"inputSize": Values((*call["inputSize"].values[:2], *[size] * (len(call["inputSize"].values) - 2)))}
        )
    for each in changes:
        tracemalloc.start()
        try:
            found = changed(name, **each)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert found.status in (INVALID, ACLNN_ERR_INNER_NULLPTR), found.text
        assert peak < 1 << 24


SCALED = [(name, key) for name, call in GOOD.items() for key in call if key.startswith("scale")]


@pytest.mark.parametrize("scale", [1e-45, 5e-324, 1e308, np.inf])
@pytest.mark.parametrize(("name", "key"), SCALED)
def test_any_scale_takes_elements_of_self(name: str, key: str, scale: float) -> None:
    """A place beyond the border is the border. Neither the plan nor the formula warns. (ours)"""
    this = subject(name)
    with np.errstate(all="raise"), Machine(this.soc.name):
        aclrtSetDevice(0)
        one = not isinstance(this.good[key], Values)
        given = this.changed({key: scale if one else Values((1.0, 1.0, scale, scale))})
        if planned(this, given).status == ACL_SUCCESS:
            (found,) = ready(this, given).outputs().values()
            assert found[0].shape == given["out" if "out" in given else "gradInput"].shape

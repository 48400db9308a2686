"""aclnnResize by its contract."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.device_tensor import device_tensor
from aclnn.testing import run
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.resize.good_calls import GOOD, image
from tests.derived.values import Values
from tests.helpers.refusals import Mistake, answer, assert_in_order

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
CALL, FIRST = {**GOOD["aclnnResize"], "mode": b"bilinear"}, aclnnResizeGetWorkspaceSize
MISTAKES = [
    *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in ("self", "scales", "out", "mode")),
    Mistake("mode", INVALID, "mode", mode=b"cubic"),
    Mistake("type of self", INVALID, "self", self=Meta((2, 3, 4, 5), ACL_INT32, ACL_FORMAT_NCHW)),
    Mistake("format", INVALID, "self", self=Meta((2, 3, 4, 5))),
    Mistake("channels", INVALID, "out", out=image(2, 4, 8, 7)),
    Mistake("three scales", INVALID, "scales", scales=Values((1.0, 2.0, 1.5))),
]


@pytest.fixture(autouse=True)
def board() -> Iterator[None]:
    with Machine():
        aclrtSetDevice(0)
        yield


def resized(x: np.ndarray, scales: list[float], mode: bytes, *shape: int) -> Any:
    given, out = (device_tensor(each, format=ACL_FORMAT_NCHW) for each in (x, np.empty(shape, np.float32)))
    return run(aclnnResize, given, scales, mode, out)


def test_mistakes_are_found_in_this_order() -> None:
    assert_in_order(FIRST, CALL, MISTAKES)


def test_a_size_is_the_scaled_one_rounded_down() -> None:
    """5 times 1.5 is 7.5."""
    assert answer(FIRST, CALL, {"out": image(2, 3, 8, 8)}).status == INVALID
    third = {"scales": Values((1.0, 1.0, 1 / 3, 0.6)), "self": image(2, 3, 9, 5), "out": image(2, 3, 3, 3)}
    assert answer(FIRST, CALL, third).status == ACL_SUCCESS, "3 within the precision of a third"


@pytest.mark.parametrize("mode", [b"nearest", b"nearest_exact", b"bilinear2"])
def test_a_mode_is_known_by_its_begin(mode: bytes) -> None:
    assert answer(FIRST, CALL, {"mode": mode}).status == ACL_SUCCESS


def test_no_images_stay_no_images() -> None:
    found = answer(FIRST, CALL, {"self": image(0, 3, 4, 5), "out": image(0, 3, 8, 7)})
    assert (found.status, found.workspace_size) == (ACL_SUCCESS, 0), found.text


def test_a_place_is_scaled_without_its_middle() -> None:
    """Place 3 of 4 lies at 1.5 of a row of 2, beyond the last element."""
    row = np.array([[[[1, 3]]]], np.float32)
    for mode, expected in ((b"nearest", [1, 1, 3, 3]), (b"bilinear", [1, 2, 3, 3])):
        assert resized(row, [1.0, 1.0, 1.0, 2.0], mode, 1, 1, 1, 4).ravel().tolist() == expected


def test_nearest_is_that_of_torch() -> None:
    torch = pytest.importorskip("torch")
    x = np.random.default_rng(0).normal(size=(2, 3, 5, 7)).astype(np.float32)
    for size in ((10, 14), (3, 4), (7, 5)):
        found = resized(x, [1.0, 1.0, size[0] / 5, size[1] / 7], b"nearest", 2, 3, *size)
        assert np.array_equal(found, torch.nn.functional.interpolate(torch.from_numpy(x), size).numpy())

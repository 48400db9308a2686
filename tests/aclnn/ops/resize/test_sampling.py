"""aclnnGridSampler2D, aclnnGridSampler3D and aclnnAffineGrid by their contract."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.device_tensor import device_tensor
from aclnn.ops.resize import sampling
from aclnn.testing import run
from tests.aclnn.ops.case import INFERENCE, Meta
from tests.aclnn.ops.resize.good_calls import GOOD, image
from tests.derived.values import Values
from tests.helpers.refusals import Mistake, answer, assert_in_order

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
PLANE, VOLUME, AFFINE = (GOOD[f"aclnn{name}"] for name in ("GridSampler2D", "GridSampler3D", "AffineGrid"))
PLANES = [
    *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in ("input", "grid", "out")),
    Mistake("type of input", INVALID, "input", input=replace(image(2, 3, 4, 5), dtype=ACL_INT32)),
    Mistake("type of grid", INVALID, "grid", grid=Meta((2, 3, 2, 2), ACL_FLOAT16)),
    Mistake("type of out", INVALID, "out", out=replace(image(2, 3, 3, 2), dtype=ACL_FLOAT16)),
    Mistake("mode", INVALID, "interpolationMode", interpolationMode=3),
    Mistake("padding", INVALID, "paddingMode", paddingMode=-1),
    Mistake("three dimensions", INVALID, "grid", grid=Meta((3, 2, 2))),
    Mistake("batch of grid", INVALID, "grid", grid=Meta((3, 3, 2, 2))),
    Mistake("no image", INVALID, "input", input=image(2, 3, 0, 5)),
    Mistake("three coordinates", INVALID, "grid", grid=Meta((2, 3, 2, 3))),
    Mistake("shape of out", INVALID, "out", out=image(2, 3, 2, 2)),
]
VOLUMES = [
    Mistake("format of input", INVALID, "input", input=replace(image(2, 3, 3, 4, 5), format=ACL_FORMAT_NCHW)),
    Mistake("padding", INVALID, "paddingMode", paddingMode=3),
    Mistake("mode", INVALID, "interpolationMode", interpolationMode=2),
    Mistake("two coordinates", INVALID, "grid", grid=Meta((2, 3, 2, 2, 2))),
]
GRID = [
    *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in ("theta", "size", "out")),
    Mistake("type of theta", INVALID, "theta", theta=Meta((2, 2, 3), ACL_DOUBLE)),
    Mistake("type of out", INVALID, "out", out=Meta((2, 4, 5, 2), ACL_FLOAT16)),
    Mistake("no theta", INVALID, "theta", theta=Meta((0, 2, 3))),
    Mistake("three sizes", INVALID, "size", size=Values((2, 3, 4))),
    Mistake("shape of theta", INVALID, "theta", theta=Meta((2, 3, 3))),
    Mistake("shape of out", INVALID, "out", out=Meta((2, 4, 5, 3))),
]


def test_mistakes_are_found_in_this_order() -> None:
    assert_in_order(aclnnGridSampler2DGetWorkspaceSize, PLANE, PLANES)
    assert_in_order(aclnnGridSampler3DGetWorkspaceSize, VOLUME, VOLUMES)
    assert_in_order(aclnnAffineGridGetWorkspaceSize, AFFINE, GRID)


def test_four_neighbours_have_kernels_from_atlas_a2_on() -> None:
    cubic = {"interpolationMode": 2}
    first = aclnnGridSampler2DGetWorkspaceSize
    assert answer(first, PLANE, cubic).status == ACL_SUCCESS
    assert answer(first, PLANE, cubic, INFERENCE).status == INVALID
    wide = {name: replace(PLANE[name], dtype=ACL_DOUBLE) for name in ("input", "grid", "out")}
    assert answer(first, PLANE, wide).status == ACL_SUCCESS
    assert answer(first, PLANE, wide | cubic).status == INVALID


ROW = np.array([10, 20, 30, 40], np.float32).reshape(1, 1, 1, 4)


def samples(*places: float, mode: int = 0, padding: int = 0, align: bool = True, x: np.ndarray = ROW) -> list[float]:
    """Samples of one row, at these x."""
    grid = np.array([[[[place, 0] for place in places]]], np.float32)
    with Machine():
        aclrtSetDevice(0)
        given, out = (device_tensor(each, format=ACL_FORMAT_NCHW)
                      for each in (x, np.empty((1, 1, 1, len(places)), x.dtype)))  # fmt: skip
        return run(aclnnGridSampler2D, given, grid, mode, padding, align, out).ravel().tolist()


def test_places_by_hand() -> None:
    assert samples(-1, 1, 0, -1 / 3) == pytest.approx([10, 40, 25, 20])
    assert samples(-0.75, 0.75, align=False) == [10, 40], "the middles of the first and the last element"
    assert samples(-1, align=False) == [5], "half of the element lies outside"
    assert samples(-2, 2, padding=1) == [10, 40]
    assert samples(-1 - 2 / 3, padding=2) == pytest.approx([20]), "mirrored at the middle of the first element"
    assert samples(-1.5, padding=2, align=False) == [15], "mirrored at its edge"


def test_the_nearest_is_the_even_one_in_the_middle() -> None:
    assert samples(0, mode=1) == [30], "1.5 goes to 2"
    assert samples(0, mode=1, x=ROW[..., :2].copy()) == [10], "0.5 goes to 0"


@pytest.mark.fidelity("NaN in a grid")
def test_nan_is_no_place() -> None:
    assert samples(np.nan) == [0]
    assert samples(np.nan, padding=1) == samples(np.nan, padding=2) == [10], "the first place"
    assert samples(-1, x=np.full_like(ROW, np.nan)) != [0]


# the gradients

BACK = GOOD["aclnnGridSampler2DBackward"]
BACKWARD = [
    *(Mistake(f"null {name}", NULL, name, **{name: None})
      for name in ("gradOutput", "input", "grid", "inputGrad", "gridGrad")),
    Mistake("type of grid", INVALID, "grid", grid=Meta((2, 3, 2, 2), ACL_FLOAT16)),
    Mistake("mode", INVALID, "interpolationMode", interpolationMode=3),
    Mistake("padding", INVALID, "paddingMode", paddingMode=3),
    Mistake("three dimensions", INVALID, "grid", grid=Meta((3, 2, 2))),
    Mistake("no image", INVALID, "input", input=image(2, 3, 0, 5)),
    Mistake("shape of gradOutput", INVALID, "gradOutput", gradOutput=image(2, 3, 3, 3)),
    Mistake("shape of inputGrad", INVALID, "inputGrad", inputGrad=image(2, 3, 4, 4)),
    Mistake("shape of gridGrad", INVALID, "gridGrad", gridGrad=Meta((2, 3, 3, 2))),
    Mistake("three flags", INVALID, "outputMask", outputMask=Values((True, True, True))),
]  # fmt: skip


def test_mistakes_of_the_gradient_are_found_in_this_order() -> None:
    assert_in_order(aclnnGridSampler2DBackwardGetWorkspaceSize, BACK, BACKWARD)


@pytest.mark.parametrize("mask", [None, Values((False, False))])
def test_without_flags_there_is_nothing_to_do(mask: Values | None) -> None:
    found = answer(aclnnGridSampler2DBackwardGetWorkspaceSize, BACK, {"outputMask": mask})
    assert (found.status, found.workspace_size) == (ACL_SUCCESS, 0)


@pytest.mark.fidelity("null pointers of GridSampler2DBackward beside a null outputMask")
def test_a_null_mask_does_not_hide_other_null_pointers() -> None:
    found = answer(aclnnGridSampler2DBackwardGetWorkspaceSize, BACK, {"outputMask": None, "grid": None})
    assert (found.status, "parameter: grid" in found.text) == (NULL, True)


def test_gradients_by_hand() -> None:
    """The place 1.5 between 20 and 30; a step of the coordinate is one and a half elements."""
    slope = np.full((1, 1, 1, 1), 2, np.float32)
    grid = np.zeros((1, 1, 1, 2), np.float32)
    for mask in ((True, True), (True, False), (False, True)):
        with Machine():
            aclrtSetDevice(0)
            outs = [device_tensor(np.full_like(each, 7)) for each in (ROW, grid)]
            image, spots = run(aclnnGridSampler2DBackward, slope, ROW, grid, 0, 0, True, list(mask), *outs)
        assert image.ravel().tolist() == ([0, 1, 1, 0] if mask[0] else [7] * 4)
        assert spots.ravel().tolist() == ([30, 0] if mask[1] else [7, 7])


@pytest.mark.fidelity("NaN in a grid")
@pytest.mark.parametrize("padding", [1, 2])
def test_nan_does_not_move(padding: int) -> None:
    slope, grid = np.full((1, 1, 1, 1), 2, np.float32), np.array([[[[np.nan, 0]]]], np.float32)
    with Machine():
        outs = np.empty_like(ROW), np.empty_like(grid)
        image, spots = run(aclnnGridSampler2DBackward, slope, ROW, grid, 0, padding, True, [True, True], *outs)
    assert image.ravel().tolist() == [2, 0, 0, 0]
    assert spots.ravel().tolist() == [0, 0]


@pytest.mark.parametrize("panel", [1, 5])
def test_panels_give_what_one_piece_gives(panel: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    x, grid = random.standard_normal((2, 3, 4, 5)), random.uniform(-1.5, 1.5, (2, 3, 4, 2))
    words: dict[str, Any] = {"mode": 0, "padding": 2, "align": False}
    whole = sampling.sampled(x, grid, **words, last=False)
    assert np.array_equal(sampling.sampled(np.moveaxis(x, 1, -1), grid, **words, last=True), np.moveaxis(whole, 1, -1))
    monkeypatch.setattr(sampling, "PANEL", panel)
    assert np.array_equal(sampling.sampled(x, grid, **words, last=False), whole)

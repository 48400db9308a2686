"""Results of functions on images and boxes: figures of the contracts, and properties."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.errors import UndefinedBehaviour
from aclnn import *
from aclnn.device_tensor import device_tensor
from aclnn.testing import run
from tests.aclnn.ops.case import A2, A950, INFERENCE

F32 = np.float32


@contextmanager
def on(soc: str) -> Iterator[None]:
    with Machine(soc):
        aclrtSetDevice(0)
        yield


def image(array: Any) -> Any:
    return device_tensor(np.asarray(array), format=ACL_FORMAT_NCHW)


# overlaps


@pytest.mark.parametrize(
    ("mode", "eps", "expected"), [("iou", 0, 1 / 7), ("iof", 0, 1 / 4), ("iou", 1, 4 / 14), ("iof", 1, 4 / 9)]
)
def test_two_boxes_that_share_a_quarter(mode: str, eps: float, expected: float) -> None:
    boxes, others = np.array([[0, 0, 2, 2]], F32), np.array([[1, 1, 3, 3]], F32)
    with on(A2):
        for aligned in (False, True):
            found = run(aclnnIou, boxes, others, mode.encode(), eps, aligned, np.empty((1, 1), F32))
            np.testing.assert_allclose(found, [[expected]], rtol=1e-6)


@pytest.mark.parametrize("centred", [False, True])
def test_complete_overlap_of_squares_counts_their_distance(centred: bool) -> None:
    """The centres of two squares of 2 times 2 have the distance sqrt 2; both lie in a square of 3 times 3."""
    boxes = [np.repeat(np.array([[at], [at], [at + 2], [at + 2]], F32), 1024, 1) for at in (0, 1)]
    if centred:
        boxes = [np.concatenate([(each[:2] + each[2:]) / 2, each[2:] - each[:2]]) for each in boxes]
    with on(A950):
        outputs = np.empty((1, 1024), F32), np.empty((1, 1024), F32)
        overlap, angle = run(aclnnCIoU, *boxes, centred, False, b"iou", *outputs)
    np.testing.assert_allclose(overlap, np.full((1, 1024), 1 / 7 - 2 / 18), rtol=1e-5)
    assert not angle.any()


def test_a_box_that_overlaps_a_better_one_is_suppressed() -> None:
    """The first and the second share 9 of 11, above a half; the third has too small a score."""
    boxes = np.array([[[0, 0, 1, 10], [0, 1, 1, 11], [5, 5, 6, 6], [8, 8, 9, 9]]], F32)
    scores = np.array([[[0.8, 0.9, 0.1, 0.5]]], F32)
    with on(INFERENCE):
        out = np.empty((4, 3), np.int32)
        found = run(aclnnNonMaxSuppression, boxes, scores, [3], [0.5], [0.2], 0, out)
        assert found.tolist() == [[0, 0, 1], [0, 0, 3], [-1, -1, -1], [-1, -1, -1]]
        found = run(aclnnNonMaxSuppression, boxes, scores, [1], [0.5], [0.2], 0, out)
        assert found.tolist() == [[0, 0, 1], [-1, -1, -1], [-1, -1, -1], [-1, -1, -1]]


@pytest.mark.fidelity("samples, pixels and boxes of which no source says more")
def test_of_equal_scores_the_first_box_comes_first() -> None:
    boxes = np.array([[[0, 0, 1, 1], [2, 2, 3, 3], [4, 4, 5, 5]]], F32)
    with on(INFERENCE):
        out = np.empty((3, 3), np.int32)
        found = run(aclnnNonMaxSuppression, boxes, np.ones((1, 1, 3), F32), [3], [0.5], [0.0], 0, out)
    assert found[:, 2].tolist() == [0, 1, 2]


# regions

BOXES = np.array([[1.0, 1.5, 5.0, 6.5], [2.0, 2.0, 3.25, 4.0]], F32)
"""inside of an image of 9 times 9"""
ROWS, COLUMNS = np.mgrid[:9, :9].astype(F32)
PLANE = (3 * ROWS + COLUMNS)[None, None]


def middles(shift: float) -> np.ndarray:
    """The values of PLANE in the middle of each of 2 times 2 bins."""
    left, top, right, bottom = BOXES.T
    rows, columns = (np.stack([low + (high - low) * part - shift for part in (0.25, 0.75)], 1)
                     for low, high in ((top, bottom), (left, right)))  # fmt: skip
    return (3 * rows[:, :, None] + columns[:, None, :])[:, None]


@pytest.mark.parametrize("ratio", [0, 1, 2, 3])
def test_the_mean_of_a_plane_is_its_value_in_the_middle_of_the_bin(ratio: int) -> None:
    out = np.empty((2, 1, 2, 2), F32)
    with on(A2):
        found = run(aclnnRoiAlign, image(PLANE), BOXES, np.zeros(2, np.int32), b"avg", 2, 2, ratio, 1.0, image(out))
        np.testing.assert_allclose(found, middles(0), rtol=1e-6)
        boxes = np.concatenate([np.zeros((2, 1), F32), BOXES], 1)
        for aligned in (False, True):
            found = run(aclnnRoiAlignV2, image(PLANE), boxes, 2, 2, 1.0, ratio, aligned, image(out))
            np.testing.assert_allclose(found, middles(0.5 * aligned), rtol=1e-6)


@pytest.mark.fidelity("samples, pixels and boxes of which no source says more")
def test_the_largest_sample_of_a_plane_is_the_last_of_the_bin() -> None:
    """Two samples of a bin lie at a quarter and at three quarters of it."""
    out = np.empty((2, 1, 1, 1), F32)
    with on(A2):
        found = run(aclnnRoiAlign, image(PLANE), BOXES, np.zeros(2, np.int32), b"max", 1, 1, 2, 1.0, image(out))
    left, top, right, bottom = BOXES.T
    expected = 3 * (top + 0.75 * (bottom - top)) + left + 0.75 * (right - left)
    np.testing.assert_allclose(found.ravel(), expected, rtol=1e-6)


def test_a_sample_outside_of_the_image_is_0() -> None:
    minus, out = -np.ones((1, 1, 2, 2), F32), np.empty((1, 1, 1, 1), F32)
    box, first = np.array([[0, 0, 8, 1]], F32), np.zeros(1, np.int32)
    with on(A2):
        assert run(aclnnRoiAlign, image(minus), box, first, b"max", 1, 1, 2, 1.0, image(out)).item() == 0
        assert run(aclnnRoiAlign, image(minus), box, first, b"avg", 1, 1, 2, 1.0, image(out)).item() == -0.5


def test_the_gradient_of_regions_is_the_transposed_map() -> None:
    random = np.random.default_rng(3)
    x, slope = random.normal(size=(2, 3, 9, 9)).astype(F32), random.normal(size=(2, 3, 2, 2)).astype(F32)
    boxes = np.concatenate([[[1.0], [0.0]], BOXES * 1.3], 1).astype(F32)
    with on(A2):
        out = run(aclnnRoiAlignV2, image(x), boxes, 2, 2, 1.0, 2, True, image(np.empty_like(slope)))
        words = [2, 3, 9, 9], 2, 2, 1.0, 2, True
        gradient = run(aclnnRoiAlignV2Backward, image(slope), boxes, *words, image(np.empty_like(x)))
    np.testing.assert_allclose((out * slope).sum(), (x * gradient).sum(), rtol=1e-5)


@pytest.mark.fidelity("images of boxes, corners of triangles and points that do not exist")
@pytest.mark.parametrize("number", [2, -1])
def test_a_number_of_nothing_is_found(number: int) -> None:
    """Of an image of two, of a vertex of two, of a point of two."""
    boxes = np.array([[number, 0, 0, 1, 1]], F32)
    face, places = np.array([[0, 1, number]], np.int32), np.array([[[0, 1, number]]])
    with on(A2):
        x, out = image(np.ones((2, 1, 3, 3), F32)), image(np.empty((1, 1, 1, 1), F32))
        slope, points = image(np.ones((1, 1, 1, 1), F32)), image(np.empty((1, 1, 2, 1), F32))
        screen = np.empty((2, 2), np.int32), np.empty((2, 2, 3), F32)
        for function, *arguments in (
            (aclnnRoiAlign, x, boxes[:, 1:], boxes[:, 0].astype(np.int32), b"avg", 1, 1, 2, 1.0, out),
            (aclnnRoiAlignV2, x, boxes, 1, 1, 1.0, 2, True, out),
            (aclnnRoiAlignV2Backward, slope, boxes, [2, 1, 3, 3], 1, 1, 1.0, 2, True, x),
            (aclnnRasterizer, np.ones((2, 4), F32), face, None, 2, 2, 0.0, 0, *screen),
            (aclnnThreeInterpolateBackward, slope, places, np.ones((1, 1, 3), F32), 2, points),
        ):
            with pytest.raises(UndefinedBehaviour, match="index-range"):
                run(function, *arguments)
    with on(A950):
        x, out = image(np.ones((2, 1, 3, 3), F32)), image(np.empty((1, 1, 1, 1), F32))
        places = image(np.empty((1, 1, 1, 1), np.int32))
        with pytest.raises(UndefinedBehaviour, match="index-range"):
            run(aclnnRoiPoolingWithArgMax, x, boxes, 1, 1, 1.0, 1.0, out, places)
        with pytest.raises(UndefinedBehaviour, match="index-range"):
            run(aclnnRoiPoolingGradWithArgMax, out, x, boxes, places, 1, 1, 1.0)


def test_regions_without_any_image_are_out_of_range() -> None:
    """In a machine that only reports, the formula runs without them."""
    with Machine(A950, on_undefined="report") as machine:
        aclrtSetDevice(0)
        places, slope = image(np.zeros((1, 1, 1, 1), np.int32)), image(np.ones((1, 1, 1, 1), F32))
        empty, boxes = image(np.empty((0, 1, 3, 3), F32)), np.zeros((1, 5), F32)
        with pytest.raises(AssertionError, match="507035"):
            run(aclnnRoiPoolingGradWithArgMax, slope, empty, boxes, places, 1, 1, 1.0)
        assert {finding.id for finding in machine.findings} == {"index-range"}


@pytest.mark.fidelity("samples, pixels and boxes of which no source says more")
@pytest.mark.parametrize("corner", [np.inf, np.nan, 1e38])
def test_a_box_whose_corners_are_no_places_has_no_samples(corner: float) -> None:
    x, boxes = np.ones((1, 1, 3, 3), F32), np.array([[0, 0, corner, corner], [0, 0, 2, 2]], F32)
    with on(A2):
        for mode in (b"avg", b"max"):
            out = image(np.empty((2, 1, 1, 1), F32))
            found = run(aclnnRoiAlign, image(x), boxes, np.zeros(2, np.int32), mode, 1, 1, 0, 1.0, out)
            assert found[1].item() == 1
            assert found[0].item() == 0 or (corner, mode) == (1e38, b"max")


def test_the_largest_pixel_of_a_bin_and_its_place() -> None:
    pixels = np.arange(16, dtype=F32).reshape(1, 1, 4, 4)
    rois = np.array([[0, 0, 0, 3, 3], [0, 2, 2, 1, 1]], F32)  # the second has no extent
    with on(A950):
        outputs = image(np.empty((2, 1, 2, 2), F32)), image(np.empty((2, 1, 2, 2), np.int32))
        y, places = run(aclnnRoiPoolingWithArgMax, image(pixels), rois, 2, 2, 1.0, 1.0, *outputs)
        assert y.tolist() == [[[[5, 7], [13, 15]]], [[[0, 0], [0, 0]]]]
        assert places.tolist() == [[[[5, 7], [13, 15]]], [[[-1, -1], [-1, -1]]]]
        slope, before = image(np.ones((2, 1, 2, 2), F32)), image(np.ones((1, 1, 4, 4), F32))
        found = run(aclnnRoiPoolingGradWithArgMax, slope, before, rois, image(places), 2, 2, 1.0)
    assert np.flatnonzero(found == 2).tolist() == [5, 7, 13, 15]
    assert found.sum() == 20


# images


def test_a_mask_mixes_two_images() -> None:
    below, above = np.full((1, 3, 1), 100, np.uint8), np.full((1, 3, 1), 203, np.uint8)
    mask = np.array([0, 0.5, 1], np.float16).reshape(1, 3, 1)
    with on(INFERENCE):
        found = run(aclnnBackgroundReplace, below, above, mask, np.empty_like(below))
    assert found.ravel().tolist() == [100, 152, 203]  # 151.5 to the even number; FLOAT16 has 151.5


def test_alpha_is_a_share_of_255() -> None:
    rgb, frame = np.full((1, 3, 3), 200, np.uint8), np.full((1, 3, 3), 100, np.uint8)
    alpha = np.array([0, 51, 255], np.uint8).reshape(1, 3, 1)
    with on(INFERENCE):
        assert run(aclnnBlendImagesCustom, rgb, alpha, frame, np.empty_like(rgb))[0, :, 0].tolist() == [100, 120, 200]
        assert run(aclnnMrgbaCustom, rgb, alpha, np.empty_like(rgb))[0, :, 0].tolist() == [0, 40, 200]


# meshes and points


@pytest.mark.fidelity("samples, pixels and boxes of which no source says more")
def test_the_nearer_triangle_is_drawn_and_nothing_where_there_is_none() -> None:
    near = [[-1, -1, 0, 1], [1, -1, 0, 1], [-1, 1, 0, 1]]
    far = [[-1, -1, 0.5, 1], [1, -1, 0.5, 1], [1, 1, 0.5, 1]]
    vertices, faces = np.array([*near, *far], F32), np.array([[3, 4, 5], [0, 1, 2]], np.int32)
    with on(A2):
        outputs = np.empty((3, 3), np.int32), np.empty((3, 3, 3), F32)
        numbers, weights = run(aclnnRasterizer, vertices, faces, None, 3, 3, 0.0, 0, *outputs)
        assert numbers.tolist() == [[2, 2, 2], [2, 2, 1], [2, 0, 1]]
        np.testing.assert_allclose(weights[numbers > 0].sum(-1), 1, rtol=1e-6)
        assert not weights[numbers == 0].any()
        alone, _ = run(aclnnRasterizer, vertices[:3], np.array([[0, 1, 2]], np.int32), None, 3, 3, 0.0, 0, *outputs)
        assert alone.tolist() == [[1, 1, 1], [1, 1, 0], [1, 0, 0]]


def test_a_corner_that_is_nearer_has_a_larger_share() -> None:
    """In the middle of an edge whose ends are 1 and 3 away, the shares are 3 to 1."""
    vertices = np.array([[-1, -1, 0, 1], [3, -3, 0, 3], [-1, 1, 0, 1]], F32)
    with on(A2):
        outputs = np.empty((3, 3), np.int32), np.empty((3, 3, 3), F32)
        _, weights = run(aclnnRasterizer, vertices, np.array([[0, 1, 2]], np.int32), None, 3, 3, 0.0, 0, *outputs)
    np.testing.assert_allclose(weights[0, 1], [0.75, 0.25, 0], atol=1e-6)


@pytest.mark.parametrize("soc", [A2, A950])
def test_a_gradient_goes_to_the_three_points_by_their_weights(soc: str) -> None:
    more = () if soc == A950 else (1,)
    slope, out = np.array([2, 10], F32).reshape(1, 1, 2, *more), np.empty((1, 1, 3, *more), F32)
    places, weight = np.array([[[0, 1, 1], [2, 0, 1]]]), np.array([[[0.5, 0.25, 0.25], [1, 0, 0.5]]], F32)
    with on(soc):
        given = (slope, out) if more == () else (image(slope), image(out))
        found = run(aclnnThreeInterpolateBackward, given[0], places, weight, 3, given[1])
    assert found.ravel().tolist() == [1, 6, 10]

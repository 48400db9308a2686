"""The order in which the functions on images and boxes find mistakes."""

from __future__ import annotations

from dataclasses import replace

import pytest

import aclnn
from acl_runtime import *
from acl_runtime import Machine
from tests.aclnn.ops.case import A2, INFERENCE, Meta
from tests.aclnn.ops.vision.good_calls import GOOD, I32, image, places
from tests.derived.good import subject
from tests.derived.launching import planned
from tests.derived.values import Values
from tests.helpers.refusals import Mistake, answer, assert_in_order

INVALID, NULL, INNER = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_INNER_NULLPTR
TILING, RUNTIME = ACLNN_ERR_INNER_TILING_ERROR, ACLNN_ERR_RUNTIME_ERROR
EMPTY = Meta((0, 4))


def null(*names: str) -> list[Mistake]:
    return [Mistake(f"null {name}", NULL, name, **{name: None}) for name in names]


def of_type(function: str, name: str, dtype: int = ACL_INT64) -> Mistake:
    return Mistake(f"type of {name}", INVALID, name, **{name: replace(GOOD[function][name], dtype=dtype)})


ORDERS = {
    "aclnnRoiAlign": [
        *null("self", "rois", "batchIndices", "out"), of_type("aclnnRoiAlign", "self"),
        Mistake("format", INVALID, "self", self=Meta((2, 3, 5, 6))),
        Mistake("rank", INVALID, "rois", rois=Meta((4,))),
        Mistake("one image number too few", INVALID, "batchIndices", batchIndices=Meta((3,), I32)),
        Mistake("five columns", INVALID, "rois", rois=Meta((4, 5))),
        Mistake("another shape", INVALID, "out", out=image(4, 3, 2, 2)),
        Mistake("no mode", INVALID, "mode", mode=None),
        Mistake("ratio", INVALID, "samplingRatio", samplingRatio=-1),
        Mistake("scale", INVALID, "spatialScale", spatialScale=0.0),
    ],
    "aclnnRoiAlignV2": [
        *null("self", "boxes", "out"), of_type("aclnnRoiAlignV2", "self"),
        Mistake("format", INVALID, "self", self=Meta((2, 3, 5, 6))), Mistake("rank", INVALID, "boxes", boxes=EMPTY),
        Mistake("another shape", INVALID, "out", out=image(4, 3, 2, 2)),
        Mistake("ratio", INVALID, "samplingRatio", samplingRatio=-1),
        Mistake("scale", INVALID, "spatialScale", spatialScale=1e-38),
    ],
    "aclnnRoiAlignV2Backward": [
        *null("gradOutput", "boxes", "inputShape", "gradInput"),
        of_type("aclnnRoiAlignV2Backward", "gradOutput", ACL_FLOAT16),
        Mistake("five columns", INVALID, "boxes", boxes=Meta((4, 4))),
        Mistake("three sizes", INVALID, "inputShape", inputShape=Values((2, 3, 5))),
        Mistake("bins", INVALID, "gradOutput", gradOutput=image(4, 3, 2, 2)),
        Mistake("image", INVALID, "gradInput", gradInput=image(2, 3, 5, 5)),
        Mistake("ratio", INVALID, "samplingRatio", samplingRatio=-1),
    ],
    "aclnnIou": [
        *null("bBoxes", "gtBoxes", "overlap"), of_type("aclnnIou", "bBoxes"),
        Mistake("mode", INVALID, "mode", mode=b"giou"),
        Mistake("eps", INVALID, "eps", eps=-1.0), Mistake("four columns", INVALID, "bBoxes", bBoxes=Meta((3, 5))),
        Mistake("pairs", INNER, "overlap", overlap=Meta((2, 3))),
    ],
    "aclnnCIoU": [
        *null("bBoxes", "gtBoxes", "overlap", "atanSub"), of_type("aclnnCIoU", "bBoxes"),
        Mistake("no mode", INVALID, "mode", mode=None), Mistake("crossed", INVALID, "isCross", isCross=True),
        Mistake("four rows", INVALID, "bBoxes", bBoxes=Meta((5, 1024))),
        Mistake("another shape", INVALID, "atanSub", atanSub=Meta((1, 1023))),
    ],
    "aclnnNonMaxSuppression": [
        Mistake("many boxes", INVALID, "maxOutputBoxesPerClass", maxOutputBoxesPerClass=Values((701,))),
        *null("boxes", "scores", "selectedIndices"),
        of_type("aclnnNonMaxSuppression", "boxes"),
        Mistake("threshold", INVALID, "iouThreshold", iouThreshold=Values((1.5,))),
        Mistake("format", INVALID, "boxes", boxes=Meta((2, 5, 4), format=ACL_FORMAT_NCL)),
        Mistake("as many boxes", INVALID, "scores", scores=Meta((2, 3, 4))),
        Mistake("centre", INVALID, "centerPointBox", centerPointBox=2),
    ],
    "aclnnRasterizer": [
        *null("v", "f", "findicesOut", "barycentricOut"), of_type("aclnnRasterizer", "v"),
        Mistake("width", TILING, "width", width=4097), Mistake("a prior", TILING, "useDepthPrior", useDepthPrior=1),
        Mistake("four columns", TILING, "v", v=Meta((5, 3))),
    ],
    "aclnnThreeInterpolateBackward": [
        *null("grad_x", "idx", "weight", "grad_y"), of_type("aclnnThreeInterpolateBackward", "grad_x"),
        Mistake("a fourth size", INNER, "grad_x", grad_x=image(2, 3, 5, 2)),
        Mistake("three points", INNER, "idx", idx=Meta((2, 5, 4), I32)),
        Mistake("m points", INNER, "grad_y", grad_y=image(2, 3, 5, 1)),
    ],
    "aclnnRoiPoolingWithArgMax": [
        *null("x", "rois", "y", "argmax"), of_type("aclnnRoiPoolingWithArgMax", "x"),
        Mistake("format", INVALID, "x", x=Meta((2, 3, 5, 6))),
        Mistake("many regions", INVALID, "rois", rois=Meta((1025, 5))),
        Mistake("scale", INVALID, "spatial_scale_h", spatial_scale_h=0.0),
    ],
    "aclnnRoiPoolingGradWithArgMax": [
        *null("gradOutput", "gradInputRef", "rois", "argmax"), of_type("aclnnRoiPoolingGradWithArgMax", "gradOutput"),
        Mistake("format", INVALID, "gradOutput", gradOutput=Meta((4, 3, 2, 3))),
        Mistake("as many regions", INVALID, "gradOutput", rois=Meta((3, 5))),
        Mistake("places", INVALID, "argmax", argmax=places(4, 3, 3, 2)),
        Mistake("height", INVALID, "pooledH", pooledH=0),
    ],
    "aclnnBackgroundReplace": [
        *null("bkg", "src", "mask", "out"), of_type("aclnnBackgroundReplace", "bkg"),
        Mistake("two channels", TILING, "bkg", bkg=Meta((2, 3, 2), ACL_UINT8)),
    ],
    "aclnnBlendImagesCustom": [
        *null("rgb", "alpha", "frame", "out"), of_type("aclnnBlendImagesCustom", "rgb"),
        Mistake("one channel", TILING, "alpha", alpha=Meta((2, 4, 3), ACL_UINT8)),
    ],
    "aclnnMrgbaCustom": [
        *null("rgb", "alpha", "out"), of_type("aclnnMrgbaCustom", "rgb"),
        Mistake("another shape", TILING, "out", out=Meta((2, 3, 3), ACL_UINT8)),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", GOOD)
def test_mistakes_are_found_in_this_order(name: str) -> None:
    first = getattr(aclnn, f"{name}GetWorkspaceSize")
    good = {key: value.encode() if isinstance(value, str) else value for key, value in subject(name).good.items()}
    assert_in_order(first, good, ORDERS[name], subject(name).soc.name)


def test_the_number_of_boxes_is_judged_before_null_pointers() -> None:
    changes = {"maxOutputBoxesPerClass": Values((701,)), "boxes": None}
    found = answer(aclnn.aclnnNonMaxSuppressionGetWorkspaceSize, GOOD["aclnnNonMaxSuppression"], changes, INFERENCE)
    assert (found.status, "at most 700" in found.text) == (INVALID, True), found.text


def test_an_array_without_a_value_is_as_a_null_pointer() -> None:
    this = subject("aclnnNonMaxSuppression")
    with Machine(this.soc.name):
        aclrtSetDevice(0)
        found = planned(this, this.changed({"iouThreshold": Values(())}))
    assert (found.status, "parameter: iouThreshold," in found.text) == (NULL, True), found.text


@pytest.mark.fidelity("the place of the test of the product in aclnnCIoU and aclnnNonMaxSuppression")
@pytest.mark.parametrize(
    ("name", "wrong", "status"),
    [("aclnnNonMaxSuppression", {"centerPointBox": 2}, INVALID), ("aclnnCIoU", {"isCross": True}, RUNTIME)],
    ids=["NonMaxSuppression", "CIoU"],
)
def test_the_product_is_judged_after(name: str, wrong: dict[str, object], status: int) -> None:
    this = subject(name)
    with Machine(A2, on_undefined="report"):
        aclrtSetDevice(0)
        assert planned(this, this.changed({next(iter(this.good)): None})).status == NULL
        assert planned(this, this.changed(wrong)).status == status
        assert planned(this, this.good).status == RUNTIME


def test_no_boxes_have_no_overlaps() -> None:
    this = subject("aclnnCIoU")
    boxes, row = Meta((4, 0)), Meta((1, 0))
    with Machine(this.soc.name):
        aclrtSetDevice(0)
        found = planned(this, this.changed({"bBoxes": boxes, "gtBoxes": boxes, "overlap": row, "atanSub": row}))
    assert (found.status, found.workspace_size) == (ACL_SUCCESS, 0), found.text

"""Interpolation, and what all functions that resize share, by their contract."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.device_tensor import device_tensor
from aclnn.ops.resize import taps
from aclnn.testing import run
from tests.aclnn.ops.case import A950, Meta
from tests.aclnn.ops.resize.good_calls import FORMATS, GOOD, RESIZED, image
from tests.derived.values import Values
from tests.helpers.refusals import Mistake, answer, assert_in_order

INVALID, NULL, PLAN = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_INNER_NULLPTR
LINEAR = [
    *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in ("self", "out", "outputSize")),
    Mistake("two dimensions", INVALID, "self", self=Meta((3, 3))),
    Mistake("two sizes", INVALID, "outputSize", outputSize=Values((5, 5))),
    Mistake("no channels", INVALID, "self", self=image(2, 0, 3)),
    Mistake("channels of out", INVALID, "out", out=image(2, 4, 5)),
    Mistake("a scale that does not fit", INVALID, "outputSize", scale=3.0),
    Mistake("type of self", INVALID, "self", self=replace(image(2, 3, 3), dtype=ACL_DOUBLE)),
]
BILINEAR = [
    Mistake("null self", PLAN, "self", self=None),
    Mistake("null out", PLAN, "out", out=None),
    Mistake("null outputSize", INVALID, "outputSize", outputSize=None),
    Mistake("type of self", INVALID, "self", self=replace(image(2, 3, 2, 3), dtype=ACL_INT32)),
    Mistake("type of out", INVALID, "out", out=replace(image(2, 3, 4, 5), dtype=ACL_FLOAT16)),
    Mistake("formats differ", INVALID, "out", out=Meta((2, 3, 4, 5))),
    Mistake("channels", INVALID, "out", out=image(2, 4, 4, 5)),
    Mistake("a negative scale", INVALID, "scalesH", scalesH=-1.0),
    Mistake("one size", INVALID, "outputSize", outputSize=Values((4,))),
    Mistake("another size", INVALID, "out", out=image(2, 3, 4, 6)),
]
BICUBIC_BACK = [
    *(Mistake(f"null {name}", NULL, name, **{name: None})
      for name in ("gradOut", "outputSize", "inputSize", "gradInput")),
    Mistake("a size of 0", INVALID, "outputSize", outputSize=Values((0, 5))),
    Mistake("three dimensions", INVALID, "gradOut", gradOut=image(3, 4, 5)),
    Mistake("three sizes", INVALID, "outputSize", outputSize=Values((4, 5, 5))),
    Mistake("three sizes of the input", INVALID, "inputSize", inputSize=Values((3, 2, 3))),
    Mistake("shape of gradOut", INVALID, "gradOut", gradOut=image(2, 3, 4, 6)),
    Mistake("shape of gradInput", INVALID, "gradInput", gradInput=image(2, 3, 2, 4)),
    Mistake("type of gradOut", INVALID, "gradOut", gradOut=replace(image(2, 3, 4, 5), dtype=ACL_DOUBLE)),
]  # fmt: skip
EXACT_BACK = [
    *(Mistake(f"null {name}", NULL, name, **{name: None})
      for name in ("gradOutput", "inputSize", "out", "outputSize")),
    Mistake("type of gradOutput", INVALID, "gradOutput", gradOutput=replace(image(2, 3, 5), dtype=ACL_DOUBLE)),
    Mistake("formats differ", INVALID, "out", out=Meta((2, 3, 3))),
    Mistake("two dimensions", INVALID, "gradOutput", gradOutput=replace(image(3, 3, 5), shape=(3, 5))),
    Mistake("two sizes of the input", INVALID, "inputSize", inputSize=Values((3, 3))),
    Mistake("two sizes", INVALID, "outputSize", outputSize=Values((5, 5))),
    Mistake("channels", INVALID, "out", out=image(2, 4, 3)),
    Mistake("a negative scale", INVALID, "scales", scales=-1.0),
    Mistake("a size of 0", INVALID, "outputSize", outputSize=Values((0,))),
]  # fmt: skip
ORDERS = {
    "aclnnUpsampleLinear1d": LINEAR, "aclnnUpsampleBilinear2d": BILINEAR,
    "aclnnUpsampleBicubic2dBackward": BICUBIC_BACK, "aclnnUpsampleNearestExact1dBackward": EXACT_BACK,
}  # fmt: skip


def first(name: str) -> Any:
    import aclnn

    return getattr(aclnn, f"{name}GetWorkspaceSize")


def asked(name: str, soc: str = "Ascend910B1", **changes: Any) -> Any:
    return answer(first(name), GOOD[name], changes, soc)


@pytest.mark.fidelity("null outputSize of UpsampleBilinear2d")
@pytest.mark.parametrize("name", ORDERS)
def test_mistakes_are_found_in_this_order(name: str) -> None:
    assert_in_order(first(name), GOOD[name], ORDERS[name])


def resized(call: dict[str, Any], at: int, small: int, large: int) -> dict[str, Any]:
    """The call with other sizes in one dimension, of the input and of the output."""
    found: dict[str, Any] = {}
    for name, value in call.items():
        forward = name in ("gradOut", "gradOutput", "outputSize") or (name == "out" and "inputSize" not in call)
        if isinstance(value, Meta):
            shape = list(value.shape)
            shape[at] = large if forward else small
            found[name] = replace(value, shape=tuple(shape))
        elif isinstance(value, Values):
            sizes = list(value.values)
            sizes[at - 2 if name == "outputSize" else at] = large if forward else small
            found[name] = Values(tuple(sizes))
    return found


@pytest.mark.fidelity("gradOut of UpsampleNearest3dBackward and UpsampleNearestExact1dBackward, Exact2dBackward")
@pytest.mark.parametrize("name", ["Nearest3d", "NearestExact1d", "NearestExact2d"])
def test_gradients_have_the_sizes_of_the_output(name: str) -> None:
    name = f"aclnnUpsample{name}Backward"
    gradient = next(iter(GOOD[name]))
    *front, last = GOOD[name][gradient].shape
    found = asked(name, **{gradient: replace(GOOD[name][gradient], shape=(*front, last + 1))})
    assert (found.status, f"parameter: {gradient}" in found.text) == (INVALID, True)


BACKWARD = [name for name in RESIZED if "inputSize" in GOOD[name]]
LONG = [name for name in BACKWARD if name not in (
    "aclnnUpsampleNearest1dBackward", "aclnnUpsampleNearest2dBackward", "aclnnUpsampleNearestExact1dBackward",
    "aclnnUpsampleNearestExact2dBackward", "aclnnUpsampleBilinear2dBackward", "aclnnUpsampleBicubic2dAAGrad",
    "aclnnUpsampleLinear1dBackward",
)]  # fmt: skip


@pytest.mark.parametrize("name", [*LONG, "aclnnUpsampleLinear1dBackward", "aclnnUpsampleNearest2d"])
def test_long_dimensions_are_refused_before_ascend_950(name: str) -> None:
    if name.endswith("1dBackward"):  # (so long a row has a scale beyond another limit)
        call = resized(GOOD[name], 2, 2**31, 2**31)
    elif name == "aclnnUpsampleNearest2d":
        call = {"self": image(2, 3, 2**31, 3)}
    else:
        call = resized(GOOD[name], 2, 2**28, 2**31)
    found = asked(name, **call)
    assert (found.status, "at most 2147483647" in found.text) == (INVALID, True), found.text
    if name == "aclnnUpsampleNearest2d":
        assert asked(name, A950, **call).status == ACL_SUCCESS


EMPTY = [name for name in RESIZED if name not in ("aclnnUpsampleNearestExact1d",)]


@pytest.mark.parametrize("name", EMPTY)
def test_an_empty_batch_needs_no_work(name: str) -> None:
    changes = {key: replace(value, shape=(0, *value.shape[1:]))
               for key, value in GOOD[name].items() if isinstance(value, Meta)}  # fmt: skip
    if "inputSize" in GOOD[name]:
        changes["inputSize"] = Values((0, *GOOD[name]["inputSize"].values[1:]))
    found = asked(name, **changes)
    assert (found.status, found.workspace_size) == (ACL_SUCCESS, 0), found.text


def test_an_empty_batch_is_refused_by_one() -> None:
    changes = {"self": image(0, 3, 3), "out": image(0, 3, 5)}
    assert "parameter: self" in asked("aclnnUpsampleNearestExact1d", **changes).text


@pytest.mark.parametrize(
    ("name", "scale", "refused", "accepted"),
    [
        ("aclnnUpsampleBicubic2dAA", "scalesH", 0.019, 0.021), ("aclnnUpsampleBilinear2dAA", "scalesW", 0.019, 0.021),
        ("aclnnUpsampleLinear1dBackward", "scales", 0.0019, 0.0021),
        ("aclnnUpsampleNearestExact1dBackward", "scales", 51.0, 49.0),
        ("aclnnUpsampleNearestExact2dBackward", "scalesH", 51.0, 49.0),
        ("aclnnUpsampleBicubic2dAAGrad", "scalesH", 51.0, 49.0),
        ("aclnnUpsampleBilinear2dAABackward", "scalesW", 51.0, 49.0),
    ],
)  # fmt: skip
def test_real_scales_have_limits(name: str, scale: str, refused: float, accepted: float) -> None:
    found = asked(name, **{scale: refused})
    assert (found.status, "the real scale" in found.text.lower()) == (INVALID, True), found.text
    assert asked(name, **{scale: accepted}).status == ACL_SUCCESS
    if "Exact" not in name:
        assert asked(name, A950, **{scale: refused}).status == ACL_SUCCESS


def test_real_scales_have_limits_in_three_dimensions() -> None:
    name = "aclnnUpsampleNearestExact3dBackward"
    scales = {"scalesD": 0.019, "scalesH": 1.0, "scalesW": 1.0}
    assert "at most 50" in asked(name, **scales).text
    assert asked(name, **scales | {"scalesW": 0.0}).status == ACL_SUCCESS, "they count together"


def test_the_size_fits_the_scales() -> None:
    scales = {"scalesD": 1.5, "scalesH": 4 / 3, "scalesW": 1.0}
    assert asked("aclnnUpsampleNearestExact3d", **scales).status == ACL_SUCCESS
    assert "parameter: outputSize" in asked("aclnnUpsampleNearestExact3d", **scales | {"scalesD": 2.0}).text
    assert "parameter: outputSize" in asked("aclnnUpsampleBicubic2d", scalesH=3.0).text
    assert asked("aclnnUpsampleBicubic2d", A950, scalesH=3.0).status == ACL_SUCCESS


def test_formats_on_ascend_950() -> None:
    name = "aclnnUpsampleBilinear2dBackward"
    plain = {each: replace(GOOD[name][each], format=ACL_FORMAT_ND) for each in ("gradOut", "out")}
    assert asked(name, **plain).status == ACL_SUCCESS
    assert "parameter: gradOut" in asked(name, A950, **plain).text
    assert "parameter: out" in asked(name, A950, out=plain["out"]).text


# figures


def one(function: Any, x: np.ndarray, size: Any, *rest: Any, format: int | None = None) -> np.ndarray:
    """A call with one tensor, whose images get other sizes."""
    out = np.empty((*x.shape[:2], *size) if format is None else (x.shape[0], *size, x.shape[-1]), x.dtype)
    with Machine():
        aclrtSetDevice(0)
        given, to = (device_tensor(each, format=FORMATS[x.ndim] if format is None else format) for each in (x, out))
        return run(function, given, list(size), *rest, to)


ROW = np.array([[[0, 4, 8]]], np.float32)


def test_two_neighbours_by_hand() -> None:
    assert one(aclnnUpsampleLinear1d, ROW, [6], False, 0.0).ravel().tolist() == [0, 1, 3, 5, 7, 8]
    assert one(aclnnUpsampleLinear1d, ROW, [5], True, 0.0).ravel().tolist() == [0, 2, 4, 6, 8]
    assert one(aclnnUpsampleLinear1d, ROW, [1], True, 0.0).ravel().tolist() == [0]


def test_four_neighbours_by_hand() -> None:
    """Half between two elements the weights are -3/32, 19/32, 19/32, -3/32."""
    x = np.array([0, 32, 64, 32], np.float32).reshape(1, 1, 1, 4)
    found = one(aclnnUpsampleBicubic2d, x, [1, 7], True, 0.0, 0.0)
    assert found.ravel().tolist() == [0, 13, 32, 54, 64, 51, 32]


def test_a_filter_covers_what_becomes_one_element() -> None:
    """Weights of 2, 3, 2, 1, as far as the triangle around the middle of three elements lies in the row."""
    x = np.arange(6, dtype=np.float32).reshape(1, 1, 1, 6)
    found = one(aclnnUpsampleBilinear2dAA, x, [1, 2], False, 0.0, 0.0)
    assert np.allclose(found.ravel(), [(0 * 2 + 1 * 3 + 2 * 2 + 3 * 1) / 8, (2 * 1 + 3 * 2 + 4 * 3 + 5 * 2) / 8])


def test_double_is_computed_in_nhwc() -> None:
    x = np.array([0, 1], np.float64).reshape(1, 1, 2, 1)
    found = one(aclnnUpsampleBilinear2d, x, [1, 3], True, 0.0, 0.0, format=ACL_FORMAT_NHWC)
    assert found.ravel().tolist() == [0, 0.5, 1]
    wide = {each: replace(GOOD["aclnnUpsampleBilinear2d"][each], dtype=ACL_DOUBLE) for each in ("self", "out")}
    assert "DT_DOUBLE" in asked("aclnnUpsampleBilinear2d", **wide).text


@pytest.mark.parametrize("panel", [1, 40])
def test_panels_give_what_one_piece_gives(panel: int, monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.random.default_rng(0).standard_normal((2, 3, 4, 5)).astype(np.float32)
    both = [taps.cubic(4, 7), taps.linear(5, 3)]
    whole = taps.resampled_as_written(x, axes=(2, 3), taps=both)
    last = taps.resampled_as_written(np.moveaxis(x, 1, -1), axes=(1, 2), taps=both)
    monkeypatch.setattr(taps, "PANEL", panel)
    assert np.array_equal(taps.resampled_as_written(x, axes=(2, 3), taps=both), whole)
    assert np.array_equal(np.moveaxis(last, -1, 1), whole)


def test_infinity_stays_where_it_is() -> None:
    """Elements without a weight are no terms: 0 * infinity would be NaN."""
    slope = np.array([[[np.inf, 1, 1, 1]]], np.float32)
    with Machine():
        aclrtSetDevice(0)
        given, out = (device_tensor(each, format=ACL_FORMAT_NCL) for each in (slope, np.empty((1, 1, 9), np.float32)))
        found = run(aclnnUpsampleNearest1dBackward, given, [4], [1, 1, 9], 0.0, out)
    assert found.ravel().tolist() == [np.inf, 0, 1, 0, 1, 0, 1, 0, 0]

"""aclnnConvolution and aclnnConvDepthwise2d by their contract."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.ops.convolution import sums
from tests.aclnn.ops.case import A200I, A950, INFERENCE, Meta
from tests.aclnn.ops.convolution.good_calls import GOOD, image
from tests.aclnn.ops.convolution.labelled import convolved
from tests.derived.values import Values
from tests.helpers.refusals import Mistake, answer, assert_in_order

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
FORWARD = GOOD["aclnnConvolution"]
SPREAD = FORWARD | {
    "input": image(2, 6, 2, 3), "weight": image(6, 2, 3, 2), "bias": None, "transposed": True,
    "outputPadding": Values((1, 0)), "output": image(2, 4, 4, 5), "groups": 2,
}  # fmt: skip
"""a transposed convolution"""
FIRST = aclnnConvolutionGetWorkspaceSize
SHARED = [
    *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in ("input", "weight", "stride", "output")),
    Mistake("type of weight", INVALID, "weight", weight=replace(image(6, 2, 3, 2), dtype=ACL_INT32)),
    Mistake("type of output", INVALID, "output", output=replace(image(2, 6, 2, 3), dtype=ACL_DOUBLE)),
    Mistake("two dimensions", INVALID, "input", input=Meta((2, 4), ACL_FLOAT16)),
    Mistake("ranks of input and weight", INVALID, "weight", weight=image(6, 2, 3)),
    Mistake("bias of a matrix", INVALID, "bias", bias=Meta((1, 6))),
    Mistake("length of bias", INVALID, "bias", bias=Meta((7,))),
    Mistake("length of stride", INVALID, "stride", stride=Values((1,))),
    Mistake("length of padding", INVALID, "padding", padding=Values((1, 1, 1))),
    Mistake("length of dilation", INVALID, "dilation", dilation=Values((1,))),
]
MISTAKES = [
    *SHARED,
    Mistake("an ND label", INVALID, "input", input=Meta((2, 4, 4, 5), ACL_FLOAT16)),
    Mistake("label of bias", INVALID, "bias", bias=Meta((6,), ACL_FLOAT, ACL_FORMAT_NHWC)),
    Mistake("a kernel of 0", INVALID, "weight", weight=image(6, 2, 0, 2)),
    Mistake("stride of 0", INVALID, "stride", stride=Values((0, 1))),
    Mistake("dilation of 0", INVALID, "dilation", dilation=Values((0, 1))),
    Mistake("groups of 0", INVALID, "groups", groups=0, bias=None),
    Mistake("a short input", INVALID, "input", input=image(2, 4, 0, 5)),
    Mistake("channels", INVALID, "input", input=image(2, 6, 4, 5)),
    Mistake("groups that do not divide", INVALID, "input", weight=image(5, 2, 3, 2), bias=None),
    Mistake("shape of output", INVALID, "output", output=image(2, 6, 2, 4)),
    Mistake("cubeMathType", INVALID, "cubeMathType", cubeMathType=5),
]
TRANSPOSED = [
    *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in ("dilation", "outputPadding")),
    Mistake("length of outputPadding", INVALID, "outputPadding", outputPadding=Values((0,))),
    Mistake("channels of the other side", INVALID, "input", input=image(2, 4, 2, 3)),
    Mistake("negative outputPadding", INVALID, "outputPadding", outputPadding=Values((-1, 0))),
    Mistake("outputPadding not below stride or dilation", INVALID, "outputPadding", outputPadding=Values((2, 0))),
    Mistake("a far reach", INVALID, "weight", weight=image(6, 2, 3, 300)),
    Mistake("shape of output", INVALID, "output", output=image(2, 4, 4, 6)),
]


def test_mistakes_are_found_in_this_order() -> None:
    assert_in_order(FIRST, FORWARD, MISTAKES)
    assert_in_order(FIRST, SPREAD, TRANSPOSED)


def test_an_output_padding_is_only_looked_at_when_transposed() -> None:
    assert answer(FIRST, FORWARD, {"outputPadding": None}).status == ACL_SUCCESS
    assert answer(FIRST, FORWARD, {"outputPadding": Values((9,))}).status == ACL_SUCCESS


def test_an_output_of_an_empty_input_is_empty() -> None:
    none = {"weight": image(0, 2, 3, 2), "bias": None, "output": image(2, 0, 2, 3)}
    assert answer(FIRST, FORWARD, none).workspace_size == 0
    full = {"input": image(2, 0, 4, 5), "weight": image(6, 0, 3, 2)}
    assert "parameter: output" in answer(FIRST, FORWARD, full).text


def test_ascend_310b_has_two_dimensions_forward() -> None:
    half = {"cubeMathType": 1}
    assert answer(FIRST, FORWARD, half, A200I).status == ACL_SUCCESS
    assert "parameter: input" in answer(FIRST, SPREAD, half, A200I).text


def test_float8_has_a_transposed_convolution_only() -> None:
    small = {name: replace(SPREAD[name], dtype=ACL_FLOAT8_E4M3FN) for name in ("input", "weight", "output")}
    assert answer(FIRST, SPREAD, small, A950).status == ACL_SUCCESS
    small = {name: replace(FORWARD[name], dtype=ACL_FLOAT8_E4M3FN) for name in ("input", "weight", "output")}
    assert "parameter: input" in answer(FIRST, FORWARD, small, A950).text


@pytest.mark.fidelity("labels of convolutions")
@pytest.mark.parametrize(("name", "format"), [("input", ACL_FORMAT_NHWC), ("weight", ACL_FORMAT_FRACTAL_Z)])
def test_other_labels_are_refused(name: str, format: int) -> None:
    found = answer(FIRST, FORWARD, {name: replace(FORWARD[name], format=format)})
    assert (found.status, f"parameter: {name}" in found.text) == (INVALID, True)


# figures


def one(x: Any, weight: Any, size: int, *rest: Any, bias: Any = None, math: int = 0, **numbers: Any) -> Any:
    """A convolution in one dimension, of nested lists."""
    words = {"stride": [1], "padding": [0], "dilation": [1], "transposed": False, "outputPadding": [0], "groups": 1}
    given = {**words, **numbers}
    x, weight = (np.array(each, np.float32) for each in (x, weight))
    channels = weight.shape[1] * given["groups"] if given["transposed"] else len(weight)
    out = np.empty((len(x), channels, size), np.float32)
    with Machine():
        aclrtSetDevice(0)
        return convolved(aclnnConvolution, x, weight, bias, *given.values(), out, math)


def test_a_convolution_by_hand() -> None:
    assert one([[[1, 2, 3]]], [[[10, 1]]], 2).tolist() == [[[12, 23]]]
    assert one([[[1, 2, 3]]], [[[10, 1]]], 2, bias=np.array([100], np.float32)).tolist() == [[[112, 123]]]
    assert one([[[1, 2, 3]]], [[[10, 1]]], 4, padding=[1]).tolist() == [[[1, 12, 23, 30]]]
    assert one([[[1, 2, 3]]], [[[10, 1]]], 3, padding=[0, 1]).tolist() == [[[12, 23, 30]]], "left, right"
    assert one([[[1, 2, 3]]], [[[10, 1]]], 1, dilation=[2]).tolist() == [[[13]]]


def test_channels_in_groups() -> None:
    x = [[[1, 2, 3], [4, 5, 6]]]
    assert one(x, [[[1, 1]], [[1, -1]]], 2, groups=2).tolist() == [[[3, 5], [-1, -1]]]
    assert one(x, [[[1], [10]]], 3).tolist() == [[[41, 52, 63]]]


def test_a_transposed_convolution_by_hand() -> None:
    spread = {"transposed": True, "stride": [2]}
    assert one([[[1, 2, 3]]], [[[10, 1]]], 6, **spread).tolist() == [[[10, 1, 20, 2, 30, 3]]]
    assert one([[[1, 2, 3]]], [[[10, 1]]], 7, outputPadding=[1], **spread).tolist() == [[[10, 1, 20, 2, 30, 3, 0]]]
    assert one([[[1, 2, 3]]], [[[10, 1]]], 4, padding=[1], **spread).tolist() == [[[1, 20, 2, 30]]]
    assert one([[[1, 2]]], [[[1, 1]]], 3, transposed=True).tolist() == [[[1, 3, 2]]]


def test_four_numbers_of_padding_are_top_bottom_left_right() -> None:
    x, weight = np.ones((1, 1, 1, 1), np.float32), np.ones((1, 1, 1, 1), np.float32)
    with Machine():
        aclrtSetDevice(0)
        found = convolved(aclnnConvolution, x, weight, None, [1, 1], [2, 0, 0, 1], [1, 1], False, [0, 0], 1,
                          np.empty((1, 1, 3, 2), np.float32), 0)  # fmt: skip
    assert found.tolist() == [[[[0, 0], [0, 0], [1, 0]]]]


def test_a_strided_output_gets_the_result_through_its_strides() -> None:
    x, weight = np.arange(3, dtype=np.float32).reshape(1, 1, 3), np.ones((2, 1, 1), np.float32)
    with Machine():
        aclrtSetDevice(0)
        out = np.zeros((1, 3, 2), np.float32).transpose(0, 2, 1)
        found = convolved(aclnnConvolution, x, weight, None, [1], [0], [1], False, [0], 1, out, 0)
    assert found.tolist() == [[[0, 1, 2]] * 2]


@pytest.mark.parametrize("groups", [1, 2, 4])
@pytest.mark.parametrize(("transposed", "sizes"), [(False, (5, 4)), (True, (17, 16))])
def test_panels_give_what_one_piece_gives(
    groups: int, transposed: bool, sizes: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Small integers, whose sums are exact."""
    random = np.random.default_rng(0)
    shapes = (3, 4, 9, 8), (4, 4 // groups, 3, 2)
    x, weight = (random.integers(-3, 4, shape).astype(np.float32) for shape in shapes)
    out, more = np.empty((3, 4, *sizes), np.float32), [0, 1] if transposed else [0, 0]
    found: list[Any] = []
    for panel in (sums.PANEL, 70, 1):
        monkeypatch.setattr(sums, "PANEL", panel)
        with Machine():
            aclrtSetDevice(0)
            numbers = [2, 2], [1, 1], [1, 2], transposed, more, groups
            found.append(convolved(aclnnConvolution, x, weight, None, *numbers, out, 0))
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])


# data types

FINE = 1 + 2**-12
"""is rounded to 1 in FLOAT16"""


def test_use_fp16_rounds_inputs_and_result() -> None:
    x, weight = np.full((1, 1, 1), FINE, np.float32), np.full((1, 1, 1), 3, np.float32)
    for math, wanted in ((0, np.float32(3 * FINE)), (2, 3)):
        assert one(x, weight, 1, math=math).item() == wanted
    assert one(np.full((1, 1, 1), 300), np.full((1, 1, 1), 300), 1, math=2).item() == np.inf


def test_the_bias_is_added_before_the_result_is_rounded() -> None:
    x, weight = np.full((1, 1, 1), 1, np.float16), np.full((1, 1, 1), 2048, np.float16)
    with Machine():
        aclrtSetDevice(0)
        found = convolved(aclnnConvolution, x, weight, np.array([1.5], np.float32), [1], [0], [1], False, [0], 1,
                          np.empty((1, 1, 1), np.float16), 0)  # fmt: skip
    assert found.item() == 2050, "2049.5, rounded once"


@pytest.mark.parametrize("math", range(-1, 6))
def test_cube_math_type_of_float_by_product(math: int) -> None:
    wide = {name: replace(FORWARD[name], dtype=ACL_FLOAT) for name in ("input", "weight", "output")}
    for soc, allowed in ((A950, range(5)), (INFERENCE, (1, 2))):
        status = answer(FIRST, FORWARD, wide | {"cubeMathType": math}, soc).status
        assert status == (ACL_SUCCESS if math in allowed else INVALID)


@pytest.mark.fidelity("HFLOAT32")
def test_hf32_rounds_the_inputs_if_the_machine_does() -> None:
    x, weight = np.full((1, 1, 1), 1 + 2**-20, np.float32), np.ones((1, 1, 1), np.float32)
    arguments = x, weight, None, [1], [0], [1], False, [0], 1, np.empty((1, 1, 1), np.float32), 3
    for hf32, wanted in ((True, 1), (False, 1 + 2**-20)):
        with Machine(hf32=hf32) as machine:
            aclrtSetDevice(0)
            assert convolved(aclnnConvolution, *arguments).item() == wanted
            assert [each.id for each in machine.findings] == [] if hf32 else ["hf32"]


# the depthwise convolution

DEPTHWISE = [
    Mistake("null kernelSize", NULL, "kernelSize", kernelSize=None),
    Mistake("type of self", INVALID, "self", self=replace(image(2, 3, 4, 5), dtype=ACL_INT8)),
    Mistake("three dimensions", INVALID, "weight", weight=image(6, 1, 3)),
    Mistake("length of bias", INVALID, "bias", bias=Meta((7,))),
    Mistake("length of stride", INVALID, "stride", stride=Values((1,))),
    Mistake("an ND label", INVALID, "out", out=Meta((2, 6, 2, 3), ACL_FLOAT16)),
    Mistake("stride of 0", INVALID, "stride", stride=Values((0, 1))),
    Mistake("channels", INVALID, "weight", weight=image(6, 2, 3, 2)),
    Mistake("shape of out", INVALID, "out", out=image(2, 6, 3, 3)),
    Mistake("cubeMathType", INVALID, "cubeMathType", cubeMathType=-1),
    Mistake("another kernel", INVALID, "kernelSize", kernelSize=Values((2, 2))),
]


def test_mistakes_of_a_depthwise_convolution_are_found_in_this_order() -> None:
    assert_in_order(aclnnConvDepthwise2dGetWorkspaceSize, GOOD["aclnnConvDepthwise2d"], DEPTHWISE)


def test_each_channel_is_a_group() -> None:
    x = np.arange(2, dtype=np.float32).reshape(1, 2, 1, 1)
    weight = np.array([1, 2, 3, 4], np.float32).reshape(4, 1, 1, 1)
    with Machine():
        aclrtSetDevice(0)
        found = convolved(aclnnConvDepthwise2d, x, weight, [1, 1], None, [1, 1], [0, 0], [1, 1],
                          np.empty((1, 4, 1, 1), np.float32), 0)  # fmt: skip
    assert found.ravel().tolist() == [0, 0, 3, 4]

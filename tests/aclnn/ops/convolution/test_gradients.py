"""aclnnConvolutionBackward by its contract."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A950, INFERENCE, Meta
from tests.aclnn.ops.convolution.good_calls import GOOD, image
from tests.aclnn.ops.convolution.labelled import labelled
from tests.derived.values import Values
from tests.helpers.refusals import Mistake, answer, assert_in_order

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
BACK = GOOD["aclnnConvolutionBackward"]
FIRST = aclnnConvolutionBackwardGetWorkspaceSize
GIVEN = ("gradOutput", "input", "weight")
OBJECTS = (*GIVEN, "stride", "padding", "dilation", "outputPadding", "outputMask")
MISTAKES = [
    *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in OBJECTS),
    Mistake("two flags", NULL, "outputMask", outputMask=Values((True, True))),
    Mistake("null gradInput", NULL, "gradInput", gradInput=None),
    Mistake("null gradBias", NULL, "gradBias", gradBias=None),
    Mistake("type of input", INVALID, "input", input=replace(image(2, 4, 4, 5), dtype=ACL_INT32)),
    Mistake("type of gradBias", INVALID, "gradBias", gradBias=Meta((6,), ACL_INT32)),
    Mistake("an ND label", INVALID, "gradOutput", gradOutput=Meta((2, 6, 2, 3), ACL_FLOAT16)),
    Mistake("label of gradBias", INVALID, "gradBias", gradBias=Meta((6,), ACL_FLOAT16, ACL_FORMAT_NCHW)),
    Mistake("stride of 0", INVALID, "stride", stride=Values((0, 1))),
    Mistake("negative padding", INVALID, "padding", padding=Values((0, -1))),
    Mistake("dilation of 0", INVALID, "dilation", dilation=Values((0, 1))),
    Mistake("outputPadding", INVALID, "outputPadding", outputPadding=Values((1, 0))),
    Mistake("groups of 0", INVALID, "groups", groups=0),
    Mistake("cubeMathType", INVALID, "cubeMathType", cubeMathType=5),
    Mistake("ranks", INVALID, "gradOutput", gradOutput=image(2, 6, 2)),
    Mistake("an empty gradOutput", INVALID, "gradOutput", gradOutput=image(2, 6, 2, 0)),
    Mistake("shape of gradInput", INVALID, "gradInput", gradInput=image(2, 4, 4, 6)),
    Mistake("shape of gradWeight", INVALID, "gradWeight", gradWeight=image(6, 2, 3, 3)),
    Mistake("shape of gradBias", INVALID, "gradBias", gradBias=Meta((5,), ACL_FLOAT16)),
    Mistake("length of stride", INVALID, "stride", stride=Values((1,))),
    Mistake("length of padding", INVALID, "padding", padding=Values((1, 1, 1))),
    Mistake("channels", INVALID, "weight", groups=4, gradBias=Meta((6,), ACL_FLOAT16)),
    Mistake("size of gradOutput", INVALID, "gradOutput", gradOutput=image(2, 6, 2, 4)),
]


def test_mistakes_are_found_in_this_order() -> None:
    assert_in_order(FIRST, BACK, MISTAKES)


@pytest.mark.parametrize("at", range(3))
def test_an_output_that_is_masked_out_may_be_null(at: int) -> None:
    flags = [True] * 3
    flags[at] = False
    name = ("gradInput", "gradWeight", "gradBias")[at]
    found = answer(FIRST, BACK, {"outputMask": Values(tuple(flags)), name: None})
    assert found.status == ACL_SUCCESS, found.text
    wrong = answer(FIRST, BACK, {"outputMask": Values(tuple(flags)), name: replace(BACK[name], dtype=ACL_INT32)})
    assert f"parameter: {name}" in wrong.text, "its data type counts nevertheless"


def test_types_are_those_of_the_inputs_on_ascend_950() -> None:
    for name in ("gradInput", "gradWeight", "gradBias"):
        changes = {name: replace(BACK[name], dtype=ACL_FLOAT)}
        assert f"parameter: {name}" in answer(FIRST, BACK, changes, A950).text
        assert answer(FIRST, BACK, changes).status == ACL_SUCCESS


def test_old_products_refuse_empty_tensors_and_three_values_of_cube_math_type() -> None:
    none = {"input": image(0, 4, 4, 5), "gradInput": image(0, 4, 4, 5), "gradOutput": image(0, 6, 2, 3)}
    assert answer(FIRST, BACK, none).status == ACL_SUCCESS
    assert answer(FIRST, BACK, none, INFERENCE).status == INVALID
    weightless = {"weight": image(0, 2, 3, 2), "gradWeight": image(0, 2, 3, 2)}
    assert "parameter: weight" in answer(FIRST, BACK, weightless, INFERENCE).text
    lone = {"input": image(0, 4, 4, 5), "gradInput": image(0, 4, 4, 5)}
    assert "parameter: gradOutput" in answer(FIRST, BACK, lone, INFERENCE).text
    wide = {name: replace(BACK[name], dtype=ACL_FLOAT) for name in GIVEN}
    found = [answer(FIRST, BACK, wide | {"cubeMathType": math}, INFERENCE).status for math in range(5)]
    assert found == [INVALID, ACL_SUCCESS, ACL_SUCCESS, INVALID, INVALID]


def test_an_empty_input_needs_the_sizes_of_bias() -> None:
    none = {"input": image(0, 4, 4, 5), "gradInput": image(0, 4, 4, 5), "gradOutput": image(0, 6, 2, 3)}
    for sizes in (None, Values((5,)), Values((6, 6))):
        assert "parameter: biasSizes" in answer(FIRST, BACK, none | {"biasSizes": sizes}).text
    maskless = {"biasSizes": None, "outputMask": Values((True, True, False))}
    assert answer(FIRST, BACK, none | maskless).status == ACL_SUCCESS
    flat = {"input": image(2, 4, 0, 5), "gradInput": image(2, 4, 0, 5)}
    assert "parameter: input" in answer(FIRST, BACK, flat).text


def backward(slope: Any, x: Any, weight: Any, *, math: int = 0, mask: Any = (True, True, True), **numbers: Any) -> Any:
    """The gradients of a convolution in one dimension."""
    given = {"stride": [1], "padding": [0], "dilation": [1], "transposed": False, "outputPadding": [0], "groups": 1}
    given |= numbers
    tensors = [labelled(each) for each in (slope, x, weight)]
    count = weight.shape[1] if given["transposed"] else len(weight)
    outs = [labelled(np.empty_like(each)) for each in (x, weight)]
    return run(aclnnConvolutionBackward, *tensors, [count], *given.values(), list(mask), math, *outs,
               np.empty(count, x.dtype))  # fmt: skip


def row(*values: float) -> np.ndarray:
    return np.array([[values]], np.float32)


def test_gradients_by_hand() -> None:
    """out = [10 a + b, 10 b + c] of [a, b, c]"""
    with Machine():
        aclrtSetDevice(0)
        found = backward(row(1, 2), row(3, 4, 5), row(10, 1))
        assert [each.ravel().tolist() for each in found] == [[10, 21, 2], [11, 14], [3]]
        found = backward(row(1, 2, 3), row(4, 5), row(10, 1), transposed=True)
        assert [each.ravel().tolist() for each in found] == [[12, 23], [14, 23], [6]]


def test_empty_inputs_give_zeros_and_the_sums_of_grad_output() -> None:
    """Convolutions without channels give their bias everywhere."""
    x, weight = np.empty((2, 0, 3), np.float32), np.empty((1, 0, 2), np.float32)
    with Machine():
        aclrtSetDevice(0)
        _, _, bias = backward(np.ones((2, 1, 2), np.float32), x, weight)
        assert bias.tolist() == [4]
        x, weight = np.empty((0, 1, 3), np.float32), np.ones((1, 1, 2), np.float32)
        _, slopes, bias = backward(np.ones((0, 1, 2), np.float32), x, weight)
    assert (slopes.tolist(), bias.tolist()) == ([[[0, 0]]], [0])


def test_sums_are_rounded_once() -> None:
    """FLOAT16 has every second integer from 2048 on. Partial sums that are rounded would stay at 2048."""
    slope = np.array([[[2048, 0.5, 0.5]]], np.float16)
    with Machine():
        aclrtSetDevice(0)
        _, weight, bias = backward(slope, np.ones((1, 1, 3), np.float16), np.ones((1, 1, 1), np.float16))
    assert (weight.item(), bias.item()) == (2048, 2048), "2049 is halfway, and goes to even"
    with Machine():
        aclrtSetDevice(0)
        _, weight, _ = backward(
            slope + np.float16(0.75), np.ones((1, 1, 3), np.float16), np.ones((1, 1, 1), np.float16)
        )
    assert weight.item() == 2050, "2048 + 1.25 + 1.25"


@pytest.mark.fidelity("outputs that are all masked off")
def test_no_gradient_is_computed_where_the_mask_has_no_true_flag() -> None:
    found = answer(FIRST, BACK, {"outputMask": Values((False, False, False))})
    assert (found.status, found.workspace_size) == (ACL_SUCCESS, 0), found.text
    with Machine():
        aclrtSetDevice(0)
        found = backward(row(1, 2), row(3, 4, 5), row(10, 1), mask=(False, False, False))
        assert np.isnan(found[2]).all()  # the memory of gradBias keeps its fill

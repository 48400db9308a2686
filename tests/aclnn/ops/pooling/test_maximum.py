"""Maximum pooling by its contract: the values, and the places."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A950, TRAINING, Meta
from tests.aclnn.ops.pooling.good_calls import GOOD, LARGE, MASK, SMALL, image
from tests.derived.values import Values
from tests.helpers.refusals import Mistake, answer, assert_in_order, made

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
POOL = [
    *(Mistake(f"null {name}", NULL, name, **{name: None})
      for name in ("self", "kernelShape", "strides", "pads", "dilations", "out")),
    Mistake("type of self", INVALID, "self", self=replace(image(*LARGE), dtype=ACL_BF16)),
    Mistake("type of out", INVALID, "out", out=replace(image(*SMALL), dtype=ACL_FLOAT16)),
    Mistake("format of out", INVALID, "out", out=Meta(SMALL)),
    Mistake("two dimensions", INVALID, "self", self=image(4, 4)),
    Mistake("ranks", INVALID, "out", out=image(3, 2, 3)),
    Mistake("three numbers of the kernel", INVALID, "kernelShape", kernelShape=Values((1, 1, 1))),
    Mistake("kernel of 0", INVALID, "kernelShape", kernelShape=Values((0, 2))),
    Mistake("stride of 0", INVALID, "strides", strides=Values((0,))),
    Mistake("autoPad", INVALID, "autoPad", autoPad=1),
    Mistake("three pads", INVALID, "pads", pads=Values((1, 1, 1))),
    Mistake("dilation of 2", INVALID, "dilations", dilations=Values((1, 2))),
    Mistake("long pads", INVALID, "pads", pads=Values((2, 0, 2, 0))),
    Mistake("shape of out", INVALID, "out", out=image(2, 3, 3, 3)),
]  # fmt: skip


def numbers(*, own: bool = True) -> list[Mistake]:
    """The mistakes in the arrays. `own`: the length of kernelSize is looked at here."""
    length = [Mistake("three numbers of the kernel", INVALID, "kernelSize", kernelSize=Values((1, 1, 1, 1)))]
    return [
        *(length if own else []),
        Mistake("four strides", INVALID, "stride", stride=Values((1, 1, 1, 1))),
        Mistake("no padding", INVALID, "padding", padding=Values(())),
        Mistake("no dilation", INVALID, "dilation", dilation=Values(())),
        Mistake("kernel of 0", INVALID, "kernelSize", kernelSize=Values((0,))),
        Mistake("stride of 0", INVALID, "stride", stride=Values((0,))),
        Mistake("negative padding", INVALID, "padding", padding=Values((-1,))),
        Mistake("dilation of 2", INVALID, "dilation", dilation=Values((2,))),
        Mistake("a long padding", INVALID, "padding", padding=Values((3,))),
    ]


def with_places(name: str) -> list[Mistake]:
    good = GOOD[name]
    masked = name.endswith("Mask")
    first = ("kernelSize", "self", "out") if masked else ("self", "kernelSize")
    length = Mistake("three numbers of the kernel", INVALID, "kernelSize", kernelSize=Values((1, 1, 1)))
    shape = good["out"].shape
    return [
        *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in first), *([length] if masked else []),
        Mistake("null indices", NULL, "indices", indices=None),
        Mistake("type of self", INVALID, "self", self=replace(good["self"], dtype=ACL_INT32)),
        Mistake("type of out", INVALID, "out", out=replace(good["out"], dtype=ACL_FLOAT16)),
        Mistake("type of indices", INVALID, "indices", indices=replace(good["indices"], dtype=ACL_UINT8)),
        Mistake("format of out", INVALID, "out", out=replace(good["out"], format=ACL_FORMAT_NHWC)),
        Mistake("one dimension", INVALID, "self", self=replace(good["self"], shape=(4,))),
        *numbers(own=not masked),
        Mistake("no channels", INVALID, "self", self=replace(good["self"], shape=(2, 0, *good["self"].shape[2:]))),
        Mistake("shape of out", INVALID, "out", out=replace(good["out"], shape=(*shape[:-1], shape[-1] + 1))),
        Mistake("shape of indices", INVALID, "indices", indices=replace(good["indices"], shape=(1, 1, 1, 1))),
    ]  # fmt: skip


def gradient(name: str) -> list[Mistake]:
    good = GOOD[name]
    masked = "Mask" in name
    first = ("kernelSize", "self", "gradOutput") if masked else ("gradOutput", "self", "indices", "kernelSize")
    shape = good["gradOutput"].shape
    return [
        *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in (*first, "gradInput")),
        Mistake("type of gradOutput", INVALID, "gradOutput", gradOutput=replace(good["gradOutput"], dtype=ACL_DOUBLE)),
        Mistake("type of gradInput", INVALID, "gradInput", gradInput=replace(good["gradInput"], dtype=ACL_FLOAT16)),
        Mistake("type of indices", INVALID, "indices", indices=replace(good["indices"], dtype=ACL_UINT8)),
        Mistake("format of gradInput", INVALID, "gradInput",
                gradInput=replace(good["gradInput"], format=ACL_FORMAT_NHWC)),
        Mistake("one dimension", INVALID, "self", self=replace(good["self"], shape=(4,))),
        *numbers(own=not masked),
        Mistake("no channels", INVALID, "self", self=replace(good["self"], shape=(2, 0, *good["self"].shape[2:]))),
        Mistake("shape of gradInput", INVALID, "gradInput", gradInput=replace(good["gradInput"], shape=shape)),
        Mistake("shape of gradOutput", INVALID, "gradOutput",
                gradOutput=replace(good["gradOutput"], shape=(*shape[:-1], shape[-1] + 1))),
        Mistake("shape of indices", INVALID, "indices", indices=replace(good["indices"], shape=(1, 1, 1, 1))),
    ]  # fmt: skip


ORDERS = {
    "aclnnMaxPool": POOL,
    **{name: with_places(name)
       for name in ("aclnnMaxPool2dWithIndices", "aclnnMaxPool2dWithMask", "aclnnMaxPool3dWithArgmax")},
    **{name: gradient(name)
       for name in ("aclnnMaxPool2dWithIndicesBackward", "aclnnMaxPool2dWithMaskBackward",
                    "aclnnMaxPool3dWithArgmaxBackward")},
}  # fmt: skip


def first(name: str) -> Any:
    import aclnn

    return getattr(aclnn, f"{name}GetWorkspaceSize")


@pytest.mark.fidelity("shape of indices in MaxPool2dWithIndicesBackward")
@pytest.mark.parametrize("name", ORDERS)
def test_mistakes_are_found_in_this_order(name: str) -> None:
    assert_in_order(first(name), GOOD[name], ORDERS[name])


def test_masks_are_judged_before_the_pointer_to_the_executor() -> None:
    with Machine(on_undefined="report"):
        aclrtSetDevice(0)
        good = GOOD["aclnnMaxPool2dWithMask"] | {"kernelSize": Values((1, 1, 1))}
        assert aclnnMaxPool2dWithMaskGetWorkspaceSize(*map(made, good.values()), None, None) == INVALID


@pytest.mark.parametrize("name", [name for name in ORDERS if name not in ("aclnnMaxPool",)])
def test_an_empty_batch_needs_no_work(name: str) -> None:
    changes = {key: replace(value, shape=(0, *value.shape[1:]))
               for key, value in GOOD[name].items() if isinstance(value, Meta)}  # fmt: skip
    found = answer(first(name), GOOD[name], changes)
    assert (found.status, found.workspace_size) == (ACL_SUCCESS, 0), found.text


def test_an_empty_result_of_max_pool_needs_no_work() -> None:
    changes = {"self": image(0, 3, 4, 4), "out": image(0, 3, 2, 3)}
    found = answer(first("aclnnMaxPool"), GOOD["aclnnMaxPool"], changes)
    assert (found.status, found.workspace_size) == (ACL_SUCCESS, 0), found.text


def test_gradients_of_indices_are_float_before_ascend_950() -> None:
    name = "aclnnMaxPool2dWithIndicesBackward"
    tensors = ("gradOutput", "self", "gradInput")
    half = {each: replace(GOOD[name][each], dtype=ACL_FLOAT16) for each in tensors}
    assert answer(first(name), GOOD[name], half).status == INVALID
    assert answer(first(name), GOOD[name], half, A950).status == ACL_SUCCESS
    mixed = {"self": half["self"]}
    assert "parameter: self" in answer(first(name), GOOD[name], mixed, A950).text


def test_windows_with_gaps_on_ascend_950() -> None:
    name = "aclnnMaxPool2dWithIndices"
    changes = {"dilation": Values((2, 1)), "padding": Values((1, 0)), "out": image(2, 3, 1, 3),
               "indices": image(2, 3, 1, 3, dtype=ACL_INT64)}  # fmt: skip
    assert answer(first(name), GOOD[name], changes, A950).status == ACL_SUCCESS


# figures

ROW = np.array([[[[1, 5, 5, 2, -3]]]], np.float32)


def pooled(x: np.ndarray, size: int, *rest: Any) -> list[float]:
    with Machine():
        aclrtSetDevice(0)
        return run(aclnnMaxPool, x, *rest, np.empty((*x.shape[:-1], size), x.dtype)).ravel().tolist()


def test_the_largest_of_a_window_by_hand() -> None:
    assert pooled(ROW, 2, [1, 2], [1, 2], 0, [0], [1], 0) == [5, 5]
    assert pooled(ROW, 3, [1, 2], [1, 2], 0, [], [], 1) == [5, 5, -3]
    assert pooled(ROW, 5, [1], [], 0, [], [], 0) == [1, 5, 5, 2, -3], "without strides they are 1"
    assert pooled(-ROW, 3, [1, 3], [1, 2], 0, [0, 1], [1], 0) == [-1, -2, 3], "zeros of the padding are not chosen"
    assert pooled(ROW, 3, [1, 2], [1, 2], 0, [0, 1, 0, 0], [1], 0) == [1, 5, 2], "top, left, bottom, right"


@pytest.mark.fidelity("NaN in maximum pooling")
def test_nan_is_the_largest() -> None:
    x = ROW.copy()
    x[..., 3] = np.nan
    assert str(pooled(x, 4, [1, 2], [], 0, [], [], 0)) == "[5.0, 5.0, nan, nan]"
    with Machine():
        aclrtSetDevice(0)
        for kernel in ([1, 2], [1, 4]):
            out = np.empty((1, 1, 1, 6 - kernel[1]), np.float32)
            _, at = run(aclnnMaxPool2dWithIndices, x, kernel, [1], [0], [1], False, out, np.empty(out.shape, np.int32))
            assert at.ravel().tolist() == ([1, 1, 3, 3] if kernel[1] == 2 else [3, 3])


@pytest.mark.parametrize("kernel", [2, 4])
def test_of_equal_elements_the_first_is_found(kernel: int) -> None:
    x = np.array([[[[3, 3, 1, 3, 3]]]], np.float32)
    out = np.empty((1, 1, 1, 6 - kernel), np.float32)
    with Machine():
        aclrtSetDevice(0)
        _, at = run(aclnnMaxPool2dWithIndices, x, [1, kernel], [1], [0], [1], False, out, np.empty(out.shape, np.int32))
    assert at.ravel().tolist() == ([0, 1, 3, 3] if kernel == 2 else [0, 1])


def test_places_are_counted_without_the_padding() -> None:
    x = np.arange(9, dtype=np.float32).reshape(1, 1, 3, 3)
    out = np.empty((1, 1, 2, 2), np.float32)
    with Machine():
        aclrtSetDevice(0)
        _, at = run(aclnnMaxPool2dWithIndices, x, [2], [2], [1], [1], False, out, np.empty((1, 1, 2, 2), np.int64))
    assert at.ravel().tolist() == [0, 2, 6, 8]


@pytest.mark.fidelity("the mask of MaxPool2dWithMask")
def test_the_mask_begins_with_the_places() -> None:
    x = np.random.default_rng(0).standard_normal(LARGE).astype(np.float32)
    out = np.empty(SMALL, np.float32)
    with Machine():
        aclrtSetDevice(0)
        numbers = [3, 2], [2, 1], [1, 0], [1], False, out
        _, at = run(aclnnMaxPool2dWithIndices, x, *numbers, np.empty(SMALL, np.int32))
        _, mask = run(aclnnMaxPool2dWithMask, x, *numbers, np.empty(MASK, np.int8))
    assert mask.ravel()[: at.nbytes].view(np.int32).tolist() == at.ravel().tolist()


@pytest.mark.fidelity("the mask of MaxPool2dWithMask")
def test_a_kernel_of_one_place_needs_no_mask() -> None:
    x, slope = np.arange(12, dtype=np.float32).reshape(1, 1, 3, 4), np.array([[[[1, 2], [3, 4]]]], np.float32)
    with Machine():
        aclrtSetDevice(0)
        numbers = [1], [2], [0], [1], False
        out, mask = run(aclnnMaxPool2dWithMask, x, *numbers, slope, np.empty((1, 1, 1, 64), np.int8))
        back = run(aclnnMaxPool2dWithMaskBackward, slope, x, mask, *numbers, x)
    assert (out.ravel().tolist(), mask.any()) == ([0, 2, 8, 10], False)
    assert back.ravel().tolist() == [1, 0, 2, 0, 0, 0, 0, 0, 3, 0, 4, 0]


def test_the_training_series_computes_in_float16() -> None:
    x = np.full((1, 1, 2, 2), 1 + 2**-12, np.float32)
    with Machine(TRAINING):
        aclrtSetDevice(0)
        out, _ = run(aclnnMaxPool2dWithMask, x, [2], [], [0], [1], False, x[..., :1, :1].copy(),
                     np.empty((1, 1, 4, 64), np.int8))  # fmt: skip
    assert out.item() == 1


def test_gradients_of_one_place_are_added_up() -> None:
    x, at = np.zeros((1, 1, 1, 4), np.float32), np.array([[[[1, 1, 3]]]], np.int32)
    slope = np.array([[[[1, 2, 4]]]], np.float32)
    with Machine():
        aclrtSetDevice(0)
        back = run(aclnnMaxPool2dWithIndicesBackward, slope, x, at, [1, 2], [1], [0], [1], False, x)
    assert back.ravel().tolist() == [0, 3, 0, 4]


@pytest.mark.parametrize("wrong", [4, -1])
def test_a_place_outside_is_found_and_dropped(wrong: int) -> None:
    x, at = np.zeros((1, 1, 1, 4), np.float32), np.array([[[[1, wrong, 3]]]], np.int32)
    slope = np.ones((1, 1, 1, 3), np.float32)
    with Machine(on_undefined="report") as machine:
        aclrtSetDevice(0)
        with pytest.raises(AssertionError):
            run(aclnnMaxPool2dWithIndicesBackward, slope, x, at, [1, 2], [1], [0], [1], False, x)
        assert [each.id for each in machine.findings if each.level == "error"] == ["index-range"]

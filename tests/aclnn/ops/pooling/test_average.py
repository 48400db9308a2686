"""aclnnAvgPool2d and its gradient by their contract."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.device_tensor import device_tensor
from aclnn.engine.steps.windows import regular
from aclnn.ops.pooling import sums
from aclnn.testing import run
from tests.aclnn.ops.case import A2, A950, INFERENCE, Meta
from tests.aclnn.ops.pooling.good_calls import GOOD, LARGE, SMALL, image
from tests.derived.values import Values
from tests.helpers.refusals import Mistake, answer, assert_in_order

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
FORWARD, BACK = GOOD["aclnnAvgPool2d"], GOOD["aclnnAvgPool2dBackward"]
FIRST, BACK_FIRST = aclnnAvgPool2dGetWorkspaceSize, aclnnAvgPool2dBackwardGetWorkspaceSize
MISTAKES = [
    *(Mistake(f"null {name}", NULL, name, **{name: None})
      for name in ("self", "kernelSize", "strides", "paddings", "out")),
    Mistake("type of self", INVALID, "self", self=replace(image(*LARGE), dtype=ACL_DOUBLE)),
    Mistake("type of out", INVALID, "out", out=replace(image(*SMALL), dtype=ACL_FLOAT16)),
    Mistake("an ND label", INVALID, "self", self=Meta(LARGE)),
    Mistake("kernel of 0", INVALID, "kernelSize", kernelSize=Values((0, 2))),
    Mistake("stride of 0", INVALID, "strides", strides=Values((0,))),
    Mistake("negative padding", INVALID, "paddings", paddings=Values((-1,))),
    Mistake("two dimensions", INVALID, "self", self=image(4, 4)),
    Mistake("ranks", INVALID, "out", out=image(3, 2, 3)),
    Mistake("no channels", INVALID, "self", self=image(2, 0, 4, 4)),
    Mistake("three numbers of the kernel", INVALID, "kernelSize", kernelSize=Values((1, 1, 1))),
    Mistake("no padding", INVALID, "paddings", paddings=Values(())),
    Mistake("three strides", INVALID, "strides", strides=Values((1, 1, 1))),
    Mistake("a long padding", INVALID, "paddings", paddings=Values((1, 2))),
    Mistake("no window", INVALID, "self", self=image(2, 3, 4, 1)),
    Mistake("shape of out", INVALID, "out", out=image(2, 3, 3, 3)),
    Mistake("cubeMathType", INVALID, "cubeMathType", cubeMathType=1),
]  # fmt: skip
GRADIENT = [
    *(Mistake(f"null {name}", NULL, name, **{name: None})
      for name in ("gradOutput", "self", "kernelSize", "padding", "gradInput")),
    Mistake("type of gradOutput", INVALID, "gradOutput", gradOutput=replace(image(*SMALL), dtype=ACL_DOUBLE)),
    Mistake("type of gradInput", INVALID, "gradInput", gradInput=replace(image(*LARGE), dtype=ACL_FLOAT16)),
    Mistake("an ND label", INVALID, "self", self=Meta(LARGE)),
    Mistake("two dimensions", INVALID, "self", self=image(4, 4)),
    Mistake("three numbers of the kernel", INVALID, "kernelSize", kernelSize=Values((1, 1, 1))),
    Mistake("kernel of 0", INVALID, "kernelSize", kernelSize=Values((0, 2))),
    Mistake("stride of 0", INVALID, "stride", stride=Values((0,))),
    Mistake("a long padding", INVALID, "padding", padding=Values((1, 2))),
    Mistake("cubeMathType", INVALID, "cubeMathType", cubeMathType=4),
    Mistake("shape of gradInput", INVALID, "gradInput", gradInput=image(2, 3, 4, 5)),
    Mistake("shape of gradOutput", INVALID, "gradOutput", gradOutput=image(2, 3, 3, 3)),
]  # fmt: skip


def test_mistakes_are_found_in_this_order() -> None:
    assert_in_order(FIRST, FORWARD, MISTAKES)
    assert_in_order(BACK_FIRST, BACK, GRADIENT)


@pytest.mark.fidelity("cubeMathType of AvgPool2d")
def test_cube_math_type_of_float_by_product_and_way() -> None:
    """ "A2/A3, cube path: 1, 3, 4 -> P; the vector path and 950 ignore it; 310P: 1 or 2"."""

    def accepted(soc: str, **changes: Any) -> list[int]:
        return [math for math in range(-1, 6)
                if answer(FIRST, FORWARD, {"cubeMathType": math, **changes}, soc).status == ACL_SUCCESS]  # fmt: skip

    assert accepted(A2) == [-1, 0, 2, 5]
    assert accepted(A2, ceilMode=True, out=image(2, 3, 3, 3)) == [*range(-1, 6)]
    assert accepted(A950) == [*range(-1, 6)]
    assert accepted(INFERENCE) == [1, 2]
    half = {name: replace(FORWARD[name], dtype=ACL_FLOAT16) for name in ("self", "out")}
    assert accepted(A2, **half) == [*range(-1, 6)]


def test_a_null_stride_of_the_gradient_is_the_kernel() -> None:
    changes = {"gradOutput": image(2, 3, 2, 2), "stride": None}
    assert answer(BACK_FIRST, BACK, changes).status == ACL_SUCCESS


def test_the_divisor_of_the_gradient_is_small_on_old_products() -> None:
    for divisor, wanted in ((255, ACL_SUCCESS), (-256, INVALID)):
        assert answer(BACK_FIRST, BACK, {"divisorOverride": divisor}, INFERENCE).status == wanted
        assert answer(BACK_FIRST, BACK, {"divisorOverride": divisor}).status == ACL_SUCCESS


def row(*values: float, dtype: Any = np.float32) -> Any:
    """A batch of one image of one row."""
    return device_tensor(np.array([[[values]]], dtype), format=ACL_FORMAT_NCHW)


def pooled(x: Any, size: int, kernel: int, stride: int, padding: int, *, ceil: bool = False, real: bool = False,
           divisor: int = 0, math: int = 0) -> list[float]:  # fmt: skip
    """The averages of one row."""
    out = row(*[0] * size, dtype=x.array.dtype if hasattr(x, "array") else np.float32)
    found = run(aclnnAvgPool2d, x, [1, kernel], [1, stride], [0, padding], ceil, not real, divisor, math, out)
    return found.ravel().tolist()


def test_divisors_by_hand() -> None:
    with Machine():
        aclrtSetDevice(0)
        x = row(1, 2, 3, 4, 5)
        assert pooled(x, 2, 2, 2, 0) == [1.5, 3.5]
        assert pooled(x, 3, 2, 2, 0, ceil=True) == [1.5, 3.5, 5], "the last window hangs over"
        assert pooled(x, 3, 3, 2, 1) == [1, 3, 3], "zeros of the padding count"
        assert pooled(x, 3, 3, 2, 1, real=True) == [1.5, 3, 4.5]
        assert pooled(x, 3, 3, 2, 1, divisor=2) == [1.5, 4.5, 4.5]
        assert pooled(x, 3, 3, 2, 1, divisor=-1) == [-3, -9, -9]
        assert pooled(row(1, 2, 3, 4), 3, 3, 2, 1, ceil=True) == [1, 3, 2], "4 and a zero, not what hangs over"


def test_use_fp16_computes_in_float16() -> None:
    with Machine():
        aclrtSetDevice(0)
        x = row(1 + 2**-12, 1)
        assert pooled(x, 1, 2, 1, 0) == [1 + 2**-13]
        assert pooled(x, 1, 2, 1, 0, math=2) == [1]


def test_windows_share_the_gradient() -> None:
    with Machine():
        aclrtSetDevice(0)
        found = run(aclnnAvgPool2dBackward, row(2, 4), row(0, 0, 0), [1, 2], [1, 1], [0], False, True, 0, 0,
                    row(0, 0, 0))  # fmt: skip
        assert found.ravel().tolist() == [1, 3, 2]


@pytest.mark.parametrize("panel", [1, 30])
def test_panels_give_what_one_piece_gives(panel: int, monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.random.default_rng(0).standard_normal((2, 3, 4, 5)).astype(np.float32)
    windows = [regular(size, 3, 1, 1, 1, size) for size in (4, 5)]
    whole = sums.average_as_written(x, windows=windows, shares=9.0)
    back = sums.average_back(whole, windows=windows, divisor=lambda windows: 9.0, sizes=(4, 5))
    most = sums.largest(x, windows=windows, last=False)
    values, places = sums.largest_places(x, windows=windows, whole=np.int32, last=False)
    down = sums.scattered_back(values, places, sizes=(4, 5), last=False)
    monkeypatch.setattr(sums, "PANEL", panel)
    assert np.array_equal(sums.average_as_written(x, windows=windows, shares=9.0), whole)
    assert np.array_equal(sums.average_back(whole, windows=windows, divisor=lambda windows: 9.0, sizes=(4, 5)), back)
    assert np.array_equal(sums.largest(x, windows=windows, last=False), most)
    assert np.array_equal(sums.scattered_back(values, places, sizes=(4, 5), last=False), down)
    assert np.array_equal(values, most)

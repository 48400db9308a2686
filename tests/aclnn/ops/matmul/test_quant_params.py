"""aclnnTransQuantParamV2 and V3."""

from __future__ import annotations

from ctypes import byref, c_int
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A2, A950, Meta, f16, f32
from tests.helpers.builders import meta, plan
from tests.helpers.refusals import Mistake, answer, assert_order, assert_refused

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
FIRST, THIRD = aclnnTransQuantParamV2GetWorkspaceSize, aclnnTransQuantParamV3GetWorkspaceSize
GOOD: dict[str, Any] = {"scale": f32(4), "offset": f32(4), "out": Meta((4,), ACL_UINT64)}
MISTAKES = [
    *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in ("scale", "out")),
    Mistake("type of scale", INVALID, "scale", scale=f16(4)),
    Mistake("type of offset", INVALID, "offset", offset=f16(4)),
    Mistake("type of out", INVALID, "out", out=f32(4)),
    Mistake("format of scale", INVALID, "scale", scale=f32(4, format=ACL_FORMAT_FRACTAL_NZ)),
    Mistake("rank of scale", INVALID, "scale", scale=f32(1, 1, 4)),
    Mistake("rank of offset", INVALID, "offset", offset=f32()),
    Mistake("two rows", INVALID, "scale", scale=f32(2, 4)),
    Mistake("length of offset", INVALID, "offset", offset=f32(3)),
    Mistake("shape of out", INVALID, "out", out=Meta((5,), ACL_UINT64)),
]


def test_mistakes_are_refused_in_the_order_of_the_contract() -> None:
    for mistake in MISTAKES:
        assert_refused(FIRST, GOOD, mistake)
    assert_order(FIRST, GOOD, MISTAKES)
    modes = {**{name: GOOD[name] for name in ("scale", "offset")}, "roundMode": 1, "out": GOOD["out"]}
    assert answer(THIRD, modes).status == ACL_SUCCESS
    assert answer(THIRD, modes, {"roundMode": 2}).status == INVALID


@pytest.mark.parametrize(("scale", "offset", "out", "soc", "good"), [
    ((1,), (4,), (4,), A2, True), ((4,), (1,), (4,), A2, True), ((1, 4), (1, 4), (1, 4), A2, True),
    ((1, 4), (4,), (1, 4), A2, False), ((3, 4), None, (3, 4), A2, False), ((3, 4), None, (3, 4), A950, True),
])  # fmt: skip
def test_shapes(scale: Any, offset: Any, out: Any, soc: str, good: bool) -> None:
    changes = {"scale": f32(*scale), "offset": offset and f32(*offset), "out": Meta(out, ACL_INT64)}
    assert answer(FIRST, GOOD, changes, soc).status == (ACL_SUCCESS if good else INVALID)


def by_hand(scale: float, offset: float | None = None) -> int:
    bits = int(np.float32(scale).view(np.uint32)) & 0xFFFFE000 | 1 << 46
    return bits if offset is None else bits | (max(-256, min(255, round(offset))) & 0x1FF) << 37


@pytest.mark.parametrize("dtype", [np.uint64, np.int64])
def test_packed_scales(dtype: Any) -> None:
    """The offset is rounded half to even, and saturates."""
    scale, offset = np.array([1.5, -3.3, 1e-3, 7], np.float32), np.array([2.5, -0.5, 300, -1000], np.float32)
    with Machine():
        found = run(aclnnTransQuantParamV2, scale, None, np.empty(4, dtype))
        assert found.tolist() == [by_hand(each) for each in scale.tolist()]
        found = run(aclnnTransQuantParamV2, scale, offset, np.empty(4, dtype))
        assert found.tolist() == [by_hand(*each) for each in zip(scale.tolist(), offset.tolist(), strict=True)]
        found = run(aclnnTransQuantParamV2, scale[:1], offset, np.empty(4, dtype))
        assert found.tolist() == [by_hand(1.5, each) for each in offset.tolist()]


def test_round_mode() -> None:
    """A float32 of 24 bits keeps 11: half a step above 1 goes to 1, above the next one to the one after."""
    step = 2.0**-10
    scale = np.array([1 + step / 2, 1 + 1.5 * step, 1 + 0.75 * step, 1 + 0.25 * step], np.float32)
    with Machine():
        found = [run(aclnnTransQuantParamV3, scale, None, mode, np.empty(4, np.uint64)).tolist() for mode in (0, 1)]
    assert found[0] == [by_hand(1), by_hand(1 + step), by_hand(1), by_hand(1)]
    assert found[1] == [by_hand(1), by_hand(1 + 2 * step), by_hand(1 + step), by_hand(1)]


def test_the_first_phase_calls_an_int64_output_uint64() -> None:
    with Machine(A2, on_undefined="report"):
        aclrtSetDevice(0)
        out = meta([4], ACL_INT64)
        assert plan(FIRST, meta([4], ACL_FLOAT), None, out).status == ACL_SUCCESS
        found = c_int()
        assert aclGetDataType(out, byref(found)) == ACL_SUCCESS
        assert found.value == ACL_UINT64

"""The texts of refusals say how to mend a call."""

from __future__ import annotations

from typing import Any

import pytest

import aclnn
from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.derived.values import Values
from tests.helpers.refusals import answer

IMAGE, SMALL = Meta((2, 3, 5, 7)), Meta((2, 3, 12, 3))
HALVES, BYTES = Meta((2, 3), ACL_FLOAT16), Meta((3, 16), ACL_INT8)
TEXTS: dict[str, tuple[str, dict[str, Any], str]] = {
    "a number that is not negative": (
        "aclnnEye", {"n": -1, "m": 3, "out": Meta((0, 3))}, "found: -1, allowed: 0 or more"),
    "a rank without a limit": (
        "aclnnCummax", {"self": Meta(()), "dim": 0, "valuesOut": Meta(()), "indicesOut": Meta((), ACL_INT64)},
        "must have at least 1 dimension. (parameter: self, found: 0 dimensions [], allowed: 1 dimension or more"),
    "the name of a data type": (
        "aclnnDivMod", {name: Meta((2,), ACL_COMPLEX64) for name in ("self", "other")} | {
            "mode": 1, "out": Meta((2,), ACL_COMPLEX64)}, "found: DT_COMPLEX64, allowed: a real data type"),
    "the size that scales ask for": (
        "aclnnUpsampleBicubic2d", {"self": IMAGE, "outputSize": Values((12, 3)), "alignCorners": False, "scalesH": 2.3,
                                   "scalesW": 0.5, "out": SMALL},
        "found: [12, 3], allowed: [11, 3], self times the scales"),
    "each number of an array": (
        "aclnnAvgPool3d", {"self": Meta((1, 4, 4, 4)), "kernelSize": Values((0, 1, 1)), "stride": Values((1,)),
                           "padding": Values((0,)), "ceilMode": False, "countIncludePad": True, "divisorOverride": 0,
                           "out": Meta((1, 4, 4, 4))}, "A number of kernelSize is less than 1."),
    "combinations of data types": (
        "aclnnQuantMatmulV4", {"x1": BYTES, "x2": Meta((16, 8), ACL_INT8), "scale": Meta((8,)), "offset": None,
                               "pertokenScaleOptional": None, "bias": None, "transposeX1": False, "transposeX2": False,
                               "out": Meta((3, 8), ACL_FLOAT16)},
        "scale DT_FLOAT, bias DT_INT32 or DT_FLOAT16 or DT_FLOAT if any, out DT_FLOAT16, with pertokenScaleOptional"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "call", "words"), TEXTS.values(), ids=TEXTS)
def test_what_is_allowed(name: str, call: dict[str, Any], words: str) -> None:
    assert words in answer(getattr(aclnn, f"{name}GetWorkspaceSize"), call, {}).text

"""Good calls and checks that a search does not reach: see `tests.aclnn.ops.good_calls`."""

from typing import Any

from acl_runtime import *
from tests.aclnn.ops.case import Meta

H, E4, E8 = ACL_FLOAT16, ACL_FLOAT8_E4M3FN, ACL_FLOAT8_E8M0
X = Meta((3, 40), H)
NARROW = ("FLOAT4_E2M1", "FLOAT4_E1M2", "FLOAT8_E5M2")
MX: dict[str, Any] = {
    "x": X, "axis": -1, "roundModeOptional": "rint", "dstType": int(E4), "blocksize": 32, "scaleAlg": 0,
}  # fmt: skip
V2: dict[str, Any] = {**MX, "dstTypeMax": 0.0}
BLOCKS: dict[str, Any] = {"yOut": Meta((3, 40), E4), "mxscaleOut": Meta((3, 1, 2), E8)}
GOOD: dict[str, dict[str, Any]] = {
    "aclnnDynamicMxQuant": {**MX, **BLOCKS}, "aclnnDynamicMxQuantV2": {**V2, **BLOCKS},
    "aclnnDynamicMxQuantV3": {**V2, "maxLowBound": 0.0, **BLOCKS},
}  # fmt: skip
TESTS = "tests/aclnn/ops/blocks/test_"
MX_NAMES = ("aclnnDynamicMxQuant", "aclnnDynamicMxQuantV2", "aclnnDynamicMxQuantV3")
WHOLE_BYTES = "yOut can hold the elements of x in its last dimension"
UNREACHED: dict[tuple[str, str], str] = {
    **{(name, sentence): f"{TESTS}mx.py" for name in MX_NAMES for sentence in (
        "blocksize is 32 with x of FLOAT, and with scaleAlg 2", WHOLE_BYTES)},
}  # fmt: skip
UNTYPED: dict[tuple[str, str, str], str] = {
    **{(name, "yOut", f"ACL_{dtype}"): f"{TESTS}mx.py" for name in MX_NAMES for dtype in NARROW},
}  # fmt: skip

"""Routes for `aclnn.ops.quantisation`: loops over elements, and torch where it has the function."""

from __future__ import annotations

from math import ceil, floor, trunc
from typing import Any

import numpy as np

from acl_runtime import ACL_BF16, ACL_FLOAT16, ACL_UINT8
from tests.aclnn.ops.case import Meta
from tests.oracle.route import Route, but, elements, route

ROUND = {"round": round, "floor": floor, "ceil": ceil, "trunc": trunc}


def saturated(value: float, low: int = -128, high: int = 127) -> int:
    return int(min(max(value, low), high))


def ascend_quant(
    x: np.ndarray, scale: np.ndarray, offset: np.ndarray | None, sqrtMode: bool, roundMode: str, axis: int = -1
) -> np.ndarray:  # fmt: skip
    spread = [1] * x.ndim
    spread[axis] = -1
    factor = scale.reshape(spread)
    shift = np.zeros(1) if offset is None else offset.reshape(spread)
    return elements(lambda x, s, o: saturated(ROUND[roundMode](x * s * (s if sqrtMode else 1) + o)))(
        x=x, s=factor, o=shift
    )


def last_axis(
    x: np.ndarray, scale: np.ndarray, offset: np.ndarray | None, sqrtMode: bool, roundMode: str
) -> np.ndarray:  # fmt: skip
    return ascend_quant(x, scale, offset, sqrtMode, roundMode)


def anti_quant(x: np.ndarray, scale: np.ndarray, offset: np.ndarray | None, sqrtMode: bool) -> np.ndarray:
    shift = np.zeros(1) if offset is None else offset
    return elements(lambda x, s, o: (x + o) * s * (s if sqrtMode else 1))(x=x, s=scale, o=shift)


def late_offset(x: np.ndarray, scale: np.ndarray, offset: np.ndarray | None) -> np.ndarray:
    return x * scale + (0 if offset is None else offset)


def signs(self: np.ndarray, size: int) -> np.ndarray:
    bits = [value >= 0 for value in self.tolist()]
    found = [sum(bit << at for at, bit in enumerate(bits[start : start + 8])) for start in range(0, len(bits), 8)]
    return np.array(found).reshape(size, -1)


def floats(self: np.ndarray, size: int) -> np.ndarray:
    return np.array([1 if byte >> at & 1 else -1 for byte in self.tolist() for at in range(8)]).reshape(size, -1)


ONE: dict[str, Any] = {"scale": Meta((1,)), "offset": Meta((1,))}
MODES: list[dict[str, Any]] = [{"roundMode": mode, "sqrtMode": mode == "ceil"} for mode in ("floor", "ceil", "trunc")]
ROUTES: tuple[Route, ...] = (
    route("aclnnAscendQuant", "loop", last_axis, groups=[("x", "scale", "offset")],
          values={"scale": lambda s: 3 * s}, also=[*MODES, {"offset": None}, ONE],
          wrong={"divided by the scale": lambda **a: last_axis(
                     a["x"], 1 / a["scale"], a["offset"], a["sqrtMode"], a["roundMode"]),
                 "halves away from zero": but(last_axis, x=lambda a: a["x"] + 0.5),
                 "offset forgotten": but(last_axis, offset=None),
                 "the scale taken once": but(last_axis, sqrtMode=False)}),
    route("aclnnSignBitsPack", "loop", signs, bound="exact", groups=[("self",)], also=[
              {"self": Meta((40,)), "size": 1, "out": Meta((1, 5), ACL_UINT8)}],
          wrong={"the first bit is the highest": lambda self, size: np.packbits(self >= 0).reshape(size, -1),
                 "of the opposite": but(signs, self=lambda given: -given["self"])}),
    route("aclnnSignBitsUnpack", "loop", floats, bound="exact", values={"self": lambda x: x * 37 % 251},
          groups=[("self",)], also=[{"dtype": int(ACL_FLOAT16), "out": Meta((2, 8), ACL_FLOAT16)}],
          wrong={"the first bit is the highest": lambda self, size: np.unpackbits(
                     self.astype(np.uint8)).astype(int).reshape(size, -1) * 2 - 1,
                 "of the opposite": but(floats, self=lambda given: 255 - given["self"])}),
    route("aclnnAscendQuantV3", "loop", ascend_quant, groups=[("x", "scale", "offset")],
          values={"scale": lambda s: 3 * s},
          also=[*MODES, {"offset": None}, {"axis": 0, "scale": Meta((2,)), "offset": Meta((2,))},
                {"axis": 0, "scale": Meta((2, 1)), "offset": Meta((2, 1))}],
          wrong={"offset forgotten": but(ascend_quant, offset=None),
                 "always half to even": but(ascend_quant, roundMode="round")}),
    route("aclnnAscendAntiQuant", "loop", anti_quant, bound="composite", groups=[("scale", "offset"), ("y",)],
          also=[{"offset": None}, {"sqrtMode": True}, ONE, {"y": Meta((2, 8), ACL_BF16), "dstType": int(ACL_BF16)},
                {"scale": Meta((8,), ACL_BF16), "offset": Meta((8,), ACL_BF16)}],
          wrong={"offset after the scale": late_offset,
                 "the scale taken once": but(anti_quant, sqrtMode=False)}),
)  # fmt: skip

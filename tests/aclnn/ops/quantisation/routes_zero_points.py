"""Routes for zero points, for groups of rows, and for fake quantisation: torch, and loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from acl_runtime import ACL_BF16, ACL_FLOAT, ACL_INT8, ACL_INT32, ACL_INT64, ACL_UINT8
from tests.aclnn.ops.case import Meta, f16
from tests.aclnn.ops.quantisation.good_calls import bf16, whole
from tests.oracle.route import Route, but, elements, route

ENDS = {int(ACL_INT8): (-128, 127), int(ACL_UINT8): (0, 255), int(ACL_INT32): (-(2**31), 2**31 - 1)}


def along(values: np.ndarray, axis: int, rank: int) -> np.ndarray:
    shape = [1] * rank
    shape[axis if values.size > 1 else -1] = -1
    return values.reshape(shape)


def quantize(x: np.ndarray, scales: np.ndarray, zeroPoints: np.ndarray | None, dtype: int, axis: int) -> np.ndarray:
    low, high = ENDS[int(dtype)]
    zeros = np.zeros(1) if zeroPoints is None else zeroPoints.astype(np.float64)
    given = {"s": along(scales, axis, x.ndim), "z": along(zeros, axis, x.ndim)}
    return elements(lambda x, s, z: min(max(round(x / s + z), low), high))(x=x, **given)


def group_quant(
    x: np.ndarray, scale: np.ndarray, groupIndex: np.ndarray, offsetOptional: np.ndarray | None
) -> np.ndarray:  # fmt: skip
    found = np.zeros(x.shape)
    shift = 0.0 if offsetOptional is None or not offsetOptional.size else float(offsetOptional[0])
    for at, row in enumerate(x):
        group = next(g for g, end in enumerate(groupIndex) if at < end)
        found[at] = [min(max(round(a * b + shift), -128), 127) for a, b in zip(row, scale[group], strict=True)]
    return found


def dequant_bias(
    x: np.ndarray, weightScale: np.ndarray, activateScaleOptional: np.ndarray | None, biasOptional: np.ndarray | None
) -> np.ndarray:  # fmt: skip
    rows = np.ones(len(x)) if activateScaleOptional is None else activateScaleOptional
    bias = np.zeros(x.shape[1]) if biasOptional is None else biasOptional
    early = bias.dtype.kind == "i"
    found = elements(lambda x, w, a, b: (x + b) * w * a if early else x * w * a + b)
    return found(x=x, w=weightScale, a=rows[:, None], b=bias)


def late_bias(x: np.ndarray, weightScale: np.ndarray, activateScaleOptional: Any, biasOptional: Any) -> np.ndarray:
    return dequant_bias(x, weightScale, activateScaleOptional, None) + (0 if biasOptional is None else biasOptional)


def near(arguments: Any, exact: np.ndarray, dtype: str) -> Any:
    """Three roundings of FLOAT, each of which may be of a number that the bias takes away again."""
    bias = arguments["biasOptional"]
    return 2.0**-22 * (np.abs(exact) + (0 if bias is None or bias.dtype.kind == "i" else np.abs(bias)))


def fake(
    self: np.ndarray, scale: np.ndarray, zeroPoint: np.ndarray, quantMin: int, quantMax: int, axis: int = -1
) -> list[np.ndarray]:  # fmt: skip
    early = zeroPoint.dtype.kind != "i"
    spread = [along(each, axis, self.ndim) for each in (scale, zeroPoint)]

    def steps(x: float, s: float, z: float) -> float:
        return round(x / s + z) if early else round(x / s) + z

    def restored(x: float, s: float, z: float) -> float:
        return (min(max(steps(x, s, z), quantMin), quantMax) - z) * s

    given = {"x": self, "s": spread[0], "z": spread[1]}
    return [elements(restored)(**given), elements(lambda x, s, z: quantMin <= steps(x, s, z) <= quantMax)(**given)]


def per_tensor(
    self: np.ndarray, scale: np.ndarray, zeroPoint: np.ndarray, fakeQuantEnabled: float, quantMin: int, quantMax: int
) -> list[np.ndarray]:  # fmt: skip
    if fakeQuantEnabled < 1:
        return [self, np.ones(self.shape, bool)]
    return fake(self, scale, zeroPoint, quantMin, quantMax)


def per_channel(
    self: np.ndarray, scale: np.ndarray, zeroPoint: np.ndarray, axis: int, quantMin: int, quantMax: int
) -> list[np.ndarray]:  # fmt: skip
    return fake(self, scale, zeroPoint, quantMin, quantMax, axis)


def torch_per_tensor(
    self: np.ndarray, scale: np.ndarray, zeroPoint: np.ndarray, fakeQuantEnabled: float, quantMin: int, quantMax: int
) -> list[np.ndarray]:  # fmt: skip
    import torch

    if fakeQuantEnabled < 1:
        return per_tensor(self, scale, zeroPoint, fakeQuantEnabled, quantMin, quantMax)
    x = torch.from_numpy(self.astype(np.float32))
    of = torch.ops.aten.fake_quantize_per_tensor_affine_cachemask
    return [each.numpy() for each in of(x, float(scale.item()), int(zeroPoint.item()), quantMin, quantMax)]


def torch_per_channel(
    self: np.ndarray, scale: np.ndarray, zeroPoint: np.ndarray, axis: int, quantMin: int, quantMax: int
) -> list[np.ndarray]:  # fmt: skip
    import torch

    x, scales = (torch.from_numpy(each.astype(np.float32)) for each in (self, scale))
    zeros = torch.from_numpy(zeroPoint.astype(np.int32 if zeroPoint.dtype.kind == "i" else np.float32))
    of = torch.ops.aten.fake_quantize_per_channel_affine_cachemask
    return [each.numpy() for each in of(x, scales, zeros, axis % self.ndim, quantMin, quantMax)]


def positive(values: np.ndarray) -> Any:
    return np.abs(values) + np.asarray(0.25, values.dtype)


def groups(values: np.ndarray) -> Any:
    return np.where(np.arange(values.size) < values.size - 1, 1, 1000)


def small(values: np.ndarray) -> Any:
    return np.clip(values.astype(np.float32), -3, 4)


def unsigned(values: np.ndarray) -> Any:
    """Zero points that each data type of out has."""
    return np.clip(np.rint(np.abs(values.astype(np.float32))), 0, 9)


NO_BIAS: dict[str, Any] = {"biasOptional": None}
FEW: dict[str, Any] = {"values": {"scale": positive, "zeroPoint": small}}
ROUTES: tuple[Route, ...] = (
    route("aclnnQuantize", "loop", quantize, groups=[("x", "scales")],
          values={"scales": positive, "zeroPoints": unsigned},
          also=[{"dtype": ACL_UINT8, "out": whole(2, 8, dtype=ACL_UINT8), "zeroPoints": whole(8, dtype=ACL_UINT8)},
                {"dtype": ACL_INT32, "out": whole(2, 8, dtype=ACL_INT32), "zeroPoints": whole(8, dtype=ACL_INT32)},
                {"zeroPoints": None}, {"scales": Meta((1,)), "zeroPoints": whole(1)},
                {"scales": Meta((2,)), "zeroPoints": whole(2), "axis": 0},
                {"x": bf16(2, 8), "scales": bf16(8), "zeroPoints": bf16(8)}],
          wrong={"multiplied": but(quantize, scales=lambda a: 1 / a["scales"]),
                 "zero points forgotten": but(quantize, zeroPoints=None)}),
    route("aclnnGroupQuant", "loop", group_quant, groups=[("x",), ("scale", "offsetOptional")],
          values={"groupIndex": groups, "scale": lambda s: 4 * s},
          also=[{"offsetOptional": None}, {"offsetOptional": Meta((0,))}, {"groupIndex": whole(3, dtype=ACL_INT64)}],
          wrong={"the first group": but(group_quant, groupIndex=lambda a: 1000 + a["groupIndex"]),
                 "offset forgotten": but(group_quant, offsetOptional=None)}),
    route("aclnnDequantBias", "loop", dequant_bias, bound=near, groups=[("x",)],
          also=[NO_BIAS, {"biasOptional": bf16(8)}, {"biasOptional": f16(8)},
                {"activateScaleOptional": None}, {"biasOptional": whole(8, dtype=ACL_INT32)},
                {"weightScale": bf16(8), "out": bf16(2, 8), "outputDtype": int(ACL_BF16)}],
          wrong={"a bias of integers after the scales": late_bias,
                 "scales of rows forgotten": but(dequant_bias, activateScaleOptional=None)}),
    route("aclnnFakeQuantPerTensorAffineCachemask", "loop", per_tensor, groups=[("self", "scale", "out")],
          torch=("torch.ops.aten.fake_quantize_per_tensor_affine_cachemask", torch_per_tensor), **FEW,
          also=[{"fakeQuantEnabled": 0.5}, {"quantMin": -128, "quantMax": 127}],
          wrong={"always enabled": but(per_tensor, fakeQuantEnabled=1.0),
                 "zero point not taken away": lambda **a: shifted(per_tensor, a)}),
    route("aclnnFakeQuantPerChannelAffineCachemask", "loop", per_channel, groups=[("self", "scale", "out")],
          torch=("torch.ops.aten.fake_quantize_per_channel_affine_cachemask", torch_per_channel), **FEW,
          also=[{"axis": -2, "scale": Meta((2,)), "zeroPoint": whole(2, dtype=ACL_INT32)},
                {"zeroPoint": Meta((8,), ACL_FLOAT)}],
          wrong={"zero point not taken away": lambda **a: shifted(per_channel, a),
                 "halves away from zero": but(per_channel, self=lambda a: a["self"] + 0.5 * a["scale"].max())}),
)  # fmt: skip


def shifted(formula: Any, arguments: dict[str, Any]) -> list[np.ndarray]:
    names = formula.__code__.co_varnames[: formula.__code__.co_argcount]
    out, mask = formula(**{name: arguments[name] for name in names})
    return [out + arguments["zeroPoint"].max() * arguments["scale"].max(), mask]

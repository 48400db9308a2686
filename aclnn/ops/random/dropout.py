"""Dropout by a mask of bits: forward, backward, and functions that also make the mask."""

import numpy as np

from aclnn.op import (
    SHORT_FLOAT, Arguments, Array, Bad, Operand, Planning, castable, demand, empty, in_memory, listed, planned,
    ranks, same_shape, store, widen,
)  # fmt: skip
from aclnn.ops.random._family import BLOCK, in_type, mask_for, near, probability
from aclnn.ops.random.masks import bits


@in_memory
def masked(x: Array, mask: Array, *, out: Array, scale: float) -> None:
    """x * scale where the bit is 1, else 0."""
    flat, target, masks = x.reshape(-1), out.reshape(-1), mask.reshape(-1)
    for start in range(0, flat.size, BLOCK):
        part = widen(flat[start : start + BLOCK])
        bits = np.unpackbits(masks[start // 8 : (start + BLOCK) // 8], count=part.size, bitorder="little")
        store(np.where(bits != 0, part * np.float32(scale), np.float32(0)), target[start : start + BLOCK])


def dropped(p: Planning, x: Operand, mask: Operand, prob: float) -> Operand:
    """x with 0 where the mask drops an element. The others are divided by 1 - prob, rounded to the data type of x."""
    with np.errstate(divide="ignore"):
        scale = float(np.reciprocal(np.float32(in_type(1 - prob, x.dtype))))
    return p.step(masked, [x, mask], x.shape, x.dtype, scale=scale)


def certain(p: Planning, name: str, out: str, prob: float) -> bool:
    """True if all elements are kept, or all are dropped. In these cases `out` is planned here, without a mask."""
    if near(prob, 0):
        p.store(out, p.read(name))
    elif near(prob, 1):
        p.fill(out, 0)
    return near(prob, 0) or near(prob, 1)


@planned(
    "aclnnDropoutDoMask", empty("self", "mask"), castable("self", to="out"), listed("self", among=SHORT_FLOAT),
    listed("mask"), probability("prob"), ranks("self", least=0, most=8), same_shape("out", as_="self"),
    mask_for("mask", "self", more=True),
)  # fmt: skip
def do_mask(p: Planning) -> None:
    """out = self / (1 - prob) where the bit of the mask is 1, else 0. For prob 0 out is self, and for prob 1 out is 0,
    with any mask."""
    if not certain(p, "self", "out", p["prob"]):
        p.store("out", dropped(p, p.read("self"), p.read("mask"), p["prob"]))


def drop_of(scale: float) -> float:
    """The probability to drop an element, from the scale of the kept elements."""
    return 1.0 if scale == 0 else 1 - 1 / scale


def bad_scale(a: Arguments) -> Bad:
    prob = drop_of(a["scale"])
    return (a["scale"], "0, or at least 1") if prob < 0 or prob > 1 else None


@planned(
    "aclnnDropoutBackward", castable("gradOutput", to="out"), listed("gradOutput", among=SHORT_FLOAT), listed("mask"),
    demand("{0} is 0, or at least 1", "scale", bad=bad_scale), ranks("gradOutput", least=0, most=8),
    same_shape("out", as_="gradOutput"), mask_for("mask", "gradOutput"), empty("gradOutput"),
)  # fmt: skip
def backward(p: Planning) -> None:
    """out = gradOutput * scale where the bit of the mask is 1, else 0. For scale 1 out is gradOutput, and for scale 0
    out is 0, with any mask."""
    prob = drop_of(p["scale"])
    if not certain(p, "gradOutput", "out", prob):
        p.store("out", dropped(p, p.read("gradOutput"), p.read("mask"), prob))


@planned(
    "aclnnDropout", castable("input", to="out"), listed("input", among=SHORT_FLOAT), listed("maskOut"),
    probability("p"), ranks("input", least=0, most=8), same_shape("out", as_="input"), mask_for("maskOut", "input"),
    empty("input"),
)  # fmt: skip
def dropout(p: Planning) -> None:
    """maskOut = a mask whose bits are 0 with the probability p; out = input / (1 - p) where the bit is 1, else 0. If
    train is false or p is 0, out is input; if p is 1, out is 0. In these cases maskOut is not written."""
    x = p.read("input")
    if not certain(p, "input", "out", p["p"] if p["train"] else 0):
        mask = bits(p, p["maskOut"].numel * 8, p["p"])
        p.store("out", dropped(p, x, mask, p["p"]))
        p.store("maskOut", p.builder.reshape(mask, p.shape("maskOut")))


def noise(a: Arguments) -> Bad:
    return "a tensor", "null"


@planned(
    "aclnnDropoutV3", castable("input", to="out"), listed("input", "maskOut"),
    demand("{0} is null", "optionalNoiseShape", bad=noise), probability("p"), ranks("input", least=0, most=8),
    same_shape("out", as_="input"), mask_for("maskOut", "input"), empty("input"),
)  # fmt: skip
def dropout_v3(p: Planning) -> None:
    """maskOut = a mask whose bits are 0 with the probability p; out = input / (1 - p) where the bit is 1, else 0"""
    mask = bits(p, p["maskOut"].numel * 8, p["p"])
    if not certain(p, "input", "out", p["p"]):
        p.store("out", dropped(p, p.read("input"), mask, p["p"]))
    p.store("maskOut", p.builder.reshape(mask, p.shape("maskOut")))


@planned(
    "aclnnDropoutV3Grad", listed("gradY", "mask"),
    castable("gradY", to="gradX"), same_shape("gradX", as_="gradY"), mask_for("mask", "gradY"), empty("gradY"),
)  # fmt: skip
def v3_grad(p: Planning) -> None:
    """gradX = gradY * scale where the bit of the mask is 1, else 0"""
    x = p.read("gradY")
    p.store("gradX", p.step(masked, [x, p.read("mask")], x.shape, x.dtype, scale=p["scale"]))

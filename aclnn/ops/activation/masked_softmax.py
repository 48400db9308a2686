"""ScaledMaskedSoftmax, its gradient, and MaskedSoftmaxWithRelPosBias: softmax of scores, with a mask and a bias."""

import numpy as np

from aclnn.op import (
    TILING, Arguments, Array, Bad, Operand, Planning, Relation, demand, empty, in_parts, listed, one_of, planned,
    public_format, ranks, same_dtype, same_shape, softmax_along,
)  # fmt: skip

LONGEST = 4096
"""most elements in a row"""
MASKED = np.float32(-10000)


def long_row(name: str) -> Relation:
    def bad(a: Arguments) -> Bad:
        shape = a.shape(name)
        return None if shape[-1] <= LONGEST else (list(shape), f"a last dimension of at most {LONGEST}")

    return demand(f"a row of {{0}} has at most {LONGEST} elements", name, bad=bad)


def mask_of(name: str) -> Relation:
    def bad(a: Arguments) -> Bad:
        own, whole = a.shape("mask"), a.shape(name)
        good = own[2:] == whole[2:] and all(size in (1, right) for size, right in zip(own[:2], whole[:2], strict=True))
        return None if good else (list(own), f"{list(whole)}, where the first two dimensions may be 1")

    return demand("{0} broadcasts to {1} in its first two dimensions", "mask", name, bad=bad)


@planned(
    "aclnnScaledMaskedSoftmax", listed("x", "mask", "y"), same_dtype("y", "x"), ranks("x", "mask", "y"),
    long_row("x"), same_shape("y", "x"), mask_of("x"), one_of("fixedTriuMask", False), empty("x"),
)  # fmt: skip
def scaled_masked_softmax(p: Planning) -> None:
    """y = softmax of x * scale along the last dimension, where elements that mask selects are -10000"""
    x = p.read("x")
    p.store("y", p.step(masked, [x, p.read("mask")], x.shape, x.dtype, scale=np.float32(p["scale"])))


@in_parts([-1])
def masked(x: Array, mask: Array, *, scale: np.float32) -> Array:
    return softmax_along(np.where(mask, MASKED, x * scale), axis=-1)


@planned(
    "aclnnScaledMaskedSoftmaxBackward", listed("gradOutput", "y", "mask", "out"),
    public_format("gradOutput", "y", "out"),
    same_dtype("y", "gradOutput"), same_dtype("out", "gradOutput"), ranks("gradOutput", "y", "mask", "out"),
    same_shape("y", "gradOutput"), same_shape("out", "gradOutput"), mask_of("y"), one_of("fixTriuMask", False),
    empty("gradOutput"),
)  # fmt: skip
def scaled_masked_softmax_backward(p: Planning) -> None:
    """out = scale * y * (gradOutput - the sum of gradOutput * y along the last dimension), and 0 where mask selects.
    y is the result of aclnnScaledMaskedSoftmax."""
    inputs = [p.read(name) for name in ("gradOutput", "y", "mask")]
    out = p.step(slope, inputs, inputs[0].shape, inputs[0].dtype, scale=np.float32(p["scale"]))
    p.store("out", out)


@in_parts([-1])
def slope(grad: Array, y: Array, mask: Array, *, scale: np.float32) -> Array:
    inner = (grad * y).sum(-1, keepdims=True)
    return np.where(mask, np.float32(0), (grad - inner) * y * scale)


# of windows


MASK, BIAS = "attenMaskOptional", "relativePosBias"


def of_windows(a: Arguments) -> bool:
    """True if x has a dimension for the windows of an image."""
    return a.rank("x") == 5


def windows(a: Arguments) -> int:
    """The number of windows that have a mask of their own."""
    if of_windows(a):
        return a.shape("x")[1]
    return a[MASK].numel // max(a.shape("x")[2] * a.shape("x")[3], 1) if a.given(MASK) else 1


def wrong_bias(a: Arguments) -> Bad:
    right = a.shape("x")[-3:]
    good = a.shape(BIAS)[-3:] == right and set(a.shape(BIAS)[:-3]) <= {1} and a.rank(BIAS) <= a.rank("x")
    return None if good else (list(a.shape(BIAS)), f"{list(right)}, perhaps after dimensions of 1")


def wrong_windows(a: Arguments) -> Bad:
    (*lead, _, rows, columns), count = a.shape("x"), windows(a)
    allowed = [(count, rows, columns), (count, 1, rows, columns), (1, count, 1, rows, columns)]
    good = a.shape(MASK) in allowed and count and (of_windows(a) or lead[0] % count == 0)
    return None if good else (list(a.shape(MASK)), "a mask for each window")


@planned(
    "aclnnMaskedSoftmaxWithRelPosBias", listed("x", MASK, BIAS, "out", status=TILING),
    *(same_dtype(name, "x", status=TILING) for name in (MASK, BIAS, "out")),
    ranks("x", least=4, most=5, status=TILING), same_shape("out", "x", status=TILING),
    demand("{0} has the heads, rows and columns of {1}", BIAS, "x", bad=wrong_bias, status=TILING),
    demand("{0} has the rows and columns of {1} for each window", MASK, "x", bad=wrong_windows, status=TILING),
    empty("x"),
)  # fmt: skip
def masked_softmax_with_rel_pos_bias(p: Planning) -> None:
    """out = softmax of scaleValue * x + attenMask + relativePosBias along the last dimension. Without a dimension for
    windows, x has the windows of an image one after the other in its first dimension."""
    *lead, heads, rows, columns = p.shape("x")
    count = windows(p)
    sizes = (*lead, heads, rows, columns) if of_windows(p) else (lead[0] // count, count, heads, rows, columns)
    inputs: list[Operand] = [p.builder.reshape(p.read("x"), sizes)]
    inputs.append(p.builder.reshape(p.read(BIAS), (1, 1, heads, rows, columns)))
    if p.given(MASK):
        inputs.append(p.builder.reshape(p.read(MASK), (1, count, 1, rows, columns)))
    out = p.step(shifted_softmax, inputs, sizes, p.dtype("out"), scale=np.float32(p["scaleValue"]))
    p.store("out", p.builder.reshape(out, p.shape("out")))


@in_parts([-1])
def shifted_softmax(x: Array, bias: Array, *mask: Array, scale: np.float32) -> Array:
    scores = x * scale
    for each in mask:
        scores = scores + each
    return softmax_along(scores + bias, axis=-1)

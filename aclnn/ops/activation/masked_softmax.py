"""ScaledMaskedSoftmax: softmax of scores, of which a mask makes some small."""

import numpy as np

from aclnn.op import (
    Arguments, Array, Bad, Planning, demand, empty, in_parts, listed, one_of, planned, ranks, same_dtype, same_shape,
    softmax_along,
)  # fmt: skip

LONGEST = 4096
"""most elements in a row"""
MASKED = np.float32(-10000)


def long_row(a: Arguments) -> Bad:
    shape = a.shape("x")
    return None if shape[-1] <= LONGEST else (list(shape), f"a last dimension of at most {LONGEST}")


def wrong_mask(a: Arguments) -> Bad:
    own, whole = a.shape("mask"), a.shape("x")
    good = own[2:] == whole[2:] and all(size in (1, right) for size, right in zip(own[:2], whole[:2], strict=True))
    return None if good else (list(own), f"{list(whole)}, where the first two dimensions may be 1")


@planned(
    "aclnnScaledMaskedSoftmax", listed("x", "mask", "y"), same_dtype("y", "x"), ranks("x", "mask", "y"),
    demand(f"a row of {{0}} has at most {LONGEST} elements", "x", bad=long_row), same_shape("y", "x"),
    demand("{0} broadcasts to {1} in its first two dimensions", "mask", "x", bad=wrong_mask),
    one_of("fixedTriuMask", False), empty("x"),
)  # fmt: skip
def scaled_masked_softmax(p: Planning) -> None:
    """y = softmax of x * scale along the last dimension, where elements that mask selects are -10000"""
    x = p.read("x")
    p.store("y", p.step(masked, [x, p.read("mask")], x.shape, x.dtype, scale=np.float32(p["scale"])))


@in_parts([-1])
def masked(x: Array, mask: Array, *, scale: np.float32) -> Array:
    return softmax_along(np.where(mask, MASKED, x * scale), axis=-1)

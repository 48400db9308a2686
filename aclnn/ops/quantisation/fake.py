"""Fake quantisation: values are quantised and restored, and a mask marks the values in the range."""

from typing import Any

import numpy as np

from aclnn.op import (
    ACLNN_ERR_INNER_NULLPTR, Arguments, Array, Bad, Planning, Relation, Shape, T, aclDataType, axis, can_cast, demand,
    dtype_name, empty, in_parts, listed, null_status, one_element, planned, promoted, ranks, same_shape,
)  # fmt: skip


TENSORS = ("self", "scale", "zeroPoint", "out", "mask")


def other_out(a: Arguments) -> Bad:
    """Checks that out can be cast to the data type of self and scale. Other operators check the opposite cast."""
    expected_dtype = a.promoted("self", "scale")
    fine = expected_dtype is None or can_cast(a.dtype("out"), expected_dtype)
    return None if fine else (a.type_name("out"), f"a data type that can be cast to {dtype_name(expected_dtype or 0)}")


def other_length(a: Arguments) -> Bad:
    size, expected_size = a.shape("scale")[0], (a.shape("self") or (1,))[a.axis("axis", of="self")]
    return None if size == expected_size else (f"{size} elements", f"{expected_size}, as self has along axis")


def crossed(a: Arguments) -> Bad:
    return (a["quantMin"], f"at most {a['quantMax']}") if a["quantMin"] > a["quantMax"] else None


def contract(zero_points: tuple[aclDataType, ...], *sizes: Relation) -> tuple[Relation, ...]:
    return (
        null_status(ACLNN_ERR_INNER_NULLPTR, *TENSORS), listed("self", "scale"),
        listed("zeroPoint", among=zero_points, provenance="public"), promoted("self", "scale"),
        demand("{0} can be cast to the data type of self and scale", "out", bad=other_out, provenance="public"),
        listed("mask"), *sizes, same_shape("out", "self"), same_shape("mask", "self"),
        demand("{0} is at most {1}", "quantMin", "quantMax", bad=crossed), empty(*TENSORS),
    )  # fmt: skip


def rounded_then_shifted(x: Array, scale: Array, zero: Array) -> Array:
    return np.rint(x / scale) + zero


def shifted_then_rounded(x: Array, scale: Array, zero: Array) -> Array:
    return np.rint(x / scale + zero)


@in_parts()
def fake(x: Array, scale: Array, zero: Array, *, low: int, high: int, whole: bool) -> tuple[Array, Array]:
    zero = zero.astype(np.float32)
    steps = rounded_then_shifted(x, scale, zero) if whole else shifted_then_rounded(x, scale, zero)
    low_, high_ = np.float32(low), np.float32(high)
    return (np.minimum(np.maximum(steps, low_), high_) - zero) * scale, (steps >= low_) & (steps <= high_)


@in_parts()
def unchanged(x: Array) -> tuple[Array, Array]:
    return x, np.ones(x.shape, np.bool_)


def plan(p: Planning, spread: Shape) -> None:
    """Plans out and mask. `spread`: the shape under which scale and zeroPoint broadcast to self."""
    dtype = p.computed()
    x = p.read("self", dtype)
    inputs = [p.builder.reshape(each, spread) for each in (p.read("scale", dtype), p.read("zeroPoint"))]
    limits: dict[str, Any] = {"low": p["quantMin"], "high": p["quantMax"]}
    store(p, p.steps(fake, [x, *inputs], [(x.shape, dtype), (x.shape, T.ACL_BOOL)], **limits,
                     whole=p.dtype("zeroPoint") == T.ACL_INT32))  # fmt: skip


def store(p: Planning, results: list[Any]) -> None:
    for name, result in zip(("out", "mask"), results, strict=True):
        p.store(name, result)


@planned(
    "aclnnFakeQuantPerTensorAffineCachemask", *contract((T.ACL_INT32,), one_element("scale"), one_element("zeroPoint"))
)  # fmt: skip
def per_tensor(p: Planning) -> None:
    """q = rint(self / scale) + zeroPoint; out = (clip(q, quantMin, quantMax) - zeroPoint) * scale, and mask is true
    where q is in the range. With fakeQuantEnabled below 1, out = self, and mask is true everywhere."""
    if p["fakeQuantEnabled"] < 1:
        x = p.read("self", p.computed())
        store(p, p.steps(unchanged, [x], [(x.shape, x.dtype), (x.shape, T.ACL_BOOL)]))
        return
    plan(p, (1,) * p.rank("self"))


@planned(
    "aclnnFakeQuantPerChannelAffineCachemask", *contract(
        (T.ACL_INT32, T.ACL_FLOAT, T.ACL_FLOAT16), ranks("scale", "zeroPoint", least=1, most=1),
        same_shape("zeroPoint", "scale"), axis("axis", of="self"),
        demand("{0} has an element for each index along {2} of {1}", "scale", "self", "axis", bad=other_length),
    ),
)  # fmt: skip
def per_channel(p: Planning) -> None:
    """Like aclnnFakeQuantPerTensorAffineCachemask, with a scale and a zeroPoint for each index along axis. With a
    zeroPoint of floats, q = rint(self / scale + zeroPoint)."""
    axis = p.axis("axis", of="self")
    plan(p, tuple(size if each == axis else 1 for each, size in enumerate(p.shape("self"))))

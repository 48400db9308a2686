"""Complex numbers and their parts: Complex, Polar, Real, AngleV2. The order of the checks is ours but for AngleV2."""

from typing import cast

import numpy as np

from aclnn.op import (
    TILING, Arguments, Array, Planning, Series, T, broadcast, empty, generated, in_parts, listed, planned,
    public_format, ranks, same_dtype, same_shape, type_rows,
)  # fmt: skip


COMPLEX_OF = {T.ACL_FLOAT16: T.ACL_COMPLEX32, T.ACL_FLOAT: T.ACL_COMPLEX64, T.ACL_DOUBLE: T.ACL_COMPLEX128}
"""the complex data type, by the data type of its two parts"""
PARTS = {whole: part for part, whole in COMPLEX_OF.items()}


@planned(
    "aclnnComplex", listed("real", "imag"), listed("out", among=tuple(PARTS)), same_dtype("imag", as_="real"),
    type_rows(("real", "out"), {part: (whole,) for part, whole in COMPLEX_OF.items()}),
    ranks("real", "imag", least=0, most=8), broadcast("real", "imag", into="out"), public_format("real", "imag"),
    empty("real", "imag"),
)  # fmt: skip
def complex_(p: Planning) -> None:
    """out = real + i * imag"""
    inputs = [p.read("real"), p.read("imag")]
    p.store("out", p.step(of_parts, inputs, p.shape("out"), p.dtype("out")))


@in_parts()
def of_parts(real: Array, imag: Array) -> Array:
    shape = np.broadcast_shapes(real.shape, imag.shape)
    out = np.empty(shape, np.complex64 if real.dtype.itemsize <= 4 else np.complex128)
    out.real, out.imag = real, imag
    return out


@planned(
    "aclnnPolar", listed("input", "out"), same_dtype("angle", as_="input"),
    ranks("input", "angle", "out", least=0, most=8), broadcast("input", "angle", into="out"), empty("input", "angle"),
)  # fmt: skip
def polar(p: Planning) -> None:
    """out = input * (cos(angle) + i * sin(angle))"""
    inputs = [p.read("input"), p.read("angle")]
    p.store("out", p.step(of_angle, inputs, p.shape("out"), p.dtype("out")))


@in_parts()
def of_angle(radius: Array, angle: Array) -> Array:
    return of_parts(radius * np.cos(angle), radius * np.sin(angle))


@planned(
    "aclnnReal", listed("self", "out"),
    type_rows(("self", "out"), {**{part: (part,) for part in PARTS.values()}, **{k: (v,) for k, v in PARTS.items()}}),
    same_shape("out", "self"), public_format("self"), empty("self"),
)  # fmt: skip
def real(p: Planning) -> None:
    """out = the real part of self; self, if it is not complex"""
    x = p.read("self")
    p.store("out", p.step(real_part, [x], x.shape, p.dtype("out")))


@in_parts()
def real_part(x: Array) -> Array:
    return cast("Array", np.real(x))


WHOLE = (T.ACL_BOOL, T.ACL_UINT8, T.ACL_INT8, T.ACL_INT16, T.ACL_INT32, T.ACL_INT64)


def types_of_angles(a: Arguments) -> dict[int, tuple[int, ...]]:
    """The data type of out, by that of x."""
    same = (T.ACL_FLOAT16, *(() if a.soc.series is Series.TRAINING else (T.ACL_BF16,)))
    wide = (T.ACL_FLOAT, T.ACL_COMPLEX64, *WHOLE)
    return {**{each: (each,) for each in same}, **dict.fromkeys(wide, (T.ACL_FLOAT,))}


@planned(
    "aclnnAngleV2", generated(), type_rows(("x", "out"), types_of_angles), ranks("x", "out", status=TILING),
    same_shape("out", "x", status=TILING), empty("x"),
)  # fmt: skip
def angle(p: Planning) -> None:
    """out = the angle of a complex number; of a real number pi below 0, and 0 otherwise. NaN stays."""
    x = p.read("x")
    p.store("out", p.step(angle_of, [x], x.shape, p.dtype("out")))


@in_parts()
def angle_of(x: Array) -> Array:
    if x.dtype.kind == "c":
        return np.arctan2(np.imag(x), np.real(x))
    if x.dtype.kind in "bu":
        return np.zeros(x.shape, np.float32)
    sides = np.where(x < 0, np.float32(np.pi), np.float32(0))
    return np.where(np.isnan(x), x, sides) if x.dtype.kind == "f" else sides

"""RotateQuant: parts of rows are multiplied by a rotation, and quantised by row or in MX blocks."""

from math import prod
from typing import Final

import numpy as np

from aclnn.op import ACLNN_ERR_PARAM_INVALID as INVALID
from aclnn.op import (
    Arguments, Array, Bad, DataTypes, Planning, Series, Shape, T, demand, in_parts, lacks, listed, matmul, nibbles,
    only_if, planned, public_format, ranks, same_dtype, shape, with_elements,
)  # fmt: skip
from aclnn.ops.blocks._contract import (
    BLOCK,
    algorithm,
    greatest,
    mode,
    rounding,
    scale_shape,
    store_blocks,
    whole_bytes,
)
from aclnn.ops.blocks._grids import Rule
from aclnn.ops.quantisation._family import by_rows, grid, held_in, packed_like, store_quantised

INTEGERS: Final = (T.ACL_INT8, T.ACL_INT32)
"""INT32 has eight INT4"""
FLOATS: Final = (T.ACL_FLOAT4_E2M1, T.ACL_FLOAT8_E4M3FN, T.ACL_FLOAT8_E5M2)
RESULTS: Final = DataTypes(INTEGERS, {Series.A950: FLOATS})
SCALES: Final = DataTypes((T.ACL_FLOAT,), {Series.A950: (T.ACL_FLOAT8_E8M0,)})


def floats(a: Arguments) -> bool:
    return a.dtype("yOut") in FLOATS


def other_scale(a: Arguments) -> Bad:
    right = a.dtype("scaleOut") == (T.ACL_FLOAT8_E8M0 if floats(a) else T.ACL_FLOAT)
    return None if right else (a.type_name("scaleOut"), "FLOAT8_E8M0 beside floats, FLOAT beside integers")


def other_rotation(a: Arguments) -> Bad:
    sizes, width = a.shape("rotation"), a.shape("x")[-1]
    fine = len(sizes) == 3 or (sizes[0] == sizes[1] and sizes[0] and width % sizes[0] == 0)
    return None if fine else (list(sizes), f"a square matrix whose size divides {width}")


def scales(a: Arguments) -> Shape:
    return scale_shape(a.shape("x"), -1, BLOCK) if floats(a) else a.shape("x")[:-1] or (1,)


@planned(
    "aclnnRotateQuant", lacks("trans", lambda a: a["trans"]),
    lacks("several rotations", lambda a: a.rank("rotation") == 3),
    lacks("an axis that is not the last one", lambda a: a["axis"] not in (-1, a.rank("x") - 1)),
    nibbles("yOut"), listed("x", "alpha"), same_dtype("rotation", "x"), listed("yOut", among=RESULTS),
    listed("scaleOut", among=SCALES),
    demand("{0} has the data type that that of {1} needs", "scaleOut", "yOut", bad=other_scale),
    ranks("x", "rotation", "alpha"), with_elements("x"),
    demand("{0} is a square matrix whose size divides the rows of {1}", "rotation", "x", bad=other_rotation),
    shape("alpha", "{0} has one element", lambda a: (1,)),
    only_if("yOut has integers", lambda a: not floats(a), *packed_like("yOut", "x")),
    only_if("yOut has floats", floats, *rounding("roundMode", "yOut", status=INVALID),
            algorithm("scaleAlg", "yOut", status=INVALID), greatest("dstTypeMax", status=INVALID),
            whole_bytes("yOut", "x", status=INVALID), shape("yOut", "{0} has the shape of x", lambda a: a.shape("x"))),
    shape("scaleOut", "{0} has a scale for each row of x, or the pairs of MX", scales),
    public_format("x", "rotation", "yOut", "scaleOut"),
)  # fmt: skip
def rotate_quant(p: Planning) -> None:
    """The last dimension of x is cut into parts of the size of rotation: z = part @ rotation, in FLOAT. With alpha,
    each 32 elements are clamped to alpha * their largest magnitude. Integers: scaleOut = max|z| / 127 of a row (INT32,
    which has eight INT4: 7), yOut = z / scaleOut, rounded half to even. Floats: aclnnDynamicMxQuant of z along the last
    dimension, in blocks of 32."""
    x = p.read("x")
    rows = p.step(rotated, [x, p.read("rotation")], x.shape, T.ACL_FLOAT)
    if p.given("alpha"):
        rows = p.step(clamped, [rows, p.read("alpha")], x.shape, T.ACL_FLOAT)
    if floats(p):
        rule = Rule(p["scaleAlg"], p["dstTypeMax"])
        store_blocks(p, rows, "yOut", "scaleOut", axis=-1, rounding=mode(p, "roundMode"), rule=rule)
        return
    dtype = held_in(p.dtype("yOut"))
    flat = (prod(x.shape[:-1]), x.shape[-1])
    y, scale = p.steps(by_rows, [p.builder.reshape(rows, flat)], [(flat, dtype), ((flat[0], 1), T.ACL_FLOAT)],
                       **grid(dtype))  # fmt: skip
    store_quantised(p, "yOut", p.builder.reshape(y, x.shape))
    p.store("scaleOut", p.builder.reshape(scale, p.shape("scaleOut")))


@in_parts([-1], whole=[1])
def rotated(x: Array, rotation: Array) -> Array:
    product: Array = np.reshape(matmul(x.reshape(-1, len(rotation)), rotation), x.shape)
    return product


@in_parts([-1], whole=[1])
def clamped(x: Array, alpha: Array) -> Array:
    missing = -x.shape[-1] % BLOCK
    blocks = np.concatenate([x, np.zeros((*x.shape[:-1], missing), x.dtype)], -1).reshape(-1, BLOCK)
    limit = np.abs(blocks).max(1, keepdims=True) * alpha
    clipped: Array = np.clip(blocks, -limit, limit)
    return clipped.reshape(*x.shape[:-1], -1)[..., : x.shape[-1]]

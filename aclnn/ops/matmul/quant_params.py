"""TransQuantParamV2 and V3: pack scales and offsets for quantised products."""

from typing import Final

import numpy as np

from aclnn.op import (
    Arguments, Array, Bad, Planning, Series, Shape, Tensor, aclDataType, changes, demand, in_parts, listed, one_of,
    planned, public_format, ranks, shape,
)  # fmt: skip
from aclnn.ops.matmul._quantised_products import OFFSET_AT, OFFSET_BITS
from aclnn.ops.matmul._quantised_weights import LOW

SCALE_BITS: Final = np.uint32(LOW)
"""the 19 bits of a float32 that a scale keeps"""
HALF: Final = np.uint32(0xFFF)
MARK: Final = 1 << 46
"""the bit that is set in every packed scale"""


def other_scale(a: Arguments) -> Bad:
    """Checks that scale is one row. On Ascend 950 it may have a row for each group."""
    shape = a.shape("scale")
    fine = len(shape) == 1 or shape[0] == 1 or a.soc.series is Series.A950
    return None if fine else (list(shape), "(t) or (1, n)")


def other_offset(a: Arguments) -> Bad:
    scale, offset = a.shape("scale"), a.shape("offset")
    if len(scale) == len(offset) == 1:
        fine = scale == offset or 1 in (scale[0], offset[0])
    else:
        fine = len(scale) == len(offset) and offset[0] == 1 and offset[1] == scale[1]
    return None if fine else (list(offset), f"a shape that goes with {list(scale)}")


def packed_shape(a: Arguments) -> Shape:
    scale = a.shape("scale")
    longer = len(scale) == 1 and a.given("offset") and a.shape("offset")[0] > scale[0]
    return a.shape("offset") if longer else scale


def as_unsigned(a: Arguments) -> None:
    """Changes the data type of an INT64 output to UINT64, as the first phase does."""
    out: Tensor = a["out"]
    if out.dtype == aclDataType.ACL_INT64:
        form, storage = out.storage_format, out.storage_shape
        out.describe(out.shape, aclDataType.ACL_UINT64, out.strides, out.offset, out.format, storage)
        out.stored_as(form, storage)


CONTRACT: Final = (
    listed("scale", "offset", "out"), public_format("scale", "offset", "out"), ranks("scale", "offset"),
    demand("{0} has one dimension, or one row", "scale", bad=other_scale),
    demand("{0} has as many elements as scale, or one", "offset", "scale", bad=other_offset),
    shape("out", "{0} has the longer of the shapes", packed_shape), changes(as_unsigned),
)  # fmt: skip


def packing(p: Planning, *, nearest: bool) -> None:
    inputs = [p.read(name) for name in ("scale", "offset") if p.given(name)]
    out_shape = p.shape("out")
    p.store("out", p.step(packed, inputs, out_shape, p.dtype("out"), nearest=nearest))


@in_parts()
def packed(scale: Array, *offsets: Array, nearest: bool) -> Array:
    bits = np.ascontiguousarray(scale).view(np.uint32)
    if nearest:
        bits = bits + HALF + ((bits >> np.uint32(13)) & np.uint32(1))
    words = (bits & SCALE_BITS).astype(np.uint64) | np.uint64(MARK)
    for offset in offsets:
        whole = np.clip(np.rint(offset), -256, 255).astype(np.int64).view(np.uint64)
        words = words | (whole & OFFSET_BITS) << OFFSET_AT
    return words


@planned("aclnnTransQuantParamV2", *CONTRACT)
def trans_quant_param_v2(p: Planning) -> None:
    """out = the scales, cut to 19 bits. The bits from 37 on are the offsets, rounded to integers of 9 bits"""
    packing(p, nearest=False)


@planned("aclnnTransQuantParamV3", *CONTRACT, one_of("roundMode", 0, 1))
def trans_quant_param_v3(p: Planning) -> None:
    """Like aclnnTransQuantParamV2. With roundMode 1 the scales are rounded to 19 bits, half to even."""
    packing(p, nearest=p["roundMode"] == 1)

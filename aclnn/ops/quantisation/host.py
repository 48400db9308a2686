"""TransQuantParam: packs scales and offsets for quantised products, on the host."""

from typing import Final

import numpy as np

from aclnn.op import Arguments, Bad, HostCall, Relation, demand, on_host, take_handle
from aclnn.ops.matmul._quantised_products import OFFSET_AT, OFFSET_BITS
from aclnn.ops.matmul.quant_params import MARK

MULTIPLE: Final = 16
"""several elements are padded to a multiple of this number"""


def no_address(name: str) -> Relation:
    def bad(a: Arguments) -> Bad:
        return ("null", "a pointer that is not null") if a[name].null else None

    return demand("{0} is not null", name, bad=bad, provenance="public")


def zero_scale_size(a: Arguments) -> Bad:
    return None if a["scaleSize"] else (0, "at least 1")


def other_offset(a: Arguments) -> Bad:
    null, size = a["offsetArray"].null, a["offsetSize"]
    return None if null == (size == 0) else (size, "0, as offsetArray is null" if null else "at least 1")


@on_host(
    "aclnnTransQuantParam", *(no_address(name) for name in ("scaleArray", "quantParam", "quantParamSize")),
    demand("{0} is not 0", "scaleSize", bad=zero_scale_size),
    demand("{0} is 0 exactly if offsetArray is null", "offsetSize", "offsetArray", bad=other_offset),
)  # fmt: skip
def trans_quant_param(call: HostCall) -> None:
    """quantParam = the bits of each scale, with bit 46 set. The bits from 37 on are its offset, rounded half to even to
    an integer of 9 bits. A single scale, or a single offset, applies to all elements. Several elements are padded with
    zeros to a multiple of 16. The caller owns the array: a program in C frees it with free."""
    sizes = call["scaleSize"], call["offsetSize"]
    scales = take_handle(call["scaleArray"], sizes[0], "scaleArray")
    offsets = take_handle(call["offsetArray"], sizes[1], "offsetArray") if sizes[1] else ()
    count = max(sizes)
    words = [_packed(_at(scales, i), _at(offsets, i)) for i in range(count)]
    room = 1 if count == 1 else -(-count // MULTIPLE) * MULTIPLE
    call.store_array("quantParam", words + [0] * (room - count), freed=True)
    call.store("quantParamSize", room)


def _at(values: tuple[float, ...], index: int) -> float:
    """An element of an array. A single value applies to all indices; behind the end of an array are zeros."""
    return values[0] if len(values) == 1 else values[index] if index < len(values) else 0.0


def _packed(scale: float, offset: float) -> int:
    whole = int(np.clip(np.nan_to_num(np.rint(np.float32(offset))), -256, 255))
    return int(np.float32(scale).view(np.uint32)) | MARK | (whole & OFFSET_BITS) << OFFSET_AT

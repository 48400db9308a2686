"""DropoutGenMask and its versions: masks of bits."""

from typing import Any

from aclnn.op import Operand, Planning, Series, T, empty, filled, listed, planned
from aclnn.ops.random._family import BITS, DSA, in_type, mask, mask_for, near, probability, source


def bits(p: Planning, count: int, prob: float, dtype: int | None = None) -> Operand:
    """A mask of `count` bits. `dtype`: the data type in which A2 and A3 compare, FLOAT by default."""
    if near(prob, 0) or near(prob, 1):
        byte = 0 if near(prob, 1) else 0xFF
        return p.step(filled, [], (count // 8,), T.ACL_UINT8, moves=True, value=byte, sizes=(count // 8,))
    tensors, numbers = source(p)
    compared = T.ACL_FLOAT if dtype is None or p.soc.series not in DSA else dtype
    if compared not in BITS:
        raise p.builder.failed(f"DropoutGenMask does not support probDataType {p.type_name('probDataType')}.")
    newest = p.soc.series is Series.A950
    values: dict[str, Any] = {
        "prob": prob if newest else in_type(prob, compared),
        "dtype": None if newest else int(compared),
    }
    return p.step(mask, tensors, (count // 8,), T.ACL_UINT8, bits=count, **values, **numbers)


def generate(p: Planning, dtype: int | None = None) -> None:
    out = p["out"]
    p.store("out", p.builder.reshape(bits(p, out.numel * 8, p["prob"], dtype), out.shape))


@planned(
    "aclnnDropoutGenMask", listed("out"), probability("prob"), mask_for("out", "shape"), empty("out"),
)  # fmt: skip
def gen_mask(p: Planning) -> None:
    """out = a mask for a tensor of this shape: each bit is 0, which drops an element, with the probability prob"""
    generate(p)


@planned(
    "aclnnDropoutGenMaskV2", "aclnnDropoutGenMaskV2Tensor", listed("out"), probability("prob"),
    mask_for("out", "shape"), empty("out"),
)  # fmt: skip
def gen_mask_v2(p: Planning) -> None:
    """out = a mask for a tensor of this shape: each bit is 0, which drops an element, with the probability prob. On A2
    and A3 prob and the random numbers have the data type probDataType: FLOAT, FLOAT16 or BFLOAT16. With tensors, the
    offset is offsetTensor + offset."""
    generate(p, p["probDataType"])

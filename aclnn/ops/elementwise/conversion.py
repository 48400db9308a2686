"""Cast, and the functions that fill a tensor in place: from another tensor, with a value, with zero."""

import numpy as np

from aclnn.op import (
    T, Array, Planning, Shape, broadcast_into, copies_elements, empty, listed, may_be_in_place, overwrites, planned,
    promoted, ranks, same_shape,
)  # fmt: skip


COPIED = (
    T.ACL_INT8, T.ACL_INT16, T.ACL_INT32, T.ACL_INT64, T.ACL_UINT8, T.ACL_UINT16, T.ACL_UINT32, T.ACL_UINT64,
    T.ACL_FLOAT16, T.ACL_FLOAT, T.ACL_BOOL, T.ACL_DOUBLE, T.ACL_COMPLEX64, T.ACL_COMPLEX128, T.ACL_BF16,
    T.ACL_FLOAT8_E5M2, T.ACL_FLOAT8_E4M3FN, T.ACL_HIFLOAT8, T.ACL_FLOAT8_E8M0,
)  # fmt: skip


@copies_elements
def spread(src: Array, *, sizes: Shape) -> Array:
    return np.broadcast_to(src, sizes)


@planned(
    "aclnnCast", listed("self"), listed("dtype", like="out"), ranks("self"), same_shape("out", "self"), empty("self"),
    may_be_in_place(),
)  # fmt: skip
def cast(p: Planning) -> None:
    """out = self as dtype, which has to be the data type of out"""
    p.builder.view_copy(p.read("self", p["dtype"]), p["out"])


@planned(
    "aclnnInplaceCopy", overwrites("selfRef"), listed("selfRef", "src", among=COPIED),
    ranks("selfRef", "src", least=0, most=8), broadcast_into("src", "selfRef"), empty("selfRef", "src"),
    may_be_in_place(),
)  # fmt: skip
def copy(p: Planning) -> None:
    """selfRef = src, which may broadcast"""
    source, target = p.read("src", p.dtype("selfRef")), p.shape("selfRef")
    if source.shape != target:
        source = p.step(spread, [source], target, source.dtype, moves=True, sizes=target)
    p.store("selfRef", source)


@planned("aclnnInplaceZero", overwrites("selfRef"), listed("selfRef"), empty("selfRef"))
def zero(p: Planning) -> None:
    """selfRef = 0"""
    p.fill("selfRef", 0)


@planned(
    "aclnnInplaceFillScalar", overwrites("selfRef"), listed("selfRef"), promoted("selfRef", "value"), ranks("selfRef"),
    empty("selfRef"),
)  # fmt: skip
def fill_scalar(p: Planning) -> None:
    """selfRef = value"""
    p.fill("selfRef", p.scalar("value", p.dtype("selfRef")))

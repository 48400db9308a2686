"""Tensors that hold positions: out of range is undefined, and here a finding when the task runs."""

import numpy as np

from acl_runtime.dtypes import Array
from acl_runtime.errors import DeviceFault
from acl_runtime.machine.installation import current
from acl_runtime.messages import Item
from acl_runtime.statuses import ACL_ERROR_RT_VECTOR_CORE_EXCEPTION


def check_range(indices: Array, *, name: str, count: int, besides: int | None = None) -> tuple[()]:
    """A step without outputs: every index lies in [0, count), or equals `besides`.

    In a machine that only reports, the operator drops the elements that do not, and the task then fails as on a
    device, which the next synchronise of its stream tells."""
    whole = whole_numbers(indices)
    bad = (whole < 0) | (whole >= count)
    if besides is not None:
        bad &= whole != besides
    if bad.any():
        where = tuple(int(axis[0]) for axis in np.nonzero(bad))
        legal = f"0 to {count - 1}" if count else "none"
        also = f", or {besides}" if besides is not None else ""
        text = (
            f"{name}[{', '.join(map(str, where))}] is {indices[where]}, legal are {legal}{also} "
            f"({int(bad.sum())} of {bad.size} are out of range)."
        )
        current().undefined("index-range", text)
        raise DeviceFault(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, Item("EZ2001", (text,)), told=True)
    return ()


def whole_numbers(indices: Array) -> Array:
    """As int64, truncated toward zero; NaN and what int64 cannot hold become -1."""
    if indices.dtype.kind != "f":
        return indices.astype(np.int64)
    cut = np.trunc(indices)
    return np.where(np.abs(cut) < 2.0**63, cut, -1).astype(np.int64)

"""Positions in tensors. One that is out of range is undefined on a device; here it is a finding when the task runs."""

from typing import Final, cast

import numpy as np

from acl_runtime.errors import DeviceFault
from acl_runtime.headers.dtypes import Array
from acl_runtime.machine.current import current
from aclnn.engine.plan import role_name
from aclnn.engine.steps.units import KernelFault

AT_ONCE: Final = 1 << 16
"""indices that are looked through at once, so that there may be any number of them"""


def check_range(
    indices: Array, *, name: str, count: int, besides: int | None = None, unheeded: tuple[int, str] | None = None,
    negative: bool = False,
) -> tuple[()]:  # fmt: skip
    """A step without outputs: every index lies in [0, count), or equals `besides`. `unheeded`: a value that the host
    code may have meant to be passed over as well, and why it is not. `negative`: indices from -count on count from the
    end.

    In a machine that only reports, the operator drops the elements that do not. The task then fails as on a device, and
    the next synchronise of its stream returns the error."""
    first, many = -1, 0
    for start in range(0, indices.size, AT_ONCE):
        whole = whole_numbers(part_of(indices, slice(start, start + AT_ONCE)))
        bad = (whole < (-count if negative else 0)) | (whole >= count)
        if besides is not None:
            bad &= whole != besides
        if bad.any():
            first = start + int(bad.argmax()) if first < 0 else first
            many += int(bad.sum())
    if many:
        where = tuple(map(int, np.unravel_index(first, indices.shape)))
        legal = f"{-count if negative else 0} to {count - 1}" if count else "none"
        also = f", or {besides}" if besides is not None else ""
        why = f" {unheeded[1]}" if unheeded is not None and indices[where] == unheeded[0] else ""
        text = (
            f"{name}[{', '.join(map(str, where))}] is {indices[where]}, legal values are {legal}{also} "
            f"({many} of {indices.size} are out of range).{why}"
        )
        raise out_of_range(name, text)
    return ()


def out_of_range(name: str, text: str) -> DeviceFault:
    """The finding about values of a tensor that its operator cannot use; then the fault of its task. The tensor of
    `indices[..., 0]` is `indices`."""
    machine = current()
    finding = machine.undefined("index-range", text, role=role_name(name.partition("[...")[0]))
    fault = KernelFault(text)
    machine.consequences.taint(fault, finding)
    return fault


def first(array: Array) -> Array:
    """The first element, in one dimension; 0 if there is none."""
    return array.reshape(-1)[:1] if array.size else np.zeros(1, array.dtype)


def exact_sum(numbers: Array) -> int:
    """The sum of integers. It never wraps, whatever they are."""
    whole = numbers.astype(np.int64)
    return (int((whole >> 32).sum()) << 32) + int((whole & 0xFFFFFFFF).sum())


def runs(counts: Array, most: int) -> Array:
    """The position of each count, as often as the count says. A negative count is 0. There are `most` positions at
    most: the others are cut before they take memory."""
    # float64 does not wrap, and is exact up to any size of an array
    ends = np.minimum(np.cumsum(np.clip(counts, 0, most), dtype=np.float64), most).astype(np.int64)
    return np.repeat(np.arange(len(counts)), np.diff(ends, prepend=0))


def part_of(array: Array, part: slice) -> Array:
    """Some of its elements, which count in row-major order."""
    return array.reshape(-1)[part] if array.flags.c_contiguous else cast("Array", array.flat[part])


def whole_numbers(indices: Array) -> Array:
    """As int64, truncated toward zero; NaN and what int64 cannot hold become -1."""
    if indices.dtype.kind != "f":
        return indices.astype(np.int64)
    cut = np.trunc(indices)
    return np.where(np.abs(cut) < 2.0**63, cut, -1).astype(np.int64)

"""Positions in tensors, and their check. On a device a position out of range is undefined; here it is a finding."""

from typing import Final, cast

import numpy as np

from acl_runtime.errors import DeviceFault
from acl_runtime.headers.dtypes import Array
from acl_runtime.machine.current import current
from acl_runtime.memory.ranges import Use
from acl_runtime.text import Text
from aclnn.engine.fast import all_within
from aclnn.engine.plan import role_name
from aclnn.engine.steps.units import KernelFault

INDICES_PER_CHECK: Final = 1 << 16
"""indices that are checked together, which bounds the temporaries"""


def check_range(
    indices: Array, *, name: str, count: int, besides: int | None = None, unheeded: tuple[int, str] | None = None,
    negative: bool = False, use: Use = Use.READ,
) -> tuple[()]:  # fmt: skip
    """A step without outputs. It checks that every index lies in [0, count), or equals `besides`. With `negative`,
    indices from -count on are legal, too. `use`: what the operator does with the tensor of the indices.

    `unheeded`: a value that a programmer may expect to be ignored, and why it is not. In a machine that only reports,
    the operator drops the elements with illegal indices. The task then fails as on a device, and the next synchronise
    of its stream returns the error."""
    first_bad, bad_count, low = -1, 0, -count if negative else 0
    if all_within(indices, low, count):
        return ()
    for start in range(0, indices.size, INDICES_PER_CHECK):
        part = part_of(indices, slice(start, start + INDICES_PER_CHECK))
        if part.dtype.kind in "iu" and part.min() >= low and part.max() < count:
            continue
        numbers = whole_numbers(part)
        bad = (numbers < low) | (numbers >= count)
        if besides is not None:
            bad &= numbers != besides
        if bad.any():
            first_bad = start + int(bad.argmax()) if first_bad < 0 else first_bad
            bad_count += int(bad.sum())
    if bad_count:
        index = tuple(map(int, np.unravel_index(first_bad, indices.shape)))
        value = {
            "index": name, "at": ", ".join(map(str, index)), "value": indices[index], "many": bad_count,
            "size": indices.size,
        }  # fmt: skip
        text = Text("{index}[{at}] is {value}, legal values are none ({many} of {size} are out of range).", **value)
        if count or besides is not None:
            legal = Text("{low} to {high}", low=low, high=count - 1) if count else Text("none")
            if besides is not None:
                legal = Text("{legal}, or {besides}", legal=legal, besides=besides)
            text = Text(
                "{index}[{at}] is {value}, legal values are {legal} ({many} of {size} are out of range).", **value,
                legal=legal,
            )  # fmt: skip
        if unheeded is not None and indices[index] == unheeded[0]:
            text = Text("{text} {why}", text=text, why=unheeded[1])
        raise out_of_range(name, text, use)
    return ()


def out_of_range(name: str, text: Text, use: Use = Use.READ) -> DeviceFault:
    """Report values of a tensor that its operator cannot use, and return the fault of its task. For a name such as
    `indices[..., 0]` the finding has the role of `indices`."""
    machine = current()
    finding = machine.undefined("index-range", text, role=role_name(name.partition("[...")[0], use))
    fault = KernelFault(text)
    machine.consequences.taint(fault, finding)
    return fault


def first(array: Array) -> Array:
    """The first element as an array of one dimension; 0 if there is none."""
    return array.reshape(-1)[:1] if array.size else np.zeros(1, array.dtype)


def exact_sum(numbers: Array) -> int:
    """The sum of integers as a Python int, which never wraps."""
    integers = numbers.astype(np.int64)
    return (int((integers >> 32).sum()) << 32) + int((integers & 0xFFFFFFFF).sum())


def runs(counts: Array, limit: int) -> Array:
    """Runs of positions: counts[0] times 0, counts[1] times 1, and so on. A negative count is 0. The result has at most
    `limit` elements, which bounds its memory."""
    # float64 does not wrap, and is exact up to any size of an array
    ends = np.minimum(np.cumsum(np.clip(counts, 0, limit), dtype=np.float64), limit).astype(np.int64)
    return np.repeat(np.arange(len(counts)), np.diff(ends, prepend=0))


def part_of(array: Array, part: slice) -> Array:
    """Some elements of an array, counted in row-major order."""
    return array.reshape(-1)[part] if array.flags.c_contiguous else cast("Array", array.flat[part])


def whole_numbers(indices: Array) -> Array:
    """Numbers truncated to int64. NaN and numbers beyond int64 become -1."""
    if indices.dtype.kind != "f":
        return indices.astype(np.int64)
    truncated = np.trunc(indices)
    return np.where(np.abs(truncated) < 2.0**63, truncated, -1).astype(np.int64)

"""Copies of rows with a pitch: one strided numpy copy if no access can fail, otherwise row by row."""

import ctypes
from typing import Any, Final

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.memory.copies import Side, announce_written, check, copy
from acl_runtime.memory.ports import Copier

SPARSE: Final = 8
"""rows with a pitch above 8 times their width are copied one by one, because the strided copy accesses the gaps
too"""


def copy_rows(machine: Copier, target: Side, dpitch: int, source: Side, spitch: int, width: int, height: int) -> None:
    """Copy `height` rows of `width` bytes. Rows start every `dpitch` bytes in the target, `spitch` in the source."""
    target_span, source_span = dpitch * (height - 1) + width, spitch * (height - 1) + width
    sound = _sound(target, target_span) and _sound(source, source_span)
    disjoint = target.start + target_span <= source.start or source.start + source_span <= target.start
    if sound and disjoint and max(dpitch, spitch) <= SPARSE * width:
        _at_once(machine, target, dpitch, source, spitch, width, height)
        return
    steps = (check, copy) if not (target.safe and source.safe) else (copy,)
    rows = min(height, -(-target.available // dpitch)) if target.safe else height  # rows past the end are dropped
    for step in steps:  # all rows are checked before any is copied
        for row in range(rows):
            step(machine, _moved(target, row * dpitch), _moved(source, row * spitch), width)


def _sound(side: Side, span: int) -> bool:
    """True if the first `span` bytes of this side can be accessed directly."""
    return side.safe and side.alive and span <= side.available


def _at_once(machine: Copier, target: Side, dpitch: int, source: Side, spitch: int, width: int, height: int) -> None:
    to_rows, from_rows = _rows(target, dpitch, width, height), _rows(source, spitch, width, height)
    if source.allocation is not None:
        low = source.start - source.allocation.base
        source.allocation.touch(low, low + spitch * (height - 1) + width)
    if target.allocation is not None:
        low, span = target.start - target.allocation.base, dpitch * (height - 1) + width
        if width == dpitch:
            target.allocation.admit(low, low + span)
            target.allocation.wrote(low, low + span)
        else:
            target.allocation.touch(low, low + span)
    to_rows[...] = from_rows
    announce_written(machine, target, dpitch * (height - 1) + width)


def _rows(side: Side, pitch: int, width: int, height: int) -> Array:
    buffer: Any = (ctypes.c_uint8 * (pitch * (height - 1) + width)).from_address(side.start)
    return np.ndarray((height, width), np.uint8, buffer, 0, (pitch, 1))


def _moved(side: Side, offset: int) -> Side:
    return Side(
        side.parameter, side.address + offset, side.kind, side.start + offset, max(side.available - offset, 0),
        side.safe, side.use, side.allocation, side.pinned, side.mappings, side.owner,
    )  # fmt: skip

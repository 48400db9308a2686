"""Copies of rows that lie apart: in one go where nothing can go wrong, else row by row."""

import ctypes
from typing import Any, Final

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.memory.copies import Side, check, copy, told
from acl_runtime.memory.ports import Copier

SPARSE: Final = 8
"""ours: rows that are so many times as far apart as they are wide are copied one by one, as all that lies between them
is touched otherwise"""


def copy_rows(machine: Copier, target: Side, dpitch: int, source: Side, spitch: int, width: int, height: int) -> None:
    """`height` rows of `width` bytes, which start every `dpitch` and `spitch` bytes."""
    to, of = dpitch * (height - 1) + width, spitch * (height - 1) + width
    sound = _sound(target, to) and _sound(source, of)
    apart = target.start + to <= source.start or source.start + of <= target.start
    if sound and apart and max(dpitch, spitch) <= SPARSE * width:
        _at_once(machine, target, dpitch, source, spitch, width, height)
        return
    steps = (check, copy) if not (target.known and source.known) else (copy,)
    rows = min(height, -(-target.room // dpitch)) if target.known else height  # those past the end are dropped
    for step in steps:  # the last row may be the bad one
        for row in range(rows):
            step(machine, _moved(target, row * dpitch), _moved(source, row * spitch), width)


def _sound(side: Side, span: int) -> bool:
    """Are all of its bytes certain to be there?"""
    return side.known and side.alive and span <= side.room


def _at_once(machine: Copier, target: Side, dpitch: int, source: Side, spitch: int, width: int, height: int) -> None:
    to, of = _rows(target, dpitch, width, height), _rows(source, spitch, width, height)
    if source.allocation is not None:
        at = source.start - source.allocation.base
        source.allocation.touch(at, at + spitch * (height - 1) + width)
    if target.allocation is not None:
        at, span = target.start - target.allocation.base, dpitch * (height - 1) + width
        if width == dpitch:
            target.allocation.wrote(at, at + span)
        else:
            target.allocation.touch(at, at + span)
    to[...] = of
    told(machine, target, dpitch * (height - 1) + width)


def _rows(side: Side, pitch: int, width: int, height: int) -> Array:
    buffer: Any = (ctypes.c_uint8 * (pitch * (height - 1) + width)).from_address(side.start)
    return np.ndarray((height, width), np.uint8, buffer, 0, (pitch, 1))


def _moved(side: Side, offset: int) -> Side:
    return Side(
        side.parameter, side.address + offset, side.kind, side.start + offset, max(side.room - offset, 0), side.known,
        side.use, side.allocation, side.pinned, side.owner,
    )  # fmt: skip

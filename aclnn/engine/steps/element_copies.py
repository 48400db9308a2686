"""Operators that only copy elements: a copy of unwritten bytes is unwritten, and no mistake before something reads it.

The steps of the launch are run on bytes of the host to find these copies. The kernels say where each element goes, so
copies, transpositions, slices, joins and paddings need no rule of their own.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.memory.ranges import Range, Spans, Use
from acl_runtime.objects.handle_table import reach
from aclnn.engine.device_view import Bound, DeviceView
from aclnn.engine.plan import works_in_memory

EVERY_BIT = 0xFF


def with_copying(ranges: tuple[Range, ...], steps: Sequence[Bound]) -> tuple[Range, ...]:
    """The ranges of a launch whose steps only copy elements."""
    copying = partial(_written, ranges, steps)
    return tuple([used._replace(copying=copying) if used.use is Use.READ else used for used in ranges])


def _written(ranges: Sequence[Range], steps: Sequence[Bound], unwritten: Spans) -> Spans:
    """The bytes of the outputs that get written bytes. The steps run twice, with two values in place of each unwritten
    byte: the bytes that differ are copies of unwritten bytes, or get nothing."""
    first, second = (_results(ranges, steps, unwritten, value) for value in (0, EVERY_BIT))
    spans: list[tuple[int, int]] = []
    for used, one, other in zip(ranges, first, second, strict=True):
        if used.use is Use.WRITE:
            edges = np.flatnonzero(np.diff(one == other, prepend=False, append=False)) + used.low
            spans += zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
    return spans


def _results(ranges: Sequence[Range], steps: Sequence[Bound], unwritten: Spans, value: int) -> list[Array]:
    """The bytes of all ranges after the steps. Written bytes of the inputs are 0, all others have the value."""
    memory = [np.full(used.high - used.low, 0 if used.use is Use.READ else value, np.uint8) for used in ranges]
    for used, content in zip(ranges, memory, strict=True):
        for low, high in unwritten if used.use is Use.READ else ():
            content[max(low - used.low, 0) : max(high - used.low, 0)] = value
    for step in steps:
        arrays, outputs = ([_array(view, ranges, memory) for view in views] for views in (step.inputs, step.outputs))
        if works_in_memory(step.kernel):
            step.kernel(*arrays, out=outputs[0], **step.attributes)
        else:
            outputs[0][...] = step.kernel(*arrays, **step.attributes)
    return memory


def _array(view: DeviceView, ranges: Sequence[Range], memory: Sequence[Array]) -> Array:
    """The array of a view in the bytes of its range."""
    end = view.address + reach(view.shape, view.strides)[1] + view.dtype.itemsize
    for used, content in zip(ranges, memory, strict=True):
        fits = used.use is Use.SCRATCH or used.use.writes is view.write
        if fits and used.low <= view.address and end <= used.high:
            return np.ndarray(view.shape, view.dtype, content, view.address - used.low, view.strides)
    return np.empty(view.shape, view.dtype)  # without elements

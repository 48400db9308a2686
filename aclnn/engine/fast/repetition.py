"""Repeated steps: a step whose kernel only calls the compiled evaluator makes the same calls again, without the kernel.

A run of a kernel that `repeatable` marks records its calls (`native.recording`). The next run of the step makes them
again if all arrays are still the same. This saves a third of a gather of a hundred thousand elements.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple
from weakref import ReferenceType, ref

from acl_runtime.headers.dtypes import Array
from acl_runtime.streams.compute_threads import Workers
from acl_runtime.streams.stream import Device
from aclnn.engine.device_view import Bound, DeviceView
from aclnn.engine.fast.native.recording import Call, recorded
from aclnn.engine.fast.native_sweeps import NATIVE


class Repetition(NamedTuple):
    """The calls of an earlier run of a step."""

    memory: Sequence[tuple[DeviceView, "ReferenceType[Array]"]]
    """the views of the step, and their arrays then"""
    calls: Sequence[Call]
    """none if the step cannot be repeated"""


def repeat(step: Bound, device: Device, lock: AbstractContextManager[object], workers: Workers) -> bool:
    """Make the calls of an earlier run again. Returns False, and does nothing, if that is impossible."""
    earlier: Repetition | None = step.repetition
    if earlier is None or not earlier.calls:
        return False
    with lock:
        arrays = [view.find(device) for view, _ in earlier.memory]
    pairs = zip(arrays, earlier.memory, strict=True)
    if not all(array is not None and array is then() for array, (_, then) in pairs):
        step.repetition = None
        return False
    for call in earlier.calls:
        call.make()
    workers.counts[NATIVE] += len(earlier.calls)
    return True


def run_recorded(
    step: Bound, kernel: Callable[[], object], device: Device, lock: AbstractContextManager[object]
) -> None:  # fmt: skip
    """Run the kernel of a step, and record its calls unless an earlier run could not be recorded."""
    views = [*step.inputs, *step.outputs]
    with lock:
        arrays = [view.find(device) for view in views]
    known = [array for array in arrays if array is not None]
    if step.repetition is not None or len(known) < len(views):
        kernel()
        return
    calls = recorded(kernel, known)
    step.repetition = Repetition([(view, ref(array)) for view, array in zip(views, known, strict=True)], calls)

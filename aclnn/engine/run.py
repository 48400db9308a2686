"""Runs a launch when its stream gets there: the bound steps are computed on the bytes of the device.

For each step: make arrays over the inputs' bytes, widen 16-bit floats to float32, call the kernel, round each result
once into its output's bytes. Large tensors go to `aclnn.engine.fast` instead, which does the same in tiles. Large steps
that are not for it run in parts, where their kernels say how (`aclnn.engine.steps.parts`).

The bound steps serve every launch at the same addresses, from several threads at the same time. So this module keeps no
state of a run. The tile engine keeps its plans for the next run itself (`Kept`).
"""

from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from threading import RLock
from typing import Final, TypeAlias, cast

import numpy as np

from acl_runtime.errors import AclError, DeviceFault, UndefinedBehaviour
from acl_runtime.headers.dtypes import Array
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_MEMORY_ALLOCATION
from acl_runtime.machine.current import current
from acl_runtime.machine.raised import kernel_raised
from acl_runtime.memory.host_budget import NoHostMemory
from acl_runtime.streams.compute_threads import Workers
from acl_runtime.streams.stream import Device
from aclnn.engine.device_view import Bound, DeviceView, open_inputs
from aclnn.engine.fast import Kept, in_tiles
from aclnn.engine.late_outputs import Late, placed
from aclnn.engine.numbers.rounding import store, widen
from aclnn.engine.steps.parts import run_in_parts
from aclnn.engine.steps.units import KernelFault, located

ARRAYS: Final = (np.ndarray, np.generic)
DEFECT: Final = "Please report this text with the call, unless the operator is your own: a formula must not raise."
Lock: TypeAlias = "RLock | None"
"""The lock of a machine. None: the thread that runs the launch holds it all the time, as under all schedules but
`threads`. To take it again at each step would take a tenth of a tiny launch."""


def perform(
    operator: str, steps: Sequence[Bound], kept: Kept | None, device: Device, lock: Lock,
    workers: Workers | None = None, late: Late | None = None,
) -> None:  # fmt: skip
    """Run them, where numpy does not warn. An exception of a formula is the finding `kernel-raised`, and the fault of
    the task. `kept` belongs to the steps. The lock is the machine's, which other threads may need while a kernel
    computes; `workers` are the threads that compute in tiles, if there is `kept`, and know the number for BLAS; `late`
    has the shapes that the launch finds out."""
    faults: list[DeviceFault] = []
    planned = steps
    try:
        if workers is not None and kept is not None:
            steps = _in_tiles(steps, kept, device, lock, workers, faults)
        for step in steps:
            if lock is None:
                arrays = open_inputs(step, device)
            else:
                with lock:
                    arrays = open_inputs(step, device)
            if step.in_memory:
                _run_in_memory(step, arrays, device, lock, workers)
                continue
            if step.narrow:
                arrays = list(map(widen, arrays))
            try:
                returned = (
                    step.kernel(*arrays, **step.attributes) if workers is None else _called(step, arrays, workers)
                )
            except DeviceFault as fault:  # of a step without outputs, which the others survive
                faults.append(fault)
                continue
            outputs = step.outputs
            if type(returned) is np.ndarray and len(outputs) == 1 and not late:
                _write(operator, step, returned, outputs[0], device, lock)
                continue
            results = _arrays(operator, step, returned)
            if late:
                with lock or nullcontext():
                    outputs = _placed(operator, step, results, late)
            for result, access in zip(results, outputs, strict=True):
                _write(operator, step, result, access, device, lock)
    except Exception as error:
        faults.append(_fault(operator, error))
    if faults:
        raise located(faults[0], operator, device.soc, planned)


def _write(operator: str, step: Bound, result: Array, access: DeviceView, device: Device, lock: Lock) -> None:
    """Round a result into the bytes of its output. Elements outside of live memory are dropped."""
    if lock is None:
        view = access.find(device)
    else:
        with lock:
            view = access.find(device)
    if view is None:
        with lock or nullcontext():
            access.drop(result, device)
    elif result.dtype is access.dtype and result.shape == access.shape:  # as `store` does, without its questions
        view[...] = result
    else:
        _check_shape(operator, step, result, access)
        store(result, view)


def _called(step: Bound, arrays: Sequence[Array], workers: Workers) -> object:
    """The results of the kernel. As its tensors are large, BLAS has the threads of the machine's option meanwhile."""
    with workers.blas.used():
        return step.kernel(*arrays, **step.attributes)


def _run_in_memory(
    step: Bound, arrays: Sequence[Array], device: Device, lock: Lock, workers: Workers | None
) -> None:  # fmt: skip
    """Run a step in parts, or a kernel that writes its outputs itself. Elements outside of live memory are dropped."""
    with lock or nullcontext():
        views = [access.find(device) for access in step.outputs]
    outs = [
        np.empty(access.shape, access.dtype) if view is None else view
        for view, access in zip(views, step.outputs, strict=True)
    ]
    with nullcontext() if workers is None else workers.blas.used():
        if step.cut is not None:
            run_in_parts(partial(step.kernel, **step.attributes), step.cut, arrays, outs, narrow=step.narrow)
        else:
            step.kernel(*arrays, out=outs[0] if len(outs) == 1 else outs, **step.attributes)
    for view, out, access in zip(views, outs, step.outputs, strict=True):
        if view is None:
            with lock or nullcontext():
                access.drop(out, device)


def _fault(operator: str, error: Exception) -> DeviceFault:
    """The fault of a task whose step raised. Faults and findings are raised as they are. "A MemoryError of the host is
    207001 with a text that says it was the host"; any other exception is a mistake in the formula."""
    if isinstance(error, NoHostMemory):
        return DeviceFault(error.status, *error.items)
    if isinstance(error, KernelFault):  # of an output without enough room
        return error
    if isinstance(error, AclError | UndefinedBehaviour):
        raise error
    if not isinstance(error, MemoryError):
        return kernel_raised(current(), f"the formula of {operator}", error, hint=DEFECT)
    return no_memory(operator, error)


def no_memory(operator: str, error: MemoryError) -> DeviceFault:
    """The fault of a task for which the host has no memory: 207001."""
    text = f"({operator} needs more memory than the host that runs the emulator has: {error})"
    return DeviceFault(ACL_ERROR_RT_MEMORY_ALLOCATION, Item("EL0004", ("host",), text))


def _arrays(operator: str, step: Bound, returned: object) -> tuple[Array, ...]:
    """The results of a formula. TypeError if one is no array: a mistake in the formula."""
    results = cast("tuple[object, ...]", returned if isinstance(returned, tuple) else (returned,))
    for each in results:
        if not isinstance(each, ARRAYS):
            raise TypeError(f"{operator}: the formula {_name(step)} has to return arrays, not {type(each).__name__}")
    return cast("tuple[Array, ...]", results)


def _placed(operator: str, step: Bound, results: Sequence[Array], late: Late) -> Sequence[DeviceView]:
    """The views of memory that the results of a step go to, of which some have got their shape now."""
    return [
        placed(operator, result, access, late[step.sized[at]]) if at in step.sized else access
        for at, (result, access) in enumerate(zip(results, step.outputs, strict=True))
    ]


def _check_shape(operator: str, step: Bound, result: Array, access: DeviceView) -> None:
    """A mistake in the formula: numpy would broadcast some of these results."""
    if result.shape != access.shape:
        found, planned = list(result.shape), list(access.shape)
        raise ValueError(f"{operator}: the formula {_name(step)} returns the shape {found}; {planned} was planned")


def _name(step: Bound) -> str:
    return getattr(step.kernel, "__name__", repr(step.kernel))


def _in_tiles(
    steps: Sequence[Bound], kept: Kept, device: Device, lock: Lock, workers: Workers, faults: list[DeviceFault]
) -> list[Bound]:  # fmt: skip
    """Run them in tiles; what is left has to run as it is written."""

    def find(access: DeviceView) -> Array | None:
        if lock is None:
            return access.find(device)
        with lock:
            return access.find(device)

    done, ran, fault = in_tiles(steps, find, workers, kept)
    if fault is not None:
        faults.append(fault)
    return [] if done else [step for number, step in enumerate(steps) if number not in ran]

"""The run of a launch: the bound steps are computed on the bytes of the device.

For each step the run makes arrays over the inputs' bytes, widens 16-bit floats to float32, calls the kernel, and rounds
each result once into its output's bytes. For large tensors `aclnn.engine.fast` does the same in blocks. Other large
steps run in parts if their kernels declare them (`aclnn.engine.steps.parts`).

All launches at the same addresses share the bound steps, even launches of several threads at the same time. So a run
stores nothing in a step, except for its `Repetition`. The fast engine has its own cache (`LaunchCache`).
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
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
from acl_runtime.process import process
from acl_runtime.streams.blas_threads import BlasThreads
from acl_runtime.streams.compute_threads import Workers
from acl_runtime.streams.stream import Device
from acl_runtime.text import Text
from aclnn.engine.device_view import Bound, DeviceView, open_inputs
from aclnn.engine.fast import LARGE, LaunchCache, copied, put, repeat, run_recorded, run_traced
from aclnn.engine.late_outputs import Late, placed
from aclnn.engine.numbers.rounding import widen
from aclnn.engine.steps.parts import is_repeatable, run_in_parts, takes_out
from aclnn.engine.steps.units import KernelFault, located

ARRAYS: Final = (np.ndarray, np.generic)
DEFECT: Final = Text(
    "Please report this text with the call, unless the operator is your own: a formula must not raise."
)
Lock: TypeAlias = "RLock | None"
"""lock of a machine. None: the thread of the launch holds the lock already, as under all schedules except `threads`. To
acquire it again at each step would cost a tenth of a tiny launch"""


def perform(
    operator: str, steps: Sequence[Bound], launch_cache: LaunchCache | None, device: Device, lock: Lock,
    workers: Workers | None = None, late: Late | None = None,
) -> None:  # fmt: skip
    """Run the bound steps with numpy's warnings off. An exception of a formula is reported as `kernel-raised`, and is
    the fault of the task.

    `launch_cache` has traces of these steps. `lock` is the machine's lock, which other threads may need while a kernel
    computes. `workers` are the threads of the fast engine; None if all tensors are small. `late` has the late shapes of
    the launch."""
    faults: list[DeviceFault] = []
    planned = steps
    try:
        if workers is not None and launch_cache is not None:
            steps = _run_traced(steps, launch_cache, device, lock, workers, faults)
        for step in steps:
            if step.in_memory:
                _run_in_memory(step, device, lock or nullcontext(), workers)
                continue
            if lock is None:
                arrays = open_inputs(step, device)
            else:
                with lock:
                    arrays = open_inputs(step, device)
            if step.narrow:
                arrays = list(map(widen, arrays))
            try:
                returned = (
                    step.kernel(*arrays, **step.attributes) if workers is None else _called(step, arrays, workers)
                )
            except DeviceFault as fault:  # a check that fails does not stop the other steps
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
    elif result.dtype is access.dtype and result.shape == access.shape:  # faster than `store`, which tests more
        if view.nbytes < LARGE:
            view[...] = result
        else:
            copied(result, view)
    else:
        _check_shape(operator, step, result, access)
        put(result, view)


def _called(step: Bound, arrays: Sequence[Array], workers: Workers) -> object:
    """The results of a kernel with large tensors. `BlasThreads` sets the number of threads in BLAS."""
    with process.own(BlasThreads):
        return step.kernel(*arrays, **step.attributes)


def _run_in_memory(
    step: Bound, device: Device, lock: AbstractContextManager[object], workers: Workers | None
) -> None:  # fmt: skip
    """Run a step in parts, or a kernel that writes its outputs itself. Elements outside of live memory are dropped."""
    if workers is not None and repeat(step, device, lock, workers):
        return
    whole = step.cut is not None  # else a kernel may leave elements as they are
    with lock:
        arrays = open_inputs(step, device)
        views = [access.find(device) for access in step.outputs]
        outputs = [
            view if view is not None else np.empty(access.shape, access.dtype) if whole else access.patched(device)[0]
            for view, access in zip(views, step.outputs, strict=True)
        ]
    kernel = partial(step.kernel, **step.attributes)
    if step.cut is not None:
        offers = takes_out(step.kernel)
        run = partial(run_in_parts, kernel, step.cut, arrays, outputs, narrow=step.narrow, offers=offers, put=put)
    else:
        run = partial(kernel, *arrays, out=outputs[0] if len(outputs) == 1 else outputs)
    with nullcontext() if workers is None else process.own(BlasThreads):
        if workers is not None and is_repeatable(step.kernel):
            run_recorded(step, run, device, lock)
        else:
            run()
    for view, output, access in zip(views, outputs, step.outputs, strict=True):
        if view is None:
            with lock:
                access.drop(output, device)


def _fault(operator: str, error: Exception) -> DeviceFault:
    """The fault of a task whose step raised an exception. Faults and findings are raised again. "A MemoryError of the
    host is 207001 with a text that says it was the host". Any other exception is a mistake in the formula."""
    if isinstance(error, NoHostMemory):
        return DeviceFault(error.status, *error.items)
    if isinstance(error, KernelFault):  # an output is too small for its late shape
        return error
    if isinstance(error, AclError | UndefinedBehaviour):
        raise error
    if not isinstance(error, MemoryError):
        return kernel_raised(current(), Text("the formula of {operator}", operator=operator), error, hint=DEFECT)
    return no_memory(operator, error)


def no_memory(operator: str, error: MemoryError) -> DeviceFault:
    """The fault of a task for which the host has no memory: 207001."""
    text = f"({operator} needs more memory than the host that runs the emulator has: {error})"
    return DeviceFault(ACL_ERROR_RT_MEMORY_ALLOCATION, Item("EL0004", ("host",), text))


def _arrays(operator: str, step: Bound, returned: object) -> tuple[Array, ...]:
    """The results of a formula. Raises TypeError for a result that is not an array, a mistake in the formula."""
    results = cast("tuple[object, ...]", returned if isinstance(returned, tuple) else (returned,))
    for result in results:
        if not isinstance(result, ARRAYS):
            raise TypeError(f"{operator}: the formula {_name(step)} has to return arrays, not {type(result).__name__}")
    return cast("tuple[Array, ...]", results)


def _placed(operator: str, step: Bound, results: Sequence[Array], late: Late) -> Sequence[DeviceView]:
    """The views of memory for the results of a step. Outputs with late shapes get their shapes here."""
    return [
        placed(operator, result, access, late[step.sized[number]]) if number in step.sized else access
        for number, (result, access) in enumerate(zip(results, step.outputs, strict=True))
    ]


def _check_shape(operator: str, step: Bound, result: Array, access: DeviceView) -> None:
    """Raise ValueError for a result of a wrong shape, a mistake in the formula. numpy would broadcast some of these
    results."""
    if result.shape != access.shape:
        shape, planned = list(result.shape), list(access.shape)
        raise ValueError(f"{operator}: the formula {_name(step)} returns the shape {shape}; {planned} was planned")


def _name(step: Bound) -> str:
    return getattr(step.kernel, "__name__", repr(step.kernel))


def _run_traced(
    steps: Sequence[Bound], launch_cache: LaunchCache, device: Device, lock: Lock, workers: Workers,
    faults: list[DeviceFault],
) -> list[Bound]:  # fmt: skip
    """Run the steps in the fast engine. Returns the other steps, which have to run with numpy."""

    def find(access: DeviceView) -> Array | None:
        if lock is None:
            return access.find(device)
        with lock:
            return access.find(device)

    complete, ran, fault = run_traced(steps, find, workers, launch_cache)
    if fault is not None:
        faults.append(fault)
    return [] if complete else [step for number, step in enumerate(steps) if number not in ran]

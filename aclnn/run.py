"""How a launch runs: its steps are bound to addresses, then, when the stream gets there, computed on the bytes.

    bind     at the launch: each operand gets its address
    perform  when the task runs, step by step: arrays over the inputs' bytes, 16-bit floats widened to float32; the
             kernel's formula, arrays in, arrays out; each result rounded once into its output's bytes.
             Large tensors go to `aclnn.fast` instead, which does the same in tiles

What a launch is bound to holds for every launch at the same addresses, from several threads at once: nothing here
keeps anything of a run.
"""

import contextvars
from collections.abc import Sequence
from dataclasses import dataclass
from threading import RLock
from typing import Any, Final

import numpy as np

from acl_runtime.dtypes import Array
from acl_runtime.errors import DeviceFault
from acl_runtime.machine.device import Device
from acl_runtime.machine.workers import Workers
from acl_runtime.messages import Item
from acl_runtime.statuses import ACL_ERROR_RT_MEMORY_ALLOCATION
from aclnn.access import Access
from aclnn.fast.steps import run as in_tiles
from aclnn.numerics import store, widen
from aclnn.plan import Kernel, Part, Plan

FLOAT: Final = 4
"""bytes of a float32: what is as wide stays as it is"""


@dataclass(slots=True)
class Bound:
    """A step at its addresses."""

    kernel: Kernel
    inputs: tuple[Access, ...]
    outputs: tuple[Access, ...]
    attributes: dict[str, Any]
    narrow: bool
    """is an input of types that have to be widened?"""


def bind(plan: Plan, addresses: Sequence[int], workspace: int) -> tuple[Bound, ...]:
    """The steps at these addresses of the roles' tensors."""

    def access(part: Part, *, write: bool) -> Access:
        start = workspace if part.role is None else addresses[part.role]
        slot = part.role is None
        return Access(start + part.offset, part.shape, part.dtype, part.strides, write=write, slot=slot)

    return tuple(
        Bound(
            step.kernel,
            tuple([access(part, write=False) for part in step.inputs]),
            tuple([access(part, write=True) for part in step.outputs]),
            step.attributes,
            any(part.dtype.itemsize < FLOAT for part in step.inputs),
        )
        for step in plan.ready()
    )


def without_warnings() -> contextvars.Context:
    """Where a launch runs: numpy keeps its `errstate` in such a context, and a device does not warn. (Entered once,
    as `np.errstate` for each run takes a tenth of a tiny one.)"""
    context = contextvars.copy_context()
    context.run(np.seterr, all="ignore")
    return context


def perform(
    operator: str, steps: Sequence[Bound], device: Device, lock: RLock, workers: Workers | None = None
) -> None:  # fmt: skip
    """Run them, where numpy does not warn. The lock is the machine's, which other threads may need while a kernel
    computes; `workers` are who computes in tiles, if that pays."""
    faults: list[DeviceFault] = []
    try:
        if workers is not None:
            steps = _in_tiles(steps, device, lock, workers, faults)
        for step in steps:
            arrays: list[Array] = []
            with lock:
                for access in step.inputs:
                    view = access.find(device)
                    # (an array of its own: a kernel may give it another shape)
                    arrays.append(access.patched(device)[0] if view is None else view[...])
            if step.narrow:
                arrays = list(map(widen, arrays))
            try:
                returned: Array | tuple[Array, ...] = step.kernel(*arrays, **step.attributes)
            except DeviceFault as fault:  # of a step without outputs, which the others survive
                faults.append(fault)
                continue
            results = returned if isinstance(returned, tuple) else (returned,)
            for result, access in zip(results, step.outputs, strict=True):
                with lock:
                    view = access.find(device)
                    if view is None:
                        access.drop(result, device)
                        continue
                if result.dtype is access.dtype and result.shape == access.shape:  # a fifth of the time of `store`
                    view[...] = result
                else:
                    store(result, view)
    except MemoryError as error:  # "A MemoryError of the host is 207001 with a text that says it was the host"
        text = f"({operator} needs more memory than the host that runs the emulator has: {error})"
        raise DeviceFault(ACL_ERROR_RT_MEMORY_ALLOCATION, Item("EL0004", ("host",), text)) from None
    if faults:
        raise faults[0]


def _in_tiles(
    steps: Sequence[Bound], device: Device, lock: RLock, workers: Workers, faults: list[DeviceFault]
) -> list[Bound]:  # fmt: skip
    """Run them in tiles; what is left has to run as it is written."""

    def find(access: Access) -> Array | None:
        with lock:
            return access.find(device)

    done, ran, fault = in_tiles(steps, find, workers)
    if fault is not None:
        faults.append(fault)
    return [] if done else [step for number, step in enumerate(steps) if number not in ran]

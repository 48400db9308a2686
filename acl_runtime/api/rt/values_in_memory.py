"""acl/acl_rt.h: values in device memory: streams write them, wait for them, and reduce into them."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Address
from acl_runtime.api.outcomes import LAUNCHES
from acl_runtime.api.refusals import check_product, invalid, lacking, null, out_of_range
from acl_runtime.boundary import acl_api
from acl_runtime.headers.dtype_names import dtype_name
from acl_runtime.headers.dtypes import numpy_dtype
from acl_runtime.headers.enums import aclDataType, aclmdlRITaskType, aclrtReduceKind
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.memory.copies import Kind, Side, array_of, bad_address, fill, kind_of, locate, on_device, reach
from acl_runtime.memory.ranges import Use
from acl_runtime.objects.soc import Series
from acl_runtime.source.frames import trail
from acl_runtime.streams.stream import Stream, Task
from acl_runtime.streams.value_cell import BYTES, CONDITIONS, ValueWait, ValueWaitTask
from acl_runtime.text import Text

KINDS: Final[dict[int, Callable[[Any, Any], Any]]] = {
    aclrtReduceKind.ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM: np.add,
    aclrtReduceKind.ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX: np.maximum,
    aclrtReduceKind.ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN: np.minimum,
}
TYPES: Final = (
    aclDataType.ACL_INT8,
    aclDataType.ACL_INT16,
    aclDataType.ACL_INT32,
    aclDataType.ACL_FLOAT16,
    aclDataType.ACL_FLOAT,
    aclDataType.ACL_BF16,
    aclDataType.ACL_INT4,
    aclDataType.ACL_UINT8,
    aclDataType.ACL_UINT16,
    aclDataType.ACL_UINT32,
)
"""data types that the ACL layer accepts; A2, A3 and 950 reduce the first six"""
REDUCED: Final[dict[Series, tuple[aclDataType, ...]]] = {
    Series.A2: TYPES[:6],
    Series.A3: TYPES[:6],
    Series.A950: TYPES[:6],
    Series.TRAINING: (aclDataType.ACL_FLOAT,),
    Series.INFERENCE: TYPES[:5],
    Series.A200I_500_A2: TYPES[:5],
}
"""data types that each series reduces: the rows of A2, A3 and the training series are documented, the other rows are
our choice"""


@acl_api("acl/acl_rt.h", also=LAUNCHES, resource=True)
def aclrtValueWrite(devAddr: c.void_p, value: c.uint64_t, flag: c.uint32_t, stream: c.aclrtStream) -> c.aclError:
    """Queue a task that writes a 64-bit value to device memory at `devAddr`, a multiple of 8. A null stream is the
    default stream.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_INVALID_PARAM: `devAddr` is null, or `flag` is not 0.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: `devAddr` is no multiple of 8, or no live device memory.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    if not devAddr.value:
        raise null("devAddr")
    if flag != 0:
        raise invalid(flag, "flag", "0")
    check_product("Writing a value")
    machine, live_stream, side = _cell(devAddr, stream, "Writing a value", write=True)
    run = on_device(machine, lambda: fill(machine, side, value.to_bytes(BYTES, "little"), BYTES))
    stamp = partial(machine.cells.stamp, side.address)
    task = Task(Text("value write"), run, (side.range(BYTES, Use.CELL),), trail(), done=stamp)
    task.model_type = aclmdlRITaskType.ACL_MODEL_RI_TASK_VALUE_WRITE
    machine.submit(live_stream, task)


@acl_api("acl/acl_rt.h", also=LAUNCHES, resource=True)
def aclrtValueWait(devAddr: c.void_p, value: c.uint64_t, flag: c.uint32_t, stream: c.aclrtStream) -> c.aclError:
    """Let later tasks of the stream wait until the 64-bit value in device memory at `devAddr`, a multiple of 8, meets a
    condition. A null stream is the default stream.

    If `cell` is the value in memory, ACL_STREAM_WAIT_VALUE_* waits until: GEQ (0): cell - value, as a signed number, is
    not negative; EQ (1): cell equals value; AND (2): cell & value is not 0; NOR (3): ~(cell | value) is not 0.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_INVALID_PARAM: `devAddr` is null, or `flag` is not one of 0 to 3.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: `devAddr` is no multiple of 8, or no live device memory.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    if not devAddr.value:
        raise null("devAddr")
    if flag not in CONDITIONS:
        raise invalid(flag, "flag", "0 (GEQ), 1 (EQ), 2 (AND) or 3 (NOR)")
    check_product("Waiting for a value")
    machine, live_stream, side = _cell(devAddr, stream, "Waiting for a value", write=False)
    make_wait = partial(ValueWait, machine.cells, machine.scheduler.busy, side, value, flag)
    run = on_device(machine, lambda: reach(machine, side, BYTES, write=False))
    machine.submit(live_stream, ValueWaitTask(make_wait, run, side, trail()))


def _cell(pointer: Address, stream: int, what: str, *, write: bool) -> tuple[Machine, Stream, Side]:
    machine = current()
    if stream:
        machine.stream(stream, what)
    if pointer.value % BYTES:
        raise out_of_range(what, f"{pointer.value:#x}", "devAddr", "a multiple of 8")
    live_stream = machine.own_stream(stream, what)
    return machine, live_stream, _on_device(machine, pointer, BYTES, "devAddr", write=write)


def _on_device(machine: Machine, pointer: Address, count: int, parameter: str, *, write: bool) -> Side:
    if kind_of(machine, pointer.value) is not Kind.DEVICE:
        raise bad_address(machine, pointer.value, parameter)
    return locate(machine, pointer, count, parameter, write=write)


@acl_api("acl/acl_rt.h", also=LAUNCHES, resource=True)
def aclrtReduceAsync(
    dst: c.void_p,
    src: c.const_void_p,
    count: c.uint64_t,
    kind: c.aclrtReduceKind,
    type: c.aclDataType,
    stream: c.aclrtStream,
    reserve: c.source_void_p,
) -> c.aclError:
    """Queue a task that computes dst = dst OP src, element by element, over `count` bytes.

    OP is sum; max and min exist on all but the inference series. The type is FLOAT; on all but the training series also
    INT8, INT16, INT32 and FLOAT16; on A2, A3 and 950 also BF16. Integers wrap, 16-bit floats are rounded once.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_INVALID_PARAM: `dst` or `src` is null; the type is none of these six, INT4, UINT8, UINT16 and UINT32;
            `reserve` is not null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: `kind` is no aclrtReduceKind; `count` is 0 or no multiple of the element's size; an
            address is no live device memory.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the product lacks the kind or the type; or the kind is
            ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL, whose result is not documented.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    if not dst.value:
        raise null("dst")
    if not src.value:
        raise null("src")
    machine, what = current(), "Asynchronous reduction"
    if type not in TYPES:
        raise invalid(type, "type", "one of " + ", ".join(map(dtype_name, TYPES)))
    if reserve.value:
        raise invalid(f"{reserve.value:#x}", "reserve", "null")
    if stream:
        machine.stream(stream, what)
    if kind not in list(aclrtReduceKind):
        raise out_of_range(what, kind, "kind", "an aclrtReduceKind from 10 to 13")
    if count == 0:
        raise out_of_range(what, count, "count", "more than 0 bytes")
    live_stream = machine.own_stream(stream, what)
    _check_reduction(machine, kind, type, what)
    dtype = numpy_dtype(type)
    assert dtype is not None
    if count % dtype.itemsize:
        raise out_of_range(what, count, "count", f"a multiple of {dtype.itemsize} bytes")
    target = _on_device(machine, dst, count, "dst", write=True)
    source = _on_device(machine, src, count, "src", write=False)
    run = on_device(machine, lambda: _reduce(machine, target, source, KINDS[kind], dtype, count))
    into = target.range(count, Use.ACCUMULATE)._replace(
        role=Text("dst of a reduction ({operation})", operation=KINDS[kind].__name__)
    )
    ranges = (into, source.range(count))
    machine.submit(live_stream, Task(Text("reduction"), run, ranges, trail(), nbytes=count))


def _check_reduction(machine: Machine, kind: int, type: int, what: str) -> None:
    """AclError 207000 if the product lacks the kind or the type; "Order: kind, then type"."""
    soc = machine.soc
    if kind == aclrtReduceKind.ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL:
        reason = "no document says what it computes" if soc.stars else f"{soc.label} does not have it"
        raise lacking(what, "ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL", reason)
    if kind != aclrtReduceKind.ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM and soc.series is Series.INFERENCE:
        raise lacking(what, aclrtReduceKind(kind).name, f"{soc.label} has neither maximum nor minimum")
    if type not in REDUCED[soc.series]:
        names = ", ".join(map(dtype_name, REDUCED[soc.series]))
        raise lacking(what, dtype_name(type), f"{soc.label} reduces {names}")


def _reduce(
    machine: Machine, target: Side, source: Side, operation: Callable[[Any, Any], Any], dtype: Any, count: int
) -> None:
    if not (target.alive and source.alive):
        return  # reported when the memory was freed
    reach(machine, source, count, write=False)
    reach(machine, target, count, write=True)
    elements = min(count, target.available, source.available) // dtype.itemsize
    into, values = array_of(target, dtype, elements), array_of(source, dtype, elements)
    wide = np.float32 if dtype.itemsize == 2 and dtype.kind != "i" else dtype
    with np.errstate(all="ignore"):
        into[...] = operation(into.astype(wide), values.astype(wide)).astype(dtype)
    if target.allocation is not None:
        low = target.start - target.allocation.base
        target.allocation.wrote(low, low + elements * dtype.itemsize)

"""acl/acl_rt.h: tasks that fill device memory with random numbers.

The generator is Philox4x32-10. How a device makes values of its words is not public, so the values here have the
distribution of a device's, and are the same for the same seed and counter, but they are not the device's values.
"""

from typing import Any, Final

import numpy as np

import acl_runtime.abi.c as c
import acl_runtime.abi.memory as m
from acl_runtime.abi.pointers import Address
from acl_runtime.api.memory.buffers import load
from acl_runtime.api.outcomes import LAUNCHES
from acl_runtime.api.refusals import check_product, invalid, null, out_of_range
from acl_runtime.boundary import acl_api
from acl_runtime.headers.dtype_names import dtype_name
from acl_runtime.headers.dtypes import Array, numpy_dtype
from acl_runtime.headers.enums import aclDataType, aclrtRandomNumFuncType
from acl_runtime.headers.structs import aclrtRandomNumTaskInfo, aclrtRandomParaInfo
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.memory.copies import Kind, Side, array_of, bad_address, kind_of, locate, on_device, reach
from acl_runtime.memory.philox import normals, reals, words
from acl_runtime.source.frames import trail
from acl_runtime.streams.stream import Task
from acl_runtime.text import Text

WHAT: Final = "Making random numbers"
FLOATS: Final = (aclDataType.ACL_FLOAT, aclDataType.ACL_FLOAT16, aclDataType.ACL_BF16)
TYPES: Final = (
    *FLOATS,
    aclDataType.ACL_INT32,
    aclDataType.ACL_INT64,
    aclDataType.ACL_UINT32,
    aclDataType.ACL_UINT64,
)
BITS, UNIFORM, NORMAL, TRUNCATED = aclrtRandomNumFuncType
COUNTER: Final = 16
"""bytes of the counter"""
WORD: Final = 8
"""the most bytes of a parameter"""


@np.errstate(all="ignore")
def _values(function: int, dtype: Any, key: int, counter: int, count: int, first: float, second: float) -> Array:
    """The values of a distribution, of `dtype`."""
    if function == BITS:
        kept = reals(key, counter, count) >= first
        return np.packbits(kept, bitorder="little")
    if function == UNIFORM and dtype.kind in "iu":
        span = int(second) - int(first)
        wide = words(key, counter, 2 * count).astype(np.uint64).reshape(-1, 2)
        numbers = wide[:, 0] << np.uint64(32) | wide[:, 1]
        return (numbers % np.uint64(span or 1) + np.uint64(int(first) & (1 << 64) - 1)).astype(dtype)
    if function == UNIFORM:
        return (first + (second - first) * reals(key, counter, count)).astype(dtype)
    return (first + second * normals(key, counter, count, truncated=function == TRUNCATED)).astype(dtype)


@acl_api("acl/acl_rt.h", also=LAUNCHES, resource=True, pyacl=None)
def aclrtRandomNumAsync(
    taskInfo: m.const_aclrtRandomNumTaskInfo_p, stream: c.const_aclrtStream, reserve: c.source_void_p
) -> c.aclError:
    """Queue a task that writes random numbers: bits for dropout (0), uniform numbers in [min, max) (1), normal (2) or
    truncated normal ones (3), of FLOAT, FLOAT16 or BFLOAT16; uniform ones also of INT32, INT64, UINT32 and UINT64. A
    null stream is the default stream.

    A parameter is a value, or the address of one in device memory, which the task reads. The task does not change the
    counter of 128 bits, so the program does.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_INVALID_PARAM: `taskInfo` is null, or its data type is none of these.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: `reserve` is not null; the distribution does not exist or does not fit the data
            type; a parameter has a wrong size; an address is no live device memory; or `taskInfo` is no memory of the
            host (only if the machine reports findings instead of raising them).
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    if not taskInfo.value:
        raise null("taskInfo")
    info = load(taskInfo, aclrtRandomNumTaskInfo, "taskInfo")
    if info.dataType not in TYPES:
        raise invalid(info.dataType, "taskInfo->dataType", "one of " + ", ".join(map(dtype_name, TYPES)))
    check_product(WHAT)
    machine = current()
    if stream:
        machine.stream(stream, WHAT)
    if reserve.value:
        raise out_of_range(WHAT, f"{reserve.value:#x}", "reserve", "null")
    live_stream = machine.own_stream(stream, WHAT)
    numbers = _Numbers(machine, info)
    ranges = numbers.ranges()
    machine.submit(live_stream, RandomNumbers(Text("random numbers"), on_device(machine, numbers.run), ranges, trail()))


class RandomNumbers(Task):
    """A task that makes random numbers."""

    what = "task that makes random numbers"


class _Parameter:
    """A parameter of the numbers: its bytes, or the place of them in device memory."""

    def __init__(self, machine: Machine, info: aclrtRandomParaInfo, name: str, width: int) -> None:
        raw = bytes(info.valueOrAddr)
        most = WORD if info.isAddr else width
        if info.isAddr > 1 or not 1 <= info.size <= most:
            raise out_of_range(WHAT, info.size, name, f"a value, or an address, of [1, {most}] bytes")
        self._bytes, self.side = raw[: info.size], None
        if info.isAddr:
            self.side = _side(machine, int.from_bytes(raw, "little"), info.size, name, write=False)

    def read(self, dtype: Any) -> Any:
        """The number, when the task runs."""
        raw = self._bytes if self.side is None else array_of(self.side, np.uint8, len(self._bytes)).tobytes()
        return np.frombuffer(raw.ljust(dtype.itemsize, b"\0")[: dtype.itemsize], dtype)[0].item()


def _side(machine: Machine, address: int, count: int, name: str, *, write: bool) -> Side:
    if kind_of(machine, address) is not Kind.DEVICE:
        raise bad_address(machine, address, name)
    return locate(machine, Address(address), count, name, write=write)


class _Numbers:
    """The numbers of one task."""

    def __init__(self, machine: Machine, info: aclrtRandomNumTaskInfo) -> None:
        self._machine = machine
        kind = info.randomNumFuncParaInfo
        self._function = kind.funcType
        if self._function not in tuple(aclrtRandomNumFuncType):
            raise out_of_range(WHAT, self._function, "taskInfo->funcType", "an aclrtRandomNumFuncType")
        if self._function != UNIFORM and info.dataType not in FLOATS:
            raise out_of_range(WHAT, dtype_name(info.dataType), "taskInfo->dataType", "a floating-point type")
        dtype = numpy_dtype(info.dataType)
        assert dtype is not None
        self._dtype: Any = dtype
        parameters = kind.paramInfo
        pairs = {
            BITS: (parameters.dropoutBitmaskInfo.ratio,),
            UNIFORM: (parameters.uniformDisInfo.min, parameters.uniformDisInfo.max),
        }.get(self._function, (parameters.normalDisInfo.mean, parameters.normalDisInfo.stddev))
        self._parameters = [
            _Parameter(machine, each, "taskInfo->randomNumFuncParaInfo", dtype.itemsize) for each in pairs
        ]
        self._seed = _Parameter(machine, info.randomSeed, "taskInfo->randomSeed", WORD)
        number = _Parameter(machine, info.randomNum, "taskInfo->randomNum", WORD)
        self._count = number.read(np.dtype(np.uint64))
        self._number = number
        self._nbytes = -(-self._count // 8) if self._function == BITS else self._count * dtype.itemsize
        result, counter = info.randomResultAddr or 0, info.randomCounterAddr or 0
        self._target = _side(machine, result, self._nbytes, "taskInfo->randomResultAddr", write=True)
        self._counter = _side(machine, counter, COUNTER, "taskInfo->randomCounterAddr", write=False)

    def ranges(self) -> tuple[Any, ...]:
        """The ranges of device memory that the task uses."""
        sources = [each.side for each in (*self._parameters, self._seed, self._number) if each.side is not None]
        return (self._target.range(self._nbytes), self._counter.range(COUNTER), *(side.range(WORD) for side in sources))

    def run(self) -> None:
        """Write the numbers."""
        if not (self._target.alive and self._counter.alive):
            return  # reported when the memory was freed
        reach(self._machine, self._target, self._nbytes, write=True)
        counter = int.from_bytes(array_of(self._counter, np.uint8, COUNTER).tobytes(), "little")
        key = self._seed.read(np.dtype(np.uint64))
        first, second = (*(each.read(self._dtype) for each in self._parameters), 0)[:2]
        values = _values(self._function, self._dtype, key, counter, self._count, first, second)
        raw = values.view(np.uint8)[: self._target.available]
        array_of(self._target, np.uint8, raw.size)[:] = raw

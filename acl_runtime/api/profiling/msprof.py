"""toolchain/prof_api.h: functions by which libraries report to the profiler. The emulator drops the reports."""

from hashlib import blake2b
from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Address
from acl_runtime.api.live_objects import host_bytes
from acl_runtime.boundary import acl_api
from acl_runtime.machine.current import current

HEADER: Final = "toolchain/prof_api.h"


@acl_api(HEADER, inert=True)
def MsprofRegisterCallback(moduleId: c.uint32_t, handle: c.ProfCommandHandle) -> c.int32_t_result:
    """Register a function for the commands of the profiler. The emulator never calls it. The result is 0."""
    current().profiling.callbacks.append((moduleId, handle.value))
    return 0


@acl_api("profiling/aprof_pub.h", inert=True)
def MsprofSetDeviceIdByGeModelIdx(modelIdx: c.uint32_t, deviceId: c.uint32_t) -> c.int32_t_result:
    """Report the device of a model to the profiler. The report is dropped; the result is 0."""
    return 0


@acl_api(HEADER, inert=True)
def MsprofReportApi(nonPersistantFlag: c.uint32_t, api: c.const_MsprofApi_p) -> c.int32_t_result:
    """Report a call of an API to the profiler. The report is dropped; the result is 0."""
    return 0


@acl_api(HEADER, inert=True)
def MsprofReportCompactInfo(
    nonPersistantFlag: c.uint32_t, data: c.const_VOID_PTR, length: c.uint32_t
) -> c.int32_t_result:
    """Report a record of fixed size to the profiler. The report is dropped; the result is 0."""
    return 0


@acl_api(HEADER, inert=True)
def MsprofReportAdditionalInfo(
    nonPersistantFlag: c.uint32_t, data: c.const_VOID_PTR, length: c.uint32_t
) -> c.int32_t_result:
    """Report further facts to the profiler. The report is dropped; the result is 0."""
    return 0


@acl_api(HEADER)
def MsprofGetHashId(hashInfo: c.const_char_bytes, length: c.size_t) -> c.uint64_t_result:
    """A number for a text of `length` bytes, which is not 0: the same for equal texts, in every process."""
    return hash_of(_text(hashInfo, length))


def hash_of(text: bytes) -> int:
    """A number for a text, which is not 0."""
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "little") or 1


@acl_api(HEADER)
def MsprofSysCycleTime() -> c.uint64_t_result:
    """A counter that never goes back: the simulated time in nanoseconds."""
    return int(current().clock.now * 1000)


def _text(pointer: Address, length: int) -> bytes:
    return host_bytes(pointer, length, "hashInfo") if pointer.value and length else b""

"""acl/acl_rt.h: setting memory."""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Address
from acl_runtime.api.capture_refusals import UNSAFE, check_safe
from acl_runtime.api.outcomes import LAUNCHES, NO_HOST_MEMORY
from acl_runtime.api.refusals import check_product, invalid, null, out_of_range
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_PARAM_INVALID
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.memory import cut_addresses
from acl_runtime.memory.copies import Kind, Side, fill, kind_of, kind_text, locate, on_device, whereabouts
from acl_runtime.source.frames import trail
from acl_runtime.streams.stream import Stream, Task
from acl_runtime.text import Text

WORD: Final = 4


@acl_api("acl/acl_rt.h", also=NO_HOST_MEMORY + UNSAFE)
def aclrtMemset(devPtr: c.void_p, maxCount: c.size_t, value: c.int32_t, count: c.size_t) -> c.aclError:
    """Write the low 8 bits of `value` to `count` bytes of device or pinned host memory at once. `maxCount` is the size
    of the memory at `devPtr`. The call waits for no stream.

    Returns:
        ACL_SUCCESS: set; also for `count` 0, when nothing else is checked.
        ACL_ERROR_INVALID_PARAM: `devPtr` is null.
        ACL_ERROR_RT_PARAM_INVALID: `count` exceeds `maxCount`, or the address is no live device memory.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if count == 0:
        return
    what = "Synchronous memory set"
    if not devPtr.value:
        raise null("devPtr")
    machine = current()
    machine.context(what)
    check_safe(machine, what)
    if count > maxCount:  # "left to the driver", which checks last
        detail = f"(parameter count: {count} bytes do not fit into maxCount = {maxCount})"
        raise AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EL0003", (), detail))
    target = _target(machine, devPtr, count, "devPtr")
    machine.announce.host_used((target.range(count),))
    fill(machine, target, bytes([value & 0xFF]), count)


@acl_api("acl/acl_rt.h", also=LAUNCHES, resource=True)
def aclrtMemsetAsync(
    devPtr: c.void_p, maxCount: c.size_t, value: c.int32_t, count: c.size_t, stream: c.aclrtStream
) -> c.aclError:
    """Queue a task that writes the low 8 bits of `value` to `count` bytes. A null stream is the default stream.

    Returns:
        ACL_SUCCESS: queued; also for `count` 0, when nothing else is checked.
        ACL_ERROR_INVALID_PARAM: `devPtr` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: `count` exceeds `maxCount`, or the address is no live device memory.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    if count == 0:
        return
    what = "Asynchronous memory set"
    if not devPtr.value:
        raise null("devPtr")
    machine = current()
    if stream:
        machine.stream(stream, what)
    if count > maxCount:
        raise out_of_range(what, count, "count", f"a value in [0, {maxCount}]", f"(maxCount = {maxCount} bytes)")
    live_stream = machine.own_stream(stream, what)
    _submit(machine, live_stream, _target(machine, devPtr, count, "devPtr"), bytes([value & 0xFF]), count)


@acl_api("acl/acl_rt.h", also=NO_HOST_MEMORY + UNSAFE, pyacl=None)
def aclrtMemsetD32(ptr: c.void_p, memSize: c.size_t, value: c.uint32_t, N: c.size_t) -> c.aclError:
    """Write the 32-bit `value` `N` times at once. `memSize` is the size of the memory at `ptr` in bytes.

    Returns:
        ACL_SUCCESS: set; also for `N` 0.
        ACL_ERROR_INVALID_PARAM: `ptr` is null, no multiple of 4, or no live memory of aclrtMalloc or aclrtMallocHost;
            `memSize` is less than 4 N.
        ACL_ERROR_RT_PARAM_INVALID: the host memory at `ptr` has fewer bytes (only if the machine reports findings
            instead of raising them).
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if N == 0:
        return
    machine = current()
    _check_words(machine, ptr, memSize, N)
    check_product("Synchronous memory set")
    machine.context("Synchronous memory set")
    check_safe(machine, "Synchronous memory set")
    target = _target(machine, ptr, WORD * N, "ptr", f"{WORD} * N")
    machine.announce.host_used((target.range(WORD * N),))
    fill(machine, target, value.to_bytes(WORD, "little"), WORD * N)


@acl_api("acl/acl_rt.h", also=LAUNCHES, resource=True, pyacl=None)
def aclrtMemsetD32Async(
    ptr: c.void_p, memSize: c.size_t, value: c.uint32_t, N: c.size_t, stream: c.aclrtStream
) -> c.aclError:
    """Queue a task that writes the 32-bit `value` `N` times. A null stream is the default stream.

    Returns:
        ACL_SUCCESS: queued; also for `N` 0.
        ACL_ERROR_INVALID_PARAM: `ptr` is null, no multiple of 4, or no live memory of aclrtMalloc or aclrtMallocHost;
            `memSize` is less than 4 N.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: the host memory at `ptr` has fewer bytes (only if the machine reports findings
            instead of raising them).
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    if N == 0:
        return
    machine = current()
    _check_words(machine, ptr, memSize, N)
    check_product("Asynchronous memory set")
    live_stream = machine.own_stream(stream, "Asynchronous memory set")
    target = _target(machine, ptr, WORD * N, "ptr", f"{WORD} * N")
    _submit(machine, live_stream, target, value.to_bytes(WORD, "little"), WORD * N)


def _check_words(machine: Machine, pointer: Address, size: int, words: int) -> None:
    if not pointer.value:
        raise null("ptr")
    if pointer.value % WORD:
        raise invalid(f"{pointer.value:#x}", "ptr", "a multiple of 4")
    if size < WORD * words:
        raise invalid(size, "memSize", f"at least 4 x N = {WORD * words} bytes")
    memory = machine.memory_at(pointer.value)
    unknown = kind_of(machine, pointer.value) is Kind.PLAIN if memory is None else memory.holding(pointer.value) is None
    if unknown:
        place = f"({whereabouts(machine, pointer.value)})"
        raise invalid(f"{pointer.value:#x}", "ptr", "memory of aclrtMalloc or aclrtMallocHost", place)


def _target(machine: Machine, pointer: Address, count: int, parameter: str, count_name: str = "count") -> Side:
    if kind_of(machine, pointer.value) is Kind.PLAIN:
        machine.crash(
            "ws-host-ptr",
            Text(
                "{parameter} = {address} is {what}, which cannot be set.",
                parameter=parameter,
                address=f"{pointer.value:#x}",
                what=kind_text(Kind.PLAIN, pointer.value),
            ),
            status=ACL_ERROR_RT_PARAM_INVALID,
            hint=cut_addresses.hint(machine, pointer.value) or Text("Set memory of aclrtMalloc or aclrtMallocHost."),
        )
    return locate(machine, pointer, count, parameter, write=True, count_name=count_name)


def _submit(machine: Machine, stream: Stream, target: Side, pattern: bytes, count: int) -> None:
    run = on_device(machine, lambda: fill(machine, target, pattern, count))
    machine.submit(stream, Task(Text("memory set"), run, (target.range(count),), trail(), nbytes=count))

"""acl/acl_rt.h: memory of aclrtMalloc that other processes import by a key.

A process may import its own key. The memory then has two addresses, of which the checks do not know that they are one.
"""

import ctypes
from typing import Final

import acl_runtime.abi.c as c
import acl_runtime.abi.memory as m
import acl_runtime.headers.structs as s
from acl_runtime.abi.pointers import Address
from acl_runtime.api.memory.allocation_checks import no_host_memory
from acl_runtime.api.memory.buffers import load, load_array, store
from acl_runtime.api.memory.shared_memory import allow, check_permission, check_pids
from acl_runtime.api.refusals import check_product, null, null_in_runtime, out_of_range
from acl_runtime.boundary import acl_api
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.memory.allocation import EXPORTED, OPENED, Allocation
from acl_runtime.memory.copies import bad_address
from acl_runtime.memory.device_memory import MAPPED
from acl_runtime.memory.shared.exports import MEMORY, find, key_of, number_of
from acl_runtime.memory.shared.interprocess import InterprocessMemory, on_both
from acl_runtime.streams.waiters import POLL
from acl_runtime.text import Text

HEADER: Final = "acl/acl_rt.h"
EXPORTING: Final = "Exporting memory to other processes"
IMPORTING: Final = "Importing memory of another process"
ALLOWING: Final = "Setting the processes that may import memory"
CLOSING: Final = "Closing memory of another process"
LONGEST: Final = 65
"""bytes of a key, with the zero at its end"""
KEEP: Final = Text("Let the other processes call aclrtIpcMemClose first.")
"""the hint for memory that is freed too early"""
LINKS: Final = 3
"""the greatest value of ACL_RT_IPC_MEM_ATTR_ACCESS_LINK"""


@acl_api(HEADER)
def aclrtIpcMemGetExportKey(
    devPtr: c.source_void_p, size: c.size_t, key: c.target_char_p, len: c.size_t, flags: c.uint64_t
) -> c.aclError:
    """Export device memory: write a key, a text in 65 bytes, by which other processes import it. `flags` 1 allows all
    processes. The same memory has the same key each time.

    Returns:
        ACL_SUCCESS: the key is written.
        ACL_ERROR_INVALID_PARAM: `devPtr` or `key` is null.
        ACL_ERROR_RT_PARAM_INVALID: `size` is 0; `len` is too small for the key; `flags` is not 0 or 1; `devPtr` is in
            no live memory of aclrtMalloc with `size` bytes behind it; or `key` cannot be written (only if the machine
            reports findings instead of raising them).
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_MEMORY_ALLOCATION: the system refuses to share the memory.
    """
    if not devPtr.value:
        raise null("devPtr")
    if not key.value:
        raise null("key")
    if size == 0:
        raise out_of_range(EXPORTING, size, "size", "a value greater than 0")
    if len == 0:
        raise out_of_range(EXPORTING, len, "len", f"{LONGEST}")
    if flags > 1:
        raise out_of_range(EXPORTING, flags, "flags", "0 or 1")
    machine = _machine(EXPORTING)
    piece = _piece(machine, devPtr.value, size)
    place = devPtr.value - piece.address
    try:
        _share(machine, piece)
        number = machine.part(InterprocessMemory).export(
            machine.virtual.exports, piece, place, size, anybody=bool(flags)
        )
    except MemoryError as error:
        raise no_host_memory(error) from None
    store_key(key, len, key_of(MEMORY, number), EXPORTING)


@acl_api(HEADER)
def aclrtIpcMemSetImportPid(key: c.const_char_p, pid: c.source_int32_t_p, num: c.size_t) -> c.aclError:
    """Allow processes to import memory by a key of this process.

    Returns:
        ACL_SUCCESS: allowed.
        ACL_ERROR_INVALID_PARAM: `key` or `pid` is null.
        ACL_ERROR_RT_PARAM_INVALID: `num` is 0, or this process has not exported the key.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if key is None:
        raise null("key")
    check_pids(pid, num or 1, "num")
    if num == 0:
        raise out_of_range(ALLOWING, num, "num", "a value greater than 0")
    machine = _machine(ALLOWING)
    allow(machine, _exported(machine, key, ALLOWING), pid, num)


@acl_api(HEADER, pyacl=None)
def aclrtIpcMemImportPidInterServer(key: c.const_char_p, serverPids: m.aclrtServerPid_p, num: c.size_t) -> c.aclError:
    """Allow processes of several servers to import memory by a key of this process.

    Returns:
        ACL_SUCCESS: allowed.
        ACL_ERROR_RT_PARAM_INVALID: `key` or `serverPids` is null, `num` is 0, an entry has not exactly one process, or
            this process has not exported the key.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if key is None:
        raise null_in_runtime(ALLOWING, "key")
    pids = server_pids(serverPids, num, ALLOWING)
    machine = _machine(ALLOWING)
    number = _exported(machine, key, ALLOWING)
    machine.virtual.exports.allow(number, pids)


@acl_api(HEADER)
def aclrtIpcMemImportByKey(devPtr: c.void_pp, key: c.const_char_p, flags: c.uint64_t) -> c.aclError:
    """Import memory of another process: an address for the same bytes. Close it with aclrtIpcMemClose. `flags` 1
    switches the access to the other device on.

    Returns:
        ACL_SUCCESS: `*devPtr` is the address.
        ACL_ERROR_INVALID_PARAM: `devPtr` or `key` is null.
        ACL_ERROR_RT_PARAM_INVALID: `flags` is not 0 or 1, or no process of this user has exported the key.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_NO_PERMISSION: the process that exported it has not allowed this one.
        ACL_ERROR_RT_MEMORY_ALLOCATION: the system refuses to map the memory.
    """
    if devPtr.null:
        raise null("devPtr")
    if key is None:
        raise null("key")
    if flags > 1:
        raise out_of_range(IMPORTING, flags, "flags", "0 or 1")
    machine = _machine(IMPORTING)
    number = number_of(MEMORY, key)
    shared = find(number, MEMORY) if number else None
    if shared is None:
        raise out_of_range(IMPORTING, key, "key", "a key that a process of this user has exported")
    export, file = shared
    if not machine.virtual.exports.here(number):
        check_permission(number, export, file, IMPORTING, "key", "aclrtIpcMemSetImportPid")
    memory = machine.context(IMPORTING).device.memory
    try:
        piece = machine.part(InterprocessMemory).attach(memory, number, export, file)
    except MemoryError as error:
        raise no_host_memory(error) from None
    if piece is None:
        raise no_host_memory(MemoryError("all addresses of the device are used"))
    devPtr.store(piece.address)


@acl_api(HEADER)
def aclrtIpcMemClose(key: c.const_char_p) -> c.aclError:
    """Close memory that this process has imported by a key, the oldest first. In the process that exported it: destroy
    the key.

    Returns:
        ACL_SUCCESS: closed, or destroyed.
        ACL_ERROR_INVALID_PARAM: `key` is null.
        ACL_ERROR_RT_PARAM_INVALID: this process has neither imported nor exported it.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if key is None:
        raise null("key")
    machine, number = _machine(CLOSING), number_of(MEMORY, key)
    shared = machine.part(InterprocessMemory)
    piece = shared.oldest(number)
    if piece is not None:
        machine.announce.freeing(piece, OPENED[1])
        shared.detach(piece)
        memory = machine.memory_at(piece.address)
        assert memory is not None
        memory.free(piece)
    elif not shared.end_key(machine.virtual.exports, number):
        raise out_of_range(CLOSING, key, "key", "a key that this process has imported or exported")


@acl_api(HEADER, inert=True, pyacl=None)
def aclrtIpcMemSetAttr(key: c.const_char_p, type: c.aclrtIpcMemAttrType, attr: c.uint64_t) -> c.aclError:
    """Choose the link by which a device reaches imported memory. The emulator has one link for all.

    Returns:
        ACL_SUCCESS: accepted.
        ACL_ERROR_RT_PARAM_INVALID: `key` is null, `type` is no aclrtIpcMemAttrType, or `attr` is greater than 3.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if key is None:
        raise null_in_runtime(IMPORTING, "key")
    if type != 0:
        raise out_of_range(IMPORTING, type, "type", "ACL_RT_IPC_MEM_ATTR_ACCESS_LINK (0)")
    if attr > LINKS:
        raise out_of_range(IMPORTING, attr, "attr", f"[0, {LINKS}]")
    _machine(IMPORTING)


def free_exported(machine: Machine, piece: Allocation) -> None:
    """Exported memory is about to be freed."""
    process = piece.notes[EXPORTED].importer()
    if process:
        what = Text("{memory} are freed, and process {process} has them open.", memory=piece, process=process)
        machine.undefined("io-freed-early", what, *piece.past(), hint=KEEP)
    machine.part(InterprocessMemory).free(machine.virtual.exports, piece)


def store_key(key: Address, room: int, text: str, what: str) -> None:
    """Write a key, with zeros behind it, to `room` bytes."""
    raw = text.encode() + b"\0"
    if room < len(raw):
        raise out_of_range(what, room, "len", f"{LONGEST}")
    store(key, raw.ljust(min(room, LONGEST), b"\0"), "key")


def server_pids(pids: Address, count: int, what: str) -> tuple[int, ...]:
    """The processes in a list of aclrtServerPid; AclError 107000 if the list is damaged."""
    if not pids.value:
        raise null_in_runtime(what, "serverPids")
    if count == 0:
        raise out_of_range(what, count, "num", "a value greater than 0")
    numbers = list[int]()
    for entry in load_array(pids, s.aclrtServerPid, count, "serverPids"):
        if not entry.pid:
            raise null_in_runtime(what, "serverPids->pid")
        if entry.num != 1:
            raise out_of_range(what, entry.num, "serverPids->num", "1")
        numbers.append(load(Address(entry.pid), ctypes.c_int32 * 1, "serverPids->pid")[0])
    return tuple(numbers)


def _machine(what: str) -> Machine:
    """The machine of a thread that has a context, on a product with such memory."""
    machine = current()
    machine.context(what)
    check_product(what)
    return machine


def _piece(machine: Machine, address: int, size: int) -> Allocation:
    """The memory of aclrtMalloc that has these bytes."""
    memory = machine.memory_at(address)
    piece = memory.holding(address) if memory is not None else None
    if piece is None or not piece.allocated or piece.shared or address + size > piece.end:
        raise bad_address(machine, address, "devPtr")
    return piece


def _share(machine: Machine, piece: Allocation) -> None:
    """Move memory into a file, when no task moves its bytes."""
    if EXPORTED in piece.notes:
        return
    users = [
        (stream, task)
        for stream in machine.scheduler.busy
        for task in stream.queue
        if any(used.meets(piece.address, piece.end) for used in task.ranges)
    ]
    while any(stream.runner and task is stream.queue[0] for stream, task in users if stream.queue):
        machine.scheduler.changed.wait(POLL)
    old = piece.buffer
    machine.part(InterprocessMemory).exported(piece)
    if piece.size < MAPPED:
        for _, task in users:
            task.run = on_both(task.run, old, piece)


def _exported(machine: Machine, key: str, what: str) -> int:
    """The number of a key of this process."""
    number = number_of(MEMORY, key)
    if not machine.part(InterprocessMemory).has(number):
        raise out_of_range(what, key, "key", "a key that this process has exported")
    return number

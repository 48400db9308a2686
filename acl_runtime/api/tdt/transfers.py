"""Messages of channels and queues: waiting for one or for room, and the bytes in it."""

import ctypes
from ctypes import c_char
from typing import Any

from acl_runtime.abi.pointers import Address
from acl_runtime.api.memory.copy_async import buffered
from acl_runtime.errors import AclError
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_QUEUE_EMPTY, ACL_ERROR_RT_QUEUE_FULL
from acl_runtime.machine.machine import Machine
from acl_runtime.memory.copies import copy, locate
from acl_runtime.objects.queues import Fifo, QueueGoal
from acl_runtime.text import Text

WAITS = (
    (
        "ACL_ERROR_RT_PARAM_INVALID",
        "data are no memory of their size (only if the machine reports findings, not raises them).",
    ),
)


def put(machine: Machine, fifo: Fifo, message: Any, timeout: int) -> None:
    """Append a message; 207014 if the queue stays full. `timeout`: milliseconds, negative for ever."""
    full = QueueGoal(fifo, Text("room in {queue}", queue=fifo.name or "a queue"), lambda: not fifo.full)
    if not _wait(machine, full, timeout) or fifo.closed:
        raise AclError(ACL_ERROR_RT_QUEUE_FULL, Item("EH9999", (f"the queue has {len(fifo.messages)} messages",)))
    fifo.messages.append(message)
    machine.scheduler.happened()


def oldest(machine: Machine, fifo: Fifo, timeout: int) -> Any:
    """The oldest message, which stays in the queue; 207013 if there is none. `timeout`: as for `put`."""
    empty = QueueGoal(fifo, Text("a message in {queue}", queue=fifo.name or "a queue"), lambda: bool(fifo.messages))
    if not _wait(machine, empty, timeout) or not fifo.messages:
        raise AclError(ACL_ERROR_RT_QUEUE_EMPTY, Item("EH9999", ("the queue has no message",)))
    return fifo.messages[0]


def _wait(machine: Machine, goal: QueueGoal, timeout: int) -> bool:
    if timeout < 0:
        return machine.scheduler.wait(goal)
    return goal.reached() or (timeout > 0 and machine.scheduler.wait(goal, timeout * 1e3, patience=timeout / 1e3))


def bytes_of(machine: Machine, pointer: Address, count: int, parameter: str) -> bytes:
    """A copy of bytes of the host or of a device."""
    source = locate(machine, pointer, count, parameter, write=False)
    return bytes(buffered(machine, source, count).owner)  # type: ignore[arg-type]


def deliver(machine: Machine, pointer: Address, data: bytes, parameter: str) -> None:
    """Write bytes to memory of the host or of a device."""
    memory = (c_char * len(data)).from_buffer_copy(data)
    source = locate(machine, Address(ctypes.addressof(memory), len(data), memory), len(data), parameter, write=False)
    target = locate(machine, pointer, len(data), parameter, write=True)
    machine.announce.host_used((target.range(len(data)),))
    copy(machine, target, source, len(data))

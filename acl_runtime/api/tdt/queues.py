"""acl/acl_tdt_queue.h: queues of messages of the host, and their attributes."""

import ctypes
from ctypes import c_uint32, c_uint64
from typing import Final

import acl_runtime.abi.c as c
import acl_runtime.abi.tdt as t
from acl_runtime.api.live_objects import discard_required, required
from acl_runtime.api.memory.buffers import load, load_text, store
from acl_runtime.api.refusals import invalid, null
from acl_runtime.api.tdt.items import DEAD
from acl_runtime.api.tdt.transfers import bytes_of, deliver, oldest, put
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import acltdtQueueAttrType
from acl_runtime.headers.handles import acltdtQueueAttr
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_FAILURE, ACL_ERROR_RT_PARAM_INVALID
from acl_runtime.machine.current import current
from acl_runtime.objects.queues import Fifo, QueueAttributes, Queues, c_string

HEADER: Final = "acl/acl_tdt_queue.h"
LONGEST_NAME: Final = 127
MOST_USER_DATA: Final = 96
NAME, DEPTH = acltdtQueueAttrType.ACL_TDTQUEUE_NAME_PTR, acltdtQueueAttrType.ACL_TDTQUEUE_DEPTH_UINT32
WIDTHS: Final = {NAME: ctypes.sizeof(c_uint64), DEPTH: ctypes.sizeof(c_uint32)}
UNREAD: Final = (
    (
        "ACL_ERROR_RT_PARAM_INVALID",
        "the queue does not exist; or an object was destroyed, or a pointer is no memory of its size (only if the "
        "machine reports findings, not raises them).",
    ),
)


@acl_api(HEADER)
def acltdtCreateQueueAttr() -> t.new_acltdtQueueAttr:
    """Create attributes: an empty name, and depth 8."""
    return acltdtQueueAttr(current().handles.add(QueueAttributes()))


@acl_api(HEADER, also=DEAD)
def acltdtDestroyQueueAttr(attr: t.const_acltdtQueueAttr_p) -> c.aclError:
    """Destroy attributes.

    Returns:
        ACL_SUCCESS: destroyed.
        ACL_ERROR_INVALID_PARAM: `attr` is null.
    """
    discard_required(attr, QueueAttributes, "attr")


@acl_api(HEADER, also=UNREAD)
def acltdtSetQueueAttr(
    attr: t.acltdtQueueAttr_p, type: t.acltdtQueueAttrType, len: c.size_t, param: c.const_void_p
) -> c.aclError:
    """Set the name (`param` is the address of a `const char *`) or the depth (of a `uint32_t`).

    Returns:
        ACL_SUCCESS: set.
        ACL_ERROR_INVALID_PARAM: `attr` or `param` is null; there is no such attribute; `len` is more than its size; the
            name is null or longer than 127 bytes.
    """
    attributes = required(attr, QueueAttributes, "attr")
    if not param.value:
        raise null("param")
    _check_width(type, len, at_most=True)
    if type == DEPTH:
        attributes.depth = load(param, c_uint32 * 1, "param")[0]
        return
    address = load(param, c_uint64 * 1, "param")[0]
    text = load_text(address, LONGEST_NAME, "param") if address else None
    if text is None:
        raise invalid(f"{address:#x}", "param", "the address of a text of at most 127 bytes")
    attributes.name = c_string(text)


@acl_api(HEADER, also=UNREAD)
def acltdtGetQueueAttr(
    attr: t.const_acltdtQueueAttr_p,
    type: t.acltdtQueueAttrType,
    len: c.size_t,
    paramRetSize: c.size_t_p,
    param: c.void_p,
) -> c.aclError:
    """Query the name, a pointer that is valid as long as the attributes, or the depth.

    Returns:
        ACL_SUCCESS: `*paramRetSize` bytes at `param` are the value.
        ACL_ERROR_INVALID_PARAM: `attr`, `paramRetSize` or `param` is null; there is no such attribute; `len` is less
            than its size.
    """
    attributes = required(attr, QueueAttributes, "attr")
    if paramRetSize.null:
        raise null("paramRetSize")
    if not param.value:
        raise null("param")
    width = _check_width(type, len, at_most=False)
    value = attributes.depth if type == DEPTH else ctypes.addressof(attributes.name)
    store(param, value.to_bytes(width, "little"), "param")
    paramRetSize.store(width)


@acl_api(HEADER, also=DEAD)
def acltdtCreateQueue(attr: t.const_acltdtQueueAttr_p, qid: c.uint32_t_p) -> c.aclError:
    """Create a queue; null means the default attributes.

    Returns:
        ACL_SUCCESS: `*qid` is the id.
        ACL_ERROR_INVALID_PARAM: `qid` is null.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if qid.null:
        raise null("qid")
    machine = current()
    machine.context("Creating a queue")
    attributes = required(attr, QueueAttributes, "attr") if attr else QueueAttributes()
    name = attributes.name.value.decode(errors="surrogateescape")
    qid.store(machine.part(Queues).add(Fifo(name, attributes.depth)))


@acl_api(HEADER, closes=False)
def acltdtDestroyQueue(qid: c.uint32_t) -> c.aclError:
    """Destroy a queue and its messages.

    Returns:
        ACL_SUCCESS: destroyed.
        ACL_ERROR_RT_PARAM_INVALID: the queue does not exist.
        ACL_ERROR_FAILURE: a route uses the queue.
    """
    fifo, queues = _queue(qid), current().part(Queues)
    if queues.used(qid):
        raise AclError(ACL_ERROR_FAILURE, Item("EH9999", (f"a route uses the queue {qid}",)))
    fifo.closed = True
    fifo.messages.clear()
    del queues.by_id[qid]
    current().scheduler.happened()


@acl_api(HEADER, also=UNREAD, closes=False)
def acltdtEnqueueData(
    qid: c.uint32_t,
    data: c.const_void_p,
    dataSize: c.size_t,
    userData: c.const_void_p,
    userDataSize: c.size_t,
    timeout: c.int32_t,
    rsv: c.uint32_t,
) -> c.aclError:
    """Append a copy of data of the host or of a device, with up to 96 bytes of user data. The call waits up to
    `timeout` milliseconds while the queue is full, -1 for ever.

    Returns:
        ACL_SUCCESS: appended; the data may change.
        ACL_ERROR_INVALID_PARAM: `data` is null, `dataSize` is 0, or `userDataSize` is more than 96.
        ACL_ERROR_RT_QUEUE_FULL: the queue stayed full.
    """
    if not data.value:
        raise null("data")
    if not dataSize:
        raise invalid(dataSize, "dataSize", "more than 0 bytes")
    if userDataSize > MOST_USER_DATA:
        raise invalid(userDataSize, "userDataSize", "at most 96 bytes")
    fifo, machine = _queue(qid), current()
    content = bytes_of(machine, data, dataSize, "data")
    extra = bytes_of(machine, userData, userDataSize, "userData") if userData.value and userDataSize else b""
    put(machine, fifo, (content, extra), timeout)
    machine.part(Queues).forward()


@acl_api(HEADER, also=UNREAD, closes=False)
def acltdtDequeueData(
    qid: c.uint32_t,
    data: c.void_p,
    dataSize: c.size_t,
    retDataSize: c.size_t_p,
    userData: c.void_p,
    userDataSize: c.size_t,
    timeout: c.int32_t,
) -> c.aclError:
    """Take the oldest message of a queue, into memory of the host or of a device. The call waits up to `timeout`
    milliseconds for a message, -1 for ever.

    Returns:
        ACL_SUCCESS: `*retDataSize` bytes are written to `data`, and the user data to `userData`, if it is not null.
        ACL_ERROR_INVALID_PARAM: `data` or `retDataSize` is null; `dataSize` is 0, or less than the message has. Then
            `*retDataSize` is the size of the message, which stays in the queue.
        ACL_ERROR_RT_QUEUE_EMPTY: no message came.
    """
    if not data.value:
        raise null("data")
    if retDataSize.null:
        raise null("retDataSize")
    if not dataSize:
        raise invalid(dataSize, "dataSize", "more than 0 bytes")
    fifo, machine = _queue(qid), current()
    content, extra = oldest(machine, fifo, timeout)
    size = len_of(content)
    retDataSize.store(size)
    if size > dataSize:
        raise invalid(dataSize, "dataSize", f"the {size} bytes of the message")
    deliver(machine, data, content, "data")
    if userData.value and userDataSize and extra:
        deliver(machine, userData, extra[:userDataSize], "userData")
    fifo.messages.popleft()
    machine.part(Queues).forward()
    machine.scheduler.happened()


def len_of(data: bytes) -> int:
    """The number of bytes. (The parameter `len` of functions here has the name of the C header.)"""
    return len(data)


def _queue(number: int) -> Fifo:
    fifo = current().part(Queues).by_id.get(number)
    if fifo is None:
        reason = (f"the queue {number} does not exist",)
        raise AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EH9999", reason))
    return fifo


def _check_width(type: int, size: int, *, at_most: bool) -> int:
    """The bytes of an attribute; 100000 for an unknown attribute, or a size that does not fit."""
    if type not in WIDTHS:
        raise invalid(type, "type", "0 (name) or 1 (depth)")
    width = WIDTHS[acltdtQueueAttrType(type)]
    if size > width if at_most else size < width:
        raise invalid(size, "len", f"{width} bytes")
    return width

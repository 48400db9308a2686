"""acl/acl_tdt.h: channels, which transport datasets between host and device.

On a device a graph is the other end of a channel. Here a channel is a queue of the host: whatever is sent can be
received.
"""

from ctypes import addressof, c_char
from typing import Final

import acl_runtime.abi.c as c
import acl_runtime.abi.tdt as t
from acl_runtime.abi.pointers import Address
from acl_runtime.api.live_objects import alive, required
from acl_runtime.api.refusals import check_product, null
from acl_runtime.api.tdt.items import DEAD, HEADER, WHAT, release
from acl_runtime.api.tdt.transfers import bytes_of, oldest, put
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.handles import acltdtChannelHandle
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_FAILURE
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.objects.queues import Channel, DataItem, Dataset, Packed

LONGEST_NAME: Final = 127
"""bytes"""
CAPACITIES: Final = range(2, 8193)


@acl_api(HEADER)
def acltdtCreateChannel(deviceId: c.uint32_t, name: c.const_char_p) -> t.new_acltdtChannelHandle:
    """Create a channel of the old kind, which needs a service of the host that only virtual devices of the training
    series have. The result is null here."""
    check_product(WHAT)
    return acltdtChannelHandle()


@acl_api(HEADER)
def acltdtCreateChannelWithCapacity(
    deviceId: c.uint32_t, name: c.const_char_p, capacity: c.size_t
) -> t.new_acltdtChannelHandle:
    """Create a channel that holds up to `capacity` messages, 2 to 8192.

    The result is null in these cases: the name is null or longer than 127 bytes; the capacity is out of range; the
    device does not exist.
    """
    check_product(WHAT)
    machine = current()
    too_long = name is None or len(name.encode(errors="surrogateescape")) > LONGEST_NAME
    if too_long or capacity not in CAPACITIES or deviceId >= len(machine.devices):
        return acltdtChannelHandle()
    return acltdtChannelHandle(machine.handles.add(Channel(deviceId, name or "", capacity)))


@acl_api(HEADER, also=DEAD)
def acltdtDestroyChannel(handle: t.acltdtChannelHandle_p) -> c.aclError:
    """Destroy a channel and its messages.

    Returns:
        ACL_SUCCESS: destroyed.
        ACL_ERROR_INVALID_PARAM: `handle` is null.
    """
    channel = _channel(handle)
    channel.fifo.closed = True
    channel.fifo.messages.clear()
    current().handles.remove(channel)
    current().scheduler.happened()


@acl_api(HEADER, also=DEAD)
def acltdtStopChannel(handle: t.acltdtChannelHandle_p) -> c.aclError:
    """Stop a channel. A channel with a capacity does not change.

    Returns:
        ACL_SUCCESS: accepted.
        ACL_ERROR_INVALID_PARAM: `handle` is null.
    """
    _channel(handle)


@acl_api(HEADER, also=DEAD)
def acltdtCleanChannel(handle: t.acltdtChannelHandle_p) -> c.aclError:
    """Drop the messages of a channel.

    Returns:
        ACL_SUCCESS: the channel is empty.
        ACL_ERROR_INVALID_PARAM: `handle` is null.
    """
    _channel(handle).fifo.messages.clear()
    current().scheduler.happened()


@acl_api(HEADER, also=DEAD)
def acltdtQueryChannelSize(handle: t.const_acltdtChannelHandle_p, size: c.size_t_p) -> c.aclError:
    """Count the messages of a channel.

    Returns:
        ACL_SUCCESS: `*size` messages wait.
        ACL_ERROR_INVALID_PARAM: an argument is null.
    """
    channel = _channel(handle)
    if size.null:
        raise null("size")
    size.store(len(channel.fifo.messages))


@acl_api(HEADER, also=DEAD, closes=False)
def acltdtSendTensor(
    handle: t.const_acltdtChannelHandle_p, dataset: t.const_acltdtDataset_p, timeout: c.int32_t
) -> c.aclError:
    """Send a copy of a dataset. The call waits up to `timeout` milliseconds while the channel is full, -1 for ever.

    Returns:
        ACL_SUCCESS: sent; the data may change.
        ACL_ERROR_INVALID_PARAM: an argument is null.
        ACL_ERROR_RT_QUEUE_FULL: the channel stayed full.
    """
    channel, machine = _channel(handle), current()
    live_set = required(dataset, Dataset, "dataset")
    items = [alive(number, DataItem, "an item of dataset") for number in live_set.items]
    put(machine, channel.fifo, [_packed(machine, item) for item in items], timeout)


@acl_api(HEADER, also=DEAD, closes=False)
def acltdtReceiveTensor(
    handle: t.const_acltdtChannelHandle_p, dataset: t.acltdtDataset_p, timeout: c.int32_t
) -> c.aclError:
    """Receive the oldest message into a dataset, which then owns its items and their data on the host. The next receipt
    into the dataset reuses them. The call waits up to `timeout` milliseconds for a message, -1 for ever.

    Returns:
        ACL_SUCCESS: the dataset has the items.
        ACL_ERROR_INVALID_PARAM: an argument is null.
        ACL_ERROR_RT_QUEUE_EMPTY: no message came.
        ACL_ERROR_FAILURE: the message has no items.
    """
    channel, machine = _channel(handle), current()
    live_set = required(dataset, Dataset, "dataset")
    message = oldest(machine, channel.fifo, timeout)
    channel.fifo.messages.popleft()
    machine.scheduler.happened()
    if not message:
        raise AclError(ACL_ERROR_FAILURE, Item("EH9999", ("the message is empty",)))
    release(live_set)
    live_set.received = True
    joined = b"".join(packed.data for packed in message)
    block = live_set.block = (c_char * max(len(joined), 1))(*joined)
    offset = 0
    for packed in message:
        data = Address(addressof(block) + offset if packed.data else 0, len(packed.data), block)
        item = DataItem(packed.type, packed.dims, packed.dtype, data, len(packed.data))
        live_set.items.append(machine.handles.add(item))
        offset += len(packed.data)


def _channel(number: int) -> Channel:
    check_product(WHAT)
    return required(number, Channel, "handle")


def _packed(machine: Machine, item: DataItem) -> Packed:
    data = bytes_of(machine, item.data, item.size, "the data of an item") if item.data.value and item.size else b""
    return Packed(item.type, item.dims, item.dtype, data)

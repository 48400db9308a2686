"""acl/acl_rt.h: the numbers of a device. A program uses user ids, which ASCEND_RT_VISIBLE_DEVICES assigns; the host has
logic ids. The physical ids of the emulator are the logic ids."""

from typing import Final

import acl_runtime.abi.c as c
import acl_runtime.abi.device as d
from acl_runtime.abi.pointers import Out
from acl_runtime.api.memory.buffers import store
from acl_runtime.api.refusals import check_product, null, out_of_range
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_INVALID_DEVICEID
from acl_runtime.machine.current import current

HEADER: Final = "acl/acl_rt.h"
WHAT: Final = "Querying the number of a device"
BUS_ID: Final = "0000:{:02x}:00.0"
SHORTEST: Final = 13
"""bytes of the text of a bus, with its end"""


def _logic(number: int, parameter: str, out: Out[int], name: str) -> None:
    """Store the logic id of a user id."""
    if out.null:
        raise null(name)
    out.store(current().device(number, WHAT, parameter).physical)


def _user(number: int, parameter: str, out: Out[int], name: str) -> None:
    """Store the user id of a logic id."""
    if out.null:
        raise null(name)
    users = {device.physical: device.number for device in current().devices}
    if number not in users:
        raise _absent(number, parameter)
    out.store(users[number])


def _same(number: int, parameter: str, out: Out[int], name: str) -> None:
    """Store the physical id of a logic id, or the reverse."""
    if out.null:
        raise null(name)
    if not 0 <= number < current().options.device_count:
        raise _absent(number, parameter)
    out.store(number)


def _absent(number: int, parameter: str) -> AclError:
    values, detail = (WHAT, number, parameter, "the number of a visible device"), f"({current().inventory()})"
    return AclError(ACL_ERROR_RT_INVALID_DEVICEID, Item("EE1003", values, detail))


@acl_api(HEADER)
def aclrtGetLogicDevIdByUserDevId(userDevid: c.int32_t, logicDevId: d.int32_t_const_p) -> c.aclError:
    """Query the logic id of a device: its number on the host, without ASCEND_RT_VISIBLE_DEVICES.

    Returns:
        ACL_SUCCESS: `*logicDevId` is the number.
        ACL_ERROR_INVALID_PARAM: `logicDevId` is null.
        ACL_ERROR_RT_INVALID_DEVICEID
    """
    _logic(userDevid, "userDevid", logicDevId, "logicDevId")


@acl_api(HEADER)
def aclrtGetUserDevIdByLogicDevId(logicDevId: c.int32_t, userDevid: d.int32_t_const_p) -> c.aclError:
    """Query the number by which this process knows a device of the host.

    Returns:
        ACL_SUCCESS: `*userDevid` is the number.
        ACL_ERROR_INVALID_PARAM: `userDevid` is null.
        ACL_ERROR_RT_INVALID_DEVICEID: the host has no such device, or ASCEND_RT_VISIBLE_DEVICES hides it.
    """
    _user(logicDevId, "logicDevId", userDevid, "userDevid")


@acl_api(HEADER)
def aclrtGetLogicDevIdByPhyDevId(phyDevId: c.int32_t, logicDevId: d.int32_t_const_p) -> c.aclError:
    """Query the logic id of a physical id: the same number.

    Returns:
        ACL_SUCCESS: `*logicDevId` is the number.
        ACL_ERROR_INVALID_PARAM: `logicDevId` is null.
        ACL_ERROR_RT_INVALID_DEVICEID: the host has no such device.
    """
    _same(phyDevId, "phyDevId", logicDevId, "logicDevId")


@acl_api(HEADER)
def aclrtGetPhyDevIdByLogicDevId(logicDevId: c.int32_t, phyDevId: d.int32_t_const_p) -> c.aclError:
    """Query the physical id of a logic id: the same number.

    Returns:
        ACL_SUCCESS: `*phyDevId` is the number.
        ACL_ERROR_INVALID_PARAM: `phyDevId` is null.
        ACL_ERROR_RT_INVALID_DEVICEID: the host has no such device.
    """
    _same(logicDevId, "logicDevId", phyDevId, "phyDevId")


@acl_api(HEADER)
def aclrtGetUserDevIdByPhyDevId(phyDevId: c.int32_t, userDevid: d.int32_t_const_p) -> c.aclError:
    """aclrtGetLogicDevIdByPhyDevId by another name, as in the library.

    Returns:
        ACL_SUCCESS: `*userDevid` is the number.
        ACL_ERROR_INVALID_PARAM: `userDevid` is null.
        ACL_ERROR_RT_INVALID_DEVICEID: the host has no such device.
    """
    _same(phyDevId, "phyDevId", userDevid, "userDevid")


@acl_api(HEADER)
def aclrtGetPhyDevIdByUserDevId(userDevid: c.int32_t, phyDevId: d.int32_t_const_p) -> c.aclError:
    """aclrtGetPhyDevIdByLogicDevId by another name, as in the library.

    Returns:
        ACL_SUCCESS: `*phyDevId` is the number.
        ACL_ERROR_INVALID_PARAM: `phyDevId` is null.
        ACL_ERROR_RT_INVALID_DEVICEID: the host has no such device.
    """
    _same(userDevid, "userDevid", phyDevId, "phyDevId")


@acl_api(HEADER, pyacl=None)
def aclrtDeviceGetPCIBusId(deviceId: c.int32_t, pciBusId: c.target_char_p, len: c.int32_t) -> c.aclError:
    """Write the place of a device on the bus as a text, such as `0000:01:00.0`. Simulated devices have one bus each.

    Returns:
        ACL_SUCCESS: written.
        ACL_ERROR_INVALID_PARAM: `pciBusId` is null.
        ACL_ERROR_RT_PARAM_INVALID: `deviceId` is negative, or `len` is less than 13; or the memory is smaller than that
            (only if the machine reports findings instead of raising them).
        ACL_ERROR_RT_INVALID_DEVICEID
    """
    if not pciBusId.value:
        raise null("pciBusId")
    check_product(WHAT)
    if deviceId < 0:
        raise out_of_range(WHAT, deviceId, "deviceId", "0 or more")
    if len < SHORTEST:
        raise out_of_range(WHAT, len, "len", "13 or more")
    store(pciBusId, BUS_ID.format(current().device(deviceId, WHAT, "deviceId").physical).encode() + b"\0", "pciBusId")


@acl_api(HEADER, pyacl=None)
def aclrtDeviceGetByPCIBusId(pciBusId: c.const_char_p, deviceId: c.int32_t_p) -> c.aclError:
    """Query the device at a place of the bus, as aclrtDeviceGetPCIBusId writes it.

    Returns:
        ACL_SUCCESS: `*deviceId` is the number of the device.
        ACL_ERROR_INVALID_PARAM: an argument is null.
        ACL_ERROR_RT_PARAM_INVALID: no visible device is there.
    """
    if pciBusId is None:
        raise null("pciBusId")
    if deviceId.null:
        raise null("deviceId")
    check_product(WHAT)
    places = {BUS_ID.format(device.physical): device.number for device in current().devices}
    if pciBusId.lower() not in places:
        raise out_of_range(WHAT, pciBusId, "pciBusId", f"one of {', '.join(places)}")
    deviceId.store(places[pciBusId.lower()])

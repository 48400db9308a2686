"""acl/acl_rt.h: access of a device to the memory of another device."""

import acl_runtime.abi.c as c
from acl_runtime.api.refusals import check_product, invalid, null
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_FEATURE_UNSUPPORTED
from acl_runtime.machine.current import current
from acl_runtime.objects.soc import Series
from acl_runtime.streams.stream import Device


def _check_apart(deviceId: int, peerDeviceId: int) -> None:
    """100000 if both are the same device."""
    if deviceId == peerDeviceId:
        raise invalid(peerDeviceId, "peerDeviceId", f"a device other than {deviceId}")


def _own_and_peer(peerDeviceId: int, what: str) -> tuple[Device, Device]:
    """The thread's current device, and the peer device."""
    machine = current()
    peer = machine.device(peerDeviceId, what, "peerDeviceId")
    device = machine.context(what).device
    _check_apart(device.number, peerDeviceId)
    check_product(what)
    return device, peer


@acl_api("acl/acl_rt.h")
def aclrtDeviceCanAccessPeer(canAccessPeer: c.int32_t_p, deviceId: c.int32_t, peerDeviceId: c.int32_t) -> c.aclError:
    """Query whether `deviceId` can be given access to the memory of `peerDeviceId`. All devices of a machine can,
    except on 200I/500 A2, which has one chip.

    Returns:
        ACL_SUCCESS: `*canAccessPeer` is 1, or 0 on 200I/500 A2.
        ACL_ERROR_INVALID_PARAM: `canAccessPeer` is null, or both devices are the same.
        ACL_ERROR_RT_INVALID_DEVICEID: a device is not in [0, number of devices).
    """
    if canAccessPeer.null:
        raise null("canAccessPeer")
    _check_apart(deviceId, peerDeviceId)
    machine, what = current(), "Querying peer access"
    machine.device(deviceId, what, "deviceId")
    machine.device(peerDeviceId, what, "peerDeviceId")
    check_product(what)
    canAccessPeer.store(int(machine.soc.series is not Series.A200I_500_A2))


@acl_api("acl/acl_rt.h")
def aclrtDeviceEnablePeerAccess(peerDeviceId: c.int32_t, flags: c.uint32_t) -> c.aclError:
    """Let the thread's current device use the memory of `peerDeviceId`. The other direction needs a second call.
    Enabling access twice is no error.

    Returns:
        ACL_SUCCESS: access is enabled.
        ACL_ERROR_FEATURE_UNSUPPORTED: `flags` is not 0.
        ACL_ERROR_RT_INVALID_DEVICEID: `peerDeviceId` is not in [0, number of devices).
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_INVALID_PARAM: `peerDeviceId` is the current device itself.
    """
    if flags:
        raise AclError(ACL_ERROR_FEATURE_UNSUPPORTED, Item("EH0006", (f"flags = {flags}", "it is reserved, pass 0")))
    device, peer = _own_and_peer(peerDeviceId, "Enabling peer access")
    device.peers.add(peer.number)


@acl_api("acl/acl_rt.h")
def aclrtDeviceDisablePeerAccess(peerDeviceId: c.int32_t) -> c.aclError:
    """Undo aclrtDeviceEnablePeerAccess for the thread's current device. It is no error if the access is not enabled.

    Returns:
        ACL_SUCCESS: access is disabled.
        ACL_ERROR_RT_INVALID_DEVICEID: `peerDeviceId` is not in [0, number of devices).
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_INVALID_PARAM: `peerDeviceId` is the current device itself.
    """
    device, peer = _own_and_peer(peerDeviceId, "Disabling peer access")
    device.peers.discard(peer.number)


@acl_api("acl/acl_rt.h")
def aclrtDevicePeerAccessStatus(deviceId: c.int32_t, peerDeviceId: c.int32_t, status: c.int32_t_p) -> c.aclError:
    """Query whether `deviceId` has access to the memory of `peerDeviceId` enabled.

    Returns:
        ACL_SUCCESS: `*status` is 1 or 0.
        ACL_ERROR_INVALID_PARAM: both devices are the same, or `status` is null.
        ACL_ERROR_RT_INVALID_DEVICEID: a device is not in [0, number of devices).
    """
    _check_apart(deviceId, peerDeviceId)
    if status.null:
        raise null("status")
    machine, what = current(), "Querying peer access"
    device = machine.device(deviceId, what, "deviceId")
    peer = machine.device(peerDeviceId, what, "peerDeviceId")
    status.store(int(peer.number in device.peers))

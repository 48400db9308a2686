"""acl/acl_rt.h: synchronous copies."""

import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Address
from acl_runtime.api.capture_refusals import UNSAFE, check_safe
from acl_runtime.api.outcomes import NO_HOST_MEMORY
from acl_runtime.api.refusals import invalid, null
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import aclrtMemcpyKind
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_PARAM_INVALID
from acl_runtime.machine.current import current
from acl_runtime.memory.copies import copy, locate_both

WHAT = "Synchronous memory copy"
H2H, H2D, D2H, D2D = (
    aclrtMemcpyKind.ACL_MEMCPY_HOST_TO_HOST,
    aclrtMemcpyKind.ACL_MEMCPY_HOST_TO_DEVICE,
    aclrtMemcpyKind.ACL_MEMCPY_DEVICE_TO_HOST,
    aclrtMemcpyKind.ACL_MEMCPY_DEVICE_TO_DEVICE,
)


@acl_api("acl/acl_rt.h", also=NO_HOST_MEMORY + UNSAFE)
def aclrtMemcpy(
    dst: c.void_p, destMax: c.size_t, src: c.const_void_p, count: c.size_t, kind: c.aclrtMemcpyKind
) -> c.aclError:
    """Copy `count` bytes at once, between host and device in any direction. The call waits for no stream.

    The addresses decide the direction; `kind` must be a valid number but is not used. `destMax` is the size of `dst` in
    bytes.

    Returns:
        ACL_SUCCESS: copied; also for `count` 0, when nothing else is checked.
        ACL_ERROR_INVALID_PARAM: `dst` or `src` is null, or `kind` is not one of 0 to 5.
        ACL_ERROR_RT_PARAM_INVALID: `destMax` is 0 or less than `count`, or an address is no live device memory.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if count == 0:
        return  # "success, nothing else is checked"
    check_pointers_and_kind(dst, src, kind)
    copy_now(dst, destMax, src, count, kind)


def copy_now(dst: Address, destMax: int, src: Address, count: int, kind: int) -> None:
    """Copy at once, after the checks of the ACL layer."""
    check_fits(WHAT, dst, destMax, count)
    if dst.value == src.value:
        return  # "success, no copy (before the context check)"
    machine = current()
    machine.context(WHAT)
    check_safe(machine, WHAT)
    target, source = locate_both(machine, dst, count, src, count)
    target.room = destMax
    machine.announce.host_used(
        (
            target.range(count),
            source.range(count),
        )
    )
    copy(machine, target, source, count)
    machine.announce.copied(kind, target, source, count)


def check_pointers_and_kind(dst: Address, src: Address, kind: int) -> None:
    """The checks of the ACL layer: null pointers, kinds 0 to 5."""
    if not dst.value:
        raise null("dst")
    if not src.value:
        raise null("src")
    if not 0 <= kind <= aclrtMemcpyKind.ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE:
        raise invalid(kind, "kind", "an aclrtMemcpyKind from 0 to 5")


def check_fits(what: str, dst: Address, destMax: int, count: int) -> None:
    """AclError 107000 if "destMax == 0 or count > destMax". The text gives the size of `dst`."""
    if destMax == 0 or count > destMax:
        values = (what, count, "cnt", f"a value in (0, {destMax}]")
        detail = f"(parameter count: {count} bytes do not fit into destMax = {destMax}{_real_size(dst)})"
        raise AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EE1003", values, detail))


def _real_size(dst: Address) -> str:
    """The size of `dst`, for the text of an error."""
    memory = current().memory_at(dst.value)
    allocation = memory.holding(dst.value) if memory is not None else None
    if allocation is not None:
        return f"; dst has {allocation.end - dst.value} bytes left of {allocation}"
    return f"; dst is a host object of {dst.size} bytes" if dst.size is not None else ""

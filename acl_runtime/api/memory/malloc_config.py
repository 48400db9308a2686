"""Checks of aclrtMallocConfig, the attributes of an allocation."""

import ctypes

import acl_runtime.headers.structs as s
from acl_runtime.abi.pointers import Address
from acl_runtime.api.memory.buffers import load
from acl_runtime.api.refusals import invalid, not_simulated, out_of_range
from acl_runtime.headers.enums import aclrtMallocAttrType
from acl_runtime.machine.current import current
from acl_runtime.streams.stream import Device

STEP = ctypes.sizeof(s.aclrtMallocAttribute)


def check_config(cfg: Address, what: str) -> Device:
    """Check the attributes; return the device of the current context, which allocates the memory."""
    attributes = _attributes(cfg, what)
    device = current().context(what).device
    for i, attribute in enumerate(attributes):
        number = attribute.value.deviceId
        if attribute.attr == aclrtMallocAttrType.ACL_RT_MEM_ATTR_DEVICE_ID and number != device.number:
            expected = f"{device.number}, the device of the current context"
            raise out_of_range(what, number, f"{_member(i)}.value.deviceId", expected)
    return device


def _attributes(cfg: Address, what: str) -> list[s.aclrtMallocAttribute]:
    """The attributes of a config; a null config has none ("config null = defaults")."""
    if not cfg.value:
        return []
    config = load(cfg, s.aclrtMallocConfig, "cfg")
    start, count = ctypes.cast(config.attrs, ctypes.c_void_p).value or 0, config.numAttrs
    if not start and count:
        raise invalid(count, "cfg->numAttrs", "0, as cfg->attrs is a null pointer")
    if not start:
        raise out_of_range(what, "null", "cfg->attrs", "an array; pass a null cfg for no attributes")
    return [_attribute(Address(start + i * STEP), _member(i), what) for i in range(count)]


def _member(index: int) -> str:
    """The name of an attribute of the configuration, for a text."""
    return f"cfg->attrs[{index}]"


def _attribute(address: Address, member: str, what: str) -> s.aclrtMallocAttribute:
    """Read and check one attribute. A module id has no effect: all memory belongs to the application."""
    attribute = load(address, s.aclrtMallocAttribute, member)
    kinds = aclrtMallocAttrType
    if attribute.attr not in (
        kinds.ACL_RT_MEM_ATTR_MODULE_ID,
        kinds.ACL_RT_MEM_ATTR_DEVICE_ID,
        kinds.ACL_RT_MEM_ATTR_VA_FLAG,
    ):
        raise out_of_range(what, attribute.attr, f"{member}.attr", "1 (module id), 2 (device id) or 3 (va flag)")
    if attribute.attr == kinds.ACL_RT_MEM_ATTR_VA_FLAG and attribute.value.vaFlag:
        raise not_simulated("a va flag other than 0", "host and device have addresses of their own")
    return attribute

"""acl/acl_rt.h: streams created from a set of options.

"Declared in the header, but only the library of one small product implements them": the C libraries do not export
these functions. Here they work in Python on every product, with the advice `unsupported-product`.
"""

from typing import Final

import acl_runtime.abi.c as c
import acl_runtime.headers.handles as h
from acl_runtime.api.memory.buffers import load_option
from acl_runtime.api.meta.objects import dead
from acl_runtime.api.refusals import check_product, invalid, null
from acl_runtime.api.rt.stream import LEAST_PRIORITY, create
from acl_runtime.boundary import acl_api
from acl_runtime.headers.enums import aclrtStreamConfigAttr
from acl_runtime.headers.statuses import ACL_ERROR_RT_PARAM_INVALID
from acl_runtime.machine.current import current
from acl_runtime.objects.handle_table import Thing
from acl_runtime.text import Text

WIDTHS: Final[dict[int, int]] = {
    aclrtStreamConfigAttr.ACL_RT_STREAM_WORK_ADDR_PTR: 8,
    aclrtStreamConfigAttr.ACL_RT_STREAM_WORK_SIZE: 8,
    aclrtStreamConfigAttr.ACL_RT_STREAM_FLAG: 8,
    aclrtStreamConfigAttr.ACL_RT_STREAM_PRIORITY: 4,
}
"""bytes of the value of each option"""
WHAT: Final = "Stream configuration"
PARAM = ACL_ERROR_RT_PARAM_INVALID
FLAG, PRIORITY = aclrtStreamConfigAttr.ACL_RT_STREAM_FLAG, aclrtStreamConfigAttr.ACL_RT_STREAM_PRIORITY


class StreamConfig(Thing):
    """aclrtStreamConfigHandle: options of streams to be created."""

    kind = Text("stream config")
    destroyer = "aclrtDestroyStreamConfigHandle"

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[int, int] = {}


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtCreateStreamConfigHandle() -> c.new_aclrtStreamConfigHandle:
    """A new set of options, all at their defaults."""
    check_product(WHAT)
    return h.aclrtStreamConfigHandle(current().handles.add(StreamConfig()))


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtSetStreamConfigOpt(
    handle: c.aclrtStreamConfigHandle_p,
    attr: c.aclrtStreamConfigAttr,
    attrValue: c.const_void_p,
    valueSize: c.size_t,
) -> c.aclError:
    """Set an option from the `valueSize` bytes at `attrValue`: work address (a pointer), work size (size_t), flag
    (size_t), priority (uint32_t, 0 to 7).

    Returns:
        ACL_SUCCESS: set.
        ACL_ERROR_INVALID_PARAM: `handle` or `attrValue` is null, there is no such option, `valueSize` is not the size
            of the option, or the priority is above 7.
        ACL_ERROR_RT_PARAM_INVALID: the handle was destroyed, or the value is no memory of the host (only if the machine
            reports findings instead of raising them).
    """
    if not handle:
        raise null("handle")
    if not attrValue.value:
        raise null("attrValue")
    check_product(WHAT)
    config = _find(handle)
    if attr not in WIDTHS:
        raise invalid(attr, "attr", "an aclrtStreamConfigAttr from 0 to 3")
    value = load_option(attrValue, valueSize, WIDTHS[attr], "attrValue")
    if attr == PRIORITY and value > LEAST_PRIORITY:
        raise invalid(value, "attrValue", f"a priority from 0 to {LEAST_PRIORITY}")
    config.values[attr] = value


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtDestroyStreamConfigHandle(handle: c.aclrtStreamConfigHandle_p) -> c.aclError:
    """Destroy a set of options; streams created with it stay.

    Returns:
        ACL_SUCCESS: destroyed.
        ACL_ERROR_INVALID_PARAM: `handle` is null.
        ACL_ERROR_RT_PARAM_INVALID: the handle was destroyed already (only if the machine reports findings instead of
            raising them).
    """
    if not handle:
        raise null("handle")
    check_product(WHAT)
    current().handles.remove(_find(handle))


@acl_api("acl/acl_rt.h", resource=True, pyacl=None)
def aclrtCreateStreamV2(stream: c.aclrtStream_p, handle: c.const_aclrtStreamConfigHandle_p) -> c.aclError:
    """Create a stream with a set of options; a null `handle` means the defaults.

    Returns:
        ACL_SUCCESS: `*stream` is the new stream.
        ACL_ERROR_INVALID_PARAM: `stream` is null.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: huge streams do not exist on the inference series.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_NO_STREAM_RESOURCE: the device has no stream left.
        ACL_ERROR_RT_PARAM_INVALID: the handle was destroyed (only if the machine reports findings instead of raising
            them).
    """
    if stream.null:
        raise null("stream")
    check_product(WHAT)
    values = _find(handle).values if handle else {}
    stream.store(create(current(), values.get(PRIORITY, 0), values.get(FLAG, 0) & 0xFFFF_FFFF))


def _find(number: int) -> StreamConfig:
    config = current().handles.find(number, StreamConfig)
    if config is None:
        hint = Text("Keep the options until the stream is created.")
        dead(number, StreamConfig, "handle", "dead-handle", hint, PARAM)
    return config

"""acl/acl_base_rt.h: data buffers."""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.api.meta.objects import dangling
from acl_runtime.api.refusals import null
from acl_runtime.boundary import acl_api
from acl_runtime.headers.handles import aclDataBuffer
from acl_runtime.headers.statuses import ACL_ERROR_RT_PARAM_INVALID
from acl_runtime.machine.current import current
from acl_runtime.objects.data_buffer import DataBuffer
from acl_runtime.text import Text

HEADER: Final = "acl/acl_base_rt.h"


def _buffer(number: int) -> DataBuffer:
    """The buffer of a handle, which must not be null. Finding `dead-handle` if it names no live buffer."""
    machine = current()
    buffer = machine.handles.find(number, DataBuffer)
    if buffer is None:
        place, history = machine.handles.describe(number)
        text = dangling("dataBuffer", DataBuffer, place)
        hint = Text("Keep the buffer until its last use.")
        machine.crash("dead-handle", text, *history, status=ACL_ERROR_RT_PARAM_INVALID, hint=hint)
    return buffer


@acl_api(HEADER)
def aclCreateDataBuffer(data: c.source_void_p, size: c.size_t) -> c.new_aclDataBuffer:
    """Create a data buffer: a pair of an address, which may be null, and a size in bytes. The memory is not copied."""
    return aclDataBuffer(current().handles.add(DataBuffer(data.value, size)))


@acl_api(HEADER)
def aclDestroyDataBuffer(dataBuffer: c.const_aclDataBuffer_p) -> c.aclError:
    """Destroy a data buffer; the memory stays. Destroying the buffer twice is undefined.

    Returns:
        ACL_SUCCESS: destroyed.
        ACL_ERROR_INVALID_PARAM: `dataBuffer` is null.
        ACL_ERROR_RT_PARAM_INVALID: already destroyed (only if the machine reports findings instead of raising them).
    """
    if not dataBuffer:
        raise null("dataBuffer")
    current().handles.remove(_buffer(dataBuffer))


@acl_api(HEADER)
def aclUpdateDataBuffer(dataBuffer: c.aclDataBuffer_p, data: c.source_void_p, size: c.size_t) -> c.aclError:
    """Change address and size (in bytes); a null address is accepted.

    Returns:
        ACL_SUCCESS: set.
        ACL_ERROR_INVALID_PARAM: `dataBuffer` is null.
        ACL_ERROR_RT_PARAM_INVALID: `dataBuffer` was destroyed (only if the machine reports findings instead of raising
            them).
    """
    if not dataBuffer:
        raise null("dataBuffer")
    buffer = _buffer(dataBuffer)
    buffer.address, buffer.size = data.value, size


@acl_api(HEADER)
def aclGetDataBufferAddr(dataBuffer: c.const_aclDataBuffer_p) -> c.void_p_result:
    """The address; None if the address or the buffer is null."""
    return (_buffer(dataBuffer).address or None) if dataBuffer else None


@acl_api(HEADER)
def aclGetDataBufferSizeV2(dataBuffer: c.const_aclDataBuffer_p) -> c.size_t_result:
    """The size in bytes; 0 for a null buffer."""
    return _buffer(dataBuffer).size if dataBuffer else 0


@acl_api(HEADER)
def aclGetDataBufferSize(dataBuffer: c.const_aclDataBuffer_p) -> c.uint32_t_result:
    """The size in bytes, cut to 32 bits; 0 for a null buffer. Deprecated: use aclGetDataBufferSizeV2."""
    return _buffer(dataBuffer).size & 0xFFFF_FFFF if dataBuffer else 0

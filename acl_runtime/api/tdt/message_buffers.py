"""acl/acl_rt.h: message buffers, which only a program on a device has. A program on a host gets 207000."""

from typing import Final

import acl_runtime.abi.c as c
import acl_runtime.abi.memory as m
from acl_runtime.api.refusals import invalid, null, unsupported
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError

HEADER: Final = "acl/acl_rt.h"


def _refused() -> AclError:
    return unsupported("A message buffer", "the program runs on a host")


@acl_api(HEADER, pyacl=None)
def aclrtAllocBuf(buf: m.aclrtMbuf_p, size: c.size_t) -> c.aclError:
    """Allocate a message buffer.

    Returns:
        ACL_ERROR_INVALID_PARAM: `buf` is null, or `size` is 0.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: else, as the program runs on a host.
    """
    if buf.null:
        raise null("buf")
    if not size:
        raise invalid(size, "size", "more than 0 bytes")
    raise _refused()


@acl_api(HEADER, pyacl=None)
def aclrtFreeBuf(buf: m.aclrtMbuf) -> c.aclError:
    """Free a message buffer.

    Returns:
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: always, as the program runs on a host.
    """
    raise _refused()


@acl_api(HEADER, pyacl=None)
def aclrtGetBufData(buf: m.const_aclrtMbuf, dataPtr: c.void_pp, size: c.size_t_p) -> c.aclError:
    """Query the memory of a message buffer.

    Returns:
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: always, as the program runs on a host.
    """
    raise _refused()


@acl_api(HEADER, pyacl=None)
def aclrtSetBufDataLen(buf: m.aclrtMbuf, len: c.size_t) -> c.aclError:
    """Set the length of the data in a message buffer.

    Returns:
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: always, as the program runs on a host.
    """
    raise _refused()


@acl_api(HEADER, pyacl=None)
def aclrtGetBufDataLen(buf: m.aclrtMbuf, len: c.size_t_p) -> c.aclError:
    """Query the length of the data in a message buffer.

    Returns:
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: always, as the program runs on a host.
    """
    raise _refused()


@acl_api(HEADER, pyacl=None)
def aclrtCopyBufRef(buf: m.const_aclrtMbuf, newBuf: m.aclrtMbuf_p) -> c.aclError:
    """Make a second reference to a message buffer.

    Returns:
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: always, as the program runs on a host.
    """
    raise _refused()


@acl_api(HEADER, pyacl=None)
def aclrtAppendBufChain(headBuf: m.aclrtMbuf, buf: m.aclrtMbuf) -> c.aclError:
    """Append a message buffer to a chain.

    Returns:
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: always, as the program runs on a host.
    """
    raise _refused()


@acl_api(HEADER, pyacl=None)
def aclrtGetBufChainNum(headBuf: m.aclrtMbuf, num: c.uint32_t_p) -> c.aclError:
    """Count the message buffers of a chain.

    Returns:
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: always, as the program runs on a host.
    """
    raise _refused()


@acl_api(HEADER, pyacl=None)
def aclrtGetBufFromChain(headBuf: m.aclrtMbuf, index: c.uint32_t, buf: m.aclrtMbuf_p) -> c.aclError:
    """Query the message buffer of an index in a chain.

    Returns:
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: always, as the program runs on a host.
    """
    raise _refused()


@acl_api(HEADER, pyacl=None)
def aclrtGetBufUserData(buf: m.const_aclrtMbuf, dataPtr: c.void_p, size: c.size_t, offset: c.size_t) -> c.aclError:
    """Copy the user data of a message buffer.

    Returns:
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: always, as the program runs on a host.
    """
    raise _refused()


@acl_api(HEADER, pyacl=None)
def aclrtSetBufUserData(buf: m.aclrtMbuf, dataPtr: c.const_void_p, size: c.size_t, offset: c.size_t) -> c.aclError:
    """Set the user data of a message buffer.

    Returns:
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: always, as the program runs on a host.
    """
    raise _refused()

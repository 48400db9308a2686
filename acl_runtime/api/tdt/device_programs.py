"""acl/acl_tdt_queue.h: buffers and rights of queues, which only a program on a device has. A program on a host gets
200006, "without looking at any argument"."""

import acl_runtime.abi.c as c
import acl_runtime.abi.tdt as t
from acl_runtime.api.refusals import invalid, null
from acl_runtime.api.tdt.queues import HEADER
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import acltdtAllocBufType
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_FEATURE_UNSUPPORTED


def _refused() -> AclError:
    return AclError(ACL_ERROR_FEATURE_UNSUPPORTED, Item("EH0011", ()))


@acl_api(HEADER)
def acltdtAllocBuf(size: c.size_t, type: c.uint32_t, buf: t.acltdtBuf_p) -> c.aclError:
    """Allocate a buffer of a queue.

    Returns:
        ACL_ERROR_INVALID_PARAM: `type` is more than 1, or `buf` is null.
        ACL_ERROR_FEATURE_UNSUPPORTED: else, as the program runs on a host.
    """
    if type not in tuple(acltdtAllocBufType):
        raise invalid(type, "type", "ACL_TDT_NORMAL_MEM (0) or ACL_TDT_DVPP_MEM (1)")
    if buf.null:
        raise null("buf")
    raise _refused()


@acl_api(HEADER)
def acltdtEnqueue(qid: c.uint32_t, buf: t.acltdtBuf, timeout: c.int32_t) -> c.aclError:
    """Append a buffer to a queue.

    Returns:
        ACL_ERROR_FEATURE_UNSUPPORTED: always, as the program runs on a host.
    """
    raise _refused()


@acl_api(HEADER)
def acltdtDequeue(qid: c.uint32_t, buf: t.acltdtBuf_p, timeout: c.int32_t) -> c.aclError:
    """Take a buffer from a queue.

    Returns:
        ACL_ERROR_FEATURE_UNSUPPORTED: always, as the program runs on a host.
    """
    raise _refused()


@acl_api(HEADER)
def acltdtGrantQueue(qid: c.uint32_t, pid: c.int32_t, permission: c.uint32_t, timeout: c.int32_t) -> c.aclError:
    """Let another process use a queue.

    Returns:
        ACL_ERROR_FEATURE_UNSUPPORTED: always, as the program runs on a host.
    """
    raise _refused()


@acl_api(HEADER)
def acltdtAttachQueue(qid: c.uint32_t, timeout: c.int32_t, permission: c.uint32_t_p) -> c.aclError:
    """Wait for the right to use a queue of another process.

    Returns:
        ACL_ERROR_FEATURE_UNSUPPORTED: always, as the program runs on a host.
    """
    raise _refused()


@acl_api(HEADER)
def acltdtFreeBuf(buf: t.acltdtBuf) -> c.aclError:
    """Free a buffer.

    Returns:
        ACL_ERROR_FEATURE_UNSUPPORTED: always, as the program runs on a host.
    """
    raise _refused()


@acl_api(HEADER)
def acltdtGetBufData(buf: t.const_acltdtBuf, dataPtr: c.void_pp, size: c.size_t_p) -> c.aclError:
    """The memory of a buffer.

    Returns:
        ACL_ERROR_FEATURE_UNSUPPORTED: always, as the program runs on a host.
    """
    raise _refused()


@acl_api(HEADER)
def acltdtSetBufDataLen(buf: t.acltdtBuf, len: c.size_t) -> c.aclError:
    """Set the length of the data in a buffer.

    Returns:
        ACL_ERROR_FEATURE_UNSUPPORTED: always, as the program runs on a host.
    """
    raise _refused()


@acl_api(HEADER)
def acltdtGetBufDataLen(buf: t.acltdtBuf, len: c.size_t_p) -> c.aclError:
    """Query the length of the data in a buffer.

    Returns:
        ACL_ERROR_FEATURE_UNSUPPORTED: always, as the program runs on a host.
    """
    raise _refused()


@acl_api(HEADER)
def acltdtGetBufUserData(buf: t.const_acltdtBuf, dataPtr: c.void_p, size: c.size_t, offset: c.size_t) -> c.aclError:
    """Copy the user data of a buffer.

    Returns:
        ACL_ERROR_FEATURE_UNSUPPORTED: always, as the program runs on a host.
    """
    raise _refused()


@acl_api(HEADER)
def acltdtSetBufUserData(buf: t.acltdtBuf, dataPtr: c.const_void_p, size: c.size_t, offset: c.size_t) -> c.aclError:
    """Set the user data of a buffer.

    Returns:
        ACL_ERROR_FEATURE_UNSUPPORTED: always, as the program runs on a host.
    """
    raise _refused()


@acl_api(HEADER)
def acltdtCopyBufRef(buf: t.const_acltdtBuf, newBuf: t.acltdtBuf_p) -> c.aclError:
    """Make a second reference to a buffer.

    Returns:
        ACL_ERROR_FEATURE_UNSUPPORTED: always, as the program runs on a host.
    """
    raise _refused()


@acl_api(HEADER)
def acltdtAppendBufChain(headBuf: t.acltdtBuf, buf: t.acltdtBuf) -> c.aclError:
    """Append a buffer to a chain.

    Returns:
        ACL_ERROR_FEATURE_UNSUPPORTED: always, as the program runs on a host.
    """
    raise _refused()


@acl_api(HEADER)
def acltdtGetBufChainNum(headBuf: t.acltdtBuf, num: c.uint32_t_p) -> c.aclError:
    """Count the buffers of a chain.

    Returns:
        ACL_ERROR_FEATURE_UNSUPPORTED: always, as the program runs on a host.
    """
    raise _refused()


@acl_api(HEADER)
def acltdtGetBufFromChain(headBuf: t.acltdtBuf, index: c.uint32_t, buf: t.acltdtBuf_p) -> c.aclError:
    """The buffer of an index in a chain.

    Returns:
        ACL_ERROR_FEATURE_UNSUPPORTED: always, as the program runs on a host.
    """
    raise _refused()

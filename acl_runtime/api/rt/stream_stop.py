"""acl/acl_rt.h: stopping a stream, and removing the tasks of a persistent stream."""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.api.refusals import check_product, null_in_runtime, out_of_range
from acl_runtime.boundary import acl_api
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.streams.stream import Stream

HEADER: Final = "acl/acl_rt.h"


@acl_api(HEADER, inert=True, pyacl=None)
def aclrtStreamStop(stream: c.aclrtStream) -> c.aclError:
    """Stop the running task of a stream, and keep the queued tasks. In the emulator no task is running between calls,
    so the call changes nothing.

    Returns:
        ACL_SUCCESS: accepted.
        ACL_ERROR_RT_PARAM_INVALID: `stream` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    _own(stream, "Stopping a stream")


@acl_api(HEADER, pyacl=None)
def aclrtPersistentTaskClean(stream: c.aclrtStream) -> c.aclError:
    """Remove the tasks of a persistent stream (ACL_STREAM_PERSISTENT).

    Returns:
        ACL_SUCCESS: the stream has no tasks.
        ACL_ERROR_RT_PARAM_INVALID: `stream` is null, or not persistent.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    what = "Removing the tasks of a stream"
    machine, live_stream = _own(stream, what)
    if live_stream.driven:
        raise out_of_range(what, live_stream, "stream", "a stream with the flag ACL_STREAM_PERSISTENT")
    machine.scheduler.drop(live_stream)


def _own(stream: int, what: str) -> tuple[Machine, Stream]:
    """The stream of a handle, which must belong to the current context."""
    if not stream:
        raise null_in_runtime(what, "stream")
    check_product(what)
    machine = current()
    return machine, machine.own_stream(stream, what)

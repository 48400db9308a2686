"""acl/acl_prof.h: ranges with the tensors of an operator, hashes of names, and records in a stream. None is kept."""

from typing import Final

import acl_runtime.abi.c as c
import acl_runtime.abi.profiling as p
from acl_runtime.api.outcomes import LAUNCHES
from acl_runtime.api.profiling.msprof import hash_of
from acl_runtime.api.refusals import null, out_of_range
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.machine.current import current
from acl_runtime.source.frames import trail
from acl_runtime.streams.stream import Task, nothing
from acl_runtime.text import Text

HEADER: Final = "acl/acl_prof.h"
WHAT: Final = "A record of the program in a stream"
LONGEST: Final = 32
"""bytes of a record"""
UNLOADED: Final = -1


@acl_api(HEADER)
def aclprofStr2Id(message: c.const_char_p) -> c.uint64_t_result:
    """A number for a text, the same for equal texts; 0 for null, where the library would crash."""
    return 0 if message is None else hash_of(message.encode(errors="surrogateescape"))


@acl_api(HEADER)
def aclprofRangePushEx(attr: p.aclprofEventAttributes_p) -> c.aclError:
    """Begin a range with the tensors of an operator. The emulator has no back end for such ranges.

    Returns:
        -1: always, as without a back end.
    """
    raise AclError(UNLOADED)


@acl_api(HEADER)
def aclprofRangePop() -> c.aclError:
    """End a range of aclprofRangePushEx.

    Returns:
        -1: always, as without a back end.
    """
    raise AclError(UNLOADED)


@acl_api("acl/acl_rt.h", also=LAUNCHES, resource=True, inert=True, pyacl=None)
def aclrtProfTrace(userdata: c.source_void_p, length: c.int32_t, stream: c.aclrtStream) -> c.aclError:
    """Queue a record of the program for a profiler, of which there is none. A null stream is the default stream.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_INVALID_PARAM: `userdata` is null.
        ACL_ERROR_RT_PARAM_INVALID: `length` is not in [1, 32].
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    if not userdata.value:
        raise null("userdata")
    if not 0 < length <= LONGEST:
        raise out_of_range(WHAT, length, "length", f"[1, {LONGEST}]")
    machine = current()
    machine.submit(machine.own_stream(stream, WHAT), Task(Text("record for a profiler"), nothing, (), trail()))

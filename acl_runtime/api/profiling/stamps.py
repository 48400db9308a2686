"""acl/acl_prof.h: stamps, which are the marks and ranges before mstx, and the iterations of a program.

Stamps need a session with the switch ACL_PROF_MSPROFTX. Without such a session a function fails with -1, "the internal
failure value of the profiling library: it has no ACL_ERROR_ name".
"""

import threading
from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Address
from acl_runtime.api.live_objects import alive, discard, required
from acl_runtime.api.profiling.recorded_marks import begin, finish, mark, mark_in_stream
from acl_runtime.api.refusals import invalid, null
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import aclprofStepTag
from acl_runtime.headers.handles import aclprofStepInfo
from acl_runtime.headers.statuses import ACL_ERROR_GE_FAILURE
from acl_runtime.machine.current import current
from acl_runtime.objects.profiling import Stamp, StepInfo
from acl_runtime.trace.marks import DEFAULT

HEADER: Final = "acl/acl_prof.h"
FAILED: Final = -1
LONGEST: Final = 127
"""bytes of a message"""
GONE: Final = (
    (
        "ACL_ERROR_RT_PARAM_INVALID",
        "`stamp` was destroyed (only if the machine reports findings instead of raising them).",
    ),
)


@acl_api(HEADER)
def aclprofCreateStepInfo() -> c.new_aclprofStepInfo:
    """Create the record of an iteration of the program."""
    return aclprofStepInfo(current().handles.add(StepInfo()))


@acl_api(HEADER)
def aclprofDestroyStepInfo(stepinfo: c.aclprofStepInfo_p) -> c.void_result:
    """Destroy the record of an iteration; null is ignored."""
    discard(stepinfo, StepInfo, "stepinfo")


@acl_api(HEADER, resource=True)
def aclprofGetStepTimestamp(stepInfo: c.aclprofStepInfo_p, tag: c.aclprofStepTag, stream: c.aclrtStream) -> c.aclError:
    """Take the time of the start or of the end of an iteration, in the order of the stream. A null stream is the
    default stream.

    Returns:
        ACL_SUCCESS: the mark is queued.
        ACL_ERROR_INVALID_PARAM: `stepInfo` is null, `tag` is no aclprofStepTag, or the record has a time for `tag`.
        ACL_ERROR_GE_FAILURE: the stream is dead or of another context, or there is no context.
        ACL_ERROR_RT_PARAM_INVALID: `stepInfo` was destroyed (only if the machine reports findings instead of raising
            them).
    """
    live_info = required(stepInfo, StepInfo, "stepInfo")
    if tag not in tuple(aclprofStepTag):
        raise invalid(tag, "tag", "0 (start) or 1 (end)")
    if tag in live_info.tags:
        raise invalid(tag, "tag", "a tag that the record has no time for")
    try:
        mark_in_stream(f"{'end' if tag else 'start'} of {live_info}", stream, "Taking the time of a step")
    except AclError as error:
        raise AclError(ACL_ERROR_GE_FAILURE, *error.items) from None
    live_info.tags.add(tag)


@acl_api(HEADER)
def aclprofCreateStamp() -> c.void_p_result:
    """Create a stamp. The result is null unless a session with the switch ACL_PROF_MSPROFTX runs."""
    machine = current()
    return machine.handles.add(Stamp()) if machine.profiling.takes_stamps else None


@acl_api(HEADER)
def aclprofDestroyStamp(stamp: c.source_void_p) -> c.void_result:
    """Destroy a stamp; null is ignored."""
    discard(stamp.value, Stamp, "stamp")


@acl_api(HEADER, also=GONE)
def aclprofSetStampTraceMessage(stamp: c.source_void_p, msg: c.const_char_p, msgLen: c.uint32_t) -> c.aclError:
    """Set the text of a stamp: the first `msgLen` bytes, at most 127.

    Returns:
        ACL_SUCCESS: set.
        -1: `stamp` is null, or `msgLen` is more than 127.
    """
    if not stamp.value or msgLen > LONGEST:
        raise AclError(FAILED)
    raw = (msg or "").encode(errors="surrogateescape")[:msgLen]
    alive(stamp.value, Stamp, "stamp").message = raw.decode(errors="surrogateescape")


@acl_api(HEADER, also=GONE)
def aclprofMark(stamp: c.source_void_p) -> c.aclError:
    """Mark this moment with the text of the stamp.

    Returns:
        ACL_SUCCESS: marked.
        -1: no session accepts stamps, or `stamp` is null.
    """
    _check_session()
    if not stamp.value:
        raise AclError(FAILED)
    mark(_message(stamp), DEFAULT)


@acl_api(HEADER, also=GONE)
def aclprofPush(stamp: c.source_void_p) -> c.aclError:
    """Begin a range that the next aclprofPop of this thread ends. Such ranges nest.

    Returns:
        ACL_SUCCESS: begun.
        ACL_ERROR_INVALID_PARAM: `stamp` is null.
        -1: no session accepts stamps.
    """
    if not stamp.value:
        raise null("stamp")
    _check_session()
    current().profiling.stacks.setdefault(threading.get_ident(), []).append(begin(_message(stamp), DEFAULT).id)


@acl_api(HEADER)
def aclprofPop() -> c.aclError:
    """End the innermost range that aclprofPush began in this thread.

    Returns:
        ACL_SUCCESS: ended.
        -1: no session accepts stamps, or this thread has no open range.
    """
    _check_session()
    stack = current().profiling.stacks.get(threading.get_ident())
    if not stack:
        raise AclError(FAILED)
    finish(stack.pop(), DEFAULT)


@acl_api(HEADER, also=GONE)
def aclprofRangeStart(stamp: c.source_void_p, rangeId: c.uint32_t_p) -> c.aclError:
    """Begin a range that aclprofRangeStop ends, in any thread. Such ranges may overlap.

    Returns:
        ACL_SUCCESS: begun; `*rangeId` is its number.
        ACL_ERROR_INVALID_PARAM: `stamp` or `rangeId` is null.
        -1: no session accepts stamps.
    """
    if not stamp.value:
        raise null("stamp")
    if rangeId.null:
        raise null("rangeId")
    _check_session()
    rangeId.store(begin(_message(stamp), DEFAULT).id)


@acl_api(HEADER)
def aclprofRangeStop(rangeId: c.uint32_t) -> c.aclError:
    """End a range of aclprofRangeStart.

    Returns:
        ACL_SUCCESS: ended.
        -1: no session accepts stamps, or no open range has this number.
    """
    _check_session()
    if not finish(rangeId, DEFAULT):
        raise AclError(FAILED)


@acl_api(HEADER, resource=True)
def aclprofMarkEx(msg: c.const_char_p, msgLen: c.size_t, stream: c.aclrtStream) -> c.aclError:
    """Mark a moment with a text, in the order of a stream. `msgLen` is the length of the text.

    Returns:
        ACL_SUCCESS: the mark is queued.
        -1: no session accepts stamps; `msg` or `stream` is null; `msgLen` is not in [1, 127], or not the length of the
            text; the stream is dead or of another context, or there is no context.
    """
    _check_session()
    if msg is None or not stream:
        raise AclError(FAILED)
    if not 1 <= msgLen <= LONGEST or msgLen != len(msg.encode(errors="surrogateescape")):
        raise AclError(FAILED)
    try:
        mark_in_stream(f"mark {msg!r}", stream, "Marking in a stream")
    except AclError as error:
        raise AclError(FAILED, *error.items) from None
    mark(msg, DEFAULT)


def _check_session() -> None:
    if not current().profiling.takes_stamps:
        raise AclError(FAILED)


def _message(stamp: Address) -> str:
    return alive(stamp.value, Stamp, "stamp").message

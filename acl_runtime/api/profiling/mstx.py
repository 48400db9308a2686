"""mstx/ms_tools_ext.h: marks and ranges that the program adds to its profile.

Our choice: every machine collects marks and ranges; `machine.write_trace` and `machine.write_timeline` show them. With
the real library a profiler must be running.

No function returns a status. The emulator ignores the same calls as the library.
"""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.api.profiling.recorded_marks import begin, finish, mark, mark_in_stream
from acl_runtime.boundary import acl_api
from acl_runtime.headers.handles import mstxDomainHandle_t, mstxMemHeapHandle_t
from acl_runtime.headers.statuses import ACL_ERROR_RT_PARAM_INVALID
from acl_runtime.machine.current import current
from acl_runtime.objects.profiling import Domain
from acl_runtime.streams.stream import Stream
from acl_runtime.text import Text
from acl_runtime.trace.marks import DEFAULT

HEADER: Final = "mstx/ms_tools_ext.h"
FORBIDDEN: Final = ("=", "+", "-", "@")
"""a message or a name that begins with one of these is ignored"""
LONGEST_NAME: Final = 1023
"""bytes of the name of a domain"""
TOOL: Final = 0x1000
"""the number of the profiler msprof"""


@acl_api(HEADER)
def mstxMarkA(message: c.const_char_p, stream: c.aclrtStream) -> c.void_result:
    """Mark this moment with a text. With a stream, also queue a mark in that stream.

    A message that is null, empty, or begins with `=`, `+`, `-` or `@` is ignored.
    """
    _mark(DEFAULT, message, stream)


@acl_api(HEADER)
def mstxRangeStartA(message: c.const_char_p, stream: c.aclrtStream) -> c.mstxRangeId_result:
    """Begin a range with a text, and return its number. With a stream, also queue marks of the start and of the end in
    that stream. Ranges may overlap, and another thread may end a range.

    The result is 0, and nothing begins, for a message that mstxMarkA ignores.
    """
    return _begin(DEFAULT, message, stream)


@acl_api(HEADER)
def mstxRangeEnd(id: c.mstxRangeId) -> c.void_result:
    """End a range. A number that is 0, unknown, or of a range in another domain is ignored."""
    _end(DEFAULT, id)


@acl_api(HEADER)
def mstxDomainCreateA(name: c.const_char_p) -> c.new_mstxDomainHandle_t:
    """Create a domain of marks and ranges. If a domain of this name exists, the result is that domain.

    The result is null for a name that is null, empty or "default", has 1024 bytes or more, or begins with `=`, `+`, `-`
    or `@`.
    """
    if not _accepted(name) or name == DEFAULT or len(str(name).encode(errors="surrogateescape")) > LONGEST_NAME:
        return mstxDomainHandle_t()
    handles = current().handles
    domain = next((live_domain for live_domain in handles.all(Domain) if live_domain.name == name), None)
    return mstxDomainHandle_t(domain.number if domain is not None else handles.add(Domain(str(name))))


@acl_api(HEADER)
def mstxDomainDestroy(domain: c.mstxDomainHandle_t) -> c.void_result:
    """Destroy a domain. Later calls with it do nothing; a handle that is no live domain is ignored."""
    handles = current().handles
    live_domain = handles.find(domain, Domain)
    if live_domain is not None:
        handles.remove(live_domain)


@acl_api(HEADER)
def mstxDomainMarkA(domain: c.mstxDomainHandle_t, message: c.const_char_p, stream: c.aclrtStream) -> c.void_result:
    """mstxMarkA in a domain. A handle that is no live domain is ignored."""
    _mark(_name_of(domain), message, stream)


@acl_api(HEADER)
def mstxDomainRangeStartA(
    domain: c.mstxDomainHandle_t, message: c.const_char_p, stream: c.aclrtStream
) -> c.mstxRangeId_result:
    """mstxRangeStartA in a domain; 0 for a handle that is no live domain."""
    return _begin(_name_of(domain), message, stream)


@acl_api(HEADER)
def mstxDomainRangeEnd(domain: c.mstxDomainHandle_t, id: c.mstxRangeId) -> c.void_result:
    """End a range of mstxDomainRangeStartA. A number that is 0, unknown, or of a range in another domain is ignored."""
    _end(_name_of(domain), id)


@acl_api(HEADER)
def mstxGetToolId(id: c.uint64_t_p) -> c.void_result:
    """Query the tool that collects marks: 0x1000 stands for the profiler. A null pointer is ignored."""
    if not id.null:
        id.store(TOOL)


@acl_api(HEADER, inert=True)
def mstxMemHeapRegister(domain: c.mstxDomainHandle_t, desc: c.const_mstxMemHeapDesc_t_p) -> c.new_mstxMemHeapHandle_t:
    """Describe a heap to a memory tool. The emulator has no memory tool, so the result is null."""
    return mstxMemHeapHandle_t()


@acl_api(HEADER, inert=True)
def mstxMemHeapUnregister(domain: c.mstxDomainHandle_t, heap: c.mstxMemHeapHandle_t) -> c.void_result:
    """Undo mstxMemHeapRegister. The emulator has no memory tool, so the call does nothing."""


@acl_api(HEADER, inert=True)
def mstxMemRegionsRegister(
    domain: c.mstxDomainHandle_t, desc: c.const_mstxMemRegionsRegisterBatch_t_p
) -> c.void_result:
    """Describe regions of a heap to a memory tool. The emulator has no memory tool, so the call does nothing."""


@acl_api(HEADER, inert=True)
def mstxMemRegionsUnregister(
    domain: c.mstxDomainHandle_t, desc: c.const_mstxMemRegionsUnregisterBatch_t_p
) -> c.void_result:
    """Undo mstxMemRegionsRegister. The emulator has no memory tool, so the call does nothing."""


@acl_api(HEADER, inert=True)
def mstxMemPermissionsAssign(
    domain: c.mstxDomainHandle_t, desc: c.const_mstxMemPermissionsAssignBatch_t_p
) -> c.void_result:
    """Describe the permissions of regions to a memory tool. The emulator has none, so the call does nothing."""


def _accepted(text: str | None) -> bool:
    return bool(text) and not str(text).startswith(FORBIDDEN)


def _name_of(domain: int) -> str | None:
    """The name of a live domain; None for any other handle."""
    live_domain = current().handles.find(domain, Domain)
    return live_domain.name if live_domain is not None else None


def _mark(domain: str | None, message: str | None, stream: int) -> None:
    if domain is None or not _accepted(message):
        return
    if stream:
        _in_stream(f"mark {message!r}", stream)
    mark(str(message), domain)


def _begin(domain: str | None, message: str | None, stream: int) -> int:
    if domain is None or not _accepted(message):
        return 0
    if stream:
        _in_stream(f"start of range {message!r}", stream)
    return begin(str(message), domain, stream).id


def _end(domain: str | None, id: int) -> None:
    ended = finish(id, domain) if domain is not None else None
    if ended is not None and ended.stream and current().handles.find(ended.stream, Stream) is not None:
        _in_stream(f"end of range {ended.message!r}", ended.stream)


def _in_stream(name: str, stream: int) -> None:
    """Queue a mark in a stream. mstx functions return no status, so a dead handle is a finding."""
    machine = current()
    live_stream = machine.handles.find(stream, Stream)
    if live_stream is None:
        place, history = machine.handles.describe(stream)
        text = Text("{parameter} is no live {kind}: {where}.", parameter="stream", kind=Stream.kind, where=place)
        hint = Text("Mark in a stream while it lives, or pass null.")
        machine.crash("dead-handle", text, *history, status=ACL_ERROR_RT_PARAM_INVALID, hint=hint)
    mark_in_stream(name, stream, "Marking in a stream")

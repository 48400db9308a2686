"""How a function of the API fails in real life: with which status most likely, with which text."""

from typing import Final

from acl_runtime.abi.function import CFunction
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import (
    ACL_ERROR_BAD_ALLOC,
    ACL_ERROR_FAILURE,
    ACL_ERROR_FEATURE_UNSUPPORTED,
    ACL_ERROR_HOST_MEMORY_NOT_REGISTERED,
    ACL_ERROR_INTERNAL_ERROR,
    ACL_ERROR_INVALID_PARAM,
    ACL_ERROR_RT_AICORE_EXCEPTION,
    ACL_ERROR_RT_AICORE_TIMEOUT,
    ACL_ERROR_RT_CONTEXT_NULL,
    ACL_ERROR_RT_CONTEXT_RELEASE_ERROR,
    ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
    ACL_ERROR_RT_INTERNAL_ERROR,
    ACL_ERROR_RT_INVALID_DEVICEID,
    ACL_ERROR_RT_INVALID_HANDLE,
    ACL_ERROR_RT_MEMORY_ALLOCATION,
    ACL_ERROR_RT_NO_DEVICE,
    ACL_ERROR_RT_NO_EVENT_RESOURCE,
    ACL_ERROR_RT_NO_STREAM_RESOURCE,
    ACL_ERROR_RT_PARAM_INVALID,
    ACL_ERROR_RT_REPORT_TIMEOUT,
    ACL_ERROR_RT_STREAM_CONTEXT,
    ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
    ACLNN_ERR_INNER_NULLPTR,
    ACLNN_ERR_PARAM_INVALID,
    ACLNN_ERR_PARAM_NULLPTR,
    ACLNN_ERR_RUNTIME_ERROR,
    Status,
    name_of,
)

BY_NAME: Final = (
    ("aclrtMalloc*", ACL_ERROR_RT_MEMORY_ALLOCATION),
    ("aclrtCreateStream*", ACL_ERROR_RT_NO_STREAM_RESOURCE),
    ("aclrtCreateContext", ACL_ERROR_RT_NO_STREAM_RESOURCE),
    ("aclrtCreateEvent*", ACL_ERROR_RT_NO_EVENT_RESOURCE),
    ("aclrtSynchronize*", ACL_ERROR_RT_AICORE_EXCEPTION),
    ("aclrtFree*WithDevSync", ACL_ERROR_RT_AICORE_EXCEPTION),
    ("aclrtStreamQuery", ACL_ERROR_RT_AICORE_EXCEPTION),
    ("aclrtQueryEvent*", ACL_ERROR_RT_AICORE_EXCEPTION),
    ("aclnn*GetWorkspaceSize", ACLNN_ERR_INNER_NULLPTR),
)
"""exhaustion where something is made, a failed task where something is waited for or asked, a step that cannot be
planned in a first phase"""
ELSE: Final = (
    ACLNN_ERR_RUNTIME_ERROR,
    ACL_ERROR_RT_MEMORY_ALLOCATION,
    ACL_ERROR_RT_NO_DEVICE,
    ACL_ERROR_RT_INTERNAL_ERROR,
    ACL_ERROR_RT_CONTEXT_RELEASE_ERROR,
    ACL_ERROR_HOST_MEMORY_NOT_REGISTERED,
    ACL_ERROR_RT_REPORT_TIMEOUT,
    ACL_ERROR_INTERNAL_ERROR,
    ACL_ERROR_FAILURE,
    ACL_ERROR_RT_PARAM_INVALID,
    ACL_ERROR_RT_INVALID_HANDLE,
    ACL_ERROR_RT_INVALID_DEVICEID,
    ACL_ERROR_RT_CONTEXT_NULL,
    ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
    ACL_ERROR_FEATURE_UNSUPPORTED,
    ACL_ERROR_INVALID_PARAM,
)
"""elsewhere the first of these that the function documents: what is nobody's fault before what a caller did wrong"""
FAILED_TASK: Final = (ACL_ERROR_RT_AICORE_TIMEOUT, ACL_ERROR_RT_AICORE_EXCEPTION, ACL_ERROR_RT_VECTOR_CORE_EXCEPTION)
"""what a call answers with that tells of a task which failed on a device"""
TELLING: Final = ("aclGetRecentErrMsg", "aclrtGetLastError", "aclrtPeekAtLastError", "aclrtDeviceTaskAbort")
"""those that tell of the failures of others, or always fail"""


def fallible(function: CFunction) -> bool:
    """Can it fail: has it a status, or a pointer that may be null, as its result?"""
    return function.name not in TELLING and (function.result.status or function.result.spelling.endswith("*"))


def likely(function: CFunction) -> int | None:
    """What it most likely fails with: a status that its help documents, or None if there is none. Who returns a pointer
    has no status; it then fails for want of host memory."""
    if not function.result.status:
        return ACL_ERROR_BAD_ALLOC
    from fnmatch import fnmatchcase  # late: only planned failures need it

    by_name = [status for pattern, status in BY_NAME if fnmatchcase(function.name, pattern)]
    return next((status for status in (*by_name, *ELSE) if status in function.statuses), None)


def queues(function: CFunction) -> bool:
    """Does it queue tasks that a device runs? Launches are told from waits by what they document: only they demand a
    stream of the current context. What the host runs cannot fail on a device."""
    names = {name for name, _ in function.parameters}
    launch = {ACL_ERROR_RT_STREAM_CONTEXT, ACL_ERROR_RT_AICORE_EXCEPTION} <= set(function.statuses)
    return "stream" in names and (launch or "executor" in names) and not function.name.startswith("aclrtLaunch")


def described(name: str, status: int, why: str) -> Item:
    """The text of a failure: the template of its status, then why."""
    failed = f"{name} failed with {Status(status)!r}."
    if status == ACL_ERROR_RT_MEMORY_ALLOCATION:
        return Item("EL0004", ("app",), f"({why})")
    if status in (ACL_ERROR_RT_NO_STREAM_RESOURCE, ACL_ERROR_RT_NO_EVENT_RESOURCE):
        return Item("EE1023", (name, why))
    if status in FAILED_TASK:
        return Item("EZ2001", (failed,), f"({why})")
    if status == ACLNN_ERR_RUNTIME_ERROR:
        return Item("EZ9903", (failed,), f"({why})")
    if status in (ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID):
        return Item("EZ1001", (failed,), f"({why})")
    if name_of(status).startswith("ACLNN"):
        return Item("EZ9999", (failed,), f"({why})")
    code = "EE9999" if status // 1000 in (107, 207, 507) else "EH9999"
    return Item(code, (failed,), f"({why})")

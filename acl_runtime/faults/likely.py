"""The status and the text with which an API function most likely fails in practice."""

from typing import Final

from acl_runtime.abi.function import CFunction
from acl_runtime.headers.hccl import HcclResult
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
    ACL_ERROR_RT_AICPU_EXCEPTION,
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
    ("acl*GetWorkspaceSize", ACLNN_ERR_INNER_NULLPTR),
)
"""a function that creates something has no resource left; a function that waits or queries returns the failure of a
task; a first phase fails to plan a step"""
COMMON: Final = (
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
    HcclResult.HCCL_E_TIMEOUT,
    HcclResult.HCCL_E_RUNTIME,
    HcclResult.HCCL_E_NOT_FOUND,
    HcclResult.HCCL_E_PARA,
    HcclResult.HCCL_E_NOT_SUPPORT,
    HcclResult.HCCL_E_PTR,
)
"""any other function fails with the first of these statuses that its help documents; failures of the system come
first, then mistakes of the caller"""
FAILED_TASK: Final = (
    ACL_ERROR_RT_AICORE_TIMEOUT,
    ACL_ERROR_RT_AICORE_EXCEPTION,
    ACL_ERROR_RT_AICPU_EXCEPTION,
    ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
)
"""the statuses by which a call returns the failure of a task"""
REPORTING: Final = ("aclGetRecentErrMsg", "aclrtGetLastError", "aclrtPeekAtLastError", "aclrtDeviceTaskAbort")
"""functions that return the failures of other calls, or that always fail"""

NO_TASK: Final = ("aclrtLaunch", "aclmdlRIExecute")
"""functions whose names begin so queue no task of their own that a device runs"""


POINTERS: Final = ("aclrtBinary", "aclrtAllocatorDesc")
"""types of results that are pointers, although their names do not say so"""


def fallible(function: CFunction) -> bool:
    """True if the function can fail: its result is a status, or a pointer, which may be null."""
    result = function.result
    is_pointer = result.spelling.endswith("*") or result.spelling in POINTERS
    return function.name not in REPORTING and (result.status or is_pointer)


def likely(function: CFunction) -> int | None:
    """The likeliest status of a failure, among those in the help of the function; None if the help has none. For a
    function that returns a pointer: exhausted host memory."""
    if not function.result.status:
        return ACL_ERROR_BAD_ALLOC
    from fnmatch import fnmatchcase  # late: only planned failures need it

    by_name = [status for pattern, status in BY_NAME if fnmatchcase(function.name, pattern)]
    return next((status for status in (*by_name, *COMMON) if status in function.statuses), None)


def queues(function: CFunction) -> bool:
    """True if the function queues tasks that a device runs. The documented statuses distinguish launches from waits:
    only launches demand a stream of the current context. All functions of HCCL that take a stream are launches. A host
    function (aclrtLaunch...) runs on the host, so it cannot fail on a device. The tasks of a model are those of the
    calls that were captured."""
    names = {name for name, _ in function.parameters}
    launch = {ACL_ERROR_RT_STREAM_CONTEXT, ACL_ERROR_RT_AICORE_EXCEPTION} <= set(function.statuses)
    launch = launch or function.header.startswith("hccl/")
    return "stream" in names and (launch or "executor" in names) and not function.name.startswith(NO_TASK)


def described(name: str, status: int, why: str) -> Item:
    """The text of a failure: the template of its status, then the reason."""
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

"""What a program does about each status that a function here returns, and what the families of numbers stand for."""

from typing import Final

import acl_runtime.statuses as _s

FAMILIES: Final = {
    0: "success",
    100: "the ACL layer refused the call: a mistake of the host program",
    107: "the runtime refused the call: a mistake of the host program",
    145: "the graph engine refused the call: a mistake of the host program",
    148: "profiling, operators or models refused the call: a mistake of the host program",
    161: "an aclnn operator refused its arguments: a mistake of the host program",
    200: "the ACL layer: memory, or a feature that is not offered",
    207: "the runtime: resources are exhausted, or a feature is not offered",
    245: "the graph engine: memory",
    300: "the ACL layer: a limit was exceeded",
    345: "the graph engine: while it ran",
    361: "an aclnn operator: a call of the runtime failed inside it",
    500: "the ACL layer, the runtime or the driver: an inner failure",
    507: "the runtime: an inner failure, or one of the device",
    545: "the graph engine: an inner failure",
    561: "an aclnn operator: an inner failure",
}
"""by the thousands of a status"""

_TEXT: Final = (
    "Read aclGetRecentErrMsg in the thread that called: it names the parameter, what it was and what is allowed."
)
_TASK: Final = "The call that returns it did nothing wrong: aclGetRecentErrMsg names the task that failed."

REMEDIES: Final = {
    _s.ACL_SUCCESS: "Nothing. (Of an asynchronous call it only means that the work was queued.)",
    _s.ACL_ERROR_INVALID_PARAM: _TEXT,
    _s.ACL_ERROR_REPEAT_INITIALIZE: "Nothing, or call aclInit in one place only.",
    _s.ACL_ERROR_INVALID_FILE: "Check the path given to aclInit, and that the file may be read.",
    _s.ACL_ERROR_PARSE_FILE: "Make the file given to aclInit valid JSON.",
    _s.ACL_ERROR_INVALID_DUMP_CONFIG: "Correct the dump section of the file given to aclInit.",
    _s.ACL_ERROR_REPEAT_FINALIZE: "Call aclFinalize once, at the end of the program.",
    _s.ACL_ERROR_RT_PARAM_INVALID: f"{_TEXT} Check the kind of a copy, sizes, and that the address is still allocated.",
    _s.ACL_ERROR_RT_INVALID_DEVICEID: "Ask aclrtGetDeviceCount; ASCEND_RT_VISIBLE_DEVICES may hide devices.",
    _s.ACL_ERROR_RT_CONTEXT_NULL: "Call aclrtSetDevice or aclrtSetCurrentContext in each thread that calls the API.",
    _s.ACL_ERROR_RT_STREAM_CONTEXT: "Make the context current that the stream or event was created in.",
    _s.ACL_ERROR_RT_STREAM_MODEL: "Use a stream that is bound to no model.",
    _s.ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID: (
        "Create the event with ACL_EVENT_TIME_LINE, and synchronise it before its time is asked for."
    ),
    _s.ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL: "Give the start event first, and record it first.",
    _s.ACL_ERROR_RT_STREAM_SUBSCRIBE: "Pair each aclrtSubscribeReport of a stream with one aclrtUnSubscribeReport.",
    _s.ACL_ERROR_RT_THREAD_SUBSCRIBE: "Call aclrtProcessReport in the thread that the stream was subscribed for.",
    _s.ACL_ERROR_RT_STREAM_NO_CB_REG: "Call aclrtSubscribeReport for the stream before aclrtLaunchCallback.",
    _s.ACL_ERROR_RT_INVALID_MEMORY_TYPE: "Use one of the kinds of memory that the help of the function lists.",
    _s.ACL_ERROR_RT_INVALID_HANDLE: (
        "Use the handle before its object is destroyed; aclGetRecentErrMsg tells what became of it."
    ),
    _s.ACL_ERROR_RT_SYSPARAMOPT_NOT_SET: "Set the parameter before it is asked for.",
    _s.ACL_ERROR_RT_DEVICE_TASK_ABORT: "Reset the device before new work is queued.",
    _s.ACL_ERROR_RT_STREAM_ABORT: "Destroy the stream, and queue what was lost in a new one.",
    _s.ACL_ERROR_RT_STREAM_NOT_CAPTURED: "Use the flag only while the stream is being captured.",
    _s.ACL_ERROR_API_NOT_SUPPORT: "Do without: this emulator (and some products) do not offer it.",
    _s.ACL_ERROR_FEATURE_UNSUPPORTED: "Do without: the value asks for what no product offers.",
    _s.ACL_ERROR_RT_FEATURE_NOT_SUPPORT: (
        "Ask aclrtGetSocName, and use the feature only where the product has it; the error text tells which do."
    ),
    _s.ACL_ERROR_RT_MEMORY_ALLOCATION: (
        "Free what is not needed; the error text lists what lives by the line that allocated it. Handle this status: "
        "it also comes on a busy device."
    ),
    _s.ACL_ERROR_RT_NO_DEVICE: "Look at ASCEND_RT_VISIBLE_DEVICES, and on a host with NPUs at npu-smi info.",
    _s.ACL_ERROR_RT_RESOURCE_ALLOC_FAIL: "Destroy streams, events or contexts that are not needed.",
    _s.ACL_ERROR_RT_NO_EVENT_RESOURCE: "Destroy events that are not needed, and use the others again.",
    _s.ACL_ERROR_RT_NO_STREAM_RESOURCE: "Destroy streams that are not needed, and use the others again.",
    _s.ACL_ERROR_INTERNAL_ERROR: _TEXT,
    _s.ACL_ERROR_FAILURE: _TEXT,
    _s.ACL_ERROR_RT_INTERNAL_ERROR: "Record the event before its time is asked for; otherwise read aclGetRecentErrMsg.",
    _s.ACL_ERROR_RT_CONTEXT_RELEASE_ERROR: "Call aclrtResetDevice once for each aclrtSetDevice.",
    _s.ACL_ERROR_RT_REPORT_TIMEOUT: "Call aclrtProcessReport again: no callback was due.",
    _s.ACL_ERROR_RT_AICORE_TIMEOUT: f"{_TASK} Raise the limit with aclrtSetOpExecuteTimeOut, or give it less work.",
    _s.ACL_ERROR_RT_AICORE_EXCEPTION: _TASK,
    _s.ACL_ERROR_RT_AICPU_TIMEOUT: _TASK,
    _s.ACL_ERROR_RT_DEV_SETUP_ERROR: "On a host with NPUs: see npu-smi info, and what other processes do there.",
    _s.ACL_ERROR_RT_VECTOR_CORE_EXCEPTION: _TASK,
    _s.ACL_ERROR_RT_STREAM_SYNC_TIMEOUT: (
        "Wait longer, or look for what the work waits for: an event that nobody records, a callback that nobody serves."
    ),
    _s.ACL_ERROR_RT_EVENT_SYNC_TIMEOUT: f"{_TASK} Record the event that it waited for.",
    _s.ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED: "Unregister the memory first, or register it once.",
    _s.ACL_ERROR_HOST_MEMORY_NOT_REGISTERED: "Give the address that aclrtHostRegister was given.",
    _s.ACLNN_ERR_PARAM_NULLPTR: (
        f"{_TEXT} Look at the status of what should have made the object: a failed aclCreateTensor returns null."
    ),
    _s.ACLNN_ERR_PARAM_INVALID: f"{_TEXT} `aclnn explain OPERATOR` lists the checks in their order.",
    _s.ACLNN_ERR_RUNTIME_ERROR: "Call aclrtSetDevice in this thread, and see the first error of the text's trace.",
    _s.ACLNN_ERR_INNER: "Use a product that has the operator (`aclnn ops`); otherwise read aclGetRecentErrMsg.",
    _s.ACLNN_ERR_INNER_TILING_ERROR: "Give shapes and values that the kernel takes; the operator's page lists them.",
    _s.ACLNN_ERR_INNER_NULLPTR: (
        "Check strides, offset and storage of each tensor; the product may not have the operator (`aclnn ops`)."
    ),
}

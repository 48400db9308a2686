"""The remedy for each status, and the meaning of each family of statuses. A status that no function of the emulator
returns has the remedy of its group, or else of its family."""

from typing import Final

import acl_runtime.headers.statuses as _s

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
"""the layer that returns a status, by the thousands of the status"""

_TEXT: Final = (
    "Read aclGetRecentErrMsg in the thread that called: it names the parameter, what it was and what is allowed."
)
_TASK: Final = "The call that returns it did nothing wrong: aclGetRecentErrMsg names the task that failed."

REMEDIES: Final = {
    _s.ACL_SUCCESS: "Nothing. (Of an asynchronous call it only means that the work was queued.)",
    _s.ACL_ERROR_INVALID_PARAM: _TEXT,
    _s.ACL_ERROR_UNINITIALIZE: "Call aclInit first.",
    _s.ACL_ERROR_REPEAT_INITIALIZE: "Nothing, or call aclInit in one place only.",
    _s.ACL_ERROR_READ_MODEL_FAILURE: "Name a folder that is there.",
    _s.ACL_ERROR_OP_INPUT_NOT_MATCH: "Pass as many input buffers as aclopCreateHandle got descriptors.",
    _s.ACL_ERROR_OP_OUTPUT_NOT_MATCH: "Pass as many output buffers as aclopCreateHandle got descriptors.",
    _s.ACL_ERROR_OP_NOT_FOUND: (
        "Compile the single operator first (aclopCompile), with equal descriptors and attributes. Operators in files "
        "are not read."
    ),
    _s.ACL_ERROR_DUMP_NOT_RUN: "Call aclmdlInitDump first.",
    _s.ACL_ERROR_PROF_NOT_RUN: "Call aclprofInit first.",
    _s.ACL_ERROR_PROF_API_CONFLICT: "Stop the session that runs, then call again.",
    _s.ACL_ERROR_PROF_MODULES_UNSUPPORTED: "Give aclprofCreateConfig only switches ACL_PROF_... that exist.",
    _s.ACL_ERROR_GE_FAILURE: f"{_TEXT} Check that the stream is alive and of the current context.",
    _s.ACL_ERROR_GE_PARAM_INVALID: (
        "Put one data buffer into the data set for each input and output of the model, and give the memory that "
        "aclmdlQuerySize asks for."
    ),
    _s.ACL_ERROR_GE_EXEC_NOT_INIT: "Call aclInit before the first load of a model.",
    _s.ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID: (
        "Check the path. State the model in the test, or in a JSON file beside it (`aclnn docs models`)."
    ),
    _s.ACL_ERROR_GE_EXEC_MODEL_ID_INVALID: "Use the id that the load wrote, until aclmdlUnload.",
    _s.ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID: (
        "Check the content. State the model in the test by the begin of its content (`aclnn docs models`)."
    ),
    _s.ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID: (
        "Allocate the bytes that aclmdlGetInputSizeByIndex returns for ascend_mbatch_shape_data, and pass the sizes of "
        "all dimensions of all inputs."
    ),
    _s.ACL_ERROR_GE_DYNAMIC_BATCH_SIZE_INVALID: (
        "Choose sizes that the model was built for: aclmdlGetDynamicBatch, aclmdlGetDynamicHW or "
        "aclmdlGetInputDynamicDims lists them."
    ),
    _s.ACL_ERROR_STORAGE_OVER_LIMIT: "Build the model with at most 128 sizes and dimensions.",
    _s.ACL_ERROR_RT_KERNEL_DUPLICATE: "Register each host address for one kernel only.",
    _s.ACL_ERROR_INVALID_FILE: "Check the path given to aclInit, and that the file may be read.",
    _s.ACL_ERROR_PARSE_FILE: "Make the file given to aclInit valid JSON.",
    _s.ACL_ERROR_INVALID_DUMP_CONFIG: "Correct the dump section of the file given to aclInit.",
    _s.ACL_ERROR_REPEAT_FINALIZE: "Call aclFinalize once, at the end of the program.",
    _s.ACL_ERROR_RT_PARAM_INVALID: f"{_TEXT} Check the kind of a copy, sizes, and that the address is still allocated.",
    _s.ACL_ERROR_RT_INVALID_DEVICEID: "Call aclrtGetDeviceCount; ASCEND_RT_VISIBLE_DEVICES may hide devices.",
    _s.ACL_ERROR_RT_CONTEXT_NULL: "Call aclrtSetDevice or aclrtSetCurrentContext in each thread that calls the API.",
    _s.ACL_ERROR_RT_STREAM_CONTEXT: "Make the context current that the stream or event was created in.",
    _s.ACL_ERROR_RT_STREAM_MODEL: "Use a stream that is bound to no model; for the control tasks of a built model, one "
    "that is bound to it.",
    _s.ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID: (
        "Create the event with ACL_EVENT_TIME_LINE, and synchronise it before you query its time."
    ),
    _s.ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL: "Give the start event first, and record it first.",
    _s.ACL_ERROR_RT_STREAM_SUBSCRIBE: "Pair each aclrtSubscribeReport of a stream with one aclrtUnSubscribeReport.",
    _s.ACL_ERROR_RT_THREAD_SUBSCRIBE: "Call aclrtProcessReport in the thread that the stream was subscribed for.",
    _s.ACL_ERROR_RT_STREAM_NO_CB_REG: "Call aclrtSubscribeReport for the stream before aclrtLaunchCallback.",
    _s.ACL_ERROR_RT_INVALID_MEMORY_TYPE: "Use one of the kinds of memory that the help of the function lists.",
    _s.ACL_ERROR_RT_INVALID_HANDLE: (
        "Use the handle before its object is destroyed; aclGetRecentErrMsg shows where it ended."
    ),
    _s.ACL_ERROR_RT_SYSPARAMOPT_NOT_SET: "Set the parameter before you query it.",
    _s.ACL_ERROR_RT_DEVICE_TASK_ABORT: "Reset the device before new work is queued.",
    _s.ACL_ERROR_RT_STREAM_ABORT: "Destroy the stream, and queue what was lost in a new one.",
    _s.ACL_ERROR_RT_STREAM_NOT_CAPTURED: "Use the flag only while the stream is being captured.",
    _s.ACL_ERROR_RT_MODEL_CONTEXT: "Make the context current that the model belongs to.",
    _s.ACL_ERROR_RT_CAPTURE_DEPENDENCY: (
        "Record the event inside the capture, or wait for it before the capture begins. For work outside of the model "
        "use an event with ACL_EVENT_EXTERNAL."
    ),
    _s.ACL_ERROR_RT_STREAM_UNJOINED: (
        "Record an event behind the last task of each stream that joined the capture, and let the first stream "
        "wait for it before aclmdlRICaptureEnd."
    ),
    _s.ACL_ERROR_RT_MODEL_CAPTURED: "End the capture of the model, or use a model of its own for each capture.",
    _s.ACL_ERROR_RT_STREAM_CAPTURED: (
        "Make the call before the capture begins or after it ends; the text names the line that began it."
    ),
    _s.ACL_ERROR_RT_EVENT_CAPTURED: "Query or synchronise an event that is recorded outside of the capture.",
    _s.ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT: (
        "Make the call before or after the capture, or begin the capture with ACL_MODEL_RI_CAPTURE_MODE_RELAXED."
    ),
    _s.ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT: "Use a stream of aclrtCreateStream instead of the default stream.",
    _s.ACL_ERROR_RT_SYMBOL_NOT_FOUND: "Ask for a global variable that the binary defines; `nm` lists its symbols.",
    _s.ACL_ERROR_RT_INVALID_SYMBOL: "Pass the host address of a variable that a kernel file defines.",
    _s.ACL_ERROR_RT_INVALID_DEVICE_FUNCTION: "Pass an address that rtFunctionRegister has registered.",
    _s.ACL_ERROR_STREAM_CAPTURE_CONFLICT: "Let streams of one capture wait for events of the same capture only.",
    _s.ACL_ERROR_STREAM_TASK_GROUP_STATUS: "Pair each begin of a task group with one end, inside of the capture.",
    _s.ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED: "End the capture with the stream that began it; the text names it.",
    _s.ACL_ERROR_RT_MODEL_RUNNING: "Synchronise the stream that executes the model, then call again.",
    _s.ACL_ERROR_INVALID_MODEL_ID: "Pass the id of a model that is loaded and not unloaded.",
    _s.ACL_ERROR_RT_MODEL_EXECUTE: "End the building of the model (aclmdlRIBuildEnd) before you execute it.",
    _s.ACL_ERROR_RT_LABEL_CONTEXT: "Make the context current that the label was created in.",
    _s.ACL_ERROR_RT_MODEL_UPDATE_FAILED: "End the capture of the model, synchronise the stream that runs it, then "
    "call again.",
    _s.ACL_ERROR_RT_NO_PERMISSION: "Let the other process name this one (aclrtMemSetPidToShareableHandle, "
    "aclrtIpcMemSetImportPid, aclrtNotifySetImportPid), or export without a check of processes.",
    _s.ACL_ERROR_RT_QUEUE_EMPTY: "Call again later, or with a longer time-out: nothing has arrived.",
    _s.ACL_ERROR_RT_QUEUE_FULL: "Call again when the other side has taken a message, or create a larger queue.",
    _s.ACL_ERROR_SNAPSHOT_LOCK_FAILED: "Lock the process only once: unlock it first.",
    _s.ACL_ERROR_SNAPSHOT_UNLOCK_FAILED: "Lock the process first (aclrtSnapShotProcessLock).",
    _s.ACL_ERROR_SNAPSHOT_BACKUP_FAILED: "Lock the process before its backup, and back it up once for each lock.",
    _s.ACL_ERROR_SNAPSHOT_RESTORE_FAILED: "Back the process up before you restore it.",
    _s.ACL_ERROR_SNAPSHOT_CALLBACK_FAILED: "Let the callback return 0; its other results stop the snapshot.",
    _s.ACL_ERROR_SNAPSHOT_REGISTER_CALLBACK_FAILED: "Use a stage that the help of the function lists.",
    _s.ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD: (
        "End the capture in the thread that began it, or begin it with ACL_MODEL_RI_CAPTURE_MODE_RELAXED."
    ),
    _s.ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY: (
        "Pass a larger array: a call with a null array returns the number of elements."
    ),
    _s.ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC: (
        "Use pinned memory of aclrtMallocHost, so that the copy does not wait; or copy before or after the capture."
    ),
    _s.ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT: (
        "Queue only operators between aclmdlRICaptureTaskGrpBegin and aclmdlRICaptureTaskGrpEnd."
    ),
    _s.ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING: (
        "End the capture of the body (aclmdlRICaptureEnd) before that of the model around it."
    ),
    _s.ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED: (
        "Find the call that invalidated the capture, which the text names; end this capture, and begin another one."
    ),
    _s.ACL_ERROR_API_NOT_SUPPORT: "Do without it: this emulator, like some products, does not support it.",
    _s.ACL_ERROR_FEATURE_UNSUPPORTED: "Use another value: no product supports this one.",
    _s.ACL_ERROR_RT_FEATURE_NOT_SUPPORT: (
        "Call aclrtGetSocName, and use the feature only on products that have it; the error text names them."
    ),
    _s.ACL_ERROR_RT_MEMORY_ALLOCATION: (
        "Free what is not needed; the error text lists what lives by the line that allocated it. Handle this status: "
        "it also comes on a busy device."
    ),
    _s.ACL_ERROR_RT_NO_DEVICE: "Look at ASCEND_RT_VISIBLE_DEVICES, and on a host with NPUs at npu-smi info.",
    _s.ACL_ERROR_RT_RESOURCE_ALLOC_FAIL: "Destroy streams, events or contexts that are not needed.",
    _s.ACL_ERROR_RT_NO_EVENT_RESOURCE: "Destroy events that are not needed, and use the others again.",
    _s.ACL_ERROR_RT_NO_STREAM_RESOURCE: "Destroy streams that are not needed, and use the others again.",
    _s.ACL_ERROR_RT_NO_NOTIFY_RESOURCE: "Destroy notifies that are not needed, and use the others again.",
    _s.ACL_ERROR_INTERNAL_ERROR: _TEXT,
    _s.ACL_ERROR_FAILURE: _TEXT,
    _s.ACL_ERROR_RT_INTERNAL_ERROR: "Record the event before you query its time; otherwise read aclGetRecentErrMsg.",
    _s.ACL_ERROR_RT_CONTEXT_RELEASE_ERROR: "Call aclrtResetDevice once for each aclrtSetDevice.",
    _s.ACL_ERROR_RT_REPORT_TIMEOUT: "Call aclrtProcessReport again: no callback was due.",
    _s.ACL_ERROR_RT_AICORE_TIMEOUT: f"{_TASK} Raise the limit with aclrtSetOpExecuteTimeOut, or give it less work.",
    _s.ACL_ERROR_RT_AICORE_EXCEPTION: _TASK,
    _s.ACL_ERROR_RT_AICPU_EXCEPTION: _TASK,
    _s.ACL_ERROR_RT_AICPU_TIMEOUT: _TASK,
    _s.ACL_ERROR_RT_DEV_SETUP_ERROR: "On a host with NPUs: see npu-smi info, and what other processes do there.",
    _s.ACL_ERROR_RT_VECTOR_CORE_EXCEPTION: _TASK,
    _s.ACL_ERROR_RT_FFTS_PLUS_TIMEOUT: "Find the rank that did not come or has other arguments; the text names it.",
    _s.ACL_ERROR_RT_STREAM_SYNC_TIMEOUT: (
        "Wait longer, or find what the work waits for: an event that is not recorded, a callback that no thread serves."
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
    _s.ACLNN_ERR_INNER_TILING_ERROR: (
        "Give shapes, formats and attributes that the kernel takes; the operator's page lists them. The lines of the "
        "log "
        'before "Tiling failed" name the one that it refuses.'
    ),
    _s.ACLNN_ERR_INNER_FIND_KERNEL_ERROR: (
        "Give the operator a kernel of your own: `aclnn docs my-operator-is-missing`. `aclnn ops` counts those without."
    ),
    _s.ACLNN_ERR_INNER_NULLPTR: (
        "Check the shape of each output, and strides, offset and storage of each tensor; the product may not have the "
        'operator (`aclnn ops`). On a host with NPUs the log has two other causes. "AclOpKernelInit failed": '
        'no operator package for this chip. "Tiling failed": a shape or an attribute that the kernel refuses.'
    ),
}

_MODEL: Final = (
    "Check the model file, and what the program passes to the model: number, sizes and shapes of inputs and outputs."
)
_SINGLE: Final = (
    "Check the description of the single operator: its type, its attributes, and number, data types, formats and "
    "shapes of inputs and outputs."
)
_AIPP: Final = "Compare the image preprocessing (AIPP) that the model was built with and the one that the program sets."
_PROFILING: Final = "Check the profiling configuration and the order of the calls; use one way of profiling at a time."
_DUMP: Final = "Check the dump configuration and the order of the calls: initialise, set, finalise, each once."
_CAPTURE: Final = (
    "Check the calls between begin and end of the capture: which stream began it, which streams joined it through "
    "events, and in which thread and mode."
)
_SNAPSHOT: Final = "Keep the order of a snapshot: lock, back up, restore, unlock; a callback that fails stops it."
_PACKAGE: Final = (
    "Install the operator package that fits product and CANN version, and source its set_env.sh. This emulator needs "
    "no operator package."
)
_KERNEL: Final = (
    "The mistake is in the kernel or its description, not in the host program: build and install the operator again."
)
_BINARY: Final = "Compare the name with those in the kernel binary, and load the binary once, before the launch."
_OVERFLOW: Final = "Check the values for infinity and NaN, and the data type for its range; FLOAT16 ends at 65504."
_CORE: Final = (
    f"{_TASK} Usual causes are memory freed too early, a tensor that describes more memory than there is, and an index "
    "out of range. Run the program here: the finding names the line."
)
_SLOW: Final = f"{_TASK} Raise the limit, give it less work, or find out why it waits."
_HARDWARE: Final = (
    "The cause lies in the device, not in the call; this emulator has no such failure. On a host with NPUs look at "
    "npu-smi info and the logs of the device; if it comes again, the machine needs service."
)
_DRIVER: Final = (
    "The cause lies inside the runtime, the driver or the firmware, and the number alone does not name it. On a host "
    "with NPUs read the first ERROR of the log (~/ascend/log), and check that driver, firmware and CANN fit together."
)
_GRAPH: Final = (
    "The cause lies inside the graph engine, and the number alone does not name it. Read the first ERROR of the log "
    "(~/ascend/log). This emulator has no graph engine."
)
_WAIT: Final = "Wait longer, or find what the work waits for."
_FREE: Final = "Release what is not needed any more, and handle this status: it also comes on a busy device."
_IDS: Final = "Destroy those that are not needed, and use the others again."
_ONCE: Final = "Do it only once, or check first whether it is done."
_QUEUE: Final = "Check the id of the queue, and its order of calls: create it, use it, destroy it."
_GROUP: Final = "Create the device group, and set it in each thread that uses it."
_FILE: Final = "Check the path, the permissions and the free space of the disk."

SHARED: Final = {
    "Call aclInit first.": (100001,),
    _FILE: (100004, 100005, 107009, 107010),
    _MODEL: (
        100007, 100008, *range(100011, 100020), 107004, 145007, 145009, 145011,
        148053, 507005, 507011, 507023, *range(545001, 545007), 545009,
    ),
    _SINGLE: (*range(100020, 100029), 100030, 145017, 145018, 145020, 145021, 145022, 148048, 148050),
    _AIPP: (100038, 145014, 145015, 145016),
    _PROFILING: (100010, 100042, 148046, 200007, 500005, 507021),
    _DUMP: (100044, 100045),
    _BINARY: (100029, 100031, *range(107042, 107045), 507024, 507027, 507028),
    _QUEUE: (100032, 145008),
    "Pair each subscription of a stream or thread with one end of it.": (100033, 100034, 100035),
    "Call again: no callback was due.": (100036,),
    "Run the program with the libraries of the runtime, not with those that only serve compiling.": (100039,),
    _GROUP: (100040, 100041, 107013, 107014),
    "Align the address as the help of the function demands; aclrtMalloc aligns to 512 bytes.": (107008, 200003, 345104),
    "Use one of the kinds that the help of the function lists.": (107018,),
    _WAIT: (107019, 207020),
    _SLOW: (107020, 507034, 507915, 545601),
    _CAPTURE: (*range(107024, 107029), 107030, 107031, 107032, 107033, 107034, 107036, 107038, 107041, 507903),
    "Reset the device or destroy the stream, then queue the lost work again.": (107035,),
    "Synchronise the stream that runs the model, then call again.": (107037, 107040),
    "Pass an array that is large enough for all elements that the call writes.": (107039,),
    "Give the operator a kernel: a function of numpy arrays under `@aclnn.kernel` or in `machine.kernels` "
    "(`aclnn docs my-operator-is-missing`).": (561003,),
    _PACKAGE: (145019, 148049, 561107, 561112),
    "Destroy what depends on it first.": (148051,),
    "Give a JPEG image of the kind that the product decodes.": (148052,),
    _FREE: (200000, 207012, 207018, 245000, 561101),
    "Call aclrtGetDeviceCount; ASCEND_RT_VISIBLE_DEVICES may hide devices.": (200002,),
    "Use objects of one device and one context together.": (200004, 507031),
    "Use the handle before its object is destroyed.": (200005,),
    "Free each address once, with the function that belongs to its allocation.": (207002,),
    _OVERFLOW: (207003, 207016, 207017),
    "Run as a user who may use the device; another process or container may own it.": (207006,),
    _IDS: (207010, 207011, 507032),
    "Try again later: nothing has arrived.": (207013, 507026),
    "Try again when the other side has read something.": (207014, 507002),
    _ONCE: (207015,),
    "Do without it: this operator, task, chip or product does not support it.": (207019, 207021, 507009),
    "Compare the chip, which npu-smi info shows, with the chip that program and packages were built for.": (507008,),
    _GRAPH: (500002,),
    "Look for the mistake in your function that the graph calls.": (345103,),
    "Queue work first.": (507003,),
    "Call aclrtSynchronizeStream or aclrtSynchronizeEvent before.": (507004, 507006),
    _CORE: (507016, 507018, 507036, *range(507042, 507046), 507049, 507050, 507916),
    _HARDWARE: (
        345102, 507001, 507010, 507013, 507037, *range(507038, 507042), *range(507051, 507058), 507904, 507914
    ),
    _SNAPSHOT: (*range(507905, 507910), 507912, 507913),
    "Try again later: the model is not there at the moment.": (545602,),
    "Give shapes and attributes that the operator takes; its page lists them.": (561001,),
    _KERNEL: (561104, 561105, 561106, *range(561108, 561112), *range(561113, 561120)),
    "Nothing: this status is seen in logs only.": (561102,),
}  # fmt: skip
"""the statuses that share a remedy, by remedy"""

_BY_FAMILY: Final = {
    100: _TEXT, 107: _TEXT, 145: f"{_TEXT} {_MODEL}", 148: _TEXT, 161: _TEXT, 200: _TEXT, 207: _TEXT, 245: _FREE,
    300: _FREE, 345: _GRAPH, 361: _TEXT, 500: _DRIVER, 507: _DRIVER, 545: _GRAPH, 561: f"{_TEXT} {_PACKAGE}",
}  # fmt: skip
"""the remedy if nothing more precise is known, by the thousands of a status"""


def remedy(value: int) -> str:
    """The remedy for a status: its own remedy, else the remedy of its group, else of its family."""
    if value in REMEDIES:
        return REMEDIES[value]
    return next((text for text, statuses in SHARED.items() if value in statuses), "") or _BY_FAMILY[value // 1000]

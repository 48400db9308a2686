"""The catalogue of findings: each mistake with its level, its consequence on a device, and the right way.

The pages of docs/findings and the hints of the findings are made from this list. A fix that names Python objects has a
second text for programs in C and C++. A row of level `status` explains a mistake that a documented status reports; such
a mistake is not recorded as a finding.
"""

from typing import Final, NamedTuple

from acl_runtime.errors import Fix, Level


class FindingKind(NamedTuple):
    """A mistake of the host code."""

    id: str
    """stable: users filter by it"""
    level: Level
    what: str
    """the mistake of the host code"""
    why: str
    """the consequence on a device"""
    fix: str
    """the advice: the right way to do it"""
    fix_in_c: str = ""
    """the advice for C and C++, where it differs"""

    @property
    def fixes(self) -> Fix:
        """The advice by language."""
        return Fix(self.fix, self.fix_in_c or self.fix)


CATALOGUE: Final = (
    FindingKind(
        "ws-freed-early", "error", "A workspace is freed before its operator has finished.",
        "aclrtFree does not wait. The operator goes on in memory that the next aclrtMalloc may hand out: results are "
        "wrong somewhere else, or a later synchronise returns a device fault.",
        "Call aclrtSynchronizeStream before aclrtFree, or free with aclrtFreeWithDevSync.",
    ),
    FindingKind(
        "io-freed-early", "error", "A tensor's memory is freed while a queued task still reads or writes it.",
        "aclrtFree does not wait. The task reads what the next owner wrote, or overwrites it.",
        "Call aclrtSynchronizeStream before aclrtFree, or free with aclrtFreeWithDevSync.",
    ),
    FindingKind(
        "read-before-sync", "error", "The host reads a result before it has waited for the stream that writes it.",
        "aclrtMemcpy acts at once and waits for no stream: it copies old data, and no status says so.",
        "Call aclrtSynchronizeStream (or wait for an event recorded behind the task) before the copy.",
    ),
    FindingKind(
        "pinned-reuse", "error", "Pinned host memory is changed or freed before the copy that uses it has run.",
        "The device reads or writes host memory when the stream gets there, not when aclrtMemcpyAsync returns.",
        "Call aclrtSynchronizeStream, or wait for an event recorded behind the copy, before the buffer is used again.",
    ),
    FindingKind(
        "xstream-race", "error", "Two streams, or a stream and the host, use the same bytes in no defined order.",
        "Streams run at the same time. Which access comes first depends on load: results change from run to run.",
        "Record an event behind the first access (aclrtRecordEvent) and let the other stream wait for it "
        "(aclrtStreamWaitEvent), or synchronise the first stream.",
    ),
    FindingKind(
        "ws-shared", "error", "Two operators that may run at the same time use one workspace.",
        "Each overwrites the intermediates of the other; no status says so.",
        "Give each stream its own workspace, or order the operators with an event.",
    ),
    FindingKind(
        "exec-reused", "error", "An executor is launched a second time.",
        "The first launch freed it: the second works on memory that belongs to another call.",
        "Call the first phase again for each launch, or aclSetAclOpExecutorRepeatable between the phases.",
    ),
    FindingKind(
        "exec-destroy-after-run", "error", "An executor is destroyed after its launch used it up.",
        "It is freed a second time, which corrupts the heap of the process.",
        "Destroy an executor only once, and only if it was never launched or is repeatable.",
    ),
    FindingKind(
        "exec-leaked", "warning", "A first phase has neither a second phase nor aclDestroyAclOpExecutor.",
        "The executor stays for the life of the process.",
        "Launch it, or call aclDestroyAclOpExecutor.",
    ),
    FindingKind(
        "repeat-late", "warning",
        "aclSetAclOpExecutorRepeatable is called after another first phase, or in another thread.",
        "The executor keeps the tensors of the thread's last first phase. After a late call these belong to another "
        "operator.",
        "Call it directly after the first phase, on the same thread, before any other first phase there.",
    ),
    FindingKind(
        "repeat-not-destroyed", "warning", "A repeatable executor is never destroyed.",
        "No launch frees it: it stays for the life of the process.",
        "Call aclDestroyAclOpExecutor after its last launch, before its tensors are destroyed.",
    ),
    FindingKind(
        "exec-wrong-op", "error", "An executor is launched by another operator than the one that planned it.",
        "The executor holds the plan of the other operator: the result is undefined.",
        "Launch each executor with its own operator.",
    ),
    FindingKind(
        "exec-twin", "advice",
        "An executor is launched by the form in place of its operator, or the reverse.",
        "It runs as it was planned: the name of the second phase does not matter here. For other operators it does.",
        "Launch each executor with its own operator.",
    ),
    FindingKind(
        "exec-failed-phase1", "error", "A second phase gets the executor of a first phase that failed.",
        "The variable still holds its old value, often garbage: the process crashes. (A null executor is "
        "ACLNN_ERR_PARAM_NULLPTR, 161001.)",
        "Check the status of the first phase, and start executor variables as null.",
    ),
    FindingKind(
        "exec-cross-thread", "error", "Two threads use one executor at the same time.",
        "Executors take memory from pools of their thread and have no lock: they are corrupted.",
        "Let one thread use an executor at a time; hand it over only between calls.",
    ),
    FindingKind(
        "ws-null", "status", "The workspace is null though its size is not 0.",
        "ACLNN_ERR_PARAM_NULLPTR (161001); the executor of most operators is destroyed by the failing call.",
        "Allocate the size that the first phase reported, and plan again after the failure.",
    ),
    FindingKind(
        "ws-small", "error", "The workspace is smaller than the first phase asked for.",
        "Most operators do not check the size: they write past the end, over the neighbours. (Generated operators "
        "such as aclnnCrossEntropyLossGrad answer a workspaceSize that is too small with ACLNN_ERR_PARAM_INVALID, "
        "161002.)",
        "Allocate and pass the size that the first phase reported.",
    ),
    FindingKind(
        "ws-host-ptr", "error", "A workspace or a tensor's data lies in host memory.",
        "A device cannot reach it: the task faults (507015 or 507035) at a later synchronise.",
        "Allocate with aclrtMalloc, and copy with aclrtMemcpy.",
    ),
    FindingKind(
        "ws-foreign", "error", "A workspace or a tensor's data lies on another device than the stream.",
        "The task faults at a later synchronise.",
        "Allocate while a context of the stream's device is current.",
    ),
    FindingKind(
        "tensor-destroyed-early", "error",
        "A tensor is destroyed between the phases, or before the repeatable executor that uses it.",
        "The executor keeps pointers to its tensors and reads freed memory.",
        "Keep tensors until the second phase has returned; destroy a repeatable executor before its tensors.",
    ),
    FindingKind(
        "tensor-double-destroy", "error", "A tensor, scalar, array or list is destroyed twice.",
        "Its memory is freed twice, which corrupts the heap of the process.",
        "Destroy each object once; aclDestroyTensorList destroys the members as well.",
    ),
    FindingKind(
        "tensor-leaked", "warning", "A tensor, scalar, array or list is never destroyed.",
        "It stays for the life of the process; in a loop, that fills the memory of the host.",
        "Destroy it after the second phase has returned, with the function of its kind: aclDestroyTensor, "
        "aclDestroyScalar, aclDestroyIntArray, aclDestroyTensorList and so on.",
    ),
    FindingKind(
        "unmapped-access", "error", "A call uses virtual memory to which nothing is mapped.",
        "Reserved addresses have no memory. The task ends in a fault of the device, which a later synchronise returns.",
        "Map physical memory to the whole range before it is used (aclrtMapMem), and allow the device to access it "
        "(aclrtMemSetAccess) after aclrtMemMapNoAccess.",
    ),
    FindingKind(
        "data-freed-under-tensor", "error", "The memory behind a tensor is gone when its operator is launched.",
        "The operator works on memory that is free, or that another allocation has by now.",
        "Free device memory after the stream has finished with it.",
    ),
    FindingKind(
        "view-exceeds-storage", "error", "A tensor's view reaches bytes outside of its storage.",
        "The operator reads or overwrites what lies beside it, or faults (507015 or 507035).",
        "Make storageDims as large as offset + sum((dim - 1) * stride) + 1 elements, or correct the view.",
    ),
    FindingKind(
        "storage-exceeds-alloc", "error", "A tensor's storage is larger than the memory behind it.",
        "The operator reads or overwrites the neighbours, or faults (507015 or 507035).",
        "Allocate storageDims times the size of an element, in bytes.",
    ),
    FindingKind(
        "misaligned", "warning", "A tensor's data or a workspace does not start at a multiple of 32 bytes.",
        "Kernels move blocks of 32 bytes: results are undefined, or the launch fails with 107008.",
        "Start tensors at multiples of 32 bytes (aclrtMalloc's are), and reach inside with the offset.",
    ),
    FindingKind(
        "neg-stride-offset", "advice", "A tensor has a negative stride or offset.",
        "The documents demand that both are 0 or more; what a kernel does with it is not defined.",
        "Give strides and offsets that are not negative; copy the data in the order that is wanted.",
    ),
    FindingKind(
        "alias-overlap", "error", "An output shares some of its bytes with an input, or with another output.",
        "Kernels write while they read: parts of the input are overwritten before they were read.",
        "Use exactly the same view for both (in place), or give the output memory of its own.",
    ),
    FindingKind(
        "out-self-overlap", "error", "Elements of an output share bytes with each other.",
        "Several results are written to one place, in any order.",
        "Give outputs strides that keep their elements apart: no stride 0, no overlapping windows.",
    ),
    FindingKind(
        "rebind-oob", "status", "aclSet...TensorAddr gets an index that the executor does not have.",
        "Generated operators: ACLNN_ERR_PARAM_INVALID (161002). Others do not look at the index.",
        "Count the tensors as the first phase did: inputs first, then outputs.",
    ),
    FindingKind(
        "null-required", "status", "A required pointer is null.",
        "ACLNN_ERR_PARAM_NULLPTR (161001) from the first phase.",
        "Pass the object; only optional and masked ones may be null.",
    ),
    FindingKind(
        "dtype-soc", "status", "The product has no kernel for a data type.",
        "ACLNN_ERR_PARAM_INVALID (161002) from the first phase.",
        "Use one of the types that the operator's page lists for the product.",
    ),
    FindingKind(
        "op-soc", "status", "The operator does not exist on the product.",
        "The status that the operator's page has for other products.",
        "See the products of the operator's page.",
    ),
    FindingKind(
        "shape-dim", "status", "A shape, rank or dimension does not fit.",
        "ACLNN_ERR_PARAM_INVALID (161002), for generated operators 561002.",
        "See the checks of the operator's page.",
    ),
    FindingKind(
        "index-range", "error", "An embedding index or a target lies outside of its range.",
        "The kernel reads or writes outside of the tensor: wrong data, or a fault (507015, 507018, 507035).",
        "Check indices on the host before they are copied to the device.",
    ),
    FindingKind(
        "value-limit", "status", "A parameter has a value that the documents exclude.",
        "The status of the operator's page.",
        "See the checks of the operator's page.",
    ),
    FindingKind(
        "uninit-read", "error", "An operator reads device memory that nothing was ever written to.",
        "It computes with whatever was left there: results change from run to run. (A copy of memory that nothing was "
        "ever written to is a warning.)",
        "Fill inputs with aclrtMemcpy or aclrtMemset before the launch, over their whole length.",
    ),
    FindingKind(
        "memcpy-size", "error", "A copy reaches past the end of a piece of device memory.",
        "It reads or overwrites the neighbours; no status says so. (A count beyond destMax is 107000.)",
        "Count bytes, and allocate as many.",
    ),
    FindingKind(
        "memcpy-elements", "warning", "A copy to the host counts the elements of the array, not its bytes.",
        "Only the first part of the array gets results; no status says so. The rest keeps what it held before.",
        "Pass the number of bytes, such as array.nbytes. For a part of the array, pass a slice of it: array[:n].",
        fix_in_c="Pass the number of bytes, such as n * sizeof(float). For a part, pass its bytes as destMax, too.",
    ),
    FindingKind(
        "memcpy-kind", "warning", "The kind of a copy does not fit the addresses.",
        "The driver finds the sides by itself on some products, and fails with 107000 or 507899 on others.",
        "Pass the kind that fits the two pointers, or ACL_MEMCPY_DEFAULT.",
    ),
    FindingKind(
        "memcpy-async-h2h", "status", "An asynchronous copy between two pieces of host memory.",
        "ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000).",
        "Copy with memmove, or aclrtMemcpy with ACL_MEMCPY_HOST_TO_HOST.",
    ),
    FindingKind(
        "pageable-async", "advice", "An asynchronous copy with plain host memory.",
        "It waits for the stream and copies before the call returns: nothing runs at the same time. Older documents do "
        "not promise that the call waits: then the buffer must live until the copy is over.",
        "Allocate the host side with aclrtMallocHost, and keep it until the stream was waited for.",
    ),
    FindingKind(
        "malloc-zero", "status", "An allocation of 0 bytes.",
        "ACL_ERROR_INVALID_PARAM (100000).",
        "Allocate nothing for an empty tensor or a workspace of 0 bytes, and pass null.",
    ),
    FindingKind(
        "bad-free", "status", "An address is freed that no allocation starts at.",
        "ACL_ERROR_RT_PARAM_INVALID (107000), where a device may crash. (Null is ACL_ERROR_INVALID_PARAM, 100000.)",
        "Free each allocation once, by the address that the allocator wrote, with the function that belongs to it.",
    ),
    FindingKind(
        "no-context", "status", "A call from a thread that has no current context.",
        "ACL_ERROR_RT_CONTEXT_NULL (107002).",
        "Call aclrtSetDevice or aclrtSetCurrentContext in each thread.",
    ),
    FindingKind(
        "wrong-context", "status", "A stream is used while another context is current.",
        "ACL_ERROR_RT_STREAM_CONTEXT (107003).",
        "Make the stream's context current with aclrtSetCurrentContext.",
    ),
    FindingKind(
        "dead-handle", "error", "A handle is used after its object was destroyed.",
        "Dead streams, events and contexts are refused (107017, 107003); dead objects of aclnn are freed memory.",
        "Destroy an object after its last use.",
    ),
    FindingKind(
        "event-misuse", "warning", "A stream waits for an event that was never recorded.",
        "The wait does nothing: later tasks of the stream may run before the work that they need.",
        "Call aclrtRecordEvent before aclrtStreamWaitEvent; remove the wait if there is nothing to wait for.",
    ),
    FindingKind(
        "event-reset-early", "error", "An event is reset while a stream may still wait for it.",
        "Undefined. If the reset runs before the wait, the stream waits for a record that is gone: for ever, or until "
        "the event is recorded again. It depends on load.",
        "Call aclrtResetEvent in the stream that waits, behind its aclrtStreamWaitEvent, or order the reset behind the "
        "wait with another event or a synchronise.",
    ),
    FindingKind(
        "destroy-pending-stream", "advice", "A stream is destroyed while it has work that was not waited for.",
        "aclrtDestroyStream waits for the work, but does not return its failures. Other ways to destroy the stream "
        "drop the work.",
        "Call aclrtSynchronizeStream, and check its status, before the stream is destroyed.",
    ),
    FindingKind(
        "order-teardown", "warning", "A stream, event or context is destroyed after its device was reset.",
        "The streams of the default context go away with it, events and other contexts stay behind: using or "
        "destroying any of them later fails with 107xxx.",
        "Destroy streams, events and contexts first, then call aclrtResetDevice, then aclFinalize.",
    ),
    FindingKind(
        "unsupported-product", "advice", "The program calls a function that is not documented for the product.",
        "The library accepts the call. That it works is neither documented nor tested. (Where the library "
        "refuses, the call answers ACL_ERROR_RT_FEATURE_NOT_SUPPORT, 207000; an operator answers with a status of its "
        "own.)",
        "Use a function that is documented for the product: the help of each function and the page of each operator "
        "list the products.",
    ),
    FindingKind(
        "init", "advice", "aclInit was never called.",
        "The runtime works without it, but without its configuration. (A second aclInit is "
        "ACL_ERROR_REPEAT_INITIALIZE, 100002.)",
        "Call aclInit before anything else, and aclFinalize at the end.",
    ),
    FindingKind(
        "finalize-pending", "warning", "aclFinalize is called while work is queued.",
        "The queued work may hang, or fail when no call reports it any more.",
        "Synchronise the streams, and reset the devices, before aclFinalize.",
    ),
    FindingKind(
        "ignored-ret", "warning", "The program never looked at a status other than success.",
        "The program goes on after a failure, and goes wrong later in another place.",
        "Compare the status of every call with ACL_SUCCESS.",
    ),
    FindingKind(
        "async-err-lost", "status", "A task failed on the device; a later synchronise returns its status.",
        "The status (507xxx) comes from a call that did nothing wrong.",
        "Read the error text: it names the task and its launch.",
    ),
    FindingKind(
        "stale-errmsg", "advice", "aclGetRecentErrMsg is called where it has no text: in another thread, or (C) twice.",
        "A text belongs to the thread whose call failed, and reading it empties the record: the caller gets null.",
        "Call aclGetRecentErrMsg in the thread whose call failed, directly after it.",
    ),
    FindingKind(
        "callback-acl", "error", "A callback of a stream calls a function that submits, waits, allocates or frees.",
        "The stream waits for the callback, and the function for the stream: a deadlock.",
        "Let the callback notify a host thread, and call the function there.",
    ),
    FindingKind(
        "capture-sync", "status", "A synchronising call while a stream is captured.",
        "ACL_ERROR_RT_STREAM_CAPTURED (107027); a synchronous copy is ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT (107030), "
        "a query of a captured event ACL_ERROR_RT_EVENT_CAPTURED (107028). The capture goes on.",
        "Synchronise, copy and query before the capture begins or after it has ended.",
    ),
    FindingKind(
        "capture-unjoined", "status", "A stream is drawn into a capture and not joined to its origin.",
        "ACL_ERROR_RT_STREAM_UNJOINED (107025) from aclmdlRICaptureEnd: the capture is lost.",
        "Record an event as the last task of the stream, and let the stream where the capture began wait for it.",
    ),
    FindingKind(
        "graph-memory-gone", "error", "A model runs again after memory that it uses was freed.",
        "A model keeps the addresses of its capture. It reads what the next owner wrote there, or overwrites it.",
        "Keep tensors, workspaces and pinned buffers of a capture alive as long as the model is executed, or capture "
        "again.",
    ),
    FindingKind(
        "update-race", "error", "An update of a task group has no order with an execution of the model.",
        "Whether the execution uses the old or the new arguments depends on timing.",
        "Let the stream of the execution wait for an event that is recorded behind the update, or let the captured "
        "stream wait in front of the group for an external event that each update records.",
    ),
    FindingKind(
        "model-leaked", "warning", "A captured model is never destroyed.",
        "Its tasks and its streams on the device stay until the process ends.",
        "Call aclmdlRIDestroy.",
    ),
    FindingKind(
        "model-buffer-short", "error", "A data buffer is shorter than an input or an output of the model.",
        "The library accepts a buffer that is up to 64 bytes too short, and any buffer once sizes were chosen "
        "(aclmdlSetDynamicBatchSize and the like). The device then reads or overwrites the memory behind it.",
        "Allocate the bytes that aclmdlGetInputSizeByIndex and aclmdlGetOutputSizeByIndex return.",
    ),
    FindingKind(
        "model-unloaded-early", "error", "A model is unloaded while its execution is queued or running.",
        "aclmdlUnload does not wait. It frees the weights and the work memory that the execution uses.",
        "Call aclrtSynchronizeStream before aclmdlUnload.",
    ),
    FindingKind(
        "model-not-unloaded", "warning", "A loaded model is never unloaded.",
        "Its weights and its work memory stay taken until the process ends.",
        "Call aclmdlUnload for each id that a load wrote, before aclrtResetDevice.",
    ),
    FindingKind(
        "model-other-context", "advice", "A model is executed or unloaded in another context than that of its load.",
        "The documents demand one context for all three. The library does not check it.",
        "Make the context of the load current with aclrtSetCurrentContext.",
    ),
    FindingKind(
        "gear-not-set", "error", "A model with dynamic sizes is executed, and no sizes were chosen for the data set.",
        "The device takes whatever lies in the buffer of the input ascend_mbatch_shape_data for the sizes.",
        "Call aclmdlSetDynamicBatchSize, aclmdlSetDynamicHWSize or aclmdlSetInputDynamicDims for the data set before "
        "aclmdlExecute.",
    ),
    FindingKind(
        "fork-after-init", "error", "A forked child uses the runtime of its parent.",
        "The child has the parent's handles but none of its threads: it hangs, or fails with 507xxx.",
        'Start workers with multiprocessing.get_context("spawn"), or call the API in the child only.',
        "Call the API in the child only, or let the child start a program (exec).",
    ),
    FindingKind(
        "limits", "status", "A device has no stream, event or memory left.",
        "ACL_ERROR_RT_NO_STREAM_RESOURCE (207008), ACL_ERROR_RT_NO_EVENT_RESOURCE (207007) or "
        "ACL_ERROR_RT_MEMORY_ALLOCATION (207001).",
        "Destroy what is not needed; the error text lists what lives, by the line that made it.",
    ),
    FindingKind(
        "churn", "advice", "Memory is allocated and freed, or the device synchronised, for each operator.",
        "aclrtMalloc and aclrtSynchronizeDevice take longer than most operators.",
        "Keep workspaces between launches, and synchronise once for many.",
    ),
    FindingKind(
        "mem-leaked", "warning", "Device memory is never freed, or virtual memory never released.",
        "It stays taken until the process ends.",
        "Call aclrtFree. For virtual memory, call aclrtUnmapMem, aclrtFreePhysical and aclrtReleaseMemAddress.",
    ),
    FindingKind(
        "host-mem-leaked", "warning", "Pinned host memory is never freed, or never unregistered.",
        "It stays pinned until the process ends.",
        "Call aclrtFreeHost, or aclrtHostUnregister for registered memory.",
    ),
    FindingKind(
        "stream-leaked", "warning", "A stream is never destroyed.",
        "Devices have a limited number of streams.",
        "Call aclrtDestroyStream.",
    ),
    FindingKind(
        "event-leaked", "warning", "An event is never destroyed.",
        "Devices have a limited number of events.",
        "Call aclrtDestroyEvent.",
    ),
    FindingKind(
        "context-leaked", "warning", "A context is never destroyed.",
        "Its streams and memory stay taken.",
        "Call aclrtDestroyContext.",
    ),
    FindingKind(
        "device-not-reset", "warning", "A device is set more often than reset.",
        "Its resources stay taken until the process ends.",
        "Call aclrtResetDevice once for each aclrtSetDevice.",
    ),
    FindingKind(
        "work-dropped", "warning", "Work was still queued when its stream, context or machine went away.",
        "It never runs.",
        "Synchronise the stream first.",
    ),
    FindingKind(
        "deadlock", "error", "A wait that nobody can satisfy.",
        "The program hangs.",
        "Break the cycle of waits, or queue the work that is waited for.",
    ),
    FindingKind(
        "collective-mismatch", "error", "The ranks of a communicator meet with different operations or arguments.",
        "The ranks exchange other bytes than they expect, or wait for each other until HCCL_EXEC_TIMEOUT (1836 s).",
        "Call the same operations in the same order on all ranks, with equal counts, data types, reductions and roots.",
    ),
    FindingKind(
        "collective-absent", "error", "A rank never comes to an operation, or to a communicator, of the others.",
        "The other ranks hang: an operation until HCCL_EXEC_TIMEOUT (1836 s), the creation of a communicator until "
        "HCCL_CONNECT_TIMEOUT (120 s).",
        "Let each rank make each call, also those with nothing to contribute, and destroy communicators last.",
    ),
    FindingKind(
        "comm-foreign", "error", "An operation gets a stream or memory of another device than its communicator.",
        "The device of the rank cannot order the task or reach the bytes: it hangs, or faults.",
        "Create the stream and the memory while the device of the rank is set.",
    ),
    FindingKind(
        "comm-cross-thread", "error", "Two threads call operations of one communicator at the same time.",
        "Ranks match their operations by the order of the calls. Two threads make it a different one on each rank.",
        "Call the operations of a communicator in one thread at a time, or give each thread a communicator.",
    ),
    FindingKind(
        "comm-two-streams", "warning", "Operations of one communicator are in two streams, in no defined order.",
        "They use the same connections and buffers. If they run at the same time, they mix their bytes, or hang.",
        "Call the operations of a communicator in one stream, or order the streams with an event between them.",
    ),
    FindingKind(
        "comm-in-capture", "warning",
        "A communicator is made, or called for the first time, while a stream is captured.",
        "Both allocate memory and wait for the other ranks at once. A capture does not allow that, or fails.",
        "Make communicators, and call one operation with each, before the first capture.",
    ),
    FindingKind(
        "comm-destroyed-early", "warning", "A communicator is destroyed while its operations may still run.",
        "The operations use the connections and buffers of the communicator: they fail, or hang the other ranks.",
        "Call aclrtSynchronizeStream for the streams of its operations before HcclCommDestroy.",
    ),
    FindingKind(
        "comm-leaked", "warning", "A communicator is never destroyed.",
        "Its connections and its buffers in device memory stay taken.",
        "Call HcclCommDestroy on each rank.",
    ),
    FindingKind(
        "host-overrun", "error",
        "A copy reaches past the end of a host object, or its address is no memory of the host.",
        "The process crashes, or overwrites what lies behind the object.",
        "Pass the buffer itself (a numpy or ctypes array) rather than a number, and count its bytes.",
        "Pass the address of memory that is still allocated, and count its bytes (sizeof), not its elements.",
    ),
    FindingKind(
        "machine-closed", "error", "A thread calls the API after the machine in which it was started was closed.",
        "A real device stays; the emulated one went away with its machine.",
        "Join the threads that were started inside `with Machine()` before the block ends.",
        "Join the threads before aclnnEmulatorReset is called.",
    ),
    FindingKind(
        "dtype-converted", "advice", "An output has another data type than its gradient.",
        "The result is rounded once more; later editions of the document demand equal types.",
        "Give the output the data type of the gradient.",
    ),
    FindingKind(
        "kernel-arguments", "error",
        "A launch passes other arguments to a device kernel than the function that replaces the kernel takes.",
        "A kernel reads its parameters at fixed offsets: it takes whatever is there for a pointer or a number.",
        "Pass each parameter of the kernel, in its order and type, each on a multiple of 8 bytes; or correct the "
        "parameters that were given to `Kernel`.",
    ),
    FindingKind(
        "kernel-raised", "error",
        "A kernel raised, or its result has a wrong shape or data type: a function of the user's, or a formula of the "
        "emulator.",
        "The output is not written, and the task fails as one on a device does. A formula of the emulator that raises "
        "is a defect of the emulator: please report it with the call.",
        "Return an array of each output's shape and data type from the function given to `machine.kernels` or "
        "`@aclnn.kernel`.",
    ),
    FindingKind(
        "hf32", "advice", "A matrix product of FLOAT inputs is allowed to run in HFLOAT32, and runs in FLOAT here.",
        "A device rounds the inputs to 11 bits of mantissa: its result has fewer right digits than this one.",
        "Use Machine(hf32=True) to round the inputs as well, or cubeMathType 0 (KEEP_DTYPE) to keep FLOAT on a device.",
        "Set ACL_EMULATOR_HF32=1 to round the inputs as well, or cubeMathType 0 (KEEP_DTYPE) to keep FLOAT on a "
        "device.",
    ),
    FindingKind(
        "host-dtype", "advice",
        "An array of the host is copied to where a tensor reads it as another data type.",
        "The copy moves bytes and converts nothing: the operator takes the bytes of the numbers for other numbers.",
        "Make the array in the tensor's type: np.float32 for ACL_FLOAT, np.int32 for ACL_INT32. numpy makes float64 "
        "and int64 where no dtype is given.",
        "Copy elements of the tensor's type: float for ACL_FLOAT, int32_t for ACL_INT32.",
    ),
    FindingKind(
        "format-mismatch", "error",
        "An operator reads memory in FRACTAL_NZ as ND, or memory in ND as FRACTAL_NZ.",
        "The format belongs to the memory: aclnnTransMatmulWeight and aclnnNpuFormatCast lay out the bytes anew. A "
        "tensor with the other format takes other bytes for its elements, and no status says so.",
        "Give the tensor the format that its memory has, and lay out a weight only once after each write to it.",
    ),
)  # fmt: skip

CHECKS: Final = {check.id: check for check in CATALOGUE}

"""The topics that people search for, in English and Chinese; see `topics`."""

from typing import Final

from aclnn.tools.command.subjects.topic import Topic

TOPICS: Final = (
    Topic(
        "use after free|used after free|use-after-free|freed too early|dangling pointer|释放后使用|用后释放|提前释放"
        "|已释放|野指针|悬空指针|悬垂指针|悬挂指针",
        "aclrtFree does not wait for queued work: synchronise the stream first. The report names memory and task.",
        "io-freed-early ws-freed-early data-freed-under-tensor dead-handle tensor-destroyed-early bad-free",
    ),
    Topic(
        "double free|freed twice|重复释放|两次释放",
        "Free each address once, with the function that belongs to its allocation, and destroy each object once.",
        "bad-free tensor-double-destroy exec-destroy-after-run aclrtFree aclrtFreeHost",
    ),
    Topic(
        "out of memory|oom|memory exhausted|insufficient memory|not enough memory|memory_allocation_failure"
        "|内存不足|显存不足|内存耗尽|内存溢出|内存分配失败|申请内存失败|内存申请失败",
        "The device, or the host, has no memory left. Free what is not needed; the error text lists what still lives.",
        "207001 limits EL0004 aclrtGetMemInfo aclrtFree mem-leaked",
    ),
    Topic(
        "memory leak|memory leaks|leak|leaked|内存泄漏|内存泄露|泄漏",
        "Objects that the program never released are reported when the machine closes, with the line that made them.",
        "mem-leaked host-mem-leaked tensor-leaked exec-leaked stream-leaked event-leaked context-leaked",
    ),
    Topic(
        "segmentation fault|segfault|core dumped|sigsegv|coredump|core dump|crash|crashes|段错误"
        "|核心已转储|崩溃|闪退",
        "The host touched an address that is not its own, often one of the device: copy with aclrtMemcpy. `aclnn run` "
        "names the line.",
        "host-overrun aclrtMemcpy aclrtMallocHost",
    ),
    Topic(
        "out of bounds|out-of-bounds|buffer overflow|overrun|illegal memory access|memory corruption|越界"
        "|踩内存|内存踩踏|写坏内存|非法地址|非法访问",
        "A copy, a tensor or an index reaches past its memory. The emulator names allocation, size and line.",
        "memcpy-size storage-exceeds-alloc view-exceeds-storage ws-small index-range host-overrun",
    ),
    Topic(
        "index out of range|index is out of range|索引越界|下标越界",
        "An index or a target lies outside of its range; a device reports it late, or not at all.",
        "index-range 507035 aclnnEmbeddingDenseBackward aclnnCrossEntropyLossGrad",
    ),
    Topic(
        "race condition|data race|race|竞争|数据竞争|竞态",
        "Two streams, or a stream and the host, use the same bytes in no defined order: record and wait for an event.",
        "xstream-race pinned-reuse ws-shared read-before-sync aclrtRecordEvent aclrtStreamWaitEvent",
    ),
    Topic(
        "uninitialised|uninitialized|uninitialised memory|未初始化",
        "An operator reads device memory that was never written.",
        "uninit-read aclrtMemset aclrtMemcpy init",
    ),
    Topic(
        "wrong result|wrong results|result is wrong|nan|结果错误|结果不对|精度",
        "Usual causes: read before the synchronise, memory never written, streams without order, a wrong data type.",
        "read-before-sync uninit-read xstream-race pinned-reuse io-freed-early",
    ),
    Topic(
        "hang|hangs|deadlock|stuck|死锁|卡住|卡死|挂起|挂死",
        "A wait that nothing ends: an event that nobody records, a callback that nobody serves.",
        "deadlock event-misuse aclrtProcessReport aclrtSubscribeReport aclrtStreamWaitEvent",
    ),
    Topic(
        "timeout|timed out|time out|超时",
        "Work took longer than its limit, or waits for something that never happens.",
        "507046 507047 507014 507012 aclrtSynchronizeStreamWithTimeout aclrtSetOpExecuteTimeOut deadlock",
    ),
    Topic(
        "aicore exception|aicore error|ai core exception|aicore execution is abnormal|fftsplus aicore error"
        "|aicore 异常",
        "A task failed on a core of the device; the call that returns it did nothing wrong.",
        "507015 EZ2001 async-err-lost index-range",
    ),
    Topic(
        "vector core exception|aivec error|aivector error|vector core execution is abnormal|fftsplus aivector error"
        "|vector core 异常",
        "A task failed on a vector core of the device; the call that returns it did nothing wrong.",
        "507035 EZ2001 async-err-lost index-range",
    ),
    Topic(
        "aicpu exception|ai cpu exception|ai cpu 异常|aicpu 异常",
        "A task failed on an AI CPU of the device; the call that returns it did nothing wrong.",
        "507018 async-err-lost",
    ),
    Topic(
        "aicore timeout|aicore trap exception|aicore 超时",
        "A task on a core of the device took longer than its limit, or was stopped by a trap.",
        "507014 507016 aclrtSetOpExecuteTimeOut",
    ),
    Topic(
        "context pointer null|no valid context|ctx is null|context is null|no current context"
        "|ctx can not be null|curctx can not be null|context is empty|没有上下文|上下文为空",
        "Each thread that calls the API needs a current context of its own.",
        "107002 no-context aclrtSetDevice aclrtSetCurrentContext EE1018", cause=True,
    ),
    Topic(
        "stream not in current context|stream is not in current ctx|another context|另一个 context",
        "The stream or event was created in a context that is not the current one.",
        "107003 wrong-context EE1010 aclrtSetCurrentContext", cause=True,
    ),
    Topic(
        "parameter error|invalid parameter|invalid argument|param invalid|illegal parameter"
        "|参数错误|参数无效|无效参数|参数不合法|非法参数|参数异常|参数校验",
        "A call refused an argument. aclGetRecentErrMsg, called in the same thread, names it and says what is allowed.",
        "161002 100000 107000 161001 aclGetRecentErrMsg EZ1001 EH0007 EE1003",
    ),
    Topic(
        "null pointer|nullptr|空指针",
        "A required pointer or object is null. A function that cannot create its object returns null: check for it.",
        "161001 100000 null-required EH0008 EE1004 561103",
    ),
    Topic(
        "not supported|unsupported|不支持",
        "The product, or this emulator, does not offer it. `aclnn ops` lists operators and data types by product.",
        "207000 200001 161002 dtype-soc op-soc aclrtGetSocName",
    ),
    Topic(
        "no device|device not found|invalid device|没有设备|找不到设备|无效设备",
        "There is no device with this number, or the process may not use it.",
        "107001 207004 ASCEND_RT_VISIBLE_DEVICES aclrtGetDeviceCount EL0001",
    ),
    Topic(
        "not aligned|unaligned|alignment|未对齐|不对齐|没有对齐|对齐",
        "An address does not start at the multiple that a kernel needs.",
        "misaligned 107008 aclrtMalloc",
    ),
    Topic(
        "inner error|internal error|内部错误",
        "An inner error has a code but no fixed meaning: the text after the code names the cause.",
        "EZ9999 EE9999 EH9999 561000 561103 507000 500000",
    ),
    Topic(
        "error message|error text|errmsg|错误信息|报错信息|报错|出错|错误|失败",
        "Get the text right after the failure, in the same thread; getting it also clears it.",
        "aclGetRecentErrMsg stale-errmsg aclrtGetLastError aclrtPeekAtLastError", specific=False,
    ),
    Topic(
        "error code|return code|return value|status code|错误码|返回值|返回码|状态码",
        "Every function returns a status; `aclnn explain NUMBER` explains one, and three digits list a family.",
        "ACL_SUCCESS ignored-ret aclGetRecentErrMsg", specific=False,
    ),
    Topic(
        "memory|内存|显存|malloc",
        "Device memory is allocated, copied to and freed by calls; the host cannot touch it.",
        "aclrtMalloc aclrtFree aclrtMemcpy aclrtMallocHost aclrtGetMemInfo 207001 io-freed-early mem-leaked",
        specific=False,
    ),
    Topic(
        "synchronise|synchronize|synchronization|synchronisation|sync|同步|等待",
        "Work is queued in streams: wait for it before its results are read or its memory is freed.",
        "aclrtSynchronizeStream aclrtSynchronizeDevice aclrtSynchronizeEvent aclrtStreamWaitEvent read-before-sync",
        specific=False,
    ),
    Topic(
        "asynchronous|async|异步|下发",
        "An asynchronous call returns when its work is queued; a failure shows at a later synchronise.",
        "aclrtMemcpyAsync aclrtSynchronizeStream pinned-reuse pageable-async async-err-lost", specific=False,
    ),
    Topic(
        "copy|拷贝|复制|搬运",
        "A copy names its direction and both sizes.",
        "aclrtMemcpy aclrtMemcpyAsync aclrtMemcpyKind memcpy-size memcpy-elements memcpy-kind pageable-async",
        specific=False,
    ),
    Topic(
        "stream|streams|流",
        "A stream runs its tasks one after another; two streams run at the same time.",
        "aclrtCreateStream aclrtSynchronizeStream aclrtDestroyStream xstream-race 107003 207008", specific=False,
    ),
    Topic(
        "event|events|事件",
        "An event marks a place in a stream that the host or another stream can wait for.",
        "aclrtCreateEvent aclrtRecordEvent aclrtStreamWaitEvent aclrtSynchronizeEvent event-misuse", specific=False,
    ),
    Topic(
        "callback|callbacks|回调",
        "Callbacks of a stream run in a host thread that subscribes and serves them.",
        "aclrtLaunchCallback aclrtSubscribeReport aclrtProcessReport callback-acl 107015 507012", specific=False,
    ),
    Topic(
        "context|contexts|上下文",
        "A context belongs to a device and owns streams and events; each thread has a current context.",
        "aclrtCreateContext aclrtSetCurrentContext aclrtSetDevice 107002 107003 no-context wrong-context",
        specific=False,
    ),
    Topic(
        "device|devices|设备",
        "Set a device before other calls, and reset it as often as it was set.",
        "aclrtSetDevice aclrtResetDevice aclrtGetDeviceCount 107001 device-not-reset ASCEND_RT_VISIBLE_DEVICES",
        specific=False,
    ),
    Topic(
        "workspace|工作空间",
        "The first phase returns the bytes that the second needs; do not free them before the operator has finished.",
        "ws-freed-early ws-small ws-null ws-shared ws-host-ptr ws-foreign", specific=False,
    ),
    Topic(
        "executor|执行器",
        "A first phase makes an executor, and one second phase uses it up, unless it was made repeatable.",
        "exec-reused exec-leaked exec-wrong-op exec-twin aclSetAclOpExecutorRepeatable aclDestroyAclOpExecutor",
        specific=False,
    ),
    Topic(
        "tensor|tensors|张量",
        "A tensor describes memory: data type, shape, strides, offset, storage and address.",
        "aclCreateTensor aclDestroyTensor tensor-destroyed-early storage-exceeds-alloc tensor-leaked", specific=False,
    ),
    Topic(
        "dtype|data type|数据类型",
        "The data types of an operator depend on the product: `aclnn ops` lists them.",
        "aclDataType 161002 dtype-soc dtype-converted", specific=False,
    ),
    Topic(
        "shape|形状",
        "Shapes must fit each other as the page of the operator says.",
        "shape-dim 161002 561002 561103 EZ0001", specific=False,
    ),
    Topic(
        "initialise|initialize|initialisation|initialization|初始化",
        "Call aclInit once, then aclrtSetDevice; at the end aclrtResetDevice and aclFinalize.",
        "aclInit aclFinalize init 100001 100002 finalize-pending", specific=False,
    ),
    Topic(
        "log|logs|plog|日志",
        "CANN writes its log to ~/ascend/log; here aclGetRecentErrMsg and the report of findings have the details.",
        "aclGetRecentErrMsg aclAppLog ASCEND_GLOBAL_LOG_LEVEL ASCEND_PROCESS_LOG_PATH ACL_EMULATOR_REPORT",
        specific=False,
    ),
    Topic(
        "non-contiguous|contiguous|stride|strides|view|非连续|不连续|连续|步长|视图|跨步",
        "A view has strides, in elements, and an offset. Operators accept most views; the error text says where the "
        "memory of a view ends, and which operators want it dense.",
        "aclCreateTensor view-exceeds-storage 561103", specific=False,
    ),
    Topic(
        "broadcast|broadcasting|广播",
        "Dimensions are compared from the last one on: they are equal, or one of them is 1 or missing.",
        "shape-dim 161002 aclnnExpand", specific=False,
    ),
    Topic(
        "overflow|saturation|溢出|上溢|下溢|饱和",
        "A value is outside of the range of its data type; FLOAT16 ends at 65504. The mode for infinity or saturation "
        "belongs to the device.",
        "207003 aclrtSetDeviceSatMode aclrtGetOverflowStatus", specific=False,
    ),
    Topic(
        "reuse|repeatable|复用|重复使用|重用",
        "An executor serves one launch, unless it is repeatable. Memory is used again only after the work on it is "
        "done.",
        "exec-reused aclSetAclOpExecutorRepeatable ws-shared pinned-reuse", specific=False,
    ),
    Topic(
        "thread|threads|multithreading|线程|多线程|线程安全",
        "Each thread needs a current context of its own, and the error text belongs to the thread that called.",
        "no-context aclrtSetCurrentContext 107002 exec-twin aclGetRecentErrMsg", specific=False,
    ),
    Topic(
        "several devices|multi-device|多卡|多设备|多芯片",
        "A process may use several devices, one after the other in a thread or with a thread for each. Streams and "
        "memory belong to one device.",
        "aclrtSetDevice aclrtGetDeviceCount aclrtDeviceEnablePeerAccess ASCEND_RT_VISIBLE_DEVICES", specific=False,
    ),
    Topic(
        "operator|operators|算子|核函数",
        "An operator has two functions, for the workspace and for the launch. `aclnn ops` lists the operators.",
        "161002 561003 op-soc exec-leaked", specific=False,
    ),
    Topic(
        "chip|chips|product|芯片|产品|型号|处理器",
        "The chip decides limits, data types and operators. ACL_EMULATOR_SOC or Machine(soc=...) chooses it here.",
        "aclrtGetSocName ACL_EMULATOR_SOC op-soc dtype-soc", specific=False,
    ),
    Topic(
        "random|seed|随机|随机数|种子",
        "Random operators take a seed and an offset, so equal ones give equal numbers. The schedule \"random\" of this "
        "emulator is something else: the order in which streams run.",
        "ACL_EMULATOR_SCHEDULE ACL_EMULATOR_SEED", specific=False,
    ),
    Topic(
        "data format|format|格式|私有格式",
        "A tensor has a format: ND for most operators. Private formats such as FRACTAL_NZ come from "
        "aclnnNpuFormatCast.",
        "aclFormat aclnnNpuFormatCast EZ0006", specific=False,
    ),
)  # fmt: skip

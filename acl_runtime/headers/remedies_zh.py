"""The remedy for each status, and the meaning of each family of statuses, in Chinese; see `remedies.py`."""

from typing import Final

import acl_runtime.headers.remedies as english
import acl_runtime.headers.statuses as _s

FAMILIES: Final = {
    0: "成功",
    100: "ACL 层拒绝了这个调用：Host 程序有错",
    107: "运行时拒绝了这个调用：Host 程序有错",
    145: "图引擎拒绝了这个调用：Host 程序有错",
    148: "profiling、算子或模型拒绝了这个调用：Host 程序有错",
    161: "aclnn 算子拒绝了参数：Host 程序有错",
    200: "ACL 层：内存不足，或者不提供这个特性",
    207: "运行时：资源用完，或者不提供这个特性",
    245: "图引擎：内存不足",
    300: "ACL 层：超过了限制",
    345: "图引擎：执行过程中出错",
    361: "aclnn 算子：内部调用运行时失败",
    500: "ACL 层、运行时或驱动：内部失败",
    507: "运行时：内部失败，或者 Device 失败",
    545: "图引擎：内部失败",
    561: "aclnn 算子：内部失败",
}
"""the layer that returns a status, by the thousands of the status"""

_TEXT: Final = "在发起调用的线程里读 aclGetRecentErrMsg：它写明是哪个参数、传入了什么、允许什么。"
_TASK: Final = "返回它的调用本身没有错：aclGetRecentErrMsg 写明失败的是哪个任务。"
_MODEL: Final = "检查模型文件，以及程序传给模型的内容：输入和输出的个数、大小和 shape。"
_PACKAGE: Final = "安装与产品和 CANN 版本相符的算子包，并执行它的 set_env.sh。本模拟器不需要算子包。"
_DRIVER: Final = (
    "原因在运行时、驱动或固件内部，只凭这个返回码无法确定。主机有 NPU 时，看日志（~/ascend/log）里的第一个 "
    "ERROR，并检查驱动、固件和 CANN 的版本是否配套。"
)
_GRAPH: Final = "原因在图引擎内部，只凭这个返回码无法确定。看日志（~/ascend/log）里的第一个 ERROR。本模拟器没有图引擎。"
_FREE: Final = "释放不再需要的资源，程序也要能处理这个返回码：Device 繁忙时也会出现。"

REMEDIES: Final = {
    _s.ACL_SUCCESS: "不用处理。（对异步调用来说，它只表示任务已经进了队列。）",
    _s.ACL_ERROR_INVALID_PARAM: _TEXT,
    _s.ACL_ERROR_UNINITIALIZE: "先调用 aclInit。",
    _s.ACL_ERROR_REPEAT_INITIALIZE: "不用处理，或者只在一个地方调用 aclInit。",
    _s.ACL_ERROR_READ_MODEL_FAILURE: "换成一个存在的目录。",
    _s.ACL_ERROR_OP_INPUT_NOT_MATCH: "输入缓冲区的个数要与 aclopCreateHandle 的输入描述相同。",
    _s.ACL_ERROR_OP_OUTPUT_NOT_MATCH: "输出缓冲区的个数要与 aclopCreateHandle 的输出描述相同。",
    _s.ACL_ERROR_OP_NOT_FOUND: "先用相同的描述和属性编译算子（aclopCompile）；文件里的算子不会读取。",
    _s.ACL_ERROR_DUMP_NOT_RUN: "先调用 aclmdlInitDump。",
    _s.ACL_ERROR_PROF_NOT_RUN: "先调用 aclprofInit。",
    _s.ACL_ERROR_PROF_API_CONFLICT: "先结束正在运行的 profiling，再调用。",
    _s.ACL_ERROR_PROF_MODULES_UNSUPPORTED: "传给 aclprofCreateConfig 的开关，只能是存在的 ACL_PROF_...。",
    _s.ACL_ERROR_GE_FAILURE: f"{_TEXT}再检查流是否还在、是否属于当前 Context。",
    _s.ACL_ERROR_GE_PARAM_INVALID: (
        "模型的每个输入和输出，在数据集里都要有一个 data buffer；自己提供的内存要有 aclmdlQuerySize 返回的大小。"
    ),
    _s.ACL_ERROR_GE_EXEC_NOT_INIT: "第一次加载模型之前，先调用 aclInit。",
    _s.ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID: (
        "检查路径。在测试里，或者在模型旁边的 JSON 文件里说明模型（aclnn docs zh/models）。"
    ),
    _s.ACL_ERROR_GE_EXEC_MODEL_ID_INVALID: "使用加载时写出的模型 ID，直到 aclmdlUnload 为止。",
    _s.ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID: (
        "检查模型的内容。在测试里用内容的开头来说明模型（aclnn docs zh/models）。"
    ),
    _s.ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID: (
        "为 ascend_mbatch_shape_data 申请 aclmdlGetInputSizeByIndex 返回的字节数；传入的尺寸要包括所有输入的所有维度。"
    ),
    _s.ACL_ERROR_GE_DYNAMIC_BATCH_SIZE_INVALID: (
        "选择模型支持的尺寸：aclmdlGetDynamicBatch、aclmdlGetDynamicHW 或 aclmdlGetInputDynamicDims 会列出它们。"
    ),
    _s.ACL_ERROR_STORAGE_OVER_LIMIT: "构建模型时，尺寸和维度都不超过 128 个。",
    _s.ACL_ERROR_RT_KERNEL_DUPLICATE: "每个 Host 地址只注册一个核函数。",
    _s.ACL_ERROR_INVALID_FILE: "检查传给 aclInit 的路径，以及文件是否可读。",
    _s.ACL_ERROR_PARSE_FILE: "让传给 aclInit 的文件成为正确的 JSON。",
    _s.ACL_ERROR_INVALID_DUMP_CONFIG: "改正传给 aclInit 的文件里的 dump 部分。",
    _s.ACL_ERROR_REPEAT_FINALIZE: "只在程序末尾调用一次 aclFinalize。",
    _s.ACL_ERROR_RT_PARAM_INVALID: f"{_TEXT}检查拷贝的类型、大小，以及地址是否仍然有效。",
    _s.ACL_ERROR_RT_INVALID_DEVICEID: "调用 aclrtGetDeviceCount；ASCEND_RT_VISIBLE_DEVICES 可能隐藏了一些 Device。",
    _s.ACL_ERROR_RT_CONTEXT_NULL: "在每个调用接口的线程里，调用 aclrtSetDevice 或 aclrtSetCurrentContext。",
    _s.ACL_ERROR_RT_STREAM_CONTEXT: "把创建这个流或事件的 Context 设为当前 Context。",
    _s.ACL_ERROR_RT_STREAM_MODEL: "使用没有绑定到模型的流；构建模型的控制任务，使用绑定到这个模型的流。",
    _s.ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID: "创建事件时用 ACL_EVENT_TIME_LINE，查询时间之前先同步它。",
    _s.ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL: "先传入开始事件，也先记录它。",
    _s.ACL_ERROR_RT_STREAM_SUBSCRIBE: "每次对流调用 aclrtSubscribeReport，都对应一次 aclrtUnSubscribeReport。",
    _s.ACL_ERROR_RT_THREAD_SUBSCRIBE: "在流所订阅的那个线程里调用 aclrtProcessReport。",
    _s.ACL_ERROR_RT_STREAM_NO_CB_REG: "调用 aclrtLaunchCallback 之前，先对这个流调用 aclrtSubscribeReport。",
    _s.ACL_ERROR_RT_INVALID_MEMORY_TYPE: "使用函数的帮助里列出的内存类型。",
    _s.ACL_ERROR_RT_INVALID_HANDLE: "在对象销毁之前使用句柄；aclGetRecentErrMsg 写明它是在哪里销毁的。",
    _s.ACL_ERROR_RT_SYSPARAMOPT_NOT_SET: "查询参数之前先设置它。",
    _s.ACL_ERROR_RT_DEVICE_TASK_ABORT: "重置 Device，再下发新的任务。",
    _s.ACL_ERROR_RT_STREAM_ABORT: "销毁这个流，在新的流里重新下发丢失的任务。",
    _s.ACL_ERROR_RT_STREAM_NOT_CAPTURED: "只在捕获流的过程中使用这个标志。",
    _s.ACL_ERROR_RT_MODEL_CONTEXT: "把模型所属的 Context 设为当前 Context。",
    _s.ACL_ERROR_RT_CAPTURE_DEPENDENCY: (
        "在捕获过程中记录这个事件，或者在捕获开始之前等待它。与模型之外的任务同步，用 ACL_EVENT_EXTERNAL 的事件。"
    ),
    _s.ACL_ERROR_RT_STREAM_UNJOINED: (
        "在每个加入的流的最后一个任务之后记录事件，并在 aclmdlRICaptureEnd 之前让开始捕获的流等待它。"
    ),
    _s.ACL_ERROR_RT_MODEL_CAPTURED: "先结束这个模型的捕获，或者每次捕获用单独的模型。",
    _s.ACL_ERROR_RT_STREAM_CAPTURED: "在捕获开始之前或结束之后再调用；错误信息写明捕获是在哪一行开始的。",
    _s.ACL_ERROR_RT_EVENT_CAPTURED: "查询或同步在捕获之外记录的事件。",
    _s.ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT:
        "在捕获之前或之后再调用，或者用 ACL_MODEL_RI_CAPTURE_MODE_RELAXED 开始捕获。",
    _s.ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT: "使用 aclrtCreateStream 创建的流，不要用默认流。",
    _s.ACL_ERROR_RT_SYMBOL_NOT_FOUND: "查询二进制里定义了的全局变量；`nm` 会列出它的符号。",
    _s.ACL_ERROR_RT_INVALID_SYMBOL: "传入核函数文件里定义的变量的 Host 地址。",
    _s.ACL_ERROR_RT_INVALID_DEVICE_FUNCTION: "传入 rtFunctionRegister 注册过的地址。",
    _s.ACL_ERROR_STREAM_CAPTURE_CONFLICT: "一次捕获里的流，只等待同一次捕获里的事件。",
    _s.ACL_ERROR_STREAM_TASK_GROUP_STATUS: "在捕获过程中，任务组的每次开始都对应一次结束。",
    _s.ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED: "用开始捕获的那个流结束捕获；错误信息写明是哪一个。",
    _s.ACL_ERROR_RT_MODEL_RUNNING: "同步执行模型的流，再重新调用。",
    _s.ACL_ERROR_INVALID_MODEL_ID: "传入已经加载、还没有卸载的模型的 ID。",
    _s.ACL_ERROR_RT_MODEL_EXECUTE: "先结束模型的构建（aclmdlRIBuildEnd），再执行模型。",
    _s.ACL_ERROR_RT_LABEL_CONTEXT: "把创建这个标签的 Context 设为当前 Context。",
    _s.ACL_ERROR_RT_MODEL_UPDATE_FAILED: "结束模型的捕获，并同步执行模型的流，再重新调用。",
    _s.ACL_ERROR_RT_NO_PERMISSION: "让导出的进程登记本进程（aclrtMemSetPidToShareableHandle、"
    "aclrtIpcMemSetImportPid、aclrtNotifySetImportPid），或者导出时不校验进程。",
    _s.ACL_ERROR_RT_QUEUE_EMPTY: "稍后再调用，或者设置更长的超时时间：还没有数据到达。",
    _s.ACL_ERROR_RT_QUEUE_FULL: "等对方取走消息之后再调用，或者创建容量更大的队列。",
    _s.ACL_ERROR_SNAPSHOT_LOCK_FAILED: "进程只能锁定一次：先解锁。",
    _s.ACL_ERROR_SNAPSHOT_UNLOCK_FAILED: "先锁定进程（aclrtSnapShotProcessLock）。",
    _s.ACL_ERROR_SNAPSHOT_BACKUP_FAILED: "备份之前先锁定进程，每次锁定只备份一次。",
    _s.ACL_ERROR_SNAPSHOT_RESTORE_FAILED: "恢复之前先备份进程。",
    _s.ACL_ERROR_SNAPSHOT_CALLBACK_FAILED: "让回调函数返回 0；其他返回值会中止快照。",
    _s.ACL_ERROR_SNAPSHOT_REGISTER_CALLBACK_FAILED: "注册回调时，使用函数帮助里列出的阶段。",
    _s.ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD:
        "在开始捕获的线程里结束捕获，或者用 ACL_MODEL_RI_CAPTURE_MODE_RELAXED 开始捕获。",
    _s.ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY: "传入更大的数组：数组为空指针时，这个调用返回元素个数。",
    _s.ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC:
        "使用 aclrtMallocHost 申请的内存，拷贝就不用等待；或者在捕获之前或之后拷贝。",
    _s.ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT:
        "在 aclmdlRICaptureTaskGrpBegin 和 aclmdlRICaptureTaskGrpEnd 之间只下发算子。",
    _s.ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING: "先结束循环体或分支的捕获（aclmdlRICaptureEnd），再结束外层模型的捕获。",
    _s.ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED:
        "找出使捕获失效的调用（错误信息写明是哪一个），结束这次捕获，再重新开始。",
    _s.ACL_ERROR_API_NOT_SUPPORT: "不要使用它：本模拟器和某些产品一样不支持。",
    _s.ACL_ERROR_FEATURE_UNSUPPORTED: "换一个值：没有产品支持这个值。",
    _s.ACL_ERROR_RT_FEATURE_NOT_SUPPORT:
        "调用 aclrtGetSocName，只在有这个特性的产品上使用它；错误信息写明是哪些产品。",
    _s.ACL_ERROR_RT_MEMORY_ALLOCATION: (
        "释放不再需要的内存；错误信息会按申请它们的代码行，列出还没有释放的内存。程序要能处理这个返回码：Device "
        "繁忙时也会出现。"
    ),
    _s.ACL_ERROR_RT_NO_DEVICE: "检查 ASCEND_RT_VISIBLE_DEVICES；主机有 NPU 时，再看 npu-smi info。",
    _s.ACL_ERROR_RT_RESOURCE_ALLOC_FAIL: "销毁不再需要的流、事件或 Context。",
    _s.ACL_ERROR_RT_NO_EVENT_RESOURCE: "销毁不再需要的事件，其余的重复使用。",
    _s.ACL_ERROR_RT_NO_STREAM_RESOURCE: "销毁不再需要的流，其余的重复使用。",
    _s.ACL_ERROR_RT_NO_NOTIFY_RESOURCE: "销毁不再需要的 notify，其余的重复使用。",
    _s.ACL_ERROR_INTERNAL_ERROR: _TEXT,
    _s.ACL_ERROR_FAILURE: _TEXT,
    _s.ACL_ERROR_RT_INTERNAL_ERROR: "查询事件的时间之前，先记录它；其他情况请读 aclGetRecentErrMsg。",
    _s.ACL_ERROR_RT_CONTEXT_RELEASE_ERROR: "每调用一次 aclrtSetDevice，就要调用一次 aclrtResetDevice。",
    _s.ACL_ERROR_RT_REPORT_TIMEOUT: "再次调用 aclrtProcessReport：这一次没有到期的回调。",
    _s.ACL_ERROR_RT_AICORE_TIMEOUT: f"{_TASK}用 aclrtSetOpExecuteTimeOut 放宽时限，或者减少它的工作量。",
    _s.ACL_ERROR_RT_AICORE_EXCEPTION: _TASK,
    _s.ACL_ERROR_RT_AICPU_EXCEPTION: _TASK,
    _s.ACL_ERROR_RT_AICPU_TIMEOUT: _TASK,
    _s.ACL_ERROR_RT_DEV_SETUP_ERROR: "主机有 NPU 时：看 npu-smi info，以及别的进程在那里做什么。",
    _s.ACL_ERROR_RT_VECTOR_CORE_EXCEPTION: _TASK,
    _s.ACL_ERROR_RT_FFTS_PLUS_TIMEOUT: "找出没有来的 rank，或者参数不同的 rank；错误信息里有它。",
    _s.ACL_ERROR_RT_STREAM_SYNC_TIMEOUT: "等待更长时间，或者找出任务在等什么：没有记录的事件，没有线程处理的回调。",
    _s.ACL_ERROR_RT_EVENT_SYNC_TIMEOUT: f"{_TASK}记录它所等待的事件。",
    _s.ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED: "先注销这块内存，或者只注册一次。",
    _s.ACL_ERROR_HOST_MEMORY_NOT_REGISTERED: "传入当初传给 aclrtHostRegister 的地址。",
    _s.ACLNN_ERR_PARAM_NULLPTR: f"{_TEXT}再检查创建这个对象的调用返回了什么：aclCreateTensor 失败时返回空指针。",
    _s.ACLNN_ERR_PARAM_INVALID: f"{_TEXT}`aclnn explain 算子名` 按次序列出各项检查。",
    _s.ACLNN_ERR_RUNTIME_ERROR: "在这个线程里调用 aclrtSetDevice，并看错误信息的调用路径里最早的那个错误。",
    _s.ACLNN_ERR_INNER: "换用有这个算子的产品（`aclnn ops`）；其他情况请读 aclGetRecentErrMsg。",
    _s.ACLNN_ERR_INNER_TILING_ERROR: (
        "使用核函数接受的 shape、格式和属性；算子的页面列出了它们。日志里 \"Tiling failed\" 之前的几行写明核函数拒绝"
        "的是哪一个。"
    ),
    _s.ACLNN_ERR_INNER_FIND_KERNEL_ERROR:
        "自己为这个算子提供核函数，见 aclnn docs zh/my-operator-is-missing。`aclnn ops` 统计了没有核函数的算子。",
    _s.ACLNN_ERR_INNER_NULLPTR:
        "检查每个输出的 shape，以及每个 Tensor 的 stride、offset 和 storage；也可能该产品没有这个算子（`aclnn ops`）。"
        "在有 NPU 的主机上，日志会显示另外两种原因：\"AclOpKernelInit failed\"，没有这款芯片的算子包；"
        "\"Tiling failed\"，核函数拒绝了某个 shape 或属性。",
}  # fmt: skip

SHARED: Final = {
    100001: "先调用 aclInit。",
    100004: "检查路径、权限和磁盘的剩余空间。",
    100007: _MODEL,
    100020: "检查单算子的描述：类型、属性，以及输入和输出的个数、数据类型、格式和 shape。",
    100038: "比较构建模型时的图像预处理（AIPP）与程序设置的是否一致。",
    100010: "检查 profiling 配置和调用次序；同一时间只用一种 profiling 方式。",
    100044: "检查 dump 配置和调用次序：初始化、设置、去初始化，各一次。",
    100029: "把这个名字与核函数二进制里的名字比较；二进制只加载一次，并且在下发之前加载。",
    100032: "检查队列的 ID 和调用次序：创建、使用、销毁。",
    100033: "流或线程的每次订阅，都要对应一次取消订阅。",
    100036: "再次调用：这一次没有到期的回调。",
    100039: "运行程序时使用运行时的库，不要使用只供编译的库。",
    100040: "创建 Device 组，并在每个使用它的线程里设置。",
    107008: "按函数帮助的要求对齐地址；aclrtMalloc 按 512 字节对齐。",
    107018: "使用函数的帮助里列出的申请方式。",
    107019: "等待更长时间，或者找出任务在等什么。",
    107020: f"{_TASK}放宽时限，减少它的工作量，或者找出它为什么在等待。",
    107024: "检查捕获从开始到结束之间的调用：由哪个流开始，哪些流通过事件加入，在哪个线程里，用什么模式。",
    107035: "重置 Device 或销毁流，再重新下发丢失的任务。",
    107037: "同步执行模型的流，再重新调用。",
    107039: "传入的数组要放得下这个调用写入的全部元素。",
    561003: (
        "为这个算子提供核函数：一个 numpy 函数，写在 `@aclnn.kernel` 之下，或者放进 `machine.kernels`（"
        "aclnn docs zh/my-operator-is-missing）。"
    ),
    145019: _PACKAGE,
    148051: "先销毁依赖它的对象。",
    148052: "使用该产品能解码的 JPEG 图像。",
    200000: _FREE,
    200002: "调用 aclrtGetDeviceCount；ASCEND_RT_VISIBLE_DEVICES 可能隐藏了一些 Device。",
    200004: "一起使用的对象，要属于同一个 Device 和同一个 Context。",
    200005: "在对象销毁之前使用句柄。",
    207002: "每个地址只释放一次，用与申请对应的函数。",
    207003: "检查数值里有没有无穷大和 NaN，以及是否超出数据类型的范围；FLOAT16 最大到 65504。",
    207006: "用有权使用 Device 的用户运行；也可能 Device 被别的进程或容器占用。",
    207010: "销毁不再需要的，其余的重复使用。",
    207013: "稍后再试：还没有收到任何内容。",
    207014: "等对方读取一些内容之后再试。",
    207015: "只做一次，或者先检查是否已经做过。",
    207019: "不要使用它：这个算子、任务、芯片或产品不支持。",
    507008: "npu-smi info 显示芯片：与程序和软件包构建时所用的芯片比较。",
    500002: _GRAPH,
    345103: "检查图所调用的、你自己写的函数。",
    507003: "先下发任务。",
    507004: "在此之前，先调用 aclrtSynchronizeStream 或 aclrtSynchronizeEvent。",
    507016: (
        f"{_TASK}常见的原因有：内存释放得太早，Tensor 描述的内存比实际的大，索引超出范围。在这里运行程序：报告的问"
        "题会指出代码行。"
    ),
    345102: (
        "原因在 Device，不在这个调用；本模拟器没有这类故障。主机有 NPU 时，看 npu-smi info 和 Device 的日志；如果"
        "反复出现，机器需要维修。"
    ),
    507905: "按快照的次序操作：锁定、备份、恢复、解锁；回调失败会使快照停止。",
    545602: "稍后再试：模型目前不可用。",
    561001: "使用算子接受的 shape 和属性；算子的页面列出了它们。",
    561104: "错在核函数或它的描述，不在 Host 程序：重新编译并安装这个算子。",
    561102: "不用处理：这个返回码只在日志里出现。",
}  # fmt: skip
"""the remedy that several statuses share, by the first of these statuses"""

BY_FAMILY: Final = {
    100: _TEXT,
    107: _TEXT,
    145: f"{_TEXT}{_MODEL}",
    148: _TEXT,
    161: _TEXT,
    200: _TEXT,
    207: _TEXT,
    245: _FREE,
    300: _FREE,
    345: _GRAPH,
    361: _TEXT,
    500: _DRIVER,
    507: _DRIVER,
    545: _GRAPH,
    561: f"{_TEXT}{_PACKAGE}",
}  # fmt: skip
"""the remedy if nothing more precise is known, by the thousands of a status"""


def remedy(value: int) -> str:
    """The remedy for a status: its own remedy, else the remedy of its group, else of its family."""
    if value in english.REMEDIES:
        return REMEDIES[value]
    group = next((statuses[0] for statuses in english.SHARED.values() if value in statuses), None)
    return BY_FAMILY[value // 1000] if group is None else SHARED[group]

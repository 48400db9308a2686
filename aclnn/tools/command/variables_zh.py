"""The meanings of the environment variables in Chinese; see `variables.py`."""

from typing import Final

_ROOT: Final = "toolkit 的根目录，有些构建文件用这个名字；由 toolkit 的 set_env.sh 设置"

MEANINGS: Final = {
    "ACL_EMULATOR_CATALOGUED": "plan：没有核函数的算子，第一段接口就返回 561003；默认 launch",
    "ACL_EMULATOR_ALLOW": "问题的 ID，用逗号分隔：没有自己的 Machine 的程序既不显示也不统计这些问题",
    "ACL_EMULATOR_ALLOWANCES": "TOML 文件，列出 C 或 C++ 程序允许的问题；或者写 ggml-0.3.36",
    "ACL_EMULATOR_CHECKS": "0：不检查竞争、过早释放和读取未初始化的内存；默认 1",
    "ACL_EMULATOR_DEVICE_COUNT": "Device 的个数；默认 1",
    "ACL_EMULATOR_ERRORS": "问题的 ID，用逗号分隔：这些问题算作 error",
    "ACL_EMULATOR_CALLERS": "报告列出哪些 C 或 C++ 调用的调用者：1、all 或 0；默认 1",
    "ACL_EMULATOR_KERNELS": "供 CMake 使用：带有代替核函数的函数的 C++ 文件，用冒号隔开",
    "ACL_EMULATOR_FAST_CALLS": "0：C 或 C++ 程序的调用都由 Python 处理；默认 1",
    "ACL_EMULATOR_FAULTS": "C 或 C++ 程序里要失败的调用，写法如 aclrtMalloc:3=207001;aclrtMemcpy",
    "ACL_EMULATOR_FILL": "新申请的 Device 内存读出的字节；none：全 0；默认 0xFF",
    "ACL_EMULATOR_FINDINGS": "error：有错误或警告时，C 或 C++ 程序以及 aclnn run 以退出码 86 结束",
    "ACL_EMULATOR_HBM_BYTES": "每个 Device 的内存大小；默认与芯片相同",
    "ACL_EMULATOR_HOST_BYTES": "用到的 Device 内存最多占多少字节的 Host 内存；默认是 Host 现有的内存减去 1 GiB",
    "ACL_EMULATOR_LANG": "en、zh：报告和解释的语言；默认与 locale 相同（LC_ALL、LANG）",
    "ACL_EMULATOR_LIBPYTHON": "C 的库要加载的 Python 共享库；默认是 `aclnn toolkit` 找到的那个",
    "ACL_EMULATOR_MIN_WORKSPACE": "第一段接口返回的 workspace 的最小值，Tensor 为空时除外；默认 0",
    "ACL_EMULATOR_NATIVE": "0：由 numpy 照公式原样计算；plain、avx2、avx512：用已编译求值器的这个版本",
    "ACL_EMULATOR_ON_UNDEFINED": (
        "raise：出现未定义行为时，程序在那个调用处结束；report：只报告；默认值：Python 里是 raise，C 和 C++ 里是 report"
    ),
    "ACL_EMULATOR_PATIENCE": "等待另一个线程超过这么多秒，就算死锁；默认 10",
    "ACL_EMULATOR_REPORT": "报告的文件：.json、.sarif，或者文本",
    "ACL_EMULATOR_REPORT_ALLOWED": "1：torch_npu 或 ggml 没有发现问题时，也列出允许了哪些问题",
    "ACL_EMULATOR_SCHEDULE": "队列里的任务什么时候执行：late（默认）、eager、threads、random",
    "ACL_EMULATOR_SEED": "调度方式 random 的种子",
    "ACL_EMULATOR_SOC": "芯片，即 aclrtGetSocName 返回的名字；默认 Ascend910B1",
    "ACL_EMULATOR_THREADS": "计算大 Tensor 的 Host 线程数；默认 2，只有一个核的主机上是 1",
    "ACL_EMULATOR_TIMELINE_FILE": "C 或 C++ 程序的调用和流的图，写到这个文件：.html 或 .svg",
    "ACL_EMULATOR_TRACE": "1：machine.calls 保留全部调用，而不只是最后 10,000 个；默认 0",
    "ACL_EMULATOR_TRACE_FILE": "C 或 C++ 程序的调用和流的 trace，写到这个文件",
    "ACL_EMULATOR_WINDOW": "0：不预留地址范围；默认 1",
    "ASCEND_AICPU_PATH": _ROOT,
    "ASCEND_CUSTOM_PATH": _ROOT,
    "ASCEND_HOME_PATH": "toolkit 的根目录；程序和它的构建在那里找头文件和库",
    "ASCEND_INSTALL_PATH": _ROOT,
    "ASCEND_OPP_PATH": "算子包的目录；由 toolkit 的 set_env.sh 设置，在这里可以是空目录",
    "ASCEND_RT_VISIBLE_DEVICES": "进程能看到哪些 Device，按什么次序；其中第一个是 device 0",
    "ASCEND_TOOLKIT_HOME": _ROOT,
    "DDK_PATH": _ROOT,
    "PYTORCH_NO_NPU_MEMORY_CACHING": (
        "torch_npu：1：释放的内存不留给之后的 Tensor；`aclnn run --npu --no-cache` 会设置它"
    ),
    "TASK_QUEUE_ENABLE": (
        "torch_npu：0：没有队列，1：第二段接口在单独的线程里调用，2：第一段接口也是；在 Python 进程里，C 的库把它设为 0"
    ),
    "ACLNN_CACHE_LIMIT": "aclnn 算子缓存的条数；0：没有缓存；这里没有缓存",
    "ASCEND_CUSTOM_OPP_PATH": "用户自己的算子包",
    "ASCEND_GLOBAL_EVENT_ENABLE": "1：日志里也有 event",
    "ASCEND_GLOBAL_LOG_LEVEL": "日志级别：0 debug，1 info，2 warning，3 error（默认），4 关闭",
    "ASCEND_HOST_LOG_FILE_NUM": "Host 上日志文件的个数",
    "ASCEND_LAUNCH_BLOCKING": "1：torch_npu 同步下发；自己调用 aclnn 的程序不受它影响",
    "ASCEND_LOG_DEVICE_FLUSH_TIMEOUT": "进程结束时，等待 Device 日志多久",
    "ASCEND_LOG_PRINT_TO_STDOUT": "1：日志写到 stdout",
    "ASCEND_LOG_SYNC_SAVE": "是否同步写日志",
    "ASCEND_MODULE_LOG_LEVEL": "各个模块的日志级别，写法如 MODULE=level:MODULE=level",
    "ASCEND_PROCESS_LOG_PATH": "日志的目录；默认 ~/ascend/log",
    "ASCEND_SLOG_PRINT_TO_STDOUT": "1：日志写到 stdout；已由 ASCEND_LOG_PRINT_TO_STDOUT 取代",
    "ASCEND_WORK_PATH": "没有设置 ASCEND_PROCESS_LOG_PATH 时，日志和其他文件的目录",
    "DISABLE_L2_CACHE": "1：aclnn 不使用参数池；这里没有参数池",
}

"""The topics of lines in logs that have no number, or whose number says less than their words; see `topics`.

The causes are those that users of Ascend reported in public for such a line.
"""

from typing import Final

from aclnn.tools.command.subjects.topic import Topic

TOPICS: Final = (
    Topic(
        "captured stream|stream is captured|stream is in capture mode|流正在捕获",
        "The stream is being captured. A capture only records work, so synchronise, query and blocking copies have to "
        "come before its begin or after its end.",
        "107027 107030 107025 aclrtSynchronizeStream", cause=True,
    ),
    Topic(
        "no stream for a capture|new capture stream failed|get capture stream failed"
        "|捕获没有空闲的流",
        "A capture takes further streams of the device for work on other streams, and the device has none left. "
        "Capture fewer graphs, and destroy the graphs that are not used.",
        "207005 207008 207007 limits", cause=True,
    ),
    Topic(
        "unjoined stream|stream that was not joined|stream is not joined|流没有汇合",
        "A stream that joined the capture through an event did not return to the first stream before its end: record "
        "an event in it, and let the first stream wait for that event.",
        "107025 aclrtRecordEvent aclrtStreamWaitEvent", cause=True,
    ),
    Topic(
        "aclop in a capture|aclop operators during npu graph capture|aclop operators during graph capture"
        "|捕获中的 aclop",
        "torch_npu runs this operator by its type name (aclop), which compiles it and cannot be captured. It does so "
        "for tensors in internal formats such as FRACTAL_NZ, and with jit_compile=True. Use ND tensors and "
        "torch.npu.set_compile_mode(jit_compile=False), or run the operator outside of the capture.",
        "aclopCompileAndExecute aclFormat 107027", cause=True,
    ),
    Topic(
        "no operator package|parse dynamic kernel config fail|aclopkernelinit failed|binarygetfunction failed"
        "|缺少算子包",
        "The operator package of this chip is not installed, or the variables of set_env.sh are not set in this "
        "process. Install the kernels of this chip in the version of the toolkit, and source set_env.sh in the shell "
        "that starts the program. This emulator needs no operator package.",
        "561103 ASCEND_OPP_PATH ASCEND_HOME_PATH 561107", cause=True,
    ),
    Topic(
        "tiling failed|tiling error|do tiling failed|optiling failed|tiling 失败|tiling 报错",
        "The operator could not divide the work among the cores: a shape, a format or an attribute is outside of what "
        "its kernel supports. The lines before this one name it. Compare with the constraints on the page of the "
        "operator.",
        "561002 561103 EZ9999", cause=True,
    ),
    Topic(
        "k-axis|k-axis of the two inputs are different|矩阵乘的 k 轴",
        "In a product of matrices the columns of the first have to be the rows of the second. Check both shapes, and "
        "which of them is transposed.",
        "161002 EZ1001 aclnnMatmul aclnnAddmm", cause=True,
    ),
    Topic(
        "fractal_nz with a dimension of 1|n = 1 or k = 1|format is fractal_nz|为 1 的维和 fractal_nz",
        "A weight in the format FRACTAL_NZ has constraints of its own: here no dimension of the product may be 1. "
        "Pass this weight in ND.",
        "aclFormat 161002 aclnnNpuFormatCast", cause=True,
    ),
    Topic(
        "a check of an operator|should be ... but|should also be ... but|must be ... but|expected ... but got"
        "|算子检查",
        "A check of an operator refused the arguments. The sentence names the parameter, its value and what is "
        "allowed; the line above or below it names the operator, and `aclnn explain OPERATOR` lists its checks.",
        "161002 EZ1001", cause=True,
    ),
    Topic(
        "host address in a copy|convert memory address from virtual to dma physical"
        "|拷贝的 host 地址",
        "The driver could not use an address for a copy. Public reports have it for memory of the host that "
        "aclrtMallocHost did not allocate, such as a mapped file, in an asynchronous copy. Copy from pinned memory, "
        "or with aclrtMemcpy.",
        "pageable-async EL0003 107017 aclrtMallocHost aclrtMemcpyAsync", cause=True,
    ),
    Topic(
        "a core used a wrong address|the ub address accessed by|mpu address access is invalid|ddr address of the mte "
        "instruction|核访问了错误的地址",
        "A core used an address that it may not use. The mistake is in the kernel, or in what the host passes to it: "
        "memory freed too early, a tensor larger than its memory, an index out of range. Run the program here: the "
        "finding names the line.",
        "storage-exceeds-alloc io-freed-early index-range misaligned 507035 507015", cause=True,
    ),
    Topic(
        "unsupported soc version|soc version is not supported|soc version not support|不支持这款芯片",
        "The program, or a package that it uses, was not built for this chip. Install the package of this chip, or "
        "build for the name that aclrtGetSocName returns.",
        "507008 aclrtGetSocName op-soc 561107", cause=True,
    ),
    Topic(
        "use after fork|forked subprocess|re-initialize npu|use the 'spawn' start method|fork 子进程",
        "A process that was forked after its parent used the device cannot use it. Start workers with spawn "
        "(multiprocessing.set_start_method(\"spawn\")), or fork before the first call.",
        "fork-after-init aclInit aclrtSetDevice", cause=True,
    ),
    Topic(
        "libatb.so|libatb_static.a|缺少 atb",
        "The library of ATB belongs to NNAL, a package of its own: install it, and source its set_env.sh beside that "
        "of the toolkit. This emulator does not have ATB.",
        "ASCEND_HOME_PATH", cause=True,
    ),
    Topic(
        "libascend_hal.so|libdrvdsmi.so|libdcmi.so|缺少驱动的库",
        "The library belongs to the driver: install it on the host, and mount it into a container "
        "(/usr/local/Ascend/driver). A toolkit of this emulator has libascend_hal.so, which profilers load, not the "
        "others.",
        "ASCEND_HOME_PATH 507033", cause=True,
    ),
    Topic(
        "missing library|cannot open shared object file|library not found|找不到动态库|找不到共享库|找不到库",
        "The loader does not find a library. Those of CANN are in lib64 of the toolkit: source its set_env.sh in the "
        "shell that starts the program. Here `aclnn toolkit DIR` writes the libraries and DIR/set_env.sh, and `aclnn "
        "run --npu` sets the variables itself.",
        "ASCEND_HOME_PATH ASCEND_TOOLKIT_HOME", cause=True,
    ),
    Topic(
        "undefined reference|undefined symbol|未定义的引用|未定义符号",
        "The linker or the loader does not find a function in its libraries. Name them behind the objects that use "
        "them: -L$ASCEND_HOME_PATH/lib64 -lascendcl, for operators also -lnnopbase -lopapi, for HcclX -lhccl. Check "
        "that libraries and headers are of one version.",
        "ASCEND_HOME_PATH", cause=True,
    ),
    Topic(
        "missing feature of the chip|set streamoverflowswitch failed|driver and firmware packages do not match"
        "|芯片没有的特性",
        "torch_npu asked for a feature that the chip, or its driver, does not have. Its advice about the packages is "
        "one of several possible causes: an earlier call of a missing feature shows the same words.",
        "207000 aclrtSetStreamOverflowSwitch aclrtSetDeviceSatMode", cause=True,
    ),
    Topic(
        "a rank that waits|watchdog caught collective operation timeout|getting socket times out|wait execution of "
        "the notify register"
        "|heartbeat lost|集合通信超时",
        "A rank waited for another rank that did not take part: it failed, ended, or called another operation. Look "
        "for the first error in the logs of all ranks. The rank that waits is not the cause.",
        "EI0006 EI0002 EI0015 507048", cause=True,
    ),
    Topic(
        "failure of hccl|hccl function error|hccl error|hccl 失败|hccl 报错",
        "A function of the communication library failed. Its result and the text with EI or EJ beside it name the "
        "reason; at creation it is often a rank that is missing, or a port that is in use.",
        "HCCL_E_TIMEOUT EI0015 EI0006 EI0019",
    ),
    Topic(
        "collective communication|hccl|allreduce|集合通信|分布式|通信域",
        "The ranks of a communicator call the same operations in the same order, each with its own device.",
        "HCCL_E_TIMEOUT EI0005 EI0006 EI0015 ASCEND_RT_VISIBLE_DEVICES", specific=False,
    ),
)  # fmt: skip

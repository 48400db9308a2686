"""The sentences about the topics of `aclnn explain` in Chinese, by the names of the topics."""

from typing import Final

ABOUT: Final = {
    "captured stream": "流正在捕获。捕获只记录任务，所以同步、查询和阻塞的拷贝，要放在捕获开始之前或结束之后。",
    "no stream for a capture": (
        "捕获时，其他流上的任务还要占用 Device 的流，而 Device 已经没有空闲的流。减少捕获的图，销毁不再使用的图。"
    ),
    "unjoined stream": (
        "一个流通过事件加入了捕获，在捕获结束之前没有回到最初的流：在这个流里记录事件，再让最初的流等待这个事件。"
    ),
    "aclop in a capture": (
        "torch_npu 按类型名（aclop）执行这个算子，要先编译，因此不能捕获。张量是 FRACTAL_NZ 等私有格式，或者 "
        "jit_compile=True 时"
        "就会这样。改用 ND 张量，设置 torch.npu.set_compile_mode(jit_compile=False)，或者在捕获之外执行这个算子。"
    ),
    "no operator package": (
        "没有安装这款芯片的算子包，或者这个进程没有 set_env.sh 设置的变量。安装与 toolkit 版本相同的、这款芯片的 "
        "kernels 包，"
        "并在启动程序的 shell 里 source set_env.sh。本模拟器不需要算子包。"
    ),
    "tiling failed": (
        "算子无法把任务分给各个核：某个 shape、格式或属性超出了核函数支持的范围。这一行之前的几行写明是哪一个。请对照"
        "算子页面的约束。"
    ),
    "k-axis": "矩阵相乘时，第一个矩阵的列数必须等于第二个矩阵的行数。检查两个 shape，以及哪一个转置了。",
    "fractal_nz with a dimension of 1": (
        "FRACTAL_NZ 格式的权重另有约束：这里，矩阵乘的各维都不能是 1。这个权重请用 ND 格式传入。"
    ),
    "a check of an operator": (
        "算子的一项检查拒绝了参数。这句话写明参数、它的值和允许什么；上一行或下一行有算子的名字，"
        "`aclnn explain 算子名` 列出它的各项检查。"
    ),
    "host address in a copy": (
        "驱动不能用这个地址拷贝。公开的问题报告里，多半是异步拷贝用了不是 aclrtMallocHost 申请的 Host 内存，例如映射"
        "的文件。"
        "请从锁页内存拷贝，或者使用 aclrtMemcpy。"
    ),
    "a core used a wrong address": (
        "核访问了不允许访问的地址。错误在核函数里，或者在 Host 传给它的东西里：内存释放得太早，Tensor 比它的内存大，"
        "索引越界。"
        "在这里运行程序：报告会指出是哪一行。"
    ),
    "unsupported soc version": (
        "程序或它使用的软件包不是为这款芯片构建的。安装这款芯片的软件包，或者按 aclrtGetSocName 返回的名字构建。"
    ),
    "use after fork": (
        "父进程用过 Device 之后再 fork，子进程就不能使用 Device。用 spawn 启动子进程"
        '（multiprocessing.set_start_method("spawn")），或者在第一次调用之前 fork。'
    ),
    "libatb.so": (
        "ATB 的库属于单独的软件包 NNAL：安装它，并在 toolkit 的 set_env.sh 之外再 source 它的 set_env.sh。本模拟器没"
        "有 ATB。"
    ),
    "libascend_hal.so": (
        "这个库属于驱动：在主机上安装驱动，并把它挂载到容器里（/usr/local/Ascend/driver）。本模拟器的 toolkit 里有 "
        "libascend_hal.so，供 profiler 加载，没有其他几个。"
    ),
    "missing library": (
        "加载器找不到库。CANN 的库在 toolkit 的 lib64 里：在启动程序的 shell 里 source 它的 set_env.sh。在这里，"
        "`aclnn toolkit DIR` 写出库和 DIR/set_env.sh，`aclnn run --npu` 会自己设置这些变量。"
    ),
    "undefined reference": (
        "链接器或加载器在各个库里找不到某个函数。把库写在使用它的目标文件之后：-L$ASCEND_HOME_PATH/lib64 -lascendcl，"
        "算子还要 -lnnopbase -lopapi，HcclX 要 -lhccl。还要检查库与头文件的版本是否相同。"
    ),
    "missing feature of the chip": (
        "torch_npu 要用的特性，这款芯片或它的驱动没有。它所说的软件包不匹配只是可能的原因之一：之前调用过不支持的特性，"
        "也会出现同样的文字。"
    ),
    "a rank that waits": (
        "一个 rank 在等另一个没有参加的 rank：那个 rank 失败了、结束了，或者调用了别的操作。在所有 rank 的日志里找最"
        "早的错误。"
        "等待的 rank 不是原因。"
    ),
    "failure of hccl": (
        "集合通信库的函数失败了。它的结果和旁边带 EI 或 EJ 的文字写明原因；创建时失败，多半是缺少某个 rank，或者端口"
        "已被占用。"
    ),
    "collective communication": "一个通信域的各个 rank，以相同的次序调用相同的操作，每个 rank 使用自己的 Device。",
    "no module acl": (
        "pyACL 随 CANN 安装：source 它的 set_env.sh。在这里，`aclnn run --pyacl 文件` 让程序使用模拟器的 acl；测试里用 "
        "acl_runtime.pyacl.install()。"
    ),
    "no module torch_npu": (
        "torch_npu 是 PyTorch 的 NPU 插件，用 pip 安装，版本与 torch 对应。在这里，`aclnn run --npu 文件` 运行使用它的"
        "程序；`aclnn docs clients/pytorch` 写明支持哪些版本。"
    ),
    "offline model": (
        ".om 文件的内容没有公开。在这里，测试说明输入和输出，由 Python 函数或 ONNX 文件计算：见 `aclnn docs models`。"
    ),
    "graph mode": ("捕获记录一个流的任务，重放把它们作为整体下发：见 `aclnn docs graphs`。这里没有图引擎（GE）的图。"),
    "environment variable": (
        "CANN 的环境变量由 set_env.sh 设置。模拟器的环境变量以 ACL_EMULATOR_ 开头：`aclnn docs cpp` 列出它们，"
        "`aclnn doctor` 显示设置了哪些。"
    ),
    "deterministic": "在设备上，有些求和没有固定的次序，除非程序要求。在这里，每次运行的结果都相同。",
    "version mismatch": (
        "驱动、CANN、算子包和 torch_npu 的版本要互相配套。模拟器只代替其中一部分：`aclnn doctor` 显示装了什么。"
    ),
    "use after free": "aclrtFree 不等待队列里的任务：先同步流，再释放。报告会指出释放的是哪块内存、哪个任务还在用它。",
    "double free": "每个地址只释放一次，用与申请配对的函数；每个对象只销毁一次。",
    "out of memory": "Device 或者 Host 没有内存了。释放不再需要的内存；错误信息会列出还没有释放的内存。",
    "memory leak": "程序一直没有释放的对象，会在 Machine 关闭时报告，并指出创建它的代码行。",
    "segmentation fault": (
        "Host 访问了不属于它的地址，多半是 Device 地址：要用 aclrtMemcpy 拷贝。`aclnn run` 会指出是哪一行。"
    ),
    "out of bounds": "拷贝、Tensor 或者索引超出了它的内存。模拟器会指出是哪块内存、多大、在哪一行。",
    "index out of range": "索引或者 target 超出了范围；真实设备很晚才报告，或者根本不报告。",
    "race condition": "两个流，或者流与 Host，使用同一些字节，先后不确定：记录事件，再等待它。",
    "uninitialised": "算子读取了从未写过的 Device 内存。",
    "wrong result": "常见原因：还没有同步就读取结果、内存从未写过、流之间没有先后、数据类型不对。",
    "hang": "等待永远不会结束：事件没有人记录，或者回调没有人执行。",
    "timeout": "任务执行的时间超过了限制，或者在等待永远不会发生的事。",
    "aicore exception": "任务在 Device 的核上失败了；返回这个错误的调用本身没有错。",
    "vector core exception": "任务在 Device 的 vector core 上失败了；返回这个错误的调用本身没有错。",
    "aicpu exception": "任务在 Device 的 AI CPU 上失败了；返回这个错误的调用本身没有错。",
    "aicore timeout": "任务在 Device 的核上执行的时间超过了限制，或者因陷阱而停止。",
    "context pointer null": "每个调用接口的线程，都需要自己的当前 Context。",
    "stream not in current context": "流或事件是在另一个 Context 里创建的，不是当前 Context。",
    "parameter error": "调用拒绝了一个参数。在同一个线程里调用 aclGetRecentErrMsg，它写明是哪个参数、允许什么。",
    "null pointer": "必需的指针或对象为空。函数创建不了对象时返回空：要检查。",
    "not supported": "产品或者本模拟器不提供它。`aclnn ops` 按产品列出算子和数据类型。",
    "no device": "没有这个编号的 Device，或者进程不能使用它。",
    "not aligned": "地址没有从 kernel 要求的整数倍处开始。",
    "inner error": "内部错误有编码，但没有固定的含义：编码后面的文字写明原因。",
    "error message": "失败之后，立即在同一个线程里读取错误信息；读取之后它就清空了。",
    "error code": "每个函数都返回返回码；`aclnn explain 数字` 解释一个返回码，三位数字列出一类。",
    "memory": "Device 内存要通过接口申请、拷贝和释放；Host 不能直接访问。",
    "synchronise": "任务在流里排队：读取结果或释放内存之前，要先等待它。",
    "asynchronous": "异步调用把任务放进队列就返回；失败要到之后的同步才会出现。",
    "copy": "拷贝要写明方向，以及两边的大小。",
    "stream": "一个流里的任务依次执行；两个流同时执行。",
    "event": "事件标记流里的一个位置，Host 或别的流可以等待它。",
    "callback": "流的回调在 Host 线程里执行，这个线程要订阅并处理它们。",
    "context": "Context 属于一个 Device，流和事件属于 Context；每个线程有一个当前 Context。",
    "device": "先设置 Device，再调用别的接口；设置了几次，就要重置几次。",
    "workspace": "第一段接口返回第二段接口需要的字节数；算子执行完之前，不要释放 workspace。",
    "executor": "第一段接口生成执行器，一次第二段接口就用掉它，除非它设为可复用。",
    "tensor": "Tensor 描述内存：数据类型、shape、stride、offset、storage 和地址。",
    "dtype": "算子支持的数据类型与产品有关：`aclnn ops` 会列出。",
    "shape": "各个 shape 要像算子文档写的那样相容。",
    "initialise": "先调用一次 aclInit，再调用 aclrtSetDevice；最后调用 aclrtResetDevice 和 aclFinalize。",
    "log": "CANN 把日志写到 ~/ascend/log；在这里，细节见 aclGetRecentErrMsg 和问题报告。",
    "non-contiguous": (
        "视图有 stride（以元素为单位）和 offset。多数算子接受视图；错误信息会写明视图的内存到哪里为止，以及哪些算子要"
        "求连续。"
    ),
    "broadcast": "从最后一维开始逐维比较：两边相等，或者一边是 1 或没有这一维。",
    "overflow": "值超出了数据类型的范围；FLOAT16 最大是 65504。溢出时取无穷还是饱和，是 Device 的模式。",
    "reuse": "一个执行器只能下发一次，除非它是可复用的。用这块内存的任务完成之后，才能再次使用它。",
    "thread": "每个线程都需要自己的当前 Context，错误信息属于调用的线程。",
    "several devices": (
        "一个进程可以使用多个 Device：在一个线程里先后使用，或者每个 Device 一个线程。流和内存属于一个 Device。"
    ),
    "operator": "一个算子有两个函数：先求 workspace 的大小，再下发。`aclnn ops` 列出所有算子。",
    "chip": "芯片决定资源上限、数据类型和算子。在这里用 ACL_EMULATOR_SOC 或 Machine(soc=...) 选择芯片。",
    "random": (
        "随机算子有种子和偏移，相同的种子和偏移得到相同的数。本模拟器的调度方式 random 是另一回事：它指各个流执行的次"
        "序。"
    ),
    "data format": "Tensor 有格式：多数算子用 ND。FRACTAL_NZ 等私有格式由 aclnnNpuFormatCast 得到。",
}

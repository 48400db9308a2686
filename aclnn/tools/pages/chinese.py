"""The Chinese sentences of rendered pages whose English ones stand in the catalogue or in docstrings."""

from collections.abc import Mapping
from typing import Final

WHAT: Final[Mapping[str, str]] = {
    "ws-freed-early": "算子还没有执行完，就释放了它的 workspace。",
    "io-freed-early": "队列里的任务还要读写 Tensor 的内存，就释放了它。",
    "read-before-sync": "还没有等写结果的流，Host 就读取了结果。",
    "pinned-reuse": "拷贝还没有执行，就改动或释放了它要用的锁页内存。",
    "xstream-race": "两个流，或者流与 Host，使用同一些字节，先后不确定。",
    "ws-shared": "两个可能同时执行的算子共用一个 workspace。",
    "exec-reused": "同一个执行器下发了第二次。",
    "exec-destroy-after-run": "执行器下发后已经失效，又去销毁它。",
    "exec-leaked": "调用了第一段接口，却既没有调用第二段接口，也没有调用 aclDestroyAclOpExecutor。",
    "repeat-late": "调用 aclSetAclOpExecutorRepeatable 太晚：又调用过别的第一段接口，或者换了线程。",
    "repeat-not-destroyed": "可复用的执行器一直没有销毁。",
    "exec-wrong-op": "下发执行器的算子，不是生成它的算子。",
    "exec-twin": "执行器由算子的原地形式下发，生成它的却是非原地形式，或者相反。",
    "exec-failed-phase1": "第一段接口失败了，仍把它的执行器交给第二段接口。",
    "exec-cross-thread": "两个线程同时使用一个执行器。",
    "ws-null": "workspace 的大小不是 0，地址却为空。",
    "ws-small": "workspace 比第一段接口要求的小。",
    "ws-host-ptr": "workspace 或 Tensor 的数据在 Host 内存里。",
    "ws-foreign": "workspace 或 Tensor 的数据与流不在同一个 Device 上。",
    "tensor-destroyed-early": "在两段接口之间销毁了 Tensor，或者 Tensor 比使用它的可复用执行器先销毁。",
    "tensor-double-destroy": "Tensor、标量、数组或列表被销毁了两次。",
    "tensor-leaked": "Tensor、标量、数组或列表一直没有销毁。",
    "unmapped-access": "使用了没有映射物理内存的虚拟内存。",
    "data-freed-under-tensor": "下发算子时，Tensor 的内存已经不存在。",
    "view-exceeds-storage": "Tensor 的 view 超出了它的 storage。",
    "storage-exceeds-alloc": "Tensor 的 storage 比实际的内存大。",
    "misaligned": "Tensor 的数据或 workspace 没有按 32 字节对齐。",
    "neg-stride-offset": "Tensor 的 stride 或 offset 是负数。",
    "alias-overlap": "输出与输入，或者与另一个输出，有一部分字节重叠。",
    "out-self-overlap": "输出自己的元素之间有字节重叠。",
    "rebind-oob": "传给 aclSet...TensorAddr 的索引，执行器里没有。",
    "null-required": "必需的指针为空。",
    "dtype-soc": "这个算子在该产品上不支持这种数据类型。",
    "op-soc": "该产品没有这个算子。",
    "shape-dim": "shape、维数或 dim 不符合要求。",
    "index-range": "embedding 的索引或 target 超出范围。",
    "value-limit": "参数取了文档不允许的值。",
    "uninit-read": "算子读取了从未写过的 Device 内存。",
    "memcpy-size": "拷贝越过了 Device 内存的末尾。",
    "memcpy-kind": "拷贝的类型与地址不符。",
    "memcpy-async-h2h": "在两块 Host 内存之间做异步拷贝。",
    "pageable-async": "异步拷贝用了普通的 Host 内存。",
    "malloc-zero": "申请 0 字节的内存。",
    "bad-free": "释放的地址不是申请得到的首地址。",
    "no-context": "发起调用的线程没有当前 Context。",
    "wrong-context": "使用的流不属于当前 Context。",
    "dead-handle": "对象销毁之后，还在使用它的句柄。",
    "event-misuse": "流等待的事件从未记录过。",
    "event-reset-early": "流可能还在等待事件，就重置了它。",
    "destroy-pending-stream": "流里还有没等待过的任务，就销毁了它。",
    "order-teardown": "先重置了 Device，然后才销毁它的流、事件或 Context。",
    "unsupported-product": "文档没有说该产品支持这个函数，程序却调用了它。",
    "init": "一直没有调用 aclInit。",
    "finalize-pending": "队列里还有任务，就调用了 aclFinalize。",
    "ignored-ret": "有的返回码不是成功，程序却从未检查。",
    "async-err-lost": "任务在 Device 上失败，之后的同步返回它的返回码。",
    "stale-errmsg": "在没有错误信息可读的地方调用 aclGetRecentErrMsg：换了线程，或者（C）连续读了两次。",
    "callback-acl": "在流的回调里调用了下发、等待、申请或释放的函数。",
    "capture-sync": "捕获流的过程中做了同步。",
    "fork-after-init": "fork 出来的子进程使用父进程的运行时。",
    "limits": "Device 上的流、事件或内存用完了。",
    "churn": "每执行一个算子，都申请和释放一次内存，或者同步一次 Device。",
    "mem-leaked": "Device 内存没有释放，或者预留的虚拟内存没有释放。",
    "host-mem-leaked": "锁页内存没有释放，或者没有注销。",
    "stream-leaked": "流没有销毁。",
    "event-leaked": "事件没有销毁。",
    "context-leaked": "Context 没有销毁。",
    "device-not-reset": "设置 Device 的次数多于重置的次数。",
    "work-dropped": "流、Context 或 Machine 已经不存在，队列里却还有任务。",
    "deadlock": "等待的条件谁也无法满足。",
    "host-overrun": "拷贝越过了 Host 对象的末尾，或者它的地址不是 Host 内存。",
    "machine-closed": "线程所属的 Machine 关闭之后，线程还在调用接口。",
    "dtype-converted": "输出的数据类型与梯度不同。",
    "kernel-raised": "用户提供的函数抛出了异常，或者结果的 shape 或数据类型不对。",
    "hf32": "FLOAT 矩阵乘允许用 HFLOAT32 计算，这里用 FLOAT 计算。",
    "host-dtype": "把 Host 的 float64 或 int64 数组拷贝到了元素只有 4 字节或更小的 Tensor 里。",
    "format-mismatch": "算子把 FRACTAL_NZ 格式的内存当作 ND 读取，或者反过来。",
}
"""for each finding, in the order of the catalogue, what the host code did"""
MISTAKES: Final[Mapping[str, tuple[str, str]]] = {
    "workspace_freed_early": (
        "离开作用域时释放的 workspace",
        "在 C++ 里，guard 对象会在函数返回时释放 workspace。这时下发已经返回，但算子还没有执行，而 aclrtFree 不会等它。"
        "下一次 aclrtMalloc 拿到的正是这块内存。数据量小的测试几个月都能通过；负载一高，新申请到的内存里的数据就会被"
        "覆盖，计算结果出错。",
    ),
    "result_copied_early": (
        "还没算出来就拷回的结果",
        "第二段接口返回 0，作者以为算子已经执行完了。其实它只表示算子进了队列。aclrtMemcpy 立即拷贝，不等待任何流，"
        "所以拷回来的是 buffer 里的旧内容。",
    ),
    "executor_launched_twice": (
        "留到下一步再用的执行器",
        "第一段接口要花时间，而 shape 从来不变。于是程序只调用一次第一段接口，每一步都下发同一个执行器。但执行器只能"
        "下发一次，下发之后就被释放了。第二步用的是已经释放的内存，有时甚至还能算出正确的结果。",
    ),
    "executor_destroyed_after_launch": (
        "下发之后又销毁一次的执行器",
        "每个 aclCreate... 都有对应的 aclDestroy...，所以销毁执行器看上去理所当然。但它下发之后就已经失效。再销毁就是"
        "第二次释放，从此进程的堆就被破坏了。",
    ),
    "tensor_list_leaked": (
        "每一步都创建、从不销毁的 Tensor 列表",
        "列表拥有其中的 Tensor，会负责销毁它们，可是列表自己没有人销毁。没有任何调用失败。每一步都多占用几百字节的 "
        "Host 内存，几小时之后内存耗尽，进程被杀死。",
    ),
    "view_larger_than_buffer": (
        "比内存还大的 view",
        "batch 从 4 行增加到 6 行。Tensor 改了，申请的内存没有改。真实设备会从 buffer 后面的内存里读取两行，不管那里"
        "放着什么，还会往那里写入两行。",
    ),
}
"""for each program of samples/mistakes its title and its story"""

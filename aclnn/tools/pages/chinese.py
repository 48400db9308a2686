"""The Chinese sentences of rendered pages; docstrings of the programs have the English sentences."""

from collections.abc import Mapping
from typing import Final

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
WRONG: Final[Mapping[str, str]] = {
    "ws-freed-early": "算子可能还在执行，就释放了它的 workspace。",
    "io-freed-early": "算子可能还在写输出，就释放了它的内存。",
    "read-before-sync": "没有等计算结果的流，就把结果拷贝到 Host。",
    "pinned-reuse": "读取锁页内存的拷贝还没有执行，就改动了这块内存。",
    "xstream-race": "第二个流读取第一个流所写的字节，没有事件确定两者的先后。",
    "ws-shared": "两个流里的算子使用同一个 workspace。",
    "exec-reused": "没有设为可复用的执行器，下发了两次。",
    "exec-destroy-after-run": "执行器下发之后已经失效，又去销毁它。",
    "exec-leaked": "只为了得到 workspace 的大小而调用第一段接口，它的执行器一直没有销毁。",
    "repeat-late": "设为可复用太晚了：另一个执行器的第一段接口已经调用过。",
    "repeat-not-destroyed": "设为可复用的执行器下发过，却一直没有销毁。",
    "exec-wrong-op": "一个算子生成的执行器，由另一个算子下发。",
    "exec-twin": "aclnnRelu 生成的执行器，由 aclnnInplaceRelu 下发。",
    "exec-failed-phase1": "第一段接口失败了，第二段接口得到的是执行器变量里原来的值。",
    "exec-cross-thread": "两个线程同时下发同一个可复用的执行器。",
    "ws-small": "workspace 只有第一段接口所要求的一半大。",
    "ws-host-ptr": "在锁页内存上创建 Tensor，而算子不能使用这种内存。",
    "ws-foreign": "申请输出的内存时，当前 Context 属于另一个 Device。",
    "tensor-destroyed-early": "在两段接口之间销毁了 Tensor。",
    "tensor-double-destroy": "先销毁了列表，又销毁列表里的 Tensor。",
    "tensor-leaked": "循环里为每个 batch 创建一个 Tensor，却从不销毁。",
    "unmapped-access": "往预留的地址拷贝，而物理内存只映射到了前一半。",
    "data-freed-under-tensor": "下发算子之前，就释放了 Tensor 的内存。",
    "view-exceeds-storage": "storage 有 16 个元素，view 也有 16 个元素，却从第 8 个元素开始。",
    "storage-exceeds-alloc": "需要 16 个元素的内存，却把元素个数当作字节数去申请。",
    "misaligned": "Tensor 从它的内存起点之后 4 字节处开始。",
    "neg-stride-offset": "view 的 stride 是负数，倒着访问 storage 的各行。",
    "alias-overlap": "输出从输入的中间开始。",
    "out-self-overlap": "输出第一维的 stride 是 0，所以各行都在同一个地址。",
    "index-range": "表只有第 0 到 3 行，索引却指向第 4 行。",
    "uninit-read": "申请了输入的内存，却没有往里拷贝任何数据。",
    "memcpy-size": "拷贝写入的字节比 Device 内存多，而且 destMax 也写大了。",
    "memcpy-elements": "从 Device 拷贝到 Host，count 却写成了数组的元素个数。",
    "memcpy-kind": "从 Device 拷贝到 Host，类型却写成了从 Host 到 Device。",
    "pageable-async": "异步拷贝的一端是普通 Host 内存，所以并不是异步的。",
    "dead-handle": "销毁 Tensor 之后，还在使用它。",
    "event-misuse": "流等待一个事件，而事件要到之后才记录。",
    "event-reset-early": "在记录事件的流里重置事件，而另一个流还在等待它。",
    "destroy-pending-stream": "队列里的内存设置还没有执行，就销毁了流。",
    "order-teardown": "流还没有销毁，就重置了 Device。",
    "unsupported-product": "用来设置超时的函数，文档没有说该产品支持。",
    "init": "程序没有调用 aclInit 就设置了 Device。",
    "finalize-pending": "队列里的内存设置还没有执行，程序就调用了 aclFinalize。",
    "ignored-ret": "目标太小，拷贝失败，程序却继续运行。",
    "stale-errmsg": "工作线程里的调用失败，却在主线程里读错误信息。",
    "callback-acl": "流的回调自己下发下一个任务。",
    "fork-after-init": "fork 出来的子进程用父进程的运行时，把自己的 batch 拷贝到 Device。",
    "churn": "执行许多算子，每个算子都申请和释放一次 workspace。",
    "mem-leaked": "申请了 Device 内存，却一直没有释放。",
    "host-mem-leaked": "申请了锁页内存，却一直没有释放。",
    "stream-leaked": "程序结束时，还有一个流没有销毁。",
    "model-leaked": "程序结束时，还有一个模型没有销毁。",
    "model-buffer-short": "程序自己计算输出的字节数，申请的内存太小。",
    "model-unloaded-early": "异步执行模型之后，马上卸载模型。",
    "model-not-unloaded": "程序结束时，还有一个模型没有卸载。",
    "model-other-context": "在默认 Context 里加载模型，却在另一个 Context 里执行。",
    "gear-not-set": "模型的 batch 是动态的，程序没有选择 batch 就执行模型。",
    "update-race": "一个流更新任务组，另一个流执行模型，两者之间没有事件。",
    "graph-memory-gone": "捕获之后释放了 Tensor 的内存，然后又执行模型。",
    "event-leaked": "每个 batch 都创建一个事件，却从不销毁。",
    "context-leaked": "创建了 Context，却一直没有销毁。",
    "device-not-reset": "Device 设置了两次，只重置了一次。",
    "work-dropped": "流里的任务还排在一次等待之后，流就被强制销毁了。",
    "collective-mismatch": "一个 rank 调用 HcclAllReduce，另一个 rank 调用 HcclBroadcast。",
    "collective-absent": "一个 rank 调用 HcclAllReduce 并等待，另一个 rank 一直没有调用。",
    "comm-foreign": "rank 0 的操作用了 rank 1 的流，而这个流在另一个 Device 上。",
    "comm-cross-thread": "两个线程同时调用同一个通信域的操作。",
    "comm-two-streams": "一个通信域的两个操作在两个流里，流之间没有事件。",
    "comm-in-capture": "通信域的第一个操作是在捕获里调用的。",
    "comm-destroyed-early": "还没有同步操作所在的流，就销毁通信域。",
    "comm-leaked": "创建并使用了通信域，却一直没有销毁。",
    "deadlock": "Host 等待一个流，流等待一个事件，而 Host 要等到之后才记录这个事件。",
    "host-overrun": "往回拷贝时，把 64 字节写进了只有 16 字节的数组。",
    "machine-closed": "线程在 Machine 的 `with` 块里启动，with 块结束之后还在调用接口。",
    "dtype-converted": "梯度是 float16，输出是 float32。",
    "kernel-arguments": "参数列表里少了核函数的最后一个参数，也就是元素个数。",
    "kernel-raised": "用户为 aclnnErf 提供的函数，返回的数据类型与输出的不同。",
    "hf32": "矩阵乘允许用 HFLOAT32 计算，而本模拟器只在要求时才这样算。",
    "host-dtype": "Host 把 float64（numpy 的默认类型）拷贝到 ACL_FLOAT Tensor 的内存里。",
    "format-mismatch": "Host 把权重转换成 FRACTAL_NZ 格式，然后用同一块内存上的 ND 格式 Tensor 对它做缩放。",
}
"""for each finding, the mistake of its program in samples/findings"""

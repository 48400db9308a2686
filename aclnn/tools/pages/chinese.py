"""The Chinese sentences of rendered pages whose English ones stand in docstrings."""

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

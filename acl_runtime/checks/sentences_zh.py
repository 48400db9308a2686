"""The first lines of findings, and the lines of their history, in Chinese: by the template of the English `Text`.

A placeholder whose name begins with "_" is for English grammar, and is not in the Chinese text. `{site}` in a line of
the history stands for file and line.
"""

from typing import Final

RACES: Final = {
    "{second} {verb} {bytes} ({role}), which {first} {other_verb} ({other_role}); nothing orders the two ({how}): "
    "{missing}.":
        "{second} {verb} {bytes}（{role}），而 {first} {other_verb}这些字节（{other_role}）；两者的先后没有保证"
        "（{how}）：{missing}。",
    "{piece} {fate} the {role} of {action} in {agent}, which the host has not waited for.":
        "{piece} {fate} {agent} 里 {action} 的{role}，而 Host 还没有等待它执行完。",
    "the host changes {pinned} + {at} while it is the {role} of {action} in {agent}, before it waited for that.":
        "Host 改动了 {pinned} + {at}，这时它还是 {agent} 里 {action} 的{role}，Host 还没有等待它执行完。",
    "the host changed bytes of {pinned} while they were the {role} of {action} in {agent}, before it waited for that "
    "(somewhere in the {size} bytes from + {at} on).":
        "Host 改动了 {pinned} 里的字节，当时它们还是 {agent} 里 {action} 的{role}，Host 还没有等待它执行完（改动在 "
        "+ {at} 开始的 {size} 字节之内）。",
    "the host reads {pinned} + {at}, which {action} in {agent} writes ({role}); nothing orders the two (read after "
    "write): the host has not waited for {agent}.":
        "Host 读取 {pinned} + {at}，而 {agent} 里的 {action} 会写这些字节（{role}）；两者的先后没有保证（写后读）："
        "Host 还没有等待 {agent}。",
    "{call} of {me} reads the view shape of {tensor}, which {task} in {stream} finds out; {me} has not waited for "
    "{stream}.":
        "{me} 的 {call} 读取 {tensor} 的 view shape，而它要由 {stream} 里的 {task} 算出来；{me} 还没有等待 {stream}。",
    "{second} in {stream} {verb} the operators of {group}, which {first} in {other} {other_verb}; nothing orders the "
    "two: {missing}.": "{stream} 里的 {second} {verb} {group} 的算子，{other} 里的 {first} {other_verb} 这些算子；"
    "两者之间没有先后顺序：{missing}。",
    "{agent} resets {event} while {stream} may still wait for it: nothing orders the two.":
        "{agent} 重置 {event} 时，{stream} 可能还在等待它：两者的先后没有保证。",
    "{action} in {agent} reads the {role}, whose byte {at} ({name}) was never written.":
        "{agent} 里的 {action} 读取{role}，而它的第 {at} 字节（{name}）从未写过。",
    "{action} {verb} {count} bytes at {name} ({role}), and nothing was ever written there.":
        "{action} {verb} {name} 处的 {count} 字节（{role}），而那里从未写过任何数据。",
    "count = {count} bytes, which is the number of elements of {target}; these are {nbytes} bytes. The rest of the "
    "array has its old values.":
        "count = {count} 字节，正是 {target} 的元素个数；这些元素共有 {nbytes} 字节。数组的其余部分仍是原来的内容。",
    "{action} in {agent} reads {role} as {dtype} ({width} an element), but the data was copied from an array of "
    "{source} ({bytes} bytes an element).":
        "{agent} 里的 {action} 把{role}按 {dtype} 读取（每个元素 {width}），而数据是从 {source} 数组拷贝来的"
        "（每个元素 {bytes} 字节）。",
    "{action} in {agent} reads the {role} as ND, but its memory holds {stored}.":
        "{agent} 里的 {action} 把{role}按 ND 读取，而内存里存放的是 {stored}。",
    "{action} in {agent} reads the {role} as {stored} ({dtype}), but its memory {holds}.":
        "{agent} 里的 {action} 把{role}按 {stored}（{dtype}）读取，而内存里{holds}。",
    "a wait that nobody can satisfy: {sides}.": "死锁，等待永远不会结束：{sides}。",
}  # fmt: skip
"""memory that is used in no order, or too early"""

HANDLES: Final = {
    "argument {parameter} of {call} is no live {kind}: {where}.":
        "{call} 的参数 {parameter} 不是有效的 {kind}：{where}。",
    "member {at} of argument {parameter} of {call} is destroyed: {where}.":
        "{call} 的参数 {parameter} 的第 {at} 个成员已经销毁：{where}。",
    "{parameter} is no live {kind}: {where}. The library would follow a dangling pointer.":
        "{parameter} 不是有效的 {kind}：{where}。真实的库会访问悬空指针。",
    "{parameter} is no live {kind}: {where}.": "{parameter} 不是有效的 {kind}：{where}。",
    "member {at} of argument {parameter} of {call} is no {kind}: {where}.":
        "{call} 的参数 {parameter} 的第 {at} 个成员不是 {kind}：{where}。",
    "{call} got no executor: {where}.": "{call} 得到的不是执行器：{where}。",
    "{call} cannot launch its executor: {where}.": "{call} 无法下发它的执行器：{where}。",
    "{call} got the value that its executor variable held before the first phase failed: {where}.":
        "{call} 得到的，是第一段接口失败之前执行器变量里原有的值：{where}。",
    "{call} got {executor}, which {planner} planned.": "{call} 得到的是 {executor}，而它由 {planner} 生成。",
    "{call} launches {executor}, which {planner} planned.": "{call} 下发 {executor}，而它由 {planner} 生成。",
    "{executor} is made repeatable {what}.": "{executor} 设为可复用太晚：{what}。",
    "{executor}, which is repeatable, is destroyed after {tensor}, which it was planned with.":
        "{executor} 是可复用的，生成它时用到了 {tensor}，而后者先销毁了。",
    "{name} was destroyed before the launch.": "{name} 在下发之前就销毁了。",
    "thread {me} calls {call} with {executor} while thread {them} is inside {other} with it.":
        "线程 {me} 用 {executor} 调用 {call}，而线程 {them} 正用它执行 {other}。",
    "{thing} is destroyed too late: {past} before.": "{thing} 销毁得太晚：之前 {past}。",
    "{call}: it was released already.": "{call}：它已经释放过了。",
}  # fmt: skip
"""objects that are gone, and executors"""

TASKS: Final = {
    "{count} task in {stream} never ran, as it was still queued when the machine was closed.":
        "{stream} 里有 {count} 个任务从未执行：Machine 关闭时，它们还在队列里。",
    "{count} tasks in {stream} never ran, as they were still queued when the machine was closed.":
        "{stream} 里有 {count} 个任务从未执行：Machine 关闭时，它们还在队列里。",
    "{count} task in {stream} never ran, as {cause}.": "{stream} 里有 {count} 个任务从未执行：{cause}。",
    "{count} tasks in {stream} never ran, as {cause}.": "{stream} 里有 {count} 个任务从未执行：{cause}。",
    "{count} task in the streams was not waited for.": "各个流里有 {count} 个任务没有等待。",
    "{count} tasks in the streams were not waited for.": "各个流里有 {count} 个任务没有等待。",
    "{stream} is destroyed with {count} task in it that nobody waited for: the call waits for it.":
        "销毁 {stream} 时，里面还有 {count} 个任务没有等待：这个调用会等它们执行完。",
    "{stream} is destroyed with {count} tasks in it that nobody waited for: the call waits for them.":
        "销毁 {stream} 时，里面还有 {count} 个任务没有等待：这个调用会等它们执行完。",
    "{stream} does not wait for {event}, which was never recorded: the wait did nothing.":
        "{stream} 没有等待 {event}，因为它从未记录过：这次等待没有起作用。",
    "{call} is called in a callback of {stream}.": "在 {stream} 的回调里调用了 {call}。",
    "the launch of {kernel} passes {size} bytes of arguments, but the function that replaces the kernel takes {total} "
    "bytes: {parameters}.":
        "下发 {kernel} 时传了 {size} 字节的参数，而代替它的函数的参数共有 {total} 字节：{parameters}。",
    "{kernel} failed:\n{shown}": "{kernel} 失败：\n{shown}",
    "{kernel} failed: {why}.": "{kernel} 失败：{why}。",
    "{operator} with cubeMathType {name} ({value}) is computed in FLOAT here, not in HFLOAT32.":
        "{operator} 的 cubeMathType 为 {name}（{value}），在这里按 FLOAT 计算，而不是 HFLOAT32。",
    "out of aclnnEmbeddingDenseBackward is {out}, grad {grad}: the sums are converted once at the end.":
        "aclnnEmbeddingDenseBackward 的 out 是 {out}，grad 是 {grad}：求和之后，只在最后转换一次。",
    "device memory was allocated and freed {times} times, about once for each operator.":
        "Device 内存申请和释放了 {times} 次，差不多每个算子一次。",
    "the host waited for the device {times} times, about once for each operator.":
        "Host 等待了 Device {times} 次，差不多每个算子一次。",
    "{function} returned {statuses}, and nobody looked at {_them}. The first: {reason}":
        "{function} 返回 {statuses}，而程序没有看返回码。第一条：{reason}",
    "{function} returned {statuses}, and nobody looked at {_them}. {reason}":
        "{function} 返回 {statuses}，而程序没有看返回码。{reason}",
    "{function} returned {statuses}, and nobody looked at {_them}.": "{function} 返回 {statuses}，而程序没有看返回码。",
    "{index} has no block for the position {position}, legal values are {least} to {most}.":
        "{index} 里没有位置 {position} 的块，合法值是 {least} 到 {most}。",
    "{times} {_calls} failed, and the program asked neither aclGetRecentErrMsg nor aclrtGetLastError afterwards. C "
    "does not show whether a status was read.":
        "有 {times} 次调用失败，之后程序既没有调用 aclGetRecentErrMsg，也没有调用 aclrtGetLastError。C 语言里看不出"
        "返回码有没有人读。",
    "aclGetRecentErrMsg returns null: thread {name} has taken its text already, and nothing failed since.":
        "aclGetRecentErrMsg 返回空指针：线程 {name} 已经取走了错误信息，之后没有调用失败。",
    "thread {me} has no error text, but thread {name} {holds}, of {function}.":
        "线程 {me} 没有错误信息，而线程 {name} {holds}，来自 {function}。",
    "process {pid} uses the machine of process {parent}, from which it was forked.":
        "进程 {pid} 使用了进程 {parent} 的 Machine，它是从那个进程 fork 出来的。",
    "thread {thread} {does}, but the machine in which it was started was closed.":
        "线程 {thread} {does}，而启动它时所在的 Machine 已经关闭。",
    "{function} on {product}: {text}.": "{function}，产品 {product}：{text}。",
}  # fmt: skip
"""tasks, calls and threads"""

LEAKS: Final = {
    "aclInit was never called.": "从未调用过 aclInit。",
    "aclrtSetDevice({number}) was called {times} more than aclrtResetDevice({number}).":
        "aclrtSetDevice({number}) 比 aclrtResetDevice({number}) 多调用了{times}。",
    "{times} x {size} bytes of virtual memory were never released with aclrtReleaseMemAddress.":
        "{times} 块 {size} 字节的虚拟内存，一直没有用 aclrtReleaseMemAddress 释放。",
    "{times} x {size} bytes of virtual memory were never released with aclrtReleaseMemAddress, and {count} mapping in "
    "it was never ended with aclrtUnmapMem.":
        "{times} 块 {size} 字节的虚拟内存，一直没有用 aclrtReleaseMemAddress 释放，其中 {count} 个映射一直没有用 "
        "aclrtUnmapMem 解除。",
    "{times} x {size} bytes of virtual memory were never released with aclrtReleaseMemAddress, and {count} mappings in "
    "it were never ended with aclrtUnmapMem.":
        "{times} 块 {size} 字节的虚拟内存，一直没有用 aclrtReleaseMemAddress 释放，其中 {count} 个映射一直没有用 "
        "aclrtUnmapMem 解除。",
    "{times} x {size} bytes of {device} were never {ended}.":
        "{device} 上 {times} 块 {size} 字节的内存，一直没有{ended}。",
    "{memory} are freed, and process {process} has them open.": "{memory}被释放，而进程 {process} 还打开着它。",
    "{times} x {size} bytes of {pinned} were never {ended}.": "{times} 块 {size} 字节的{pinned}，一直没有{ended}。",
    "{who} never destroyed with {function}.": "{who}一直没有用 {function} 销毁。",
}  # fmt: skip
"""sentences about leftovers of a program"""

MEMORY: Final = {
    "{model} uses memory that is gone: the {role} of {task} in {stream} lies in {piece}.":
        "{model} 用到的内存已经不存在：{stream} 里 {task} 的{role}位于 {piece}。",
    "{name} needs {needed} bytes, but its data buffer has only {declared}.":
        "{name} 需要 {needed} 字节，而它的 data buffer 只有 {declared} 字节。",
    "{name} needs {needed} bytes, but only {room} are allocated from its address on: {where}.":
        "{name} 需要 {needed} 字节，而从它的地址开始只申请了 {room} 字节：{where}。",
    "{model} is unloaded while its execution is queued or running.":
        "{model} 的执行还在排队或正在进行，模型就被卸载了。",
    "{model} was loaded in {context}, and is used in {other}.": "{model} 在 {context} 里加载，却在 {other} 里使用。",
    "{model} is executed, but its input {input} holds none of the sizes that it was built for: {setter} was not called "
    "for the data set.":
        "执行了 {model}，但它的输入 {input} 里没有模型支持的尺寸：没有为数据集调用 {setter}。",
    "{name}: its storage {shape} needs {needed} bytes, but only {room} are allocated from its address on ({missing} "
    "too few): {where}.":
        "{name}：它的 storage {shape} 需要 {needed} 字节，而从它的地址起只申请了 {room} 字节（少 {missing} 字节）："
        "{where}。",
    "{name}: the {which} element lies at offset + sum((dim - 1) * stride) = {sum}, but its storage {shape} has only "
    "{room} elements.":
        "{name}：{which}元素位于 offset + sum((dim - 1) * stride) = {sum}，而它的 storage {shape} 只有 {room} 个元素。",
    "{name}: its data pointer is {where}.": "{name}：它的数据指针指向 {where}。",
    "{name} lies on {device}, but the stream works on {other}.": "{name} 位于 {device}，而流在 {other} 上执行。",
    "outputAddr lies on {device}, but {stream} works on {other}.":
        "outputAddr 位于 {device}，而 {stream} 在 {other} 上执行。",
    "the data of {name}: {where}.": "{name} 的数据：{where}。",
    "{name}: {where}.": "{name}：{where}。",
    "{operator} needs a workspace of {needed} bytes, but {small}.":
        "{operator} 需要 {needed} 字节的 workspace，而 {small}。",
    "the data of {name} starts at {place}, {behind} bytes behind a multiple of {block}.":
        "{name} 的数据从 {place} 开始，比 {block} 的整数倍多 {behind} 字节。",
    "the workspace of {operator} starts at {place}, {behind} bytes behind a multiple of {block}.":
        "{operator} 的 workspace 从 {place} 开始，比 {block} 的整数倍多 {behind} 字节。",
    "elements of {name} share bytes with each other along dimension {dims}.":
        "{name} 的各个元素沿{dims}共用字节。",
    "the workspace at {span} shares bytes with {other} at {other_span}.":
        "workspace（{span}）与{other}（{other_span}）共用字节。",
    "{name} at {span} shares bytes with {other} at {other_span}, but is not the same view.":
        "{name}（{span}）与{other}（{other_span}）共用字节，但两者不是同一个 view。",
    "{name} at {span} shares bytes with {other} at {other_span}.":
        "{name}（{span}）与{other}（{other_span}）共用字节。",
    "the {role} of {operator} ({tensor}) has room for {room} elements, but the result {shape} has {size}.":
        "{operator} 的{role}（{tensor}）只放得下 {room} 个元素，而结果 {shape} 有 {size} 个。",
    "{tensor}: {negative}.": "{tensor}：{negative}。",
    "{name} is {size} bytes at {place}, but the device cannot access {hole}: {why}.":
        "{name} 是 {place} 处的 {size} 字节，而 Device 不能访问 {hole}：{why}。",
    "kind is {kind}, but src is {source} and dst is {target}. The copy followed the addresses.":
        "kind 是 {kind}，而 src 是 {source}，dst 是 {target}。拷贝按地址进行。",
    "{side} is plain host memory: the call waited for {stream} and copied before it returned.":
        "{side} 是普通 Host 内存：这个调用先等待 {stream}，拷贝完才返回。",
}  # fmt: skip
"""where memory lies, and how much there is"""

HOST: Final = {
    "{count} = {bytes} bytes, but {parameter} is a host object of {size} bytes ({kind}).":
        "{count} = {bytes} 字节，而 {parameter} 是只有 {size} 字节的 Host 对象（{kind}）。",
    "{count} = {bytes} bytes, but {parameter} has {left} bytes left: it points {offset} bytes into {memory}.":
        "{count} = {bytes} 字节，而 {parameter} 只剩 {left} 字节：它指向{memory}内偏移 {offset} 字节处。",
    "{parameter} = {address} is no host memory of {size} bytes: the copy would crash the process.":
        "{parameter} = {address} 不是 {size} 字节的 Host 内存：拷贝会使进程崩溃。",
    "{parameter} = {address} is {what}: the copy would crash the process.":
        "{parameter} = {address} 是{what}：拷贝会使进程崩溃。",
    "{parameter} = {address} is no host memory of {size} bytes that can be read.":
        "{parameter} = {address} 不是可读的 {size} 字节 Host 内存。",
    "{parameter} = {address} is no host memory of {size} bytes that can be written.":
        "{parameter} = {address} 不是可写的 {size} 字节 Host 内存。",
    "{parameter} = {address} is no host memory of {size} bytes.":
        "{parameter} = {address} 不是 {size} 字节的 Host 内存。",
    "{parameter} = {address} is memory of a device, which the host cannot read.":
        "{parameter} = {address} 是 Device 内存，Host 不能读取。",
    "{parameter} = {address} is {what}, which cannot be set.": "{parameter} = {address} 是{what}，不能设置。",
    "{size} bytes are written to {parameter}, which has {room}.":
        "要往 {parameter} 写 {size} 字节，而它只有 {room} 字节。",
    "{parameter} holds {count} value, but the call says {wanted}: the library would read past its end.":
        "{parameter} 有 {count} 个值，而调用中写的是 {wanted} 个：真实的库会越界读取。",
    "{parameter} holds {count} values, but the call says {wanted}: the library would read past its end.":
        "{parameter} 有 {count} 个值，而调用中写的是 {wanted} 个：真实的库会越界读取。",
    "{parameter} has {size} bytes, but {count} are read.": "{parameter} 有 {size} 字节，而要读取 {count} 字节。",
    "{parameter} points into {memory}, which is gone.": "{parameter} 指向{memory}，而它已经释放了。",
    "{parameter}: {trouble}.": "{parameter}：{trouble}。",
    "{trouble}.": "{trouble}。",
    "{error}.": "{error}。",
    "the program keeps no reference to the {kind} object: its memory is freed when {call} returns.":
        "程序没有保存对这个 {kind} 对象的引用：{call} 一返回，它的内存就释放了。",
}  # fmt: skip
"""memory of the host"""

VALUES: Final = {
    "{index}[{at}] is {value}, legal values are {legal} ({many} of {size} are out of range).":
        "{index}[{at}] 是 {value}，合法的值是 {legal}（{size} 个里有 {many} 个超出范围）。",
    "{index}[{at}] is {value}, legal values are none ({many} of {size} are out of range).":
        "{index}[{at}] 是 {value}，没有合法的值（{size} 个里有 {many} 个超出范围）。",
    "{index} has groups from {low} to {high}, legal values are {least} to {most}.":
        "{index} 的分组从 {low} 到 {high}，合法的值是 {least} 到 {most}。",
    "{index} has a group {group}, legal values are {least} to {most}.":
        "{index} 里有分组 {group}，合法的值是 {least} 到 {most}。",
    "{index} has the block {block}, legal values are {least} to {most}.":
        "{index} 里有块 {block}，合法的值是 {least} 到 {most}。",
    "{index} has the state {state}, legal values are {least} to {most}.":
        "{index} 里有状态 {state}，合法的值是 {least} 到 {most}。",
    "{index} has {tokens} tokens, legal values are {least} to {most} in all.":
        "{index} 共有 {tokens} 个 token，合法的值总共是 {least} 到 {most}。",
    "{index} asks for more blocks than the {count} of a batch.": "{index} 需要的块，多于每个 batch 的 {count} 块。",
    "repeats add up to {total}, outputSize is {length}.": "repeats 之和是 {total}，而 outputSize 是 {length}。",
    "repeats has {least}.": "repeats 里有 {least}。",
    "mask is true for {count} elements, source has {size}.": "mask 有 {count} 个元素为真，而 source 有 {size} 个元素。",
    "indices read elements of the shape {found}, out has {shape}.":
        "indices 读取的元素，shape 是 {found}，而 out 的 shape 是 {shape}。",
    "values of the shape {shape} do not fit the positions, {found}.":
        "values 的 shape {shape} 与各个位置的 shape {found} 不相容。",
}  # fmt: skip
"""values in tensors that an operator cannot use"""

COLLECTIVES: Final = {
    "ranks {first} and {second} of {ranks} meet with different operations: rank {first} calls {one}, rank {second} "
    "calls {other}; {difference} differs.":
        "{ranks} 的 rank {first} 和 rank {second} 调用的操作不一致：rank {first} 调用 {one}，rank {second} 调用 "
        "{other}；两者的{difference}不同。",
    "{operation} in {stream} waits for rank {missing} of {ranks}, which never comes to it; ranks that came: {came}.":
        "{stream} 里的 {operation} 等待 {ranks} 的 rank {missing}，而它一直没有来；已到的 rank：{came}。",
    "{ranks} has {size} ranks, and rank {missing} did not join it; ranks that came: {came}.":
        "{ranks} 有 {size} 个 rank，rank {missing} 没有加入；已到的 rank：{came}。",
    "process {pid} of rank {rank} has left {ranks} before all of its ranks had joined.":
        "{ranks} 的 rank 还没有全部加入，rank {rank} 的进程 {pid} 就离开了。",
    "{ranks} cannot be made: the process that made its root information has ended, or all ranks have joined.":
        "无法创建 {ranks}：生成 root info 的进程已经结束，或者所有 rank 都已经加入。",
    "{operation} uses {communicator}, which was destroyed.": "{operation} 使用了已被销毁的{communicator}。",
    "{operation} of {model} uses {communicator}, which was destroyed.":
        "{model} 的 {operation} 使用 {communicator}，而它已经销毁。",
    "{operation} in {stream} and {other} in {second} use {communicator}, and may run at the same time.":
        "{stream} 里的 {operation} 和 {second} 里的 {other} 都使用 {communicator}，可能同时执行。",
    "{call} makes a communicator during {capture}.":
        "{capture} 期间，{call} 创建了通信域。",
    "{call} is the first operation of {communicator}, and is called during {capture}.":
        "{call} 是 {communicator} 的第一个操作，却在 {capture} 期间调用。",
    "{target} and {source} of {call} share bytes, and are not the same block.":
        "{call} 的 {target} 与 {source} 有共同的字节，却不是同一块。",
    "{parameter} of {call} does not start at a multiple of {size} bytes, the size of an element.":
        "{call} 的 {parameter} 不从 {size} 字节（一个元素的大小）的倍数处开始。",
    "{communicator} is created with another {what} than the ranks before.":
        "创建 {communicator} 时的{what}与先来的 rank 不同。",
    "{stream} belongs to device {number}, but {communicator} to device {other}.":
        "{stream} 属于 device {number}，而 {communicator} 属于 device {other}。",
    "{parameter} lies on another device than {communicator}, which is on device {number}.":
        "{parameter} 所在的 Device 与 {communicator} 的不同，后者在 device {number} 上。",
    "{parameter} lies in the memory of the host.": "{parameter} 在 Host 内存里。",
    "{communicator} is destroyed while {operation} in {stream} may still run.":
        "销毁 {communicator} 时，{stream} 里的 {operation} 可能还在执行。",
}  # fmt: skip
SENTENCES: Final = {**RACES, **HANDLES, **TASKS, **LEAKS, **MEMORY, **HOST, **VALUES, **COLLECTIVES}

HISTORY: Final = {
    "{task} in {agent}, of {model} executed at {place}, was captured":
        "{agent} 里的 {task}（属于 {place} 处执行的 {model}）在 {site} 处捕获",
    "rank {rank} called {request}": "rank {rank} 在 {site} 调用 {request}",
    "rank {rank} called {call} with count 0, which takes no part":
        "rank {rank} 在 {site} 调用 {call}，count 为 0，不参与",
    "rank {rank} called {call}, which failed": "rank {rank} 在 {site} 调用了 {call}，调用失败",
    "process {pid} of rank {rank} has died": "rank {rank} 的进程 {pid} 异常终止",
    "process {pid} of rank {rank} has ended": "rank {rank} 的进程 {pid} 已经结束",
    "rank {rank} of {ranks} was created in process {pid}": "{ranks} 的 rank {rank} 由进程 {pid} 在 {site} 创建",
    "rank {rank} destroyed its communicator": "rank {rank} 的通信域在 {site} 销毁",
    "{thing} was {how}": "{thing} 在 {site} {how}",
    "{task} in {agent} was launched": "{agent} 里的 {task} 在 {site} 下发",
    "{thing} was created": "{thing} 在 {site} 创建",
    "{agent} was waited for": "Host 在 {site} 等待了 {agent}",
    "{size} bytes of it were copied to {place}": "其中 {size} 字节在 {site} 拷贝到 {place}",
    "only {count} bytes were written there": "在 {site} 只写了 {count} 字节",
    "only {count} bytes (the number of elements) were written there": "在 {site} 只写了 {count} 字节（元素个数）",
    "{action} copied unwritten bytes there": "{action} 在 {site} 把没有写过的字节拷贝到那里",
    "{function} returned {status} {times} times, first": "{function} 返回了 {times} 次 {status}，第一次在 {site}",
    "{function} returned {status}": "{function} 在 {site} 返回 {status}",
    "{more} more, from {lines} other line{_s}": "还有 {more} 次，来自另外 {lines} 行代码",
    "the text of {function} was taken": "{function} 的错误信息在 {site} 取走",
    "thread {thread} called {call}": "线程 {thread} 在 {site} 调用 {call}",
    "process {pid} was forked": "进程 {pid} 在 {site} fork 出来",
    "the machine was closed": "Machine 在 {site} 关闭",
    "it was released with {function}": "它在 {site} 用 {function} 释放",
    "a device was set": "Device 在 {site} 设置",
    "first set": "第一次在 {site} 设置",
    "set by thread {thread}": "由线程 {thread} 在 {site} 设置",
    "allocated": "在 {site} 申请",
    "registered": "在 {site} 注册",
    "reserved": "在 {site} 预留",
    "created": "在 {site} 创建",
    "waited": "在 {site} 等待",
}  # fmt: skip

ENDINGS: Final = {
    "{errors}, {warnings}, {advice} advice": "{errors}，{warnings}，{advice} 条建议",
    "{count} more are not listed": "还有 {count} 个没有列出",
    "and {count} more": "还有 {count} 个",
    "allowed[{id}]: {count} time, {reason}": "allowed[{id}]: {count} 次，{reason}",
    "allowed[{id}]: {count} times, {reason}": "allowed[{id}]: {count} 次，{reason}",
    "calls without a kernel (561003): {listed}": "没有核函数的调用（561003）：{listed}",
    "launches of device kernels without a function (507015): {listed}":
        "没有对应函数的核函数下发（507015）：{listed}",
    "left behind as the program ended there: {listed}": "程序提前结束，没有来得及清理：{listed}",
    "left behind as a thread ended there: {listed}": "线程提前结束，没有来得及清理：{listed}",
    "another thread did not return from its call, so what is left behind is not reported":
        "另一个线程没有从它的调用返回，因此不报告遗留的内容",
    "{finding} at {place}: its exception has the report": "{finding} 位于 {place}：报告见它的异常",
    "{call} failed with {status}, and nobody read why (aclGetRecentErrMsg):":
        "{call} 失败，返回 {status}，而程序没有读取原因（aclGetRecentErrMsg）：",
    "{count} error or warning": "{count} 个错误或警告",
    "{count} errors or warnings": "{count} 个错误或警告",
    "to see lines here, compile the program with -g and install binutils (addr2line)":
        "如要在这里看到行号，请用 -g 编译程序，并安装 binutils（addr2line）",
    "to see the callers of lines that create descriptors, set {variable}=all":
        "如要看到创建描述符的行由谁调用，请设置 {variable}=all",
    "The host can access it only with aclrtMemcpy.": "Host 只能用 aclrtMemcpy 访问它。",
    "The address is neither in device memory nor a handle: check the pointers of this call.":
        "这个地址既不在 Device 内存里，也不是句柄：检查这次调用的指针。",
    "Only the library may dereference a handle.": "只有库才能解引用句柄。",
    "a handle: {what}": "一个句柄：{what}",
    "there is no machine now": "现在没有 Machine",
    "Nothing is mapped to {place}.": "{place} 没有映射内存。",
    "{place} may not be accessed so (aclrtMemSetAccess).": "不允许这样访问 {place}（aclrtMemSetAccess）。",
    "{place} was released.": "{place} 已经释放。",
    "{place} is memory of a device: the host can access it only with aclrtMemcpy.":
        "{place} 是 Device 内存：Host 只能用 aclrtMemcpy 访问它。",
    "the machine found: {ids}": "模拟器发现：{ids}",
    "repeat it with: {listed}": "复现命令：{listed}",
    "(the operating system orders the threads: a repeat may differ)": "（线程的先后由操作系统决定：复现时可能不同）",
    "no call met what machine.fail asked for: {listed}": "没有调用遇到 machine.fail 要求的失败：{listed}",
    "no task met what machine.fail asked for: {listed}": "没有任务遇到 machine.fail 要求的失败：{listed}",
    "{place} expects a finding {listed}, but the machine made none": "{place} 期待问题 {listed}，但模拟器没有发现",
    "= note: {note}; if that is meant: aclnn.testing.expect_finding":
        "= note: {note}；如果这是有意的，请用 aclnn.testing.expect_finding",
}  # fmt: skip
"""the lines around the findings of a report"""

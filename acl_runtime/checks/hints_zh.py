"""Hints that are not of the catalogue, in Chinese: by the template of the English `Text`."""

from typing import Final

HINTS: Final = {
    "Keep it in a variable as long as the address is used.": "只要还在使用这个地址，就把它保存在变量里。",
    "Compare each status with ACL_SUCCESS; with -DACL_EMULATOR_NODISCARD the compiler names the calls whose status "
    "nothing reads.":
        "把每个返回码与 ACL_SUCCESS 比较；编译时加上 -DACL_EMULATOR_NODISCARD，编译器会指出哪些调用的返回码没有人读。",
    "{advice} In PyTorch: stream.synchronize() before the values are read.":
        "{advice}在 PyTorch 里：读取数值之前调用 stream.synchronize()。",
    "{advice} In PyTorch: stream.wait_stream(other), and tensor.record_stream(stream) if the tensor is freed while "
    "the stream may still use it.":
        "{advice}在 PyTorch 里：stream.wait_stream(other)；如果释放张量时，流可能还在使用它，就调用 "
        "tensor.record_stream(stream)。",
    "{advice} To see its lines here, compile the program with -g and install binutils (addr2line).":
        "{advice}要在这里看到代码行，请用 -g 编译程序，并安装 binutils（addr2line）。",
    "Call aclrtSynchronizeStream for {stream} before {call}, or wait for an event recorded behind the task.":
        "在 {call} 之前，对 {stream} 调用 aclrtSynchronizeStream，或者等待在这个任务之后记录的事件。",
    "Record an event in {first} behind {task} (aclrtRecordEvent), and let {second} wait for it before {call} "
    "(aclrtStreamWaitEvent).":
        "在 {first} 里，在 {task} 之后记录事件（aclrtRecordEvent），并让 {second} 在 {call} 之前等待它"
        "（aclrtStreamWaitEvent）。",
    "Give each stream its own workspace, or record an event in {first} behind {task} (aclrtRecordEvent), and let "
    "{second} wait for it before {call} (aclrtStreamWaitEvent).":
        "给每个流单独的 workspace；或者在 {first} 里，在 {task} 之后记录事件（aclrtRecordEvent），并让 {second} "
        "在 {call} 之前等待它（aclrtStreamWaitEvent）。",
    "Call aclrtSynchronizeStream for {stream} before the memory is read, or wait for an event recorded behind the "
    "copy.":
        "读取这块内存之前，对 {stream} 调用 aclrtSynchronizeStream，或者等待在这次拷贝之后记录的事件。",
    "Pass {kind}, or ACL_MEMCPY_DEFAULT.": "传入 {kind}，或者 ACL_MEMCPY_DEFAULT。",
    "Call aclrtFree before the last aclrtResetDevice.": "在最后一次 aclrtResetDevice 之前调用 aclrtFree。",
    "Pass an array that has as many values as the call says.": "传入的数组，元素个数要与调用中写的相同。",
    "Pass a value with all the bytes of its type.": "传入的值，要包含它的类型的全部字节。",
    "Ask once after a failure, keep a copy, and test the pointer: a std::string of null throws std::logic_error, and "
    "strlen of null ends the program.":
        "失败之后只读一次，把内容保存下来，并且检查指针：用空指针构造 std::string 会抛出 std::logic_error，对空指针"
        "调用 strlen 会使程序崩溃。",
    "Count bytes, not elements, and size the object for them.": "大小按字节计算，不是按元素个数；对象也要有这么大。",
    "Pass {whole}, which is in {memory}, as a c_void_p: ctypes cuts an int to 32 bits if there are no argtypes.":
        "把 {whole}（在 {memory} 里）作为 c_void_p 传入：函数没有 argtypes 时，ctypes 把整数截断为 32 位。",
    "Set memory of aclrtMalloc or aclrtMallocHost.": "只设置由 aclrtMalloc 或 aclrtMallocHost 申请的内存。",
    "Let the other processes call aclrtIpcMemClose first.": "先让其他进程调用 aclrtIpcMemClose。",
    "Keep registered host memory until aclrtHostUnregister; register it without ACL_HOST_REG_READONLY if the device is "
    "to write it.":
        "注册的 Host 内存，在 aclrtHostUnregister 之前不要释放；如果 Device 要写它，注册时不要用 "
        "ACL_HOST_REG_READONLY。",
    "Call aclrtSynchronizeStream before aclrtUnmapMem, which does not wait.":
        "先调用 aclrtSynchronizeStream，再调用 aclrtUnmapMem：它不会等待。",
    "Free it after its launch, when aclrtSynchronizeStream has returned, or with aclrtFreeWithDevSync.":
        "下发之后，等 aclrtSynchronizeStream 返回了再释放它；或者用 aclrtFreeWithDevSync 释放。",
    "Start the buffers of a reduction at multiples of the size of an element.":
        "归约的 buffer 从元素大小的倍数处开始。",
    "Give each output memory of its own.": "给每个输出单独的内存。",
    "Give the workspace memory of its own.": "给 workspace 单独的内存。",
    "Fill these bytes first: copy, set or compute them before this call.":
        "在这个调用之前，先写好这些字节：拷贝、设置，或者用算子计算出来。",
    "Copy an array of the tensor's type: np.asarray(x, np.{dtype}).":
        "拷贝与 Tensor 类型相同的数组：np.asarray(x, np.{dtype})。",
    "Allocate device memory in the machine that uses it.":
        "在哪个 Machine 里使用 Device 内存，就在哪个 Machine 里申请。",
    "Copy it to memory of the host with acl.rt.memcpy first.": "先用 acl.rt.memcpy 把它拷贝到 Host 内存。",
    "Pass memory of the host that has as many bytes as the call says.":
        "传入的 Host 内存，字节数要与调用中写的相同。",
    "Free host memory after its last use.": "最后一次使用之后，再释放 Host 内存。",
    "Keep the buffer until its last use.": "最后一次使用之前，不要销毁这个 buffer。",
    "Keep the object until its last use.": "最后一次使用之前，不要销毁这个对象。",
    "Keep the options until the stream is created.": "流创建好之前，不要销毁这些选项。",
    "Keep the {object} until its last use.": "最后一次使用之前，不要销毁这个 {object}。",
    "Its acl{kind} members go with the list: do not destroy them on their own.":
        "列表里的 acl{kind} 会随列表一起销毁：不要单独销毁它们。",
    "Return an array of each output's shape and data type from the function of the model.":
        "模型的函数要为每个输出返回 shape 和数据类型都相符的数组。",
    "Put a tensor there first.": "先在那里放入 Tensor。",
    "An exception info is valid only inside its callback: copy what you need there.":
        "异常信息只在它的回调内部有效：在回调里把需要的内容复制出来。",
    "Mark in a stream while it lives, or pass null.": "在流销毁之前，才可以在流里打标记；或者传入空指针。",
    "Pass the executor that the first phase wrote.": "传入第一段接口写出的执行器。",
    "Pass the whole handle that the creating function returned or wrote: ctypes cuts it to 32 bits unless restype is "
    "c_void_p.":
        "传入创建函数返回或写出的完整句柄：如果没有把 restype 设为 c_void_p，ctypes 会把它截断成 32 位。",
    "Pass the handle that the creating function returned or wrote.": "传入创建函数返回或写出的句柄。",
    "Please report this text with the call, unless the operator is your own: a formula must not raise.":
        "如果这个算子不是您自己编写的，请报告这段文字，并附上这次调用：公式不应该抛出异常。",
}  # fmt: skip

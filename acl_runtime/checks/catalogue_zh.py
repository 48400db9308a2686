"""The catalogue of findings in Chinese: the texts of `catalogue.py`, by the id of the finding."""

from typing import Final, NamedTuple


class InChinese(NamedTuple):
    """The texts of one finding; see `FindingKind`."""

    what: str
    why: str
    fix: str
    fix_in_c: str = ""


FINDINGS: Final = {
    "ws-freed-early": InChinese(
        "算子还没有执行完，就释放了它的 workspace。",
        "aclrtFree 不会等待。算子继续使用这块内存，而下一次 aclrtMalloc 可能又把它分配出去：别处的结果出错，或者之后"
        "的同步返回 Device 故障。",
        "先调用 aclrtSynchronizeStream，再调用 aclrtFree；或者改用 aclrtFreeWithDevSync 释放。",
    ),
    "io-freed-early": InChinese(
        "队列里的任务还要读写 Tensor 的内存，就释放了它。",
        "aclrtFree 不会等待。任务读到的是下一个使用者写的数据，或者覆盖它的数据。",
        "先调用 aclrtSynchronizeStream，再调用 aclrtFree；或者改用 aclrtFreeWithDevSync 释放。",
    ),
    "read-before-sync": InChinese(
        "还没有等写结果的流，Host 就读取了结果。",
        "aclrtMemcpy 立即执行，不等待任何流：拷贝到的是旧数据，也没有返回码提示。",
        "拷贝之前先调用 aclrtSynchronizeStream，或者等待在这个任务之后记录的事件。",
    ),
    "pinned-reuse": InChinese(
        "拷贝还没有执行，就改动或释放了它要用的锁页内存。",
        "Device 读写 Host 内存，是在流执行到那里的时候，而不是在 aclrtMemcpyAsync 返回的时候。",
        "再次使用这块内存之前，先调用 aclrtSynchronizeStream，或者等待在这次拷贝之后记录的事件。",
    ),
    "xstream-race": InChinese(
        "两个流，或者流与 Host，使用同一些字节，先后不确定。",
        "各个流同时执行。哪次访问在先取决于负载：每次运行的结果可能不同。",
        "在第一次访问之后记录事件（aclrtRecordEvent），让另一个流等待它（aclrtStreamWaitEvent）；或者同步第一个流。",
    ),
    "ws-shared": InChinese(
        "两个可能同时执行的算子共用一个 workspace。",
        "两个算子互相覆盖对方的中间结果，也没有返回码提示。",
        "给每个流单独的 workspace，或者用事件确定两个算子的先后。",
    ),
    "exec-reused": InChinese(
        "同一个执行器下发了第二次。",
        "第一次下发已经释放了它：第二次下发使用的内存属于别的调用。",
        "每次下发之前都重新调用第一段接口，或者在两段接口之间调用 aclSetAclOpExecutorRepeatable。",
    ),
    "exec-destroy-after-run": InChinese(
        "执行器下发后已经失效，又去销毁它。",
        "它被释放了第二次，进程的堆因此损坏。",
        "执行器只销毁一次，并且只销毁从未下发的，或者可复用的。",
    ),
    "exec-leaked": InChinese(
        "调用了第一段接口，却既没有调用第二段接口，也没有调用 aclDestroyAclOpExecutor。",
        "执行器一直占用内存，直到进程结束。",
        "下发它，或者调用 aclDestroyAclOpExecutor。",
    ),
    "repeat-late": InChinese(
        "调用 aclSetAclOpExecutorRepeatable 太晚：又调用过别的第一段接口，或者换了线程。",
        "它保留的是所在线程最近一次第一段接口的 Tensor。调用晚了，这些 Tensor 属于另一个算子。",
        "第一段接口返回后，立即在同一个线程里调用它，中间不要再调用别的第一段接口。",
    ),
    "repeat-not-destroyed": InChinese(
        "可复用的执行器一直没有销毁。",
        "下发不会释放它：它一直占用内存，直到进程结束。",
        "最后一次下发之后、销毁它的 Tensor 之前，调用 aclDestroyAclOpExecutor。",
    ),
    "exec-wrong-op": InChinese(
        "下发执行器的算子，不是生成它的算子。",
        "执行器里是另一个算子的执行计划：结果没有定义。",
        "执行器由哪个算子生成，就由哪个算子下发。",
    ),
    "exec-twin": InChinese(
        "执行器由算子的原地形式下发，生成它的却是非原地形式，或者相反。",
        "它按生成时的计划执行：对这个算子来说，第二段接口的名字没有影响；对别的算子来说有影响。",
        "执行器由哪个算子生成，就由哪个算子下发。",
    ),
    "exec-failed-phase1": InChinese(
        "第一段接口失败了，仍把它的执行器交给第二段接口。",
        "变量里还是原来的值，常常是随机值：进程会崩溃。（执行器为空时，返回 ACLNN_ERR_PARAM_NULLPTR，161001。）",
        "检查第一段接口的返回码，并且把执行器变量初始化为空。",
    ),
    "exec-cross-thread": InChinese(
        "两个线程同时使用一个执行器。",
        "执行器从所在线程的内存池取内存，而且没有加锁：它会被破坏。",
        "同一时间只让一个线程使用执行器；只在两次调用之间把它交给别的线程。",
    ),
    "ws-null": InChinese(
        "workspace 的大小不是 0，地址却为空。",
        "返回 ACLNN_ERR_PARAM_NULLPTR（161001）；对大多数算子，这个失败的调用会销毁执行器。",
        "按第一段接口返回的大小申请内存；失败之后，要重新调用第一段接口。",
    ),
    "ws-small": InChinese(
        "workspace 比第一段接口要求的小。",
        "大多数算子不检查大小：它们越过末尾，写到相邻的内存里。（自动生成的算子，例如 aclnnCrossEntropyLossGrad，遇到"
        "过小的 workspaceSize 会返回 ACLNN_ERR_PARAM_INVALID，161002。）",
        "按第一段接口返回的大小申请内存，并且传入这个大小。",
    ),
    "ws-host-ptr": InChinese(
        "workspace 或 Tensor 的数据在 Host 内存里。",
        "Device 访问不到它：任务会出现故障（507015 或 507035），由之后的同步返回。",
        "用 aclrtMalloc 申请内存，用 aclrtMemcpy 拷贝。",
    ),
    "ws-foreign": InChinese(
        "workspace 或 Tensor 的数据与流不在同一个 Device 上。",
        "任务会出现故障，由之后的同步返回。",
        "申请内存时，让流所在 Device 的 Context 成为当前 Context。",
    ),
    "tensor-destroyed-early": InChinese(
        "在两段接口之间销毁了 Tensor，或者 Tensor 比使用它的可复用执行器先销毁。",
        "执行器保存着 Tensor 的指针，会读取已经释放的内存。",
        "第二段接口返回之前，不要销毁 Tensor；可复用的执行器要先于它的 Tensor 销毁。",
    ),
    "tensor-double-destroy": InChinese(
        "Tensor、标量、数组或列表被销毁了两次。",
        "它的内存被释放了两次，进程的堆因此损坏。",
        "每个对象只销毁一次；aclDestroyTensorList 会一并销毁列表里的 Tensor。",
    ),
    "tensor-leaked": InChinese(
        "Tensor、标量、数组或列表一直没有销毁。",
        "它一直占用内存，直到进程结束；如果是在循环里，Host 内存会耗尽。",
        "第二段接口返回之后，用对应的函数销毁它：aclDestroyTensor、aclDestroyScalar、aclDestroyIntArray、"
        "aclDestroyTensorList 等。",
    ),
    "unmapped-access": InChinese(
        "使用了没有映射物理内存的虚拟内存。",
        "只是预留的地址没有内存。任务以 Device 故障结束，由之后的同步返回。",
        "使用之前，给整个范围映射物理内存（aclrtMapMem）；如果调用过 aclrtMemMapNoAccess，还要允许 Device 访问它（"
        "aclrtMemSetAccess）。",
    ),
    "data-freed-under-tensor": InChinese(
        "下发算子时，Tensor 的内存已经不存在。",
        "算子使用的内存已经空闲，或者已经属于别的申请者。",
        "等流用完之后，再释放 Device 内存。",
    ),
    "view-exceeds-storage": InChinese(
        "Tensor 的 view 超出了它的 storage。",
        "算子读取或覆盖旁边的内存，或者出现故障（507015 或 507035）。",
        "让 storageDims 至少有 offset + sum((dim - 1) * stride) + 1 个元素，或者改正 view。",
    ),
    "storage-exceeds-alloc": InChinese(
        "Tensor 的 storage 比实际的内存大。",
        "算子读取或覆盖相邻的内存，或者出现故障（507015 或 507035）。",
        "申请 storageDims 的元素个数乘以元素大小那么多字节。",
    ),
    "misaligned": InChinese(
        "Tensor 的数据或 workspace 没有按 32 字节对齐。",
        "核函数以 32 字节为单位搬运数据：结果没有定义，或者下发失败，返回 107008。",
        "让 Tensor 的地址是 32 字节的整数倍（aclrtMalloc 返回的地址就是），再用 offset 访问内部的元素。",
    ),
    "neg-stride-offset": InChinese(
        "Tensor 的 stride 或 offset 是负数。",
        "文档要求两者都不小于 0；核函数遇到负数会怎样，没有定义。",
        "不要使用负的 stride 和 offset；需要别的次序时，先按那个次序拷贝数据。",
    ),
    "alias-overlap": InChinese(
        "输出与输入，或者与另一个输出，有一部分字节重叠。",
        "核函数边读边写：有一部分输入还没有读，就被覆盖了。",
        "让两者的 view 完全相同（原地计算），或者给输出单独的内存。",
    ),
    "out-self-overlap": InChinese(
        "输出自己的元素之间有字节重叠。",
        "好几个结果写到同一个地方，先后不定。",
        "选择 stride 时，要让输出的各个元素互不重叠：不要用 stride 0，也不要用互相重叠的窗口。",
    ),
    "rebind-oob": InChinese(
        "传给 aclSet...TensorAddr 的索引，执行器里没有。",
        "自动生成的算子返回 ACLNN_ERR_PARAM_INVALID（161002）。其他算子不检查索引。",
        "按第一段接口的参数次序给 Tensor 编号：先输入，后输出。",
    ),
    "null-required": InChinese(
        "必需的指针为空。",
        "第一段接口返回 ACLNN_ERR_PARAM_NULLPTR（161001）。",
        "传入对象；只有可选的和被屏蔽的参数才可以为空。",
    ),
    "dtype-soc": InChinese(
        "这个算子在该产品上不支持这种数据类型。",
        "第一段接口返回 ACLNN_ERR_PARAM_INVALID（161002）。",
        "使用算子页面上为该产品列出的数据类型。",
    ),
    "op-soc": InChinese(
        "该产品没有这个算子。",
        "返回算子页面上为其他产品规定的返回码。",
        "看算子页面上列出的产品。",
    ),
    "shape-dim": InChinese(
        "shape、维数或 dim 不符合要求。",
        "返回 ACLNN_ERR_PARAM_INVALID（161002）；自动生成的算子返回 561002。",
        "看算子页面上列出的检查。",
    ),
    "index-range": InChinese(
        "embedding 的索引或 target 超出范围。",
        "核函数读写 Tensor 之外的内存：数据出错，或者出现故障（507015、507018、507035）。",
        "把索引拷贝到 Device 之前，先在 Host 侧检查。",
    ),
    "value-limit": InChinese(
        "参数取了文档不允许的值。",
        "返回算子页面上规定的返回码。",
        "看算子页面上列出的检查。",
    ),
    "uninit-read": InChinese(
        "算子读取了从未写过的 Device 内存。",
        "它用内存里残留的内容计算：每次运行的结果可能不同。（拷贝从未写过的内存是 warning。）",
        "下发之前，用 aclrtMemcpy 或 aclrtMemset 把输入全部写好，不要只写一部分。",
    ),
    "memcpy-size": InChinese(
        "拷贝越过了 Device 内存的末尾。",
        "它读取或覆盖相邻的内存，也没有返回码提示。（count 大于 destMax 时返回 107000。）",
        "大小按字节计算，并且申请同样多的字节。",
    ),
    "memcpy-elements": InChinese(
        "拷贝到 Host 时，count 写成了数组的元素个数，而不是字节数。",
        "只有数组的前一部分得到结果，也没有返回码提示；其余部分仍是原来的内容。",
        "传入字节数，例如 array.nbytes。如果只要数组的一部分，就传入它的切片：array[:n]。",
        fix_in_c="传入字节数，例如 n * sizeof(float)。如果只要一部分，destMax 也写成这一部分的字节数。",
    ),
    "memcpy-kind": InChinese(
        "拷贝的类型与地址不符。",
        "有的产品上，驱动会自己判断两边是什么内存；有的产品上，会失败并返回 107000 或 507899。",
        "传入与两个指针相符的类型，或者 ACL_MEMCPY_DEFAULT。",
    ),
    "memcpy-async-h2h": InChinese(
        "在两块 Host 内存之间做异步拷贝。",
        "返回 ACL_ERROR_RT_FEATURE_NOT_SUPPORT（207000）。",
        "用 memmove 拷贝，或者用 aclrtMemcpy，类型为 ACL_MEMCPY_HOST_TO_HOST。",
    ),
    "pageable-async": InChinese(
        "异步拷贝用了普通的 Host 内存。",
        "调用会等待这个流，拷贝完才返回：没有任何操作能同时进行。较早的文档不保证调用会等待：那样的话，在拷贝完成之"
        "前必须保留这块内存。",
        "用 aclrtMallocHost 申请 Host 侧的内存，并且保留到等待这个流之后。",
    ),
    "malloc-zero": InChinese(
        "申请 0 字节的内存。",
        "返回 ACL_ERROR_INVALID_PARAM（100000）。",
        "Tensor 为空或者 workspace 为 0 字节时，不要申请内存，传入空指针即可。",
    ),
    "bad-free": InChinese(
        "释放的地址不是申请得到的首地址。",
        "返回 ACL_ERROR_RT_PARAM_INVALID（107000），真实设备上可能崩溃。（空指针返回 "
        "ACL_ERROR_INVALID_PARAM，100000。）",
        "每块内存只释放一次，地址用申请时得到的那个，函数用与申请对应的那个。",
    ),
    "no-context": InChinese(
        "发起调用的线程没有当前 Context。",
        "返回 ACL_ERROR_RT_CONTEXT_NULL（107002）。",
        "在每个线程里调用 aclrtSetDevice 或 aclrtSetCurrentContext。",
    ),
    "wrong-context": InChinese(
        "使用的流不属于当前 Context。",
        "返回 ACL_ERROR_RT_STREAM_CONTEXT（107003）。",
        "用 aclrtSetCurrentContext 把流所属的 Context 设为当前 Context。",
    ),
    "dead-handle": InChinese(
        "对象销毁之后，还在使用它的句柄。",
        "已销毁的流、事件和 Context 会被拒绝（107017、107003）；已销毁的 aclnn 对象是已经释放的内存。",
        "最后一次使用之后，再销毁对象。",
    ),
    "event-misuse": InChinese(
        "流等待的事件从未记录过。",
        "这次等待不起作用：流里后面的任务，可能先于它们所需要的任务执行。",
        "先调用 aclrtRecordEvent，再调用 aclrtStreamWaitEvent；如果没有什么要等，就去掉这次等待。",
    ),
    "event-reset-early": InChinese(
        "流可能还在等待事件，就重置了它。",
        "没有定义。如果重置先于等待执行，流等待的记录就已经不在了：它会一直等下去，或者等到事件再次记录。结果取决于负"
        "载。",
        "在等待事件的流里，排在 aclrtStreamWaitEvent 之后调用 aclrtResetEvent；或者用另一个事件或同步，让重置排在等待"
        "之后。",
    ),
    "destroy-pending-stream": InChinese(
        "流里还有没等待过的任务，就销毁了它。",
        "aclrtDestroyStream 会等任务执行完，但不返回它们的失败。用其他方式销毁流，会丢弃这些任务。",
        "销毁流之前，先调用 aclrtSynchronizeStream，并检查它的返回码。",
    ),
    "order-teardown": InChinese(
        "先重置了 Device，然后才销毁它的流、事件或 Context。",
        "默认 Context 的流随 Device 一起消失，事件和其他 Context 则留了下来：之后使用或销毁它们，都会以 107xxx 失败。",
        "先销毁流、事件和 Context，再调用 aclrtResetDevice，最后调用 aclFinalize。",
    ),
    "unsupported-product": InChinese(
        "文档没有说该产品支持这个函数，程序却调用了它。",
        "库会接受这个调用，但它能否正常工作，既没有文档说明，也没有经过测试。（库拒绝时，调用返回 "
        "ACL_ERROR_RT_FEATURE_NOT_SUPPORT，207000；算子返回它自己的返回码。）",
        "使用文档说明该产品支持的函数：每个函数的帮助和每个算子的页面都列出了支持的产品。",
    ),
    "init": InChinese(
        "一直没有调用 aclInit。",
        "没有它，运行时也能工作，但没有它的配置。（第二次调用 aclInit 返回 ACL_ERROR_REPEAT_INITIALIZE，100002。）",
        "在所有其他调用之前调用 aclInit，最后调用 aclFinalize。",
    ),
    "finalize-pending": InChinese(
        "队列里还有任务，就调用了 aclFinalize。",
        "队列里的任务可能卡住；也可能失败，却再也没有调用来报告。",
        "调用 aclFinalize 之前，先同步各个流，再重置各个 Device。",
    ),
    "ignored-ret": InChinese(
        "有的返回码不是成功，程序却从未检查。",
        "失败之后程序继续运行，过后在别的地方出错。",
        "把每个调用的返回码与 ACL_SUCCESS 比较。",
    ),
    "async-err-lost": InChinese(
        "任务在 Device 上失败，之后的同步返回它的返回码。",
        "返回这个返回码（507xxx）的调用，本身并没有错。",
        "看错误信息：里面写着是哪个任务，在哪里下发的。",
    ),
    "stale-errmsg": InChinese(
        "在没有错误信息可读的地方调用 aclGetRecentErrMsg：换了线程，或者（C）连续读了两次。",
        "错误信息属于调用失败的那个线程，读过一次就清空：调用者得到的是空指针。",
        "调用失败之后，立即在同一个线程里调用 aclGetRecentErrMsg。",
    ),
    "callback-acl": InChinese(
        "在流的回调里调用了下发、等待、申请或释放的函数。",
        "流在等待回调，函数又在等待流：死锁。",
        "让回调通知一个 Host 线程，由那个线程调用这个函数。",
    ),
    "capture-sync": InChinese(
        "捕获流的过程中做了同步。",
        "返回 ACL_ERROR_RT_STREAM_CAPTURED（107027）；同步拷贝返回 ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT（107030），"
        "查询捕获的事件返回 ACL_ERROR_RT_EVENT_CAPTURED（107028）。捕获继续进行。",
        "在捕获开始之前或者结束之后，再同步、拷贝和查询。",
    ),
    "capture-unjoined": InChinese(
        "一个流被带入捕获，却没有汇合到捕获开始的流。",
        "aclmdlRICaptureEnd 返回 ACL_ERROR_RT_STREAM_UNJOINED（107025）：捕获作废。",
        "在这个流的最后记录一个事件，让捕获开始的流等待它。",
    ),
    "graph-memory-gone": InChinese(
        "模型用到的内存已经释放，却再次执行模型。",
        "模型保存的是捕获时的地址。它读到的是下一个使用者写的数据，或者覆盖它的数据。",
        "只要模型还会执行，就保留捕获时用到的 Tensor、workspace 和锁页内存；否则重新捕获。",
    ),
    "update-race": InChinese(
        "任务组的更新和模型的执行之间没有先后顺序。",
        "执行用的是旧参数还是新参数，取决于时机。",
        "在更新之后记录一个事件，让执行模型的流等待它；或者捕获时让流在任务组之前等待一个外部事件，每次更新之后都记录它。",
    ),
    "model-leaked": InChinese(
        "捕获得到的模型没有销毁。",
        "它的任务和它在 Device 上的流一直占用到进程结束。",
        "调用 aclmdlRIDestroy。",
    ),
    "model-buffer-short": InChinese(
        "data buffer 比模型的输入或输出小。",
        "最多小 64 字节时，接口照样接受；选择过尺寸（aclmdlSetDynamicBatchSize 等）之后，小多少都接受。"
        "Device 会读取或覆盖 buffer 后面的内存。",
        "按 aclmdlGetInputSizeByIndex 和 aclmdlGetOutputSizeByIndex 返回的字节数申请内存。",
    ),
    "model-unloaded-early": InChinese(
        "模型的执行还在排队或正在进行，就卸载了模型。",
        "aclmdlUnload 不会等待。它释放权重和工作内存，而执行还在用它们。",
        "先调用 aclrtSynchronizeStream，再调用 aclmdlUnload。",
    ),
    "model-not-unloaded": InChinese(
        "加载的模型没有卸载。",
        "它的权重和工作内存一直占用到进程结束。",
        "加载得到的每个模型 ID，都在 aclrtResetDevice 之前调用一次 aclmdlUnload。",
    ),
    "model-other-context": InChinese(
        "执行或卸载模型时，当前 Context 不是加载模型时的 Context。",
        "文档要求加载、执行、卸载都在同一个 Context 里，接口并不检查。",
        "先用 aclrtSetCurrentContext 切换到加载模型时的 Context。",
    ),
    "gear-not-set": InChinese(
        "模型的尺寸是动态的，执行之前没有为数据集选择尺寸。",
        "Device 会把输入 ascend_mbatch_shape_data 的 buffer 里的任何内容当作尺寸。",
        "在 aclmdlExecute 之前，为数据集调用 aclmdlSetDynamicBatchSize、aclmdlSetDynamicHWSize 或 "
        "aclmdlSetInputDynamicDims。",
    ),
    "fork-after-init": InChinese(
        "fork 出来的子进程使用父进程的运行时。",
        "子进程有父进程的句柄，却没有父进程的线程：它会卡住，或者以 507xxx 失败。",
        '用 multiprocessing.get_context("spawn") 启动子进程，或者只在子进程里调用接口。',
        "只在子进程里调用接口，或者让子进程启动另一个程序（exec）。",
    ),
    "limits": InChinese(
        "Device 上的流、事件或内存用完了。",
        "返回 ACL_ERROR_RT_NO_STREAM_RESOURCE（207008）、ACL_ERROR_RT_NO_EVENT_RESOURCE（207007）或 "
        "ACL_ERROR_RT_MEMORY_ALLOCATION（207001）。",
        "销毁不再需要的对象；错误信息会按创建它们的代码行，列出还存在的对象。",
    ),
    "churn": InChinese(
        "每执行一个算子，都申请和释放一次内存，或者同步一次 Device。",
        "aclrtMalloc 和 aclrtSynchronizeDevice 所用的时间，比大多数算子还长。",
        "各次下发共用 workspace，不要每次都申请；多个算子只同步一次。",
    ),
    "mem-leaked": InChinese(
        "Device 内存没有释放，或者预留的虚拟内存没有释放。",
        "内存一直被占用，直到进程结束。",
        "调用 aclrtFree。虚拟内存要调用 aclrtUnmapMem、aclrtFreePhysical 和 aclrtReleaseMemAddress。",
    ),
    "host-mem-leaked": InChinese(
        "锁页内存没有释放，或者没有注销。",
        "内存一直锁页，直到进程结束。",
        "调用 aclrtFreeHost；注册的内存则调用 aclrtHostUnregister。",
    ),
    "stream-leaked": InChinese(
        "流没有销毁。",
        "Device 上的流数目有限。",
        "调用 aclrtDestroyStream。",
    ),
    "event-leaked": InChinese(
        "事件没有销毁。",
        "Device 上的事件数目有限。",
        "调用 aclrtDestroyEvent。",
    ),
    "context-leaked": InChinese(
        "Context 没有销毁。",
        "它的流和内存一直被占用。",
        "调用 aclrtDestroyContext。",
    ),
    "device-not-reset": InChinese(
        "设置 Device 的次数多于重置的次数。",
        "Device 的资源一直被占用，直到进程结束。",
        "每调用一次 aclrtSetDevice，就要调用一次 aclrtResetDevice。",
    ),
    "work-dropped": InChinese(
        "流、Context 或 Machine 已经不存在，队列里却还有任务。",
        "这些任务永远不会执行。",
        "先同步这个流。",
    ),
    "deadlock": InChinese(
        "等待的条件谁也无法满足。",
        "程序会一直卡住。",
        "消除循环等待，或者下发所等待的任务。",
    ),
    "collective-mismatch": InChinese(
        "一个通信域的各 rank 调用的操作或参数不一致。",
        "各 rank 交换的字节与预期不符，或者互相等待，直到 HCCL_EXEC_TIMEOUT（1836 秒）。",
        "所有 rank 按同样的次序调用同样的操作，count、数据类型、归约方式和 root 都相同。",
    ),
    "collective-absent": InChinese(
        "有一个 rank 一直没有来参加其他 rank 的操作，或者没有加入通信域。",
        "其他 rank 会卡住：操作等到 HCCL_EXEC_TIMEOUT（1836 秒），创建通信域等到 HCCL_CONNECT_TIMEOUT（120 秒）。",
        "每个 rank 都要调用每个操作，没有数据的也一样；最后才销毁通信域。",
    ),
    "comm-foreign": InChinese(
        "操作的流或内存所在的 Device 与通信域的不同。",
        "该 rank 的 Device 不能安排这个任务，也访问不到这些字节：会卡住，或者报错。",
        "先设置该 rank 的 Device，再创建流和分配内存。",
    ),
    "comm-cross-thread": InChinese(
        "两个线程同时调用同一个通信域的操作。",
        "各 rank 按调用的次序匹配操作；两个线程会让每个 rank 的次序都不同。",
        "同一时刻只在一个线程里调用一个通信域的操作，或者给每个线程一个通信域。",
    ),
    "comm-two-streams": InChinese(
        "同一个通信域的操作分布在两个流里，次序没有定义。",
        "它们使用同样的连接和缓冲区。如果同时执行，字节会混在一起，或者卡住。",
        "一个通信域的操作都在一个流里调用，或者在两个流之间用事件排好次序。",
    ),
    "comm-in-capture": InChinese(
        "捕获流的期间创建了通信域，或者第一次用它调用操作。",
        "这两种调用都会立即分配内存并等待其他 rank；捕获不允许这样做，或者因此失败。",
        "在第一次捕获之前创建通信域，并且用每个通信域调用一次操作。",
    ),
    "comm-destroyed-early": InChinese(
        "销毁通信域时，它的操作可能还在执行。",
        "操作要用通信域的连接和缓冲区：会失败，或者让其他 rank 卡住。",
        "先对这些操作所在的流调用 aclrtSynchronizeStream，再调用 HcclCommDestroy。",
    ),
    "comm-leaked": InChinese(
        "通信域一直没有销毁。",
        "它的连接和它在 Device 内存里的缓冲区一直被占用。",
        "每个 rank 都调用 HcclCommDestroy。",
    ),
    "host-overrun": InChinese(
        "拷贝越过了 Host 对象的末尾，或者它的地址不是 Host 内存。",
        "进程会崩溃，或者覆盖对象后面的内存。",
        "传入 buffer 本身（numpy 或 ctypes 数组），不要传数字；大小按字节计算。",
        "传入仍然有效的内存地址；大小按字节（sizeof）计算，不是按元素个数。",
    ),
    "machine-closed": InChinese(
        "线程所属的 Machine 关闭之后，线程还在调用接口。",
        "真实设备一直都在；模拟的设备随它的 Machine 一起消失了。",
        "在 `with Machine()` 里启动的线程，要在 with 块结束之前 join。",
        "调用 aclnnEmulatorReset 之前，先 join 各个线程。",
    ),
    "dtype-converted": InChinese(
        "输出的数据类型与梯度不同。",
        "结果要多舍入一次；较新的文档要求两者的类型相同。",
        "让输出的数据类型与梯度相同。",
    ),
    "kernel-arguments": InChinese(
        "下发核函数时传的参数，与代替它的函数的参数不一致。",
        "核函数在固定的偏移处读取参数：那里是什么，它就当作指针或数值来用。",
        "按核函数的参数顺序和类型传参，每个参数从 8 字节的整数倍处开始；或者改正 `Kernel` 里声明的参数。",
    ),
    "kernel-raised": InChinese(
        "核函数抛出了异常，或者结果的 shape 或数据类型不对：可能是用户提供的函数，也可能是模拟器自己的公式。",
        "输出没有写入，任务像在真实设备上那样失败。模拟器自己的公式抛出异常，是模拟器的缺陷：请报告它，并附上这次调用。",
        "传给 `machine.kernels` 或 `@aclnn.kernel` 的函数，返回的数组要与各个输出的 shape 和数据类型相同。",
    ),
    "hf32": InChinese(
        "FLOAT 矩阵乘允许用 HFLOAT32 计算，这里用 FLOAT 计算。",
        "真实设备会把输入舍入到 11 位尾数：它的结果比这里的结果有效位数少。",
        "用 Machine(hf32=True) 让输入也在这里舍入；或者把 cubeMathType 设为 0（KEEP_DTYPE），让真实设备也保持 FLOAT。",
        "设置 ACL_EMULATOR_HF32=1，让输入也在这里舍入；或者把 cubeMathType 设为 0（KEEP_DTYPE），让真实设备也保持 "
        "FLOAT。",
    ),
    "host-dtype": InChinese(
        "把 Host 的数组拷贝到了按另一种数据类型读取它的 Tensor 里。",
        "拷贝只搬运字节，不转换类型：算子会把这些数的字节当作另外的数。",
        "按 Tensor 的类型创建数组：ACL_FLOAT 用 np.float32，ACL_INT32 用 np.int32。不指定 dtype 时，numpy 创建的是 "
        "float64 和 int64。",
        "按 Tensor 的类型拷贝元素：ACL_FLOAT 用 float，ACL_INT32 用 int32_t。",
    ),
    "format-mismatch": InChinese(
        "算子把 FRACTAL_NZ 格式的内存当作 ND 读取，或者反过来。",
        "格式是内存的属性：aclnnTransMatmulWeight 和 aclnnNpuFormatCast 会重新排布字节。格式不同的 Tensor 会取到错误"
        "的字节，也没有返回码提示。",
        "让 Tensor 的格式与内存的实际格式一致；权重每写入一次，只做一次格式转换。",
    ),
}  # fmt: skip

"""The published codes of error texts in Chinese; `codes.py` has the English texts."""

from typing import Final

MODULES: Final = {
    "EH": "ACL 层", "EE": "运行时", "EL": "驱动", "EZ": "aclnn 和它的算子", "EI": "集合通信", "EP": "profiling 和 dump",
    "EJ": "集合通信", "E1": "图引擎",
    "E": "其他组件，例如图引擎、编译器、profiling 或 dump", "W": "警告",
}  # fmt: skip
"""the part of CANN that writes a code, by the first letters of the code"""

_CHECK: Final = "读错误信息里的值，与函数的帮助或算子的文档比较。"
_FREE: Final = "释放不再需要的对象，或者换用这种资源更多的 Device。"
_MACHINE: Final = "原因在主机或它的驱动：检查 npu-smi info、权限和其他进程。"
_RANKS: Final = "比较所有 rank 的日志：最先失败的 rank 才是原因，其他 rank 在等它。"
_PORT: Final = "结束占用端口的进程，或者用 HCCL_IF_BASE_PORT 和 HCCL_NPU_SOCKET_PORT_RANGE 换用别的端口。"
_TABLE: Final = "改正 RANK_TABLE_FILE 指定的文件；错误信息里有出错的条目。"
_NO_KERNEL: Final = (
    "安装这款芯片的算子包，并 source 它的 set_env.sh；如果已经安装，说明芯片没有支持这些数据类型和格式的这个算子。"
)
_OTHER: Final = "在这个产品上不要使用它。"
_POINTER: Final = "传入有效的指针。"
_HOST_MEMORY: Final = "释放 Host 内存，或者申请得少一些。"
READ_AFTER: Final = "读它后面的文字。"
_TEXT_ONLY: Final = "只有编码后面的文字写明是什么失败了：多半是哪个参数、传入了什么、允许什么"

PUBLISHED: Final = {
    "EH0001": ("参数的值无效；EH0007 的旧形式", _CHECK),
    "EH0002": ("参数是空指针；CANN 9.1 写的是 EH0008", _POINTER),
    "EH0013": ("调用 C 库失败；错误信息里有 errno", _CHECK),
    "EE1007": ("流无法绑定到模型", "使用没有绑定到模型的流。"),
    "EE1009": ("模型在执行时失败", "读错误信息的其余部分。"),
    "EE1019": ("流里排队的任务太多", "时常同步一下流。"),
    "EE1020": ("调用 C 库失败；错误信息里有 errno", _CHECK),
    "EE1021": ("Host 没有线程或锁可用了", "释放 Host 的资源。"),
    "EE2002": ("环境变量的值无效", "改正或者取消这个变量；错误信息里有它的名字和应有的值。"),
    "EI0006": ("一个 rank 等待与另一个 rank 建立连接，直到超时", f"{_RANKS}HCCL_CONNECT_TIMEOUT 设定等待的时间。"),
    "EI0007": ("得不到某种资源", _RANKS),
    "EI0008": ("各个 rank 的 CANN 版本不同", "在所有主机上安装同一个版本。"),
    "EI0010": ("两个 Device 之间的直接连接（P2P）失败", _MACHINE),
    "EI0011": ("Device 内存不足", "释放 Device 内存；HCCL_BUFFSIZE 设定通信域缓冲区的大小。"),
    "EI0012": ("通信操作内部拷贝 Device 内存失败", "在同步流之前，不要释放缓冲区，也不要销毁通信域。"),
    "EI0013": ("主机之间的传输失败（error CQE）", _RANKS),
    "EI0016": ("配置里的值无效", "改正这个值；错误信息里有应有的值。"),
    "EI0017": ("缺少 rank table，或者它缺少一部分", _TABLE),
    "EI0019": ("Host 或 Device 的端口已被占用", _PORT),
    "EJ0001": (
        "负责 Device 网络的进程（HCCP）没有启动",
        "错误信息写明原因。多半是上一次运行的进程还在：npu-smi info 会列出它们，结束这些进程。",
    ),
    "EJ0003": ("Device 的端口已被占用", _PORT),
    "EL0002": ("没有这个编号的 Device", "调用 aclrtGetDeviceCount。"),
    "EL0005": ("Device 正忙，或者正在重置", "稍后再试。"),
    "EL0006": ("驱动没有资源可用了", _FREE),
    "EL0007": ("进程没有这样做的权限", "用有权使用 Device 的用户运行。"),
    "EL0008": ("Device 没有空闲的事件", "销毁不再需要的事件。"),
    "EL0009": ("Device 没有空闲的流", "销毁不再需要的流。"),
    "EL0010": ("Device 没有空闲的 notify", _FREE),
    "EL0011": ("Device 没有空闲的模型", _FREE),
    "EL0012": ("驱动的队列满了", "先等待队列里的任务，再下发新的。"),
    "EL0013": ("Device 没有空闲的 CDQM", _FREE),
    "EL0014": ("驱动不支持这个操作", _OTHER),
    "EL0015": ("Device 属于另一个容器", _MACHINE),
    "EZ0001": ("算子的输入，shape 不对", _CHECK),
    "EZ0002": ("算子的属性，值不对", _CHECK),
    "EZ0003": ("算子的属性，大小不对", _CHECK),
    "EZ0004": ("缺少算子的输入", "传入这个输入。"),
    "EZ0005": ("算子的输入，元素个数不对", _CHECK),
    "EZ0006": ("算子的输入，格式不对", _CHECK),
    "EZ0007": ("算子的输入，数据类型不对", _CHECK),
    "EZ3002": ("图引擎没有这种算子的核函数", _NO_KERNEL),
    "EZ3003": ("图引擎没有这种算子的核函数", _NO_KERNEL),
    "WE0001": ("不支持某个函数；这个警告只出现在日志里", _OTHER),
}
"""meaning and remedy, by code"""

WRITTEN: Final = {
    "EH0003": ("路径无效", "检查路径；错误信息写明原因。"),
    "EH0004": ("文件无效", "检查文件；错误信息写明原因。"),
    "EH0006": ("不支持这个特性", _OTHER),
    "EH0007": ("参数的值无效；错误信息写明允许的值", _CHECK),
    "EH0008": ("参数是空指针", _POINTER),
    "EH0009": ("参数的值无效；错误信息写明原因", _CHECK),
    "EH0010": ("Host 内存申请失败", _HOST_MEMORY),
    "EH0011": ("系统或 Device 不支持这个函数", _OTHER),
    "EH0012": ("参数无效；错误信息写明原因", _CHECK),
    "EH0014": ("有几个参数不能同时是空指针", _POINTER),
    "E13025": (_TEXT_ONLY, READ_AFTER),
    "EE1001": (_TEXT_ONLY, "检查参数的取值范围，以及调用的次序。"),
    "EE1002": (
        "等待流或 Device 超时：任务需要更长时间，或者在等待永远不会发生的事", "等待更长时间，或者找出任务在等什么。",
    ),
    "EE1003": ("参数的值无效；错误信息写明允许的值", _CHECK),
    "EE1004": ("参数是空指针", _POINTER),
    "EE1005": ("系统或 Device 不支持这个函数", _OTHER),
    "EE1006": ("不支持这个特性；错误信息写明原因", _OTHER),
    "EE1010": ("流、事件等对象不属于当前 Context", "把创建它的 Context 设为当前 Context。"),
    "EE1011": ("参数的值无效；错误信息写明原因", _CHECK),
    "EE1012": ("参数的值无效；错误信息写明原因", _CHECK),
    "EE1013": ("Host 内存申请失败", _HOST_MEMORY),
    "EE1016": ("不支持这个函数；错误信息写明原因", _OTHER),
    "EE1017": ("参数无效；错误信息写明原因", _CHECK),
    "EE1018": ("调用的次序不对", "按错误信息写明的原因改正调用的次序。"),
    "EE1022": ("几个参数的值合在一起无效；错误信息写明原因", _CHECK),
    "EE1023": ("资源不够；错误信息写明原因", "查产品文档里的资源上限。"),
    "EL0001": (
        "没有 Device：主机没有，或者这个进程不能使用",
        "检查主机的 Device，以及 ASCEND_RT_VISIBLE_DEVICES。",
    ),
    "EL0003": ("驱动拒绝了地址或大小", "检查传入的地址和大小。"),
    "EL0004": ("Device 的空闲内存比申请的少", "释放不再需要的 Device 内存，或者换用内存更大的 Device。"),
    "EP0008": ("调用的次序不对", "按错误信息写明的原因改正调用的次序。"),
    "EI0001": ("集合通信库的环境变量无效", "改正或者取消这个变量。"),
    "EI0002": ("执行通信操作时，一个 rank 等待另一个 rank 直到超时", _RANKS),
    "EI0003": ("集合通信函数的参数无效", "检查参数的取值范围，以及调用的次序。"),
    "EI0004": ("rank table 或者 rank 编号无效", _TABLE),
    "EI0005": (
        "各个 rank 用不同的参数调用了同一个操作", "所有 rank 都要以相同的次序、用相同的参数调用相同的操作。",
    ),
    "EI0014": (
        "rank table 与 Device 不符，或者同一个 Device、同一个 rank 出现了两次",
        "给每个 rank 一个自己的编号和一个自己的 Device。",
    ),
    "EI0015": ("创建通信域时，各个 rank 没有到齐", _RANKS),
    "EZ1001": (_TEXT_ONLY, _CHECK),
    "EZ1006": ("算子不支持这种数据类型；错误信息列出支持的数据类型", "换用支持的数据类型，或者先转换。"),
    "EZ1009": ("算子执行失败；错误信息写明原因", _CHECK),
    "EZ1010": ("算子的参数的值无效；错误信息写明原因", _CHECK),
    "EZ1011": ("算子的参数是空指针", _POINTER),
    "EZ1012": ("算子的参数的值太大", "换成比错误信息写明的上限小的值。"),
    "EZ2001": ("任务在 Device 上失败了", "错误信息写明是哪个任务；返回这个错误的调用本身没有错。"),
    "EZ9903": ("aclnn 算子内部调用运行时失败", "看 trace 里的第一个错误。"),
}  # fmt: skip
"""meaning and remedy of the codes that this emulator writes, without inner errors"""

INNER: Final = "{module}的内部错误：只有编码后面的文字才能说明更多"
UNKNOWN: Final = "没有公开的资料说明这个编码的含义"
READ_ON: Final = "读错误信息和它的 trace：trace 的第一行写明原因。"

PLUGIN_KINDS: Final = {
    "000": "成功", "001": "参数无效", "002": "类型无效", "003": "值无效", "004": "指针无效", "005": "内部错误",
    "006": "内存", "007": "不支持这个特性", "008": "资源不存在", "009": "资源不可用", "010": "系统调用失败",
    "011": "超时", "012": "没有权限", "100": "调用 AscendCL 失败", "200": "调用 HCCL 失败",
    "300": "调用图引擎失败", "999": "插件没有预料到的异常",
}  # fmt: skip
"""the kinds of errors of torch_npu, by the last three digits of a code"""
PLUGIN_UNKNOWN: Final = "torch_npu 没有定义这种错误"
PLUGIN_OF_CANN: Final = "看同一条信息里的函数和返回码，以及下面 CANN 的文字：只凭这个编码不能知道原因。"
PLUGIN_OWN: Final = "读编码前面的文字：它写明原因。"

RESULTS: Final = {
    "PARA": "参数无效", "PTR": "指针为空", "MEMORY": "内存出错", "INTERNAL": "内部错误",
    "NOT_SUPPORT": "不支持这个特性", "NOT_FOUND": "资源不存在", "UNAVAIL": "资源不可用",
    "SYSCALL": "系统调用失败", "TIMEOUT": "超时",
    "OPEN_FILE_FAILURE": "文件打不开", "TCP_CONNECT": "TCP 连接失败", "ROCE_CONNECT": "RoCE 连接失败",
    "TCP_TRANSFER": "TCP 传输失败", "ROCE_TRANSFER": "RoCE 传输失败", "RUNTIME": "调用运行时失败",
    "DRV": "调用驱动失败", "PROFILING": "调用 profiling 失败", "CCE": "调用 CCE 失败", "NETWORK": "调用网络失败",
    "AGAIN": "请重试", "REMOTE": "连接的对端失败（error CQE）", "SUSPENDING": "通信域正在挂起",
    "OPRETRY_FAIL": "操作不能重试", "OOM": "内存不足", "IN_STATUS": "通信库不允许的状态",
}  # fmt: skip
"""the results of the communication library, by the name without its prefix"""
RESULT_DO: Final = (
    "在调用的线程里读 aclGetRecentErrMsg：其中带 EI 或 EJ 的文字写明原因。再比较所有 rank 的日志：最先失败的 rank 才"
    "是原因。"
)

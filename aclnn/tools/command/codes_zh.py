"""The published codes of error texts in Chinese; see `codes.py`. The sentences of the library stay as they are."""

from typing import Final

MODULES: Final = {
    "EH": "ACL 层", "EE": "运行时", "EL": "驱动", "EZ": "aclnn 和它的算子", "EI": "集合通信", "EP": "profiling 和 dump",
    "EJ": "集合通信", "E": "其他组件，例如图引擎、编译器、profiling 或 dump", "W": "警告",
}  # fmt: skip
"""the writer of a code by its first letters"""

_CHECK: Final = "读错误信息里的值，与函数的帮助或算子的文档比较。"
_FREE: Final = "释放不再需要的对象，或者换用这种资源更多的 Device。"
_MACHINE: Final = "原因在主机或它的驱动：检查 npu-smi info、权限和其他进程。"
_OTHER: Final = "在这个产品上不要使用它。"

PUBLISHED: Final = {
    "EH0001": ("参数的值无效；EH0007 的旧形式", _CHECK),
    "EH0002": ("参数是空指针；CANN 9.1 写的是 EH0008", "传入有效的指针。"),
    "EH0013": ("调用 C 库失败；错误信息里有 errno", _CHECK),
    "EE1007": ("流无法绑定到模型", "使用没有绑定到模型的流。"),
    "EE1009": ("模型在执行时失败", "读错误信息的其余部分。"),
    "EE1019": ("流里排队的任务太多", "时常同步一下流。"),
    "EE1020": ("调用 C 库失败；错误信息里有 errno", _CHECK),
    "EE1021": ("Host 没有线程或锁可用了", "释放 Host 的资源。"),
    "EE2002": ("环境变量的值无效", "改正或者取消这个变量；错误信息里有它的名字和应有的值。"),
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
    "WE0001": ("不支持某个函数；这个警告只出现在日志里", _OTHER),
}
"""meaning and remedy, by code"""

INNER: Final = "{module}的内部错误：只有编码后面的文字才能说明更多"
READ_ON: Final = "读错误信息和它的 trace：trace 的第一行写明原因。"

"""The page of operators by name, in English and in Chinese: the table of `aclnn.by_name`."""

from functools import partial
from typing import Any, Final, NamedTuple

from aclnn.by_name.row import OperatorRow, Required, TensorSlot
from aclnn.by_name.table import FAMILIES, of_family
from aclnn.tools.pages.markdown import MADE, Files, plain, table

EN_TEXT: Final = """\
The interface before aclnn identifies an operator by its type name: `aclopCompileAndExecute("Add", ...)` with
descriptors, buffers and attributes. OpenCV, ONNX Runtime and PaddlePaddle use only this interface, and PyTorch uses it
if aclnn has no function. The emulator computes the {count} types in the tables.

- A call is a task like any other: its memory and the order of its accesses are checked, the trace shows it under its
  type, and `machine.fail("aclopCompileAndExecute", ...)` makes it fail.
- The formulas are those of aclnn. The last column has the functions that a call uses. A call that such a function
  refuses cannot be compiled: 500002, and the text has the reason. The same applies to a type that is not in the tables.
- Attributes without a default are required. Unknown attributes are ignored.
- Small inputs such as axes may be on the host (aclSetTensorPlaceMent, aclSetTensorConst) or on the device. Values on
  the device are read when the task runs.
- Memory in FRACTAL_NZ, NC1HWC0 and FRACTAL_Z is read and written in that layout.
- aclopInferShape returns the shapes of the results. A size that depends on values in device memory is -1.
- Not in the tables are DynamicGRUV2 and its gradient, and other types that public programs call only in PyTorch's
  compile mode on 910 and 310P. No computed aclnn function has their results.
- aclopExecute runs operators that aclopCompile or aclopCompileAndExecute compiled in this process. Compiled operators
  in files are not read: a custom operator is 100024 at its execution."""
ZH_TEXT: Final = (
    'aclnn 之前的接口用字符串指定算子：`aclopCompileAndExecute("Add", ...)`，再加上描述、数据缓冲区和属性。OpenCV、'
    "ONNX Runtime 和 PaddlePaddle 只用这套接口，PyTorch 在 aclnn 没有对应函数时也会用到。模拟器能计算 {count} 种类型，"
    "见下面的表。\n\n"
    "- 一次调用就是一个普通任务：内存会检查，访问次序会检查，Trace 里以类型名出现，"
    '`machine.fail("aclopCompileAndExecute", ...)` 可以让它失败。\n'
    "- 公式就是 aclnn 的公式，最后一列是一次调用经过的函数。这些函数拒绝的调用无法编译：返回 500002，错误信息说明原因。"
    "表里没有的类型也是如此。\n"
    "- 没有默认值的属性必须设置；不认识的属性会被忽略。\n"
    "- axes 之类的小输入可以在 Host 上（aclSetTensorPlaceMent、aclSetTensorConst），也可以在 Device 上。Device 上的值在"
    "任务执行时读取。\n"
    "- FRACTAL_NZ、NC1HWC0 和 FRACTAL_Z 格式的内存按其格式读写。\n"
    "- aclopInferShape 给出结果的形状；取决于 Device 内存中的值的维度为 -1。\n"
    "- 表里没有：DynamicGRUV2 及其梯度，以及公开程序只在 910、310P 上 PyTorch 的编译模式下才调用的"
    "其他类型。能计算的 aclnn 函数没有对应的结果。\n"
    "- aclopExecute 能找到本进程里 aclopCompile 或 aclopCompileAndExecute 编译过的算子。文件里编译好的算子不会读取："
    "自己的算子在执行时返回 100024。"
)
EN_TITLES: Final = (
    "Element by element", "Derivatives", "Shapes and movement", "Positions and sorting", "Reductions", "Normalisation",
    "Products and convolutions", "Pools", "Images", "Boxes", "Training and status", "Recurrent networks",
)  # fmt: skip
ZH_TITLES: Final = (
    "逐元素",
    "导数",
    "形状与搬移",
    "索引与排序",
    "归约",
    "归一化",
    "矩阵乘与卷积",
    "池化",
    "图像",
    "框",
    "训练与状态",
    "循环网络",
)
"""titles of the families, in their order"""


class TableLanguage(NamedTuple):
    """The parts of a page that depend on its language."""

    head: str
    text: str
    titles: tuple[str, ...]
    columns: tuple[str, ...]


PAGES: Final = {
    "docs/operators-by-name.md": TableLanguage(
        "# Operators by name\n\nEnglish | [中文](zh/operators-by-name.md)", EN_TEXT, EN_TITLES,
        ("type", "inputs -> outputs", "attributes", "computed by"),
    ),
    "docs/zh/operators-by-name.md": TableLanguage(
        "# 按名字调用的算子\n\n[English](../operators-by-name.md) | 中文", ZH_TEXT, ZH_TITLES,
        ("类型", "输入 -> 输出", "属性", "计算方式"),
    ),
}  # fmt: skip


def files() -> Files:
    """Functions that return the text of each page, by its path in the project."""
    return {path: partial(page, language) for path, language in PAGES.items()}


def page(language: TableLanguage) -> str:
    """The text of a page."""
    rows = [list(of_family(family)) for family in FAMILIES]
    count = sum(map(len, rows))
    parts = [language.head, MADE, language.text.format(count=count)]
    for title, of_one in zip(language.titles, rows, strict=True):
        parts += [f"## {title}", table(language.columns, map(cells, of_one))]
    return "\n\n".join(parts) + "\n"


def cells(row: OperatorRow) -> tuple[str, ...]:
    """The cells of a row."""
    sides = " -> ".join(", ".join(map(slot_text, side)) for side in (row.inputs, row.outputs))
    attributes = ", ".join(f"{name} {value_text(value)}".strip() for name, value in row.attributes.items())
    return f"`{row.type}`", plain(sides), plain(attributes), plain(row.uses)


def slot_text(slot: TensorSlot) -> str:
    """The name of a tensor, with its mark."""
    return f"{slot.name}{slot.mark}"


def value_text(value: Any) -> str:
    """The default of an attribute; empty for an attribute without a default."""
    return "" if isinstance(value, Required) else str(list(value) if isinstance(value, tuple) else value)  # pyright: ignore

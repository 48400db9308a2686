"""The table of README.md and README.zh.md that counts what is emulated."""

from collections import Counter
from functools import partial
from typing import Final

import aclnn
from acl_runtime.checks.catalogue import CATALOGUE
from acl_runtime.objects.soc import SOCS, Series
from aclnn.catalogue.facts import facts
from aclnn.catalogue.index import names
from aclnn.tools.pages.markdown import ROOT, Files, table
from aclnn.tools.toolkit import control
from aclnn.tools.toolkit.exported_functions import declarations

BEGIN: Final = "<!-- the next table is made by python -m aclnn.render -->"
END: Final = "<!-- end of the table -->"
HEAD: Final = {
    "README.md": ("part", "how much", "more"),
    "README.zh.md": ("部分", "有多少", "详见"),
}
ROWS: Final = {
    "README.md": (
        (
            "runtime",
            "{runtime} functions of `acl/`, `aclnn/`, `hccl/`, `mstx/` and two small headers: devices, contexts, "
            "streams, events, memory, virtual memory, copies, callbacks, offline models, error texts, profiling, "
            "collectives of ranks that are threads or processes",
            "[contract](docs/contract.md), [models](docs/models.md), [collectives](docs/hccl.md)",
        ),
        (
            "operators",
            "all {documented:,} documented functions check their arguments. {computed} compute: {exact} exactly as "
            "their documents say, {made} from public facts, cross-checked against PyTorch or a reference loop. For the "
            "other {rest} you can supply [your own kernel](docs/my-operator-is-missing.md)",
            "[families](docs/families/index.md)",
        ),
        (
            "mistakes found",
            "{findings} kinds: races, memory freed too early, bytes never written, leaks, misuse",
            "[findings](docs/findings.md)",
        ),
        (
            "chips",
            "{chips} chips of {series} product series, with their limits, data types and operators: {a2:,} on Atlas "
            "A2, {training:,} on 910, {inference:,} on 310P, {a200:,} on 310B",
            "[machine](docs/machine.md), [operators by product](docs/families/index.md#products)",
        ),
        (
            "unchanged programs",
            "C and C++ by headers and libraries; PyTorch with torch_npu; llama.cpp with ggml's CANN backend; pyACL",
            "[C++](docs/cpp.md), [PyTorch](docs/clients/pytorch.md), [ggml](docs/clients/ggml.md), "
            "[pyACL](docs/pyacl.md)",
        ),
    ),
    "README.zh.md": (
        (
            "运行时",
            "`acl/`、`aclnn/`、`hccl/`、`mstx/` 和另外两个小头文件的 {runtime} 个函数：Device、Context、流、事件、"
            "内存、虚拟内存、拷贝、回调、离线模型、错误信息、Profiling、以线程或进程为 rank 的集合通信",
            "[公共约束](docs/zh/contract.md)、[离线模型](docs/zh/models.md)、[集合通信](docs/zh/hccl.md)",
        ),
        (
            "算子",
            "文档里的 {documented:,} 个函数全都会检查参数。能计算的有 {computed} 个：{exact} 个与文档完全一致，"
            "{made} 个按资料实现，并与另一种实现对比过。其余 {rest} 个可以用"
            "[你自己的 numpy 函数](docs/zh/my-operator-is-missing.md)来算",
            "[算子族](docs/families/index.md)",
        ),
        (
            "能发现的错误",
            "{findings} 类：数据竞争、过早释放内存、读取从未写过的字节、泄漏、误用",
            "[问题清单](docs/zh/findings.md)",
        ),
        (
            "芯片",
            "{series} 个产品系列的 {chips} 款芯片，各有各的限制、数据类型和算子："
            "Atlas A2 上 {a2:,} 个，910 上 {training:,} 个，310P 上 {inference:,} 个，310B 上 {a200:,} 个",
            "[Machine](docs/zh/machine.md)、[各产品的算子](docs/families/index.md#products)",
        ),
        (
            "不用改的程序",
            "C 和 C++ 程序（头文件和库）、PyTorch（torch_npu）、llama.cpp（ggml 的 CANN 后端）、pyACL",
            "[C++](docs/zh/cpp.md)、[PyTorch](docs/zh/clients/pytorch.md)、[ggml](docs/zh/clients/ggml.md)、"
            "[pyACL](docs/zh/pyacl.md)",
        ),
    ),
}


def files() -> Files:
    """The pages, by their paths; empty where only the packages are installed."""
    return {path: partial(page, path) for path in HEAD if (ROOT / path).is_file()}


def page(path: str) -> str:
    """The page with its table."""
    before, _, rest = (ROOT / path).read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    numbers = counts()
    rows = (tuple(cell.format(**numbers) for cell in row) for row in ROWS[path])
    return f"{before}{BEGIN}\n\n{table(HEAD[path], rows)}\n\n{END}{after}"


def counts() -> dict[str, int]:
    """The numbers of the table."""
    levels = Counter(getattr(aclnn, name).level for name in names())
    on = Counter(series for name in names() for series in Series if facts(name).support(series).computes)
    return {
        "runtime": sum(
            not declaration.header.startswith(("aclnnop/", control.HEADER)) for declaration in declarations()
        ),
        "documented": levels.total(),
        "computed": levels["exact"] + levels["computed"],
        "exact": levels["exact"],
        "made": levels["computed"],
        "rest": levels["catalogued"],
        "findings": sum(check.level != "status" for check in CATALOGUE),
        "chips": len(SOCS),
        "series": len(Series),
        "a2": on[Series.A2],
        "training": on[Series.TRAINING],
        "inference": on[Series.INFERENCE],
        "a200": on[Series.A200I_500_A2],
    }

"""`aclnn explain` in Chinese: statuses, findings, topics, variables, chips and error codes, and the headings.

Numbers, names and the help texts of the functions are the same in both languages.
"""

import re
from typing import Any, Final

from acl_runtime.checks.catalogue import CHECKS
from acl_runtime.checks.language import in_language
from acl_runtime.headers.meanings_zh import MEANINGS
from acl_runtime.headers.remedies_zh import FAMILIES, remedy
from acl_runtime.objects.soc import Series
from aclnn.catalogue.products import short_name
from aclnn.tools.command import variables_zh
from aclnn.tools.command.subjects import (
    codes,
    codes_zh,
    communication,
    plugin_codes,
    pyacl_names,
    pyacl_names_zh,
    topics_zh,
)  # fmt: skip
from aclnn.tools.command.text import WIDE, wrapped

Facts = dict[str, Any]
INTERNAL: Final = "内部的数字：没有公开的资料说明它的含义"
DO: Final = "怎么办："
TYPES: Final = {"an enum": "枚举", "an opaque handle": "句柄", "a struct": "结构体", "a union": "联合体"}
LINES: Final = {
    r"Meaning": "含义",
    r"What to do": "怎么办",
    r"What to do in C and C\+\+": "怎么办（C 和 C++）",
    r"On a device": "在真实设备上",
    r"The answer": "结果",
    r"To allow it": "允许这个问题",
    r"  or, without a machine of its own: (.*)": r"  程序没有自己的 Machine 时：\1",
    r"A wrong program, its report, and a right one": "错误的程序、它的报告，以及正确的程序",
    r"Returned by": "返回它的函数",
    r"Returned by \(the conditions: (.*)\)": r"返回它的函数（各自的条件：\1）",
    r"No function of this emulator returns it\.": "本模拟器的函数都不返回它。",
    r"\(cut: --all shows everything\)": "（已截断：--all 显示全部）",
    r"\(cut: everything by (.*)\)": r"（已截断；全部内容：\1）",
    r"(\d+) numbers begin with (\d+)": r"以 \2 开头的返回码有 \1 个",
    r"there is no status (\S+)": r"没有返回码 \1",
    r"  level: (\w+)": r"  级别：\1",
    r"  level: (\w+), no kernel: its launch fails unless you give it one":
        r"  级别：\1；没有核函数：不给它核函数，下发就失败",
    r"  products: (.*)": r"  产品：\1",
    r"( +A2 .*)  tensors": r"\1  Tensor",
    r"Args:": "参数：",
    r"Returns:": "返回值：",
    r"  (\d+) bits; in error texts (\w+); in numpy none": r"  \1 位；错误信息里写作 \2；numpy 没有这个类型",
    r"  (\d+) bits; in error texts (\w+); in numpy (\w+)": r"  \1 位；错误信息里写作 \2；numpy 里是 \3",
    r"(\d+) operators support it, for these tensors": r"支持它的算子有 \1 个，用于这些 Tensor",
    r"  (aclnn ops --dtype \w+) lists them by category": r"  \1 按类别列出它们",
    r"It reads": "原文",
    r"Possible cause": "可能的原因",
    r"See": "参见",
    r"  See: (.*)": r"  参见：\1",
    r"Its values": "它的值",
    r"Its fields": "它的成员",
    r"Functions that mention it": "用到它的函数",
    r"No function of this emulator takes it\.": "本模拟器没有函数用到它。",
    r"  an environment variable; this emulator or its toolkit uses it": "  环境变量；本模拟器或它的 toolkit 使用它",
    r"  an environment variable; CANN reads it; this emulator does not": "  环境变量；CANN 读取它，本模拟器不读",
    r"  (.*[\u4e00-\u9fff]): (.*)": r"  \1：\2",
    r"Beside it, or because of it": "同时出现的，或由它引起的",
    r"\((\d+) functions return it: (.*)\)": r"（有 \1 个函数返回它：\2）",
    r"  a macro": "  宏",
    r"  of (\w+)": r"  属于 \1",
    r"  (\w+) returns it: (.*)": r"  \1 返回它：\2",
    r"  (\w+) returns it for (\d+) reasons, such as: (.*)": r"  \1 返回它有 \2 种原因，例如：\3",
    r"  (\w+: )?an operator: (.*)": r"  \1算子：\2",
    r"  on ([A-Z]\w*(?:, [A-Z]\w*)*)": r"  支持的产品：\1",
    r"also: (.*)": r"另外：\1",
    r"unknown: (.*)": r"不认识：\1",
    r"(\d+) names contain (.*):": r"有 \1 个名字包含 \2：",
    r"nothing is called (.*), and no name contains it": r"没有叫 \1 的，也没有名字包含它",
    r"the text contains no status, error code, finding or name that is known here":
        "文字里没有这里认识的返回码、错误编码、问题或名字",
    r"`aclnn ops` lists the operators; `aclnn docs adding-an-op` shows how to add one":
        "`aclnn ops` 列出所有算子；`aclnn docs adding-an-op` 说明怎样添加算子",
    r"similar names:": "相近的名字：",
    r"similar numbers:": "相近的返回码：",
}  # fmt: skip
"""the Chinese form of a line, by a regular expression for the whole English line"""


def facts(about: Facts) -> Facts:
    """The facts of a name, in Chinese where a translation exists."""
    match about["kind"]:
        case "status":
            value = about["value"]
            texts = {"family": FAMILIES[value // 1000], "meaning": MEANINGS[value], "what_to_do": remedy(value)}
            return {**about, **texts, "do": DO}
        case "finding":
            page = f"zh/findings/{about['id']}"
            return {**about, **in_language(CHECKS[about["id"]], "zh")._asdict(), "page": page, "do": DO}
        case "topic":
            return {**about, "about": topics_zh.ABOUT[about["name"]], "in_words": facts, "heading": _heading(about)}
        case "variable":
            return {**about, "meaning": variables_zh.MEANINGS[about["name"]]}
        case "error code":
            return {**about, **_error_code(about), "do": DO}
        case "pyacl name":
            texts = pyacl_names.facts(about["name"], pyacl_names_zh.TEXTS, pyacl_names_zh.SUBJECTS)
            return {**about, **texts, "is_a": pyacl_names_zh.IS_A, "do": DO}
        case "type":
            return {**about, "is_a": TYPES[about["is_a"]]}
        case "chip":
            return {**about, "lines": _chip(about), "is_a": "芯片"}
        case "series":
            return {**about, "lines": _series(about), "is_a": "产品系列"}
        case _:
            return about


def _heading(about: Facts) -> str:
    """The name of a topic, after its first Chinese word if it has any."""
    words: list[str] = about["words"]
    chinese = next(filter(WIDE.search, words), None)
    return about["name"] if chinese is None else f"{chinese} ({about['name']})"


def _error_code(about: Facts) -> Facts:
    """The kind, module, meaning and solution of an error code. Error texts that the library writes stay in English."""
    name = about["name"]
    if plugin := plugin_codes.CODE.fullmatch(name):
        kind = plugin[2]
        solution = codes_zh.PLUGIN_OF_CANN if kind in plugin_codes.OF_CANN else codes_zh.PLUGIN_OWN
        meaning = codes_zh.PLUGIN_KINDS.get(kind, codes_zh.PLUGIN_UNKNOWN)
        return {"is_a": "torch_npu 的编码", "meaning": meaning, "solution": solution}
    if name.startswith(communication.PREFIX):
        meaning = codes_zh.RESULTS[name.removeprefix(communication.PREFIX)]
        return {"is_a": "集合通信库的结果", "meaning": meaning, "solution": codes_zh.RESULT_DO}
    return {"is_a": "错误信息里的编码", **_code_of_text(name)}


def _code_of_text(name: str) -> Facts:
    module = next(chinese for letters, chinese in codes_zh.MODULES.items() if name.startswith(letters))
    if name in codes_zh.PUBLISHED:
        meaning, solution = codes_zh.PUBLISHED[name]
        return {"module": module, "meaning": meaning, "solution": solution}
    if name in codes_zh.WRITTEN:
        meaning, solution = codes_zh.WRITTEN[name]
        return {"module": module, "meaning": meaning, "cause": "", "solution": solution}
    if codes.inner(name):
        return {"module": module, "meaning": codes_zh.INNER.format(module=module), "solution": codes_zh.READ_ON}
    return {"module": module, "meaning": codes_zh.UNKNOWN, "solution": codes_zh.READ_AFTER}


def _chip(about: Facts) -> list[str]:
    cores = f"{about['ai_cores']} 个 AI core，{about['vector_cores']} 个 vector core"
    memory = f"{about['memory_bytes']} 字节内存，{about['l2_bytes'] >> 20} MiB L2"
    lines = [about["name"], *wrapped(f"芯片：{about['series_label']} ({about['series']})", 2), ""]
    lines += wrapped(f"{cores}；{memory}；每个 Device 有 {about['streams']} 个流、{about['events']} 个事件", 2)
    lines += [f"  算子支持 BFLOAT16：{'是' if about['bfloat16'] else '否'}"]
    return [*lines, "", "使用它", *_use(about["name"]), "", *_operators(about, about["series"])]


def _series(about: Facts) -> list[str]:
    lines = [about["name"], *wrapped(f"产品系列：{about['label']}", 2)]
    lines += ["", "它的芯片", *wrapped(", ".join(about["chips"]), 2), "", "使用其中一款", *_use(about["chips"][0])]
    if about["families"]:
        lines += wrapped(f"{'、'.join(about['families'])} 指其中的多款芯片，不单指某一款", 2)
    return [*lines, "", *_operators(about, about["name"])]


def _use(chip: str) -> list[str]:
    return [f'  Machine(soc="{chip}")', f"  aclnn run --soc {chip} FILE"]


def _operators(about: Facts, series: str) -> list[str]:
    command = f"aclnn ops --product {short_name(Series[series])}"
    return ["它的算子", *wrapped(f"有 {len(about['operators'])} 个算子支持它：{command}", 2)]


def line(english: str) -> str:
    """The Chinese form of a line; the line itself if `LINES` has none."""
    for pattern, chinese in LINES.items():
        if match := re.fullmatch(pattern, english):
            return match.expand(chinese)
    return english

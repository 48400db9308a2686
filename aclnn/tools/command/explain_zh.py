"""`aclnn explain` in Chinese: statuses, findings and topics, and the headings of the text.

Numbers, names and the help texts of the functions are the same in both languages.
"""

import re
from typing import Any, Final

from acl_runtime.checks.catalogue import CHECKS
from acl_runtime.checks.language import in_language
from acl_runtime.headers.meanings_zh import MEANINGS
from acl_runtime.headers.remedies_zh import FAMILIES, remedy

Facts = dict[str, Any]
DO: Final = "怎么办："
LINES: Final = {
    r"Meaning": "含义",
    r"What to do": "怎么办",
    r"What to do in C and C\+\+": "怎么办（C 和 C++）",
    r"On a device": "在真实设备上",
    r"The answer": "结果",
    r"To allow it": "允许这个问题",
    r"A wrong program, its report, and a right one": "错误的程序、它的报告，以及正确的程序",
    r"Returned by": "返回它的函数",
    r"Returned by \(the conditions: (.*)\)": r"返回它的函数（各自的条件：\1）",
    r"No function of this emulator returns it\.": "本模拟器的函数都不返回它。",
    r"\((\d+) more lines: --all shows them\)": r"（还有 \1 行：--all 显示全部）",
    r"\((\d+) more lines: (.*)\)": r"（还有 \1 行：\2）",
    r"(\d+) numbers begin with (\d+)": r"以 \2 开头的返回码有 \1 个",
    r"there is no status (\S+)": r"没有返回码 \1",
    r"similar names:": "相近的名字：",
    r"similar numbers:": "相近的返回码：",
}
"""by a regular expression for a whole line: the line in Chinese"""


def facts(about: Facts) -> Facts:
    """The facts of a name with their sentences in Chinese, where there are any."""
    match about["kind"]:
        case "status":
            value = about["value"]
            texts = {"family": FAMILIES[value // 1000], "meaning": MEANINGS[value], "what_to_do": remedy(value)}
            return {**about, **texts, "do": DO}
        case "finding":
            page = f"zh/findings/{about['id']}"
            return {**about, **in_language(CHECKS[about["id"]], "zh")._asdict(), "page": page, "do": DO}
        case _:
            return about


def line(english: str) -> str:
    """A line of the text with its heading in Chinese."""
    for pattern, chinese in LINES.items():
        if found := re.fullmatch(pattern, english):
            return found.expand(chinese)
    return english

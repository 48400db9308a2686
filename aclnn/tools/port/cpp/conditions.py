"""Conditional parts of a program: #if, #ifdef, #else and the others."""

import re
from typing import Final

from aclnn.tools.port.cpp.evaluation import evaluated
from aclnn.tools.port.cpp.expansion import Macros, expanded

DEFINED: Final = re.compile(r"(?:(!)\s*)?\bdefined\s*(?:\(\s*(\w+)\s*\)|(\w+))")
SHOWN: Final = {True: "1", False: "0", None: "__decided_by_the_build"}
"""the operand for `evaluated` that replaces a test with `defined`, by the result of the test"""


def condition(
    word: str,
    expression: str,
    macros: Macros,
    undefined: set[str],
    conditions: list[tuple[bool, bool]],
    skipped: bool,
) -> str:
    """Enter or leave a conditional part. Its entry of `conditions`: True if the part is compiled, True if an earlier
    part of the same #if is. Returns the reason if a condition is unknown."""
    if word in ("if", "ifdef", "ifndef"):
        is_true = None if skipped and conditions else _holds(word, expression, macros, undefined)
        if skipped:
            conditions.append((False, True))
            return ""
        conditions.append((bool(is_true), bool(is_true)))
        return "" if is_true is not None else f"whether `{word} {expression}` holds is decided by the build"
    if not conditions:
        return f"#{word} without #if"
    _, taken = conditions.pop()
    if word == "endif":
        return ""
    is_true = True if word == "else" else not taken and _holds("if", expression, macros, undefined)
    conditions.append((bool(is_true) and not taken, taken or bool(is_true)))
    return "" if is_true is not None else f"whether `{expression}` holds is decided by the build"


def _holds(word: str, expression: str, macros: Macros, undefined: set[str]) -> bool | None:
    """True if a condition holds, None if this file does not determine it."""

    def defined(name: str, negated: bool) -> bool | None:
        if name in macros or name == "__cplusplus":
            return not negated
        if name in undefined:
            return negated
        return True if negated and re.search(r"_H_?_?$", name) else None  # a guard of a header

    if word != "if":
        return defined(expression, word == "ifndef")
    tests = DEFINED.sub(lambda test: SHOWN[defined(test[2] or test[3], bool(test[1]))], expression)
    value = evaluated(expanded(tests, macros))
    return None if value is None else bool(value.value)

"""Conditional parts of a program: #if and its like."""

import re

from aclnn.tools.port.cpp.expansion import Macro, expanded


def condition(
    word: str,
    rest: str,
    macros: dict[str, Macro],
    undefined: set[str],
    conditions: list[tuple[bool, bool]],
    skipped: bool,
) -> str:
    """Enter or leave a conditional part: (is it compiled, was a part of it compiled before). The reason if a condition
    cannot be known."""
    if word in ("if", "ifdef", "ifndef"):
        known = None if skipped and conditions else _holds(word, rest, macros, undefined)
        if skipped:
            conditions.append((False, True))
            return ""
        conditions.append((bool(known), bool(known)))
        return "" if known is not None else f"whether `{word} {rest}` holds is decided by the build"
    if not conditions:
        return f"#{word} without #if"
    _, before = conditions.pop()
    if word == "endif":
        return ""
    known = True if word == "else" else _holds("if", rest, macros, undefined)
    conditions.append((bool(known) and not before, before or bool(known)))
    return "" if known is not None else f"whether `{rest}` holds is decided by the build"


def _holds(word: str, rest: str, macros: dict[str, Macro], undefined: set[str]) -> bool | None:
    """Does a condition hold? None if this file does not say."""
    test = re.fullmatch(r"(!?)\s*defined\s*\(?\s*(\w+)\s*\)?", rest)
    if word != "if" or test:
        name = rest if test is None else test[2]
        negated = word == "ifndef" or bool(test and test[1])
        if name in macros or name == "__cplusplus":
            return not negated
        if name in undefined:
            return negated
        if negated and re.search(r"_H_?_?$", name):
            return True  # a guard of a header
        return None
    text = expanded(rest, macros).strip()
    if not re.fullmatch(r"[\s\d()<>=!&|+*-]+", text):
        return None
    try:
        python = re.sub(r"!(?!=)", " not ", text.replace("&&", " and ").replace("||", " or "))
        return bool(eval(python, {"__builtins__": {}}))
    except (SyntaxError, TypeError):
        return None

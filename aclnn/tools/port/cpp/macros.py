"""The preprocessor of a program. Macros whose arguments are statements are expanded before the parser sees the text.

A macro of a number becomes a constant. A macro that only calls printf becomes a function. Other macros are expanded at
each use, as in a compiler. The text keeps its number of lines.
"""

import re
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from aclnn.tools.port.cpp.conditions import condition
from aclnn.tools.port.cpp.expansion import TOKEN, Macro, Macros, TooLarge, expanded, uncommented
from aclnn.tools.port.cpp.limits import MOST_NESTED, NESTED, NotTranslated, check_length

PRINTED: Final = {
    f"PRI{letter}{kind}{bits}": ("l" if bits == 64 or kind else "") + letter
    for letter in "diuxX" for kind in ("", "MAX", "PTR") for bits in ((8, 16, 32, 64) if not kind else ("",))
}  # fmt: skip
"""macros of <cinttypes>, and the letters for printf"""
NUMBER: Final = re.compile(r"\(?\s*-?\s*(0[xX][0-9a-fA-F]+|\d[\d.]*(e[+-]?\d+)?)[uUlLfF]*\s*\)?\s*")


@dataclass
class Preprocessed:
    """The text for the parser, and the results of its directives."""

    text: str
    printing: dict[str, int] = field(default_factory=dict[str, int])
    """macros that print, and their lines"""
    constants: dict[str, Macro] = field(default_factory=dict[str, Macro])
    """macros of numbers, which become constants"""
    undefined: set[str] = field(default_factory=set[str])
    """names that #undef removed"""
    problems: dict[int, str] = field(default_factory=dict[int, str])
    """lines of directives without a translation, and the reasons"""


def preprocessed(source: str, file: str = "") -> Preprocessed:
    """Run the preprocessor over a program, except for #include. `file` is the value of __FILE__."""
    result = Preprocessed("")
    macros = Macros({name: Macro(name, None, f'"{letters}"') for name, letters in PRINTED.items()})
    redefined = _redefined(source)
    out: list[str] = []
    block: list[str] = []
    conditions: list[tuple[bool, bool]] = []

    def flush() -> None:
        if block:
            with within_limits(first - len(block) + 1):
                out.append(expanded("".join(block), macros))
            block.clear()

    lines = source.splitlines(keepends=True)
    index = first = 0
    while index < len(lines):
        line, first = lines[index], index
        while re.match(r"\s*#", lines[first]) and line.rstrip().endswith("\\") and index + 1 < len(lines):
            index += 1
            line = line.rstrip()[:-1] + "\n" + lines[index]
            check_length(line, first + 1)
        index += 1
        directive = re.match(r"\s*#\s*(\w+)(.*)", line, re.DOTALL)
        skipped = any(not taken for taken, _ in conditions)
        if directive is None:
            block.append("\n" if skipped else line)
            continue
        flush()
        word, arguments = directive[1], directive[2]
        replacement = "\n" * line.count("\n")
        if word in ("if", "ifdef", "ifndef", "elif", "else", "endif"):
            all_macros = Macros({**result.constants, **macros})
            with within_limits(first + 1):
                reason = condition(
                    word, uncommented(arguments).strip(), all_macros, result.undefined, conditions, skipped
                )
            if len(conditions) > MOST_NESTED:
                raise NotTranslated(first + 1, NESTED)
            if reason:
                result.problems[first + 1] = reason
        elif not skipped:
            replacement = _directive(word, arguments, first + 1, macros, redefined, result) + replacement
        out.append(replacement)
    first = index
    flush()
    result.text = _located("".join(out), file)
    return result


@contextmanager
def within_limits(line: int) -> Generator[None]:
    """Raise NotTranslated, with this line, if macros in the block expand too far."""
    try:
        yield
    except RecursionError:
        raise NotTranslated(line, NESTED) from None
    except TooLarge:
        raise NotTranslated(line, "the macros from here on expand to more than aclnn port reads") from None


def _located(text: str, file: str) -> str:
    """The expanded text with the values of __FILE__ and __LINE__. __LINE__ in a call of a macro: its first line."""
    out: list[str] = []
    line = 1
    tokens: list[str] = TOKEN.findall(text)
    for token in tokens:
        if token.startswith("/*") and (len(token) < 4 or not token.endswith("*/")):
            raise NotTranslated(line, "the comment has no end")
        out.append({"__FILE__": f'"{file}"', "__LINE__": str(line)}.get(token, token))
        line += token.count("\n")
    return "".join(out)


def _redefined(source: str) -> set[str]:
    """Names of macros with more than one #define or #undef."""
    names = re.findall(r"^\s*#\s*(?:define|undef)\s+(\w+)", source, re.MULTILINE)
    return {name for name, times in Counter(names).items() if times > 1}


def _directive(word: str, rest: str, line: int, macros: Macros, redefined: set[str], result: Preprocessed) -> str:
    """Note a directive. Returns the declaration that replaces it, if any."""
    if word == "include":
        if re.match(r'\s*"(?!acl|hccl/|mstx/|opdev/|toolchain/)', rest):
            result.problems[line] = "another file of the program"
    elif word == "undef":
        macros.pop(rest.strip(), None)
        result.undefined.add(rest.strip())
    elif word == "define":
        match = re.match(r"\s*(\w+)(\(([^)]*)\))?(.*)", rest, re.DOTALL)
        if match is None:
            result.problems[line] = "a #define without a name"
            return ""
        name, body = match[1], uncommented(match[4]).strip()
        parameters = [each.strip() for each in match[3].split(",")] if match[2] is not None else None
        macro = Macro(name, parameters, body)
        result.undefined.discard(name)
        if macro.prints and name not in redefined:
            result.printing[name] = line
        elif parameters is None and name not in redefined and NUMBER.fullmatch(body):
            result.constants[name] = Macro(name, None, body)
            macros.pop(name, None)
            return f"const auto {name} = {body};"
        else:
            macros[name] = macro
    elif word not in ("pragma", "error", "warning", "line") or word in ("error", "line"):
        result.problems[line] = f"#{word}"
    return ""

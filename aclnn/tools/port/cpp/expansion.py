"""Macros and their expansion, as the compiler does it."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Final

from aclnn.tools.port.cpp.limits import MOST_CHARACTERS, MOST_EXPANSIONS

TOKEN: Final = re.compile(
    r'//[^\n]*|/\*.*?(?:\*/|\Z)|[uUL]?R"\([^"]*\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|[A-Za-z_]\w*'
    r"|\.?\d(?:[eEpP][+-]|[\w.'])*|\s+|##|.",
    re.DOTALL,
)


PRINTS: Final = re.compile(r"printf\s*\(\s*(\w+)\s*,\s*##\s*__VA_ARGS__\s*\)")


@dataclass
class Macro:
    """A macro of a #define. `parameters` is None for a macro without an argument list."""

    name: str
    parameters: list[str] | None
    body: str

    @property
    def prints(self) -> bool:
        """True if the macro only passes its arguments to printf."""
        text = re.sub(r"\s+", " ", self.body).strip()
        inner = re.fullmatch(r"do \{ (.*?);? ?\} while ?\(0\)", text)
        match = PRINTS.fullmatch((inner[1] if inner else text).strip().rstrip(";").strip())
        return bool(match and self.parameters == [match[1], "..."])


def uncommented(text: str) -> str:
    return "".join(" " if each.startswith(("//", "/*")) else each for each in TOKEN.findall(text))


class Macros(dict[str, Macro]):
    """The macros of a program, by name."""

    expansions = 0
    """the number of expansions so far"""

    def expanding(self, size: int) -> None:
        """Count an expansion. `size`: the characters of the text so far. TooLarge beyond a limit, as macros of a few
        lines can expand without end."""
        self.expansions += 1
        if self.expansions > MOST_EXPANSIONS or size > MOST_CHARACTERS:
            raise TooLarge


class TooLarge(Exception):
    """Macros expand to more than `aclnn port` reads."""


def expanded(text: str, macros: Macros, active: Collection[str] = ()) -> str:
    """The text with its macros expanded."""
    tokens: list[str] = TOKEN.findall(text)
    out: list[str] = []
    index = size = 0
    while index < len(tokens):
        token = tokens[index]
        macro = macros.get(token) if token not in active else None
        index += 1
        if macro is None:
            out.append(token)
            continue
        size += len(out[-1]) if out else 0
        macros.expanding(size)
        if macro.parameters is None:
            out.append(expanded(macro.body, macros, (*active, token)))
            continue
        start = index
        while start < len(tokens) and tokens[start].isspace():
            start += 1
        if start >= len(tokens) or tokens[start] != "(":
            out.append(token)
            continue
        arguments, index, lines = _arguments(tokens, start + 1)
        body = _substituted(macro, arguments, macros, active)
        out.append(re.sub(r"\s*\n\s*", " ", expanded(body, macros, (*active, token))) + "\n" * lines)
    return "".join(out)


def _arguments(tokens: list[str], index: int) -> tuple[list[str], int, int]:
    """The arguments of a macro, the place after them, and the number of lines that they take."""
    texts, depth, lines = [""], 0, 0
    while index < len(tokens):
        token = tokens[index]
        index += 1
        lines += token.count("\n")
        if token.startswith(("//", "/*")):
            continue
        if token == ")" and depth == 0:
            return [text.strip() for text in texts], index, lines
        depth += (token == "(") - (token == ")")  # braces protect no comma, as in C
        if token == "," and depth == 0:
            texts.append("")
        else:
            texts[-1] += " " if "\n" in token else token
    return [text.strip() for text in texts], index, lines


def _first(tokens: Iterable[str]) -> str:
    """The first of the tokens that is not blank; empty if there is none."""
    return next((token for token in tokens if token and not token.isspace()), "")


def _substituted(macro: Macro, arguments: list[str], macros: Macros, active: Collection[str]) -> str:
    names = list(macro.parameters or ())
    values = dict(zip(names, arguments, strict=False))
    if names and names[-1] == "...":
        values["__VA_ARGS__"] = ", ".join(arguments[len(names) - 1 :])
    tokens = TOKEN.findall(re.sub(r"\\\n", "\n", macro.body))
    out: list[str] = []
    for index, token in enumerate(tokens):
        last = _first(reversed(out))
        if token == "##":
            out[:] = ["".join(out).rstrip(), "##"]
        elif last.endswith("##") and not token.isspace():
            left = "".join(out).rstrip()[:-2].rstrip()
            value = values.get(token, token)
            if token == "__VA_ARGS__":
                left, value = (left.removesuffix(","), "") if not value else (left, " " + value)
            out[:] = [left, value or ""]
        elif token == "#" and index + 1 < len(tokens) and tokens[index + 1] in values:
            out.append("#")
        elif last.endswith("#") and token in values:
            text = values[token].replace("\\", "\\\\").replace('"', '\\"')
            out[:] = ["".join(out).rstrip()[:-1], f'"{text}"']
        elif token in values:
            pasted = _first(islice(tokens, index + 1, None)) == "##"
            out.append(values[token] if pasted else expanded(values[token], macros, active))
        else:
            out.append(token)
    return "".join(out)

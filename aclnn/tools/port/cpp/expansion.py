"""Macros and their expansion, as the compiler does it."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

TOKEN: Final = re.compile(
    r'//[^\n]*|/\*.*?\*/|[uUL]?R"\([^"]*\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|[A-Za-z_]\w*'
    r"|\.?\d(?:[eEpP][+-]|[\w.'])*|\s+|##|.",
    re.DOTALL,
)


PRINTS: Final = re.compile(r"printf\s*\(\s*(\w+)\s*,\s*##\s*__VA_ARGS__\s*\)")


@dataclass
class Macro:
    """A #define. `parameters` is None for a macro without an argument list."""

    name: str
    parameters: list[str] | None
    body: str

    @property
    def prints(self) -> bool:
        """Does it only pass its arguments to printf?"""
        text = re.sub(r"\s+", " ", self.body).strip()
        inner = re.fullmatch(r"do \{ (.*?);? ?\} while ?\(0\)", text)
        found = PRINTS.fullmatch((inner[1] if inner else text).strip().rstrip(";").strip())
        return bool(found and self.parameters == [found[1], "..."])


def uncommented(text: str) -> str:
    return "".join(" " if each.startswith(("//", "/*")) else each for each in TOKEN.findall(text))


def expanded(text: str, macros: dict[str, Macro], active: Collection[str] = ()) -> str:
    """The text with its macros expanded."""
    tokens: list[str] = TOKEN.findall(text)
    out: list[str] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        macro = macros.get(token) if token not in active else None
        at += 1
        if macro is None:
            out.append(token)
            continue
        if macro.parameters is None:
            out.append(expanded(macro.body, macros, (*active, token)))
            continue
        start = at
        while start < len(tokens) and tokens[start].isspace():
            start += 1
        if start >= len(tokens) or tokens[start] != "(":
            out.append(token)
            continue
        arguments, at, lines = _arguments(tokens, start + 1)
        body = _substituted(macro, arguments, macros, active)
        out.append(re.sub(r"\s*\n\s*", " ", expanded(body, macros, (*active, token))) + "\n" * lines)
    return "".join(out)


def _arguments(tokens: list[str], at: int) -> tuple[list[str], int, int]:
    """The arguments of a macro, the place after them, and the number of lines that they take."""
    found, depth, lines = [""], 0, 0
    while at < len(tokens):
        token = tokens[at]
        at += 1
        lines += token.count("\n")
        if token.startswith(("//", "/*")):
            continue
        if token == ")" and depth == 0:
            return [each.strip() for each in found], at, lines
        depth += (token == "(") - (token == ")")  # braces protect no comma, as in C
        if token == "," and depth == 0:
            found.append("")
        else:
            found[-1] += " " if "\n" in token else token
    return [each.strip() for each in found], at, lines


def _substituted(macro: Macro, given: list[str], macros: dict[str, Macro], active: Collection[str]) -> str:
    names = list(macro.parameters or ())
    values = dict(zip(names, given, strict=False))
    if names and names[-1] == "...":
        values["__VA_ARGS__"] = ", ".join(given[len(names) - 1 :])
    tokens = TOKEN.findall(re.sub(r"\\\n", "\n", macro.body))
    out: list[str] = []
    for at, token in enumerate(tokens):
        before = "".join(out).rstrip()
        if token == "##":
            out[:] = [before, "##"]
        elif before.endswith("##") and not token.isspace():
            left = before[:-2].rstrip()
            value = values.get(token, token)
            if token == "__VA_ARGS__":
                left, value = (left.removesuffix(","), "") if not value else (left, " " + value)
            out[:] = [left, value or ""]
        elif token == "#" and at + 1 < len(tokens) and tokens[at + 1] in values:
            out.append("#")
        elif before.endswith("#") and token in values:
            text = values[token].replace("\\", "\\\\").replace('"', '\\"')
            out[:] = [before[:-1], f'"{text}"']
        elif token in values:
            pasted = "".join(tokens[at + 1 :]).lstrip().startswith("##")
            out.append(values[token] if pasted else expanded(values[token], macros, active))
        else:
            out.append(token)
    return "".join(out)

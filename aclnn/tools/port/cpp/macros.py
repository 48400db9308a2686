"""The preprocessor of a program. Macros whose arguments are statements are expanded before the parser sees the text.

A macro of a number becomes a constant. A macro that only calls printf stays a function. All others are expanded at each
use, as the compiler does. Every text keeps its number of lines.
"""

import re
from dataclasses import dataclass, field
from typing import Final

TOKEN: Final = re.compile(
    r'//[^\n]*|/\*.*?\*/|[uUL]?R"\([^"]*\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|[A-Za-z_]\w*'
    r"|\.?\d(?:[eEpP][+-]|[\w.'])*|\s+|##|.",
    re.DOTALL,
)
PRINTED: Final = {
    f"PRI{letter}{kind}{bits}": ("l" if bits == 64 or kind else "") + letter
    for letter in "diuxX" for kind in ("", "MAX", "PTR") for bits in ((8, 16, 32, 64) if not kind else ("",))
}  # fmt: skip
"""macros of <cinttypes>, and the letters for printf"""
NUMBER: Final = re.compile(r"\(?\s*-?\s*(0[xX][0-9a-fA-F]+|\d[\d.]*(e[+-]?\d+)?)[uUlLfF]*\s*\)?\s*")
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


@dataclass
class Preprocessed:
    """The text for the parser, and what its directives said."""

    text: str
    printing: dict[str, int] = field(default_factory=dict[str, int])
    """macros that print, and their lines"""
    constants: dict[str, Macro] = field(default_factory=dict[str, Macro])
    """macros of numbers, which become constants"""
    undefined: set[str] = field(default_factory=set[str])
    """names that were defined, and are no more"""
    problems: dict[int, str] = field(default_factory=dict[int, str])
    """lines of directives without a translation, and the reasons"""


def preprocessed(source: str) -> Preprocessed:
    """Run the preprocessor over a program, but for the #includes."""
    done = Preprocessed("")
    macros = {name: Macro(name, None, f'"{letters}"') for name, letters in PRINTED.items()}
    twice = _twice(source)
    out: list[str] = []
    block: list[str] = []
    conditions: list[tuple[bool, bool]] = []

    def flush() -> None:
        if block:
            out.append(expanded("".join(block), macros))
            block.clear()

    lines = source.splitlines(keepends=True)
    at = 0
    while at < len(lines):
        line, first = lines[at], at
        while re.match(r"\s*#", lines[first]) and line.rstrip().endswith("\\") and at + 1 < len(lines):
            at += 1
            line = line.rstrip()[:-1] + "\n" + lines[at]
        at += 1
        directive = re.match(r"\s*#\s*(\w+)(.*)", line, re.DOTALL)
        skipped = any(not taken for taken, _ in conditions)
        if directive is None:
            block.append("\n" if skipped else line)
            continue
        flush()
        word, rest = directive[1], directive[2]
        kept = "\n" * line.count("\n")
        if word in ("if", "ifdef", "ifndef", "elif", "else", "endif"):
            reason = _condition(word, _uncommented(rest).strip(), {**done.constants, **macros}, done.undefined, conditions, skipped)
            if reason:
                done.problems[first + 1] = reason
        elif not skipped:
            kept = _directive(word, rest, first + 1, macros, twice, done) + kept
        out.append(kept)
    flush()
    done.text = "".join(out)
    return done


def _twice(source: str) -> set[str]:
    """Names that are defined more than once, or undefined."""
    names = re.findall(r"^\s*#\s*(?:define|undef)\s+(\w+)", source, re.MULTILINE)
    return {each for each in names if names.count(each) > 1}


def _condition(
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


def _directive(word: str, rest: str, line: int, macros: dict[str, Macro], twice: set[str], done: Preprocessed) -> str:
    """Note a directive. Returns the declaration that replaces it, if any."""
    if word == "include":
        if re.match(r'\s*"(?!acl|hccl/|mstx/|opdev/|toolchain/)', rest):
            done.problems[line] = "another file of the program"
    elif word == "undef":
        macros.pop(rest.strip(), None)
        done.undefined.add(rest.strip())
    elif word == "define":
        found = re.match(r"\s*(\w+)(\(([^)]*)\))?(.*)", rest, re.DOTALL)
        if found is None:
            done.problems[line] = "a #define without a name"
            return ""
        name, body = found[1], _uncommented(found[4]).strip()
        parameters = [each.strip() for each in found[3].split(",")] if found[2] is not None else None
        macro = Macro(name, parameters, body)
        done.undefined.discard(name)
        if macro.prints and name not in twice:
            done.printing[name] = line
        elif parameters is None and name not in twice and NUMBER.fullmatch(body):
            done.constants[name] = Macro(name, None, body)
            macros.pop(name, None)
            return f"const auto {name} = {body};"
        else:
            macros[name] = macro
    elif word not in ("pragma", "error", "warning", "line") or word in ("error", "line"):
        done.problems[line] = f"#{word}"
    return ""


def _uncommented(text: str) -> str:
    return "".join(" " if each.startswith(("//", "/*")) else each for each in TOKEN.findall(text))


def expanded(text: str, macros: dict[str, Macro], active: frozenset[str] = frozenset()) -> str:
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
            out.append(expanded(macro.body, macros, active | {token}))
            continue
        start = at
        while start < len(tokens) and tokens[start].isspace():
            start += 1
        if start >= len(tokens) or tokens[start] != "(":
            out.append(token)
            continue
        arguments, at, lines = _arguments(tokens, start + 1)
        body = _substituted(macro, arguments, macros, active)
        out.append(re.sub(r"\s*\n\s*", " ", expanded(body, macros, active | {token})) + "\n" * lines)
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


def _substituted(macro: Macro, given: list[str], macros: dict[str, Macro], active: frozenset[str]) -> str:
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
            out[:] = [left, value]
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

"""A hostile program ends in a sentence that names its line, with exit status 1 and without a traceback."""

import re
from pathlib import Path

import pytest

pytest.importorskip("tree_sitter_cpp", reason="the extra `port` is not installed")

from aclnn.__main__ import main
from aclnn.tools.port.cpp.evaluation import Constant, evaluated
from aclnn.tools.port.cpp.limits import LONGEST_LINE, MOST_CHARACTERS, MOST_NESTED
from aclnn.tools.port.programs import port

MAIN = b"int main() { return 0; }\n"
DEEP = 5000
DOUBLING = b"".join(b"#define m%d m%d m%d\n" % (level, level + 1, level + 1) for level in range(40))
NESTED, LARGE = "it is nested too deeply for aclnn port", "the macros from here on expand to more than aclnn port reads"
HOSTILE = {
    "a byte that is no UTF-8": (MAIN + b"// \xff\n", 2, "the byte 0xFF is not UTF-8"),
    "UTF-16": (MAIN.decode().encode("utf-16"), 1, "the byte 0xFF is not UTF-8"),
    "a large program": (MAIN * 40_001, 1, f"the program has 1,000,025 characters; .* at most {MOST_CHARACTERS:,}"),
    "a long line": (MAIN + b"int a = 0" + b"+1" * LONGEST_LINE + b";", 2, f"the line has 40,010 .* {LONGEST_LINE:,}"),
    "a continued line": (MAIN + b"#define A \\\n" + b"1 \\\n" * LONGEST_LINE, 2, "the line has 20,00. characters"),
    "parentheses": (b"int a =\n" + b"(\n" * DEEP + b"1" + b")\n" * DEEP + b";", DEEP + 1, NESTED),
    "namespaces": (b"namespace a {\n" * DEEP + b"}\n" * DEEP, DEEP, NESTED),
    "conditions": (b"#if 1\n" * DEEP + b"#endif\n" * DEEP, MOST_NESTED + 1, NESTED),
    "a condition": (MAIN + b"#if " + b"(" * DEEP + b"1" + b")" * DEEP + b"\n#endif\n", 2, NESTED),
    "a chain of macros": (
        b"".join(b"#define m%d m%d\n" % (each, each + 1) for each in range(DEEP)) + b"int a = m0;\n", DEEP + 1, NESTED),
    "macros that double": (DOUBLING + b"#define m40 1\nint a = m0;", 42, LARGE),
    "macros that double nothing": (DOUBLING + b"#define m40\nint a = m0;", 42, LARGE),
    "a comment without an end": (MAIN + b"/*\n" * DEEP, 2, "the comment has no end"),
    "a number that fits no type": (b"int main() {\nreturn " + b"9" * DEEP + b"; }\n", 2, "the number 9{100}$"),
    "no character": (b'int main() {\nprintf("\\ud800"); return 0; }\n', 2, r"the character \\ud800"),
    "a character above all": (b'int main() {\nprintf("\\xfffffffff"); return 0; }\n', 2, r"the character \\xfffffffff"),
    "an algorithm without its range": (b"int main() {\nstd::fill(); return 0; }\n", 2, "an algorithm without a range"),
    "a template of nothing": (MAIN + b"template<typename T>\n", 2, "."),
}  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
def test_the_answer_is_a_sentence_with_its_line(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, line, reason = HOSTILE[kind]
    file = tmp_path / "hostile.cpp"
    file.write_bytes(source)
    assert main(["port", str(file)]) == 1
    first = capsys.readouterr().err.splitlines()[0]
    place, said = first[: len(f"{file}:{line}: ")], first[len(f"{file}:{line}: ") :]
    assert place == f"{file}:{line}: ", first
    assert re.search(reason, said), said


def test_an_exception_of_the_translation_is_a_sentence_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """The translation expects what a compiler accepts. For other text it may raise anything."""

    def broken(*_: object, **__: object) -> list[str]:
        raise KeyError("x")

    monkeypatch.setattr("aclnn.tools.port.programs.function_lines", broken)
    assert port(MAIN.decode()).problems == [(1, "its translation raises KeyError('x'): is it valid C++?")]


VALUES = {
    "1<<99999999999": 0, "1 << 63 < 0": 1, "9223372036854775807 + 1 < 0": 1, "1u << 63 > 0": 1, "-1 > 0u": 1,
    "-7 / 2": -3, "-7 % 2": -1, "1 - 2 - 3": -4, "1 + 2 * 3": 7, "(1 + 2) * 3": 9, "!0 + ~0": 0, "- - 2": 2,
    "6 & 3 ^ 1 | 8": 11, "1 == 1 != 0": 1, "2 > 1 > 0": 1, "1 ? 2 : 3": 2, "0 ? 2 : 0 ? 3 : 4": 4, "0x1F + 017": 46,
    "0b101": 5, "1'000L": 1000, "18446744073709551615u + 2": 1, "0xFFFFFFFFFFFFFFFF == -1": 1, "'a'": 97, "true": 1,
    "0 && X": 0, "1 || X": 1, "X || 1": 1, "X && 0": 0, "0 && 1 / 0": 0, "4 >> -1": 8, "-1 >> 99": -1,
    "X": None, "X + 1": None, "1 && X": None, "1 / 0": None, "1 % 0": None, "9**9": None, "1 +": None, "(1": None,
    "1)": None, "": None, "18446744073709551616": None, "08": None, "1.5": None, "1, 2": None, "1 ? 2": None,
    "__import__('os')": None, "[1][0]": None, "\"a\"": None,
}  # fmt: skip
"""what the C++ standard says ([cpp.cond]); None: the file does not say, or a compiler refuses it"""


@pytest.mark.parametrize("text", VALUES)
def test_a_condition_has_the_arithmetic_of_the_preprocessor(text: str) -> None:
    value = evaluated(text)
    assert (None if value is None else value.value) == VALUES[text]


def test_unsigned_values_stay_unsigned() -> None:
    assert evaluated("0u - 1") == Constant(2**64 - 1, unsigned=True)
    assert evaluated("1 ? -1 : 0u") == Constant(2**64 - 1, unsigned=True)
    assert evaluated("-1 < 0") == Constant(1)


def test_defined_stands_in_an_expression() -> None:
    made = port(
        "#define A 2\n#undef B\n#if defined(A) && !defined B && A == 2\nint a = 1;\n#else\nint b = 1;\n#endif\n"
    )
    assert made.problems == []
    assert "a = 1" in made.text
    assert "b = 1" not in made.text

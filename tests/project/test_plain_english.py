"""Words and turns of phrase that readers had to guess at stay out of the tree: code, comments, messages, pages.
Docstrings of both packages begin with a noun or a verb, and variables that live long have the noun of their value.

Section "Plain English" of CONTRIBUTING.md says what to write instead. Pages in Chinese are not looked at.
"""

import ast
import io
import re
import subprocess
import tokenize
from collections.abc import Iterator
from functools import cache

import pytest

from tests.helpers.places import ROOT

BANNED = {
    "told": r"\btold\b",
    "tell of": r"\b(?:tell|tells|telling) of\b",
    "no news": r"\bno news\b",
    "goes as far": r"\b(?:goes|go) as far\b",
    "whose other": r"\bwhose other\b",
    "of whom": r"\bof whom\b",
    "so manyth": r"manyth\b",
    "a sentence whose subject is a clause with What or Who": (
        r"(?:^|(?<=[.!?:] )|(?<=\n\n))(?:What|Who|Whoever) [^.?!]*\."
    ),
}
LIKELY = re.compile(r"\b(?:told|tell|tells|telling|news|far|whose|whom|What|Who|Whoever)\b|manyth")
"""one of these words is in each banned turn; a file without them needs no closer look"""
ALLOWED: dict[str, tuple[str, str]] = {
    "CONTRIBUTING.md": (r"^\| banned \| write \|", "its table lists the words"),
    "docs/command.md": (r"^What to do ", "output of the command: a heading and the text below it"),
    "tests/project/test_plain_english.py": ("", "lists the words"),
}
"""by path: a pattern of the paragraphs that are not searched, "" for the whole file, and the reason"""
FRAGMENT = re.compile(r"(?:of|and|or|those|these|which|by|with|as|that|what|whose)\b", re.IGNORECASE)
"""the begin of a docstring that cannot be read alone"""
TERNARY = re.compile(r" \? .* : ")
"""the operator of C in a formula, which is no question"""
VAGUE = frozenset({"asked", "each", "found", "given", "it", "kept", "made", "wanted"})
"""names that do not say what a variable has; a loop, or a variable that two lines use, may have one"""
LONG_LIVED: dict[str, str] = {}
"""exceptions: by "path: name", the reason"""
SUFFIXES = (".py", ".pyi", ".md", ".c", ".h", ".hpp", ".cpp", ".in", ".toml", ".txt")


def paths() -> list[str]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    return [
        path for path in listed if path.endswith(SUFFIXES) and not path.startswith("docs/zh/") and ".zh." not in path
    ]


def texts(path: str) -> Iterator[tuple[int, str]]:
    """The texts of a file, each with its line number. Python: each comment, string and name. Other files: each
    paragraph."""
    text = (ROOT / path).read_text(encoding="utf-8")
    if not LIKELY.search(text):
        return
    if not path.endswith((".py", ".pyi")):
        line = 1
        for paragraph in re.split(r"\n\s*\n", text):
            yield line, " ".join(paragraph.split())
            line += paragraph.count("\n") + 2
        return
    comment: list[str] = []
    start = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            start = start if comment else token.start[0]
            comment.append(token.string.lstrip("# "))
        elif token.type not in (tokenize.NL, tokenize.INDENT, tokenize.DEDENT):
            if comment:
                yield start, " ".join(comment)
                comment = []
            if token.type == tokenize.STRING:
                body = re.sub(r"^[rbfRBF]*(\"\"\"|'''|\"|')|(\"\"\"|'''|\"|')$", "", token.string)
                for paragraph in re.split(r"\n\s*\n", body):
                    yield token.start[0], " ".join(paragraph.split())
            elif token.type == tokenize.NAME:
                yield token.start[0], token.string


def found(path: str) -> list[str]:
    """Each use of a banned turn, with its line."""
    allowed, _ = ALLOWED.get(path, (None, ""))
    return [
        f"{path}:{line}: {name}: {match.group()[:90]}"
        for line, text in texts(path)
        if allowed is None or not re.search(allowed, text)
        for name, banned in BANNED.items()
        for match in re.finditer(banned, text)
    ]


@pytest.mark.checkout("git lists the files")
@pytest.mark.parametrize("folder", ["acl_runtime", "aclnn", "docs", "samples", "tests", "."])
def test_no_banned_word_is_in_the_tree(folder: str) -> None:
    mine = [path for path in paths() if (path.partition("/")[0] if "/" in path else ".") == folder]
    assert [line for path in mine for line in found(path)] == [], 'CONTRIBUTING.md, "Plain English", says what to write'


@pytest.mark.checkout("git lists the files")
def test_each_exception_names_an_existing_file() -> None:
    assert set(ALLOWED) - set(paths()) == set(), "these files are gone: remove them from ALLOWED above"


def test_the_page_for_contributors_lists_every_banned_turn() -> None:
    section = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("\n## Plain English\n")[2]
    listed = section.partition("\n## ")[0]
    words = [name for name in BANNED if not name.startswith("a sentence ")]
    assert len(words) == len(BANNED) - 1
    absent = [name for name in words if not re.search(BANNED[name], listed)]
    assert absent == [], 'CONTRIBUTING.md, "Plain English": add a row for each'
    assert "a sentence whose subject is a clause" in listed


@pytest.mark.parametrize(
    ("text", "banned"),
    [
        ("it was told twice", True),
        ("What nobody wrote is filled.", True),
        ("The rest. What is left follows from it.", True),
        ("What does a launch do?", False),
        ("the bytes that nobody wrote", False),
    ],
)
def test_a_sentence_is_judged_by_its_words(text: str, banned: bool) -> None:
    assert LIKELY.search(text) or not banned
    assert any(re.search(pattern, text) for pattern in BANNED.values()) is banned


LOOPS = (ast.For, ast.AsyncFor, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@cache
def modules() -> list[tuple[str, ast.Module]]:
    """The modules of both packages, apart from generated ones, with their paths."""
    mine = [path for path in paths() if path.endswith(".py") and path.startswith(("acl_runtime/", "aclnn/"))]
    written = [path for path in mine if "/generated_" not in path]
    return [(path, ast.parse((ROOT / path).read_text(encoding="utf-8"))) for path in written]


def docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The docstrings of modules, classes, functions and attributes, each with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, " ".join(node.value.value.split())


def is_question(text: str) -> bool:
    """True if the first sentence is a question, or the last one."""
    first = re.split(r"(?<=[.?!]) ", text, maxsplit=1)[0]
    return (first.endswith("?") or text.endswith("?")) and not TERNARY.search(text)


def loop_variables(loop: ast.AST) -> set[str]:
    """The names that a loop or a comprehension binds."""
    generators = getattr(loop, "generators", [loop])
    return {node.id for each in generators for node in ast.walk(each.target) if isinstance(node, ast.Name)}


def stored(function: ast.AST) -> set[str]:
    """The names that a function, or a loop in it, binds."""
    names = {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
    return names | {
        node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def uses(scope: ast.AST, name: str) -> Iterator[ast.Name | ast.arg]:
    """The places of a name in a function or a loop, without inner loops that bind it themselves."""
    for child in ast.iter_child_nodes(scope):
        if isinstance(child, LOOPS) and name in loop_variables(child):
            continue
        if (isinstance(child, ast.Name) and child.id == name) or (isinstance(child, ast.arg) and child.arg == name):
            yield child
        yield from uses(child, name)


def long_lived(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The vague names whose first and last use are more than one line apart, each with its first line."""
    for scope in ast.walk(tree):
        if isinstance(scope, (*LOOPS, *FUNCTIONS)):
            for name in VAGUE & (loop_variables(scope) if isinstance(scope, LOOPS) else stored(scope)):
                places = list(uses(scope, name))
                lines = [place.lineno for place in places]
                bound = any(isinstance(place, ast.arg) or isinstance(place.ctx, ast.Store) for place in places)
                if bound and max(lines) - min(lines) > 1:
                    yield min(lines), name


@pytest.mark.checkout("git lists the files")
def test_a_docstring_begins_with_a_noun_or_a_verb() -> None:
    wrong = [
        f"{path}:{line}: {text[:90]}"
        for path, tree in modules()
        for line, text in docstrings(tree)
        if FRAGMENT.match(text)
    ]
    assert wrong == [], "name the thing that is documented first"


@pytest.mark.checkout("git lists the files")
def test_no_docstring_is_a_question() -> None:
    wrong = [
        f"{path}:{line}: {text[:90]}"
        for path, tree in modules()
        for line, text in docstrings(tree)
        if is_question(text)
    ]
    assert wrong == [], 'document a flag by "True if ..."'


@pytest.mark.checkout("git lists the files")
def test_a_variable_that_lives_long_has_a_noun() -> None:
    places = [(path, line, name) for path, tree in modules() for line, name in long_lived(tree)]
    wrong = [f"{path}:{line}: {name}" for path, line, name in places if f"{path}: {name}" not in LONG_LIVED]
    assert wrong == [], "name the variable after its value"
    assert LONG_LIVED.keys() - {f"{path}: {name}" for path, _, name in places} == set(), "remove these exceptions"


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("True if the status was a failure", False),
        ("was the status a failure?", True),
        ("Has it ended? Then it is over.", True),
        ("A call of the user. Is it over?", True),
        ("out = condition ? self : other", False),
    ],
)
def test_a_question_is_seen(text: str, question: bool) -> None:
    assert is_question(text) is question


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("for each in a:\n  use(each)\nfor each in b:\n  use(each)", []),
        ("for each in a:\n  use(each)\n  use(each)", ["each"]),
        ("x = [each for each in a]\ny = [each for each in b]\nz = [each for each in c]", []),
        ("x = [\n  use(each)\n  for each in a\n  if each]", ["each"]),
        ("found = a()\nreturn found", []),
        ("found = a()\nb()\nreturn found", ["found"]),
        ("outer()\nb()\nreturn found", []),
    ],
)
def test_the_life_of_a_variable(code: str, names: list[str]) -> None:
    body = "\n".join(f"  {line}" for line in code.split("\n"))
    assert [name for _, name in long_lived(ast.parse(f"def function():\n{body}"))] == names

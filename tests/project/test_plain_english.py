"""Words and turns of phrase that readers had to guess at stay out of the tree: code, comments, messages, pages.

Section "Plain English" of CONTRIBUTING.md says what to write instead. Pages in Chinese are not looked at.
"""

import io
import re
import subprocess
import tokenize
from collections.abc import Iterator

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

"""Compares the output of a program on an English page with the one on its Chinese page, line by line."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from itertools import zip_longest

from acl_runtime.checks import chinese
from acl_runtime.checks.catalogue import CHECKS
from acl_runtime.checks.language import in_language
from acl_runtime.headers import remedies, remedies_zh
from acl_runtime.text import PLACE

NAME = re.compile(r"(?<![A-Za-z0-9_])(?:acl[a-z]*[A-Z]|ACL_|DT_)\w+(?:\(\d+\))?|0x[0-9a-f]+|\b\d+\b|`[^`]+`")
"""names of C, numbers, and names of parameters: a translation has those of the English text"""
HEAD = re.compile(
    r"(?:aclnn emulator: )?(?:E +)?(?:acl_runtime\.errors\.UndefinedBehaviour: )?(?:\w+\[[\w-]+\]: )?(?: +)?(?:[|=] +)?"
    r"(?:help: )?"
)
"""the part of a line before its text; it is the same in both languages"""
NOTE = "= note: "
LABELS = (("called from ", chinese.LABELS.callers), ("to allow it: ", chinese.LABELS.allow))
FIXES = [
    (english.fixes.wording(in_c=in_c), in_language(english, "zh").fixes.wording(in_c=in_c))
    for english in CHECKS.values()
    for in_c in (False, True)
]


def untranslated(english: str, in_chinese: str) -> list[tuple[str, str]]:
    """The lines of an output that are no translation of each other. A line with the explanation of a finding is in the
    Chinese output only."""
    lines = [line for line in in_chinese.splitlines() if NOTE not in line or NOTE in english]
    pairs = zip_longest(english.splitlines(), lines, fillvalue="")
    return [pair for pair in pairs if pair[0] != pair[1] and not _translates(*pair)]


def _translates(english: str, in_chinese: str) -> bool:
    head = HEAD.match(english)[0]  # type: ignore[index]
    if not in_chinese.startswith(head) or Counter(NAME.findall(english)) != Counter(NAME.findall(in_chinese)):
        return False
    old, new = english.removeprefix(head), in_chinese.removeprefix(head)
    if any(old.startswith(one) and new == other + old.removeprefix(one) for one, other in LABELS):
        return True
    return (old, new) in FIXES or any(_made(old, one) and _made(new, other) for one, other in _templates())


@cache
def _templates() -> list[tuple[str, str]]:
    history = [(f"{one} at {{site}}", other) for one, other in chinese.HISTORY.items()]
    families = [(text, remedies_zh.FAMILIES[family]) for family, text in remedies.FAMILIES.items()]
    return [*chinese.TEXTS.items(), *history, *families]


def _made(text: str, template: str) -> bool:
    """Is it a text of this template? Spaces beside values depend on the values."""
    return _pattern(template).fullmatch(text.replace(" ", "")) is not None


@cache
def _pattern(template: str) -> re.Pattern[str]:
    texts = PLACE.split(template.replace(" ", ""))
    return re.compile("".join(".+?" if at % 2 else re.escape(text) for at, text in enumerate(texts)), re.DOTALL)

"""Puts a text of a finding into Chinese: finds the template that makes the text, and fills the Chinese one.

The values in a text are names and numbers, which stay, and phrases, which have templates of their own. Only a machine
that reports in Chinese imports this module.
"""

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Final

from acl_runtime.checks.hints_zh import HINTS
from acl_runtime.checks.phrases_zh import AS_IT_IS, FORMS, KINDS, LISTS, PHRASES
from acl_runtime.checks.sentences_zh import ENDINGS, HISTORY, SENTENCES
from acl_runtime.errors import Labels, Past

PLACE: Final = re.compile(r"\{(\w+)\}")
"""a placeholder of a text, such as `{stream}`"""
SITE: Final = "{site}"
AT_SITE: Final = f"在 {SITE} "
LABELS: Final = Labels("调用者：", "如要允许：")
GAPS: Final = (
    (re.compile("(?<=[\u4e00-\u9fff]) +(?=[\u4e00-\u9fff])|(?<=[，。；：（）、]) +| +(?=[，。；：（）、])"), ""),
    (re.compile("(?<=[\u4e00-\u9fff])(?=[A-Za-z0-9`])|(?<=[A-Za-z0-9`)\\]])(?=[\u4e00-\u9fff])"), " "),
)
"""a space stands between a Chinese character and a Latin word, and nowhere else beside Chinese"""


def hint(english: str) -> str | None:
    """A hint that is not of the catalogue; None if it has no translation."""
    return _translated(english, HINTS)


def sentence(english: str) -> str | None:
    """The first line of a finding; None if it has no translation."""
    return _translated(english, SENTENCES)


def past(english: Past) -> tuple[str, str, str]:
    """A line of a history: the text before the place in the code, the text behind it, and the text without a place. The
    English text if it has no translation."""
    chinese = _translated(english.what, HISTORY)
    if chinese is None:
        return f"{english.what} at " if english.site else english.what, "", english.what
    whole = chinese.replace(AT_SITE, "")
    before, _, behind = (chinese if english.site else whole).partition(SITE)
    return before, behind, whole


def ending(english: str) -> str | None:
    """A line around the findings of a report, or the text of a failure that is no finding yet; None if it has no
    translation."""
    return _translated(english, ENDINGS) or _translated(english, SENTENCES)


@lru_cache(1024)
def phrase(english: str) -> str:
    """A part of a sentence; the same text if it is a name or a number."""
    return _translated(english, PHRASES) or english


def _translated(text: str, texts: Mapping[str, str]) -> str | None:
    """The Chinese text of the first template that makes this text; None if there is none."""
    for english, chinese in texts.items():
        found = _pattern(english).fullmatch(text)
        if found:
            values = {name: _value(name, each) for name, each in found.groupdict().items()}
            return _spaced(chinese.format_map({"site": SITE, **values}))
    return None


def _value(name: str, text: str) -> str:
    """The value of a placeholder in Chinese."""
    if name in AS_IT_IS:
        return text
    if name == "kind":
        return KINDS.get(text, text)
    between, in_chinese = LISTS.get(name, ("\0", ""))
    return in_chinese.join(map(phrase, text.split(between)))


def _spaced(text: str) -> str:
    for gap, right in GAPS:
        text = gap.sub(right, text)
    return text


@cache
def _pattern(template: str) -> re.Pattern[str]:
    """A regular expression for the texts that a template makes; each placeholder is a group."""
    texts = PLACE.split(template)  # text, placeholder, text, placeholder, ...
    groups = [
        f"(?P<{each}>{FORMS.get(each.removeprefix('other_'), '.+?')})" if at % 2 else re.escape(each)
        for at, each in enumerate(texts)
    ]
    return re.compile("".join(groups), re.DOTALL)

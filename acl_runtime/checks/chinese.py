"""Translation of the texts of findings into Chinese: by the template of a text, with translated values.

Only a machine that reports in Chinese imports this module.
"""

import re
from collections.abc import Mapping
from typing import Final

from acl_runtime.checks.hints_zh import HINTS
from acl_runtime.checks.phrases_zh import KINDS, PHRASES
from acl_runtime.checks.sentences_zh import ENDINGS, HISTORY, SENTENCES
from acl_runtime.errors import Labels, Past
from acl_runtime.text import Text

TEXTS: Final[Mapping[str, str]] = {**SENTENCES, **HINTS, **ENDINGS, **PHRASES, **KINDS}
"""the Chinese templates, by English template"""
SITE: Final = "{site}"
AT_SITE: Final = f"在 {SITE} "
LABELS: Final = Labels("调用者：", "如要允许：")
GAPS: Final = (
    (re.compile("(?<=[\u4e00-\u9fff]) +(?=[\u4e00-\u9fff])|(?<=[，。；：（）、]) +| +(?=[，。；：（）、])"), ""),
    (re.compile("(?<=[\u4e00-\u9fff])(?=[A-Za-z0-9`])|(?<=[A-Za-z0-9`)\\]])(?=[\u4e00-\u9fff])"), " "),
)
"""patterns and replacements: a space separates a Chinese character from a Latin word, and nothing else"""


def chinese(english: str, texts: Mapping[str, str] = TEXTS) -> str:
    """A text in Chinese; the English text if its template has no translation, or if it is a name."""
    if not isinstance(english, Text) or english.template not in texts:
        return english
    values = {name: chinese(value) if isinstance(value, str) else value for name, value in english.values.items()}
    return _spaced(texts[english.template].format_map({"site": SITE, **values}))


def past(english: Past) -> tuple[str, str, str]:
    """A line of a history in Chinese, or in English if it has no translation: the text before the place in the code,
    the text behind it, and the text without a place."""
    in_chinese = chinese(english.what, HISTORY)
    if in_chinese is english.what:
        return f"{english.what} at " if english.site else english.what, "", english.what
    whole = in_chinese.replace(AT_SITE, "")
    before, _, behind = (in_chinese if english.site else whole).partition(SITE)
    return before, behind, whole


def _spaced(text: str) -> str:
    for gap, right in GAPS:
        text = gap.sub(right, text)
    return text

"""Explanations and hints of findings in the language of a machine (`Machine(lang=...)`).

English is the language of the catalogue and of each finding. A report in Chinese has the Chinese texts of the catalogue
and of the hints in place of the English ones; a text that has none stays in English. All else is the same in both: ids,
levels, the sentence that says what happened, and the history. So a test or a script that looks for these does not
depend on the locale.
"""

import re
from functools import cache
from typing import Final

from acl_runtime.checks.catalogue import FindingKind
from acl_runtime.errors import Explained

PLACE: Final = re.compile(r"\{(\w+)\}")
"""a placeholder of a hint, such as `{stream}`"""


def in_language(check: FindingKind, lang: str) -> FindingKind:
    """A row of the catalogue in a language."""
    if lang != "zh":
        return check
    from acl_runtime.checks.catalogue_zh import FINDINGS  # late: most programs report in English

    texts = FINDINGS.get(check.id)
    return check if texts is None else check._replace(**texts._asdict())


def explained(check: FindingKind, hint: str, lang: str, *, in_c: bool) -> Explained | None:
    """The explanation and the hint of a finding in a language; None for English, the language of the finding itself.
    `hint`: in English, of the catalogue or of the call that reports."""
    if lang != "zh":
        return None
    texts = in_language(check, lang)
    usual = hint == check.fixes.wording(in_c=in_c)
    return Explained(f"{texts.what}{texts.why}", texts.fixes.wording(in_c=in_c) if usual else hint_in_chinese(hint))


def hint_in_chinese(hint: str) -> str:
    """A hint that is not of the catalogue, in Chinese; the same text if it has no translation."""
    from acl_runtime.checks.hints_zh import HINTS

    for english, chinese in HINTS.items():
        found = _pattern(english).fullmatch(hint)
        if found:
            return chinese.format_map(found.groupdict())
    return hint


@cache
def _pattern(template: str) -> re.Pattern[str]:
    """A regular expression for the hints that a template makes; each placeholder is a group."""
    texts = PLACE.split(template)  # text, placeholder, text, placeholder, ...
    return re.compile("".join(f"(?P<{each}>.+)" if at % 2 else re.escape(each) for at, each in enumerate(texts)))

"""The texts of findings in the language of a machine (`Machine(lang=...)`).

The attributes of a finding and the report for programs are always in English, so that a test or a script does not
depend on the locale. A report for people in Chinese has the Chinese texts of the catalogue, of the hints, and of the
sentences about the mistake. A text without a translation stays in English. Ids, levels, names of objects, numbers, and
texts of the library are never translated.
"""

from collections.abc import Sequence

from acl_runtime.checks.catalogue import FindingKind
from acl_runtime.errors import Explained, Past
from acl_runtime.source.site import shown


def in_language(check: FindingKind, lang: str) -> FindingKind:
    """A row of the catalogue in a language."""
    if lang != "zh":
        return check
    from acl_runtime.checks.catalogue_zh import FINDINGS  # late: most programs report in English

    texts = FINDINGS.get(check.id)
    return check if texts is None else check._replace(**texts._asdict())


def explained(
    check: FindingKind, what: str, history: Sequence[Past], hint: str, lang: str, *, in_c: bool
) -> Explained | None:  # fmt: skip
    """The texts of a finding in a language; None for English, the language of the finding itself. `hint`: the English
    hint, from the catalogue or from the call that reports."""
    if lang != "zh":
        return None
    from acl_runtime.checks import chinese

    texts = in_language(check, lang)
    usual = hint == check.fixes.wording(in_c=in_c)
    return Explained(
        chinese.chinese(what),
        tuple(map(chinese.past, history)),
        f"{texts.what}{texts.why}",
        texts.fixes.wording(in_c=in_c) if usual else chinese.chinese(hint),
        chinese.LABELS,
    )


def line(english: str, lang: str) -> str:
    """A text in a language, such as a line around the findings of a report."""
    if lang != "zh":
        return english
    from acl_runtime.checks import chinese

    return chinese.chinese(english)


def past_line(english: Past, lang: str) -> str:
    """A line of a history, with the place in the code, in a language."""
    if lang != "zh":
        return str(english)
    from acl_runtime.checks import chinese

    before, behind, _ = chinese.past(english)
    return f"{before}{shown(english.site)}{behind}"

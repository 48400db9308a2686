"""The output of a program in Chinese, made from the English one, for the pages in docs/zh/."""

from __future__ import annotations

import re
from collections.abc import Iterator

from acl_runtime.checks import chinese
from acl_runtime.checks.catalogue import CHECKS
from acl_runtime.checks.language import explained, line, part, past_line
from acl_runtime.errors import Past

BEGIN = re.compile(
    r"(?P<head>(?:E +)?(?:acl_runtime\.errors\.UndefinedBehaviour: )?\w+\[(?P<id>[\w-]+)\]: )(?P<text>.*)"
)
PAST = re.compile(r"(?P<head>(?:E +)?(?: +)?\|  (?=\S))(?P<text>.*?)(?: at (?P<site>\S+:\d+))?")
CALLERS = re.compile(r"(?P<head>.* )called from (?P<text>.*)")
HELP = re.compile(r"(?P<head>(?:E +)?(?: +)?= )help: (?P<text>.*)")
ALLOW = re.compile(r"(?P<head>(?:E +)?(?: +)?= )to allow it: (?P<text>.*)")
OTHERS = re.compile(r"(?:aclnn emulator: )?(?:  (?=\w))?")
ALLOCATED = re.compile(r"(device .* was allocated) at (\S+:\d+)")


def in_chinese(output: str) -> str:
    """The same output under ACL_EMULATOR_LANG=zh."""
    return "".join(f"{each}\n" for each in _lines(output.splitlines()))


def _lines(english: list[str]) -> Iterator[str]:
    id = ""
    for each in english:
        if (found := BEGIN.fullmatch(each)) and (text := chinese.sentence(found["text"])):
            id = found["id"]
            yield f"{found['head']}{text}"
        elif id and (found := PAST.fullmatch(each)):
            before, behind, _ = chinese.past(Past(found["text"], found["site"] or ""))
            yield f"{found['head']}{before}{found['site'] or ''}{behind}"
        elif id and (found := CALLERS.fullmatch(each)):
            yield f"{found['head']}{chinese.LABELS.callers}{found['text']}"
        elif id and (found := HELP.fullmatch(each)):
            in_c = found["text"] == CHECKS[id].fixes.wording(in_c=True)
            texts = explained(CHECKS[id], "", (), found["text"], "zh", in_c=in_c)
            assert texts is not None
            yield from (f"{found['head']}note: {texts.explanation}", f"{found['head']}help: {texts.hint}")
        elif id and (found := ALLOW.fullmatch(each)):
            yield f"{found['head']}{chinese.LABELS.allow}{found['text']}"
        else:
            prefix = OTHERS.match(each)[0]  # type: ignore[index]
            text = each.removeprefix(prefix)
            past = ALLOCATED.fullmatch(text)
            yield prefix + (
                past_line(Past(past[1], past[2]), "zh")
                if past
                else part(line(text, "zh"), "zh")
                if prefix.endswith("  ")
                else line(text, "zh")
            )

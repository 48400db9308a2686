"""The findings of a machine as one text: for people, as JSON for programs, as SARIF for editors and code hosts."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Protocol
from urllib.parse import quote

from acl_runtime.checks.catalogue import CATALOGUE
from acl_runtime.checks.language import in_language, line
from acl_runtime.errors import Finding
from acl_runtime.source.site import split
from acl_runtime.text import Text, facts
from acl_runtime.version import PROJECT, __version__

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
SARIF_LEVELS: Final = {"error": "error", "warning": "warning", "advice": "note"}


class Recorded(Protocol):
    """The findings of a machine."""

    unlisted: int
    """number of findings that were counted but not listed"""
    in_c: bool
    """True for a program in C or C++"""

    @property
    def lang(self) -> str:
        """The language of the report."""
        ...

    @property
    def met(self) -> Mapping[tuple[str, str], int]:
        """Number of findings that each allowance has allowed, by id and reason."""
        ...

    def __iter__(self) -> Iterator[Finding]: ...


def report(findings: Recorded, format: str) -> str:
    """All findings in one of the formats, with the number of findings that each allowance has allowed."""
    match format:
        case "text":
            return as_text(findings)
        case "json":
            return as_json(findings)
        case "sarif":
            return as_sarif(findings)
        case _:
            raise ValueError(f"format={format!r}: 'text', 'json' or 'sarif'")


def write(findings: Recorded, path: str) -> None:
    """Write the report to a file. Its suffix chooses the format: `.json`, `.sarif`, text for any other."""
    format = {".json": "json", ".sarif": "sarif"}.get(Path(path).suffix, "text")
    # a file name in the report may contain bytes that are not UTF-8
    Path(path).write_text(report(findings, format) + "\n", encoding="utf-8", errors="backslashreplace")


def as_text(findings: Recorded) -> str:
    """Each finding, then the number of findings, then the findings that were allowed."""
    return "\n\n".join([*map(str, findings), "\n".join(summary(findings))])


def summary(findings: Recorded) -> list[str]:
    """The number of findings, and the findings that were allowed."""
    counts = Counter(finding.level for finding in findings)
    lines = [
        Text(
            "{errors}, {warnings}, {advice} advice",
            errors=Text.plural(counts["error"], "{count} error", "{count} errors"),
            warnings=Text.plural(counts["warning"], "{count} warning", "{count} warnings"),
            advice=counts["advice"],
        )
    ]
    if findings.unlisted:
        lines.append(Text("{count} more are not listed", count=findings.unlisted))
    for (id, why), times in findings.met.items():
        reason = json.dumps(why, ensure_ascii=False)
        allowed = Text.plural(times, "allowed[{id}]: {count} time, {reason}", "allowed[{id}]: {count} times, {reason}",
                              id=id, reason=reason)  # fmt: skip
        lines.append(allowed)
    return [line(text, findings.lang) for text in lines]


def as_json(findings: Recorded) -> str:
    """A JSON object with the members `findings`, `allowed` and `unlisted`."""
    whole = {
        "findings": [_finding(finding) for finding in findings],
        "allowed": _allowed(findings),
        "unlisted": findings.unlisted,
    }
    return json.dumps(whole, indent=2)


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.id,
        "level": finding.level,
        "what": finding.what,
        "message": finding.message,
        "values": facts(finding.what),
        "call": finding.call,
        "site": _site(finding.site) if finding.site else None,
        "history": [{"what": past.what, "values": facts(past.what), **_site(past.site)} for past in finding.history],
        "hint": finding.hint,
    }


def _site(site: str) -> dict[str, Any]:
    file, line = split(site)
    callers = [dict(zip(("file", "line"), split(caller), strict=True)) for caller in getattr(site, "callers", ())]
    return {"file": file, "line": line, **({"callers": callers} if callers else {})}


def _allowed(findings: Recorded) -> list[dict[str, Any]]:
    return [{"id": id, "reason": reason, "times": times} for (id, reason), times in findings.met.items()]


def as_sarif(findings: Recorded) -> str:
    """SARIF 2.1.0. The catalogue gives the rules. An allowance is a property of the run: allowed findings are only
    counted, so there is no result to mark as suppressed."""
    checks = [in_language(check, findings.lang) for check in CATALOGUE if check.level != "status"]
    rules = [
        {
            "id": check.id,
            "shortDescription": {"text": check.what},
            "fullDescription": {"text": check.why},
            "help": {"text": check.fixes.wording(in_c=findings.in_c)},
            "defaultConfiguration": {"level": SARIF_LEVELS[check.level]},
        }
        for check in checks
    ]
    places = {check.id: place for place, check in enumerate(checks)}
    run = {
        "tool": {"driver": {"name": PROJECT, "version": __version__, "rules": rules}},
        "results": [_result(finding, places[finding.id]) for finding in findings],
        "properties": {"allowed": _allowed(findings), "unlisted": findings.unlisted},
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _result(finding: Finding, place: int) -> dict[str, Any]:
    # a finding that was made when the machine was closed has no site: use the line that made the object
    sites = [site for site in (finding.site, *(past.site for past in finding.history)) if site]
    words = finding.explained
    texts = (words.what, words.explanation, words.hint) if words else (finding.what, finding.hint)
    history = [whole for _, _, whole in words.history] if words else [past.what for past in finding.history]
    return {
        "ruleId": finding.id,
        "ruleIndex": place,
        "level": SARIF_LEVELS[finding.level],
        "message": {"text": " ".join(filter(None, texts))},
        "locations": [_location(site) for site in sites[:1]],
        "relatedLocations": [
            {"id": number, "message": {"text": what}, **_location(past.site)}
            for number, (past, what) in enumerate(zip(finding.history, history, strict=True), 1)
        ],
        "properties": {"values": facts(finding.what)},
    }


def _location(site: str) -> dict[str, Any]:
    file, line = split(site)
    path = Path(file)
    physical: dict[str, Any] = {"artifactLocation": {"uri": path.as_uri() if path.is_absolute() else quote(file)}}
    if line:
        physical["region"] = {"startLine": line}
    return {"physicalLocation": physical}

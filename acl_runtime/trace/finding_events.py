"""The events of a trace for findings, and for marks and ranges of the program, each at the call that made it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from acl_runtime.checks.findings import Moment
from acl_runtime.errors import Finding
from acl_runtime.trace.events import HOST, MARKS, Event, metadata, rounded
from acl_runtime.trace.marks import InCall, Mark
from acl_runtime.trace.records import Call

Found: TypeAlias = tuple[Finding, Moment | None]


def findings(
    calls: Sequence[Call],
    places: Mapping[int, tuple[int, float]],
    moments: Iterable[Found],
) -> Iterator[Event]:
    """An event for each finding, at the call that reported it; findings at the end of the machine are at the end."""
    returned = {id(call.kept): order for order, call in enumerate(calls, 1)}
    last = rounded(max((call.time for call in calls), default=0.0))
    for finding, moment in moments:
        facts: dict[str, object] = {"level": finding.level, "message": finding.message, "site": finding.site}
        facts["report"] = str(finding)
        row, time = 1, last
        if moment is not None:
            facts["call"], facts["time"], time = finding.call, moment.time, rounded(moment.time)
            order = _shown_by(calls, returned, finding, moment)
            if order:
                row, time = places[id(calls[order - 1])]
                facts["order"] = order
        arguments = {key: value for key, value in facts.items() if value != ""}
        scope = "t" if "order" in facts else "g"
        yield {"ph": "i", "s": scope, "pid": HOST, "tid": row, "ts": time, "name": finding.id, "cat": "finding",
               "args": arguments}  # fmt: skip


def _shown_by(calls: Sequence[Call], returned: Mapping[int, int], finding: Finding, moment: Moment) -> int:
    """The order of the call that a finding belongs to; 0 if unknown.

    It is the first call of the finding's function that returned in the thread after the finding. A finding that was
    made later than its call, when a task ran or at the end, belongs to an earlier call: the last call at the finding's
    line, or the only call of its function."""
    call_number = returned.get(id(moment.after)) if moment.after is not None else 0
    if call_number is None:
        return 0  # the call is too old to be stored
    for i in range(call_number, len(calls)):
        if calls[i].caller is moment.thread and calls[i].function == finding.call:
            return i + 1
    earlier = [i + 1 for i in range(call_number) if calls[i].function == finding.call]
    at_line = [order for order in earlier if calls[order - 1].site and calls[order - 1].site == finding.site]
    return at_line[-1] if at_line else earlier[0] if len(earlier) == 1 else 0


def marks_and_ranges(calls: Sequence[Call], marks: Sequence[Mark], last: float) -> Iterator[Event]:
    """The events of marks and of ranges, which may overlap. An open range ends with the last call."""
    if not marks:
        return
    yield metadata(MARKS, 0, "process", "marks and ranges")
    rows = {domain: row for row, domain in enumerate(dict.fromkeys(mark.domain for mark in marks), 1)}
    for domain, row in rows.items():
        yield metadata(MARKS, row, "thread", domain)
    returned = {id(call.kept): order for order, call in enumerate(calls, 1)}
    for mark in marks:
        row, time = rows[mark.domain], rounded(mark.began)
        common = {"pid": MARKS, "tid": row, "name": mark.message, "cat": "mark"}
        facts: dict[str, object] = {"number": mark.id, "time": mark.began}
        if order := _made_by(calls, returned, mark.began_in):
            facts["order"] = order
        if not mark.is_range:
            yield {"ph": "i", "s": "t", "ts": time, **common, "args": facts}
            continue
        end = max(rounded(last if mark.ended is None else mark.ended), time)
        if mark.ended is None:
            facts["open"] = True
        elif mark.ended_in is not None and (order := _made_by(calls, returned, mark.ended_in)):
            facts["last"] = order
        yield {"ph": "b", "id": mark.id, "ts": time, **common, "args": facts}
        yield {"ph": "e", "id": mark.id, "ts": end, **common}


def _made_by(calls: Sequence[Call], returned: Mapping[int, int], moment: InCall) -> int:
    """The order of the call that made a mark: the first call of its thread that returned afterwards; 0 if it is not
    stored."""
    call_number = returned.get(id(moment.after)) if moment.after is not None else 0
    if call_number is None:
        return 0
    return next((i + 1 for i in range(call_number, len(calls)) if calls[i].caller is moment.thread), 0)

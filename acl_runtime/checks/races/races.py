"""The findings of races: two accesses without a defined order, and memory that is freed while work may use it."""

from collections.abc import Iterator
from typing import Final

from acl_runtime.checks.access_listeners import AccessListener
from acl_runtime.checks.consequences import LostMemory, MissingWait
from acl_runtime.checks.ports import CheckedMachine
from acl_runtime.checks.races.accesses import Access
from acl_runtime.checks.races.happens_before import HappensBefore
from acl_runtime.errors import Level, Past
from acl_runtime.memory.allocation import Allocation
from acl_runtime.memory.pinned import MAPPED, Pinned
from acl_runtime.memory.ranges import Use
from acl_runtime.memory.reservation import VirtualMapping
from acl_runtime.source.frames import paths, trail
from acl_runtime.streams.stream import Stream
from acl_runtime.streams.vector_clock import HOST, Action, ExecutedAction
from acl_runtime.text import Text

UNMAP: Final = Text("Call aclrtSynchronizeStream before aclrtUnmapMem, which does not wait.")


class FindingReporter:
    """Reports a finding of the running call. With `later`, the finding belongs to that action."""

    def __init__(self, machine: CheckedMachine, later: Action | None) -> None:
        self._machine = machine
        self.later = later

    def of(self, action: Action) -> "FindingReporter":
        """A reporter for findings that belong to another action."""
        return FindingReporter(self._machine, action)

    def __call__(
        self, id: str, what: Text, *history: Past, hint: Text | None = None, level: Level | None = None
    ) -> None:
        action = self.later
        if action is None:
            self._machine.undefined(id, what, *history, hint=hint, level=level)
        else:
            self._machine.findings.add(
                id, what, *history, hint=hint, level=level, call=action.name, site=action.launched
            )  # fmt: skip


class Races(AccessListener):
    """The findings `xstream-race`, `ws-shared`, `read-before-sync`, `pinned-reuse`, `ws-freed-early` and
    `io-freed-early`. The bytes of a race are tainted, as a finding about their values is a consequence."""

    def __init__(self, machine: CheckedMachine, order: HappensBefore) -> None:
        self._machine = machine
        self._order = order

    def clashed(self, old: Access, new: Access, piece: Allocation | Pinned, later: Action | None) -> None:
        self._race(FindingReporter(self._machine, later), old, new, piece)
        if self._machine.findings.listed(race_id(old, new, piece)):
            self._machine.consequences.taint(old)
            self._machine.consequences.taint(new)

    def freeing(self, piece: Allocation | Pinned, how: str) -> None:
        """Report the first access that may be unfinished. If the finding is allowed, run the unfinished work before its
        memory is freed."""
        unfinished = list(self._order.unfinished_accesses(piece.address, piece.end))
        if unfinished:
            access = unfinished[0]
            if report_used(self._machine, access, piece, how):
                self._machine.consequences.taint(MissingWait(self._order.me(), access.action.agent))
            else:
                self._machine.run_first([stream for pending in unfinished if (stream := _stream(pending)) is not None])
        self._machine.consequences.taint(LostMemory(piece))

    def unmapping(self, mapping: VirtualMapping) -> None:
        """Report the first unfinished access through this mapping. Other mappings of the bytes stay valid."""
        for access in self._order.unfinished_accesses(mapping.address, mapping.end):
            if access.used.meets(mapping.address, mapping.end):
                if report_used(self._machine, access, mapping, MAPPED[1]):
                    self._machine.consequences.taint(MissingWait(self._order.me(), access.action.agent))
                return

    def _race(self, report: FindingReporter, old: Access, new: Access, piece: Allocation | Pinned) -> None:
        """Report a race, once for the same two lines."""
        now = trail()
        lines = paths(old.action.trail or now, new.action.trail or now)
        who = [(each.action.agent.origin, each.role, line) for each, line in zip((old, new), lines, strict=True)]
        if self._machine.consequences.first(race_id(old, new, piece), frozenset(who)):
            race(report, old, new, piece)


def race(report: FindingReporter, old: Access, new: Access, piece: Allocation | Pinned) -> None:
    """Report two accesses that clash and have no defined order."""
    if report.later and not _stream(old):  # the task of `new` was launched before the host's call `old`
        old, new, report = new, old, report.of(old.action)
    first, second = _actor(old), _actor(new)
    low, high = max(old.low, new.low), min(old.high, new.high)
    missing, hint = missing_edge(old, new)
    what = Text(
        "{second} {verb} {bytes} ({role}), which {first} {other_verb} ({other_role}); nothing orders the two ({how}): "
        "{missing}.",
        second=second,
        verb=new.use.value,
        bytes=_bytes(piece, low, high),
        role=new.role,
        first=first,
        other_verb=old.use.value,
        other_role=old.role,
        how=_how(old, new),
        missing=missing,
    )
    shown = [old, new] if report.later or isinstance(new.action, ExecutedAction) else [old]
    launched = [access.action.past() for access in shown if _stream(access)]
    report(race_id(old, new, piece), what, *launched, *_early_record(old, new), *piece.past(), hint=hint)


def race_id(old: Access, new: Access, piece: Allocation | Pinned) -> str:
    """The id of the finding for two accesses that clash."""
    on_host = [access for access in (new, old) if not _stream(access)]
    if not on_host:
        return "ws-shared" if Use.SCRATCH in (old.use, new.use) else "xstream-race"
    if on_host[0].use is Use.READ:
        return "read-before-sync"
    return "pinned-reuse" if isinstance(piece, Pinned) else "xstream-race"


def _stream(access: Access) -> Stream | None:
    name = access.action.agent.name
    return name if isinstance(name, Stream) else None


def _how(old: Access, new: Access) -> Text:
    if new.use is Use.READ:
        return Text("read after write")
    return Text("write after read") if old.use is Use.READ else Text("write after write")


def _actor(access: Access) -> str:
    action = access.action
    if stream := _stream(access):
        return Text("{task} in {stream}", task=action.name, stream=stream)
    if action.agent.name == HOST:
        return Text("{caller} of the host", caller=action.name)
    return Text("{caller} of {worker}", caller=action.name, worker=action.agent)


def _bytes(piece: Allocation | Pinned, low: int, high: int) -> str:
    offset = low - piece.address
    inside = isinstance(piece, Allocation)
    where = piece.device.name(low) if inside else Text("{memory} + {at}", memory=piece, at=f"{offset:#x}")
    return Text("the {size} bytes at {place}", size=high - low, place=where)


def missing_edge(old: Access, new: Access) -> tuple[Text, Text]:
    """The text of the missing happens-before edge, and the hint how to add it."""
    before, after = old.action.agent, new.action.agent
    if _stream(old) and _stream(new):
        scratch = Use.SCRATCH in (old.use, new.use)
        order = {"first": before, "task": old.action.name, "second": after, "call": new.action.name}
        record = after.waited.get(before)
        missing = Text("no event leads from {before} to {after}", before=before, after=after)
        if record is not None:
            missing = Text(
                "{after} waits for {event}, which was recorded in {before} before {task}",
                after=after,
                event=record.event,
                before=before,
                task=old.action.name,
            )
        return missing, (
            Text(
                "Give each stream its own workspace, or record an event in {first} behind {task} (aclrtRecordEvent), "
                "and let {second} wait for it before {call} (aclrtStreamWaitEvent).",
                **order,
            )
            if scratch
            else Text(
                "Record an event in {first} behind {task} (aclrtRecordEvent), and let {second} wait for it before "
                "{call} (aclrtStreamWaitEvent).",
                **order,
            )
        )
    host, access = (old, new) if _stream(new) else (new, old)
    stream = access.action.agent
    missing = Text("{agent} has not waited for {other}", agent=host.action.agent, other=stream)
    return missing, synchronise(stream, host.action.name)


def _early_record(old: Access, new: Access) -> Iterator[Past]:
    """The record for which the stream of `new` waits, although it came before `old`."""
    record = new.action.agent.waited.get(old.action.agent)
    if record is not None:
        how = Text("recorded in {stream}", stream=record.task.stream)
        yield Past(Text("{thing} was {how}", thing=record.event, how=how), record.task.launched)


def synchronise(stream: object, call: str) -> Text:
    """The hint for a call that has to wait for a stream."""
    return Text(
        "Call aclrtSynchronizeStream for {stream} before {call}, or wait for an event recorded behind the task.",
        stream=stream,
        call=call,
    )


def report_used(machine: CheckedMachine, access: Access, piece: Allocation | Pinned | VirtualMapping, how: str) -> bool:
    """Report memory that is freed while work may use it, once for the same two lines. False if allowed."""
    action = access.action
    if isinstance(piece, Pinned):
        id, fate = "pinned-reuse", Text("is {how} while it is", how=how)
    else:
        id = "ws-freed-early" if access.use is Use.SCRATCH else "io-freed-early"
        fate = Text("are {how} while they are", how=how)
    what = Text(
        "{piece} {fate} the {role} of {action} in {agent}, which the host has not waited for.",
        piece=piece,
        fate=fate,
        role=access.role,
        action=action.name,
        agent=action.agent,
    )
    lines = paths(action.trail, trail())
    suppressed = not machine.consequences.first(id, *lines, action.agent.origin, access.role)
    hint = UNMAP if isinstance(piece, VirtualMapping) else None
    return suppressed or machine.undefined(id, what, action.past(), *piece.past(), hint=hint) is not None

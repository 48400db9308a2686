"""What to tell of two uses of the same bytes that nothing orders."""

from typing import TYPE_CHECKING, Final

from acl_runtime.errors import Level, Past
from acl_runtime.machine.accesses import Access
from acl_runtime.machine.allocation import Allocation
from acl_runtime.machine.clocks import Agent
from acl_runtime.machine.pinned import Pinned
from acl_runtime.machine.stream import Stream, Task, Use

if TYPE_CHECKING:
    from acl_runtime.machine.machine import Machine

NOUNS: Final = {Use.READ: "read"}


class Told:
    """Where findings go: those of a call to that call, those of a task that is looked at later to its launch."""

    def __init__(self, machine: "Machine", later: Task | None) -> None:
        self._machine = machine
        self.later = later

    def __call__(self, id: str, what: str, *history: Past, hint: str | None = None, level: Level | None = None) -> None:
        task = self.later
        if task is None:
            self._machine.undefined(id, what, *history, hint=hint, level=level)
        else:
            self._machine.findings.add(
                id, what, *history, hint=hint, level=level, call=task.name, site=task.launched
            )  # fmt: skip


def race(told: Told, old: Access, new: Access, piece: Allocation | Pinned) -> None:
    """The two clash, and nothing orders them."""
    first, second = _actor(old), _actor(new)
    low, high = max(old.low, new.low), min(old.high, new.high)
    kind = f"{NOUNS.get(new.use, 'write')} after {NOUNS.get(old.use, 'write')}"
    what = (
        f"{second} {new.use.value} {_bytes(piece, low, high)} ({new.role}), which {first} {old.use.value} "
        f"({old.role}); nothing orders the two ({kind}): {_missing(old, new)}."
    )
    shown = [old, new] if told.later else [old]
    launched = [Past(f"{_actor(each)} was launched", each.doing.launched) for each in shown if _stream(each)]
    told(_id(old, new, piece), what, *launched, *piece.past(), hint=_hint(old, new))


def _id(old: Access, new: Access, piece: Allocation | Pinned) -> str:
    on_host = [each for each in (new, old) if not _stream(each)]
    if not on_host:
        return "ws-shared" if Use.SCRATCH in (old.use, new.use) else "xstream-race"
    if on_host[0].use is Use.READ:
        return "read-before-sync"
    return "pinned-reuse" if isinstance(piece, Pinned) else "xstream-race"


def _stream(access: Access) -> Stream | None:
    name = access.doing.agent.name
    return name if isinstance(name, Stream) else None


def _actor(access: Access) -> str:
    doing = access.doing
    return f"{doing.name} in {doing.agent}" if _stream(access) else f"{doing.name} of {doing.agent}"


def _bytes(piece: Allocation | Pinned, low: int, high: int) -> str:
    at = low - piece.address
    where = piece.device.name(low) if isinstance(piece, Allocation) else f"{piece} + {at:#x}"
    return f"the {high - low} bytes at {where}"


def _missing(old: Access, new: Access) -> str:
    before, after = old.doing.agent, new.doing.agent
    if _stream(old) and _stream(new):
        return f"no event leads from {before} to {after}"
    waits: Agent = after if not _stream(new) else before
    stream = before if _stream(old) else after
    return f"{waits} has not waited for {stream}"


def _hint(old: Access, new: Access) -> str:
    before, after = old.doing.agent, new.doing.agent
    if _stream(old) and _stream(new):
        return (
            f"Record an event in {before} behind {old.doing.name} (aclrtRecordEvent), and let {after} wait for it "
            f"before {new.doing.name} (aclrtStreamWaitEvent)."
        )
    stream = before if _stream(old) else after
    call = new.doing.name if not _stream(new) else old.doing.name
    return f"Call aclrtSynchronizeStream for {stream} before {call}, or wait for an event recorded behind the task."

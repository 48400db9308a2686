"""Races: two uses of the same bytes that nothing orders, and memory that goes away while work may still use it."""

from typing import Final

from acl_runtime.checks.ports import Scene
from acl_runtime.checks.races.accesses import Access
from acl_runtime.checks.races.happens_before import HappensBefore
from acl_runtime.checks.uses import UseListener
from acl_runtime.errors import Level, Past
from acl_runtime.memory.allocation import Allocation
from acl_runtime.memory.pinned import Pinned
from acl_runtime.memory.ranges import Use
from acl_runtime.source.frames import paths, trail
from acl_runtime.streams.stream import Stream
from acl_runtime.streams.vector_clock import Doing

NOUNS: Final = {Use.READ: "read"}


class Told:
    """Where findings go: those of a call to that call, those of what is looked at later to where it was launched."""

    def __init__(self, scene: Scene, later: Doing | None) -> None:
        self._scene = scene
        self.later = later

    def of(self, doing: Doing) -> "Told":
        """Where those of another one go that is looked at later."""
        return Told(self._scene, doing)

    def __call__(self, id: str, what: str, *history: Past, hint: str | None = None, level: Level | None = None) -> None:
        doing = self.later
        if doing is None:
            self._scene.undefined(id, what, *history, hint=hint, level=level)
        else:
            self._scene.findings.add(
                id, what, *history, hint=hint, level=level, call=doing.name, site=doing.launched
            )  # fmt: skip


class Races(UseListener):
    """The findings `xstream-race`, `ws-shared`, `read-before-sync`, `pinned-reuse`, `ws-freed-early` and
    `io-freed-early`. Bytes of a race are tainted: what a task finds in them only follows."""

    def __init__(self, scene: Scene, order: HappensBefore) -> None:
        self._scene = scene
        self._order = order

    def clashed(self, old: Access, new: Access, piece: Allocation | Pinned, later: Doing | None) -> None:
        self._race(Told(self._scene, later), old, new, piece)
        if self._scene.findings.allowance(race_id(old, new, piece)) is None:
            old.doubt()
            new.doubt()

    def freeing(self, piece: Allocation | Pinned, how: str) -> None:
        """The first use that may still go on is told."""
        access = next(self._order.users(piece.address, piece.end), None)
        if access is not None and used_still(self._scene, access, piece, how):
            self._order.me().learn(access.doing.agent.clock)  # what follows from the missing wait is no news
        self._order.lost(piece.address, piece.end)

    def _race(self, told: Told, old: Access, new: Access, piece: Allocation | Pinned) -> None:
        """Tell, but of the same two lines in a loop once."""
        now = trail()
        lines = paths(old.doing.trail or now, new.doing.trail or now)
        who = [(each.doing.agent.origin, each.role, line) for each, line in zip((old, new), lines, strict=True)]
        if self._scene.findings.first(race_id(old, new, piece), frozenset(who)):
            race(told, old, new, piece)


def race(told: Told, old: Access, new: Access, piece: Allocation | Pinned) -> None:
    """The two clash, and nothing orders them."""
    if told.later and not _stream(old):  # launched without a place yet when the host came, whose call shows it
        old, new, told = new, old, told.of(old.doing)
    first, second = _actor(old), _actor(new)
    low, high = max(old.low, new.low), min(old.high, new.high)
    kind = f"{NOUNS.get(new.use, 'write')} after {NOUNS.get(old.use, 'write')}"
    missing, hint = _missing(old, new)
    what = (
        f"{second} {new.use.value} {_bytes(piece, low, high)} ({new.role}), which {first} {old.use.value} "
        f"({old.role}); nothing orders the two ({kind}): {missing}."
    )
    shown = [old, new] if told.later else [old]
    launched = [each.doing.past() for each in shown if _stream(each)]
    told(race_id(old, new, piece), what, *launched, *piece.past(), hint=hint)


def race_id(old: Access, new: Access, piece: Allocation | Pinned) -> str:
    """What such a clash is called."""
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


def _missing(old: Access, new: Access) -> tuple[str, str]:
    """The edge that is missing, and how to add it."""
    before, after = old.doing.agent, new.doing.agent
    if _stream(old) and _stream(new):
        scratch = Use.SCRATCH in (old.use, new.use)
        start = "Give each stream its own workspace, or record" if scratch else "Record"
        return f"no event leads from {before} to {after}", (
            f"{start} an event in {before} behind {old.doing.name} (aclrtRecordEvent), and let {after} wait for it "
            f"before {new.doing.name} (aclrtStreamWaitEvent)."
        )
    host, other = (old, new) if _stream(new) else (new, old)
    stream = other.doing.agent
    return f"{host.doing.agent} has not waited for {stream}", (
        f"Call aclrtSynchronizeStream for {stream} before {host.doing.name}, or wait for an event recorded behind the "
        "task."
    )


def used_still(scene: Scene, access: Access, piece: Allocation | Pinned, how: str) -> bool:
    """Memory goes away while work may still use it; of the same two lines it is told once. False where that is
    allowed."""
    doing = access.doing
    if isinstance(piece, Pinned):
        id, fate = "pinned-reuse", f"is {how} while it is"
    else:
        id = "ws-freed-early" if access.use is Use.SCRATCH else "io-freed-early"
        fate = f"are {how} while they are"
    what = f"{piece} {fate} the {access.role} of {doing.name} in {doing.agent}, which the host has not waited for."
    lines = paths(doing.trail, trail())
    known = not scene.findings.first(id, *lines, doing.agent.origin, access.role)
    return known or scene.undefined(id, what, doing.past(), *piece.past()) is not None

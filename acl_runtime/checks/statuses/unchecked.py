"""The statuses of failed calls that the program has not looked at yet: at the end, the finding `ignored-ret`."""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from threading import get_ident
from types import FrameType
from typing import Any, Final, NamedTuple

from acl_runtime.checks.findings import Allowance, Findings
from acl_runtime.errors import Finding
from acl_runtime.headers.statuses import Status
from acl_runtime.source.frames import here

MOST: Final = 10_000
"""ours: a program that never looks must not fill the memory"""
COMPARE: Final = "eq ne lt le gt ge hash"
"""the reflected method comes first for a subclass, so `ACL_SUCCESS == status` gets here as well"""
CONVERT: Final = "bool int float round"
SHOW: Final = "repr str format"
COLLECT: Final = "or and xor lshift rshift add sub mul floordiv truediv mod divmod pow"
"""as in `ret |= aclrtFree(x)` and `sum(statuses)`"""
UNARY: Final = "neg pos abs invert"


def _looking(method: Callable[..., Any]) -> Any:
    """The method, which tells each status it meets that it was looked at."""

    def looks(*statuses: Any) -> Any:
        for each in statuses:
            if isinstance(each, Returned):
                each.looked_at()
        return method(*statuses)

    return looks


class Returned(Status):
    """The status of one failed call. Whatever asks for its value through a method of its type has looked at it: all
    that is below. Python reads the digits of an `int` without asking in `"%d" % status`, `table[status]`,
    `Enum.MEMBER == status`, json, struct and ctypes; no class can see that."""

    def __new__(cls, status: int, unchecked: "Unchecked", number: int) -> "Returned":
        made = super().__new__(cls, status)
        made._unchecked, made._number = unchecked, number
        return made

    _unchecked: "Unchecked"
    _number: int

    def looked_at(self) -> None:
        """The program knows it now."""
        self._unchecked.look(self._number)

    def __del__(self, frame: Callable[[], FrameType] = sys._getframe) -> None:  # pyright: ignore[reportPrivateUsage]
        # nobody but the interpreter itself drops what no Python code holds: it was given to sys.exit
        self._unchecked.drop(self._number, exited_with=frame().f_back is None)

    def __reduce_ex__(self, protocol: Any) -> tuple[type[Status], tuple[int]]:
        """A copy, or what goes to another process, is a plain status: who gets it may look there."""
        return Status, (int(self),)


for _name in [*f"{COMPARE} {CONVERT} {SHOW} {COLLECT} {UNARY}".split(), *(f"r{each}" for each in COLLECT.split())]:
    setattr(Returned, f"__{_name}__", _looking(getattr(Status, f"__{_name}__")))


class FailedCall(NamedTuple):
    """A call whose status nobody has looked at."""

    function: str
    site: str
    status: Status
    reason: str
    """what its error text tells"""
    thread: int
    allowance: Allowance | None
    """that of the time of the call"""


class Group(NamedTuple):
    """The failures that one finding tells of."""

    finding: Finding
    unlooked: set[int]


class Unchecked:
    """The failures of a machine that nobody has looked at, in order; the oldest 10,000.

    What tells of a failure may be another status: after `if first or second` nobody needs to look at `second`, and
    `check(first)` ends the program before `check(second)`. So a look also forgives what the program still holds; a
    status that it dropped before is told."""

    def __init__(self) -> None:
        self._pending: dict[int, FailedCall] = {}
        self._held: set[int] = set()
        """the statuses that the program still has somewhere"""
        self._groups: dict[int, Group] = {}
        """those that were told, as long as the program might still look"""
        self._numbers = count()
        self._latest: dict[int, int] = {}
        """the last failure of each thread, if it is one of these"""
        self._findings: Findings | None = None

    # no lock is needed for these, as one operation on a dict or a set is not interrupted

    def returned(self, function: str, status: int, reason: str, allowance: Allowance | None) -> Status:
        """What a failed call returns: a status that remembers whether it was looked at."""
        if len(self._pending) >= MOST:
            return Status(status)
        number = next(self._numbers)
        self._pending[number] = FailedCall(function, here(), Status(status), reason, get_ident(), allowance)
        self._held.add(number)
        self._latest[get_ident()] = number
        return Returned(status, self, number)

    def failed(self) -> None:
        """A call of the calling thread has left an error text; whether it also returns a status is told next."""
        self._latest.pop(get_ident(), None)

    def look(self, number: int) -> None:
        """The program looks at a status."""
        if self._pending.pop(number, None) is not None:
            for other in list(self._held):
                self._pending.pop(other, None)
        elif (group := self._groups.pop(number, None)) is not None and self._findings is not None:
            group.unlooked.discard(number)
            if not group.unlooked:  # it came out of the block of its machine, to be compared behind it
                self._findings.withdraw(group.finding)

    def drop(self, number: int, *, exited_with: bool) -> None:
        """The program has lost a status, or ended with it."""
        self._held.discard(number)
        if exited_with:
            self._pending.pop(number, None)

    def asked(self) -> None:
        """The calling thread has asked for its last error instead of the statuses of its calls."""
        me = get_ident()
        for number, failure in list(self._pending.items()):
            if failure.thread == me:
                self._pending.pop(number, None)

    def read(self) -> None:
        """The calling thread has read the text of its last failure, which tells what the status would. An earlier one
        that it lost is told, though the text may name it too: the program noticed only that something failed later."""
        number = self._latest.get(get_ident())
        if number is not None:
            self.look(number)

    def lost(self) -> Iterator[tuple[str, str, str]]:
        """What cannot be looked at any more, by line and function: those, and what happened."""
        lost = {number: failure for number, failure in list(self._pending.items()) if number not in self._held}
        for (function, site), failures in _groups(lost).items():
            yield function, site, _what(function, failures)

    def tell(self, findings: Findings) -> None:
        """The machine ends: a finding for each line and function, with the statuses that it ignored."""
        failed, self._pending = self._pending.copy(), {}
        for failure in failed.values():
            if failure.allowance is not None:
                failure.allowance.meet()
        self._findings = findings
        for (function, site), failures in _groups(failed).items():
            finding = findings.add("ignored-ret", _what(function, failures), call=function, site=site)
            if finding is not None and self._held >= failures.keys():
                self._groups.update(dict.fromkeys(failures, Group(finding, set(failures))))


def _groups(failed: dict[int, FailedCall]) -> dict[tuple[str, str], dict[int, FailedCall]]:
    """What was not allowed, by function and line."""
    groups: dict[tuple[str, str], dict[int, FailedCall]] = {}
    for number, failure in failed.items():
        if failure.allowance is None:
            groups.setdefault((failure.function, failure.site), {})[number] = failure
    return groups


def _what(function: str, failures: dict[int, FailedCall]) -> str:
    """Which statuses the function returned, and why the first time."""
    statuses = Counter(failure.status for failure in failures.values())
    reasons = {failure.reason for failure in failures.values()}
    several = statuses.total() > 1
    listed = ", ".join(f"{times} x {status!r}" if several else repr(status) for status, times in statuses.items())
    what = f"{function} returned {listed}, and nobody looked at {'them' if several else 'it'}."
    first = next(iter(failures.values())).reason
    return f"{what} {'The first: ' if first and len(reasons) > 1 else ''}{first}".rstrip()

"""The statuses of failed calls that the program has not checked: at the end, the finding `ignored-ret`."""

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
from acl_runtime.streams.announcements import Listener
from acl_runtime.streams.host_thread import ThreadState
from acl_runtime.text import Text

MOST: Final = 10_000
"""the most failures that are stored, so that a program that never checks does not fill the memory"""
COMPARE: Final = "eq ne lt le gt ge hash"
"""a subclass's reflected method is called first, so `ACL_SUCCESS == status` is seen as well"""
CONVERT: Final = "bool int float round"
SHOW: Final = "repr str format"
COLLECT: Final = "or and xor lshift rshift add sub mul floordiv truediv mod divmod pow"
"""operators that combine statuses, as in `ret |= aclrtFree(x)` and `sum(statuses)`"""
UNARY: Final = "neg pos abs invert"


def _checking(method: Callable[..., Any]) -> Any:
    """The method, changed so that it marks each status among its operands as checked."""

    def check(*statuses: Any) -> Any:
        for status in statuses:
            if isinstance(status, ReturnedStatus):
                status.looked_at()
        return method(*statuses)

    return check


class ReturnedStatus(Status):
    """The status of one failed call. A call of one of the methods below counts as a check of the status. Python reads
    the value of an `int` without a method in `"%d" % status`, `table[status]`, `Enum.MEMBER == status`, json, struct
    and ctypes; such a read cannot be detected."""

    def __new__(cls, status: int, unchecked: "Unchecked", number: int) -> "ReturnedStatus":
        returned = super().__new__(cls, status)
        returned._unchecked, returned._number = unchecked, number
        return returned

    _unchecked: "Unchecked"
    _number: int

    def looked_at(self) -> None:
        """The program has checked this status."""
        self._unchecked.look(self._number)

    def __del__(self, frame: Callable[[], FrameType] = sys._getframe) -> None:  # pyright: ignore[reportPrivateUsage]
        # without a Python frame the interpreter itself dropped the status: it was passed to sys.exit
        self._unchecked.drop(self._number, exited_with=frame().f_back is None)

    def __reduce_ex__(self, protocol: Any) -> tuple[type[Status], tuple[int]]:
        """A copy, or a pickle for another process, is a plain status, whose checks are not recorded."""
        return Status, (int(self),)


for _name in [*f"{COMPARE} {CONVERT} {SHOW} {COLLECT} {UNARY}".split(), *(f"r{_verb}" for _verb in COLLECT.split())]:
    setattr(ReturnedStatus, f"__{_name}__", _checking(getattr(Status, f"__{_name}__")))


class FailedCall(NamedTuple):
    """A failed call whose status was not checked."""

    function: str
    site: str
    status: Status
    reason: str
    """the error text"""
    thread: int
    allowance: Allowance | None
    """the allowance that was valid at the time of the call"""


class ReportedFailures(NamedTuple):
    """The failures that one finding reports."""

    finding: Finding
    unlooked: set[int]


class Unchecked(Listener):
    """The failures of a machine whose statuses were not checked, in order; the oldest 10,000.

    A program need not check each status. After `if first or second` it has no reason to check `second`, and
    `check(first)` may end it before `check(second)`. So a check of one status also counts for the others to which the
    program has references. A status that the program dropped before is reported."""

    def __init__(self) -> None:
        self._pending: dict[int, FailedCall] = {}
        self._held: set[int] = set()
        """the statuses to which the program has references"""
        self._groups: dict[int, ReportedFailures] = {}
        """failures that were reported, while the program may still check their statuses"""
        self._numbers = count()
        self._latest: dict[int, int] = {}
        """the number of the last failure of each thread, unless the program has checked its status"""
        self._findings: Findings | None = None

    # these methods need no lock: a single operation on a dict or a set is not interrupted

    def returned(self, function: str, status: int, reason: str, allowance: Allowance | None) -> Status:
        """The status that a failed call returns; it records when the program checks it."""
        if len(self._pending) >= MOST:
            return Status(status)
        number = next(self._numbers)
        self._pending[number] = FailedCall(function, here(), Status(status), reason, get_ident(), allowance)
        self._held.add(number)
        self._latest[get_ident()] = number
        return ReturnedStatus(status, self, number)

    def failed(self) -> None:
        """A call of the calling thread has left an error text. If it also returns a status, `returned` follows."""
        self._latest.pop(get_ident(), None)

    def look(self, number: int) -> None:
        """The program has checked a status."""
        if self._pending.pop(number, None) is not None:
            for held in list(self._held):
                self._pending.pop(held, None)
        elif (group := self._groups.pop(number, None)) is not None and self._findings is not None:
            group.unlooked.discard(number)
            if not group.unlooked:  # the program compared it only after the block of its machine
                self._findings.withdraw(group.finding)

    def drop(self, number: int, *, exited_with: bool) -> None:
        """The program has dropped a status, or passed it to sys.exit."""
        self._held.discard(number)
        if exited_with:
            self._pending.pop(number, None)

    def status_read(self, thread: ThreadState) -> None:
        """The calling thread has queried its last error, which counts as a check of the statuses of all its calls."""
        me = get_ident()
        for number, failure in list(self._pending.items()):
            if failure.thread == me:
                self._pending.pop(number, None)

    def text_read(self, thread: ThreadState | None, text: str | None) -> None:
        """The calling thread has read the text of its last failure, which counts as a check of that status. Earlier
        statuses that the program dropped are reported, although the text may contain these failures too."""
        number = self._latest.get(get_ident()) if text is not None else None
        if number is not None:
            self.look(number)

    def lost(self) -> Iterator[tuple[str, str, Text]]:
        """Failures whose statuses the program has dropped: function, line, and a text."""
        lost = {number: failure for number, failure in list(self._pending.items()) if number not in self._held}
        for (function, site), failures in _groups(lost).items():
            yield function, site, _what(function, failures)

    def report(self, findings: Findings) -> None:
        """Make a finding for each line and function whose statuses were ignored. Called when the machine is closed."""
        failed, self._pending = self._pending.copy(), {}
        for failure in failed.values():
            if failure.allowance is not None:
                failure.allowance.meet()
        self._findings = findings
        for (function, site), failures in _groups(failed).items():
            finding = findings.add("ignored-ret", _what(function, failures), call=function, site=site)
            if finding is not None and self._held >= failures.keys():
                self._groups.update(dict.fromkeys(failures, ReportedFailures(finding, set(failures))))


def _groups(failed: dict[int, FailedCall]) -> dict[tuple[str, str], dict[int, FailedCall]]:
    """The failures that are not allowed, by function and line."""
    groups: dict[tuple[str, str], dict[int, FailedCall]] = {}
    for number, failure in failed.items():
        if failure.allowance is None:
            groups.setdefault((failure.function, failure.site), {})[number] = failure
    return groups


def _what(function: str, failures: dict[int, FailedCall]) -> Text:
    """The text of the finding: the statuses that the function returned, and the error text of the first status."""
    statuses = Counter(failure.status for failure in failures.values())
    reasons = {failure.reason for failure in failures.values()}
    several = statuses.total() > 1
    listed = ", ".join(f"{times} x {status!r}" if several else repr(status) for status, times in statuses.items())
    reason = next(iter(failures.values())).reason.rstrip()
    what = {"function": function, "statuses": listed, "_them": "them" if several else "it", "reason": reason}
    if reason and len(reasons) > 1:
        return Text("{function} returned {statuses}, and nobody looked at {_them}. The first: {reason}", **what)
    if reason:
        return Text("{function} returned {statuses}, and nobody looked at {_them}. {reason}", **what)
    return Text("{function} returned {statuses}, and nobody looked at {_them}.", **what)

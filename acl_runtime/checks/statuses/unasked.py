"""Failures of calls from C whose text or code the program did not query: at the end, one advice lists them.

A status that C gets is a plain number, so the emulator cannot see whether the program reads it. It sees only whether
the thread later queries the text (aclGetRecentErrMsg) or the code (aclrtGetLastError). The advice lists the calls after
which the thread queried neither. It is only advice, since the program may have read the statuses.
"""

from typing import Final

from acl_runtime.checks.findings import Allowance, Findings
from acl_runtime.errors import Past
from acl_runtime.headers.statuses import Status
from acl_runtime.source.site import split
from acl_runtime.streams.announcements import Listener
from acl_runtime.streams.host_thread import ThreadState
from acl_runtime.text import Text

LISTED: Final = 10
"""the most lines of the program in one advice"""
MOST: Final = 10_000
"""the most lines with failures that are stored, so that a program that never queries does not fill the memory"""
CHECK: Final = Text(
    "Compare each status with ACL_SUCCESS; with -DACL_EMULATOR_NODISCARD the compiler names the calls whose status "
    "nothing reads."
)
LINES: Final = Text(
    "{advice} To see its lines here, compile the program with -g and install binutils (addr2line).", advice=CHECK
)


class FailureSite:
    """The failures of one function at one line, with one status, in one thread."""

    def __init__(self, function: str, site: str, status: int, reason: str, thread: ThreadState) -> None:
        self.function = function
        self.site = site
        self.status = Status(status)
        self.reason = reason
        """the error text of the first failure"""
        self.thread = thread
        self.times = 0
        self.allowed: list[Allowance] = []
        """the allowances, one for each failure that was allowed"""

    def past(self) -> tuple[Past, ...]:
        """The rows for these failures in the advice."""
        values = {"function": self.function, "status": repr(self.status), "times": self.times}
        what = Text("{function} returned {status}", **values)
        if self.times > 1:
            what = Text("{function} returned {status} {times} times, first", **values)
        call = Past(what, self.site)
        return (call, Past(Text("  {reason}", reason=self.reason), "")) if self.reason else (call,)


class Unasked(Listener):
    """The failures of a machine that no thread has queried yet, in order."""

    def __init__(self) -> None:
        self._failures: dict[tuple[int, str, str, int], FailureSite] = {}
        self.listed: set[tuple[str, str]] = set()
        """the function and the line of each failure that the advice names"""

    def failed(
        self, thread: ThreadState, function: str, site: str, status: int, reason: str, allowance: Allowance | None
    ) -> None:
        """A call has failed. At most 10,000 lines with failures are stored."""
        key = id(thread), function, site, status
        failures = self._failures.get(key)
        if failures is None:
            if len(self._failures) >= MOST:
                return
            failures = self._failures[key] = FailureSite(function, site, status, reason, thread)
        if allowance is None:
            failures.times += 1
        else:
            failures.allowed.append(allowance)

    def text_read(self, thread: ThreadState | None, text: str | None) -> None:
        self._queried(thread)

    def status_read(self, thread: ThreadState) -> None:
        self._queried(thread)

    def _queried(self, thread: ThreadState | None) -> None:
        """Remove the failures of a thread that has queried their text or code; None: the failures of all threads."""
        for key, failure in list(self._failures.items()):
            if thread is None or failure.thread is thread:
                del self._failures[key]

    def report(self, findings: Findings) -> None:
        """Make the advice if there are failures to list. Called when the program ends without an error."""
        for failure in self._failures.values():
            for allowance in failure.allowed:
                allowance.meet()
        failures = [failure for failure in self._failures.values() if failure.times]
        if not failures:
            return
        times = sum(failure.times for failure in failures)
        shown, rest = failures[:LISTED], failures[LISTED:]
        history = [past for failure in shown for past in failure.past()]
        if rest:
            more = sum(failure.times for failure in rest)
            counts = {"more": more, "lines": len(rest), "_s": "s" if len(rest) > 1 else ""}
            history.append(Past(Text("{more} more, from {lines} other line{_s}", **counts), ""))
        self.listed = {(failure.function, failure.site) for failure in shown}
        lines = all(split(failure.site)[1] is not None for failure in shown)
        what = Text(
            "{times} {_calls} failed, and the program asked neither aclGetRecentErrMsg nor aclrtGetLastError "
            "afterwards. C does not show whether a status was read.",
            times=times,
            _calls="calls" if times > 1 else "call",
        )
        findings.add("ignored-ret", what, *history, hint=CHECK if lines else LINES, level="advice")

"""`machine.findings`: the mistakes that were found, and what happens when one is."""

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Final, NamedTuple

from acl_runtime.checks.catalogue import CHECKS
from acl_runtime.errors import Finding, Fix, Level, Past, UndefinedBehaviour
from acl_runtime.source.frames import here

CLEAN_UP: Final = (
    "ws-freed-early", "io-freed-early", "pinned-reuse", "finalize-pending", "work-dropped", "mem-leaked",
)  # fmt: skip
"""what a `finally` or the end of a `with` block does because an error was raised before the wait, or before the free"""
ALLOW: Final = "ACL_EMULATOR_ALLOW"
"""in the environment of a program in C or C++: ids of findings that are neither reported nor counted, with commas"""
ALIKE: Final = 10
"""ours: so many findings of the same lines a machine that only reports lists"""
MOST: Final = 10_000
"""ours: a program that goes on after each of its mistakes must not fill the memory"""


def refuse_unknown(id: str) -> None:
    """ValueError unless there are findings of this id."""
    if id not in CHECKS or CHECKS[id].level == "status":
        known = ", ".join(check.id for check in CHECKS.values() if check.level != "status")
        raise ValueError(f"{id!r} is no finding that is recorded; there are {known}")


def by_environment(id: str) -> str:
    """How a program in C or C++ allows findings of this id."""
    return f"{ALLOW}={id}"


def _key(finding: Finding) -> int:
    """Findings that are equal may be found at different times."""
    return id(finding)


class Moment(NamedTuple):
    """When something was found."""

    finding: Finding
    time: float
    """simulated microseconds"""
    after: object
    """what was kept of the call that had returned last, None if there was none"""
    thread: object
    """the state of the thread whose call showed it"""


class Expectation(NamedTuple):
    """Findings that a test wants."""

    id: str
    match: str | None = None
    """a regular expression that is found in the message"""
    site: str = ""
    """where it was said"""

    def __str__(self) -> str:
        return f"finding {self.id}" + (f" that matches {self.match!r}" if self.match is not None else "")

    def meets(self, finding: Finding) -> bool:
        """Is it one of them?"""
        return finding.id == self.id and (self.match is None or re.search(self.match, finding.message) is not None)


class Allowance:
    """What `machine.allow` returns: a finding is allowed from then on; as a context manager, until the block ends."""

    def __init__(self, findings: "Findings", id: str, reason: str) -> None:
        self.id = id
        self.reason = reason
        self.times = 0
        """how often it was met since"""
        self._findings = findings

    def meet(self) -> None:
        """What it allows was met."""
        self.times += 1
        self._findings.met[self.id, self.reason] += 1

    def __enter__(self) -> "Allowance":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._findings.end(self)


class Findings(list[Finding]):
    """`machine.findings`: everything found so far, in order, but for what came after the first 10,000."""

    def __init__(self, on_undefined: str) -> None:
        super().__init__()
        if on_undefined not in ("raise", "report"):
            raise ValueError(f"on_undefined={on_undefined!r}: 'raise' or 'report'")
        self.raises = on_undefined == "raise"
        self.in_c = False
        """is the program in C or C++? It gets the advice of its language"""
        self.made_at_end = 0
        """how many of them tell what was left when the machine ended"""
        self.unlisted = 0
        """how many more there were"""
        self.asked = 0
        """how many there were, listed, allowed or otherwise passed over"""
        self.allowed: dict[str, list[Allowance]] = {}
        """by id: what the user allows now, the innermost block last"""
        self.met: Counter[tuple[str, str]] = Counter()
        """by id and reason: how often what the user allowed, now or earlier, was met"""
        self.told: dict[int, Finding] = {}
        """by `id()`: those whose exception was asked for its text, by a traceback or by the program"""
        self.raised: list[UndefinedBehaviour] | None = None
        """the exceptions that were raised, for who wants to see who caught them; not kept unless set to a list"""
        self.expected: list[Expectation] | None = None
        """what must be found before the machine is closed; a list for who judges it then, as the fixture does"""
        self.heard: Callable[[Finding], None] | None = None
        """told of each as it is recorded"""
        self.moment: Callable[[Finding], Moment] | None = None
        """makes the moment of a finding"""
        self._moments: dict[int, Moment] = {}
        """by the `id` of their findings"""
        self._alike: Counter[tuple[str, ...]] = Counter()
        self._shown: set[tuple[object, ...]] = set()
        """ids and the lines of the user's that showed them"""

    def __reduce__(self) -> tuple[type[list[Finding]], tuple[list[Finding]]]:
        """A copy, or what goes to another process, is a plain list."""
        return list, (list(self),)

    def travelling(self) -> bool:
        """Is an error that was raised on its way through this thread? What its clean-up does wrong must not hide it."""
        error = sys.exc_info()[1]
        while error is not None:
            if isinstance(error, UndefinedBehaviour) and any(error.finding is each for each in self):
                return True
            error = error.__context__
        return False

    def allow(self, id: str, reason: str) -> Allowance:
        """Findings of this id are neither recorded nor raised; the device's behaviour stays."""
        refuse_unknown(id)
        if not isinstance(reason, str) or not reason.strip():  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ValueError(f"allow({id!r}, reason=...): say why: the report shows the reason")
        allowance = Allowance(self, id, reason)
        self.allowed.setdefault(id, []).append(allowance)
        self.met[id, reason] += 0  # what is never met is told as well
        return allowance

    def allowance(self, id: str) -> Allowance | None:
        """The one that holds for this id now; the innermost of several."""
        return self.allowed[id][-1] if id in self.allowed else None

    def end(self, allowance: Allowance) -> None:
        """An allowance ends with its block; one around it holds on."""
        others = [each for each in self.allowed.pop(allowance.id, ()) if each is not allowance]
        if others:
            self.allowed[allowance.id] = others

    def add(
        self,
        id: str,
        what: str,
        *history: Past,
        hint: str | Fix | None = None,
        level: Level | None = None,
        call: str = "",
        site: str = "",
    ) -> Finding | None:
        """Record; an error is raised as well unless the machine only reports. `hint` and `level` are those of the
        catalogue unless given; without a `call` it is found at the end of the machine. None if it is allowed."""
        self.asked += 1
        allowance = self.allowance(id)
        if allowance is not None:
            allowance.meet()
            return None
        check = CHECKS[id]
        travelling = self.raises and self.travelling()
        if travelling and id in CLEAN_UP:
            return None
        site = site or here() if call else ""
        fix = check.fixes if hint is None else hint
        said = fix if isinstance(fix, str) else fix.said(in_c=self.in_c)
        finding = Finding(id, level or check.level, what, call, site, history, said)
        alike = (id, site, *(past.site for past in history))
        self._alike[alike] += 1
        if len(self) < MOST and (self.raises or self._alike[alike] <= ALIKE):
            self.append(finding)
            if call and self.moment is not None:
                self._moments[_key(finding)] = self.moment(finding)
            if self.heard is not None:
                self.heard(finding)
        else:
            self.unlisted += 1
        if self.raises and finding.level == "error" and not travelling:
            behaviour = UndefinedBehaviour(finding, self.told)
            if self.raised is not None:
                self.raised.append(behaviour)
            raise behaviour
        return finding

    def moments(self) -> list[tuple[Finding, Moment | None]]:
        """Each finding with when it was found; None for what the end of the machine told."""
        return [(finding, self._moments.get(_key(finding))) for finding in self]

    def first(self, id: str, *lines: object) -> bool:
        """Do these lines, or the user's that runs, show this for the first time? (What a loop repeats is told once.) An
        error that is raised is new each time."""
        if id in self.allowed:
            return True  # to be counted there
        shown = id, *(lines or (here(),))
        known = shown in self._shown
        if len(self._shown) < MOST:
            self._shown.add(shown)
        return not known or (self.raises and CHECKS[id].level == "error")

    def settle(self) -> list[Expectation]:
        """Take out what was expected; tells the expectations that nothing meets."""
        expected, self.expected = self.expected or [], None
        unmet = [each for each in expected if not any(map(each.meets, self))]
        self.take_out([finding for finding in self if any(each.meets(finding) for each in expected)])
        return unmet

    def take_out(self, findings: Iterable[Finding]) -> None:
        """They were answered: these, not others like them."""
        gone = {id(each) for each in findings}
        kept_of_end = [each for each in self[len(self) - self.made_at_end :] if id(each) not in gone]
        self[:] = [each for each in self if id(each) not in gone]
        self.made_at_end = len(kept_of_end)
        if self.raised is not None:
            self.raised[:] = [each for each in self.raised if id(each.finding) not in gone]

    def withdraw(self, finding: Finding) -> None:
        """What came later shows that it was none."""
        self.take_out([finding])

    def text(self, finding: Finding) -> str:
        """The report of one, with the way in which this program may allow it."""
        return finding.text(allow=by_environment(finding.id) if self.in_c else "")

    def report(self, format: str = "text") -> str:
        """All of them, and what was allowed: as "text", "json" or "sarif" (2.1.0)."""
        from acl_runtime.checks.report.formats import report  # late: most programs need no report

        return report(self, format)

    @property
    def interrupted(self) -> bool:
        """Was an error raised, after which the program hardly got to its end? What is left then is no news."""
        made_before = self[: len(self) - self.made_at_end]
        return self.raises and any(finding.level == "error" for finding in made_before)

    @property
    def worth_telling(self) -> list[Finding]:
        """Errors and warnings; advice fails nothing."""
        return [finding for finding in self if finding.level != "advice"]

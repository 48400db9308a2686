"""`machine.findings`: recording, raising and allowing findings."""

import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Final, NamedTuple

from acl_runtime.checks.allowances import Allowances
from acl_runtime.checks.catalogue import CHECKS
from acl_runtime.checks.consequences import CLEAN_UP
from acl_runtime.checks.language import explained
from acl_runtime.errors import Finding, Fix, Level, Past, UndefinedBehaviour
from acl_runtime.source.frames import here
from acl_runtime.text import Text

ALLOW: Final = "ACL_EMULATOR_ALLOW"
"""variable of the environment, for a program that makes no `Machine`: ids of findings that are neither reported nor
counted, separated by commas"""
ERRORS: Final = "ACL_EMULATOR_ERRORS"
"""variable of the environment: ids of findings that count as errors in each machine of the process, separated by
commas"""
ALIKE: Final = 10
"""the most findings with the same lines that a machine lists in report mode"""
MOST: Final = 10_000
"""the most findings that are listed, so that a program with endless mistakes does not fill the memory"""


def refuse_unknown(id: str) -> None:
    """ValueError unless a finding with this id can be recorded."""
    if id not in CHECKS or CHECKS[id].level == "status":
        from difflib import get_close_matches  # late: only a mistake needs it

        ids = [check.id for check in CHECKS.values() if check.level != "status"]
        close = get_close_matches(id, ids, n=3)
        meant = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(ids)}"
        raise ValueError(f"{id!r} is no finding that is recorded; {meant}")


def named_by_environment(variable: str = ALLOW) -> list[str]:
    """The ids that a variable of the environment lists. ValueError if an id does not exist."""
    ids = [id for id in map(str.strip, os.environ.get(variable, "").split(",")) if id]
    for id in ids:
        try:
            refuse_unknown(id)
        except ValueError as error:
            raise ValueError(f"{variable}: {error}") from None
    return ids


def _key(finding: Finding) -> int:
    """The identity of a finding: equal findings may be found at different times."""
    return id(finding)


class Moment(NamedTuple):
    """The moment of a finding."""

    finding: Finding
    time: float
    """simulated microseconds"""
    after: object
    """the record of the last call that had returned; None if no call had returned"""
    thread: object
    """the state of the thread whose call made the finding"""


class Expectation(NamedTuple):
    """Findings that a test expects."""

    id: str
    match: str | None = None
    """a regular expression that some part of the message must match"""
    site: str = ""
    """the line of the test that expects the findings"""

    def __str__(self) -> str:
        return f"finding {self.listed}"

    @property
    def listed(self) -> str:
        """The id, and the text that the finding must match."""
        return self.id + (f" that matches {self.match!r}" if self.match is not None else "")

    def meets(self, finding: Finding) -> bool:
        """True if the finding is one of the expected findings."""
        return finding.id == self.id and (self.match is None or re.search(self.match, finding.message) is not None)


class Allowance:
    """The result of `machine.allow`, which allows findings of an id until the machine is closed. As a context manager,
    it allows them until the block ends."""

    def __init__(self, findings: "Findings", id: str, reason: str) -> None:
        self.id = id
        self.reason = reason
        self.times = 0
        """number of findings that this allowance has allowed"""
        self._findings = findings

    def meet(self) -> None:
        """Count a finding that this allowance allows."""
        self.times += 1
        self._findings.met[self.id, self.reason] += 1

    def __enter__(self) -> "Allowance":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._findings.end(self)


class Findings(list[Finding]):
    """`machine.findings`: the recorded findings in order, at most the first 10,000."""

    def __init__(self, on_undefined: str, lang: str = "en") -> None:
        super().__init__()
        self.raises = on_undefined == "raise"
        self.lang = lang
        """the language of reports"""
        self.in_c = False
        """True for a program in C or C++, which has other hints"""
        self.reword: Callable[[str, str], str] | None = None
        """hook: gets id and hint of a finding, and returns the hint in the words of the program's framework"""
        self.by_environment = False
        """True if the environment allows findings, because the program makes no `Machine`"""
        self.made_at_end = 0
        """number of findings that were made when the machine was closed"""
        self.unlisted = 0
        """number of findings that were counted but not listed"""
        self.attempts = 0
        """number of calls of `add`, including findings that were allowed or suppressed"""
        self.allowed: dict[str, list[Allowance]] = {}
        """the valid allowances by id; the allowance of the innermost block comes last"""
        self.met: Counter[tuple[str, str]] = Counter()
        """number of findings that each allowance has allowed, by id and reason, including allowances that have ended"""
        self._escalated = set(named_by_environment(ERRORS))
        """ids of findings that count as errors"""
        self.client: Allowances | None = None
        """allowances of a file, for a program that cannot be changed"""
        self.shown: dict[int, Finding] = {}
        """findings whose text was shown by their exception, in a traceback or to the program; by `id()`"""
        self.raised: list[UndefinedBehaviour] | None = None
        """the exceptions that were raised; None unless a test needs them and sets a list"""
        self.expected: list[Expectation] | None = None
        """findings that must be made before the machine is closed; None unless the pytest fixture sets a list"""
        self.on_record: Callable[[Finding], None] | None = None
        """called with each finding when it is recorded"""
        self.moment: Callable[[Finding], Moment] | None = None
        """makes the `Moment` of a finding"""
        self._moments: dict[int, Moment] = {}
        """the moments, by `id()` of the finding"""
        self._alike: Counter[tuple[str, ...]] = Counter()

    def __reduce__(self) -> tuple[type[list[Finding]], tuple[list[Finding]]]:
        """A copy, or a pickle for another process, is a plain list."""
        return list, (list(self),)

    def travelling(self) -> bool:
        """True while this thread handles the exception of a finding. Its clean-up code may cause further findings,
        which must not hide the first finding."""
        error = sys.exc_info()[1]
        while error is not None:
            if isinstance(error, UndefinedBehaviour) and any(error.finding is finding for finding in self):
                return True
            error = error.__context__
        return False

    def allow(self, id: str, reason: str) -> Allowance:
        """Allow findings of this id: they are neither recorded nor raised. The emulation does not change."""
        refuse_unknown(id)
        if not isinstance(reason, str) or not reason.strip():  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ValueError(f"allow({id!r}, reason=...): say why: the report shows the reason")
        allowance = Allowance(self, id, reason)
        self.allowed.setdefault(id, []).append(allowance)
        self.met[id, reason] += 0  # so that the report also lists an allowance without findings
        return allowance

    def allow_by_environment(self) -> None:
        """Allow the findings whose ids the environment lists. ValueError if an id does not exist."""
        self.by_environment = True
        for id in named_by_environment():
            self.allow(id, reason=f"{ALLOW} in the environment")

    def escalate(self, id: str) -> None:
        """Let findings of this id count as errors. Findings with a lower level in the catalogue are not raised, as
        their calls have taken effect already."""
        refuse_unknown(id)
        self._escalated.add(id)

    def allowance(self, id: str) -> Allowance | None:
        """The valid allowance for this id; the innermost of several."""
        return self.allowed[id][-1] if id in self.allowed else None

    def listed(self, id: str) -> bool:
        """True if findings of this id are recorded, because no allowance for the id is valid."""
        return id not in self.allowed

    def end(self, allowance: Allowance) -> None:
        """End an allowance when its block ends; an allowance of an outer block stays valid."""
        outer = [other for other in self.allowed.pop(allowance.id, ()) if other is not allowance]
        if outer:
            self.allowed[allowance.id] = outer

    def add(
        self,
        id: str,
        what: Text,
        *history: Past,
        hint: Text | Fix | None = None,
        level: Level | None = None,
        call: str = "",
        site: str = "",
    ) -> Finding | None:
        """Record a finding, and raise it if it is an error, unless findings are only reported. Defaults of `hint` and
        `level` come from the catalogue. An empty `call` means that the finding was made when the machine was closed.
        Returns None for an allowed finding."""
        self.attempts += 1
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
        advice = fix if isinstance(fix, str) else fix.wording(in_c=self.in_c)
        advice = advice if self.reword is None else self.reword(id, advice)
        in_words = explained(check, what, history, advice, self.lang, in_c=self.in_c)
        level = level or check.level
        raises = self.raises and level == "error"
        if id in self._escalated:
            level = "error"
        finding = Finding(id, level, what, call, site, history, advice, in_words, self.allowed_by(id))
        if self.client is not None and (row := self.client.allow(finding)) is not None:
            self.met[id, row.reason] += 1
            return None
        alike = (id, site, *(past.site for past in history))
        self._alike[alike] += 1
        if len(self) < MOST and (self.raises or self._alike[alike] <= ALIKE):
            self.append(finding)
            if call and self.moment is not None:
                self._moments[_key(finding)] = self.moment(finding)
            if self.on_record is not None:
                self.on_record(finding)
        else:
            self.unlisted += 1
        if raises and not travelling:
            behaviour = UndefinedBehaviour(finding, self.shown)
            if self.raised is not None:
                self.raised.append(behaviour)
            raise behaviour
        return finding

    def moments(self) -> list[tuple[Finding, Moment | None]]:
        """Pairs of a finding and its moment; the moment is None for findings at the end of the machine."""
        return [(finding, self._moments.get(_key(finding))) for finding in self]

    def settle(self) -> list[Expectation]:
        """Remove the expected findings. Returns the expectations that no finding meets."""
        expected, self.expected = self.expected or [], None
        unmet = [expectation for expectation in expected if not any(map(expectation.meets, self))]
        self.take_out([finding for finding in self if any(expectation.meets(finding) for expectation in expected)])
        return unmet

    def take_out(self, findings: Iterable[Finding]) -> None:
        """Remove exactly these findings, not other equal findings."""
        gone = {id(finding) for finding in findings}
        made_at_end = [finding for finding in self[len(self) - self.made_at_end :] if id(finding) not in gone]
        self[:] = [finding for finding in self if id(finding) not in gone]
        self.made_at_end = len(made_at_end)
        if self.raised is not None:
            self.raised[:] = [behaviour for behaviour in self.raised if id(behaviour.finding) not in gone]

    def withdraw(self, finding: Finding) -> None:
        """Remove a finding that a later call has shown to be no mistake."""
        self.take_out([finding])

    def allowed_by(self, id: str) -> str:
        """The setting of the environment that allows findings of the id; empty if the program can call
        `machine.allow`."""
        return f"{ALLOW}={id}" if self.by_environment else ""

    def report(self, format: str = "text") -> str:
        """All findings and allowances as "text", "json" or "sarif" (2.1.0)."""
        from acl_runtime.checks.report.formats import report  # late: most programs need no report

        return report(self, format)

    @property
    def interrupted(self) -> bool:
        """True if an error was raised before the machine was closed. The program then probably ended early, and the
        objects that it left behind are a consequence."""
        made_before = self[: len(self) - self.made_at_end]
        return self.raises and any(finding.level == "error" for finding in made_before)

    @property
    def worth_telling(self) -> list[Finding]:
        """Errors and warnings; advice fails no test."""
        return [finding for finding in self if finding.level != "advice"]

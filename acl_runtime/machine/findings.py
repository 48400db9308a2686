"""`machine.findings`: the mistakes that were found, and what happens when one is."""

from types import TracebackType
from typing import Final

from acl_runtime.errors import Finding, Level, Past, UndefinedBehaviour
from acl_runtime.machine.catalogue import CHECKS
from acl_runtime.machine.site import here

MOST: Final = 10_000
"""ours: a program that goes on after each of its mistakes must not fill the memory"""


class Allowance:
    """What `machine.allow` returns: a finding is allowed from then on; as a context manager, until the block ends."""

    def __init__(self, findings: "Findings", id: str, reason: str) -> None:
        self.id = id
        self.reason = reason
        self.times = 0
        """how often it was met since"""
        self._findings = findings

    def __enter__(self) -> "Allowance":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._findings.allowed.get(self.id) is self:
            del self._findings.allowed[self.id]


class Findings(list[Finding]):
    """`machine.findings`: everything found so far, in order, but for what came after the first 10,000."""

    def __init__(self, on_undefined: str) -> None:
        super().__init__()
        if on_undefined not in ("raise", "report"):
            raise ValueError(f"on_undefined={on_undefined!r}: 'raise' or 'report'")
        self.raises = on_undefined == "raise"
        self.unlisted = 0
        """how many more there were"""
        self.allowed: dict[str, Allowance] = {}
        """by id: what the user allowed"""
        self.raised: list[UndefinedBehaviour] | None = None
        """the exceptions that were raised, for who wants to see who caught them; not kept unless set to a list"""

    def allow(self, id: str, reason: str) -> Allowance:
        """Findings of this id are neither recorded nor raised; the device's behaviour stays."""
        if id not in CHECKS or CHECKS[id].level == "status":
            known = ", ".join(check.id for check in CHECKS.values() if check.level != "status")
            raise ValueError(f"{id!r} is no finding that can be allowed; there are {known}")
        if not reason.strip():
            raise ValueError(f"allow({id!r}, reason=...): say why, for who reads it later")
        allowance = self.allowed[id] = Allowance(self, id, reason)
        return allowance

    def add(
        self,
        id: str,
        what: str,
        *history: Past,
        hint: str | None = None,
        level: Level | None = None,
        call: str = "",
        site: str = "",
    ) -> None:
        """Record; an error is raised as well unless the machine only reports. `hint` and `level` are those of the
        catalogue unless given; without a `call` it is found at the end of the machine."""
        if id in self.allowed:
            self.allowed[id].times += 1
            return
        check = CHECKS[id]
        site = site or here() if call else ""
        finding = Finding(id, level or check.level, what, call, site, history, check.fix if hint is None else hint)
        if len(self) < MOST:
            self.append(finding)
        else:
            self.unlisted += 1
        if self.raises and finding.level == "error":
            behaviour = UndefinedBehaviour(finding)
            if self.raised is not None:
                self.raised.append(behaviour)
            raise behaviour

    @property
    def worth_telling(self) -> list[Finding]:
        """Errors and warnings; advice fails nothing."""
        return [finding for finding in self if finding.level != "advice"]

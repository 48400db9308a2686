"""Mistakes the API has no status for: which there are, and what happens when one is met."""

from typing import Final

from acl_runtime.errors import Finding, Level, UndefinedBehaviour
from acl_runtime.machine.site import here

LEVELS: Final[dict[str, Level]] = {
    "ws-freed-early": "error",
    "io-freed-early": "error",
    "pinned-reuse": "error",
    "ws-shared": "error",
    "ws-small": "error",
    "ws-host-ptr": "error",
    "ws-foreign": "error",
    "exec-reused": "error",
    "exec-destroy-after-run": "error",
    "exec-wrong-op": "error",
    "exec-failed-phase1": "error",
    "tensor-destroyed-early": "error",
    "tensor-double-destroy": "error",
    "data-freed-under-tensor": "error",
    "view-exceeds-storage": "error",
    "storage-exceeds-alloc": "error",
    "dead-handle": "error",
    "index-range": "error",
    "memcpy-size": "error",
    "host-overrun": "error",
    "deadlock": "error",
    "machine-closed": "error",
    "exec-leaked": "warning",
    "repeat-not-destroyed": "warning",
    "tensor-leaked": "warning",
    "mem-leaked": "warning",
    "host-mem-leaked": "warning",
    "stream-leaked": "warning",
    "event-leaked": "warning",
    "context-leaked": "warning",
    "device-not-reset": "warning",
    "work-dropped": "warning",
    "init": "advice",
    "dtype-converted": "advice",
}


MOST: Final = 10_000
"""ours: a program that goes on after each of its mistakes must not fill the memory"""


class Findings(list[Finding]):
    """`machine.findings`: everything found so far, in order, but for what came after the first 10,000."""

    def __init__(self, on_undefined: str) -> None:
        super().__init__()
        if on_undefined not in ("raise", "report"):
            raise ValueError(f"on_undefined={on_undefined!r}: 'raise' or 'report'")
        self.raises = on_undefined == "raise"
        self.unlisted = 0
        """how many more there were"""

    def add(self, id: str, message: str, call: str = "", site: str = "") -> None:
        """Record; an error is raised as well unless the machine only reports."""
        finding = Finding(id, LEVELS[id], message, call, site or here() if call else "")
        if len(self) < MOST:
            self.append(finding)
        else:
            self.unlisted += 1
        if self.raises and finding.level == "error":
            raise UndefinedBehaviour(finding)

    @property
    def worth_telling(self) -> list[Finding]:
        """Errors and warnings; advice fails nothing."""
        return [finding for finding in self if finding.level != "advice"]

"""The exceptions inside a call, and the record of a finding.

    AclError            a refused call: the boundary converts the error to a documented status and a text
    └─ DeviceFault      a task that failed on the device: the next call that waits for its stream fails
    UndefinedBehaviour  behaviour that is undefined in C or on the device: the user sees the exception
    TypeError           an argument that a C compiler would refuse: the user sees the exception

`Finding` is the record of one mistake of the host program; `machine.findings` is the list of all findings.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from acl_runtime.headers.messages import Item
from acl_runtime.source.site import Site, pointer, shown
from acl_runtime.text import Text

Level = Literal["error", "warning", "advice", "status"]


class AclError(Exception):
    """An exception that ends the running API call with `status`. `items` are added to aclGetRecentErrMsg, oldest first.

    `runtime` is the code that aclrtGetLastError returns afterwards; 0 if the call did not reach the runtime layer ("Not
    recorded: everything rejected in the ACL layer"). `taint`: the ids of the findings that caused this error
    (`checks.consequences`); an error that is made from another error has the same taint."""

    injected = False
    """True if a test injected the error (`machine.fail`)"""

    def __init__(self, status: int, *items: Item, runtime: int | None = None, taint: Iterable[str] = ()) -> None:
        super().__init__(status, *items)
        self.status = status
        self.items = items
        self.taint = frozenset(taint)
        self.runtime = runtime if runtime is not None else status if status // 1000 in (107, 207, 507) else 0

    def __str__(self) -> str:
        return "; ".join(item.text() for item in self.items) or f"status {self.status}"

    def reason(self) -> str:
        """The sentences without the parts that the layout adds; empty if there is no text."""
        return "; ".join(item.reason() for item in self.items)


class DeviceFault(AclError):
    """The failure of a task on the device; the next synchronise of its stream returns `status`."""

    origin = ""
    """the task, and the line of its launch"""


class Fix(NamedTuple):
    """A hint that depends on the language of the program."""

    python: str
    c: str
    """the hint for C and C++"""

    def wording(self, *, in_c: bool) -> str:
        """The hint for a program in C or C++, or for a Python program."""
        return self.c if in_c else self.python


class Past(NamedTuple):
    """An earlier event in the life of an object of a finding."""

    what: Text
    """the event, such as `stream 1 was created`"""
    site: str
    """file and line of the user's code"""

    def __str__(self) -> str:
        return f"{self.what} at {shown(self.site)}" if self.site else self.what


class Labels(NamedTuple):
    """The words of a report that do not depend on the finding."""

    callers: str = "called from "
    allow: str = "to allow it: "


class Explained(NamedTuple):
    """The texts of a finding in a language other than English."""

    what: str
    """the first line"""
    history: tuple[tuple[str, str, str], ...]
    """for each line: the text before the place in the code, the text after it, and the text without a place"""
    explanation: str
    """the mistake of the host code, and its effect on a device"""
    hint: str
    labels: Labels


@dataclass(frozen=True, slots=True)
class Finding:
    """One mistake of the host code for which the API has no status."""

    id: str
    """stable name, such as `ws-freed-early`"""
    level: Level
    what: str
    """the description of the mistake"""
    call: str = ""
    """the C function whose call made the finding"""
    site: str = ""
    """file and line of that call in the user's code"""
    history: tuple[Past, ...] = ()
    """earlier events of the objects involved, such as their creation, use and release"""
    hint: str = ""
    """the way to correct the mistake"""
    explained: Explained | None = None
    """the texts in the language of the machine; None if that is English"""
    allowed_by: str = field(default="", repr=False)
    """the setting that allows the finding; empty if the program can call the method of the machine"""

    @property
    def message(self) -> str:
        """The description, the history and the hint in one line."""
        past = f" ({'; '.join(map(str, self.history))})" if self.history else ""
        return f"{self.what}{past} {self.hint}".rstrip()

    def __str__(self) -> str:
        return self.text()

    def text(self, *, callers: bool = True) -> str:
        """The report. `callers`: True to add the call stack of each line."""
        words = self.explained
        labels = words.labels if words else Labels()
        lines = [f"{self.level}[{self.id}]: {words.what if words else self.what}"]
        if self.site:
            lines += pointer(self.site, self.call)
            lines += _called_from("     ", self.site, labels) if callers else []
        for number, past in enumerate(self.history):
            prefix, behind, _ = words.history[number] if words else ("", "", "")
            lines.append(f"   |  {f'{prefix}{shown(past.site)}{behind}' if words else past}")
            lines += _called_from("   |    ", past.site, labels) if callers else []
        if words:
            lines.append(f"   = note: {words.explanation}")
        if hint := words.hint if words else self.hint:
            lines.append(f"   = help: {hint}")
        by_method = f'machine.allow("{self.id}", reason="...")'
        lines.append(f"   = {labels.allow}{self.allowed_by or by_method}")
        return "\n".join(lines)


def _called_from(margin: str, site: str, labels: Labels) -> list[str]:
    callers = site.callers if isinstance(site, Site) else []
    return [f"{margin} {labels.callers}{', '.join(map(shown, callers))}"] if callers else []


class UndefinedBehaviour(Exception):
    """The exception for a finding: behaviour of the host code that is undefined in C. The call has no effect."""

    def __init__(self, finding: Finding, shown: dict[int, Finding] | None = None) -> None:
        """`shown` gets the finding, by its `id()`, when a traceback or a log reads the text."""
        super().__init__(str(finding))
        self.finding = finding
        self.left = False
        """True after the exception has left the API call that raised it"""
        self._shown = shown if shown is not None else {}

    def __str__(self) -> str:
        self._shown[id(self.finding)] = self.finding
        return super().__str__()

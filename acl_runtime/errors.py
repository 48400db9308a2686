"""The exceptions inside a call, and the record of a finding.

    AclError            the call is refused: the boundary turns it into a documented status and an error text
    └─ DeviceFault      a task failed on the device: the next call that waits for its stream returns the status
    UndefinedBehaviour  the program did something that C or the device leaves undefined: the user sees the exception
    TypeError           an argument that a C compiler would refuse: the user sees the exception

`Finding` is the record of one mistake of the host program; `machine.findings` keeps them.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from acl_runtime.headers.messages import Item
from acl_runtime.source.site import Site, pointer, shown
from acl_runtime.text import Text

Level = Literal["error", "warning", "advice", "status"]


class AclError(Exception):
    """Ends the running API call with `status`; `items` go to the text of aclGetRecentErrMsg, oldest first.

    `runtime` is the code that aclrtGetLastError returns afterwards; 0 if the call did not reach the runtime layer ("Not
    recorded: everything rejected in the ACL layer"). `taint` names the findings that this error is a consequence of
    (`checks.consequences`). An error that is made from another one takes over its taint."""

    injected = False
    """True if a test injected it (`machine.fail`)"""

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
    """A task failed on the device; `status` is what the next synchronise of its stream returns."""

    origin = ""
    """the task, and where it was launched"""


class Fix(NamedTuple):
    """A hint that depends on the language of the program."""

    python: str
    c: str
    """the hint for C and C++"""

    def wording(self, *, in_c: bool) -> str:
        """The hint for a program in C or C++, or for one in Python."""
        return self.c if in_c else self.python


class Past(NamedTuple):
    """Something that happened earlier to an object of a finding."""

    what: Text
    """`stream 1 was created`"""
    site: str
    """file and line of the user's code"""

    def __str__(self) -> str:
        return f"{self.what} at {shown(self.site)}" if self.site else self.what


class Labels(NamedTuple):
    """The words of a report that no finding has for itself."""

    callers: str = "called from "
    allow: str = "to allow it: "


class Explained(NamedTuple):
    """The texts of a finding in another language than English."""

    what: str
    """the first line"""
    history: tuple[tuple[str, str, str], ...]
    """the text before the place in the code, the text behind it, and the text without a place, of each line"""
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
    """the C function that was called when it was found"""
    site: str = ""
    """file and line of that call in the user's code"""
    history: tuple[Past, ...] = ()
    """earlier events of the objects involved: where they were made, used, freed"""
    hint: str = ""
    """the way to mend it"""
    explained: Explained | None = None
    """the texts in the language of the machine; None if that is English"""
    allowed_by: str = field(default="", repr=False)
    """the way for the program to allow it; empty: by the method of the machine"""

    @property
    def message(self) -> str:
        """The description, the history and the hint in one line."""
        past = f" ({'; '.join(map(str, self.history))})" if self.history else ""
        return f"{self.what}{past} {self.hint}".rstrip()

    def __str__(self) -> str:
        return self.text()

    def text(self, *, callers: bool = True) -> str:
        """The report. `callers`: add the call stack of each line."""
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
    """The host code did something that C leaves undefined. The call that raises this had no effect."""

    def __init__(self, finding: Finding, shown: dict[int, Finding] | None = None) -> None:
        """`shown` gets the finding, by its `id()`, when the text is read, as a traceback or a log does."""
        super().__init__(str(finding))
        self.finding = finding
        self.left = False
        """True once it has left the API call in which it was raised"""
        self._shown = shown if shown is not None else {}

    def __str__(self) -> str:
        self._shown[id(self.finding)] = self.finding
        return super().__str__()

"""What goes wrong inside a call, before it becomes a status, an error text or an exception of the user's.

    AclError            a documented status; raised by nouns and verbs, turned into the status at the boundary
    └─ DeviceFault      a task that failed on the device: surfaces at the next synchronise of its stream
    UndefinedBehaviour  no status is documented: C leaves it undefined, or a device stays silent
    TypeError           the C compiler would have refused the call

`Finding` is the record of an undefined behaviour, a leak or an advice; `machine.findings` keeps them.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from acl_runtime.headers.messages import Item
from acl_runtime.source.site import Site, pointer, shown

Level = Literal["error", "warning", "advice", "status"]


class AclError(Exception):
    """Ends the running API call with `status`; `items` go to the text of aclGetRecentErrMsg, oldest first.

    `runtime` is the code of the runtime layer that the thread's last error remembers; 0 if that layer was not asked
    ("Not recorded: everything rejected in the ACL layer"). `told`: it only follows from a finding, this is what a
    machine that goes on answers. `listed`: that finding is in the report; False where it is allowed, or where it only
    follows from an earlier failure."""

    asked = False
    """did a test ask for it (`machine.fail`)?"""

    def __init__(
        self, status: int, *items: Item, runtime: int | None = None, told: bool = False, listed: bool = True
    ) -> None:
        super().__init__(status, *items)
        self.status = status
        self.items = items
        self.told = told
        self.listed = listed
        self.runtime = runtime if runtime is not None else status if status // 1000 in (107, 207, 507) else 0

    def __str__(self) -> str:
        return "; ".join(item.text() for item in self.items) or f"status {self.status}"

    def reason(self) -> str:
        """The same without what the layout adds to the sentences; empty if there is no text."""
        return "; ".join(item.reason() for item in self.items)


class DeviceFault(AclError):
    """A task failed on the device; `status` is what the next synchronise of its stream returns."""

    origin = ""
    """the task, and where it was launched"""


class Fix(NamedTuple):
    """What to do instead, where that depends on the language of the program."""

    python: str
    c: str
    """in C and C++"""

    def said(self, *, in_c: bool) -> str:
        """For a program in C or C++, or for one in Python."""
        return self.c if in_c else self.python


class Past(NamedTuple):
    """Something that happened earlier to an object of a finding."""

    what: str
    """`stream 1 was created`"""
    site: str
    """file and line of the user's code"""

    def __str__(self) -> str:
        return f"{self.what} at {shown(self.site)}" if self.site else self.what


@dataclass(frozen=True, slots=True)
class Finding:
    """One mistake of the host code that the API has no status for."""

    id: str
    """stable name, such as `ws-freed-early`"""
    level: Level
    what: str
    """what happened"""
    call: str = ""
    """the C function whose call showed it"""
    site: str = ""
    """file and line of that call in the user's code"""
    history: tuple[Past, ...] = ()
    """where the objects came from, and what happened to them"""
    hint: str = ""
    """what to do instead"""

    @property
    def message(self) -> str:
        """What happened, where the objects came from, what to do instead, in one line."""
        past = f" ({'; '.join(map(str, self.history))})" if self.history else ""
        return f"{self.what}{past} {self.hint}".rstrip()

    def __str__(self) -> str:
        return self.text()

    def text(self, *, callers: bool = True, allow: str = "") -> str:
        """The report, with or without the lines that called those that are named. `allow`: how the program may allow
        it, if not by the machine's method."""
        lines = [f"{self.level}[{self.id}]: {self.what}"]
        if self.site:
            lines += pointer(self.site, self.call)
            lines += _called_from("     ", self.site) if callers else []
        for past in self.history:
            lines.append(f"   |  {past}")
            lines += _called_from("   |    ", past.site) if callers else []
        if self.hint:
            lines.append(f"   = help: {self.hint}")
        by_method = f'machine.allow("{self.id}", reason="...")'
        lines.append(f"   = to allow it: {allow or by_method}")
        return "\n".join(lines)


def _called_from(margin: str, site: str) -> list[str]:
    found = site.callers if isinstance(site, Site) else []
    return [f"{margin} called from {', '.join(map(shown, found))}"] if found else []


class UndefinedBehaviour(Exception):
    """The host code did what C leaves undefined. The call that raises this had no effect."""

    def __init__(self, finding: Finding, told: dict[int, Finding] | None = None) -> None:
        """`told`: gets the finding, by its `id()`, when somebody asks for the text, as a traceback and a log do."""
        super().__init__(str(finding))
        self.finding = finding
        self.left = False
        """has it left the call that made it?"""
        self._told = told if told is not None else {}

    def __str__(self) -> str:
        self._told[id(self.finding)] = self.finding
        return super().__str__()

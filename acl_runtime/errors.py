"""What goes wrong inside a call, before it becomes a status, an error text or an exception of the user's.

    AclError            a documented status; raised by nouns and verbs, turned into the status at the boundary
    └─ DeviceFault      a task that failed on the device: surfaces at the next synchronise of its stream
    UndefinedBehaviour  no status is documented: C leaves it undefined, or a device stays silent
    TypeError           the C compiler would have refused the call

`Finding` is the record of an undefined behaviour, a leak or an advice; `machine.findings` keeps them.
"""

from dataclasses import dataclass
from typing import Literal

from acl_runtime.messages import Item

Level = Literal["error", "warning", "advice"]


class AclError(Exception):
    """Ends the running API call with `status`; `items` go to the text of aclGetRecentErrMsg, oldest first.

    `runtime` is the code of the runtime layer that the thread's last error remembers; 0 if that layer was not asked
    ("Not recorded: everything rejected in the ACL layer")."""

    def __init__(self, status: int, *items: Item, runtime: int | None = None) -> None:
        super().__init__(status, *items)
        self.status = status
        self.items = items
        self.runtime = runtime if runtime is not None else status if status // 1000 in (107, 207, 507) else 0

    def __str__(self) -> str:
        return "; ".join(item.text() for item in self.items) or f"status {self.status}"


class DeviceFault(AclError):
    """A task failed on the device; `status` is what the next synchronise of its stream returns."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One mistake of the host code that the API has no status for."""

    id: str
    """stable name, such as `ws-freed-early`"""
    level: Level
    message: str
    """what happened, where, where the object came from, what to do instead"""
    call: str = ""
    """the C function whose call showed it"""
    site: str = ""
    """file and line of that call in the user's code"""

    def __str__(self) -> str:
        where = f"\n  at {self.site}, in {self.call}" if self.call else ""
        return f"{self.level}[{self.id}]: {self.message}{where}"


class UndefinedBehaviour(Exception):
    """The host code did what C leaves undefined. The call that raises this had no effect."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(str(finding))
        self.finding = finding

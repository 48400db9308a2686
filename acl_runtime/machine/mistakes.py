"""Reporting a mistake of the host program, with the call or task that found it."""

from typing import NoReturn

from acl_runtime.checks.consequences import Consequences, Read
from acl_runtime.checks.findings import Findings
from acl_runtime.errors import AclError, Finding, Fix, Level, Past
from acl_runtime.headers.hccl import HcclResult
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACLNN_ERR_RUNTIME_ERROR
from acl_runtime.machine.contexts import Threads
from acl_runtime.text import Text


class Mistakes:
    """Adds the running call or task, and its line, to a finding."""

    def __init__(self, findings: Findings, threads: Threads, consequences: Consequences) -> None:
        self._findings = findings
        self._threads = threads
        self._consequences = consequences

    def undefined(
        self,
        id: str,
        what: Text,
        *history: Past,
        hint: Text | Fix | None = None,
        level: Level | None = None,
        role: str | None = None,
    ) -> Finding | None:
        """Record a mistake, and raise it if it is an error, unless findings are only reported.

        `history`: the history of the objects (`thing.past()`). `hint`: the advice, by default from the catalogue.
        `role`: the role of the bytes in which a task found the mistake. Returns None if the finding is allowed, or if
        these bytes are tainted, so that the mistake is only a consequence."""
        thread = self._threads.current()
        task = thread.task
        if task is None:
            return self._findings.add(id, what, *history, hint=hint, level=level, call=thread.call)
        if role is not None and self._consequences.of(Read(task, role)):
            return None
        # a thread without a call is a worker
        call, site = (thread.call, "") if thread.call else (task.name, task.launched)
        return self._findings.add(id, what, task.past(), *history, hint=hint, level=level, call=call, site=site)

    def crash(
        self,
        id: str,
        what: Text,
        *history: Past,
        status: int = ACLNN_ERR_RUNTIME_ERROR,
        hint: Text | Fix | None = None,
        already_reported: bool = False,
    ) -> NoReturn:
        """Report a mistake after which a process or a device would fault. If findings are only reported, the call does
        nothing and returns `status`. `already_reported`: True if the finding was made already."""
        finding = None if already_reported else self.undefined(id, what, *history, hint=hint)
        text = what if finding is None else finding.message
        error = AclError(status, _item(status, text))
        self._consequences.taint(error, id if already_reported else finding)
        raise error


def _item(status: int, text: str) -> Item:
    """The text of a call that would have crashed, in the layout of its library."""
    if status == ACLNN_ERR_RUNTIME_ERROR:
        return Item("EZ9903", (text,))
    return Item("EI9999", (text,)) if status <= HcclResult.HCCL_E_RESERVED else Item("EL0003", (), f"({text})")

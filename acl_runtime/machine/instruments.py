"""The state of profiling and dump, whose calls are accepted but have no effect."""

from typing import Any

from acl_runtime.headers.enums import ACL_PROF_MSPROFTX
from acl_runtime.objects.profiling import ProfilingConfig


class Profiling:
    """The profiling session of the process."""

    def __init__(self) -> None:
        self.path: str | None = None
        """the folder for the results, in which nothing is written; None before aclprofInit"""
        self.running: ProfilingConfig | None = None
        """the configuration of the running session"""
        self.by_default = False
        """True if the session runs with the default switches"""
        self.options: dict[int, str] = {}
        """the values of aclprofSetConfig"""
        self.stacks: dict[int, list[int]] = {}
        """the open ranges of aclprofPush by thread, the innermost last"""
        self.callbacks: list[Any] = []
        """the functions of MsprofRegisterCallback, which are never called"""

    @property
    def takes_stamps(self) -> bool:
        """True if a session runs that collects the marks of the program."""
        return self.running is not None and bool(self.running.switches & ACL_PROF_MSPROFTX)


class Dump:
    """The dump of operators."""

    def __init__(self) -> None:
        self.initialised = False
        self.configuration = ""
        """the text of the file of aclmdlSetDump"""
        self.callback: Any = None
        """the function of acldumpRegCallback, which is never called"""

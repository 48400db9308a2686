"""The state of profiling and dump. Their calls are accepted, and have no effect on the work."""

from typing import Any

from acl_runtime.headers.enums import ACL_PROF_MSPROFTX
from acl_runtime.objects.profiling import ProfilingConfig


class Profiling:
    """The profiling session of the process."""

    def __init__(self) -> None:
        self.path: str | None = None
        """the folder for the results; None before aclprofInit. Nothing is written there"""
        self.running: ProfilingConfig | None = None
        """the configuration with which it runs"""
        self.by_default = False
        """True if it runs with the default switches"""
        self.options: dict[int, str] = {}
        """the values of aclprofSetConfig"""
        self.stacks: dict[int, list[int]] = {}
        """the ranges of aclprofPush, the innermost last; by thread"""
        self.callbacks: list[Any] = []
        """functions of MsprofRegisterCallback; they are kept, and never called"""

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
        """the function of acldumpRegCallback; it is kept, and never called"""

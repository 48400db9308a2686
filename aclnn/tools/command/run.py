"""`aclnn run`: a host program under a machine of one's choice, whatever it is written in."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

COMPILED: Final = (".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".CPP", ".cp")
"""what compilers take for C and C++"""


@dataclass
class Choice:
    """What was asked for; None: what the environment or else the machine says."""

    soc: str | None = None
    devices: int | None = None
    schedule: str | None = None
    seed: int | None = None
    findings: str | None = None
    """raise: an error ends a Python program there; report: all is told at the end; error: that too, and then the exit
    status is 86 if there are errors or warnings"""
    trace: Path | None = None
    timeline: Path | None = None
    modules: Sequence[str] = field(default_factory=tuple)
    pyacl: bool = False
    """may a Python program import acl?"""

    def options(self) -> dict[str, Any]:
        """Those of `Machine`."""
        given = {"soc": self.soc, "device_count": self.devices, "schedule": self.schedule, "seed": self.seed}
        if self.findings is not None:
            given["on_undefined"] = "raise" if self.findings == "raise" else "report"
        if self.trace is not None or self.timeline is not None:
            given["trace"] = True
        return {name: value for name, value in given.items() if value is not None}


def run(file: Path, arguments: Sequence[str], choice: Choice) -> int:
    """The exit status of a Python program; the process ends with one in C or C++. ValueError for options that no
    machine has, OSError for a file that cannot be read."""
    _check_files(file, choice)
    if file.suffix == ".py":
        from aclnn.tools.command.run_python import run_python

        if choice.modules:
            raise ValueError("--with is for programs in C and C++; one in Python imports its operators itself")
        return run_python(
            file, arguments, choice.options(), trace=choice.trace, timeline=choice.timeline,
            strict=choice.findings == "error", pyacl=choice.pyacl,
        )  # fmt: skip
    if file.suffix not in COMPILED:
        raise ValueError(f"{file}: a program's name ends in .py, or in {', '.join(COMPILED)}")
    if choice.pyacl:
        raise ValueError("--pyacl is for programs in Python")
    from aclnn.tools.command.modules import modules
    from aclnn.tools.toolkit.control import session
    from aclnn.tools.toolkit.process import FINDINGS as ENDING
    from aclnn.tools.toolkit.process import TIMELINE, TRACE
    from aclnn.tools.toolkit.run import run as run_compiled

    modules(choice.modules, file.parent)
    for name, value in choice.options().items():
        if name != "trace":
            session.set(name, str(value))
    if choice.trace is not None:
        os.environ[TRACE] = str(choice.trace.absolute())
    if choice.timeline is not None:
        os.environ[TIMELINE] = str(choice.timeline.absolute())
    if choice.findings == "error":
        os.environ[ENDING] = "error"
    return run_compiled(file, arguments, choice.modules)


def _check_files(file: Path, choice: Choice) -> None:
    """What would be told too late, or by a compiler in lines of its own."""
    file.open("rb").close()
    for name, path in (("trace", choice.trace), ("timeline", choice.timeline)):
        if path is not None and not path.parent.is_dir():
            raise FileNotFoundError(f"no {name}: there is no directory {path.parent}")

"""`aclnn run`: runs a host program in Python, C or C++ with options for its machine."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NoReturn

from acl_runtime.objects.options import options
from acl_runtime.objects.soc import soc_named

COMPILED: Final = (".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".CPP", ".cp")
"""file names that compilers take for C and C++"""


@dataclass
class RunOptions:
    """The options of `aclnn run`. None: the value comes from the environment, else it is the default of `Machine`."""

    soc: str | None = None
    devices: int | None = None
    schedule: str | None = None
    seed: int | None = None
    findings: str | None = None
    """raise: an error ends a Python program at the call. report: all findings are reported at the end. error: like
    report, and the exit status is 86 if there are errors or warnings"""
    trace: Path | None = None
    timeline: Path | None = None
    modules: Sequence[str] = field(default_factory=tuple)
    pyacl: bool = False
    """True if `import acl` in a Python program imports the pyACL of the emulator"""
    npu: bool = False
    """True if a Python program loads the C libraries, as PyTorch does with torch_npu"""
    no_cache: bool = False
    """True if torch_npu allocates and frees each block of memory, and keeps none for the next tensors"""

    def options(self) -> dict[str, Any]:
        """The options that `Machine` takes, by keyword."""
        values = {"soc": self.soc, "device_count": self.devices, "schedule": self.schedule, "seed": self.seed}
        if self.findings is not None:
            values["on_undefined"] = "raise" if self.findings == "raise" else "report"
        if self.trace is not None or self.timeline is not None:
            values["trace"] = True
        return {name: value for name, value in values.items() if value is not None}


def run_module(module: str, arguments: Sequence[str], choice: RunOptions) -> NoReturn:
    """Run a Python module that loads the C libraries, such as pytest. ValueError and OSError as for `run`."""
    _check_files(None, choice)
    if not choice.npu:
        raise ValueError(f"-m is for programs with the C libraries: give --npu too; else run python -m {module}")
    _run_npu(["-m", module, *arguments], choice)


def run(file: Path, arguments: Sequence[str], choice: RunOptions) -> int:
    """Run a program. Returns the exit status of a Python program; the end of a program in C or C++ ends the process.

    ValueError for an option that `Machine` refuses, OSError for a file that cannot be read.
    """
    _check_files(file, choice)
    if choice.no_cache and not choice.npu:
        raise ValueError("--no-cache is about torch_npu's memory: give --npu too")
    if file.suffix == ".py":
        from aclnn.tools.command.run_python import run_python

        if choice.modules:
            raise ValueError("--with is for programs in C and C++; a Python program imports its operators itself")
        if choice.npu:
            return _run_npu([str(file), *arguments], choice)
        from acl_runtime.objects.options import fails_on_findings

        strict = choice.findings == "error" if choice.findings is not None else fails_on_findings()
        return run_python(
            file, arguments, choice.options(), trace=choice.trace, timeline=choice.timeline, strict=strict,
            pyacl=choice.pyacl,
        )  # fmt: skip
    if file.suffix not in COMPILED:
        raise ValueError(f"{file}: the name of a program must end in .py, or in one of {', '.join(COMPILED)}")
    if choice.pyacl or choice.npu:
        raise ValueError(f"--{'pyacl' if choice.pyacl else 'npu'} is for programs in Python")
    from acl_runtime.objects.options import FINDINGS as ENDING
    from aclnn.tools.command.user_modules import modules
    from aclnn.tools.toolkit.compile_and_run import run as run_compiled
    from aclnn.tools.toolkit.control import session
    from aclnn.tools.toolkit.session import TIMELINE, TRACE

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


def _run_npu(program: Sequence[str], choice: RunOptions) -> NoReturn:
    if choice.pyacl:
        raise ValueError("--npu gives a program the C libraries, --pyacl the module `acl` without them: choose one")
    from aclnn.tools.command.run_npu import run_npu

    values = choice.options()
    soc_named(options(values).soc)  # a mistake is reported here, and not by the first call of the program
    run_npu(
        program, {name: value for name, value in values.items() if name != "trace"},
        trace=choice.trace, timeline=choice.timeline, strict=choice.findings == "error", cache=not choice.no_cache,
    )  # fmt: skip


def _check_files(file: Path | None, choice: RunOptions) -> None:
    """Refuse missing files and directories early, before the compiler or the end of the program reports them."""
    if file is not None:
        file.open("rb").close()
    for name, path in (("trace", choice.trace), ("timeline", choice.timeline)):
        if path is not None and not path.parent.is_dir():
            raise FileNotFoundError(f"the {name} cannot be written: there is no directory {path.parent}")

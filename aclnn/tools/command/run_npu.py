"""`aclnn run --npu`: runs a Python program whose framework loads the libraries of CANN, such as PyTorch with torch_npu.

The loader looks for libraries in LD_LIBRARY_PATH, which it reads when a process starts. So a new Python process, with
the variables of set_env.sh, replaces this one. The libraries join the interpreter of the new process at their first
call, and report at its end.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NoReturn

from acl_runtime.objects.options import FINDINGS
from aclnn.tools.toolkit.directory import SET_ENV
from aclnn.tools.toolkit.session import TIMELINE, TRACE
from aclnn.tools.toolkit.user_cache import cached_toolkit

SHELL: Final = "/bin/sh"
NO_CACHE: Final = "PYTORCH_NO_NPU_MEMORY_CACHING"
"""a variable of torch_npu: with 1, torch_npu allocates and frees each block without a cache"""
START: Final = '. "$0" && exec "$@"'


def run_npu(
    program: Sequence[str],
    option_values: Mapping[str, Any],
    *,
    trace: Path | None,
    timeline: Path | None,
    strict: bool,
    cache: bool = True,
) -> NoReturn:
    """Replace this process by the program.

    program: the arguments of Python: a file, or -m and a module, then the arguments of the program.
    option_values: options of `Machine`; the libraries read them from the environment.
    trace, timeline: files that the libraries write at the end.
    strict: turn exit status 0 into 86 if there are findings.
    cache: let torch_npu keep freed memory for the next tensors, as it does on an NPU.
    """
    toolkit = cached_toolkit()
    environment = {
        **os.environ,
        **{f"ACL_EMULATOR_{name.upper()}": f"{value}" for name, value in option_values.items()},
    }
    for variable, path in ((TRACE, trace), (TIMELINE, timeline)):
        if path is not None:
            environment[variable] = str(path.absolute())
    if strict:
        environment[FINDINGS] = "error"
    if not cache:
        environment[NO_CACHE] = "1"
    sys.stdout.flush()
    command = [SHELL, "-c", START, str(toolkit / SET_ENV), sys.executable, *program]
    os.execve(SHELL, command, environment)

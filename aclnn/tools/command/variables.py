"""The environment variables of host programs, of CANN and of this emulator, for `aclnn explain`."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

Facts = dict[str, Any]

READ: Final = {
    "ACL_EMULATOR_CATALOGUED": "plan: the first phase of an operator without a kernel returns 561003; default launch",
    "ACL_EMULATOR_ALLOW": "ids of findings that are neither shown nor counted, with commas between",
    "ACL_EMULATOR_ALLOWANCES": "TOML file of findings that are allowed for a C or C++ program, or ggml-0.3.36",
    "ACL_EMULATOR_CHECKS": "0: do not look for races, early frees and reads of uninitialised memory; default 1",
    "ACL_EMULATOR_DEVICE_COUNT": "number of devices; default 1",
    "ACL_EMULATOR_ERRORS": "ids of findings that count as errors, with commas between",
    "ACL_EMULATOR_CALLERS": "the calls of C or C++ whose callers reports show: 1, all or 0; default 1",
    "ACL_EMULATOR_KERNELS": "for CMake: C++ files with functions that replace kernels, separated by colons",
    "ACL_EMULATOR_FAST_CALLS": "0: Python serves all calls of a C or C++ program; default 1",
    "ACL_EMULATOR_FAULTS": "calls of a C or C++ program that fail, as in aclrtMalloc:3=207001;aclrtMemcpy",
    "ACL_EMULATOR_FILL": "byte that fresh device memory reads as; none: zeros; default 0xFF",
    "ACL_EMULATOR_FINDINGS": "error: a C or C++ program, or aclnn run, ends with 86 after an error or a warning",
    "ACL_EMULATOR_HBM_BYTES": "memory of each device; default: that of the chip",
    "ACL_EMULATOR_HOST_BYTES": "bytes of the host for touched device memory; default: what it has, less 1 GiB",
    "ACL_EMULATOR_LANG": "en, zh: language of reports and explanations; default: that of the locale (LC_ALL, LANG)",
    "ACL_EMULATOR_LIBPYTHON": "shared library of Python that the C libraries load; default: as `aclnn toolkit` found",
    "ACL_EMULATOR_MIN_WORKSPACE": "smallest workspace of a first phase, unless its tensors are empty; default 0",
    "ACL_EMULATOR_NATIVE": "0: no compiled evaluator: numpy, as formulas are written; plain, avx2, avx512: that build",
    "ACL_EMULATOR_ON_UNDEFINED": (
        "raise: undefined behaviour ends the program at the call; report: it is only reported; the default is raise in "
        "Python, report in C and C++"
    ),
    "ACL_EMULATOR_PATIENCE": "seconds after which a wait for another thread counts as a deadlock; default 10",
    "ACL_EMULATOR_REPORT": "file for the report: .json, .sarif, or text",
    "ACL_EMULATOR_REPORT_ALLOWED": "1: a clean run of torch_npu or ggml lists the findings that were allowed, too",
    "ACL_EMULATOR_SCHEDULE": "when queued work runs: late (default), eager, threads, random",
    "ACL_EMULATOR_SEED": "seed of the schedule random",
    "ACL_EMULATOR_SOC": "the chip, by the name that aclrtGetSocName returns; default Ascend910B1",
    "ACL_EMULATOR_THREADS": "host threads that compute large tensors; default 2, or 1 on a host with one core",
    "ACL_EMULATOR_TIMELINE_FILE": "file for a picture of calls and streams of a C or C++ program: .html or .svg",
    "ACL_EMULATOR_TRACE": "1: keep every call in machine.calls, not only the last 10,000; default 0",
    "ACL_EMULATOR_TRACE_FILE": "file for the trace of calls and streams of a C or C++ program",
    "ACL_EMULATOR_WINDOW": "0: do not reserve address ranges; default 1",
    "ASCEND_AICPU_PATH": "root of the toolkit, as some build files name it; set_env.sh of the toolkit sets it",
    "ASCEND_CUSTOM_PATH": "root of the toolkit, as some build files name it; set_env.sh of the toolkit sets it",
    "ASCEND_HOME_PATH": "root of the toolkit; programs and their builds look for headers and libraries there",
    "ASCEND_INSTALL_PATH": "root of the toolkit, as some build files name it; set_env.sh of the toolkit sets it",
    "ASCEND_OPP_PATH": "folder of the operator packages; set_env.sh of the toolkit sets it, and it may be empty here",
    "ASCEND_RT_VISIBLE_DEVICES": "which devices the process sees, and in which order; device 0 is the first of them",
    "ASCEND_TOOLKIT_HOME": "root of the toolkit, as some build files name it; set_env.sh of the toolkit sets it",
    "DDK_PATH": "root of the toolkit, as some build files name it; set_env.sh of the toolkit sets it",
    "PYTORCH_NO_NPU_MEMORY_CACHING": (
        "torch_npu: 1: no freed memory is kept for the next tensors; `aclnn run --npu --no-cache` sets it"
    ),
    "TASK_QUEUE_ENABLE": (
        "torch_npu: 0: no queue, 1: second phases in a thread of their own, 2: first phases too; the C libraries set "
        "it to 0 in a Python process"
    ),
}
"""variables that this emulator reads, or that set_env.sh of its toolkit sets"""

CANN: Final = {
    "ACLNN_CACHE_LIMIT": "entries of the operator cache of aclnn; 0: no cache; here there is no cache",
    "ASCEND_CUSTOM_OPP_PATH": "operator packages of the user's own",
    "ASCEND_GLOBAL_EVENT_ENABLE": "1: the log also contains events",
    "ASCEND_GLOBAL_LOG_LEVEL": "level of the log: 0 debug, 1 info, 2 warning, 3 error (default), 4 off",
    "ASCEND_HOST_LOG_FILE_NUM": "number of log files on the host",
    "ASCEND_LAUNCH_BLOCKING": "1: torch_npu launches synchronously; programs that call aclnn themselves ignore it",
    "ASCEND_LOG_DEVICE_FLUSH_TIMEOUT": "how long the process waits at its end for the log of the device",
    "ASCEND_LOG_PRINT_TO_STDOUT": "1: the log goes to stdout",
    "ASCEND_LOG_SYNC_SAVE": "whether the log is written synchronously",
    "ASCEND_MODULE_LOG_LEVEL": "level of the log for each module, as in MODULE=level:MODULE=level",
    "ASCEND_PROCESS_LOG_PATH": "folder of the log; default ~/ascend/log",
    "ASCEND_SLOG_PRINT_TO_STDOUT": "1: the log goes to stdout; ASCEND_LOG_PRINT_TO_STDOUT replaces it",
    "ASCEND_WORK_PATH": "folder of logs and other files, where ASCEND_PROCESS_LOG_PATH is not set",
    "DISABLE_L2_CACHE": "1: aclnn uses no pool of arguments; here there is none",
}
"""variables of CANN and torch_npu that this emulator does not read"""


def subjects() -> dict[str, Callable[[], Facts]]:
    """A function for each variable that returns its facts."""
    return {name: partial(_facts, name) for name in (*READ, *CANN)}


def _facts(name: str) -> Facts:
    return {"kind": "variable", "name": name, "meaning": READ.get(name) or CANN[name], "used_here": name in READ}

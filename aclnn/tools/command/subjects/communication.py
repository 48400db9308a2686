"""The results of the functions of the communication library (HCCL), for `aclnn explain`."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

Facts = dict[str, Any]
PREFIX: Final = "HCCL_E_"
RESULTS: Final = {
    "PARA": (1, "a parameter is invalid"), "PTR": (2, "a pointer is null"), "MEMORY": (3, "an error of memory"),
    "INTERNAL": (4, "an internal error"), "NOT_SUPPORT": (5, "the feature is not supported"),
    "NOT_FOUND": (6, "a resource does not exist"), "UNAVAIL": (7, "a resource is not available"),
    "SYSCALL": (8, "a call of the system failed"), "TIMEOUT": (9, "a timeout"),
    "OPEN_FILE_FAILURE": (10, "a file cannot be opened"), "TCP_CONNECT": (11, "a connection by TCP failed"),
    "ROCE_CONNECT": (12, "a connection by RoCE failed"), "TCP_TRANSFER": (13, "a transfer by TCP failed"),
    "ROCE_TRANSFER": (14, "a transfer by RoCE failed"), "RUNTIME": (15, "a call of the runtime failed"),
    "DRV": (16, "a call of the driver failed"), "PROFILING": (17, "a call of profiling failed"),
    "CCE": (18, "a call of CCE failed"), "NETWORK": (19, "a call of the network failed"),
    "AGAIN": (20, "try again"), "REMOTE": (21, "the other side of a connection failed (error CQE)"),
    "SUSPENDING": (22, "the communicator is suspending"), "OPRETRY_FAIL": (23, "the operation cannot be retried"),
    "OOM": (24, "memory is exhausted"), "IN_STATUS": (1041, "a state that the library does not allow"),
}  # fmt: skip
"""number and meaning, by the name without its prefix"""
SOLUTION: Final = (
    "Read aclGetRecentErrMsg in the thread that called: its text with EI or EJ names the reason. Then compare the logs "
    "of all ranks: the first rank that failed is the cause."
)
CALLED: Final = re.compile(
    r"\bhccl[A-Z]\w+[^\n]{0,200}?(?:error code is|returned|failed:|ret(?:urn)? ?[=:])\s*(\d{1,4})\b", re.IGNORECASE
)
"""a function of the library, with its result"""


def subjects() -> dict[str, Callable[[], Facts]]:
    """A function for each result that returns its facts."""
    return {f"{PREFIX}{name}": partial(_facts, name) for name in RESULTS}


def results(text: str) -> Iterator[tuple[int, str]]:
    """The results in a text, each with its position."""
    by_number = {number: f"{PREFIX}{name}" for name, (number, _) in RESULTS.items()}
    for match in CALLED.finditer(text):
        if int(match[1]) in by_number:
            yield match.start(), by_number[int(match[1])]


def _facts(name: str) -> Facts:
    number, meaning = RESULTS[name]
    return {
        "kind": "error code", "name": f"{PREFIX}{name}", "title": f"= {number}", "module": "HCCL", "sentence": "",
        "cause": "", "is_a": "a result of the communication library", "meaning": meaning, "solution": SOLUTION,
    }  # fmt: skip

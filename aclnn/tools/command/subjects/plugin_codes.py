"""The codes of torch_npu, such as ERR00100, for `aclnn explain`.

A code is a part of the plugin and a kind of error. Each message of the plugin ends with one.
"""

import re
from typing import Any, Final

Facts = dict[str, Any]
CODE: Final = re.compile(r"ERR(\d\d)(\d\d\d)")
PARTS: Final = {"00": "PTA", "01": "OPS", "02": "DIST", "03": "GRAPH", "04": "PROF", "99": "UNKNOWN"}
"""parts of the plugin by the first two digits: tensors and memory, operators, communication, graphs, profiling, none"""
KINDS: Final = {
    "000": "success", "001": "a parameter is invalid", "002": "a type is invalid", "003": "a value is invalid",
    "004": "a pointer is invalid", "005": "an internal error", "006": "memory", "007": "a feature is not supported",
    "008": "a resource does not exist", "009": "a resource is not available", "010": "a call of the system failed",
    "011": "a timeout", "012": "no permission", "100": "a call of AscendCL failed", "200": "a call of HCCL failed",
    "300": "a call of the graph engine failed", "999": "an exception that the plugin did not expect",
}  # fmt: skip
OF_CANN: Final = ("100", "200", "300")
"""the kinds whose cause is in a library of CANN"""


def facts(code: str) -> Facts | None:
    """The facts of a code; None if it is no code of torch_npu."""
    match = CODE.fullmatch(code)
    if match is None:
        return None
    part, kind = match.groups()
    solution = (
        "Look for the function and the status in the same message, and for the text of CANN below it: the code alone "
        "does not name the cause."
        if kind in OF_CANN
        else "Read the message before the code: it names the cause."
    )
    return {
        "kind": "error code", "name": code, "title": "", "module": PARTS.get(part, part), "sentence": "", "cause": "",
        "is_a": "a code of torch_npu", "meaning": KINDS.get(kind, "torch_npu does not define this kind of error"),
        "solution": solution,
    }  # fmt: skip

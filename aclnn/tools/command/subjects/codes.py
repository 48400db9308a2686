"""The codes in error texts, for `aclnn explain`: codes that this emulator writes, other published codes, and the
meaning of the letters of a code.

The facts of other published codes are from public sources. A code without a public source is reported as such.
"""

import re
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from acl_runtime.headers.messages import TEMPLATES
from aclnn.tools.command.subjects import plugin_codes

Facts = dict[str, Any]
CODE: Final = re.compile(r"[EW][A-Z0-9]\d{4}")
"""level (error or warning), module, number"""
INNER: Final = ("9999", "8888")
"""the code of an inner error ends with one of these; the text of such an error has no fixed form"""
MODULES: Final = {
    "EH": "the ACL layer", "EE": "the runtime", "EL": "the driver", "EZ": "aclnn and its operators",
    "EI": "collective communication", "EP": "profiling and dump", "EJ": "collective communication",
    "E1": "the graph engine", "E": "another component, as graph engine, compiler, profiling or dump",
    "W": "a warning",
}  # fmt: skip
"""the part of CANN that writes a code, by the first letters of the code; longer prefixes come first"""

_CHECK: Final = (
    "Read the values in the text, and compare them with the help of the function or the page of the operator."
)
_TEXT_ONLY: Final = "only the text after the code says what failed: mostly a parameter, its value, and what is allowed"
_AFTER: Final = "Read the text after it."
_FREE: Final = "Release objects that are not needed, or use a device with more of them."
_RANKS: Final = "Compare the logs of all ranks: the first rank that failed is the cause, the others wait for it."
_PORT: Final = "End what uses the port, or choose other ports with HCCL_IF_BASE_PORT and HCCL_NPU_SOCKET_PORT_RANGE."
_TABLE: Final = "Correct the file that RANK_TABLE_FILE names; the text has the entry."
_MACHINE: Final = "The cause is in the machine or its driver: check npu-smi info, permissions, and other processes."
_NO_KERNEL: Final = (
    "Install the operator package of this chip and source its set_env.sh; if it is there, the chip does not have the "
    "operator with these data types and formats."
)
PUBLISHED: Final = {
    "EH0001": ("Invalid_Argument", "an argument has a value that is not valid; older form of EH0007", _CHECK),
    "EH0002": (
        "Invalid_Argument_Null_Pointer", "an argument is a null pointer; CANN 9.1 writes EH0008",
        "Pass a valid pointer.",
    ),
    "EH0013": ("Invalid_Argument", "a call of the C library failed; the text has its errno", _CHECK),
    "EE1007": (
        "Resource_Error_Bind_Stream", "a stream could not be bound to a model",
        "Use a stream that is bound to no model.",
    ),
    "EE1009": ("Execution_Error_Model", "a model failed while it ran", "Read the rest of the text."),
    "EE1019": ("Execution_Error", "a stream has too many queued tasks", "Synchronise the stream from time to time."),
    "EE1020": ("Invalid_Argument", "a call of the C library failed; the text has its errno", _CHECK),
    "EE1021": ("Resource_Error", "the host has no thread or lock left", "Release resources of the host."),
    "EE2002": (
        "Config_Error_Invalid_Environment_Variable", "an environment variable has a value that is not valid",
        "Correct or unset the variable; the text has its name and what is expected.",
    ),
    "EI0006": (
        "", "a rank waited for the connection to another one, until the timeout",
        f"{_RANKS} HCCL_CONNECT_TIMEOUT sets the time.",
    ),
    "EI0007": ("", "a resource could not be obtained", _RANKS),
    "EI0008": ("", "the ranks have different versions of CANN", "Install one version on all hosts."),
    "EI0010": ("", "the direct connection of two devices (P2P) failed", _MACHINE),
    "EI0011": (
        "", "device memory is exhausted", "Free device memory; HCCL_BUFFSIZE sets the buffers of a communicator.",
    ),
    "EI0012": (
        "", "a copy of device memory inside an operation failed",
        "Free no buffer, and destroy no communicator, before the stream is synchronised.",
    ),
    "EI0013": ("", "a transfer between hosts failed (error CQE)", _RANKS),
    "EI0016": ("", "a value of a configuration is not valid", "Correct it; the text has what is expected."),
    "EI0017": ("", "the rank table, or a part of it, is missing", _TABLE),
    "EI0019": ("", "a port of the host or of the device is in use", _PORT),
    "EJ0001": (
        "", "the process that serves the network of the device (HCCP) could not start",
        "The text names the reason. Mostly processes of the last run still live: npu-smi info lists them; end them.",
    ),
    "EJ0003": ("", "a port of the device is in use", _PORT),
    "EL0002": ("Invalid_Device_ID", "there is no device of this number", "Ask aclrtGetDeviceCount."),
    "EL0005": ("Resource_Busy", "the device is busy or being reset", "Try again later."),
    "EL0006": ("Insufficient_Resources", "the driver has no resources left", _FREE),
    "EL0007": ("No_Permission", "the process may not do this", "Run as a user who may use the device."),
    "EL0008": ("Insufficient_Event_Resources", "the device has no free event", "Destroy those not needed."),
    "EL0009": ("Insufficient_Stream_Resources", "the device has no free stream", "Destroy those not needed."),
    "EL0010": ("Insufficient_Notify_Resources", "the device has no free notify", _FREE),
    "EL0011": ("Insufficient_Model_Resources", "the device has no free model", _FREE),
    "EL0012": ("Full_Service_Queue", "a queue of the driver is full", "Wait for queued work before you queue more."),
    "EL0013": ("Insufficient_CDQM_Resources", "the device has no free CDQM", _FREE),
    "EL0014": ("Operation_Unsupported", "the driver does not support the operation", "Do without on this product."),
    "EL0015": ("Invalid_Device_Access", "another container owns the device", _MACHINE),
    "EZ0001": ("Invalid_Input_Shape", "an input of an operator has the wrong shape", _CHECK),
    "EZ0002": ("Invalid_Attr", "an attribute of an operator has a wrong value", _CHECK),
    "EZ0003": ("Invalid_Attr_Size", "an attribute of an operator has the wrong size", _CHECK),
    "EZ0004": ("Invalid_Input", "an input of an operator is missing", "Pass the input."),
    "EZ0005": ("Invalid_Input_ShapeSize", "an input of an operator has the wrong number of elements", _CHECK),
    "EZ0006": ("Invalid_Input_Format", "an input of an operator has the wrong format", _CHECK),
    "EZ0007": ("Invalid_Input_Dtype", "an input of an operator has the wrong data type", _CHECK),
    "EZ3002": ("", "the graph engine has no kernel for the type of an operator", _NO_KERNEL),
    "EZ3003": ("", "the graph engine has no kernel for the type of an operator", _NO_KERNEL),
    "WE0001": ("Not_Supported", "a function is not supported; a warning of logs only", "Do without on this product."),
}  # fmt: skip
"""published codes that this emulator does not write: title, meaning, what to do"""


def subjects() -> dict[str, Callable[[], Facts]]:
    """The facts of each code, by the code."""
    written: dict[str, Callable[[], Facts]] = {code: partial(_written, code) for code in TEMPLATES}
    return written | {code: partial(_published, code) for code in PUBLISHED}


def module(code: str) -> str:
    """The part of CANN that writes a code."""
    return next(name for letters, name in MODULES.items() if code.startswith(letters))


def inner(code: str) -> bool:
    """True for the code of an inner error."""
    return CODE.fullmatch(code) is not None and code.endswith(INNER)


def by_form(code: str) -> Facts | None:
    """The facts of a code that is in no list: an inner error, or a code of a known part of CANN; None for anything
    else."""
    if inner(code):
        meaning = f"an inner error of {module(code)}: only the text after the code says more"
        return _facts(
            code, meaning=meaning, solution="Read the text and its trace: the first line of the trace names the cause."
        )
    if CODE.fullmatch(code):
        return _facts(code, meaning="no public source says what this code means", solution=_AFTER)
    return plugin_codes.facts(code)


def _written(code: str) -> Facts:
    template = TEMPLATES[code]
    if inner(code) and (facts := by_form(code)):
        return {**facts, "title": template.title}
    if template.sentence == "{0}":
        return _facts(code, template.title, meaning=template.cause or _TEXT_ONLY, solution=template.solution or _AFTER)
    return _facts(code, template.title, template.sentence, cause=template.cause, solution=template.solution)


def _published(code: str) -> Facts:
    title, meaning, solution = PUBLISHED[code]
    return _facts(code, title, meaning=meaning, solution=solution)


def _facts(
    code: str, title: str = "", sentence: str = "", *, meaning: str = "", cause: str = "", solution: str = ""
) -> Facts:
    return {
        "kind": "error code", "name": code, "title": title, "module": module(code), "sentence": sentence,
        "meaning": meaning, "cause": cause, "solution": solution, "is_a": "a code in error texts",
    }  # fmt: skip

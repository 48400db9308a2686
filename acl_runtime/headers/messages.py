"""The text of aclGetRecentErrMsg: the title and the sentence of each error code, and the layout of CANN 9.1.

The layout, the order of the values, and the sentences of EH0008, EE1010 and EZ10xx follow CANN 9.1. EE1003, EE1004,
EE1006 and EE1016 have the published titles and values, in sentences of the same form. This project words the other
sentences. After the sentence of the template comes `detail`, which the real library does not have: the parameter, its
value, the allowed values, the product, the history of the object.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple

from acl_runtime.source.site import shown

LONGEST = 1024  # bytes of one item, the terminator included


class Template(NamedTuple):
    """Title, sentence (its values in the documented order) and advice of one code."""

    title: str
    sentence: str
    cause: str = ""
    solution: str = ""


_CHECK = "Check the value ranges of the arguments, and the order of the calls."
_POINTER = "Try again with a correct pointer argument."
_RANKS = "Compare the logs of all ranks: the first rank that failed is the cause, the others wait for it."
_NULL = "Invalid_Argument_Null_Pointer"
_INVALID = "Invalid_Argument"

TEMPLATES: Final = {
    # the ACL layer
    "EH0003": Template("File_Operation_Error_Invalid_Path", "Path {0} is invalid. Reason: {1}."),
    "EH0004": Template("File_Operation_Error", "File {0} is invalid. Reason: {1}."),
    "EH0006": Template("Not_Supported", "Feature {0} is not supported. Reason: {1}."),
    "EH0007": Template(
        _INVALID, "{call} failed: value {0} of parameter {1} is invalid; expected {2}.", solution=_CHECK
    ),
    "EH0008": Template(_NULL, "{call} failed because {0} cannot be a NULL pointer.", solution=_POINTER),
    "EH0009": Template(_INVALID, "{call} failed: value {0} of parameter {1} is invalid. Reason: {2}.", solution=_CHECK),
    "EH0010": Template(
        "Resource_Error_Insufficient_Host_Memory",
        "Failed to allocate {0} bytes of host memory with {1}.",
        cause="The host has less free memory than the call asks for.",
        solution="Free memory of the host, or ask for less.",
    ),
    "EH0011": Template("Not_Supported", "{call} is not supported by the system or the device."),
    "EH0012": Template(_INVALID, "{call} failed: parameter {0} is invalid. Reason: {1}."),
    "EH0014": Template(_NULL, "{call} failed: parameters {0} must not all be null pointers.", solution=_POINTER),
    "EH9999": Template("", "{0}"),
    # the graph engine
    "E13025": Template("", "{0}"),
    # the runtime layer
    "EE1001": Template(_INVALID, "{0}", solution=_CHECK),
    "EE1002": Template(
        "Execution_Error_Stream_Synchronize_Timeout",
        "{0}",
        cause="The work needs more time than the timeout, or waits for something that never happens.",
        solution="Wait longer, or see what the work waits for.",
    ),
    "EE1003": Template(
        _INVALID,
        "{0} failed because value {1} for parameter {2} is invalid. Expected value: {3}.",
        solution=_CHECK,
    ),
    "EE1004": Template(_NULL, "{0} failed because {1} cannot be a NULL pointer.", solution=_POINTER),
    "EE1005": Template("Not_Supported", "{0} is not supported by the system or the device."),
    "EE1006": Template("Not_Supported", "{0} failed because {1} is not supported. Reason: {2}."),
    "EE1010": Template(
        "Execution_Error_Invalid_Context", "{0} failed because the {1} does not belong to the current context. {2}."
    ),
    "EE1011": Template(_INVALID, "{0} failed: value {1} of parameter {2} is invalid. Reason: {3}.", solution=_CHECK),
    "EE1012": Template(_INVALID, "{0} failed: value {1} of parameter {2} is invalid. Reason: {3}."),
    "EE1013": Template(
        "Resource_Error_Insufficient_Host_Memory",
        "Failed to allocate {0} bytes of host memory with {1}.",
        cause="The host has less free memory than the call asks for.",
        solution="Free memory of the host, or ask for less.",
    ),
    "EE1016": Template("Not_Supported", "{0} is not supported. Reason: {1}."),
    "EE1017": Template(_INVALID, "{0} failed: parameter {1} is invalid. Reason: {2}."),
    "EE1018": Template("Invalid_Argument_API_Call_Sequence", "{0} failed. Reason: {1}."),
    "EE1022": Template(_INVALID, "{0} failed: values {1} of parameters {2} are invalid. Reason: {3}.", solution=_CHECK),
    "EE1023": Template(
        "Resource_Error", "{0} failed. Reason: {1}.", solution="See the limits of the product in its documentation."
    ),
    "EE9999": Template("", "{0}"),
    # the driver
    "EL0001": Template(
        "Device_Absent/Abnormal",
        "There is no device.",
        cause="The host has no device, or none that this process may use.",
        solution="Check the devices of the host, and ASCEND_RT_VISIBLE_DEVICES.",
    ),
    "EL0003": Template(
        _INVALID, "The driver refused an address or a size.", solution="Check the address and the size given."
    ),
    "EL0004": Template(
        "Memory_Allocation_Failure",
        "Device memory is exhausted (module {0}).",
        cause="The device has less free memory than the call asks for.",
        solution="Free device memory that is no longer used, or use a device with more.",
    ),
    # profiling and dump, communication
    "EP0008": Template("Invalid_Argument_API_Call_Sequence", "{call} failed. Reason: {0}."),
    "EI0001": Template(
        _INVALID, "Environment variable {0} is invalid. Reason: {1}.", solution="Correct the variable, or unset it."
    ),
    "EI0002": Template(
        "Communication_Error_Timeout",
        "A rank waits in vain for other ranks: {0}",
        cause="A rank waited for another one during an operation, until the timeout.",
        solution=_RANKS,
    ),
    "EI0003": Template(_INVALID, "{0} failed: value {1} of parameter {2} is invalid; expected {3}.", solution=_CHECK),
    "EI0004": Template(
        _INVALID,
        "The rank table is invalid. Reason: {0}. Check the file {1}.",
        solution="Correct the file that RANK_TABLE_FILE names; the text has the entry.",
    ),
    "EI0005": Template(
        "Communication_Error_Inconsistent_Arguments",
        "The arguments of the ranks differ: {0}",
        cause="The ranks call an operation with different arguments.",
        solution="Call the same operations with the same arguments, in the same order, on all ranks.",
    ),
    "EI0014": Template(
        _INVALID,
        "The check of the ranks failed. Reason: {0}.",
        cause="A device or a rank is there twice, or the rank table does not fit the devices.",
        solution="Give each rank a number and a device of its own.",
    ),
    "EI0015": Template(
        "Communication_Error_Init",
        "The ranks of a communicator were not complete. Reason: {0}",
        cause="The ranks did not all arrive when the communicator was created.",
        solution=_RANKS,
    ),
    "EI9999": Template("Communication_Error", "{0}"),
    # aclnn
    "EZ1001": Template("AclNN_Parameter_Error", "{0}"),
    "EZ1006": Template(
        "AclNN_Parameter_Error",
        "Operator {0} does not support data type {1}. The supported data type range is {2}.",
    ),
    "EZ1009": Template("AclNN_Parameter_Error", "Failed to execute operator {0}. Reason: {1}."),
    "EZ1010": Template("AclNN_Parameter_Error", "Value {0} for parameter {1} is invalid. Reason: {2}."),
    "EZ1011": Template("AclNN_Parameter_Error", "{0} failed because {1} cannot be a NULL pointer."),
    "EZ1012": Template(
        "AclNN_Parameter_Error", "Value {0} for parameter {1} is out of range, it should be smaller than {2}."
    ),
    "EZ2001": Template("Execution_Error", "A task failed on the device: {0}"),
    "EZ9903": Template("AclNN_Runtime_Error", "{0}", solution="See the first error of the trace."),
    "EZ9999": Template("AclNN_Inner_Error", "{0}"),
}


@dataclass(eq=False)
class Item:
    """One entry of a thread's error record; the boundary fills in the function that failed."""

    code: str
    values: tuple[object, ...] = ()
    detail: str = ""
    site: str = ""
    """file and line of the user's call"""
    call: str = ""
    """the operator's function, if the text must name it and its line, which the sentences of the library do not name"""
    reported: bool = False
    """True for a consequence of a finding that is in the report"""
    passing: bool = False
    """True for the answer to a query, which is no failure; the next item replaces it"""
    function: str = ""
    thread: int = 0
    """the id of the thread, if all threads share one error record; else 0"""
    time: datetime = field(default_factory=datetime.now)

    @property
    def inner(self) -> bool:
        """True for an inner error ("ends in 9999 or 8888"), which has no headline."""
        return self.code.endswith(("9999", "8888"))

    def reason(self) -> str:
        """Sentence and detail."""
        sentence = TEMPLATES[self.code].sentence.format(*self.values, call=self.function)
        return f"{sentence} {self.detail}" if self.detail else sentence

    def text(self) -> str:
        """The reason, the call and the markers of the layout, in at most 1024 bytes."""
        message = f"{self.reason()} [{self.call}, called at {shown(self.site)}]" if self.call else self.reason()
        if self.inner and not self.code.startswith("EZ"):
            message += f"[FUNC:{self.function}][FILE:acl_runtime][LINE:0]"
        return clip(message, f"[THREAD:{self.thread}]" if self.thread else "")


def clip(text: str, end: str = "") -> str:
    """Cut `text`, between characters, so that it has at most 1024 bytes with `end` and the terminator."""
    text = text.encode(errors="replace").decode()
    raw, most = text.encode(), LONGEST - 1 - len(end.encode())
    return text + end if len(raw) <= most else raw[: most - 3].decode(errors="ignore") + "..." + end


def report(items: list[Item], process: int) -> str:
    """The text of a thread's record, in the layout of 9.1.0: headline, advice, trace."""
    headline = next((item for item in items if not item.inner), None)
    if headline is None:
        first = items[0]
        lines = [
            f"{first.code}: Inner Error!",
            f"{first.code}[PID: {process}] {_time(first)} {TEMPLATES[first.code].title}({first.code}):  {first.text()}",
        ]
        trace = [f"       {item.text()}" for item in items[1:]]
    else:
        template = TEMPLATES[headline.code]
        lines = [f"[PID: {process}] {_time(headline)} {template.title}({headline.code}): {headline.text()}"]
        if template.cause:
            lines.append(f"        Possible Cause: {template.cause}")
        if template.solution:
            lines.append(f"        Solution: {template.solution}")
        # "The headline item is left out of the trace list only if it is also the very first item stored."
        trace = [f"        {item.text()}" for item in items[1 if headline is items[0] else 0 :]]
    if trace:
        lines += ["TraceBack (most recent call last):", *trace]
    return "\n".join(lines) + "\n"


def _time(item: Item) -> str:
    milli, micro = divmod(item.time.microsecond, 1000)
    return f"{item.time:%Y-%m-%d-%H:%M:%S}.{milli:03d}.{micro:03d}"

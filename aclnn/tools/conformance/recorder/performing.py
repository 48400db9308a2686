"""Makes one call. The answer is an object of JSON:

status     status of the call; for an operator, status of the first phase
text       text of aclGetRecentErrMsg, if a status is not 0
workspace  number of bytes that the first phase asks for
launch, wait   status of the second phase, status of the wait for the stream
results    for each tensor with memory: index of its argument, and the bytes of its storage after the run
absent     name of a function that no library has
"""

from __future__ import annotations

import ctypes
from typing import Any

from .arguments import NUMBERS, CallArguments
from .library import OpenDevice, Unavailable

FIRST = "GetWorkspaceSize"


def perform(device: OpenDevice, call: dict[str, Any]) -> dict[str, Any]:
    """Make a call, and free its memory."""
    arguments = CallArguments(device)
    try:
        return (_operator if call["kind"] == "operator" else _runtime)(device, call, arguments)
    except Unavailable as error:
        return {"absent": str(error)}
    finally:
        arguments.free()


def broken(answer: dict[str, Any]) -> bool:
    """True if the device may answer every further call in this process with the same error."""
    return bool(answer.get("wait"))


def _operator(device: OpenDevice, call: dict[str, Any], arguments: CallArguments) -> dict[str, Any]:
    values = arguments.all(call["arguments"])
    first, second = device.function(call["function"] + FIRST), device.function(call["function"])
    device.text()
    size, executor = ctypes.c_uint64(), ctypes.c_void_p()
    answer: dict[str, Any] = {"status": first(*values, ctypes.byref(size), ctypes.byref(executor))}
    if answer["status"] == 0:
        answer["workspace"] = size.value
        if call.get("launch"):
            answer.update(_launched(device, second, size.value, executor, arguments))
    if answer["status"] or answer.get("launch") or answer.get("wait"):
        answer["text"] = device.text()
    return answer


def _launched(
    device: OpenDevice, second: Any, size: int, executor: ctypes.c_void_p, arguments: CallArguments
) -> dict[str, Any]:
    workspace = device.memory(bytes(size)) if size else ctypes.c_void_p(None)
    answer: dict[str, Any] = {"launch": second(workspace, ctypes.c_uint64(size), executor, device.stream)}
    answer["wait"] = device.function("aclrtSynchronizeStream")(device.stream)
    if not answer["launch"] and not answer["wait"]:
        answer["results"] = [[place, device.content(at, bytes_).hex()] for place, at, bytes_ in arguments.tensors]
    if size:
        device.function("aclrtFree")(workspace)
    return answer


def _runtime(device: OpenDevice, call: dict[str, Any], arguments: CallArguments) -> dict[str, Any]:
    values = arguments.all(call["arguments"])
    device.text()
    result = device.function(call["function"], NUMBERS[call["result"]])(*values)
    if call["result"] == "pointer":  # an address differs in each process
        return {"status": 0 if result else None}
    if call["result"] in ("text", "none"):
        return {}
    answer: dict[str, Any] = {"status": result}
    if result:
        answer["text"] = device.text()
    return answer

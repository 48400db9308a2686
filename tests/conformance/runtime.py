"""The calls of the functions of the runtime, as objects of JSON. Their arguments follow from the C types."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from ctypes import byref
from typing import Any

import acl_runtime
from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from acl_runtime.abi import conversions as kinds
from acl_runtime.abi.function import CFunction
from acl_runtime.boundary import for_c
from aclnn.tools.conformance.recorder.arguments import CODES
from aclnn.tools.toolkit.exported_functions import exported

OURS = "acl/acl_emulator_rt.h"
ALONE = re.compile(r"^(aclFinalize|aclInit|aclrtResetDevice|aclrtSet|aclrtCtxSet|aclrt\w*Context)|Abort|CaptureBegin")
"""functions after whose success a process may answer otherwise"""
BEYOND = 9999
"""a number that no enum has"""
HANDLES = {"aclrtStream": "stream", "aclrtEvent": "event", "aclrtContext": "context"}
NEW = {"stream": (aclrtCreateStream, aclrtStream), "event": (aclrtCreateEvent, aclrtEvent),
       "context": (aclrtGetCurrentContext, aclrtContext)}  # fmt: skip
SIZES = {kinds.Output: 64, kinds.Array: 4096, kinds.AddressArray: 4096}
Arguments = list[Any]


def functions() -> list[CFunction]:
    """The functions of the runtime, and those of tensors and arrays, that the C libraries export."""
    declared = [getattr(getattr(acl_runtime, name), "c", None) for name in acl_runtime.__all__]
    found = [each for each in declared if isinstance(each, CFunction) and each.header != OURS]
    return sorted(exported(found), key=lambda each: each.name)


def calls(function: CFunction) -> Iterator[dict[str, Any]]:
    """A call of each kind that the emulator answers without a finding."""
    good = [argument(ctype) for _, ctype in function.parameters]
    for about, arguments in variants(function, good):
        status = answered(function, arguments)
        if status is not None:
            call = {"id": f"{function.name}: {about}", "function": function.name, "kind": "runtime",
                    "arguments": arguments, "result": result(function)}  # fmt: skip
            yield call | ({"alone": True} if ALONE.search(function.name) and not status else {})


def variants(function: CFunction, good: Arguments) -> Iterator[tuple[str, Arguments]]:
    """The arguments by their types; then one of them null, or out of range."""
    yield "arguments by their types", good
    for at, (name, ctype) in enumerate(function.parameters):
        if isinstance(ctype, kinds.Enum) or ctype.spelling == "int32_t":
            yield f"{name} is {BEYOND}", [*good[:at], ["i32", BEYOND], *good[at + 1 :]]
        elif good[at] is not None and good[at][0] in ("host", "device", "text", *HANDLES.values()):
            yield f"{name} is null", [*good[:at], None, *good[at + 1 :]]


def argument(ctype: Any) -> Any:
    """A value of a C type: new handles, memory that is 0, 64 bytes or structs, the first value of an enum."""
    if isinstance(ctype, kinds.Integer | kinds.Real | kinds.UnionByValue):
        return [CODES[ctype.raw], 64 if ctype.spelling == "size_t" else 0]
    if isinstance(ctype, kinds.CString):
        return ["text", "x"]
    if isinstance(ctype, kinds.Pointer):
        return ["device", 64]
    if isinstance(ctype, kinds.StructByValue):
        return ["struct", ctypes.sizeof(ctype.kind)]
    if isinstance(ctype, kinds.Structs):
        return ["host", max(4096, 64 * ctypes.sizeof(ctype.kind))]
    for kind, size in SIZES.items():
        if isinstance(ctype, kind):
            return ["host", size]
    return [HANDLES[ctype.spelling]] if ctype.spelling in HANDLES else None


def result(function: CFunction) -> str:
    """The kind of the result."""
    return "text" if function.result.spelling == "const char *" else CODES[function.result.raw]


def answered(function: CFunction, arguments: Arguments) -> int | None:
    """The answer of the emulator, on a machine of its own, with values as C passes them; 0 if it is no number, None if
    the call has a finding."""
    with Machine() as machine:
        aclrtSetDevice(0)
        kept: list[Any] = []
        try:
            values = [ctype.raw() if isinstance(ctype, kinds.StructByValue) else raw(each, kept)
                      for each, (_, ctype) in zip(arguments, function.parameters, strict=True)]  # fmt: skip
            answer = for_c(getattr(acl_runtime, function.name))(*values)
        except UndefinedBehaviour:
            return None
        wrong = any(each.level == "error" for each in machine.findings)
    return None if wrong else answer if isinstance(answer, int) else 0


def raw(argument: Any, kept: list[Any]) -> Any:
    """The number that C passes."""
    kind, *rest = argument or ("null",)
    if kind in ("host", "text"):
        kept.append(ctypes.create_string_buffer(rest[0] if kind == "host" else rest[0].encode()))
        return ctypes.addressof(kept[-1])
    if kind == "device":
        aclrtMalloc(byref(address := ctypes.c_void_p()), rest[0], 0)
        return address.value
    if kind in NEW:
        create, handle = NEW[kind]
        create(byref(made := handle()))
        return made.value
    return rest[0] if rest else 0

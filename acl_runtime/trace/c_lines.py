"""A call as a line of C: `aclrtMalloc(&devPtr -> device 0 + 0x600, 64, ACL_MEM_MALLOC_HUGE_FIRST) = ACL_SUCCESS`.

Objects and addresses are written as names that are the same in every run, such as `stream 2` or `device 0 + 0x600`, not
as numbers. Host memory that is not pinned has no such name, so the name of the parameter is written.
"""

import re
from collections.abc import Mapping
from ctypes import c_void_p
from typing import Final, Protocol, cast

import acl_runtime.headers.enums as enums
from acl_runtime.abi.conversions import (
    AddressArray,
    Anything,
    Array,
    CType,
    Function,
    HandleArray,
    MetaHandleType,
    Output,
    Pointer,
    Result,
    RuntimeHandleType,
    Structs,
    Variadic,
)
from acl_runtime.abi.function import CFunction

SHOWN: Final = 16
"""the most elements of an array that are written"""
LOWEST: Final = 1 << 16
"""the lowest address of an object; a smaller pointer is written as a number, as it may be user data"""
UNREPEATABLE: Final = r"\[PID: \d+\] \S+ "
"""the part of an error text that differs between runs"""


class NamedObjects(Protocol):
    """The names of handles and device addresses."""

    def of(self, number: int) -> str:
        """The name of a handle or an address; "" for a number without a name."""
        ...


class RecordedCall(Protocol):
    """The members of a call that this module uses."""

    @property
    def function(self) -> str: ...
    @property
    def arguments(self) -> tuple[object, ...]: ...
    @property
    def result(self) -> object: ...
    @property
    def declared(self) -> CFunction: ...
    @property
    def status(self) -> int | None: ...
    @property
    def outputs(self) -> Mapping[str, object]: ...
    @property
    def names(self) -> NamedObjects: ...
    @property
    def pinned(self) -> Mapping[int, str]: ...


def line(call: RecordedCall) -> str:
    """The call as in C, then its result."""
    pairs = zip(call.declared.parameters, call.arguments, strict=True)
    arguments = ", ".join(_argument(call, name, ctype, value) for (name, ctype), value in pairs)
    return f"{call.function}({arguments}){_result(call, call.result)}"


def _result(call: RecordedCall, result: object) -> str:
    ctype = call.declared.result
    if call.status is None:
        return f" = raised {result}"
    if ctype.status:
        return f" = {result!r}" if result else " = ACL_SUCCESS"
    if ctype.spelling == "void":
        return ""
    return f" = {_value(call, 'host', ctype, result.value if isinstance(result, c_void_p) else result)}"


def _argument(call: RecordedCall, name: str, ctype: CType, value: object) -> str:
    match ctype:
        case Variadic():
            return "..."
        case Function() | Anything() if isinstance(value, str):  # the name or type; the object itself is not recorded
            return value
        case Array() if isinstance(value, int):
            return _pointer(call, name, value)
        case Output() | Structs() if not value:
            return "nullptr"
        case Output() | Structs():
            written = f" -> {_value(call, name, ctype, call.outputs[name])}" if name in call.outputs else ""
            return f"&{name}{written}"
        case _:
            return _value(call, name, ctype, value)


def _value(call: RecordedCall, name: str, ctype: CType, value: object) -> str:
    match value:
        case None:
            return "nullptr"
        case bool():
            return str(value).lower()
        case float():
            return f"{value:.9g}"
        case int():
            return _pointer(call, name, value) if _points(ctype) else _number(ctype, value)
        case str():
            return _text(value)
        case bytes():
            return _text(value.decode(errors="backslashreplace"))
        case tuple():
            items = cast("tuple[object, ...]", value)
            values = [_value(call, name, ctype, item) for item in items[:SHOWN]]
            return f"{{{', '.join(values + ['...'] * (len(items) > SHOWN))}}}"
        case _:
            return str(value)


def _points(ctype: CType) -> bool:
    """True if a number of this type is a handle or an address."""
    match ctype:
        case Output():
            return c_void_p in ctype.accepted
        case Result():
            return ctype.spelling.endswith("*")
        case _:
            return isinstance(
                ctype, AddressArray | Anything | HandleArray | MetaHandleType | Pointer | RuntimeHandleType
            )


def _pointer(call: RecordedCall, name: str, number: int) -> str:
    if not number:
        return "nullptr"
    unnamed = name if number >= LOWEST else str(number)
    return call.names.of(number) or call.pinned.get(number) or unnamed


def _number(ctype: CType, value: int) -> str:
    """A value of an enum is written by its name."""
    names = getattr(enums, ctype.spelling.split()[0], None)
    return names(value).name if names is not None and value in list(names) else str(value)


def _text(text: str) -> str:
    """The first line, quoted, without the parts that differ between runs."""
    import json  # late, as few programs need lines

    first, more, _ = re.sub(UNREPEATABLE, "", text).rstrip("\n").partition("\n")
    return json.dumps(first + (" ..." if more else ""))

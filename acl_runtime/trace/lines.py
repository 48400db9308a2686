"""A call as a line of C: `aclrtMalloc(&devPtr -> device 0 + 0x600, 64, ACL_MEM_MALLOC_HUGE_FIRST) = ACL_SUCCESS`.

Objects and addresses go by names that repeat in every run, never by numbers: `stream 2`, `device 0 + 0x600`. Memory of
the host that is not pinned has none: the parameter's name stands for it.
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
    MetaHandle,
    Output,
    Pointer,
    Result,
    RuntimeHandle,
    Structs,
    Variadic,
)
from acl_runtime.abi.function import CFunction

SHOWN: Final = 16
"""elements of an array"""
LOWEST: Final = 1 << 16
"""no object lies below: a smaller number in the place of a pointer is just a number, as user data may be"""
UNREPEATABLE: Final = r"\[PID: \d+\] \S+ "


class Named(Protocol):
    """Gives handles and addresses of devices their names."""

    def of(self, number: int) -> str:
        """The name; "" for a number that has none."""
        ...


class Shown(Protocol):
    """A call, with what is needed to write it as a line."""

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
    def names(self) -> Named: ...
    @property
    def pinned(self) -> Mapping[int, str]: ...


def line(call: Shown) -> str:
    """The call as C has it, then what came back."""
    pairs = zip(call.declared.parameters, call.arguments, strict=True)
    shown = ", ".join(_argument(call, name, ctype, value) for (name, ctype), value in pairs)
    return f"{call.function}({shown}){_result(call, call.result)}"


def _result(call: Shown, result: object) -> str:
    ctype = call.declared.result
    if call.status is None:
        return f" = raised {result}"
    if ctype.status:
        return f" = {result!r}" if result else " = ACL_SUCCESS"
    if ctype.spelling == "void":
        return ""
    return f" = {_value(call, 'host', ctype, result.value if isinstance(result, c_void_p) else result)}"


def _argument(call: Shown, name: str, ctype: CType, value: object) -> str:
    match ctype:
        case Variadic():
            return "..."
        case Function() | Anything() if isinstance(value, str):  # what it is: the thing itself is not kept
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


def _value(call: Shown, name: str, ctype: CType, value: object) -> str:
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
            shown = [_value(call, name, ctype, item) for item in items[:SHOWN]]
            return f"{{{', '.join(shown + ['...'] * (len(items) > SHOWN))}}}"
        case _:
            return str(value)


def _points(ctype: CType) -> bool:
    """Are its numbers handles or addresses?"""
    match ctype:
        case Output():
            return c_void_p in ctype.accepted
        case Result():
            return ctype.spelling.endswith("*")
        case _:
            return isinstance(ctype, AddressArray | Anything | HandleArray | MetaHandle | Pointer | RuntimeHandle)


def _pointer(call: Shown, name: str, number: int) -> str:
    if not number:
        return "nullptr"
    unnamed = name if number >= LOWEST else str(number)
    return call.names.of(number) or call.pinned.get(number) or unnamed


def _number(ctype: CType, value: int) -> str:
    """Values of an enum by their names."""
    names = getattr(enums, ctype.spelling.split()[0], None)
    return names(value).name if names is not None and value in list(names) else str(value)


def _text(text: str) -> str:
    """Its first line, quoted, without what differs from run to run."""
    import json  # late, as few programs look at lines

    first, more, _ = re.sub(UNREPEATABLE, "", text).rstrip("\n").partition("\n")
    return json.dumps(first + (" ..." if more else ""))

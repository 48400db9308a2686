"""The types and values of the headers, for `aclnn explain`: enums and their members, flags, handles, structs."""

import ctypes
import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from enum import IntEnum
from functools import partial
from itertools import islice
from typing import Any, Final

import acl_runtime.headers.enums as enums
import acl_runtime.headers.handles as handles
import acl_runtime.headers.structs as structs
from acl_runtime.headers.dtype_names import bits, dtype_name, numpy_name
from aclnn.tools.command.help_index import Described, listed, operators_of

Facts = dict[str, Any]
Functions = Mapping[str, Callable[[], Described]]
Operators = Callable[[], Iterable[Facts]]
KINDS: Final = {IntEnum: "an enum", handles.Handle: "an opaque handle", ctypes.Structure: "a struct",
                ctypes.Union: "a union"}  # fmt: skip


def subjects(own: Functions, operators: Operators, most: int | None = None) -> dict[str, Callable[[], Facts]]:
    """A function for each name that returns its facts. The facts list the functions of the emulator, the functions of
    the user (`own`) and the `operators` that take the type or value. `operators` returns the facts that `aclnn ops`
    prints. A data type also has its names in error texts, in `aclnn ops` and in numpy. `most`: the number of operators
    that a data type lists, without making the others; None: all."""
    by_name: dict[str, Callable[[], Facts]] = {}
    for name, item in _public(structs) + _public(handles) + _public(enums):
        if kind := _kind(item):
            by_name[name] = partial(type_, name, kind, item, own)
        elif name.isupper() and isinstance(item, int):
            by_name[name] = partial(value, name, item, own, operators, most)
    return by_name


def _kind(item: object) -> str | None:
    kinds = (text for base, text in KINDS.items() if isinstance(item, type) and issubclass(item, base))
    return None if item in KINDS else next(kinds, None)


def aliases() -> dict[str, str]:
    """The names of data types in error texts, in `aclnn ops` and in numpy, each with the name in the header."""
    by_dtype: dict[str, str] = {}
    for member in enums.aclDataType:
        printed, in_numpy = dtype_name(member), numpy_name(member)
        by_dtype |= {printed: member.name, printed.removeprefix("DT_"): member.name}
        if in_numpy is not None:
            by_dtype[in_numpy] = member.name
    return by_dtype


def _public(module: object) -> list[tuple[str, Any]]:
    return [(name, member) for name, member in vars(module).items() if not name.startswith("_")]


def type_(name: str, is_a: str, python_type: type[object], own: Functions) -> Facts:
    """A type with its values or fields, and the functions whose help mentions it."""
    values = (
        {each: member.value for each, member in python_type.__members__.items()}
        if issubclass(python_type, IntEnum)
        else {}
    )
    fields = list(vars(python_type).get("_fields_", ()))
    return {
        "kind": "type", "name": name, "is_a": is_a, "values": values, "fields": [field[0] for field in fields],
        "functions": mentioning(name, own),
    }  # fmt: skip


def value(name: str, number: int, own: Functions, operators: Operators, most: int | None) -> Facts:
    """A value with its enum, if it has one, and the functions whose help mentions the value or the enum."""
    enum = type(number).__name__ if isinstance(number, IntEnum) else None
    taking = dict.fromkeys([*mentioning(name, own), *(mentioning(enum, own) if enum else ())])
    return {
        "kind": "value", "name": name, "value": int(number), "enum": enum,
        "data_type": _data_type(number, operators, most) if isinstance(number, enums.aclDataType) else None,
        "functions": list(taking),
    }  # fmt: skip


def mentioning(name: str, own: Functions) -> list[str]:
    """The functions whose help mentions a type or a value."""
    named = {name}
    return [
        *(function for function, each in listed().items() if name in each.mentions.split()),
        *(function for function, describe in own.items() if mentioned(describe().help, named)),
    ]


def mentioned(text: str, names: Container[str]) -> list[str]:
    """The words of a text that are among `names`."""
    return sorted({word for word in re.findall(r"\w+", text) if word in names})


def _data_type(data_type: enums.aclDataType, operators: Operators, most: int | None) -> Facts:
    printed = dtype_name(data_type)
    supporting = ((op["name"], tensors) for op in operators() if (tensors := tensors_of(printed, op["data_types"])))
    shown = dict(islice(supporting, most))
    return {
        "printed": printed, "bits": bits(data_type), "numpy": numpy_name(data_type),
        "count": len(shown) if most is None else operators_of()[printed], "operators": shown,
    }  # fmt: skip


def tensors_of(printed: str, data_types: Mapping[str, Mapping[str, Sequence[str]]]) -> list[str]:
    """The tensors that accept a data type on some product. A tensor without a list of data types accepts all."""
    name_of_type = printed.removeprefix("DT_")
    names = (
        name for tensors in data_types.values() for name, types in tensors.items() if not types or name_of_type in types
    )
    return list(dict.fromkeys(names))

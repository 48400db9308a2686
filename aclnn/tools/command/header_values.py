"""The types and values of the headers, for `aclnn explain`: enums and their members, flags, handles, structs."""

import ctypes
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from functools import cache, partial
from typing import Any, Final

import acl_runtime.headers.enums as enums
import acl_runtime.headers.handles as handles
import acl_runtime.headers.structs as structs
from acl_runtime.abi.function import CFunction
from acl_runtime.headers.dtypes import bits, dtype_name, numpy_dtype

Facts = dict[str, Any]
Helps = Callable[[], Mapping[str, str]]
"""the help text of each function"""
Operators = Callable[[], Iterable[Facts]]
KINDS: Final = {IntEnum: "an enum", handles.Handle: "an opaque handle", ctypes.Structure: "a struct",
                ctypes.Union: "a union"}  # fmt: skip


def subjects(
    functions: Mapping[str, CFunction], operators: Callable[[], Iterable[Facts]]
) -> dict[str, Callable[[], Facts]]:  # fmt: skip
    """A function for each name that returns its facts. Facts list those of `functions` and `operators` (their facts as
    `aclnn ops` has them) that take the type or value. A data type also has the names by which error texts, `aclnn ops`
    and numpy call it."""

    @cache
    def helps() -> dict[str, str]:
        return {name: function.help for name, function in functions.items()}

    ops = cache(operators)
    by_name: dict[str, Callable[[], Facts]] = {}
    for name, item in _public(structs) + _public(handles) + _public(enums):
        kind = next((text for base, text in KINDS.items() if isinstance(item, type) and issubclass(item, base)), None)
        if kind and item not in KINDS:
            by_name[name] = partial(type_, name, kind, item, helps)
        elif name.isupper() and isinstance(item, int):
            by_name[name] = partial(value, name, item, helps, ops)
    return by_name


def aliases() -> dict[str, str]:
    """The names of data types in error texts, in `aclnn ops` and in numpy, each with the name in the header."""
    by_dtype: dict[str, str] = {}
    for member in enums.aclDataType:
        printed, dtype = dtype_name(member), numpy_dtype(member)
        by_dtype |= {printed: member.name, printed.removeprefix("DT_"): member.name}
        if dtype is not None:
            by_dtype[dtype.name] = member.name
    return by_dtype


def _public(module: object) -> list[tuple[str, Any]]:
    return [(name, member) for name, member in vars(module).items() if not name.startswith("_")]


def type_(name: str, is_a: str, python_type: type[object], helps: Helps) -> Facts:
    """A type with its values or fields, and the functions whose help mentions it."""
    values = (
        {each: member.value for each, member in python_type.__members__.items()}
        if issubclass(python_type, IntEnum)
        else {}
    )
    fields = list(vars(python_type).get("_fields_", ()))
    return {
        "kind": "type", "name": name, "is_a": is_a, "values": values, "fields": [field[0] for field in fields],
        "functions": _naming(name, helps),
    }  # fmt: skip


def value(name: str, number: int, helps: Helps, operators: Operators) -> Facts:
    """A value with its enum, if it has one, and the functions whose help mentions either."""
    enum = type(number).__name__ if isinstance(number, IntEnum) else None
    taking = dict.fromkeys([*_naming(name, helps), *(_naming(enum, helps) if enum else ())])
    return {
        "kind": "value", "name": name, "value": int(number), "enum": enum,
        "data_type": _data_type(number, operators) if isinstance(number, enums.aclDataType) else None,
        "functions": list(taking),
    }  # fmt: skip


def _naming(name: str, helps: Helps) -> list[str]:
    word = re.compile(rf"\b{name}\b")
    return [each for each, text in helps().items() if name in text and word.search(text)]


def _data_type(data_type: enums.aclDataType, operators: Operators) -> Facts:
    dtype, printed = numpy_dtype(data_type), dtype_name(data_type)
    tensors = {op["name"]: list(dict.fromkeys(_of_type(dtype_name(data_type), op["data_types"]))) for op in operators()}
    return {
        "printed": printed, "bits": bits(data_type), "numpy": None if dtype is None else dtype.name,
        "operators": {name: tensors for name, tensors in tensors.items() if tensors},
    }  # fmt: skip


def _of_type(printed: str, data_types: Mapping[str, Mapping[str, Sequence[str]]]) -> Iterator[str]:
    """The tensors that have a data type on some product. A tensor without a list may have any."""
    name_of_type = printed.removeprefix("DT_")
    return (
        name for tensors in data_types.values() for name, types in tensors.items() if not types or name_of_type in types
    )

"""Conversion of C parameters: arguments that pyACL takes from Python, and values that it returns.

Each parameter has a role, which follows from its C type: an argument (`Taken`) or a result (`ReturnedValue`). The text
of each TypeError here completes the sentence "<parameter> expects ...".
"""

import ctypes
import operator
import sys
from collections.abc import Callable
from ctypes import byref
from dataclasses import dataclass
from typing import Any, Final, cast

import acl_runtime.abi.conversions as v
from acl_runtime.abi.c import CType
from acl_runtime.headers.enums import ACL_MAX_DIM_CNT
from acl_runtime.headers.structs import (
    aclmdlIODims,
    aclrtBinaryLoadOptions,
    aclrtMallocConfig,
    aclrtPhysicalMemProp,
    aclrtStreamAttrValue,
)
from acl_runtime.pyacl.names import snake

WORD: Final = 64
INDEXED: Final = sys.version_info >= (3, 14)
"""True if a 64-bit parameter takes any object with `__index__`. Older versions of CPython take an int only."""
COUNTS: Final[dict[Any, str]] = {aclrtMallocConfig: "num_attrs", aclrtBinaryLoadOptions: "num_opt"}
"""the field with the number of elements, by struct"""
PAIR: Final = 2
"""the number of values of a range: the least and the greatest"""
TEXT: Final = 128
"""size in bytes of the buffer for a returned `char *`"""


@dataclass(frozen=True)
class Taken:
    """An argument of the caller, with its conversion."""

    take: Callable[[Any], Any]


@dataclass(frozen=True)
class ReturnedValue:
    """A variable that C writes and the caller receives."""

    make: Callable[[], Any]
    read: Callable[[Any], Any]


@dataclass(frozen=True)
class Derived:
    """A count without a parameter in pyACL, which follows from the list of another parameter."""

    of: str
    make: Callable[[Any], Any]


def role(name: str, ctype: CType, function: str) -> Taken | ReturnedValue:  # noqa: PLR0912 (a table)
    """The role of a parameter of a C function."""
    match ctype:
        case v.Integer():
            return Taken(integer(ctype))
        case v.Real():
            return Taken(real)
        case v.CString():
            return Taken(text)
        case v.Pointer() if ctype.spelling == "char *":
            return ReturnedValue(lambda: ctypes.create_string_buffer(TEXT), lambda raw: raw.value.decode())
        case v.Pointer() if ctype.spelling == "int64_t *":
            return ReturnedValue(lambda: (ctypes.c_int64 * PAIR)(), list)
        case v.Pointer() | v.RuntimeHandleType():
            return Taken(word)
        case v.MetaHandleType():
            return Taken(lambda value: ctype.kind(word(value)))
        case v.Function():
            return Taken(function_given)
        case v.Anything():
            return Taken(lambda value: value)
        case v.Output():
            return ReturnedValue(ctype.accepted[0], number)
        case v.Structs() if ctype.kind is aclrtMallocConfig:
            return Taken(malloc_config)
        case v.Array() if ctype.spelling.endswith("[][2]"):
            return Taken(pairs)
        case v.Array():
            return Taken(listed)
        case v.HandleArray():
            return Taken(lambda value: [ctype.one.kind(word(element)) for element in listed(value)])
        case v.TextArray():
            return Taken(texts)
        case v.ArrayOfArrays():
            return Taken(list_of_lists)
        case v.Structs() if ctype.kind is aclrtBinaryLoadOptions:
            return Taken(load_options)
        case v.Structs() if ctype.kind is aclrtPhysicalMemProp:
            return Taken(physical_prop)
        case v.Structs() if ctype.kind is aclrtStreamAttrValue:
            if function.startswith("aclrtGet"):
                return ReturnedValue(aclrtStreamAttrValue, lambda raw: raw.failureMode)
            return Taken(attribute)
        case v.Structs() if ctype.spelling == "const aclmdlIODims *":
            return Taken(io_dims)
        case v.Structs() if ctype.kind.__name__.startswith("aclmdl"):
            return ReturnedValue(ctype.kind, counted_fields)
        case v.Structs():
            return ReturnedValue(ctype.kind, dictionary)
        case _:
            raise NotImplementedError(f"{function}: {name} of type {ctype}")


# conversions of arguments


def word(value: Any) -> int:
    """A pointer, a handle, a size or an unsigned 64-bit number. A number out of range wraps silently."""
    if not isinstance(value, int):
        if not INDEXED:
            raise TypeError("an int")
        value = index(value)
    return int(value) & (1 << WORD) - 1


def index(value: Any) -> int:
    """The number of an object with `__index__`."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError("an int") from None


def integer(ctype: v.Integer) -> Callable[[Any], int]:
    """The conversion for numbers of this type: a signed number must fit, an unsigned number wraps."""
    wide = ctype.mask.bit_length() == WORD

    def take(value: Any) -> int:
        number = index(value) if not wide or isinstance(value, int) or INDEXED else word(value)
        if not ctype.low:
            return number & ctype.mask
        if not ctype.low <= number <= ctype.high:
            raise TypeError(f"a number that fits {ctype.mask.bit_length()} bits with sign")
        return number

    return take


def real(value: Any) -> float:
    """A float."""
    if isinstance(value, str | bytes):
        raise TypeError("a float")
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError("a float") from None


def text(value: Any) -> str:
    """A str without null characters; neither None nor bytes."""
    if not isinstance(value, str) or "\0" in value:
        raise TypeError("a str without null characters")
    return value


def function_given(value: Any) -> Any:
    """A callable."""
    if not callable(value):
        raise TypeError("a callable")
    return value


def listed(value: Any) -> list[Any]:
    """A list of numbers."""
    if not isinstance(value, list):
        raise TypeError("a list")
    numbers = cast("list[Any]", value)
    return [element if isinstance(element, float) else index(element) for element in numbers]


def list_of_lists(value: Any) -> list[list[Any]]:
    """A list of lists of numbers."""
    if not isinstance(value, list):
        raise TypeError("a list")
    return [listed(item) for item in cast("list[Any]", value)]


def pairs(value: Any) -> list[Any]:
    """A list of pairs of numbers, as one list."""
    rows = list_of_lists(value)
    if any(len(row) != PAIR for row in rows):
        raise TypeError("a list of pairs")
    return [number for row in rows for number in row]


def texts(value: Any) -> list[str]:
    """A list of texts."""
    if not isinstance(value, list):
        raise TypeError("a list")
    return [text(item) for item in cast("list[Any]", value)]


def load_options(value: Any) -> Any:
    """Options such as `{"options": [{"type": 2, "value": {"magic": 0x43554245}}], "num_opt": 1}`; an empty dict means
    no options."""
    if not isinstance(value, dict):
        raise TypeError("a dict")
    return byref(_filled(aclrtBinaryLoadOptions, value)) if value else None


def attribute(value: Any) -> Any:
    """The value of a stream attribute: an int for any member of the union."""
    attribute = aclrtStreamAttrValue()
    attribute.failureMode = word(value)
    return byref(attribute)


def malloc_config(value: Any) -> Any:
    """A config such as `{"attrs": [{"attr": 2, "value": {"device_id": 0}}], "num_attrs": 1}`; an empty dict means
    null."""
    if not isinstance(value, dict):
        raise TypeError("a dict")
    return byref(_filled(aclrtMallocConfig, value)) if value else None


def physical_prop(value: Any) -> Any:
    """Properties such as `{"mem_attr": 4, "location": {"id": 0, "type": 1}}`; missing fields are 0."""
    if not isinstance(value, dict):
        raise TypeError("a dict")
    return byref(_filled(aclrtPhysicalMemProp, value))


def io_dims(value: Any) -> Any:
    """`{"dimCount": 2, "dims": [1, 40]}`: sizes for a model."""
    if not isinstance(value, dict):
        raise TypeError("a dict with 'dimCount' and 'dims'")
    fields = cast("dict[str, Any]", value)
    sizes = listed(fields.get("dims", []))
    dims = aclmdlIODims(dimCount=index(fields.get("dimCount", len(sizes))))
    dims.dims[: min(len(sizes), ACL_MAX_DIM_CNT)] = sizes[:ACL_MAX_DIM_CNT]
    return byref(dims)


def _filled(kind: Any, value: Any) -> Any:
    """A struct made from a dict with the fields in snake_case; missing fields are 0."""
    if not isinstance(value, dict):
        raise TypeError(f"a dict with {', '.join(map(repr, _keys(kind)))}")
    struct, fields = kind(), _keys(kind)
    values = dict(cast("dict[Any, Any]", value))
    if unknown := [key for key in values if key not in fields]:
        raise TypeError(f"a dict with {', '.join(map(repr, fields))}, not {unknown[0]!r}")
    for key, items in sorted(values.items()):
        name, ctype = fields[key]
        if issubclass(ctype, ctypes._Pointer):  # pyright: ignore[reportPrivateUsage]
            if not isinstance(items, list):
                raise TypeError(f"a list of dicts for {key!r}")
            inner: Any = cast("Any", ctype)._type_
            members = [_filled(inner, item) for item in cast("list[Any]", items)]
            setattr(struct, name, (inner * max(len(members), 1))(*members))
            count = values.setdefault(COUNTS[kind], len(members))
            if index(count) > len(members):
                raise TypeError(f"a dict with as many {key!r} as {COUNTS[kind]!r} says")
        elif issubclass(ctype, ctypes.Structure | ctypes.Union):
            setattr(struct, name, _filled(ctype, items))
        else:
            setattr(struct, name, index(items))
    if kind in COUNTS:
        setattr(struct, fields[COUNTS[kind]][0], index(values.get(COUNTS[kind], 0)))
    return struct


def _keys(kind: Any) -> dict[str, tuple[str, Any]]:
    return {snake(name): (name, ctype) for name, ctype, *_ in kind._fields_}


# conversions of returned values


def number(raw: Any) -> Any:
    """The number or the address in a ctypes object, 0 for null. A pointer to an array is not changed."""
    return (raw.value or 0) if hasattr(raw, "value") else raw


def dictionary(raw: Any) -> dict[str, Any]:
    """A struct as a dict, with the fields in snake_case."""
    return {key: _field(raw, name, ctype) for key, (name, ctype) in _keys(type(raw)).items()}


def counted_fields(raw: Any) -> dict[str, Any]:
    """A struct of acl_mdl.h as a dict with the names of C. Its array is cut to the number of its elements."""
    fields: dict[str, Any] = {}
    count = 0
    for name, ctype, *_ in raw._fields_:
        if not issubclass(ctype, ctypes.Array) or cast("Any", ctype)._type_ is ctypes.c_char:
            count = fields[name] = _field(raw, name, ctype)
        else:
            rows: list[Any] = getattr(raw, name)[:count]
            fields[name] = [list(cast("Any", row)) if isinstance(row, ctypes.Array) else row for row in rows]
    return fields


def _field(raw: Any, name: str, ctype: Any) -> Any:
    if issubclass(ctype, ctypes.Structure):
        return dictionary(getattr(raw, name))
    if issubclass(ctype, ctypes.Array):
        if cast("Any", ctype)._type_ is not ctypes.c_char:
            return list(getattr(raw, name))
        if name == "bytes":  # raw bytes, not a text that ends with a null byte
            offset: int = getattr(cast("Any", type(raw)), name).offset
            return bytes(raw)[offset : offset + getattr(cast("Any", type(raw)), name).size]
        return getattr(raw, name).decode()
    return getattr(raw, name) or 0

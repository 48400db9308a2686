"""Functions, enums, structs and handles of ACL, as this project declares them."""

import ctypes
import re
from enum import IntEnum
from functools import cache

import acl_runtime
import acl_runtime.headers.enums as enums
from acl_runtime.abi.conversions import (
    AddressArray,
    Array,
    Bool,
    CString,
    CType,
    Enum,
    Function,
    HandleArray,
    Integer,
    MetaHandleType,
    Output,
    Pointer,
    Real,
    RuntimeHandleType,
)
from acl_runtime.abi.function import CFunction
from acl_runtime.headers.handles import Handle, MetaHandle
from aclnn.tools.port.cpp.types import ADDRESS, INT, SIMPLE, TEXT, VOID, Type, Untranslated, pointer
from aclnn.tools.toolkit.exported_functions import named


@cache
def function(name: str) -> CFunction | None:
    """The declaration of a function of ACL."""
    if not re.match(r"acl|Hccl|mstx", name):
        return None
    declared = named(name)
    return None if declared is None else declared.c


def module(name: str) -> str:
    """The package whose names a port imports one by one; empty for acl_runtime, which is imported as a whole."""
    return "" if hasattr(acl_runtime, name) else "aclnn"


@cache
def kind(name: str) -> Type | None:
    """The type of a name in the headers of ACL: an enum, a handle, or the struct that a handle points to."""
    value = getattr(acl_runtime, name, None)
    if isinstance(value, type) and issubclass(value, IntEnum):
        return Type("enum", name, 32)
    if isinstance(value, type) and issubclass(value, Handle):
        return Type("opaque" if issubclass(value, MetaHandle) else "handle", name)
    return None


@cache
def constant(name: str) -> Type | None:
    """The type of a constant of ACL, such as ACL_FLOAT or ACL_SUCCESS."""
    value = getattr(acl_runtime, name, None)
    if isinstance(value, IntEnum) and type(value).__module__ == enums.__name__:
        return Type("enum", type(value).__name__, 32)
    if isinstance(value, int) and not isinstance(value, bool):
        return INT
    return None


def value(name: str) -> int:
    """The value of a constant."""
    return int(getattr(acl_runtime, name))


def result(declared: CFunction) -> Type:
    """The type of the result of a function of ACL."""
    spelled = declared.result.spelling
    if spelled in ("void", ""):
        return VOID
    if spelled.replace("const ", "").replace(" ", "") == "char*":
        return TEXT
    if spelled.endswith("*"):
        name = spelled.removeprefix("const ").rstrip(" *")
        if kind(name) is not None:
            return Type("handle", name)
        return ADDRESS if name == "void" else pointer(SIMPLE.get(name) or Type("struct", name))
    cpp_type = SIMPLE.get(spelled) or kind(spelled)
    if cpp_type is None:
        raise Untranslated(f"the result of {declared.name} is {spelled}")
    return cpp_type


def role(parameter: CType) -> str:
    """The role of an argument for a parameter of ACL: a number, memory, a handle, an output, and so on."""
    table: tuple[tuple[type[CType], str], ...] = (
        (Enum, "number"), (Integer, "number"), (Bool, "bool"), (Real, "real"), (CString, "text"), (Pointer, "memory"),
        (Output, "output"), (RuntimeHandleType, "handle"), (MetaHandleType, "handle"), (HandleArray, "handles"),
        (AddressArray, "addresses"), (Array, "numbers"), (Function, "function"),
    )  # fmt: skip
    for parameter_class, name in table:
        if isinstance(parameter, parameter_class):
            return name
    return "memory" if parameter.spelling.replace("const ", "").startswith("void *") else "other"


@cache
def struct(name: str) -> type[ctypes.Structure] | None:
    """A struct of ACL's headers."""
    value = getattr(acl_runtime, name, None)
    return value if isinstance(value, type) and issubclass(value, ctypes.Structure) else None

"""Functions, enums, structs and handles of ACL: what this project declares."""

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
    found = named(name)
    return None if found is None else found.c


def module(name: str) -> str:
    """The package whose names a port imports one by one; empty for acl_runtime, which is imported as a whole."""
    return "" if hasattr(acl_runtime, name) else "aclnn"


@cache
def kind(name: str) -> Type | None:
    """The type of a name in the headers of ACL: an enum, a handle, or the struct that a handle points to."""
    found = getattr(acl_runtime, name, None)
    if isinstance(found, type) and issubclass(found, IntEnum):
        return Type("enum", name, 32)
    if isinstance(found, type) and issubclass(found, Handle):
        return Type("opaque" if issubclass(found, MetaHandle) else "handle", name)
    return None


@cache
def constant(name: str) -> Type | None:
    """The type of a constant of ACL, such as ACL_FLOAT or ACL_SUCCESS."""
    found = getattr(acl_runtime, name, None)
    if isinstance(found, IntEnum) and type(found).__module__ == enums.__name__:
        return Type("enum", type(found).__name__, 32)
    if isinstance(found, int) and not isinstance(found, bool):
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
    known = SIMPLE.get(spelled) or kind(spelled)
    if known is None:
        raise Untranslated(f"the result of {declared.name} is {spelled}")
    return known


def role(parameter: CType) -> str:
    """The role of an argument for a parameter of ACL: a number, memory, a handle, an output, and so on."""
    table: tuple[tuple[type[CType], str], ...] = (
        (Enum, "number"), (Integer, "number"), (Bool, "bool"), (Real, "real"), (CString, "text"), (Pointer, "memory"),
        (Output, "output"), (RuntimeHandleType, "handle"), (MetaHandleType, "handle"), (HandleArray, "handles"),
        (AddressArray, "addresses"), (Array, "numbers"), (Function, "function"),
    )  # fmt: skip
    for each, does in table:
        if isinstance(parameter, each):
            return does
    return "memory" if parameter.spelling.replace("const ", "").startswith("void *") else "other"


@cache
def struct(name: str) -> type[ctypes.Structure] | None:
    """A struct of ACL's headers."""
    found = getattr(acl_runtime, name, None)
    return found if isinstance(found, type) and issubclass(found, ctypes.Structure) else None

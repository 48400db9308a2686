"""The CType of a parameter, from the C type in its facts."""

import ctypes
from functools import cache
from typing import Any, Final

import acl_runtime.abi.c as c
import acl_runtime.headers.handles as handles
from acl_runtime.abi.conversions import Array, Bool, CString, CType, Enum, Integer, MetaHandleType, Output, Real

INTEGERS: Final = {
    "int8_t": (8, True), "int": (32, True), "int32_t": (32, True), "int64_t": (64, True), "uint32_t": (32, False),
    "uint64_t": (64, False),
}  # fmt: skip
"""bits, signed"""


@cache
def c_type(spelling: str) -> CType:
    """The CType with this spelling: `const aclTensor *`, `int64_t`. Raises a ValueError for an unused C type."""
    plain = spelling.removeprefix("const ")
    if plain in INTEGERS:
        bits, signed = INTEGERS[plain]
        return Integer(spelling, bits, signed=signed)
    if plain == "bool":
        return Bool(spelling)
    if plain in ("double", "float"):
        return Real(spelling)
    if plain == "aclDataType":
        return Enum(spelling)
    if plain == "char *":
        return CString(spelling)
    kind = getattr(handles, plain.removesuffix(" *"), None)
    if isinstance(kind, type) and issubclass(kind, handles.MetaHandle) and plain.endswith(" *"):
        return MetaHandleType(spelling, kind)
    return _of_a_helper(spelling)


def _of_a_helper(spelling: str) -> CType:
    """A type that only functions without a second phase have: arrays of the host, and results through pointers."""
    declared: dict[str, Any] = {
        "const float *": c.const_float_p,
        "uint64_t *": c.uint64_t_p,
        "int64_t **": c.int64_t_pp,
        "aclOpExecutor **": c.aclOpExecutor_pp,
    }
    if spelling in declared:
        ctype: CType = c.of(declared[spelling])
        return ctype
    if spelling == "const int8_t *":
        return Array(spelling, (ctypes.c_int8,), "int8", "Int8Array")
    written: dict[str, tuple[str, type[Any]]] = {
        "int *": ("c_int32", ctypes.c_int32),
        "uint64_t &": ("c_uint64", ctypes.c_uint64),  # C++ passes the address
        "int8_t **": ("Int8Pointer", ctypes.POINTER(ctypes.c_int8)),
        "uint8_t **": ("UInt8Pointer", ctypes.POINTER(ctypes.c_uint8)),
        "uint64_t **": ("UInt64Pointer", ctypes.POINTER(ctypes.c_uint64)),
    }
    if spelling not in written:
        raise ValueError(f"no parameter of the catalogue has the C type {spelling!r}")
    return Output(spelling, *written[spelling])

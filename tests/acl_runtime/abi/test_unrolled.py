"""The conversion and the record of all arguments at once give what those of each argument give."""

from __future__ import annotations

from ctypes import Structure, byref, c_bool, c_double, c_int64, c_uint64, c_void_p, pointer
from typing import Any

import numpy as np
import pytest

import acl_runtime
import aclnn
from acl_runtime import *
from acl_runtime.abi.conversions import CType, Output
from acl_runtime.abi.function import CFunction
from acl_runtime.abi.pointers import Out
from acl_runtime.abi.unrolled import converter, keeper

VALUES: list[Any] = [
    None, 0, 1, -1, 1 << 31, 1 << 63, 1 << 64, -(1 << 70), True, 2.5, "text", b"bytes", c_void_p(), c_void_p(64),
    aclTensor(64), aclrtStream(128), aclOpExecutor(64), np.int32(7), c_int64(5), c_bool(True), c_double(0.5), [1, 2],
    byref(c_uint64(3)), pointer(c_uint64(3)), byref(c_void_p(8)), byref(aclOpExecutor()), object(),
    aclmdlRICondTaskParams(), aclrtMemManagedLocation(), aclrtIpcEventHandle(), dim3(),
]  # fmt: skip
FUNCTIONS: dict[str, CFunction] = {
    name: function.c
    for of, names in ((acl_runtime, acl_runtime.__all__), (aclnn, aclnn.__all__))
    for name in names
    if isinstance(getattr(function := getattr(of, name), "c", None), CFunction)
}


def types() -> list[CType]:
    """Every C type of a parameter, once."""
    return list({id(ctype): ctype for each in FUNCTIONS.values() for _, ctype in each.parameters}.values())


def plain(value: Any) -> Any:
    """The class and the slots, or the bytes, of a converted value, which can be compared."""
    if isinstance(value, Structure):
        return type(value), bytes(value)
    slots = [name for each in type(value).__mro__ for name in getattr(each, "__slots__", ())]
    kept = {name: getattr(value, name, None) for name in slots if name not in ("owner", "_values", "_target")}
    return type(value), kept or repr(value)


def outcome(convert: Any, value: Any) -> Any:
    try:
        return plain(convert(value))
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("ctype", types(), ids=lambda ctype: f"{type(ctype).__name__}-{ctype.spelling}")
def test_an_argument_is_converted_as_by_its_type(ctype: CType) -> None:
    """Also a wrong one: the same TypeError, with the same text."""
    convert = converter([ctype])
    for value in VALUES:
        assert outcome(lambda given: convert([given])[0], value) == outcome(ctype.convert, value), value


def test_the_arguments_of_every_function_keep_their_order() -> None:
    """Each argument of each function is the first value that its type takes: a null for a handle, pointer or array."""
    assert len(FUNCTIONS) > 500
    for name, function in FUNCTIONS.items():
        listed = [ctype for _, ctype in function.parameters]
        given = [next(each for each in VALUES if accepts(ctype, each)) for ctype in listed]
        values = converter(listed)(given)
        expected = [ctype.convert(value) for ctype, value in zip(listed, given, strict=True)]
        assert list(map(plain, values)) == list(map(plain, expected)), name
        kept, _ = keeper(listed)(values)
        recorded = [each.recorded if ctype.wraps else each for ctype, each in zip(listed, values, strict=True)]
        assert kept == tuple(recorded), name


def accepts(ctype: CType, value: Any) -> bool:
    try:
        ctype.convert(value)
    except Exception:
        return False
    return True


@pytest.mark.parametrize(("count", "stored"), [(0, None), (1, 5), (2, [5, 6])])
def test_a_record_keeps_what_outputs_got(count: int, stored: object) -> None:
    """One value, a list of several, or None."""
    number, output = FUNCTIONS["aclrtSetDevice"].parameters[0][1], FUNCTIONS["aclrtGetDeviceCount"].parameters[0][1]
    assert isinstance(output, Output)
    outs = [Out[int](c_uint64()) for _ in range(count)]
    for at, out in enumerate(outs):
        out.store(5 + at)
    assert keeper([number, *[output] * count])([7, *outs]) == ((7, *(out.recorded for out in outs)), stored)

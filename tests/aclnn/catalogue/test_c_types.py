"""Each C type of the catalogue has its CType."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from aclnn.catalogue.c_types import c_type
from tests.aclnn.catalogue.lines import every


def test_the_c_type_of_each_parameter_can_be_expressed() -> None:
    spellings = {param.type for each in every() for param in each.params}
    assert {spelling for spelling in spellings if c_type(spelling).spelling != spelling} == set()


@pytest.mark.parametrize(
    ("spelling", "given", "received"),
    [
        ("int8_t", 200, -56),
        ("const int", 1 << 31, -(1 << 31)),
        ("int32_t", -1, -1),
        ("uint32_t", -1, (1 << 32) - 1),
        ("const int64_t", 1 << 63, -(1 << 63)),
        ("uint64_t", -1, (1 << 64) - 1),
        ("const float", 1, 1.0),
        ("const bool", 2, True),
        ("char *", b"sum", "sum"),
    ],
)
def test_a_number_wraps_to_the_width_of_its_c_type(spelling: str, given: Any, received: Any) -> None:
    assert c_type(spelling).convert(given) == received


@pytest.mark.parametrize(
    ("spelling", "variable"),
    [
        ("int *", ctypes.c_int32),
        ("uint64_t *", ctypes.c_uint64),
        ("uint64_t &", ctypes.c_uint64),
        ("int8_t **", ctypes.POINTER(ctypes.c_int8)),
        ("uint8_t **", ctypes.POINTER(ctypes.c_uint8)),
        ("int64_t **", ctypes.POINTER(ctypes.c_int64)),
        ("uint64_t **", ctypes.POINTER(ctypes.c_uint64)),
    ],
)
def test_a_helper_writes_through_a_pointer_of_the_right_type(spelling: str, variable: type[Any]) -> None:
    written = variable()
    out = c_type(spelling).convert(ctypes.byref(written))
    if spelling.endswith("**"):
        out.store_address(7)
        written = ctypes.cast(written, ctypes.c_void_p)
    else:
        out.store(7)
    assert written.value == 7
    with pytest.raises(TypeError, match="byref"):
        c_type(spelling).convert(ctypes.byref(ctypes.c_float()))


def test_a_c_type_of_no_parameter_is_refused() -> None:
    with pytest.raises(ValueError, match="no parameter of the catalogue has the C type 'aclTensor'"):
        c_type("aclTensor")

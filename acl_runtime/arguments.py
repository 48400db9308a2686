"""What a caller may pass for pointers and arrays: the names that the rendered stubs use."""

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

if TYPE_CHECKING:
    from _ctypes import _CArgObject, _Pointer  # what byref(x) and pointer(x) return

    Number = TypeVar("Number", bound="ctypes._CData | ctypes._SimpleCData[Any]")
    Output = _CArgObject | _Pointer[Number] | ctypes.Array[Number] | None
    """`T *` to write through: byref(x), pointer(x), an array, None"""
    Source = (
        int | bytes | bytearray | memoryview | np.ndarray[Any, Any] | np.generic | ctypes.c_void_p | ctypes.c_char_p
        | ctypes.Array[Any] | ctypes.Structure | ctypes._SimpleCData[Any] | _CArgObject | _Pointer[Any] | None
    )  # fmt: skip
    """`const void *`: anything with an address"""
    Target = (
        int | bytearray | memoryview | np.ndarray[Any, Any] | ctypes.c_void_p | ctypes.c_char_p | ctypes.Array[Any]
        | ctypes.Structure | ctypes._SimpleCData[Any] | _CArgObject | _Pointer[Any] | None
    )  # fmt: skip
    """`void *`: anything with an address that can be written to"""
    Int64Array = Sequence[int] | np.ndarray[Any, np.dtype[np.int64]] | ctypes.Array[ctypes.c_int64] | _Pointer[ctypes.c_int64] | None
    FloatArray = Sequence[float] | np.ndarray[Any, np.dtype[np.float32]] | ctypes.Array[ctypes.c_float] | _Pointer[ctypes.c_float] | None
    BoolArray = Sequence[bool] | np.ndarray[Any, np.dtype[np.bool_]] | ctypes.Array[ctypes.c_bool] | _Pointer[ctypes.c_bool] | None

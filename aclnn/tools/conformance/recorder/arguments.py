"""The C values of the arguments of one call."""

from __future__ import annotations

import ctypes
from typing import Any

from .library import OpenDevice

NUMBERS: dict[str, Any] = {
    "bool": ctypes.c_bool, "i8": ctypes.c_int8, "i16": ctypes.c_int16, "i32": ctypes.c_int32, "i64": ctypes.c_int64,
    "u8": ctypes.c_uint8, "u16": ctypes.c_uint16, "u32": ctypes.c_uint32, "u64": ctypes.c_uint64,
    "f32": ctypes.c_float, "f64": ctypes.c_double, "pointer": ctypes.c_void_p, "text": ctypes.c_char_p, "none": None,
}  # fmt: skip
"""the C types of numbers and results"""
CODES = {kind: code for code, kind in NUMBERS.items()}
ARRAYS: dict[str, tuple[str, Any]] = {
    "ints": ("aclCreateIntArray", ctypes.c_int64),
    "floats": ("aclCreateFloatArray", ctypes.c_float),
    "bools": ("aclCreateBoolArray", ctypes.c_bool),
}


class CallArguments:
    """The arguments of one call. They live as long as this object."""

    def __init__(self, device: OpenDevice) -> None:
        self.device = device
        self.tensors: list[tuple[int, ctypes.c_void_p, int]] = []
        """for each tensor with memory: index of the argument, address, size in bytes"""
        self._referenced: list[Any] = []
        self._place = 0

    def all(self, arguments: list[Any]) -> list[Any]:
        """The values for ctypes, in their order."""
        values: list[Any] = []
        for self._place, argument in enumerate(arguments):
            values.append(self._value(argument))
        return values

    def free(self) -> None:
        """Free the memory of the tensors."""
        for _, address, _ in self.tensors:
            self.device.function("aclrtFree")(address)

    def _value(self, argument: Any) -> Any:
        if argument is None:
            return ctypes.c_void_p(None)
        kind, *rest = argument
        if kind in NUMBERS:
            value = rest[0].encode() if kind == "text" else rest[0]
            return NUMBERS[kind](value)
        if kind in ARRAYS:
            return self._array(kind, rest[0])
        return getattr(self, f"_{kind}")(*rest)

    def _tensor(
        self, shape: list[int], dtype: int, form: int, strides: list[int], offset: int, storage: list[int], data: Any
    ) -> ctypes.c_void_p:
        address = ctypes.c_void_p(None)
        if data:
            content = bytes.fromhex(data)
            address = self.device.memory(content)
            self.tensors.append((self._place, address, len(content)))
        return self._create(
            "aclCreateTensor", _array(ctypes.c_int64, shape), ctypes.c_uint64(len(shape)), ctypes.c_int(dtype),
            _array(ctypes.c_int64, strides), ctypes.c_int64(offset), ctypes.c_int(form),
            _array(ctypes.c_int64, storage), ctypes.c_uint64(len(storage)), address,
        )  # fmt: skip

    def _tensors(self, tensors: list[Any]) -> ctypes.c_void_p:
        return self._list("aclCreateTensorList", tensors)

    def _scalars(self, scalars: list[Any]) -> ctypes.c_void_p:
        return self._list("aclCreateScalarList", scalars)

    def _list(self, create: str, members: list[Any]) -> ctypes.c_void_p:
        handles = [self._value(member).value for member in members]
        return self._create(create, _array(ctypes.c_void_p, handles), ctypes.c_uint64(len(handles)))

    def _scalar(self, dtype: int, data: str) -> ctypes.c_void_p:
        content = bytes.fromhex(data)
        return self._create("aclCreateScalar", ctypes.create_string_buffer(content, len(content)), ctypes.c_int(dtype))

    def _array(self, kind: str, values: list[Any]) -> ctypes.c_void_p:
        create, element = ARRAYS[kind]
        return self._create(create, _array(element, values), ctypes.c_uint64(len(values)))

    def _create(self, name: str, *arguments: Any) -> ctypes.c_void_p:
        self._referenced.append(arguments)
        return ctypes.c_void_p(self.device.function(name, ctypes.c_void_p)(*arguments))

    def _stream(self) -> ctypes.c_void_p:
        return self.device.new_handle("aclrtCreateStream")

    def _event(self) -> ctypes.c_void_p:
        return self.device.new_handle("aclrtCreateEvent")

    def _context(self) -> ctypes.c_void_p:
        return self.device.new_handle("aclrtGetCurrentContext")

    def _host(self, size: int) -> Any:
        self._referenced.append(ctypes.create_string_buffer(size))
        return self._referenced[-1]

    def _struct(self, size: int) -> Any:
        types = [ctypes.c_uint64] * (size // 8) + [ctypes.c_uint8] * (size % 8)
        fields = [(f"part{at}", each) for at, each in enumerate(types)]
        return type("Struct", (ctypes.Structure,), {"_fields_": fields})()

    def _device(self, size: int) -> ctypes.c_void_p:
        return self.device.memory(bytes(size))


def _array(element: Any, values: list[Any]) -> Any:
    """A C array; at least one element, as an array without elements has no address."""
    return (element * max(len(values), 1))(*values)

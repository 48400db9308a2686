"""Binaries with device kernels: the least ELF file with functions, and its registration."""

from __future__ import annotations

from ctypes import Structure, addressof, byref, c_uint32, c_uint64, c_void_p, create_string_buffer
from typing import Any

from acl_runtime import *
from aclnn.tools.toolkit import kernel_elf
from tests.helpers.outcomes import ok

AICORE = ACL_RT_BINARY_MAGIC_ELF_AICORE


def elf(*names: str) -> bytes:
    """An ELF file of 64 bits whose symbol table defines these functions, and a datum that is none."""
    return kernel_elf.elf(names, ("datum",))


def load(*names: str) -> aclrtBinHandle:
    """The handle of a binary with these functions."""
    data, handle = elf(*names), aclrtBinHandle()
    ok(aclrtBinaryLoadFromData(data, len(data), None, byref(handle)))
    return handle


def function(binary: aclrtBinHandle, name: str) -> aclrtFuncHandle:
    handle = aclrtFuncHandle()
    ok(aclrtBinaryGetFunction(binary, name, byref(handle)))
    return handle


class DevBinary(Structure):
    """The struct of rtDevBinaryRegister."""

    _fields_ = (("magic", c_uint32), ("version", c_uint32), ("data", c_void_p), ("length", c_uint64))


def described(data: bytes, magic: int = AICORE) -> tuple[DevBinary, Any]:
    """The struct, and the memory that it points to."""
    memory = create_string_buffer(data, max(len(data), 1))
    return DevBinary(magic, 0, addressof(memory), len(data)), memory


def register(stub: int, *names: str, kernel: str | None = None) -> c_void_p:
    """Register a binary with these functions, and let an address stand for a kernel: by default, for the first."""
    struct_, kept = described(elf(*names))
    handle = c_void_p()
    assert rtDevBinaryRegister(byref(struct_), byref(handle)) == ACL_SUCCESS
    assert rtFunctionRegister(handle, stub, "label", kernel, 0) == ACL_SUCCESS
    del kept
    return handle

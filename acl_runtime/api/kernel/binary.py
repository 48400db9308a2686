"""acl/acl_rt.h: binaries with device kernels, and the kernels in them.

The emulator does not run the code of a binary. A Python function of the program replaces a kernel:
`machine.kernels["name"]`, or `@aclnn.kernel("name")`.
"""

import ctypes
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import acl_runtime.abi.c as c
import acl_runtime.headers.handles as h
import acl_runtime.headers.structs as s
import acl_runtime.objects.elf as elf
from acl_runtime.abi.pointers import Address
from acl_runtime.api.live_objects import host_bytes, required
from acl_runtime.api.memory.buffers import load
from acl_runtime.api.refusals import check_product, null, out_of_range
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import (
    ACL_RT_BINARY_MAGIC_ELF_AICORE,
    ACL_RT_BINARY_MAGIC_ELF_CUBE_CORE,
    ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE,
    aclrtBinaryLoadOptionType,
)
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_PARAM_INVALID
from acl_runtime.machine.contexts import live_object
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.objects.binaries import Binary, HostData, KernelFunction
from acl_runtime.text import Text

LOADING: Final = "Loading a kernel binary"
FINDING: Final = "Getting a kernel function"
MAGICS: Final = (
    ACL_RT_BINARY_MAGIC_ELF_AICORE,
    ACL_RT_BINARY_MAGIC_ELF_CUBE_CORE,
    ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE,
)
FROM_MEMORY: Final = 2
"""the only mode of AI CPU kernels whose binary is in memory"""
FROM_FILE: Final = (0, 1)
"""the modes of AI CPU kernels whose binary is a file"""
LAZY_LOAD: Final = aclrtBinaryLoadOptionType.ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD
MAGIC: Final = aclrtBinaryLoadOptionType.ACL_RT_BINARY_LOAD_OPT_MAGIC
CPU_MODE: Final = aclrtBinaryLoadOptionType.ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE


@acl_api("acl/acl_rt.h", resource=True)
def aclrtBinaryLoadFromData(
    data: c.const_void_p,
    length: c.size_t,
    options: c.const_aclrtBinaryLoadOptions_p,
    binHandle: c.aclrtBinHandle_p,
) -> c.aclError:
    """Load a binary with device kernels from `length` bytes of the host, which are copied. `options` may be null. No
    context is needed.

    The emulator accepts any data. If they are an ELF file, the names of its functions are the kernels in it.

    Returns:
        ACL_SUCCESS: `*binHandle` is the binary.
        ACL_ERROR_INVALID_PARAM: `data` or `binHandle` is null.
        ACL_ERROR_RT_PARAM_INVALID: `length` is 0, an option is unknown or has a bad value, or `options` has no array;
            `data` or the options cannot be read (only if the machine reports findings instead of raising them).
    """
    if not data.value:
        raise null("data")
    if binHandle.null:
        raise null("binHandle")
    if not length:
        raise out_of_range(LOADING, 0, "length", "a value greater than 0")
    chosen = load_options(options, {LAZY_LOAD: (0, 1), MAGIC: MAGICS, CPU_MODE: (FROM_MEMORY,)})
    binHandle.store(
        loaded(
            current(),
            host_bytes(data, length, "data"),
            vector=chosen.get(MAGIC) == ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE,
            for_cpu=CPU_MODE in chosen,
        )
    )


@acl_api("acl/acl_rt.h", resource=True)
def aclrtBinaryLoadFromFile(
    binPath: c.const_char_p, options: c.aclrtBinaryLoadOptions_p, binHandle: c.aclrtBinHandle_p
) -> c.aclError:
    """Load a binary with device kernels from a file. `options` may be null. No context is needed.

    The file is an ELF file, whose functions are the kernels. If it is a shared library for this host, such as one of
    ascendc_fatbin_library, the library is opened, so that the C++ functions in it replace kernels.

    Returns:
        ACL_SUCCESS: `*binHandle` is the binary.
        ACL_ERROR_INVALID_PARAM: `binPath` or `binHandle` is null.
        ACL_ERROR_RT_PARAM_INVALID: an option is unknown, has a bad value, or is that of the magic, which is for data
            only; `options` has no array; the file cannot be read, or is no ELF file; the options cannot be read (only
            if the machine reports findings instead of raising them).
    """
    if binPath is None:
        raise null("binPath")
    if binHandle.null:
        raise null("binHandle")
    chosen = load_options(options, {LAZY_LOAD: (0, 1), CPU_MODE: FROM_FILE})
    data = _contents(binPath)
    if CPU_MODE not in chosen and not elf.is_file(data):
        raise out_of_range(LOADING, binPath, "binPath", "an ELF file")
    if elf.is_library(data):
        with suppress(OSError):  # a library of another processor, or with missing symbols: then only names
            ctypes.CDLL(os.path.realpath(binPath))
    binHandle.store(loaded(current(), data, for_cpu=CPU_MODE in chosen))


def _contents(name: str) -> bytes:
    """The bytes of a file; 107000 if it cannot be read, or is no regular file."""
    try:
        if not os.path.exists(name) or os.path.isfile(name):
            return Path(name).read_bytes()
        reason = "it is no regular file"
    except OSError as error:
        reason = str(error.strerror)
    item = Item("EE1012", (LOADING, name, "binPath", f"the file cannot be read: {reason}"))
    raise AclError(ACL_ERROR_RT_PARAM_INVALID, item)


@acl_api("acl/acl_rt.h")
def aclrtCreateBinary(data: c.const_void_p, dataLen: c.size_t) -> c.new_aclrtBinary:
    """An object for `dataLen` bytes of the host that can be loaded as a binary with device kernels; null for null data.
    The bytes are not copied: they are read when the binary is loaded."""
    return h.aclrtBinary(current().handles.add(HostData(data, dataLen)) if data.value else 0)


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtDestroyBinary(binary: c.aclrtBinary) -> c.aclError:
    """Destroy the object. Binaries that were loaded from it stay.

    Returns:
        ACL_SUCCESS: destroyed.
        ACL_ERROR_INVALID_PARAM: `binary` is null.
        ACL_ERROR_RT_PARAM_INVALID: `binary` is no live object (only if the machine reports findings instead of raising
            them).
    """
    current().handles.remove(required(binary, HostData, "binary"))


@acl_api("acl/acl_rt.h", resource=True)
def aclrtBinaryLoad(binary: c.const_aclrtBinary, binHandle: c.aclrtBinHandle_p) -> c.aclError:
    """Load the data of aclrtCreateBinary as a binary with device kernels.

    Returns:
        ACL_SUCCESS: `*binHandle` is the binary.
        ACL_ERROR_INVALID_PARAM: `binary` or `binHandle` is null.
        ACL_ERROR_RT_PARAM_INVALID: the data have no bytes; `binary` is no live object, or the data cannot be read (only
            if the machine reports findings instead of raising them).
    """
    if not binary:
        raise null("binary")
    if binHandle.null:
        raise null("binHandle")
    data = required(binary, HostData, "binary")
    if not data.size:
        raise out_of_range(LOADING, 0, "dataLen", "a value greater than 0")
    check_product(LOADING)
    binHandle.store(loaded(current(), host_bytes(data.pointer, data.size, "data")))


@acl_api("acl/acl_rt.h", resource=True, pyacl="rt.binary_unload")
def aclrtBinaryUnLoad(binHandle: c.aclrtBinHandle) -> c.aclError:
    """Unload a binary. The handles of its kernels become invalid; kernels that are queued still run.

    Returns:
        ACL_SUCCESS: unloaded.
        ACL_ERROR_INVALID_PARAM: `binHandle` is null.
        ACL_ERROR_RT_INVALID_HANDLE: `binHandle` is no live binary.
    """
    if not binHandle:
        raise null("binHandle")
    machine = current()
    unload(machine, live_object(machine.handles, binHandle, Binary, "Unloading a kernel binary", "binHandle"))


def unload(machine: Machine, binary: Binary) -> None:
    """End a binary and the handles of its kernels."""
    for function in binary.functions.values():
        machine.handles.remove(function, Text("unloaded with {owner}", owner=binary))
    machine.handles.remove(binary, Text("unloaded"))


@acl_api("acl/acl_rt.h")
def aclrtBinaryGetFunction(
    binHandle: c.const_aclrtBinHandle, kernelName: c.const_char_p, funcHandle: c.aclrtFuncHandle_p
) -> c.aclError:
    """Get a kernel of a binary by its name. The same name gives the same handle again. If a Python function replaces
    the kernel of a name, every binary has this kernel.

    Returns:
        ACL_SUCCESS: `*funcHandle` is the kernel.
        ACL_ERROR_INVALID_PARAM: `binHandle`, `kernelName` or `funcHandle` is null.
        ACL_ERROR_RT_INVALID_HANDLE: `binHandle` is no live binary.
        ACL_ERROR_RT_PARAM_INVALID: there is no kernel of this name; `*funcHandle` is null.
    """
    if not binHandle:
        raise null("binHandle")
    if kernelName is None:
        raise null("kernelName")
    if funcHandle.null:
        raise null("funcHandle")
    machine = current()
    binary = live_object(machine.handles, binHandle, Binary, FINDING, "binHandle")
    if not binary.has(kernelName) and machine.kernels.standing_in(kernelName) is None:
        funcHandle.store(0)
        names = ", ".join(binary.names()[:10]) or "no names, as it is no ELF file with functions"
        expected = f"a kernel of the binary, which has {names}; or one with a function in machine.kernels"
        raise out_of_range(FINDING, kernelName, "kernelName", expected)
    funcHandle.store(function_of(machine, binary, kernelName).number)


def loaded(machine: Machine, data: bytes, *, vector: bool = False, for_cpu: bool = False) -> int:
    """The handle of a new binary."""
    return machine.handles.add(Binary(data, vector=vector, for_cpu=for_cpu))


def function_of(machine: Machine, binary: Binary, name: str) -> KernelFunction:
    """The kernel of this name, one object for each name."""
    function = binary.functions.get(name)
    if function is None:
        function = binary.functions[name] = KernelFunction(name, binary)
        machine.handles.add(function)
    return function


def load_options(pointer: Address, allowed: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """The options of a call by their types; 107000 for an option that is unknown or has a bad value. `allowed`: the
    values by type."""
    if not pointer.value:
        return {}
    options = load(pointer, s.aclrtBinaryLoadOptions, "options")
    start = ctypes.cast(options.options, ctypes.c_void_p).value
    if not start:
        raise out_of_range(LOADING, "null", "options->options", "an array of options")
    values: dict[int, int] = {}
    size = ctypes.sizeof(s.aclrtBinaryLoadOption)
    for number in range(options.numOpt):  # one by one, as the count may be far too large
        member = f"options->options[{number}]"
        option = load(Address(start + number * size), s.aclrtBinaryLoadOption, member)
        if option.type not in allowed:
            raise out_of_range(LOADING, option.type, f"{member}.type", " or ".join(map(str, allowed)))
        value = option.value.cpuKernelMode if option.type == CPU_MODE else option.value.magic
        if value not in allowed[option.type]:
            expected = " or ".join(map(str, allowed[option.type]))
            raise out_of_range(LOADING, value, f"{member}.value", expected, f"(an option of type {option.type})")
        values[option.type] = value
    return values

"""Functions for kernels that are compiled into a program: the launch code of `kernel<<<blocks, ...>>>(...)` calls them.

The functions have no public header, so acl/acl_emulator_rt.h of the emulator declares them, with `void *` for the
structs. They return the numbers of aclError.
"""

import ctypes
from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Address
from acl_runtime.api.kernel.binary import MAGICS, function_of, loaded, unload
from acl_runtime.api.kernel.queueing import submit
from acl_runtime.api.kernel.stand_in import Launch
from acl_runtime.api.live_objects import host_bytes
from acl_runtime.api.memory.buffers import load
from acl_runtime.api.outcomes import LAUNCHES
from acl_runtime.api.refusals import check_product, null_in_runtime, out_of_range
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_INTERNAL_ERROR, ACL_ERROR_RT_KERNEL_DUPLICATE
from acl_runtime.machine.contexts import live_object
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.objects.binaries import Binary, BinaryVariable, CompiledIn
from acl_runtime.streams.stream import Device
from acl_runtime.streams.surfacing import check_accepts_work

HEADER: Final = "acl/acl_emulator_rt.h"
REGISTERING: Final = "Registering a kernel binary"
NAMING: Final = "Registering a kernel"
LAUNCHING: Final = "Launching a kernel"
MOST_BLOCKS: Final = 65535
SYNC_BYTES: Final = 32 * 1024
"""our choice: bytes of the memory that cores use to synchronise"""


class DevBinary(ctypes.Structure):
    """The struct that rtDevBinaryRegister reads."""

    _fields_ = (
        ("magic", ctypes.c_uint32),
        ("version", ctypes.c_uint32),
        ("data", ctypes.c_void_p),
        ("length", ctypes.c_uint64),
    )


@acl_api(HEADER)
def rtDevBinaryRegister(bin: c.const_void_p, hdl: c.void_pp) -> c.rtError:
    """Register a binary with device kernels. `bin` points to a struct: uint32_t magic, uint32_t version, the address of
    the data on the host, uint64_t length. The result can be used as an aclrtBinHandle. Neither aclInit nor a device is
    needed.

    Returns:
        ACL_SUCCESS: `*hdl` is the binary.
        ACL_ERROR_RT_PARAM_INVALID: `bin`, `hdl` or the address of the data is null, the length is 0, or the magic is
            unknown; the struct or the data cannot be read (only if the machine reports findings instead of raising
            them).
    """
    if not bin.value:
        raise null_in_runtime(REGISTERING, "bin")
    if hdl.null:
        raise null_in_runtime(REGISTERING, "hdl")
    binary = load(bin, DevBinary, "bin")
    if binary.magic not in MAGICS:
        raise out_of_range(
            REGISTERING, f"{binary.magic:#x}", "bin->magic", " or ".join(f"{magic:#x}" for magic in MAGICS)
        )
    if not binary.data:
        raise null_in_runtime(REGISTERING, "bin->data")
    if not binary.length:
        raise out_of_range(REGISTERING, 0, "bin->length", "a value greater than 0")
    data = host_bytes(Address(binary.data), binary.length, "bin->data")
    hdl.store(loaded(current(), data, vector=binary.magic == MAGICS[-1]))


@acl_api(HEADER)
def rtDevBinaryUnRegister(hdl: c.void_p) -> c.rtError:
    """Unload a registered binary. The host addresses no longer stand for its kernels; kernels that are queued still
    run.

    Returns:
        ACL_SUCCESS: unloaded.
        ACL_ERROR_RT_INVALID_HANDLE: `hdl` is no live binary.
    """
    machine = current()
    binary = live_object(machine.handles, hdl.value, Binary, "Unregistering a kernel binary", "hdl")
    unload(machine, binary)
    compiled_in = machine.part(CompiledIn)
    compiled_in.kernels = {stub: kernel for stub, kernel in compiled_in.kernels.items() if kernel.binary is not binary}


@acl_api(HEADER)
def rtFunctionRegister(
    binHandle: c.void_p,
    stubFunc: c.const_void_p,
    stubName: c.const_char_p,
    kernelInfoExt: c.kernel_info,
    funcMode: c.uint32_t,
) -> c.rtError:
    """Let a host address stand for a kernel of a binary. `kernelInfoExt` is the text with the name of the kernel; null
    or empty means the first kernel of the binary. `stubName` is only a label.

    Returns:
        ACL_SUCCESS: registered.
        ACL_ERROR_RT_PARAM_INVALID: `binHandle`, `stubFunc` or `stubName` is null.
        ACL_ERROR_RT_INVALID_HANDLE: `binHandle` is no live binary.
        ACL_ERROR_RT_KERNEL_DUPLICATE: `stubFunc` is registered already.
        ACL_ERROR_RT_INTERNAL_ERROR: the binary has no kernel of this name.
    """
    for value, name in ((binHandle.value, "binHandle"), (stubFunc.value, "stubFunc"), (stubName, "stubName")):
        if not value and value != "":
            raise null_in_runtime(NAMING, name)
    machine = current()
    binary = live_object(machine.handles, binHandle.value, Binary, NAMING, "binHandle")
    stubs = machine.part(CompiledIn).kernels
    if stubFunc.value in stubs:
        raise AclError(ACL_ERROR_RT_KERNEL_DUPLICATE)
    name = (kernelInfoExt or "") or next(iter(binary.names()), "")
    if not binary.has(name) and machine.kernels.standing_in(name) is None:
        text = f"{NAMING} failed: the binary has no kernel {name!r}"
        raise AclError(ACL_ERROR_RT_INTERNAL_ERROR, Item("EE9999", (text,)))
    stubs[stubFunc.value] = function_of(machine, binary, name)


@acl_api(HEADER, also=LAUNCHES, resource=True)
def rtKernelLaunch(
    stubFunc: c.const_void_p,
    numBlocks: c.uint32_t,
    args: c.source_void_p,
    argsSize: c.uint32_t,
    smDesc: c.source_void_p,
    stream: c.aclrtStream,
) -> c.rtError:
    """Queue the kernel of a registered host address. `args` is host memory of `argsSize` bytes, which are copied; null
    `stream` is the default stream. `smDesc` is ignored.

    The task calls the Python function that replaces the kernel. Without such a function the task fails (507015), and
    the text names the kernel.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_RT_PARAM_INVALID: `stubFunc` is null, or `numBlocks` is not in [1, 65535]; `args` cannot be read (only
            if the machine reports findings instead of raising them).
        ACL_ERROR_RT_INTERNAL_ERROR: no kernel is registered for `stubFunc`, or its binary was unloaded.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    if not stubFunc.value:
        raise null_in_runtime(LAUNCHING, "stubFunc")
    if not 1 <= numBlocks <= MOST_BLOCKS:
        raise out_of_range(LAUNCHING, numBlocks, "numBlocks", f"a value in [1, {MOST_BLOCKS}]")
    machine = current()
    kernel = machine.part(CompiledIn).kernels.get(stubFunc.value)
    if kernel is None or kernel.gone is not None:
        text = f"{LAUNCHING} failed: no kernel of a loaded binary is registered for {stubFunc.value:#x}"
        raise AclError(ACL_ERROR_RT_INTERNAL_ERROR, Item("EE9999", (text,)))
    live_stream = machine.own_stream(stream, LAUNCHING)
    check_accepts_work(live_stream)
    raw = host_bytes(args, argsSize, "args") if argsSize else b""
    submit(machine, live_stream, Launch(machine, kernel, numBlocks, raw))


@acl_api(HEADER)
def rtGetC2cCtrlAddr(addr: c.uint64_t_p, len: c.uint32_t_p) -> c.rtError:
    """Query the device memory that compiled-in kernels use to synchronise the cores of a device.

    Returns:
        ACL_SUCCESS: the address and the size in bytes are written.
        ACL_ERROR_RT_PARAM_INVALID: `addr` or `len` is null.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the product is of the 950 series.
    """
    what = "Getting the memory for the synchronisation of cores"
    for out, name in ((addr, "addr"), (len, "len")):
        if out.null:
            raise null_in_runtime(what, name)
    check_product(what)
    machine = current()
    addr.store(sync_area(machine, machine.context(what).device))
    len.store(SYNC_BYTES)


def sync_area(machine: Machine, device: Device) -> int:
    """The address of the memory, which lives as long as the machine and takes no device memory."""
    mapping = machine.sync_areas.get(device.number)
    if mapping is None:
        area = (ctypes.c_uint8 * SYNC_BYTES)()
        machine.kept.append(area)
        mapping = device.memory.map(ctypes.addressof(area), SYNC_BYTES, kept_alive=True)
        assert mapping is not None, "a machine has more addresses than memory"
        machine.sync_areas[device.number] = mapping
    return mapping.address


def register_variable(machine: Machine, binary: Binary, symbol: int, name: str, value: bytes) -> None:
    """Let a host address stand for a variable of a binary, with its first value."""
    binary.variables[name] = value
    machine.part(CompiledIn).variables[symbol] = BinaryVariable(binary, name)


def register_again(machine: Machine, compiled_in: CompiledIn) -> None:
    """Register the kernels and variables of another machine of the process, as static constructors register them only
    once."""
    binaries: dict[Binary, Binary] = {}

    def copy_of(old: Binary) -> Binary:
        if old not in binaries:
            binaries[old] = Binary(old.data, vector=old.vector, for_cpu=old.for_cpu)
            machine.handles.add(binaries[old])
        return binaries[old]

    for stub, kernel in compiled_in.kernels.items():
        machine.part(CompiledIn).kernels[stub] = function_of(machine, copy_of(kernel.binary), kernel.name)
    for symbol, (binary, name) in compiled_in.variables.items():
        if binary.gone is None:
            register_variable(machine, copy_of(binary), symbol, name, binary.variables[name])

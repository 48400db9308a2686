"""aclnn_emulator_kernel.h: functions by which C++ functions replace device kernels. The templates of the header call
them; programs use the templates.

A C++ function gets a number for its launch, which is valid while the function runs. An error that one of the functions
here finds is raised after the C++ function has returned, as an exception must not pass through it.
"""

import ctypes
from collections.abc import Callable
from typing import Any, Final

import acl_runtime.abi.c as c
from acl_runtime.api.kernel.compiled_in import register_variable
from acl_runtime.api.kernel.signature import Signature
from acl_runtime.api.kernel.stand_in import Launch
from acl_runtime.errors import UndefinedBehaviour
from acl_runtime.machine.current import current
from acl_runtime.machine.own_kernels import Kernels
from acl_runtime.memory import host
from acl_runtime.objects.binaries import Binary
from acl_runtime.process import process
from aclnn.tools.toolkit.control import control, session

HEADER: Final = "aclnn_emulator_kernel.h"
READS: Final = 1
WRITES: Final = 2
"""bits of an access"""


class NativeLaunch:
    """A launch that a C++ function works on, and the error that ends it."""

    def __init__(self, launch: Launch) -> None:
        self.launch = launch
        self.error: Exception | None = None

    def attempt(self, work: Callable[[], int | None]) -> int | None:
        """The result of some work, or None if it failed or an earlier one did."""
        if self.error is None:
            try:
                return work()
            except UndefinedBehaviour:
                raise
            except Exception as error:
                self.error = error
        return None


class NativeKernel:
    """A C++ function that replaces a device kernel."""

    def __init__(self, name: str, function: Any, data: Any, signature: Signature, microseconds: float | None) -> None:
        self._function, self._data = function, data
        self.signature = signature
        self.microseconds = microseconds
        self.__name__ = f"C++ function of {name}"

    def __call__(self, launch: Launch) -> None:
        number, native = next(session.launch_numbers), NativeLaunch(launch)
        session.launches[number] = native
        try:
            self._function(number, self._data)
        finally:
            del session.launches[number]
        if native.error is not None:
            raise native.error


def _native(launch: Any) -> NativeLaunch:
    native = session.launches.get(launch.value or 0)
    if native is None:
        raise ValueError("the function of a kernel has returned, so its launch is over")
    return native


@control(HEADER)
def aclnnEmulatorKernel(
    name: c.const_char_p,
    function: c.aclnnEmulatorKernelFunction,
    data: c.user_data,
    sizes: c.const_uint64_p,
    count: c.uint32_t,
    microseconds: c.uint64_t,
) -> c.int32_t_result:
    """Let a function replace the device kernel `name`. It is called with its launch and `data`. `sizes`: the bytes of
    each of `count` parameters. `microseconds`: the simulated time of a launch; 0 for that of its arguments. Returns
    0, or -1 for a null pointer; the reason goes to stderr."""
    if not name or function.value is None:
        raise ValueError("the name of a kernel and its function must not be null")
    raw = host.read(sizes.value, 8 * count) if count else b""
    if raw is None:
        raise ValueError("the sizes of the parameters cannot be read")
    bytes_ = (int.from_bytes(raw[8 * index : 8 * index + 8], "little") for index in range(count))
    signature = Signature({f"argument {index}": size for index, size in enumerate(bytes_)})
    process.own(Kernels)[name] = NativeKernel(name, function.value, data.value, signature, microseconds or None)
    return 0


@control(HEADER)
def aclnnEmulatorKernelBlocks(launch: c.user_data) -> c.uint32_t_result:
    """The number of blocks of a launch."""
    return _native(launch).launch.blocks


@control(HEADER)
def aclnnEmulatorKernelArguments(launch: c.user_data, target: c.void_p, size: c.uint64_t) -> c.int32_t_result:
    """Copy the arguments of a launch to `target`, at most `size` bytes. Returns 0."""
    raw = _native(launch).launch.raw[:size]
    memory = (ctypes.c_char * len(raw)).from_buffer_copy(raw)
    host.copy(target.value, False, ctypes.addressof(memory), True, len(raw))
    return 0


@control(HEADER)
def aclnnEmulatorKernelMemory(
    launch: c.user_data, address: c.const_void_p, size: c.uint64_t, access: c.uint32_t
) -> c.void_p_result:
    """The address in this process of `size` bytes of device memory that the function reads (1), writes (2) or both (3);
    null if it cannot: then return at once."""
    native = _native(launch)
    reads, writes = bool(access & READS), bool(access & WRITES)
    return native.attempt(lambda: native.launch.memory(address.value, size, reads=reads, writes=writes)) or None


@control(HEADER)
def aclnnEmulatorKernelFail(launch: c.user_data, status: c.int32_t) -> c.int32_t_result:
    """Let the task fail after the function has returned, as a trap does; `status` 0 is the usual one of the chip.
    Returns 0."""
    native = _native(launch)
    native.attempt(lambda: native.launch.fail(status))
    return 0


@control(HEADER)
def aclnnEmulatorKernelSize(launch: c.user_data, index: c.uint32_t) -> c.uint32_t_result:
    """The blocks of a launch (index 0 to 2) and the threads of a block (index 3 to 5) in each dimension."""
    launched = _native(launch).launch
    return (*launched.grid, *launched.threads)[index]


@control(HEADER)
def aclnnEmulatorKernelVariable(launch: c.user_data, name: c.const_char_p) -> c.void_p_result:
    """The address on the device of a variable of the kernel's binary; null if it has none of this name: then return at
    once."""
    native = _native(launch)
    return native.attempt(lambda: native.launch.variable(name or "")) or None


@control(HEADER)
def aclnnEmulatorVariable(
    binary: c.user_data, symbol: c.const_void_p, name: c.const_char_p, size: c.uint64_t
) -> c.int32_t_result:
    """Let a host address stand for a variable of a binary; its `size` bytes there are the first value. Returns 0, or -1
    if there is no such binary; the reason goes to stderr."""
    machine = current()
    live, value = machine.handles.find(binary.value or 0, Binary), host.read(symbol.value, size)
    if live is None or not name or value is None:
        raise ValueError(f"the variable {name} has no binary or no value")
    register_variable(machine, live, symbol.value, name, value)
    return 0

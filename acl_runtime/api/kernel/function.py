"""acl/acl_rt.h: the kernels in a binary, and their parameters."""

import acl_runtime.abi.c as c
from acl_runtime.api.kernel.binary import FINDING, function_of
from acl_runtime.api.kernel.signature import Signature
from acl_runtime.api.refusals import check_product, null, null_in_runtime, out_of_range, unsupported
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_INVALID_DEVICE_FUNCTION, ACL_ERROR_RT_PARAM_INVALID
from acl_runtime.machine.contexts import live_object
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.objects.binaries import Binary, CompiledIn, KernelFunction


def live_function(handle: int, what: str, name: str = "funcHandle") -> KernelFunction:
    """The kernel of a handle; 107017 if it is none of a loaded binary."""
    return live_object(current().handles, handle, KernelFunction, what, name)


def live_binary(handle: int, what: str) -> Binary:
    """The binary of a handle; 107017 if it is not loaded."""
    return live_object(current().handles, handle, Binary, what, "binHandle")


def check_no_cpu_kernel(function: KernelFunction, what: str) -> None:
    """107000 for a kernel of the AI CPU."""
    if function.binary.for_cpu:
        raise out_of_range(what, f"{function.number:#x}", "funcHandle", "a kernel that does not run on the AI CPU")


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtBinaryGetFunctionByEntry(
    binHandle: c.aclrtBinHandle, funcEntry: c.uint64_t, funcHandle: c.aclrtFuncHandle_p
) -> c.aclError:
    """Get a kernel of a binary by its number: the kernel whose name ends in "_" and this number.

    Returns:
        ACL_SUCCESS: `*funcHandle` is the kernel.
        ACL_ERROR_INVALID_PARAM: `binHandle` or `funcHandle` is null.
        ACL_ERROR_RT_INVALID_HANDLE: `binHandle` is no live binary.
        ACL_ERROR_RT_PARAM_INVALID: the binary has no kernel of this number, or kernels of the AI CPU.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if not binHandle:
        raise null("binHandle")
    if funcHandle.null:
        raise null("funcHandle")
    machine, binary = current(), live_binary(binHandle, FINDING)
    if binary.for_cpu:
        raise out_of_range(FINDING, f"{binHandle:#x}", "binHandle", "a binary without kernels of the AI CPU")
    machine.context(FINDING)
    funcHandle.store(by_entry(machine, binary, funcEntry).number)


def by_entry(machine: Machine, binary: Binary, entry: int) -> KernelFunction:
    """The kernel of a number; 107000 if the binary has none."""
    name = next((name for name in binary.names() if name.endswith(f"_{entry}")), None)
    if name is None:
        values = FINDING, entry, "funcEntry", f"no kernel of the binary ends in _{entry}"
        raise AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EE1011", values))
    return function_of(machine, binary, name)


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtRegisterCpuFunc(
    handle: c.const_aclrtBinHandle,
    funcName: c.const_char_p,
    kernelName: c.const_char_p,
    funcHandle: c.aclrtFuncHandle_p,
) -> c.aclError:
    """Register a function of the AI CPU, `funcName`, as a kernel of a binary.

    Returns:
        ACL_SUCCESS: `*funcHandle` is the kernel.
        ACL_ERROR_INVALID_PARAM: an argument is null.
        ACL_ERROR_RT_INVALID_HANDLE: `handle` is no live binary.
        ACL_ERROR_RT_PARAM_INVALID: the binary was not loaded for the AI CPU.
    """
    what = "Registering a kernel of the AI CPU"
    for missing, name in (
        (not handle, "handle"),
        (funcName is None, "funcName"),
        (kernelName is None, "kernelName"),
        (funcHandle.null, "funcHandle"),
    ):
        if missing:
            raise null(name)
    machine, binary = current(), live_object(current().handles, handle, Binary, what, "handle")
    if not binary.for_cpu:
        raise out_of_range(what, f"{handle:#x}", "handle", "a binary with kernels of the AI CPU")
    funcHandle.store(function_of(machine, binary, kernelName or "").number)


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtFunctionGetBinary(funcHandle: c.const_aclrtFuncHandle, binHandle: c.aclrtBinHandle_p) -> c.aclError:
    """Get the binary of a kernel.

    Returns:
        ACL_SUCCESS: `*binHandle` is the binary.
        ACL_ERROR_RT_PARAM_INVALID: `funcHandle` or `binHandle` is null.
        ACL_ERROR_RT_INVALID_HANDLE: `funcHandle` is no kernel of a loaded binary.
    """
    what = "Getting the binary of a kernel"
    for missing, name in ((not funcHandle, "funcHandle"), (binHandle.null, "binHandle")):
        if missing:
            raise null_in_runtime(what, name)
    binHandle.store(live_function(funcHandle, what).binary.number)


def described(function: KernelFunction, what: str, name: str = "func") -> Signature:
    """The parameters of a kernel, by the function that replaces it: 207000 on the AI CPU, 107000 without a
    signature."""
    if function.binary.for_cpu:
        raise unsupported(what, "the kernel runs on the AI CPU")
    signature = getattr(current().kernels.standing_in(function.name), "signature", None)
    if signature is None:
        expected = f'a kernel with known parameters, such as machine.kernels["{function.name}"] = Kernel(...)'
        raise out_of_range(what, function.name, name, expected)
    return signature


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtFunctionGetParamCount(func: c.const_void_p, paramCount: c.size_t_p) -> c.aclError:
    """Query the number of a kernel's parameters, which the function that replaces the kernel states.

    Returns:
        ACL_SUCCESS: the number is written.
        ACL_ERROR_INVALID_PARAM: `func` or `paramCount` is null.
        ACL_ERROR_RT_INVALID_HANDLE: `func` is no kernel of a loaded binary.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the kernel is one of the AI CPU.
        ACL_ERROR_RT_PARAM_INVALID: nothing states the parameters of the kernel.
    """
    what = "Getting the number of a kernel's parameters"
    if not func.value:
        raise null("func")
    if paramCount.null:
        raise null("paramCount")
    paramCount.store(len(described(live_function(func.value, what, "func"), what).sizes))


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtFunctionGetParamInfo(
    func: c.const_void_p, paramIndex: c.size_t, paramOffset: c.size_t_p, paramSize: c.size_t_p
) -> c.aclError:
    """Query offset and size in bytes of a kernel's parameter, which the function that replaces the kernel states.

    Returns:
        ACL_SUCCESS: both are written.
        ACL_ERROR_INVALID_PARAM: `func`, `paramOffset` or `paramSize` is null.
        ACL_ERROR_RT_INVALID_HANDLE: `func` is no kernel of a loaded binary.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the kernel is one of the AI CPU.
        ACL_ERROR_RT_PARAM_INVALID: nothing states the parameters of the kernel, or there is none with this index.
    """
    what = "Getting a kernel's parameter"
    for missing, name in ((not func.value, "func"), (paramOffset.null, "paramOffset"), (paramSize.null, "paramSize")):
        if missing:
            raise null(name)
    parameters = list(described(live_function(func.value, what, "func"), what).offsets())
    if paramIndex >= len(parameters):
        raise out_of_range(what, paramIndex, "paramIndex", f"a value in [0, {len(parameters)})")
    _, offset, size = parameters[paramIndex]
    paramOffset.store(offset)
    paramSize.store(size)


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtGetFuncBySymbol(symbol: c.const_void_p, funcHandle: c.aclrtFuncHandle_p) -> c.aclError:
    """Get the kernel for which a host address stands (rtFunctionRegister).

    Returns:
        ACL_SUCCESS: `*funcHandle` is the kernel.
        ACL_ERROR_INVALID_PARAM: `symbol` or `funcHandle` is null.
        ACL_ERROR_RT_INVALID_DEVICE_FUNCTION: no kernel is registered for the address.
    """
    what = "Getting a kernel by its symbol"
    if not symbol.value:
        raise null("symbol")
    if funcHandle.null:
        raise null("funcHandle")
    check_product(what)
    kernel = current().part(CompiledIn).kernels.get(symbol.value)
    if kernel is None or kernel.gone is not None:
        text = f"{what} failed: no kernel of a loaded binary is registered for {symbol.value:#x}"
        raise AclError(ACL_ERROR_RT_INVALID_DEVICE_FUNCTION, Item("EE9999", (text,)))
    funcHandle.store(kernel.number)

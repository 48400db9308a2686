"""acl/acl_rt.h: attributes of kernels, and the data of a binary on a device."""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Out
from acl_runtime.api.kernel.function import check_no_cpu_kernel, live_binary, live_function
from acl_runtime.api.kernel.stand_in import data_on_device
from acl_runtime.api.memory.buffers import store
from acl_runtime.api.refusals import check_product, invalid, lacking, null, null_in_runtime, out_of_range, unsupported
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import aclrtFuncAttribute, aclrtKernelType
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_SYMBOL_NOT_FOUND
from acl_runtime.machine.current import current
from acl_runtime.objects.binaries import Binary, KernelFunction
from acl_runtime.objects.soc import Series
from acl_runtime.streams.stream import Device

PART: Final = 32
"""our choice: the size of each part of a kernel, and the distance of the addresses of the two parts"""
WITHOUT_RATIO: Final = (Series.TRAINING, Series.A200I_500_A2)


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtGetFunctionAddr(funcHandle: c.aclrtFuncHandle, aicAddr: c.void_pp, aivAddr: c.void_pp) -> c.aclError:
    """Query the addresses of a kernel's code for cube cores and for vector cores; null for a part that the kernel
    lacks. The addresses only name the kernel: no code is there.

    Returns:
        ACL_SUCCESS: the outputs are written.
        ACL_ERROR_INVALID_PARAM: `funcHandle`, `aicAddr` or `aivAddr` is null.
        ACL_ERROR_RT_INVALID_HANDLE: `funcHandle` is no kernel of a loaded binary.
        ACL_ERROR_RT_PARAM_INVALID: the kernel is one of the AI CPU.
    """
    if not funcHandle:
        raise null("funcHandle")
    for out, name in ((aicAddr, "aicAddr"), (aivAddr, "aivAddr")):
        if out.null:
            raise null(name)
    what = "Getting the address of a kernel"
    function = live_function(funcHandle, what)
    check_no_cpu_kernel(function, what)
    aicAddr.store(function.number if function.cube else 0)
    aivAddr.store(function.number + PART if function.vector else 0)


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtGetFunctionSize(funcHandle: c.aclrtFuncHandle, aicSize: c.size_t_p, aivSize: c.size_t_p) -> c.aclError:
    """Query the bytes of a kernel's code for cube cores and for vector cores; 0 for a part that the kernel lacks. No
    code is there, so each part has the same size.

    Returns:
        ACL_SUCCESS: the outputs are written.
        ACL_ERROR_RT_PARAM_INVALID: an argument is null, or the kernel is one of the AI CPU.
        ACL_ERROR_RT_INVALID_HANDLE: `funcHandle` is no kernel of a loaded binary.
    """
    what = "Getting the size of a kernel"
    for missing, name in ((not funcHandle, "funcHandle"), (aicSize.null, "aicSize"), (aivSize.null, "aivSize")):
        if missing:
            raise null_in_runtime(what, name)
    check_product(what)
    function = live_function(funcHandle, what)
    check_no_cpu_kernel(function, what)
    aicSize.store(PART if function.cube else 0)
    aivSize.store(PART if function.vector else 0)


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtGetFunctionName(funcHandle: c.aclrtFuncHandle, maxLen: c.uint32_t, name: c.target_char_p) -> c.aclError:
    """Write the name of a kernel, with its end, into `maxLen` bytes.

    Returns:
        ACL_SUCCESS: written.
        ACL_ERROR_INVALID_PARAM: `name` is null.
        ACL_ERROR_RT_PARAM_INVALID: `funcHandle` is null, or `maxLen` is too small; `name` cannot be written (only if
            the machine reports findings instead of raising them).
        ACL_ERROR_RT_INVALID_HANDLE: `funcHandle` is no kernel of a loaded binary.
    """
    what = "Getting the name of a kernel"
    if not name.value:
        raise null("name")
    if not funcHandle:
        raise null_in_runtime(what, "funcHandle")
    text = live_function(funcHandle, what).name.encode(errors="surrogateescape") + b"\0"
    if maxLen < len(text):
        raise out_of_range(what, maxLen, "maxLen", f"a value of at least {len(text)}")
    store(name, text, "name")


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtGetFunctionAttribute(
    funcHandle: c.aclrtFuncHandle, attrType: c.aclrtFuncAttribute, attrValue: c.int64_t_p
) -> c.aclError:
    """Query an attribute of a kernel: its aclrtKernelType; its ratio of cores and its mode of scheduling read 0.

    Returns:
        ACL_SUCCESS: the value is written.
        ACL_ERROR_INVALID_PARAM: `funcHandle` or `attrValue` is null.
        ACL_ERROR_RT_INVALID_HANDLE: `funcHandle` is no kernel of a loaded binary.
        ACL_ERROR_RT_PARAM_INVALID: `attrType` is unknown.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the ratio, on Atlas training series and Atlas 200I/500 A2 inference products.
    """
    what = "Getting an attribute of a kernel"
    if not funcHandle:
        raise null("funcHandle")
    if attrValue.null:
        raise null("attrValue")
    function = live_function(funcHandle, what)
    kinds = aclrtFuncAttribute
    if attrType not in list(kinds):
        raise out_of_range(what, attrType, "attrType", "a value in [1, 3]")
    if attrType == kinds.ACL_FUNC_ATTR_KERNEL_RATIO and current().soc.series in WITHOUT_RATIO:
        raise lacking(what, "the ratio of cores", f"{current().soc.label} has no mixed kernels")
    attrValue.store(_kind(function) if attrType == kinds.ACL_FUNC_ATTR_KERNEL_TYPE else 0)


def _kind(function: KernelFunction) -> int:
    if function.binary.for_cpu:
        return aclrtKernelType.ACL_KERNEL_TYPE_AICPU
    if function.cube and function.vector:
        return aclrtKernelType.ACL_KERNEL_TYPE_MIX
    if function.vector:
        return aclrtKernelType.ACL_KERNEL_TYPE_VECTOR
    return aclrtKernelType.ACL_KERNEL_TYPE_CUBE if function.mixed else aclrtKernelType.ACL_KERNEL_TYPE_AICORE


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtBinaryGetDevAddress(binHandle: c.const_aclrtBinHandle, binAddr: c.void_pp, binSize: c.size_t_p) -> c.aclError:
    """Query address and size of a binary on the current device.

    Returns:
        ACL_SUCCESS: both are written.
        ACL_ERROR_INVALID_PARAM: `binHandle` is null.
        ACL_ERROR_RT_PARAM_INVALID: `binAddr` or `binSize` is null.
        ACL_ERROR_RT_INVALID_HANDLE: `binHandle` is no live binary.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    what = "Getting the address of a kernel binary"
    if not binHandle:
        raise null("binHandle")
    for out, name in ((binAddr, "binAddr"), (binSize, "binSize")):
        if out.null:
            raise null_in_runtime(what, name)
    binary, device = live_binary(binHandle, what), current().context(what).device
    _show(binary, device, "", binAddr, binSize)


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtBinaryGetGlobal(
    binHandle: c.aclrtBinHandle, name: c.const_char_p, dptr: c.void_pp, size: c.size_t_p
) -> c.aclError:
    """Query address and size of a global variable of a binary on the current device. One of the outputs may be null.

    Returns:
        ACL_SUCCESS: written.
        ACL_ERROR_INVALID_PARAM: `binHandle` or `name` is null, or both outputs are.
        ACL_ERROR_RT_INVALID_HANDLE: `binHandle` is no live binary.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the binary has kernels of the AI CPU.
        ACL_ERROR_RT_SYMBOL_NOT_FOUND: the binary has no variable of this name.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    what = "Getting a variable of a kernel binary"
    if not binHandle:
        raise null("binHandle")
    if name is None:
        raise null("name")
    if dptr.null and size.null:
        raise invalid("null", "dptr and size", "one address of an output")
    binary = live_binary(binHandle, what)
    if binary.for_cpu:
        raise unsupported(what, "the binary has kernels of the AI CPU")
    device = current().context(what).device
    if name not in binary.variables:
        text = f"{what} failed: the binary has no variable {name}"
        raise AclError(ACL_ERROR_RT_SYMBOL_NOT_FOUND, Item("EE9999", (text,)))
    _show(binary, device, name, dptr, size)


def _show(binary: Binary, device: Device, name: str, address: Out[int], size: Out[int]) -> None:
    """Write address and size of data of a binary."""
    start, count = data_on_device(device, binary, name)
    if not address.null:
        address.store(start)
    if not size.null:
        size.store(count)

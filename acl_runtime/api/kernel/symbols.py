"""acl/acl_rt.h: variables of compiled-in kernels, by the host addresses that stand for them (symbols)."""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Address
from acl_runtime.api.capture_refusals import BLOCKS, UNSAFE
from acl_runtime.api.kernel.stand_in import data_on_device
from acl_runtime.api.memory.copy import D2H, H2D, copy_now
from acl_runtime.api.memory.copy_async import DEFAULT, copy_async
from acl_runtime.api.outcomes import EITHER, NO_HOST_MEMORY
from acl_runtime.api.refusals import check_product, invalid, null
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import aclrtMemcpyKind
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_INVALID_SYMBOL, ACL_ERROR_RT_SYMBOL_NOT_FOUND
from acl_runtime.machine.current import current
from acl_runtime.objects.binaries import BinaryVariable, CompiledIn

HEADER: Final = "acl/acl_rt.h"
LOOKING_UP: Final = "Getting a variable by its symbol"


def _variable(symbol: Address) -> BinaryVariable:
    """The variable of a symbol: 107043 if the address stands for none, 107042 if its binary was unloaded."""
    check_product(LOOKING_UP)
    variable = current().part(CompiledIn).variables.get(symbol.value)
    if variable is None:
        text = f"{LOOKING_UP} failed: no variable of the device is registered for {symbol.value:#x}"
        raise AclError(ACL_ERROR_RT_INVALID_SYMBOL, Item("EE9999", (text,)))
    if variable.binary.gone is not None:
        text = f"{LOOKING_UP} failed: the binary with the variable {variable.name} was unloaded"
        raise AclError(ACL_ERROR_RT_SYMBOL_NOT_FOUND, Item("EE9999", (text,)))
    return variable


def _address(variable: BinaryVariable) -> int:
    """The address of a variable on the current device."""
    return data_on_device(current().context(LOOKING_UP).device, variable.binary, variable.name)[0]


def _check(kind: int, direction: aclrtMemcpyKind, **pointers: Address) -> None:
    """The checks of a copy before the look-up: null pointers, and a kind that is neither the direction nor the
    default."""
    for name, pointer in pointers.items():
        if not pointer.value:
            raise null(name)
    if kind not in (direction, DEFAULT):
        raise invalid(kind, "kind", f"{direction.name} ({direction}) or {DEFAULT.name} ({DEFAULT})")


def _part(symbol: Address, offset: int, count: int) -> Address:
    """The address on the current device of `count` bytes of a variable."""
    variable = _variable(symbol)
    size = len(variable.binary.variables[variable.name])
    if offset + count > size:
        raise invalid(offset + count, "offset + count", f"at most {size}, the bytes of {variable.name}")
    return Address(_address(variable) + offset)


@acl_api(HEADER, pyacl=None)
def aclrtGetSymbolAddress(symbol: c.const_void_p, devPtr: c.void_pp) -> c.aclError:
    """Query the address of a variable of compiled-in kernels on the current device. `symbol` is the host address that
    stands for the variable.

    Returns:
        ACL_SUCCESS: the address is written.
        ACL_ERROR_INVALID_PARAM: `symbol` or `devPtr` is null.
        ACL_ERROR_RT_INVALID_SYMBOL: `symbol` stands for no variable of the device.
        ACL_ERROR_RT_SYMBOL_NOT_FOUND: the binary with the variable was unloaded.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if not symbol.value:
        raise null("symbol")
    if devPtr.null:
        raise null("devPtr")
    devPtr.store(_address(_variable(symbol)))


@acl_api(HEADER, pyacl=None)
def aclrtGetSymbolSize(symbol: c.const_void_p, size: c.size_t_p) -> c.aclError:
    """Query the bytes of a variable of compiled-in kernels. No context is needed.

    Returns:
        ACL_SUCCESS: the size is written.
        ACL_ERROR_INVALID_PARAM: `symbol` or `size` is null.
        ACL_ERROR_RT_INVALID_SYMBOL: `symbol` stands for no variable of the device.
        ACL_ERROR_RT_SYMBOL_NOT_FOUND: the binary with the variable was unloaded.
    """
    if not symbol.value:
        raise null("symbol")
    if size.null:
        raise null("size")
    variable = _variable(symbol)
    size.store(len(variable.binary.variables[variable.name]))


@acl_api(HEADER, also=NO_HOST_MEMORY + UNSAFE, pyacl=None)
def aclrtMemcpyToSymbol(
    symbol: c.const_void_p, src: c.const_void_p, count: c.size_t, offset: c.size_t, kind: c.aclrtMemcpyKind
) -> c.aclError:
    """Copy `count` bytes at once to a variable of compiled-in kernels, from its byte `offset` on.

    Returns:
        ACL_SUCCESS: copied; also for `count` 0, when nothing else is checked.
        ACL_ERROR_INVALID_PARAM: `symbol` or `src` is null, `kind` is neither ACL_MEMCPY_HOST_TO_DEVICE nor
            ACL_MEMCPY_DEFAULT, or the bytes lie beyond the variable.
        ACL_ERROR_RT_INVALID_SYMBOL: `symbol` stands for no variable of the device.
        ACL_ERROR_RT_SYMBOL_NOT_FOUND: the binary with the variable was unloaded.
        ACL_ERROR_RT_PARAM_INVALID: `src` is no live device memory.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if count:
        _check(kind, H2D, symbol=symbol, src=src)
        copy_now(_part(symbol, offset, count), count, src, count, kind)


@acl_api(HEADER, also=NO_HOST_MEMORY + UNSAFE, pyacl=None)
def aclrtMemcpyFromSymbol(
    dst: c.void_p, symbol: c.const_void_p, count: c.size_t, offset: c.size_t, kind: c.aclrtMemcpyKind
) -> c.aclError:
    """Copy `count` bytes at once from a variable of compiled-in kernels, from its byte `offset` on.

    Returns:
        ACL_SUCCESS: copied; also for `count` 0, when nothing else is checked.
        ACL_ERROR_INVALID_PARAM: `dst` or `symbol` is null, `kind` is neither ACL_MEMCPY_DEVICE_TO_HOST nor
            ACL_MEMCPY_DEFAULT, or the bytes lie beyond the variable.
        ACL_ERROR_RT_INVALID_SYMBOL: `symbol` stands for no variable of the device.
        ACL_ERROR_RT_SYMBOL_NOT_FOUND: the binary with the variable was unloaded.
        ACL_ERROR_RT_PARAM_INVALID: `dst` is no live device memory.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if count:
        _check(kind, D2H, dst=dst, symbol=symbol)
        copy_now(dst, count, _part(symbol, offset, count), count, kind)


@acl_api(HEADER, also=EITHER + BLOCKS, resource=True, pyacl=None)
def aclrtMemcpyToSymbolAsync(
    symbol: c.const_void_p,
    src: c.const_void_p,
    count: c.size_t,
    offset: c.size_t,
    kind: c.aclrtMemcpyKind,
    stream: c.aclrtStream,
) -> c.aclError:
    """Queue a copy of `count` bytes to a variable of compiled-in kernels, from its byte `offset` on. Null `stream` is
    the default stream. As with aclrtMemcpyAsync, the call blocks for host memory that is not pinned.

    Returns:
        ACL_SUCCESS: queued or copied; also for `count` 0, when nothing else is checked.
        ACL_ERROR_INVALID_PARAM: `symbol` or `src` is null, `kind` is neither ACL_MEMCPY_HOST_TO_DEVICE nor
            ACL_MEMCPY_DEFAULT, or the bytes lie beyond the variable.
        ACL_ERROR_RT_INVALID_SYMBOL: `symbol` stands for no variable of the device.
        ACL_ERROR_RT_SYMBOL_NOT_FOUND: the binary with the variable was unloaded.
        ACL_ERROR_RT_PARAM_INVALID: `src` is no live device memory.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    if count:
        _check(kind, H2D, symbol=symbol, src=src)
        copy_async(_part(symbol, offset, count), count, src, count, kind, stream)


@acl_api(HEADER, also=EITHER + BLOCKS, resource=True, pyacl=None)
def aclrtMemcpyFromSymbolAsync(
    dst: c.void_p,
    symbol: c.const_void_p,
    count: c.size_t,
    offset: c.size_t,
    kind: c.aclrtMemcpyKind,
    stream: c.aclrtStream,
) -> c.aclError:
    """Queue a copy of `count` bytes from a variable of compiled-in kernels, from its byte `offset` on. Null `stream` is
    the default stream. As with aclrtMemcpyAsync, the call blocks for host memory that is not pinned.

    Returns:
        ACL_SUCCESS: queued or copied; also for `count` 0, when nothing else is checked.
        ACL_ERROR_INVALID_PARAM: `dst` or `symbol` is null, `kind` is neither ACL_MEMCPY_DEVICE_TO_HOST nor
            ACL_MEMCPY_DEFAULT, or the bytes lie beyond the variable.
        ACL_ERROR_RT_INVALID_SYMBOL: `symbol` stands for no variable of the device.
        ACL_ERROR_RT_SYMBOL_NOT_FOUND: the binary with the variable was unloaded.
        ACL_ERROR_RT_PARAM_INVALID: `dst` is no live device memory.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    if count:
        _check(kind, D2H, dst=dst, symbol=symbol)
        copy_async(dst, count, _part(symbol, offset, count), count, kind, stream)

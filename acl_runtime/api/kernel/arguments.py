"""acl/acl_rt.h: lists of arguments for launches of kernels."""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.api.kernel.function import live_function
from acl_runtime.api.live_objects import host_bytes
from acl_runtime.api.refusals import invalid, null, out_of_range, unsupported
from acl_runtime.boundary import acl_api
from acl_runtime.machine.contexts import live_object
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.objects.argument_lists import MOST_PARAMETERS, SLOT, ArgumentList, KernelArgument
from acl_runtime.objects.binaries import KernelFunction
from acl_runtime.text import Text

BEGINNING: Final = "Beginning an argument list"
ADDING: Final = "Adding an argument"
BUFFERING: Final = "Getting the buffer of a place holder"
UPDATING: Final = "Updating an argument"
FINISHING: Final = "Completing an argument list"
MEASURING: Final = "Getting the size of an argument list"
RECORD: Final = 64
"""our choice: the bytes of a list in memory of the program, and of each of its parameters"""


def live_list(machine: Machine, handle: int, what: str) -> ArgumentList:
    """The list behind a handle, or in memory of the program; 107017 if there is none."""
    own = machine.argument_lists.get(handle)
    return own or live_object(machine.handles, handle, ArgumentList, what, "argsHandle")


def _parameter(machine: Machine, arguments: ArgumentList, handle: int, what: str) -> KernelArgument:
    parameter = live_object(machine.handles, handle, KernelArgument, what, "paramHandle")
    if parameter not in arguments.parameters:
        raise out_of_range(what, f"{handle:#x}", "paramHandle", f"a parameter of {arguments}")
    return parameter


def _parameters(function: KernelFunction) -> int:
    """The most parameters of a list in memory of the program."""
    signature = getattr(current().kernels.standing_in(function.name), "signature", None)
    return MOST_PARAMETERS if function.binary.for_cpu or signature is None else len(signature.sizes)


def _empty(machine: Machine, arguments: ArgumentList, function: KernelFunction) -> None:
    for parameter in arguments.parameters:
        machine.handles.remove(parameter, Text("over when the list began anew"))
    arguments.begin(function)


@acl_api("acl/acl_rt.h")
def aclrtKernelArgsInit(funcHandle: c.aclrtFuncHandle, argsHandle: c.aclrtArgsHandle_p) -> c.aclError:
    """Begin a list of arguments for a kernel. Each thread has one list: the next call in the thread empties it. It has
    at most 128 parameters and 64 KiB.

    Returns:
        ACL_SUCCESS: `*argsHandle` is the list.
        ACL_ERROR_INVALID_PARAM: `funcHandle` or `argsHandle` is null.
        ACL_ERROR_RT_INVALID_HANDLE: `funcHandle` is no kernel of a loaded binary.
    """
    if not funcHandle:
        raise null("funcHandle")
    if argsHandle.null:
        raise null("argsHandle")
    machine, function = current(), live_function(funcHandle, BEGINNING)
    thread = machine.thread()
    arguments = thread.arguments
    if arguments is not None:
        _empty(machine, arguments, function)
    else:
        arguments = thread.arguments = ArgumentList(function)
        machine.handles.add(arguments)
    argsHandle.store(arguments.number)


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtKernelArgsGetHandleMemSize(funcHandle: c.aclrtFuncHandle, memSize: c.size_t_p) -> c.aclError:
    """Query the bytes that a program has to supply as `argsHandle` of aclrtKernelArgsInitByUserMem.

    Returns:
        ACL_SUCCESS: the size is written.
        ACL_ERROR_INVALID_PARAM: `funcHandle` or `memSize` is null.
        ACL_ERROR_RT_INVALID_HANDLE: `funcHandle` is no kernel of a loaded binary.
    """
    if not funcHandle:
        raise null("funcHandle")
    if memSize.null:
        raise null("memSize")
    memSize.store(RECORD * (1 + _parameters(live_function(funcHandle, MEASURING))))


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtKernelArgsGetMemSize(
    funcHandle: c.aclrtFuncHandle, userArgsSize: c.size_t, actualArgsSize: c.size_t_p
) -> c.aclError:
    """Query the bytes that a program has to supply as `userHostMem` of aclrtKernelArgsInitByUserMem for arguments of
    `userArgsSize` bytes.

    Returns:
        ACL_SUCCESS: the size is written.
        ACL_ERROR_INVALID_PARAM: `funcHandle` or `actualArgsSize` is null.
        ACL_ERROR_RT_INVALID_HANDLE: `funcHandle` is no kernel of a loaded binary.
    """
    if not funcHandle:
        raise null("funcHandle")
    if actualArgsSize.null:
        raise null("actualArgsSize")
    function = live_function(funcHandle, MEASURING)
    actualArgsSize.store(-(-userArgsSize // SLOT) * SLOT + SLOT * _parameters(function))


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtKernelArgsInitByUserMem(
    funcHandle: c.aclrtFuncHandle, argsHandle: c.aclrtArgsHandle, userHostMem: c.void_p, actualArgsSize: c.size_t
) -> c.aclError:
    """Begin a list of arguments in memory of the program. `argsHandle` is the address of this memory, and then the
    handle of the list; `userHostMem` has `actualArgsSize` bytes for the arguments.

    Returns:
        ACL_SUCCESS: the list is empty.
        ACL_ERROR_INVALID_PARAM: `funcHandle`, `argsHandle` or `userHostMem` is null, or `actualArgsSize` is 0.
        ACL_ERROR_RT_INVALID_HANDLE: `funcHandle` is no kernel of a loaded binary.
    """
    if not funcHandle:
        raise null("funcHandle")
    if not argsHandle:
        raise null("argsHandle")
    if not userHostMem.value:
        raise null("userHostMem")
    if not actualArgsSize:
        raise invalid(0, "actualArgsSize", "a value greater than 0")
    machine, function = current(), live_function(funcHandle, BEGINNING)
    old = machine.argument_lists.get(argsHandle)
    if old is not None:
        _empty(machine, old, function)
    machine.argument_lists[argsHandle] = ArgumentList(
        function, _parameters(function), actualArgsSize, userHostMem.value
    )


@acl_api("acl/acl_rt.h")
def aclrtKernelArgsAppend(
    argsHandle: c.aclrtArgsHandle, param: c.source_void_p, paramSize: c.size_t, paramHandle: c.aclrtParamHandle_p
) -> c.aclError:
    """Add an argument of `paramSize` bytes of the host, which are copied. It begins at a multiple of 8 bytes; for a
    kernel of the AI CPU, directly after the one before.

    Returns:
        ACL_SUCCESS: `*paramHandle` is the argument.
        ACL_ERROR_INVALID_PARAM: `argsHandle`, `param` or `paramHandle` is null, or `paramSize` is 0.
        ACL_ERROR_RT_INVALID_HANDLE: `argsHandle` is no argument list.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the list is complete, or has the buffer of a place holder.
        ACL_ERROR_RT_PARAM_INVALID: the list has too many arguments or bytes; `param` cannot be read (only if the
            machine reports findings instead of raising them).
    """
    if not argsHandle:
        raise null("argsHandle")
    if not param.value:
        raise null("param")
    if not paramSize:
        raise invalid(0, "paramSize", "a value greater than 0")
    if paramHandle.null:
        raise null("paramHandle")
    machine = current()
    arguments = live_list(machine, argsHandle, ADDING)
    _check_room(arguments, paramSize)
    parameter = arguments.append(host_bytes(param, paramSize, "param"))
    paramHandle.store(machine.handles.add(parameter))


def _check_room(arguments: ArgumentList, size: int) -> None:
    if arguments.closed:
        raise unsupported(ADDING, f"{arguments} is complete, or has the buffer of a place holder")
    if len(arguments.parameters) >= arguments.most:
        count = len(arguments.parameters)
        raise out_of_range(ADDING, count + 1, "the number of arguments", f"at most {arguments.most}")
    if not arguments.fits(size):
        raise out_of_range(ADDING, size, "paramSize", f"at most {arguments.room} bytes in the list")


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtKernelArgsAppendPlaceHolder(argsHandle: c.aclrtArgsHandle, paramHandle: c.aclrtParamHandle_p) -> c.aclError:
    """Add a pointer whose data the program writes to the buffer of aclrtKernelArgsGetPlaceHolderBuffer. A launch copies
    the data to the device, and the kernel gets their address there.

    Returns:
        ACL_SUCCESS: `*paramHandle` is the argument.
        ACL_ERROR_INVALID_PARAM: `argsHandle` or `paramHandle` is null.
        ACL_ERROR_RT_INVALID_HANDLE: `argsHandle` is no argument list.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the list is complete, or has the buffer of a place holder.
        ACL_ERROR_RT_PARAM_INVALID: the list has too many arguments or bytes.
    """
    if not argsHandle:
        raise null("argsHandle")
    if paramHandle.null:
        raise null("paramHandle")
    machine = current()
    arguments = live_list(machine, argsHandle, ADDING)
    _check_room(arguments, SLOT)
    paramHandle.store(machine.handles.add(arguments.append(bytes(SLOT), placeholder=True)))


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtKernelArgsGetPlaceHolderBuffer(
    argsHandle: c.aclrtArgsHandle, paramHandle: c.aclrtParamHandle, dataSize: c.size_t, bufferAddr: c.void_pp
) -> c.aclError:
    """Get `dataSize` bytes of the host for the data of a place holder. No argument can be added afterwards.

    Returns:
        ACL_SUCCESS: `*bufferAddr` is the buffer, which lives as long as the list.
        ACL_ERROR_INVALID_PARAM: `argsHandle`, `paramHandle` or `bufferAddr` is null, or `dataSize` is 0.
        ACL_ERROR_RT_INVALID_HANDLE: `argsHandle` is no argument list, or `paramHandle` no argument.
        ACL_ERROR_RT_PARAM_INVALID: the argument is no place holder, is of another list, or the data do not fit.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the list is complete.
    """
    if not argsHandle:
        raise null("argsHandle")
    if not paramHandle:
        raise null("paramHandle")
    if not dataSize:
        raise invalid(0, "dataSize", "a value greater than 0")
    if bufferAddr.null:
        raise null("bufferAddr")
    machine = current()
    arguments = live_list(machine, argsHandle, BUFFERING)
    parameter = _parameter(machine, arguments, paramHandle, BUFFERING)
    if not parameter.placeholder:
        raise out_of_range(BUFFERING, f"{paramHandle:#x}", "paramHandle", "a place holder")
    if arguments.final:
        raise unsupported(BUFFERING, f"{arguments} is complete")
    if not arguments.fits(dataSize):
        raise out_of_range(BUFFERING, dataSize, "dataSize", f"at most {arguments.room} bytes in the list")
    bufferAddr.store(arguments.buffer(parameter, dataSize))


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtKernelArgsParaUpdate(
    argsHandle: c.aclrtArgsHandle, paramHandle: c.aclrtParamHandle, param: c.source_void_p, paramSize: c.size_t
) -> c.aclError:
    """Replace the bytes of an argument. Call aclrtKernelArgsFinalize again before the next launch.

    Returns:
        ACL_SUCCESS: replaced.
        ACL_ERROR_INVALID_PARAM: `argsHandle`, `paramHandle` or `param` is null, or `paramSize` is 0.
        ACL_ERROR_RT_INVALID_HANDLE: `argsHandle` is no argument list, or `paramHandle` no argument.
        ACL_ERROR_RT_PARAM_INVALID: the argument is a place holder, is of another list or has another size; `param`
            cannot be read (only if the machine reports findings instead of raising them).
    """
    if not argsHandle:
        raise null("argsHandle")
    if not paramHandle:
        raise null("paramHandle")
    if not param.value:
        raise null("param")
    if not paramSize:
        raise invalid(0, "paramSize", "a value greater than 0")
    machine = current()
    arguments = live_list(machine, argsHandle, UPDATING)
    parameter = _parameter(machine, arguments, paramHandle, UPDATING)
    if parameter.placeholder:
        raise out_of_range(UPDATING, f"{paramHandle:#x}", "paramHandle", "an argument that is no place holder")
    if parameter.size != paramSize:
        raise out_of_range(UPDATING, paramSize, "paramSize", f"{parameter.size}, the size of the argument")
    arguments.replace(parameter, host_bytes(param, paramSize, "param"))


@acl_api("acl/acl_rt.h")
def aclrtKernelArgsFinalize(argsHandle: c.aclrtArgsHandle) -> c.aclError:
    """Complete a list of arguments, so that it can be launched.

    Returns:
        ACL_SUCCESS: complete.
        ACL_ERROR_INVALID_PARAM: `argsHandle` is null.
        ACL_ERROR_RT_INVALID_HANDLE: `argsHandle` is no argument list.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if not argsHandle:
        raise null("argsHandle")
    machine = current()
    arguments = live_list(machine, argsHandle, FINISHING)
    machine.context(FINISHING)
    arguments.final = arguments.closed = True

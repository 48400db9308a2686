"""acl/acl_rt.h: launches of kernels by handle."""

import ctypes
from collections.abc import Sequence
from typing import Final

import acl_runtime.abi.c as c
import acl_runtime.headers.structs as s
from acl_runtime.abi.pointers import Address, Values
from acl_runtime.api.kernel.arguments import live_list
from acl_runtime.api.kernel.function import described, live_function
from acl_runtime.api.kernel.queueing import launch_with_data, submit
from acl_runtime.api.kernel.signature import Signature
from acl_runtime.api.kernel.stand_in import Launch
from acl_runtime.api.live_objects import host_bytes
from acl_runtime.api.memory.buffers import load
from acl_runtime.api.meta.objects import take
from acl_runtime.api.outcomes import LAUNCHES
from acl_runtime.api.refusals import invalid, null, out_of_range
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import aclrtLaunchKernelAttrId as Id
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_PARAM_INVALID
from acl_runtime.machine.current import current
from acl_runtime.objects.argument_lists import SLOT
from acl_runtime.objects.binaries import KernelFunction
from acl_runtime.objects.soc import Series
from acl_runtime.streams.stream import Stream
from acl_runtime.streams.surfacing import check_accepts_work

LAUNCHING: Final = "Launching a kernel"
LIMITS: Final = {
    Id.ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE: ("schemMode", 2),
    Id.ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH: ("blockTaskPrefetch", 1),
    Id.ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP: ("dataDump", 1),
    Id.ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING: ("enableProfiling", 1),
}
"""the attributes with a greatest value"""
TIMEOUTS: Final = {Id.ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, Id.ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US}
MIXED_ON_310P: Final = {Id.ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE, Id.ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET}
"""attributes that a mixed kernel needs on the Atlas inference series"""


def own_stream(handle: int) -> Stream:
    """The stream of a launch, which accepts work."""
    live_stream = current().own_stream(handle, LAUNCHING)
    check_accepts_work(live_stream)
    return live_stream


def configuration(pointer: Address, function: KernelFunction) -> dict[int, bytes]:
    """The values of a configuration by the ids of their attributes; 107000 for one that is not valid. Unknown
    attributes are ignored."""
    seen: dict[int, bytes] = {}
    if pointer.value:
        config = load(pointer, s.aclrtLaunchKernelCfg, "cfg")
        start = ctypes.cast(config.attrs, ctypes.c_void_p).value
        if not start:
            raise out_of_range(LAUNCHING, "null", "cfg->attrs", "an array of attributes")
        size = ctypes.sizeof(s.aclrtLaunchKernelAttr)
        for number in range(config.numAttrs):  # one by one, as the count may be far too large
            member = f"cfg->attrs[{number}]"
            attribute = load(Address(start + number * size), s.aclrtLaunchKernelAttr, member)
            seen[attribute.id] = bytes(attribute.value)
            field, most = LIMITS.get(attribute.id, ("rsv", None))
            value = getattr(attribute.value, field)
            if most is not None and value > most:
                raise out_of_range(LAUNCHING, value, f"{member}.value.{field}", f"a value in [0, {most}]")
    if seen.keys() >= TIMEOUTS:
        raise out_of_range(LAUNCHING, "both", "the two timeouts of cfg", "one of them")
    mixed = function.cube and function.vector
    if current().soc.series is Series.INFERENCE and mixed and not seen.keys() >= MIXED_ON_310P:
        expected = "the engine and the offset of blocks, which a mixed kernel needs on this product"
        raise out_of_range(LAUNCHING, sorted(seen), "the attributes of cfg", expected)
    return seen


@acl_api("acl/acl_rt.h", also=LAUNCHES, resource=True)
def aclrtLaunchKernel(
    funcHandle: c.aclrtFuncHandle,
    numBlocks: c.uint32_t,
    argsData: c.const_void_p,
    argsSize: c.size_t,
    stream: c.aclrtStream,
) -> c.aclError:
    """Queue a kernel whose arguments are `argsSize` bytes of device memory, which the task reads. Null `stream` is the
    default stream.

    The task calls the function that replaces the kernel. Without such a function the task fails (507015), and the text
    names the kernel.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_INVALID_PARAM: `funcHandle` or `argsData` is null.
        ACL_ERROR_RT_PARAM_INVALID: `numBlocks` or `argsSize` is 0.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    _launch_from_device(funcHandle, numBlocks, argsData, argsSize, Address(0), stream)


@acl_api("acl/acl_rt.h", also=LAUNCHES, resource=True, pyacl=None)
def aclrtLaunchKernelV2(
    funcHandle: c.aclrtFuncHandle,
    numBlocks: c.uint32_t,
    argsData: c.const_void_p,
    argsSize: c.size_t,
    cfg: c.aclrtLaunchKernelCfg_p,
    stream: c.aclrtStream,
) -> c.aclError:
    """Queue a kernel like aclrtLaunchKernel, with a configuration, which may be null. The emulator checks the
    configuration, and it has no effect.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_INVALID_PARAM: `funcHandle` or `argsData` is null.
        ACL_ERROR_RT_PARAM_INVALID: `numBlocks` or `argsSize` is 0; the configuration is not valid, or cannot be read
            (only if the machine reports findings instead of raising them).
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    _launch_from_device(funcHandle, numBlocks, argsData, argsSize, cfg, stream)


def _launch_from_device(handle: int, blocks: int, args: Address, size: int, cfg: Address, stream: int) -> None:
    if not handle:
        raise null("funcHandle")
    if not args.value:
        raise null("argsData")
    function, attributes = launchable(handle, blocks, size, cfg)
    launched = Launch(current(), function, blocks, b"", attributes)
    launched.on_device = args.value, size
    submit(current(), own_stream(stream), launched)


def launchable(
    handle: int, blocks: int, size: int, cfg: Address, name: str = "funcHandle"
) -> tuple[KernelFunction, dict[int, bytes]]:
    """The kernel of a launch, and its configuration; 107000 without blocks or arguments, or if the configuration is not
    valid."""
    if not blocks:
        raise out_of_range(LAUNCHING, 0, "numBlocks", "a value greater than 0")
    if not size:
        raise out_of_range(LAUNCHING, 0, "argsSize", "a value greater than 0")
    function = live_function(handle, LAUNCHING, name)
    return function, configuration(cfg, function)


@acl_api("acl/acl_rt.h", also=LAUNCHES, resource=True, pyacl=None)
def aclrtLaunchKernelWithConfig(
    funcHandle: c.aclrtFuncHandle,
    numBlocks: c.uint32_t,
    stream: c.aclrtStream,
    cfg: c.aclrtLaunchKernelCfg_p,
    argsHandle: c.aclrtArgsHandle,
    reserve: c.source_void_p,
) -> c.aclError:
    """Queue a kernel with a list of arguments, which are copied. Null `stream` is the default stream. The configuration
    may be null; the emulator checks it, and it has no effect.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_INVALID_PARAM: `funcHandle` or `argsHandle` is null, `numBlocks` is 0, or `reserve` is not null.
        ACL_ERROR_RT_PARAM_INVALID: the list is not complete, or was updated since; the configuration is not valid, or
            cannot be read, or the buffer of a place holder is gone (only if the machine reports findings instead of
            raising them).
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    if not funcHandle:
        raise null("funcHandle")
    if not numBlocks:
        raise invalid(0, "numBlocks", "a value greater than 0")
    if not argsHandle:
        raise null("argsHandle")
    if reserve.value:
        raise invalid(f"{reserve.value:#x}", "reserve", "a null pointer")
    machine, function = current(), live_function(funcHandle, LAUNCHING)
    arguments = live_list(machine, argsHandle, LAUNCHING)
    attributes = configuration(cfg, function)
    if not arguments.final:
        reason = "call aclrtKernelArgsFinalize after the last change of the list"
        raise AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EE1017", (LAUNCHING, "argsHandle", reason)))
    block, places = arguments.block(lambda address, size: host_bytes(Address(address), size, "a place holder"))
    launched = Launch(machine, function, numBlocks, block, attributes)
    launch_with_data(machine, own_stream(stream), launched, places, len(arguments.raw))


@acl_api("acl/acl_rt.h", also=LAUNCHES, resource=True, pyacl=None)
def aclrtLaunchKernelWithHostArgs(
    funcHandle: c.aclrtFuncHandle,
    numBlocks: c.uint32_t,
    stream: c.aclrtStream,
    cfg: c.aclrtLaunchKernelCfg_p,
    hostArgs: c.source_void_p,
    argsSize: c.size_t,
    placeHolderArray: c.aclrtPlaceHolderInfo_p,
    placeHolderNum: c.size_t,
) -> c.aclError:
    """Queue a kernel whose arguments are `argsSize` bytes of the host, which are copied. Null `stream` is the default
    stream. For each place holder, the pointer at `addrOffset` gets the device address of the data at `dataOffset` in
    the same block. The configuration may be null; the emulator checks it, and it has no effect.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_INVALID_PARAM: `funcHandle` or `hostArgs` is null.
        ACL_ERROR_RT_PARAM_INVALID: `numBlocks` or `argsSize` is 0, there are place holders without an array, an offset
            lies beyond the arguments, or the configuration is not valid; an argument cannot be read (only if the
            machine reports findings instead of raising them).
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    if not funcHandle:
        raise null("funcHandle")
    if not hostArgs.value:
        raise null("hostArgs")
    function, attributes = launchable(funcHandle, numBlocks, argsSize, cfg)
    places = place_holders(placeHolderArray, placeHolderNum, argsSize)
    raw = host_bytes(hostArgs, argsSize, "hostArgs")
    launch_with_data(current(), own_stream(stream), Launch(current(), function, numBlocks, raw, attributes), places)


def place_holders(pointer: Address, count: int, size: int) -> Sequence[tuple[int, int]]:
    """The offsets of place holders and of their data; 107000 for an offset beyond the arguments."""
    if count and not pointer.value:
        raise out_of_range(LAUNCHING, "null", "placeHolderArray", f"an array of {count} place holders")
    places: list[tuple[int, int]] = []
    for number in range(count):  # one by one, as the count may be far too large
        member = f"placeHolderArray[{number}]"
        at = pointer.value + number * ctypes.sizeof(s.aclrtPlaceHolderInfo)
        place = load(Address(at), s.aclrtPlaceHolderInfo, member)
        for field, end in (("addrOffset", size - SLOT + 1), ("dataOffset", size)):
            if (offset := getattr(place, field)) >= max(end, 0):
                raise out_of_range(LAUNCHING, offset, f"{member}.{field}", f"an offset within the {size} bytes")
        places.append((place.addrOffset, place.dataOffset))
    return places


@acl_api("acl/acl_rt.h", also=LAUNCHES, resource=True, pyacl=None)
def aclrtLaunchKernelWithArgsArray(
    func: c.source_void_p,
    numBlocks: c.uint32_t,
    stream: c.aclrtStream,
    cfg: c.aclrtLaunchKernelCfg_p,
    args: c.void_p_sources,
) -> c.aclError:
    """Queue a kernel whose parameters are known: `args[i]` points to the value of the i-th one on the host. The values
    are copied. Null `stream` is the default stream. The configuration may be null; the emulator checks it, and it has
    no effect.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_INVALID_PARAM: `func` is null, or `numBlocks` is 0.
        ACL_ERROR_RT_PARAM_INVALID: nothing states the parameters of the kernel, or the configuration is not valid; a
            value cannot be read (only if the machine reports findings instead of raising them).
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the kernel is one of the AI CPU.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    if not func.value:
        raise null("func")
    if not numBlocks:
        raise invalid(0, "numBlocks", "a value greater than 0")
    function = live_function(func.value, LAUNCHING, "func")
    signature = described(function, LAUNCHING)
    attributes = configuration(cfg, function)
    raw = values_of(signature, args)
    submit(current(), own_stream(stream), Launch(current(), function, numBlocks, raw, attributes))


def values_of(signature: Signature, args: Values) -> bytes:
    """The block of arguments whose values on the host `args` points to."""
    parameters, raw = list(signature.offsets()), bytearray()
    if args.null and parameters:
        host_bytes(Address(0), SLOT * len(parameters), "args")
    values = take(args, len(parameters), "args", ACL_ERROR_RT_PARAM_INVALID)
    for (name, offset, size), value in zip(parameters, values, strict=True):
        raw.extend(bytes(offset - len(raw)) + host_bytes(value, size, f"args[{name}]"))
    return bytes(raw)

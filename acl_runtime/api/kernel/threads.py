"""acl/acl_rt.h: launches of kernels with threads (SIMT), which 950 has. A launch has a grid of blocks of threads; the
function that replaces the kernel gets both numbers, and its call does the work of all threads."""

from math import prod

import acl_runtime.abi.c as c
import acl_runtime.abi.kernels as k
import acl_runtime.headers.structs as s
from acl_runtime.api.kernel.function import described, live_function
from acl_runtime.api.kernel.launching import (
    LAUNCHING,
    configuration,
    launchable,
    own_stream,
    place_holders,
    values_of,
)
from acl_runtime.api.kernel.queueing import launch_with_data, submit
from acl_runtime.api.kernel.stand_in import Launch
from acl_runtime.api.live_objects import host_bytes
from acl_runtime.api.outcomes import LAUNCHES
from acl_runtime.api.refusals import check_product, null, out_of_range
from acl_runtime.boundary import acl_api
from acl_runtime.machine.current import current

Size = tuple[int, int, int]


def _sizes(grid: s.dim3, block: s.dim3) -> tuple[Size, Size]:
    """The blocks and the threads in each dimension; 107000 if there are none."""
    sizes: list[Size] = []
    for size, name in ((grid, "grid"), (block, "block")):
        sizes.append((size.x, size.y, size.z))
        if not prod(sizes[-1]):
            raise out_of_range(LAUNCHING, f"{size.x}, {size.y}, {size.z}", name, "values greater than 0")
    return sizes[0], sizes[1]


@acl_api("acl/acl_rt.h", also=LAUNCHES, resource=True, pyacl=None)
def aclrtLaunchSIMTKernelWithArgsArray(
    func: c.source_void_p,
    grid: k.dim3,
    block: k.dim3,
    dynUbufSize: c.size_t,
    stream: c.aclrtStream,
    cfg: c.aclrtLaunchKernelCfg_p,
    args: c.void_p_sources,
) -> c.aclError:
    """Queue a kernel with threads whose parameters are known: `grid` has the blocks, `block` the threads of each one.
    `dynUbufSize` has no effect. The other arguments are those of aclrtLaunchKernelWithArgsArray.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_INVALID_PARAM: `func` is null.
        ACL_ERROR_RT_PARAM_INVALID: a dimension of `grid` or `block` is 0, nothing states the parameters of the kernel,
            or the configuration is not valid; a value cannot be read (only if the machine reports findings instead of
            raising them).
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the kernel is one of the AI CPU.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    if not func.value:
        raise null("func")
    check_product(LAUNCHING)
    blocks, threads = _sizes(grid, block)
    function = live_function(func.value, LAUNCHING, "func")
    signature = described(function, LAUNCHING)
    attributes = configuration(cfg, function)
    raw = values_of(signature, args)
    submit(current(), own_stream(stream), Launch(current(), function, blocks, raw, attributes, threads))


@acl_api("acl/acl_rt.h", also=LAUNCHES, resource=True, pyacl=None)
def aclrtLaunchSIMTKernelWithHostArgs(
    func: c.source_void_p,
    grid: k.dim3,
    block: k.dim3,
    dynUbufSize: c.size_t,
    stream: c.aclrtStream,
    cfg: c.aclrtLaunchKernelCfg_p,
    hostArgs: c.source_void_p,
    argsSize: c.size_t,
    placeHolderArray: c.aclrtPlaceHolderInfo_p,
    placeHolderNum: c.size_t,
) -> c.aclError:
    """Queue a kernel with threads: `grid` has the blocks, `block` the threads of each one. `dynUbufSize` has no effect.
    The other arguments are those of aclrtLaunchKernelWithHostArgs.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_INVALID_PARAM: `func` or `hostArgs` is null.
        ACL_ERROR_RT_PARAM_INVALID: a dimension of `grid` or `block` or `argsSize` is 0, there are place holders without
            an array, an offset lies beyond the arguments, or the configuration is not valid; an argument cannot be read
            (only if the machine reports findings instead of raising them).
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    if not func.value:
        raise null("func")
    if not hostArgs.value:
        raise null("hostArgs")
    check_product(LAUNCHING)
    blocks, threads = _sizes(grid, block)
    function, attributes = launchable(func.value, prod(blocks), argsSize, cfg, "func")
    places = place_holders(placeHolderArray, placeHolderNum, argsSize)
    raw = host_bytes(hostArgs, argsSize, "hostArgs")
    launched = Launch(current(), function, blocks, raw, attributes, threads)
    launch_with_data(current(), own_stream(stream), launched, places)

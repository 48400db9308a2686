"""acl/acl_rt_allocator.h: allocators of the program by stream, which executors of graphs ask for memory.

The emulator has no such executors, so it calls no function of an allocator. Registrations are kept.
"""

from typing import Any, Final

import acl_runtime.abi.allocators as a
import acl_runtime.abi.c as c
from acl_runtime.abi.conversions import Function
from acl_runtime.abi.pointers import FUNCTION, Given
from acl_runtime.api.live_objects import discard_required, required
from acl_runtime.api.refusals import check_product, invalid, null
from acl_runtime.boundary import acl_api
from acl_runtime.headers.handles import aclrtAllocatorDesc
from acl_runtime.machine.current import current
from acl_runtime.objects.allocators import AllocatorDescription, Allocators, address_of

HEADER: Final = "acl/acl_rt_allocator.h"
WHAT: Final = "An allocator of the program"
DEAD: Final = (
    (
        "ACL_ERROR_RT_PARAM_INVALID",
        "`allocatorDesc` was destroyed (only if the machine reports findings instead of raising them).",
    ),
)


@acl_api(HEADER)
def aclrtAllocatorCreateDesc() -> a.new_aclrtAllocatorDesc:
    """Create an empty description of an allocator."""
    return aclrtAllocatorDesc(current().handles.add(AllocatorDescription()))


@acl_api(HEADER, also=DEAD)
def aclrtAllocatorDestroyDesc(allocatorDesc: a.aclrtAllocatorDesc) -> c.aclError:
    """Destroy a description. An allocator that was registered with it stays registered.

    Returns:
        ACL_SUCCESS: destroyed.
        ACL_ERROR_INVALID_PARAM: `allocatorDesc` is null.
    """
    discard_required(allocatorDesc, AllocatorDescription, "allocatorDesc")


@acl_api(HEADER, also=DEAD)
def aclrtAllocatorSetObjToDesc(allocatorDesc: a.aclrtAllocatorDesc, allocator: a.aclrtAllocator) -> c.aclError:
    """Set the object of the program that all functions of the allocator get.

    Returns:
        ACL_SUCCESS: set.
        ACL_ERROR_INVALID_PARAM: an argument is null.
    """
    description = required(allocatorDesc, AllocatorDescription, "allocatorDesc")
    if not allocator:
        raise null("allocator")
    description.allocator = description.allocator._replace(object=allocator)


@acl_api(HEADER, also=DEAD)
def aclrtAllocatorSetAllocFuncToDesc(
    allocatorDesc: a.aclrtAllocatorDesc, func: a.aclrtAllocatorAllocFunc
) -> c.aclError:
    """Set the function `func(allocator, size)`, which allocates a block.

    Returns:
        ACL_SUCCESS: set.
        ACL_ERROR_INVALID_PARAM: an argument is null.
    """
    description = required(allocatorDesc, AllocatorDescription, "allocatorDesc")
    description.allocator = description.allocator._replace(alloc=_function(func, a.alloc))


@acl_api(HEADER, also=DEAD)
def aclrtAllocatorSetFreeFuncToDesc(allocatorDesc: a.aclrtAllocatorDesc, func: a.aclrtAllocatorFreeFunc) -> c.aclError:
    """Set the function `func(allocator, block)`, which frees a block.

    Returns:
        ACL_SUCCESS: set.
        ACL_ERROR_INVALID_PARAM: an argument is null.
    """
    description = required(allocatorDesc, AllocatorDescription, "allocatorDesc")
    description.allocator = description.allocator._replace(free=_function(func, a.free))


@acl_api(HEADER, also=DEAD)
def aclrtAllocatorSetAllocAdviseFuncToDesc(
    allocatorDesc: a.aclrtAllocatorDesc, func: a.aclrtAllocatorAllocAdviseFunc
) -> c.aclError:
    """Set the function `func(allocator, size, addr)`, which allocates a block at an address if it can. An allocator
    need not have it.

    Returns:
        ACL_SUCCESS: set.
        ACL_ERROR_INVALID_PARAM: an argument is null.
    """
    description = required(allocatorDesc, AllocatorDescription, "allocatorDesc")
    description.allocator = description.allocator._replace(advise=_function(func, a.advise))


@acl_api(HEADER, also=DEAD)
def aclrtAllocatorSetGetAddrFromBlockFuncToDesc(
    allocatorDesc: a.aclrtAllocatorDesc, func: a.aclrtAllocatorGetAddrFromBlockFunc
) -> c.aclError:
    """Set the function `func(block)`, which returns the address of a block.

    Returns:
        ACL_SUCCESS: set.
        ACL_ERROR_INVALID_PARAM: an argument is null.
    """
    description = required(allocatorDesc, AllocatorDescription, "allocatorDesc")
    description.allocator = description.allocator._replace(get_address=_function(func, a.get_address))


@acl_api(HEADER, also=DEAD, inert=True)
def aclrtAllocatorRegister(stream: c.aclrtStream, allocatorDesc: a.aclrtAllocatorDesc) -> c.aclError:
    """Register an allocator for a stream, in place of the one that the stream has. The call does not look at the
    stream.

    Returns:
        ACL_SUCCESS: registered.
        ACL_ERROR_INVALID_PARAM: an argument is null, or the description lacks more than the function for an advised
            address.
    """
    if not stream:
        raise null("stream")
    description = required(allocatorDesc, AllocatorDescription, "allocatorDesc")
    check_product(WHAT)
    if not description.allocator.complete:
        raise invalid(description, "allocatorDesc", "a description with an object and three functions")
    current().part(Allocators)[stream] = allocatorDesc, description.allocator


@acl_api(HEADER, inert=True)
def aclrtAllocatorUnregister(stream: c.aclrtStream) -> c.aclError:
    """Undo aclrtAllocatorRegister.

    Returns:
        ACL_SUCCESS: the stream has no allocator of the program.
        ACL_ERROR_INVALID_PARAM: `stream` is null.
    """
    if not stream:
        raise null("stream")
    check_product(WHAT)
    current().part(Allocators).pop(stream, None)


@acl_api(HEADER, pyacl=None)
def aclrtAllocatorGetByStream(
    stream: c.aclrtStream,
    allocatorDesc: a.aclrtAllocatorDesc_p,
    allocator: a.aclrtAllocator_p,
    allocFunc: a.alloc_p,
    freeFunc: a.free_p,
    allocAdviseFunc: a.advise_p,
    getAddrFromBlockFunc: a.get_address_p,
) -> c.aclError:
    """Query the allocator of a stream. Each output but `allocatorDesc` may be null.

    Returns:
        ACL_SUCCESS: the outputs are written.
        ACL_ERROR_INVALID_PARAM: `allocatorDesc` or `stream` is null; the stream has no allocator of the program.
    """
    if allocatorDesc.null:
        raise null("allocatorDesc")
    if not stream:
        raise null("stream")
    check_product(WHAT)
    registered = current().part(Allocators).get(stream)
    if registered is None:
        raise invalid(f"{stream:#x}", "stream", "a stream with an allocator")
    number, known = registered
    allocatorDesc.store(number)
    for out, value in (
        (allocator, known.object),
        (allocFunc, address_of(known.alloc)),
        (freeFunc, address_of(known.free)),
        (allocAdviseFunc, address_of(known.advise)),
        (getAddrFromBlockFunc, address_of(known.get_address)),
    ):
        if not out.null:
            out.store(value)


def _function(argument: Given, ctype: Function) -> Any:
    """The C function of an argument, for which Python may have passed any callable."""
    if argument.value is None:
        raise null("func")
    return argument.value if isinstance(argument.value, FUNCTION) else ctype.in_c(argument.value)

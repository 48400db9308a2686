"""The C types of acl/acl_rt_allocator.h."""

from ctypes import c_void_p
from typing import Annotated

import acl_runtime.headers.handles as h
from acl_runtime.abi.conversions import Function, Integer, Output, Result, RuntimeHandleType
from acl_runtime.abi.pointers import Given, Out

ALLOCATOR = ("allocator", RuntimeHandleType("aclrtAllocator"))
SIZE = ("size", Integer("size_t", 64, signed=False))
BLOCK = ("block", RuntimeHandleType("aclrtAllocatorBlock"))
MEMORY = Result("void *", "int | None")
alloc = Function("aclrtAllocatorAllocFunc", MEMORY, ALLOCATOR, SIZE)
free = Function("aclrtAllocatorFreeFunc", None, ALLOCATOR, BLOCK)
advise = Function(
    "aclrtAllocatorAllocAdviseFunc", MEMORY, ALLOCATOR, SIZE, ("addr", RuntimeHandleType("aclrtAllocatorAddr"))
)
get_address = Function("aclrtAllocatorGetAddrFromBlockFunc", MEMORY, BLOCK)

aclrtAllocatorAllocFunc = Annotated[Given, alloc]
aclrtAllocatorFreeFunc = Annotated[Given, free]
aclrtAllocatorAllocAdviseFunc = Annotated[Given, advise]
aclrtAllocatorGetAddrFromBlockFunc = Annotated[Given, get_address]
aclrtAllocatorDesc = Annotated[int, RuntimeHandleType("aclrtAllocatorDesc")]
aclrtAllocator = Annotated[int, RuntimeHandleType("aclrtAllocator")]
_REFUSED = (h.MetaHandle,)
aclrtAllocatorDesc_p = Annotated[
    Out[int], Output("aclrtAllocatorDesc *", "aclrtAllocatorDesc", h.aclrtAllocatorDesc, c_void_p, refused=_REFUSED)
]
aclrtAllocator_p = Annotated[
    Out[int], Output("aclrtAllocator *", "aclrtAllocator", h.aclrtAllocator, c_void_p, refused=_REFUSED)
]
alloc_p = Annotated[Out[int], Output("aclrtAllocatorAllocFunc *", "c_void_p", c_void_p)]
free_p = Annotated[Out[int], Output("aclrtAllocatorFreeFunc *", "c_void_p", c_void_p)]
advise_p = Annotated[Out[int], Output("aclrtAllocatorAllocAdviseFunc *", "c_void_p", c_void_p)]
get_address_p = Annotated[Out[int], Output("aclrtAllocatorGetAddrFromBlockFunc *", "c_void_p", c_void_p)]
new_aclrtAllocatorDesc = Annotated[
    h.aclrtAllocatorDesc, Result("aclrtAllocatorDesc", "aclrtAllocatorDesc", h.aclrtAllocatorDesc)
]

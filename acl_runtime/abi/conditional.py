"""The C types of conditional tasks."""

import ctypes
from ctypes import c_uint64, c_void_p
from typing import Annotated

import acl_runtime.headers.handles as h
import acl_runtime.headers.structs as s
from acl_runtime.abi.conversions import Enum, Output, RuntimeHandleType, StructByValue
from acl_runtime.abi.pointers import Out

aclmdlRICondHandleFlag = Annotated[int, Enum("aclmdlRICondHandleFlag")]
aclmdlRICondHandle = Annotated[int, RuntimeHandleType("aclmdlRICondHandle")]
aclmdlRICondHandle_p = Annotated[
    Out[int],
    Output("aclmdlRICondHandle *", "aclmdlRICondHandle", h.aclmdlRICondHandle, c_void_p, refused=(h.MetaHandle,)),
]
aclmdlRICondTaskParams = Annotated[
    s.aclmdlRICondTaskParams, StructByValue("aclmdlRICondTaskParams", s.aclmdlRICondTaskParams)
]
uint64_t_pp = Annotated[Out[int], Output("uint64_t **", "UInt64Pointer", ctypes.POINTER(c_uint64), c_void_p)]

"""The C types of functions about kernels: callbacks of binaries, and launches with threads."""

from typing import Annotated

import acl_runtime.headers.handles as h
import acl_runtime.headers.structs as s
from acl_runtime.abi.conversions import Anything, Function, MetaHandleType, StructByValue
from acl_runtime.abi.pointers import Given

aclrtOpExceptionCallback = Annotated[
    Given,
    Function(
        "aclrtOpExceptionCallback",
        None,
        ("exceptionInfo", MetaHandleType("aclrtExceptionInfo *", h.aclrtExceptionInfo)),
        ("userData", Anything("void *")),
    ),
]
dim3 = Annotated[s.dim3, StructByValue("dim3", s.dim3)]

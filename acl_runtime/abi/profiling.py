"""The C types of subscriptions to profiling, and of the dump of tensors after a failure."""

from typing import Annotated

import acl_runtime.headers.handles as h
from acl_runtime.abi.conversions import Integer, MetaHandleType, Pointer, Result
from acl_runtime.abi.pointers import Address

int8_t = Annotated[int, Integer("int8_t", 8, signed=True)]
aclprofEventAttributes_p = Annotated[Address, Pointer("aclprofEventAttributes *", target=False)]
const_acldumpTensorInfo_p = Annotated[Address, Pointer("const acldumpTensorInfo *", target=False)]
const_aclprofSubscribeConfig_p = Annotated[
    int, MetaHandleType("const aclprofSubscribeConfig *", h.aclprofSubscribeConfig)
]
new_aclprofSubscribeConfig = Annotated[
    h.aclprofSubscribeConfig, Result("aclprofSubscribeConfig *", "aclprofSubscribeConfig", h.aclprofSubscribeConfig)
]

"""The C types of functions about devices: numbers, limits, capabilities, cache, groups, errors of memory, callbacks."""

from ctypes import c_int32
from typing import Annotated

import acl_runtime.headers.handles as h
import acl_runtime.headers.structs as s
from acl_runtime.abi.conversions import (
    Anything,
    Enum,
    Function,
    Integer,
    MetaHandleType,
    Output,
    Pointer,
    Result,
    RuntimeHandleType,
    Structs,
)
from acl_runtime.abi.pointers import Address, Given, Out

aclrtHacType = Annotated[int, Enum("aclrtHacType")]
aclrtHostMemMapCapability_p = Annotated[Out[int], Output("aclrtHostMemMapCapability *", "c_int32", c_int32)]
aclrtDeviceLimit = Annotated[int, Enum("aclrtDeviceLimit")]
aclrtCmoType = Annotated[int, Enum("aclrtCmoType")]
aclrtGroupAttr = Annotated[int, Enum("aclrtGroupAttr")]
const_uint32_t = Annotated[int, Integer("const uint32_t", 32, signed=False)]
const_int32_t_p = Annotated[Address, Pointer("const int32_t *", target=False)]
int32_t_const_p = Annotated[Out[int], Output("int32_t *const", "c_int32", c_int32)]
uint32_t_target = Annotated[Address, Pointer("uint32_t *", target=True)]
const_aclrtAtomicOperation_p = Annotated[Address, Pointer("const aclrtAtomicOperation *", target=False)]
aclrtMemUceInfo_p = Annotated[Address, Structs("aclrtMemUceInfo *", s.aclrtMemUceInfo)]
const_aclrtErrorInfo_p = Annotated[Address, Structs("const aclrtErrorInfo *", s.aclrtErrorInfo)]
aclrtBarrierTaskInfo_p = Annotated[Address, Structs("aclrtBarrierTaskInfo *", s.aclrtBarrierTaskInfo)]
aclrtGroupInfo_p = Annotated[int, MetaHandleType("aclrtGroupInfo *", h.aclrtGroupInfo)]
const_aclrtGroupInfo_p = Annotated[int, MetaHandleType("const aclrtGroupInfo *", h.aclrtGroupInfo)]
new_aclrtGroupInfo = Annotated[h.aclrtGroupInfo, Result("aclrtGroupInfo *", "aclrtGroupInfo", h.aclrtGroupInfo)]
# callbacks
_ARGS = ("args", Anything("void *"))
_DEVICE = ("deviceId", Integer("int32_t", 32, signed=True))
aclrtStreamStateCallback = Annotated[
    Given,
    Function(
        "aclrtStreamStateCallback",
        None,
        ("stm", RuntimeHandleType("aclrtStream")),
        ("state", Enum("aclrtStreamState")),
        _ARGS,
    ),
]
aclrtDeviceStateCallback = Annotated[
    Given, Function("aclrtDeviceStateCallback", None, _DEVICE, ("state", Enum("aclrtDeviceState")), _ARGS)
]
aclrtDeviceTaskAbortCallback = Annotated[
    Given,
    Function(
        "aclrtDeviceTaskAbortCallback",
        Result("int32_t", "int"),
        _DEVICE,
        ("stage", Enum("aclrtDeviceTaskAbortStage")),
        ("timeout", Integer("uint32_t", 32, signed=False)),
        _ARGS,
    ),
]

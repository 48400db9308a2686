"""The C types of random numbers, pools, notifies, message buffers and snapshots."""

from ctypes import c_void_p
from typing import Annotated

import acl_runtime.headers.handles as h
import acl_runtime.headers.structs as s
from acl_runtime.abi.conversions import (
    Anything,
    Enum,
    Function,
    Integer,
    Output,
    Pointer,
    Result,
    RuntimeHandleType,
    StructByValue,
    Structs,
)
from acl_runtime.abi.pointers import Address, Given, Out

const_aclrtRandomNumTaskInfo_p = Annotated[Address, Structs("const aclrtRandomNumTaskInfo *", s.aclrtRandomNumTaskInfo)]
aclrtMemLinkType = Annotated[int, Enum("aclrtMemLinkType")]
aclrtMemPoolAttr = Annotated[int, Enum("aclrtMemPoolAttr")]
const_aclrtMemPoolProps_p = Annotated[Address, Structs("const aclrtMemPoolProps *", s.aclrtMemPoolProps)]
aclrtMemPool = Annotated[int, RuntimeHandleType("aclrtMemPool")]
const_aclrtMemPool = Annotated[int, RuntimeHandleType("const aclrtMemPool")]
_REFUSED = (h.MetaHandle,)
aclrtMemPool_p = Annotated[
    Out[int], Output("aclrtMemPool *", "aclrtMemPool", h.aclrtMemPool, c_void_p, refused=_REFUSED)
]
aclrtNotify = Annotated[int, RuntimeHandleType("aclrtNotify")]
aclrtNotify_p = Annotated[Out[int], Output("aclrtNotify *", "aclrtNotify", h.aclrtNotify, c_void_p, refused=_REFUSED)]
aclrtNotifies = Annotated[Address, Pointer("aclrtNotify *", target=False)]
aclrtIpcEventHandle = Annotated[s.aclrtIpcEventHandle, StructByValue("aclrtIpcEventHandle", s.aclrtIpcEventHandle)]
aclrtIpcEventHandle_p = Annotated[Address, Structs("aclrtIpcEventHandle *", s.aclrtIpcEventHandle)]
aclrtCntNotify = Annotated[int, RuntimeHandleType("aclrtCntNotify")]
aclrtCntNotify_p = Annotated[
    Out[int], Output("aclrtCntNotify *", "aclrtCntNotify", h.aclrtCntNotify, c_void_p, refused=_REFUSED)
]
aclrtCntNotifyRecordInfo_p = Annotated[Address, Structs("aclrtCntNotifyRecordInfo *", s.aclrtCntNotifyRecordInfo)]
aclrtCntNotifyWaitInfo_p = Annotated[Address, Structs("aclrtCntNotifyWaitInfo *", s.aclrtCntNotifyWaitInfo)]
aclrtServerPid_p = Annotated[Address, Structs("aclrtServerPid *", s.aclrtServerPid)]
aclrtMbuf = Annotated[int, RuntimeHandleType("aclrtMbuf")]
const_aclrtMbuf = Annotated[int, RuntimeHandleType("const aclrtMbuf")]
aclrtMbuf_p = Annotated[Out[int], Output("aclrtMbuf *", "aclrtMbuf", h.aclrtMbuf, c_void_p, refused=_REFUSED)]
aclrtSnapShotStage = Annotated[int, Enum("aclrtSnapShotStage")]
aclrtSnapShotBackupArgs_p = Annotated[Address, Pointer("aclrtSnapShotBackupArgs *", target=False)]
aclrtSnapShotRestoreArgs_p = Annotated[Address, Pointer("aclrtSnapShotRestoreArgs *", target=False)]
aclrtSnapShotCallBack = Annotated[
    Given,
    Function(
        "aclrtSnapShotCallBack",
        Result("uint32_t", "int"),
        ("deviceId", Integer("int32_t", 32, signed=True)),
        ("args", Anything("void *")),
    ),
]

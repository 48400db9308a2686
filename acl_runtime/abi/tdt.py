"""The C types of acl/acl_tdt.h and acl/acl_tdt_queue.h, as `acl_runtime.abi.c` has those of the other headers."""

from ctypes import c_void_p
from typing import Annotated

import acl_runtime.headers.handles as h
from acl_runtime.abi.conversions import Enum, MetaHandleType, Output, Result, RuntimeHandleType
from acl_runtime.abi.pointers import Out

acltdtTensorType = Annotated[int, Enum("acltdtTensorType")]
acltdtQueueAttrType = Annotated[int, Enum("acltdtQueueAttrType")]
acltdtQueueRouteParamType = Annotated[int, Enum("acltdtQueueRouteParamType")]
acltdtQueueRouteQueryInfoParamType = Annotated[int, Enum("acltdtQueueRouteQueryInfoParamType")]
acltdtTensorType_result = Annotated[int, Result("acltdtTensorType", "int", lambda: -1)]
# handles
acltdtDataItem_p = Annotated[int, MetaHandleType("acltdtDataItem *", h.acltdtDataItem)]
const_acltdtDataItem_p = Annotated[int, MetaHandleType("const acltdtDataItem *", h.acltdtDataItem)]
acltdtDataset_p = Annotated[int, MetaHandleType("acltdtDataset *", h.acltdtDataset)]
const_acltdtDataset_p = Annotated[int, MetaHandleType("const acltdtDataset *", h.acltdtDataset)]
acltdtChannelHandle_p = Annotated[int, MetaHandleType("acltdtChannelHandle *", h.acltdtChannelHandle)]
const_acltdtChannelHandle_p = Annotated[int, MetaHandleType("const acltdtChannelHandle *", h.acltdtChannelHandle)]
acltdtQueueAttr_p = Annotated[int, MetaHandleType("acltdtQueueAttr *", h.acltdtQueueAttr)]
const_acltdtQueueAttr_p = Annotated[int, MetaHandleType("const acltdtQueueAttr *", h.acltdtQueueAttr)]
acltdtQueueRoute_p = Annotated[int, MetaHandleType("acltdtQueueRoute *", h.acltdtQueueRoute)]
const_acltdtQueueRoute_p = Annotated[int, MetaHandleType("const acltdtQueueRoute *", h.acltdtQueueRoute)]
acltdtQueueRouteList_p = Annotated[int, MetaHandleType("acltdtQueueRouteList *", h.acltdtQueueRouteList)]
const_acltdtQueueRouteList_p = Annotated[int, MetaHandleType("const acltdtQueueRouteList *", h.acltdtQueueRouteList)]
acltdtQueueRouteQueryInfo_p = Annotated[int, MetaHandleType("acltdtQueueRouteQueryInfo *", h.acltdtQueueRouteQueryInfo)]
const_acltdtQueueRouteQueryInfo_p = Annotated[
    int, MetaHandleType("const acltdtQueueRouteQueryInfo *", h.acltdtQueueRouteQueryInfo)
]
acltdtBuf = Annotated[int, RuntimeHandleType("acltdtBuf")]
const_acltdtBuf = Annotated[int, RuntimeHandleType("const acltdtBuf")]
acltdtBuf_p = Annotated[Out[int], Output("acltdtBuf *", "acltdtBuf", h.acltdtBuf, c_void_p, refused=(h.MetaHandle,))]
# results
new_acltdtDataItem = Annotated[h.acltdtDataItem, Result("acltdtDataItem *", "acltdtDataItem", h.acltdtDataItem)]
new_acltdtDataset = Annotated[h.acltdtDataset, Result("acltdtDataset *", "acltdtDataset", h.acltdtDataset)]
new_acltdtChannelHandle = Annotated[
    h.acltdtChannelHandle, Result("acltdtChannelHandle *", "acltdtChannelHandle", h.acltdtChannelHandle)
]
new_acltdtQueueAttr = Annotated[h.acltdtQueueAttr, Result("acltdtQueueAttr *", "acltdtQueueAttr", h.acltdtQueueAttr)]
new_acltdtQueueRoute = Annotated[
    h.acltdtQueueRoute, Result("acltdtQueueRoute *", "acltdtQueueRoute", h.acltdtQueueRoute)
]
new_acltdtQueueRouteList = Annotated[
    h.acltdtQueueRouteList, Result("acltdtQueueRouteList *", "acltdtQueueRouteList", h.acltdtQueueRouteList)
]
new_acltdtQueueRouteQueryInfo = Annotated[
    h.acltdtQueueRouteQueryInfo,
    Result("acltdtQueueRouteQueryInfo *", "acltdtQueueRouteQueryInfo", h.acltdtQueueRouteQueryInfo),
]

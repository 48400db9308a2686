"""The C types of built models: labels, and the control of streams."""

from ctypes import c_void_p
from typing import Annotated

import acl_runtime.headers.handles as h
import acl_runtime.headers.structs as s
from acl_runtime.abi.conversions import Enum, Output, Pointer, RuntimeHandleType, Structs
from acl_runtime.abi.pointers import Address, Out

aclrtCondition = Annotated[int, Enum("aclrtCondition")]
aclrtCompareDataType = Annotated[int, Enum("aclrtCompareDataType")]
aclrtTaskUpdateInfo_p = Annotated[Address, Structs("aclrtTaskUpdateInfo *", s.aclrtTaskUpdateInfo)]
_REFUSED = (h.MetaHandle,)
aclrtLabel = Annotated[int, RuntimeHandleType("aclrtLabel")]
aclrtLabel_p = Annotated[Out[int], Output("aclrtLabel *", "aclrtLabel", h.aclrtLabel, c_void_p, refused=_REFUSED)]
aclrtLabels = Annotated[Address, Pointer("aclrtLabel *", target=False)]
aclrtLabelList = Annotated[int, RuntimeHandleType("aclrtLabelList")]
aclrtLabelList_p = Annotated[
    Out[int], Output("aclrtLabelList *", "aclrtLabelList", h.aclrtLabelList, c_void_p, refused=_REFUSED)
]

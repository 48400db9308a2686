"""The executor: how much workspace a plan asks for, what a step sees, and operators of one's own.

"6. Workspace size" and "8. L0 building blocks" of the library's base layer."""

from __future__ import annotations

from ctypes import byref
from typing import Any

import numpy as np
import pytest

from acl_runtime import (
    ACL_DOUBLE,
    ACL_FLOAT,
    ACL_FLOAT16,
    ACL_FORMAT_ND,
    ACL_INT32,
    ACL_INT64,
    ACL_SUCCESS,
    ACLNN_ERR_INNER,
    ACLNN_ERR_INNER_NULLPTR,
    ACLNN_ERR_PARAM_INVALID,
    ACLNN_ERR_PARAM_NULLPTR,
    ACLNN_ERR_RUNTIME_ERROR,
    Machine,
    UndefinedBehaviour,
    aclCreateTensor,
    aclGetRecentErrMsg,
    aclnnStatusNames,
    aclOpExecutor,
    aclrtSynchronizeStream,
)

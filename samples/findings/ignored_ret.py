"""A copy fails, as the destination is too small, and the program goes on."""

from acl_runtime import *
from samples.findings.common import SIZE, VALUES, buffers, device


def wrong():
    with device(), buffers(1) as (deviceAddr,):
        aclrtMemcpy(deviceAddr, SIZE // 2, VALUES, SIZE, ACL_MEMCPY_HOST_TO_DEVICE)


def right():
    with device(), buffers(1) as (deviceAddr,):
        ret = aclrtMemcpy(deviceAddr, SIZE // 2, VALUES, SIZE, ACL_MEMCPY_HOST_TO_DEVICE)
        if ret != ACL_SUCCESS:
            print(aclGetRecentErrMsg())

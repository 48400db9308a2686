"""A copy goes to reserved addresses, and physical memory is mapped only to the first half of them."""

from ctypes import byref, c_void_p

import numpy as np

from acl_runtime import *
from samples.findings.common import device

PAGE = 2 << 20
VALUES = np.zeros(2 * PAGE, np.uint8)
PROP = aclrtPhysicalMemProp(
    memAttr=ACL_HBM_MEM_HUGE, location=aclrtMemLocation(id=0, type=ACL_MEM_LOCATION_TYPE_DEVICE)
)


def wrong():
    with device():
        virPtr, handle = c_void_p(), aclrtDrvMemHandle()
        aclrtReserveMemAddress(byref(virPtr), 2 * PAGE, 0, None, 0)
        aclrtMallocPhysical(byref(handle), PAGE, byref(PROP), 0)
        aclrtMapMem(virPtr, PAGE, 0, handle, 0)
        aclrtMemcpy(virPtr, 2 * PAGE, VALUES, 2 * PAGE, ACL_MEMCPY_HOST_TO_DEVICE)
        aclrtUnmapMem(virPtr)
        aclrtFreePhysical(handle)
        aclrtReleaseMemAddress(virPtr)


def right():
    with device():
        virPtr, handle = c_void_p(), aclrtDrvMemHandle()
        aclrtReserveMemAddress(byref(virPtr), 2 * PAGE, 0, None, 0)
        aclrtMallocPhysical(byref(handle), 2 * PAGE, byref(PROP), 0)
        aclrtMapMem(virPtr, 2 * PAGE, 0, handle, 0)
        aclrtMemcpy(virPtr, 2 * PAGE, VALUES, 2 * PAGE, ACL_MEMCPY_HOST_TO_DEVICE)
        aclrtUnmapMem(virPtr)
        aclrtFreePhysical(handle)
        aclrtReleaseMemAddress(virPtr)

"""A copy writes more bytes than the device memory has, and its destMax is too large as well."""

from ctypes import byref, c_void_p

from acl_runtime import *
from samples.findings.common import COUNT, SIZE, VALUES, device


def wrong():
    with device():
        deviceAddr = c_void_p()
        aclrtMalloc(byref(deviceAddr), COUNT, ACL_MEM_MALLOC_HUGE_FIRST)  # as many bytes as elements
        aclrtMemcpy(deviceAddr, SIZE, VALUES, SIZE, ACL_MEMCPY_HOST_TO_DEVICE)
        aclrtFree(deviceAddr)


def right():
    with device():
        deviceAddr = c_void_p()
        aclrtMalloc(byref(deviceAddr), SIZE, ACL_MEM_MALLOC_HUGE_FIRST)
        aclrtMemcpy(deviceAddr, SIZE, VALUES, SIZE, ACL_MEMCPY_HOST_TO_DEVICE)
        aclrtFree(deviceAddr)

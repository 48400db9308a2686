"""Device memory is allocated and never freed."""

from ctypes import byref, c_void_p

from acl_runtime import *


def wrong():
    aclInit(None)
    aclrtSetDevice(0)
    deviceAddr = c_void_p()
    aclrtMalloc(byref(deviceAddr), 64, ACL_MEM_MALLOC_HUGE_FIRST)
    aclrtResetDevice(0)
    aclFinalize()


def right():
    aclInit(None)
    aclrtSetDevice(0)
    deviceAddr = c_void_p()
    aclrtMalloc(byref(deviceAddr), 64, ACL_MEM_MALLOC_HUGE_FIRST)
    aclrtFree(deviceAddr)
    aclrtResetDevice(0)
    aclFinalize()

"""Device memory is allocated and never freed."""

from ctypes import byref, c_void_p

from acl_runtime import *
from samples.findings.common import SIZE, device


def wrong():
    with device():
        deviceAddr = c_void_p()
        aclrtMalloc(byref(deviceAddr), SIZE, ACL_MEM_MALLOC_HUGE_FIRST)


def right():
    with device():
        deviceAddr = c_void_p()
        aclrtMalloc(byref(deviceAddr), SIZE, ACL_MEM_MALLOC_HUGE_FIRST)
        aclrtFree(deviceAddr)

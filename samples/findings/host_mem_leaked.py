"""Pinned host memory is allocated and never freed."""

from ctypes import byref, c_void_p

from acl_runtime import *
from samples.findings.common import SIZE, device


def wrong():
    with device():
        hostPtr = c_void_p()
        aclrtMallocHost(byref(hostPtr), SIZE)


def right():
    with device():
        hostPtr = c_void_p()
        aclrtMallocHost(byref(hostPtr), SIZE)
        aclrtFreeHost(hostPtr)

"""A program ends with a stream that it never destroyed."""

from ctypes import byref

from acl_runtime import *


def wrong():
    aclInit(None)
    aclrtSetDevice(0)
    stream = aclrtStream()
    aclrtCreateStream(byref(stream))
    aclrtResetDevice(0)
    aclFinalize()


def right():
    aclInit(None)
    aclrtSetDevice(0)
    stream = aclrtStream()
    aclrtCreateStream(byref(stream))
    aclrtDestroyStream(stream)
    aclrtResetDevice(0)
    aclFinalize()

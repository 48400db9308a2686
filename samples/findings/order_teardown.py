"""A device is reset before its stream is destroyed."""

from ctypes import byref

from acl_runtime import *


def wrong():
    aclInit(None)
    aclrtSetDevice(0)
    stream = aclrtStream()
    aclrtCreateStream(byref(stream))
    aclrtResetDevice(0)
    aclrtDestroyStream(stream)  # 107017: the reset has destroyed it
    aclFinalize()


def right():
    aclInit(None)
    aclrtSetDevice(0)
    stream = aclrtStream()
    aclrtCreateStream(byref(stream))
    aclrtDestroyStream(stream)
    aclrtResetDevice(0)
    aclFinalize()

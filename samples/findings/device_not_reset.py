"""A device is set twice and reset once."""

from acl_runtime import *


def wrong():
    aclInit(None)
    aclrtSetDevice(0)
    aclrtSetDevice(0)
    aclrtResetDevice(0)
    aclFinalize()


def right():
    aclInit(None)
    aclrtSetDevice(0)
    aclrtSetDevice(0)
    aclrtResetDevice(0)
    aclrtResetDevice(0)
    aclFinalize()

"""A program sets a device without aclInit."""

from acl_runtime import *


def wrong():
    aclrtSetDevice(0)
    aclrtResetDevice(0)


def right():
    aclInit(None)
    aclrtSetDevice(0)
    aclrtResetDevice(0)
    aclFinalize()

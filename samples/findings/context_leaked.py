"""A context is created and never destroyed."""

from ctypes import byref

from acl_runtime import *


def wrong():
    aclInit(None)
    context = aclrtContext()
    aclrtCreateContext(byref(context), 0)
    aclFinalize()


def right():
    aclInit(None)
    context = aclrtContext()
    aclrtCreateContext(byref(context), 0)
    aclrtDestroyContext(context)
    aclFinalize()

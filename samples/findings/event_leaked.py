"""An event is created for a batch and never destroyed."""

from ctypes import byref

from acl_runtime import *


def wrong():
    aclInit(None)
    context, event = aclrtContext(), aclrtEvent()
    aclrtCreateContext(byref(context), 0)
    aclrtCreateEventExWithFlag(byref(event), ACL_EVENT_SYNC)
    aclrtDestroyContext(context)
    aclFinalize()


def right():
    aclInit(None)
    context, event = aclrtContext(), aclrtEvent()
    aclrtCreateContext(byref(context), 0)
    aclrtCreateEventExWithFlag(byref(event), ACL_EVENT_SYNC)
    aclrtDestroyEvent(event)
    aclrtDestroyContext(context)
    aclFinalize()

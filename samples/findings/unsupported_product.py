"""A timeout is set by a function that is not documented for the product."""

from acl_runtime import *
from samples.findings.common import device


def wrong():
    with device():
        aclrtSetOpExecuteTimeOutWithMs(60_000)


def right():
    with device():
        aclrtSetOpExecuteTimeOut(60)

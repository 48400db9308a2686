"""A call fails in a worker, and the main thread asks for the text."""

from concurrent.futures import ThreadPoolExecutor

from acl_runtime import *
from samples.findings.common import device


def wrong():
    with device(), ThreadPoolExecutor(1) as pool:
        ret = pool.submit(aclrtSetDevice, 99).result()
        message = aclGetRecentErrMsg() if ret != ACL_SUCCESS else None
        assert message is None


def right():
    def SetDevice(deviceId):
        ret = aclrtSetDevice(deviceId)
        return ret, aclGetRecentErrMsg() if ret != ACL_SUCCESS else None

    with device(), ThreadPoolExecutor(1) as pool:
        ret, message = pool.submit(SetDevice, 99).result()
        assert "99" in message

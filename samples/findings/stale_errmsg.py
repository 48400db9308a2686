"""A call fails in a worker thread, and the main thread reads the error text."""

from concurrent.futures import ThreadPoolExecutor

from acl_runtime import *
from samples.findings.common import device


def wrong():
    with device(), ThreadPoolExecutor(1) as pool:
        if pool.submit(aclrtSetDevice, 99).result() != ACL_SUCCESS:
            print(aclGetRecentErrMsg())


def right():
    def SetDevice(deviceId):
        if aclrtSetDevice(deviceId) != ACL_SUCCESS:
            print(aclGetRecentErrMsg())

    with device(), ThreadPoolExecutor(1) as pool:
        pool.submit(SetDevice, 99).result()

"""A view goes through the rows of its storage backwards, with a negative stride."""

from acl_runtime import *
from samples.findings.common import SHAPE, buffers, device


def wrong():
    with device(), buffers(1) as (deviceAddr,):
        strides, offset = [-4, 1], 12
        tensor = aclCreateTensor(SHAPE, 2, ACL_FLOAT, strides, offset, ACL_FORMAT_ND, [16], 1, deviceAddr)
        aclDestroyTensor(tensor)


def right():
    with device(), buffers(1) as (deviceAddr,):
        strides, offset = [4, 1], 0
        tensor = aclCreateTensor(SHAPE, 2, ACL_FLOAT, strides, offset, ACL_FORMAT_ND, [16], 1, deviceAddr)
        aclDestroyTensor(tensor)

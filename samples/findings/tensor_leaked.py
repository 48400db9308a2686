"""A loop makes a tensor for each batch and destroys none."""

from acl_runtime import *
from samples.findings.common import SHAPE, STRIDES, buffers, device


def wrong():
    with device(), buffers(1) as (deviceAddr,):
        for _ in range(3):
            aclCreateTensor(SHAPE, 2, ACL_FLOAT, STRIDES, 0, ACL_FORMAT_ND, SHAPE, 2, deviceAddr)


def right():
    with device(), buffers(1) as (deviceAddr,):
        for _ in range(3):
            tensor = aclCreateTensor(SHAPE, 2, ACL_FLOAT, STRIDES, 0, ACL_FORMAT_ND, SHAPE, 2, deviceAddr)
            aclDestroyTensor(tensor)

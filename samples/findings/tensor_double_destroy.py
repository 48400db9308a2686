"""A tensor is destroyed after the list that it is a member of."""

from acl_runtime import *
from samples.findings.common import SHAPE, STRIDES, buffers, device


def wrong():
    with device(), buffers(1) as (deviceAddr,):
        tensor = aclCreateTensor(SHAPE, 2, ACL_FLOAT, STRIDES, 0, ACL_FORMAT_ND, SHAPE, 2, deviceAddr)
        tensorList = aclCreateTensorList([tensor], 1)
        aclDestroyTensorList(tensorList)
        aclDestroyTensor(tensor)


def right():
    with device(), buffers(1) as (deviceAddr,):
        tensor = aclCreateTensor(SHAPE, 2, ACL_FLOAT, STRIDES, 0, ACL_FORMAT_ND, SHAPE, 2, deviceAddr)
        tensorList = aclCreateTensorList([tensor], 1)
        aclDestroyTensorList(tensorList)

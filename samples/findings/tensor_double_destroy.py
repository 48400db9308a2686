"""A tensor is destroyed after the list that it is a member of."""

from acl_runtime import *
from samples.findings.common import CreateAclTensor, buffers, device


def wrong():
    with device(), buffers(1) as (deviceAddr,):
        tensor = CreateAclTensor(deviceAddr)
        tensorList = aclCreateTensorList([tensor], 1)
        aclDestroyTensorList(tensorList)
        aclDestroyTensor(tensor)


def right():
    with device(), buffers(1) as (deviceAddr,):
        tensor = CreateAclTensor(deviceAddr)
        tensorList = aclCreateTensorList([tensor], 1)
        aclDestroyTensorList(tensorList)

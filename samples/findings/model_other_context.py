"""A model is loaded in the default context, and executed in a context of its own."""

from ctypes import byref

from acl_runtime import *
from samples.findings.common import buffers, data_set, device, load


def wrong():
    with device(), buffers(2) as (data, twice), data_set(data) as inputs, data_set(twice) as outputs:
        first, second = aclrtContext(), aclrtContext()
        aclrtGetCurrentContext(byref(first))
        modelId = load("double.om")
        aclrtCreateContext(byref(second), 0)
        aclmdlExecute(modelId, inputs, outputs)
        aclrtDestroyContext(second)
        aclrtSetCurrentContext(first)
        aclmdlUnload(modelId)


def right():
    with device(), buffers(2) as (data, twice), data_set(data) as inputs, data_set(twice) as outputs:
        first, second = aclrtContext(), aclrtContext()
        aclrtGetCurrentContext(byref(first))
        modelId = load("double.om")
        aclrtCreateContext(byref(second), 0)
        aclrtSetCurrentContext(first)
        aclmdlExecute(modelId, inputs, outputs)
        aclrtDestroyContext(second)
        aclmdlUnload(modelId)

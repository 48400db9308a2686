"""A model is unloaded right behind its asynchronous execution."""

from acl_runtime import *
from samples.findings.common import buffers, data_set, device, load


def wrong():
    with device() as stream, buffers(2) as (data, twice), data_set(data) as inputs, data_set(twice) as outputs:
        modelId = load("double.om")
        aclmdlExecuteAsync(modelId, inputs, outputs, stream)
        aclmdlUnload(modelId)
        aclrtSynchronizeStream(stream)


def right():
    with device() as stream, buffers(2) as (data, twice), data_set(data) as inputs, data_set(twice) as outputs:
        modelId = load("double.om")
        aclmdlExecuteAsync(modelId, inputs, outputs, stream)
        aclrtSynchronizeStream(stream)
        aclmdlUnload(modelId)

"""A program ends with a model that it never unloaded."""

from acl_runtime import *
from samples.findings.common import buffers, data_set, device, load


def wrong():
    with device(), buffers(2) as (data, twice), data_set(data) as inputs, data_set(twice) as outputs:
        modelId = load("double.om")
        aclmdlExecute(modelId, inputs, outputs)


def right():
    with device(), buffers(2) as (data, twice), data_set(data) as inputs, data_set(twice) as outputs:
        modelId = load("double.om")
        aclmdlExecute(modelId, inputs, outputs)
        aclmdlUnload(modelId)

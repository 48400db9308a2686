"""A model with dynamic batch sizes is executed, and no batch size was chosen."""

from acl_runtime import *
from samples.findings.common import buffers, data_set, device, load


def wrong():
    with device(), buffers(3) as (data, shape, twice), data_set(data, shape) as inputs, data_set(twice) as outputs:
        modelId = load("batches.om")
        aclmdlExecute(modelId, inputs, outputs)
        aclmdlUnload(modelId)


def right():
    with device(), buffers(3) as (data, shape, twice), data_set(data, shape) as inputs, data_set(twice) as outputs:
        modelId = load("batches.om")
        aclmdlSetDynamicBatchSize(modelId, inputs, 1, 4)
        aclmdlExecute(modelId, inputs, outputs)
        aclmdlUnload(modelId)

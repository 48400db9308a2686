"""The program counts the bytes of an output itself, and allocates too few."""

from acl_runtime import *
from samples.findings.common import SIZE, buffers, data_set, device, load


def wrong():
    with device(), buffers(2) as (data, twice):
        modelId = load("double.om")
        with data_set(data) as inputs, data_set(twice, size=SIZE - 4) as outputs:
            aclmdlExecute(modelId, inputs, outputs)
        aclmdlUnload(modelId)


def right():
    with device(), buffers(2) as (data, twice):
        modelId = load("double.om")
        with data_set(data) as inputs, data_set(twice) as outputs:
            aclmdlExecute(modelId, inputs, outputs)
        aclmdlUnload(modelId)

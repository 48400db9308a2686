"""acl/acl_mdl.h: inputs whose images the model prepares itself (AIPP)."""

from typing import Final

import numpy as np

import acl_runtime.abi.c as c
from acl_runtime.api.live_objects import required
from acl_runtime.api.mdl.aipp_checks import check_images, check_result
from acl_runtime.api.mdl.aipp_setters import PARAMETERS
from acl_runtime.api.mdl.gears import buffer_at, check_room, write_at_once
from acl_runtime.api.mdl.lookup import HEADER, UNKNOWN_ID, loaded
from acl_runtime.api.outcomes import NO_HOST_MEMORY
from acl_runtime.api.refusals import invalid, null
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import ACL_INVALID_NODE_INDEX, aclmdlInputAippType
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_FAILURE
from acl_runtime.models import described
from acl_runtime.models.aipp_parameters import AippParameters, block_size
from acl_runtime.models.images import AIPP_INPUT
from acl_runtime.models.loaded import LoadedModel
from acl_runtime.models.objects import DataSet

SETS: Final = (
    (
        "ACL_ERROR_INVALID_PARAM",
        "`dataset` or `aippParmsSet` is null, there is no data buffer for the parameters, its address is null, or the "
        "parameters do not fit each other or the model.",
    ),
    UNKNOWN_ID,
    ("ACL_ERROR_FAILURE", "the input has no dynamic AIPP."),
    ("ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID", "the data buffer has less bytes than aclmdlGetAippDataSize says."),
    ("ACL_ERROR_RT_PARAM_INVALID", "a handle or the buffer's memory is dead, and findings are only reported."),
    *NO_HOST_MEMORY,
)
SIZES: Final = 1 << 64
"""a size_t is less"""


@acl_api(HEADER, also=(UNKNOWN_ID,))
def aclmdlGetAippType(
    modelId: c.uint32_t, index: c.size_t, type: c.aclmdlInputAippType_p, dynamicAttachedDataIndex: c.size_t_p
) -> c.aclError:
    """Query how an input of a model prepares images.

    Returns:
        ACL_SUCCESS: `*type` is an aclmdlInputAippType. `*dynamicAttachedDataIndex` is the input with the parameters of
            dynamic AIPP, and ACL_INVALID_NODE_INDEX for an input without it.
        ACL_ERROR_INVALID_PARAM: `dynamicAttachedDataIndex` or `type` is null, or there is no input `index`.
    """
    for out, name in ((dynamicAttachedDataIndex, "dynamicAttachedDataIndex"), (type, "type")):
        if out.null:
            raise null(name)
    model = loaded(modelId).model
    inputs = described.inputs(model)
    if index >= len(inputs):
        raise invalid(index, "index", f"less than the {len(inputs)} inputs")
    attached = ACL_INVALID_NODE_INDEX
    if index == model.dynamic_aipp:
        kind, attached = aclmdlInputAippType.ACL_DATA_WITH_DYNAMIC_AIPP, len(inputs) - 1
    elif inputs[index].name == AIPP_INPUT:
        kind = aclmdlInputAippType.ACL_DYNAMIC_AIPP_NODE
    elif inputs[index].name in model.aipp:
        kind = aclmdlInputAippType.ACL_DATA_WITH_STATIC_AIPP
    else:
        kind = aclmdlInputAippType.ACL_DATA_WITHOUT_AIPP
    type.store(int(kind))
    dynamicAttachedDataIndex.store(attached)


@acl_api(HEADER)
def aclmdlGetAippDataSize(batchSize: c.uint64_t, size: c.size_t_p) -> c.aclError:
    """Query the bytes of the parameters of dynamic AIPP for a batch of images: 64, and 96 for each image.

    Returns:
        ACL_SUCCESS: `*size` is written.
        ACL_ERROR_INVALID_PARAM: `size` is null.
    """
    if size.null:
        raise null("size")
    size.store(block_size(batchSize) % SIZES)


@acl_api(HEADER, also=SETS)
def aclmdlSetInputAIPP(
    modelId: c.uint32_t, dataset: c.aclmdlDataset_p, index: c.size_t, aippParmsSet: c.const_aclmdlAIPP_p
) -> c.aclError:
    """Choose the parameters of dynamic AIPP for executions with a data set. `index` is that of the input
    ascend_dynamic_aipp_data. The call writes its buffer at once, which an execution before may still read.

    Returns:
        ACL_SUCCESS: written.
    """
    data_set = required(dataset, DataSet, "dataset")
    parameters = required(aippParmsSet, AippParameters, PARAMETERS)
    buffer_at(data_set, index, 0)
    model = loaded(modelId)
    if model.model.dynamic_aipp is None:
        raise _without(model, index)
    _write(model, data_set, index, parameters)


@acl_api(HEADER, also=SETS, pyacl="mdl.set_aipp_by_input_index")
def aclmdlSetAIPPByInputIndex(
    modelId: c.uint32_t, dataset: c.aclmdlDataset_p, index: c.size_t, aippParmsSet: c.const_aclmdlAIPP_p
) -> c.aclError:
    """aclmdlSetInputAIPP for the input of the images: `index` is its index, and the call finds the buffer of the
    parameters.

    Returns:
        ACL_SUCCESS: written.
        ACL_ERROR_INVALID_PARAM: there is no input `index`.
    """
    data_set = required(dataset, DataSet, "dataset")
    parameters = required(aippParmsSet, AippParameters, PARAMETERS)
    model = loaded(modelId)
    inputs = described.inputs(model.model)
    if index >= len(inputs):
        raise invalid(index, "index", f"less than the {len(inputs)} inputs")
    if index != model.model.dynamic_aipp:
        raise _without(model, index)
    _write(model, data_set, len(inputs) - 1, parameters)


def _write(model: LoadedModel, data_set: DataSet, index: int, parameters: AippParameters) -> None:
    """Judge the parameters, and write them to the data buffer `index`."""
    check_images(parameters)
    check_result(model.model, parameters)
    buffer = buffer_at(data_set, index, 0)
    check_room(buffer, block_size(parameters.batch))
    write_at_once(buffer, np.frombuffer(parameters.block(), np.uint8), "the data buffer of the AIPP parameters")


def _without(model: LoadedModel, index: int) -> AclError:
    text = f"input {index} of {model} has no dynamic AIPP"
    return AclError(ACL_ERROR_FAILURE, Item("EH9999", (text,)))

"""acl/acl_mdl.h: descriptions of models, the number of inputs and outputs, and their sizes in bytes."""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.api.live_objects import discard_required, required
from acl_runtime.api.mdl.load import NO_CONTENT, NO_FILE, of_content, of_file
from acl_runtime.api.mdl.lookup import DEAD, HEADER, UNKNOWN_ID, loaded, tensor_of
from acl_runtime.api.refusals import null
from acl_runtime.boundary import acl_api
from acl_runtime.headers.handles import aclmdlDesc
from acl_runtime.machine.current import current
from acl_runtime.models import described
from acl_runtime.models.objects import ModelDescription
from acl_runtime.models.statement import Model

NULL_SIZES: Final = ("ACL_ERROR_INVALID_PARAM", "`workSize` or `weightSize` is null.")


@acl_api(HEADER)
def aclmdlCreateDesc() -> c.new_aclmdlDesc:
    """Create a description of a model, which describes nothing yet. It needs neither aclInit nor a device."""
    return aclmdlDesc(current().handles.add(ModelDescription()))


@acl_api(HEADER, also=(DEAD,))
def aclmdlDestroyDesc(modelDesc: c.aclmdlDesc_p) -> c.aclError:
    """Destroy a description.

    Returns:
        ACL_SUCCESS: destroyed.
        ACL_ERROR_INVALID_PARAM: `modelDesc` is null.
    """
    discard_required(modelDesc, ModelDescription, "modelDesc")


@acl_api(HEADER, also=(UNKNOWN_ID, DEAD))
def aclmdlGetDesc(modelDesc: c.aclmdlDesc_p, modelId: c.uint32_t) -> c.aclError:
    """Describe a loaded model. The description is a copy: it stays readable when the model is unloaded. A
    former content is gone, also if the call fails.

    Returns:
        ACL_SUCCESS: described.
        ACL_ERROR_INVALID_PARAM: `modelDesc` is null.
    """
    desc = required(modelDesc, ModelDescription, "modelDesc")
    desc.clear()
    model = loaded(modelId)
    desc.describe(model.model, model.id)


@acl_api(HEADER, also=(NO_FILE, DEAD))
def aclmdlGetDescFromFile(modelDesc: c.aclmdlDesc_p, modelPath: c.const_char_p) -> c.aclError:
    """Describe the model in a file without loading it.

    Returns:
        ACL_SUCCESS: described.
        ACL_ERROR_INVALID_PARAM: `modelDesc` or `modelPath` is null.
    """
    desc = required(modelDesc, ModelDescription, "modelDesc")
    desc.clear()
    desc.describe(of_file(modelPath)[1])


@acl_api(HEADER, also=(NO_CONTENT, DEAD))
def aclmdlGetDescFromMem(modelDesc: c.aclmdlDesc_p, model: c.const_void_p, modelSize: c.size_t) -> c.aclError:
    """Describe the model with this content in host memory without loading it.

    Returns:
        ACL_SUCCESS: described.
        ACL_ERROR_INVALID_PARAM: `modelDesc` or `model` is null, or `modelSize` is 0.
    """
    desc = required(modelDesc, ModelDescription, "modelDesc")
    desc.clear()
    desc.describe(of_content(model, modelSize)[1])


@acl_api(HEADER)
def aclmdlGetNumInputs(modelDesc: c.aclmdlDesc_p) -> c.size_t_result:
    """The number of inputs, with the input that holds the gear; 0 for null."""
    return len(required(modelDesc, ModelDescription, "modelDesc").inputs) if modelDesc else 0


@acl_api(HEADER)
def aclmdlGetNumOutputs(modelDesc: c.aclmdlDesc_p) -> c.size_t_result:
    """The number of outputs; 0 for null."""
    return len(required(modelDesc, ModelDescription, "modelDesc").outputs) if modelDesc else 0


@acl_api(HEADER)
def aclmdlGetInputSizeByIndex(modelDesc: c.aclmdlDesc_p, index: c.size_t) -> c.size_t_result:
    """The bytes of an input: of the largest gear, or of the greatest sizes. 0 if a size is open, for null, and for an
    index without an input."""
    return tensor_of(modelDesc, index, output=False).size


@acl_api(HEADER)
def aclmdlGetOutputSizeByIndex(modelDesc: c.aclmdlDesc_p, index: c.size_t) -> c.size_t_result:
    """The bytes of an output: of the largest gear, or of the greatest sizes. 0 if a size is open, for null, and for an
    index without an output."""
    return tensor_of(modelDesc, index, output=True).size


@acl_api(HEADER, also=(NO_FILE, NULL_SIZES))
def aclmdlQuerySize(fileName: c.const_char_p, workSize: c.size_t_p, weightSize: c.size_t_p) -> c.aclError:
    """Query the memory that the model in a file needs. No device is needed.

    Returns:
        ACL_SUCCESS: both sizes, in bytes, are written.
        ACL_ERROR_INVALID_PARAM: `fileName` is null.
    """
    if fileName is None:
        raise null("fileName")
    _check_sizes(workSize.null, weightSize.null)
    _store_sizes(of_file(fileName)[1], workSize, weightSize)


@acl_api(HEADER, also=(NO_CONTENT, NULL_SIZES, DEAD))
def aclmdlQuerySizeFromMem(
    model: c.const_void_p, modelSize: c.size_t, workSize: c.size_t_p, weightSize: c.size_t_p
) -> c.aclError:
    """Query the memory that the model with this content needs. No device is needed.

    Returns:
        ACL_SUCCESS: both sizes, in bytes, are written.
        ACL_ERROR_INVALID_PARAM: `model` is null, or `modelSize` is 0.
    """
    if not model.value:
        raise null("model")
    _check_sizes(workSize.null, weightSize.null)
    _store_sizes(of_content(model, modelSize)[1], workSize, weightSize)


def _check_sizes(no_work: bool, no_weight: bool) -> None:
    for missing, name in ((no_work, "workSize"), (no_weight, "weightSize")):
        if missing:
            raise null(name)


def _store_sizes(model: Model, work: c.size_t_p, weight: c.size_t_p) -> None:
    work.store(described.work_size(model))
    weight.store(model.weight_size)

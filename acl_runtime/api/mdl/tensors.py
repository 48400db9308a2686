"""acl/acl_mdl.h: names, types, formats and sizes of the inputs and outputs of a model."""

from collections.abc import Sequence
from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Address, HeldText, Out
from acl_runtime.api.live_objects import required
from acl_runtime.api.mdl.lookup import DEAD, HEADER, UNKNOWN_ID, loaded, tensor_at, tensor_of
from acl_runtime.api.memory.buffers import store
from acl_runtime.api.refusals import invalid, null
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import ACL_ATTR_NAME_DATA_DUMP_ORIGIN_OP_NAMES, ACL_MAX_DIM_CNT
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_API_NOT_SUPPORT, ACL_ERROR_STORAGE_OVER_LIMIT
from acl_runtime.headers.structs import aclmdlIODims, aclmdlIODimsRange
from acl_runtime.machine.current import current
from acl_runtime.models.objects import ModelDescription

OVER: Final = ("ACL_ERROR_STORAGE_OVER_LIMIT", "it has more than 128 dimensions.")
NO_INPUT: Final = ("ACL_ERROR_INVALID_PARAM", "`modelDesc` or the output is null, or there is no input `index`.")
NO_OUTPUT: Final = ("ACL_ERROR_INVALID_PARAM", "`modelDesc` or `dims` is null, or there is no output `index`.")
NO_NAME: Final = ("ACL_ERROR_INVALID_PARAM", "`modelDesc`, `name` or `index` is null, or nothing has this name.")


@acl_api(HEADER)
def aclmdlGetInputNameByIndex(modelDesc: c.const_aclmdlDesc_p, index: c.size_t) -> c.text_result:
    """The name of an input, valid while the description is. Empty for null and for an index without an input."""
    return _name(modelDesc, index, output=False)


@acl_api(HEADER)
def aclmdlGetOutputNameByIndex(modelDesc: c.const_aclmdlDesc_p, index: c.size_t) -> c.text_result:
    """The name of an output, valid while the description is. Empty for null and for an index without an output."""
    return _name(modelDesc, index, output=True)


@acl_api(HEADER, also=(NO_NAME, DEAD))
def aclmdlGetInputIndexByName(modelDesc: c.const_aclmdlDesc_p, name: c.const_char_p, index: c.size_t_p) -> c.aclError:
    """Find an input by its name.

    Returns:
        ACL_SUCCESS: `*index` is written.
    """
    _find(modelDesc, name, index, output=False)


@acl_api(HEADER, also=(NO_NAME, DEAD))
def aclmdlGetOutputIndexByName(modelDesc: c.const_aclmdlDesc_p, name: c.const_char_p, index: c.size_t_p) -> c.aclError:
    """Find an output by its name.

    Returns:
        ACL_SUCCESS: `*index` is written.
    """
    _find(modelDesc, name, index, output=True)


@acl_api(HEADER)
def aclmdlGetTensorRealName(modelDesc: c.const_aclmdlDesc_p, name: c.const_char_p) -> c.const_char_p_result:
    """The name in the model of an input or an output, for a name that the other queries return: they replace names of
    more than 127 characters. Null for null and for an unknown name."""
    if not modelDesc or name is None:
        return None
    desc = required(modelDesc, ModelDescription, "modelDesc")
    real = desc.real_names.get(name) or (name if name in desc.real_names.values() else None)
    return None if real is None else HeldText(real, desc.texts)


@acl_api(HEADER)
def aclmdlGetOpAttr(modelDesc: c.aclmdlDesc_p, opName: c.const_char_p, attr: c.const_char_p) -> c.const_char_p_result:
    """The attribute ACL_ATTR_NAME_DATA_DUMP_ORIGIN_OP_NAMES of an operator in a loaded model: the operators that it
    comes from. Null for null, for another attribute, for an operator without it, and if the model is not loaded."""
    if not modelDesc or opName is None or attr != ACL_ATTR_NAME_DATA_DUMP_ORIGIN_OP_NAMES:
        return None
    desc = required(modelDesc, ModelDescription, "modelDesc")
    model = current().models.loaded.get(desc.id)
    value = model.model.original_ops.get(opName) if model is not None else None
    return None if value is None else HeldText(value, desc.texts)


@acl_api(HEADER)
def aclmdlGetInputFormat(modelDesc: c.const_aclmdlDesc_p, index: c.size_t) -> c.aclFormat_result:
    """The format of an input; ACL_FORMAT_UNDEFINED for null and for an index without an input."""
    return tensor_of(modelDesc, index, output=False).format


@acl_api(HEADER)
def aclmdlGetOutputFormat(modelDesc: c.const_aclmdlDesc_p, index: c.size_t) -> c.aclFormat_result:
    """The format of an output; ACL_FORMAT_UNDEFINED for null and for an index without an output."""
    return tensor_of(modelDesc, index, output=True).format


@acl_api(HEADER)
def aclmdlGetInputDataType(modelDesc: c.const_aclmdlDesc_p, index: c.size_t) -> c.aclDataType_result:
    """The data type of an input; ACL_DT_UNDEFINED for null and for an index without an input."""
    return tensor_of(modelDesc, index, output=False).dtype


@acl_api(HEADER)
def aclmdlGetOutputDataType(modelDesc: c.const_aclmdlDesc_p, index: c.size_t) -> c.aclDataType_result:
    """The data type of an output; ACL_DT_UNDEFINED for null and for an index without an output."""
    return tensor_of(modelDesc, index, output=True).dtype


@acl_api(HEADER, also=(NO_INPUT, OVER, DEAD))
def aclmdlGetInputDims(modelDesc: c.const_aclmdlDesc_p, index: c.size_t, dims: c.aclmdlIODims_p) -> c.aclError:
    """Query the name and the sizes of an input; -1 is a dynamic size.

    Returns:
        ACL_SUCCESS: `*dims` is written.
    """
    tensor = tensor_at(_described(modelDesc, dims), index, output=False)
    store_dims(dims, tensor.name, tensor.dims)


@acl_api(HEADER, also=(NO_INPUT, OVER, DEAD))
def aclmdlGetInputDimsV2(modelDesc: c.const_aclmdlDesc_p, index: c.size_t, dims: c.aclmdlIODims_p) -> c.aclError:
    """aclmdlGetInputDims; for an input with static AIPP the sizes of the image's bytes.

    Returns:
        ACL_SUCCESS: `*dims` is written.
    """
    tensor = tensor_at(_described(modelDesc, dims), index, output=False)
    store_dims(dims, tensor.name, tensor.stored)


@acl_api(HEADER, also=(NO_OUTPUT, OVER, DEAD))
def aclmdlGetOutputDims(modelDesc: c.const_aclmdlDesc_p, index: c.size_t, dims: c.aclmdlIODims_p) -> c.aclError:
    """Query the name and the sizes of an output: those of the largest gear; -1 for a size that only the run knows.

    Returns:
        ACL_SUCCESS: `*dims` is written.
    """
    tensor = tensor_at(_described(modelDesc, dims), index, output=True)
    store_dims(dims, tensor.name, tensor.dims)


@acl_api(HEADER, also=(NO_OUTPUT, OVER, UNKNOWN_ID, DEAD))
def aclmdlGetCurOutputDims(modelDesc: c.const_aclmdlDesc_p, index: c.size_t, dims: c.aclmdlIODims_p) -> c.aclError:
    """Query the name and the sizes of an output for the gear that was set last, with whatever data set. Without gears,
    and before the first, the call is aclmdlGetOutputDims.

    Returns:
        ACL_SUCCESS: `*dims` is written.
        ACL_ERROR_API_NOT_SUPPORT: the sizes of inputs are unknown until the run, without gears.
    """
    desc = _described(modelDesc, dims)
    if desc.model is not None and desc.model.unknown:
        reason = "the sizes of its inputs are known only at each run"
        raise AclError(ACL_ERROR_API_NOT_SUPPORT, Item("EH0006", ("aclmdlGetCurOutputDims for this model", reason)))
    tensor = tensor_at(desc, index, output=True)
    model = loaded(desc.id)
    output = model.model.outputs[index]
    store_dims(dims, tensor.name, model.model.output_shape(output, model.gear) if model.gear else tensor.dims)


@acl_api(HEADER, also=(NO_INPUT, DEAD))
def aclmdlGetInputDimsRange(
    modelDesc: c.const_aclmdlDesc_p, index: c.size_t, dimsRange: c.aclmdlIODimsRange_p
) -> c.aclError:
    """Query the least and the greatest size of each dimension of an input. There are none if the sizes are known.

    Returns:
        ACL_SUCCESS: `*dimsRange` is written.
    """
    bounds = tensor_at(_described(modelDesc, dimsRange, "dimsRange"), index, output=False).bounds
    written = aclmdlIODimsRange(rangeCount=len(bounds))
    for i, pair in enumerate(bounds):
        written.range[i][:] = pair
    store(dimsRange, written, "dimsRange")


def io_dims(name: str, sizes: Sequence[int]) -> aclmdlIODims:
    """The struct with a name and sizes; 300000 if there are too many sizes."""
    if len(sizes) > ACL_MAX_DIM_CNT:
        reason = f"the sizes of {name} are {len(sizes)}; aclmdlIODims has room for {ACL_MAX_DIM_CNT}"
        raise AclError(ACL_ERROR_STORAGE_OVER_LIMIT, Item("EH9999", (reason,)))
    written = aclmdlIODims(name=name.encode(), dimCount=len(sizes))
    written.dims[: len(sizes)] = list(sizes)
    return written


def store_dims(pointer: Address, name: str, sizes: Sequence[int]) -> None:
    """Write a name and sizes to the program's struct."""
    store(pointer, io_dims(name, sizes), "dims")


def _described(desc: int, target: Address, parameter: str = "dims") -> ModelDescription:
    """The description of a handle; 100000 if it is null, or if the pointer for the answer is."""
    live_desc = required(desc, ModelDescription, "modelDesc")
    if not target.value:
        raise null(parameter)
    return live_desc


def _name(desc: int, index: int, *, output: bool) -> str:
    name = tensor_of(desc, index, output=output).name
    return HeldText(name, required(desc, ModelDescription, "modelDesc").texts)


def _find(desc: int, name: str | None, index: Out[int], *, output: bool) -> None:
    live_desc = required(desc, ModelDescription, "modelDesc")
    if name is None:
        raise null("name")
    if index.null:
        raise null("index")
    names = [tensor.name for tensor in (live_desc.outputs if output else live_desc.inputs)]
    if name not in names:
        raise invalid(repr(name), "name", f"one of {', '.join(names) or 'no names, as nothing is described'}")
    index.store(names.index(name))

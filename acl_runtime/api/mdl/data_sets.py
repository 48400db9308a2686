"""acl/acl_mdl.h: data sets, the lists of data buffers for the inputs or for the outputs of a model."""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.api.live_objects import alive, required
from acl_runtime.api.mdl.lookup import DEAD, HEADER
from acl_runtime.api.refusals import invalid
from acl_runtime.boundary import acl_api
from acl_runtime.headers.handles import aclDataBuffer, aclmdlDataset, aclTensorDesc
from acl_runtime.machine.current import current
from acl_runtime.models.objects import DataSet
from acl_runtime.objects.data_buffer import DataBuffer
from acl_runtime.objects.descriptions import TensorDesc

PARAMETER: Final = "dataset"


@acl_api(HEADER)
def aclmdlCreateDataset() -> c.new_aclmdlDataset:
    """Create a data set, which is empty."""
    return aclmdlDataset(current().handles.add(DataSet()))


@acl_api(HEADER, also=(DEAD,))
def aclmdlDestroyDataset(dataset: c.const_aclmdlDataset_p) -> c.aclError:
    """Destroy a data set and the tensor descriptors in it. Its data buffers and their memory stay.

    Returns:
        ACL_SUCCESS: destroyed.
        ACL_ERROR_INVALID_PARAM: `dataset` is null.
    """
    data_set = required(dataset, DataSet, PARAMETER)
    for index in list(data_set.descriptors):
        set_descriptor(data_set, index, None)
    current().handles.remove(data_set)


@acl_api(HEADER, also=(DEAD,))
def aclmdlAddDatasetBuffer(dataset: c.aclmdlDataset_p, dataBuffer: c.aclDataBuffer_p) -> c.aclError:
    """Append a data buffer. The order of the buffers is that of the inputs, or of the outputs, of the model.

    Returns:
        ACL_SUCCESS: appended.
        ACL_ERROR_INVALID_PARAM: `dataset` or `dataBuffer` is null.
    """
    data_set = required(dataset, DataSet, PARAMETER)
    required(dataBuffer, DataBuffer, "dataBuffer")
    data_set.buffers.append(dataBuffer)


@acl_api(HEADER)
def aclmdlGetDatasetNumBuffers(dataset: c.const_aclmdlDataset_p) -> c.size_t_result:
    """The number of data buffers; 0 for null."""
    return len(alive(dataset, DataSet, PARAMETER).buffers) if dataset else 0


@acl_api(HEADER)
def aclmdlGetDatasetBuffer(dataset: c.const_aclmdlDataset_p, index: c.size_t) -> c.new_aclDataBuffer:
    """A data buffer of a data set; null for null and for an index without a buffer."""
    buffers = alive(dataset, DataSet, PARAMETER).buffers if dataset else []
    return aclDataBuffer(buffers[index] if index < len(buffers) else 0)


@acl_api(HEADER, also=(DEAD,))
def aclmdlSetDatasetTensorDesc(
    dataset: c.aclmdlDataset_p, tensorDesc: c.aclTensorDesc_p, index: c.size_t
) -> c.aclError:
    """Store a copy of a tensor descriptor with the sizes of an input whose sizes are unknown until the run. A null
    descriptor removes the stored one.

    Returns:
        ACL_SUCCESS: stored or removed.
        ACL_ERROR_INVALID_PARAM: `dataset` is null, or there is no data buffer `index`.
    """
    data_set = required(dataset, DataSet, PARAMETER)
    if index >= len(data_set.buffers):
        raise invalid(index, "index", f"less than the {len(data_set.buffers)} data buffers")
    set_descriptor(data_set, index, alive(tensorDesc, TensorDesc, "tensorDesc").copy() if tensorDesc else None)


@acl_api(HEADER)
def aclmdlGetDatasetTensorDesc(dataset: c.const_aclmdlDataset_p, index: c.size_t) -> c.new_aclTensorDesc:
    """The tensor descriptor that is stored for a data buffer; the data set owns it. After a run of a model whose sizes
    are unknown before, the descriptors of the outputs have the real sizes. Null if none is stored, and for null."""
    return aclTensorDesc(alive(dataset, DataSet, PARAMETER).descriptors.get(index, 0) if dataset else 0)


def set_descriptor(data_set: DataSet, index: int, desc: TensorDesc | None) -> None:
    """Replace the tensor descriptor for a data buffer; None removes it."""
    handles = current().handles
    old = handles.find(data_set.descriptors.pop(index, 0), TensorDesc)
    if old is not None:
        handles.remove(old)
    if desc is not None:
        data_set.descriptors[index] = handles.add(desc)

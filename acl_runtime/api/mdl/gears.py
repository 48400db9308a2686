"""acl/acl_mdl.h: the choice of a gear for the next executions of a data set."""

from collections.abc import Sequence
from typing import Final

import numpy as np

import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Address
from acl_runtime.api.live_objects import alive, required
from acl_runtime.api.mdl.lookup import HEADER, UNKNOWN_ID, loaded
from acl_runtime.api.memory.buffers import load
from acl_runtime.api.outcomes import NO_HOST_MEMORY
from acl_runtime.api.refusals import invalid, null
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.dtypes import Array
from acl_runtime.headers.enums import ACL_MAX_DIM_CNT
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import (
    ACL_ERROR_GE_DYNAMIC_BATCH_SIZE_INVALID,
    ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID,
)
from acl_runtime.headers.structs import aclmdlIODims
from acl_runtime.machine.current import current
from acl_runtime.memory.copies import exchange, locate
from acl_runtime.models.gears import Gear, GearKind
from acl_runtime.models.loaded import LoadedModel
from acl_runtime.models.objects import DataSet
from acl_runtime.objects.data_buffer import DataBuffer

SHORT, LONG = 4, 8
"""bytes of one value of a gear in a buffer: LONG where the buffer has room for it"""
GEARS: Final = (
    ("ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID", "the data buffer has less than 4 bytes for each value."),
    UNKNOWN_ID,
    ("ACL_ERROR_GE_DYNAMIC_BATCH_SIZE_INVALID", "the model was not built for these sizes."),
    ("ACL_ERROR_RT_PARAM_INVALID", "a handle or the buffer's memory is dead, and findings are only reported."),
    *NO_HOST_MEMORY,
)
SETS: Final = (
    "ACL_ERROR_INVALID_PARAM",
    "`dataset` is null, a size is 0, there is no data buffer `index`, or its address is null.",
)


@acl_api(HEADER, also=(SETS, *GEARS))
def aclmdlSetDynamicBatchSize(
    modelId: c.uint32_t, dataset: c.aclmdlDataset_p, index: c.size_t, batchSize: c.uint64_t
) -> c.aclError:
    """Choose the batch size for executions with a data set. `index` is that of the input ascend_mbatch_shape_data. The
    call writes the batch size into its buffer at once, which an execution before may still read.

    Returns:
        ACL_SUCCESS: written.
    """
    data_set = required(dataset, DataSet, "dataset")
    _check_sizes(batchSize=batchSize)
    buffer = buffer_at(data_set, index, SHORT)
    _choose(loaded(modelId), data_set, buffer, GearKind.BATCH, (batchSize,))


@acl_api(HEADER, also=(SETS, *GEARS), pyacl="mdl.set_dynamic_hw_size")
def aclmdlSetDynamicHWSize(
    modelId: c.uint32_t, dataset: c.aclmdlDataset_p, index: c.size_t, height: c.uint64_t, width: c.uint64_t
) -> c.aclError:
    """Choose the image size for executions with a data set. `index` is that of the input ascend_mbatch_shape_data. The
    call writes both sizes into its buffer at once, which an execution before may still read.

    Returns:
        ACL_SUCCESS: written.
    """
    data_set = required(dataset, DataSet, "dataset")
    _check_sizes(height=height, width=width)
    buffer = buffer_at(data_set, index, 2 * SHORT)
    _choose(loaded(modelId), data_set, buffer, GearKind.HW, (height, width))


@acl_api(HEADER, also=(SETS, *GEARS))
def aclmdlSetInputDynamicDims(
    modelId: c.uint32_t, dataset: c.aclmdlDataset_p, index: c.size_t, dims: c.const_aclmdlIODims_p
) -> c.aclError:
    """Choose the sizes of all inputs for executions with a data set. `dims` has the sizes of all dimensions of all
    inputs, one input after the other. `index` is that of the input ascend_mbatch_shape_data. The call writes the
    dynamic sizes into its buffer at once, which an execution before may still read.

    Returns:
        ACL_SUCCESS: written.
        ACL_ERROR_INVALID_PARAM: `dims` is null or has no sizes.
        ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID: the number of sizes is wrong, or a size that is not dynamic differs.
    """
    data_set = required(dataset, DataSet, "dataset")
    if not dims.value:
        raise null("dims")
    sizes = load(dims, aclmdlIODims, "dims")
    if not sizes.dimCount:
        raise invalid(0, "dims.dimCount", "a value greater than 0")
    buffer = buffer_at(data_set, index, 0)
    model = loaded(modelId)
    gear = _dynamic_sizes(model, sizes.dims[: min(sizes.dimCount, ACL_MAX_DIM_CNT)], sizes.dimCount)
    _check_kind(model, GearKind.DIMS, gear)
    check_room(buffer, len(gear) * SHORT)
    _choose(model, data_set, buffer, GearKind.DIMS, gear)


def _check_sizes(**sizes: int) -> None:
    for name, size in sizes.items():
        if not size:
            raise invalid(0, name, "a value greater than 0")


def buffer_at(data_set: DataSet, index: int, least: int) -> DataBuffer:
    """The data buffer for a gear or for parameters, which has at least so many bytes."""
    if index >= len(data_set.buffers):
        raise invalid(index, "index", f"less than the {len(data_set.buffers)} data buffers")
    buffer = alive(data_set.buffers[index], DataBuffer, "a data buffer of dataset")
    if not buffer.address:
        raise null("the address of the data buffer")
    check_room(buffer, least)
    return buffer


def check_room(buffer: DataBuffer, least: int) -> None:
    if buffer.size < least:
        values = buffer.size, "the size of the data buffer", f"{least} or more"
        raise AclError(ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID, Item("EH0007", values))


def _dynamic_sizes(model: LoadedModel, sizes: Sequence[int], count: int) -> Gear:
    """The sizes in place of each -1; 145012 if the others differ from those of the model."""
    stated = [tensor.shape for tensor in model.model.inputs]
    flat = [size for shape in stated for size in shape]
    same = count == len(flat) and all(size in (-1, value) for size, value in zip(flat, sizes, strict=True))
    if not same:
        values = list(sizes), "dims", f"the sizes {flat} of all inputs, with a value for each -1"
        raise AclError(ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID, Item("EH0007", values))
    ends = [sum(map(len, stated[:i])) for i in range(len(stated))]
    by_name = {
        tensor.name: [value for size, value in zip(tensor.shape, sizes[end:], strict=False) if size < 0]
        for tensor, end in zip(model.model.inputs, ends, strict=True)
    }
    gears = model.model.gears
    order = (gears.order if gears is not None else ()) or by_name
    return tuple(value for name in order for value in by_name[name])


def _check_kind(model: LoadedModel, kind: GearKind, gear: Gear) -> None:
    """145013 if the model was not built for this gear."""
    gears = model.model.gears
    if gears is None or gears.kind is not kind or gear not in gears.values:
        built = f"one of {list(gears.values)}, set with {gears.kind.value}" if gears is not None else "no gears"
        values = list(gear), "the chosen sizes", f"what {model} was built for: {built}"
        raise AclError(ACL_ERROR_GE_DYNAMIC_BATCH_SIZE_INVALID, Item("EH0007", values))


def _choose(model: LoadedModel, data_set: DataSet, buffer: DataBuffer, kind: GearKind, gear: Gear) -> None:
    """Write a gear into its buffer, and keep it for the queries."""
    _check_kind(model, kind, gear)
    values = np.array(gear, np.int64 if buffer.size >= len(gear) * LONG else np.int32)
    write_at_once(buffer, values, "the data buffer of the gear")
    data_set.gear = model.gear = gear


def write_at_once(buffer: DataBuffer, values: Array, role: str) -> None:
    """Write to the memory of a data buffer, without waiting for work that is queued."""
    machine = current()
    target = locate(machine, Address(buffer.address), values.nbytes, role, write=True)
    machine.announce.host_used((target.range(values.nbytes),))
    exchange(machine, target, values, write=True)

"""acl/acl_mdl.h: queries of the gears of a model."""

from collections.abc import Sequence
from ctypes import sizeof
from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Address
from acl_runtime.api.live_objects import required
from acl_runtime.api.mdl.lookup import DEAD, HEADER
from acl_runtime.api.mdl.tensors import io_dims
from acl_runtime.api.memory.buffers import store
from acl_runtime.api.refusals import invalid, null
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import ACL_MAX_BATCH_NUM, ACL_MAX_HW_NUM
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_STORAGE_OVER_LIMIT
from acl_runtime.headers.structs import aclmdlBatch, aclmdlHW, aclmdlIODims
from acl_runtime.models.gears import Gear, GearKind
from acl_runtime.models.objects import ModelDescription

ALL: Final = (1 << 64) - 1
"""the index -1, which stands for all inputs"""
OVER: Final = ("ACL_ERROR_STORAGE_OVER_LIMIT", "there are more than 128.")


@acl_api(HEADER, also=(OVER, DEAD))
def aclmdlGetDynamicBatch(modelDesc: c.const_aclmdlDesc_p, batch: c.aclmdlBatch_p) -> c.aclError:
    """Query the batch sizes that a model was built for. There are none if the batch size is not dynamic.

    Returns:
        ACL_SUCCESS: `*batch` is written.
        ACL_ERROR_INVALID_PARAM: `modelDesc` or `batch` is null.
    """
    values = _values(modelDesc, batch, "batch", GearKind.BATCH, ACL_MAX_BATCH_NUM)
    written = aclmdlBatch(batchCount=len(values))
    written.batch[: len(values)] = [gear[0] for gear in values]
    store(batch, written, "batch")


@acl_api(HEADER, also=(OVER, DEAD))
def aclmdlGetDynamicHW(modelDesc: c.const_aclmdlDesc_p, index: c.size_t, hw: c.aclmdlHW_p) -> c.aclError:
    """Query the image sizes that a model was built for. There are none if they are not dynamic. `index` is ignored.

    Returns:
        ACL_SUCCESS: `*hw` is written.
        ACL_ERROR_INVALID_PARAM: `modelDesc` or `hw` is null.
    """
    values = _values(modelDesc, hw, "hw", GearKind.HW, ACL_MAX_HW_NUM)
    written = aclmdlHW(hwCount=len(values))
    for i, gear in enumerate(values):
        written.hw[i][:] = gear
    store(hw, written, "hw")


@acl_api(HEADER, also=(DEAD,))
def aclmdlGetInputDynamicGearCount(
    modelDesc: c.const_aclmdlDesc_p, index: c.size_t, gearCount: c.size_t_p
) -> c.aclError:
    """Query the number of gears with sizes of all dimensions; 0 if the model has none.

    Returns:
        ACL_SUCCESS: `*gearCount` is written.
        ACL_ERROR_INVALID_PARAM: `modelDesc` or `gearCount` is null, or `index` is not -1.
    """
    desc = required(modelDesc, ModelDescription, "modelDesc")
    if gearCount.null:
        raise null("gearCount")
    _check_all(index)
    gearCount.store(len(_gears_of(desc, GearKind.DIMS)))


@acl_api(HEADER, also=(DEAD,))
def aclmdlGetInputDynamicDims(
    modelDesc: c.const_aclmdlDesc_p, index: c.size_t, dims: c.aclmdlIODims_p, gearCount: c.size_t
) -> c.aclError:
    """Query the gears with sizes of all dimensions: for each the sizes of all inputs, one input after the other.

    Returns:
        ACL_SUCCESS: as many elements of the array `dims` as there are gears are written.
        ACL_ERROR_INVALID_PARAM: `modelDesc` or `dims` is null, `index` is not -1, or `gearCount` is less than the
            number of gears.
    """
    desc = required(modelDesc, ModelDescription, "modelDesc")
    if not dims.value:
        raise null("dims")
    _check_all(index)
    gears = _gears_of(desc, GearKind.DIMS)
    if gearCount < len(gears):
        raise invalid(gearCount, "gearCount", f"{len(gears)} or more")
    assert desc.model is not None or not gears
    for i, gear in enumerate(gears):
        shapes = desc.model.input_shapes(gear) if desc.model is not None else {}
        written = bytes(io_dims("", [size for shape in shapes.values() for size in shape]))
        skip, offset = aclmdlIODims.dimCount.offset, i * sizeof(aclmdlIODims)  # "names not written"
        room = None if dims.size is None else max(dims.size - offset - skip, 0)
        store(Address(dims.value + offset + skip, room, dims.owner, safe=dims.safe), written[skip:], "dims")


def _check_all(index: int) -> None:
    if index != ALL:
        raise invalid(index, "index", "-1, for all inputs")


def _gears_of(desc: ModelDescription, kind: GearKind) -> Sequence[Gear]:
    gears = desc.model.gears if desc.model is not None else None
    return gears.values if gears is not None and gears.kind is kind else ()


def _values(desc: int, target: Address, parameter: str, kind: GearKind, most: int) -> Sequence[Gear]:
    """The gears of a kind; 300000 if the struct has no room for them."""
    live_desc = required(desc, ModelDescription, "modelDesc")
    if not target.value:
        raise null(parameter)
    values = _gears_of(live_desc, kind)
    if len(values) > most:
        text = f"the model has {len(values)} gears; there is room for {most}"
        raise AclError(ACL_ERROR_STORAGE_OVER_LIMIT, Item("EH9999", (text,)))
    return values

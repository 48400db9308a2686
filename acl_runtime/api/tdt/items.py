"""acl/acl_tdt.h: data items and datasets, the contents of the messages of a channel."""

from ctypes import c_int64
from typing import Final

import acl_runtime.abi.c as c
import acl_runtime.abi.tdt as t
from acl_runtime.abi.pointers import NULL
from acl_runtime.api.live_objects import alive, discard, discard_required, required
from acl_runtime.api.memory.buffers import store
from acl_runtime.api.meta.objects import take
from acl_runtime.api.refusals import check_product, invalid, null
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import aclDataType, acltdtTensorType
from acl_runtime.headers.handles import acltdtDataItem, acltdtDataset
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_FEATURE_UNSUPPORTED, ACL_ERROR_RT_PARAM_INVALID
from acl_runtime.machine.current import current
from acl_runtime.memory.copies import Kind, kind_of
from acl_runtime.objects.queues import DataItem, Dataset

HEADER: Final = "acl/acl_tdt.h"
MOST_DIMS: Final = 128
WHAT: Final = "A channel of tensors"
TENSOR: Final = acltdtTensorType.ACL_TENSOR_DATA_TENSOR
DEAD: Final = (
    ("ACL_ERROR_RT_PARAM_INVALID", "the object was destroyed (only if the machine reports findings, not raises them)."),
)
"""the status of functions that take an object of the program"""


@acl_api(HEADER)
def acltdtCreateDataItem(
    tdtType: t.acltdtTensorType,
    dims: c.const_int64_t_p,
    dimNum: c.size_t,
    dataType: c.aclDataType,
    data: c.void_p,
    size: c.size_t,
) -> t.new_acltdtDataItem:
    """Create an item: a tensor, or a mark such as ACL_TENSOR_DATA_END_OF_SEQUENCE. The item refers to `data`, memory of
    the host or of a device, which must stay until the item was sent. A mark has neither data nor a data type.

    The result is null in these cases: `dims` is null and `dimNum` is not 0; `dims` is not null and `dimNum` is 0;
    `dimNum` is more than 128; a mark has dimensions.
    """
    check_product(WHAT)
    if dims.null != (dimNum == 0) or dimNum > MOST_DIMS or (tdtType != TENSOR and dimNum):
        return acltdtDataItem()
    shape = take(dims, dimNum, "dims", ACL_ERROR_RT_PARAM_INVALID) if dimNum else ()
    if tdtType == TENSOR:
        item = DataItem(tdtType, tuple(map(int, shape)), dataType, data, size)
    else:
        item = DataItem(tdtType, (), aclDataType.ACL_DT_UNDEFINED)
    return acltdtDataItem(current().handles.add(item))


@acl_api(HEADER, also=DEAD)
def acltdtDestroyDataItem(dataItem: t.acltdtDataItem_p) -> c.aclError:
    """Destroy an item. Its data stay.

    Returns:
        ACL_SUCCESS: destroyed.
        ACL_ERROR_INVALID_PARAM: `dataItem` is null.
    """
    check_product(WHAT)
    discard_required(dataItem, DataItem, "dataItem")


@acl_api(HEADER)
def acltdtGetTensorTypeFromItem(dataItem: t.const_acltdtDataItem_p) -> t.acltdtTensorType_result:
    """The acltdtTensorType of an item; ACL_TENSOR_DATA_UNDEFINED (-1) for null."""
    item = _item(dataItem)
    return acltdtTensorType.ACL_TENSOR_DATA_UNDEFINED if item is None else item.type


@acl_api(HEADER)
def acltdtGetDataTypeFromItem(dataItem: t.const_acltdtDataItem_p) -> c.aclDataType_result:
    """The data type of an item; ACL_DT_UNDEFINED (-1) for null, and for a mark."""
    item = _item(dataItem)
    return aclDataType.ACL_DT_UNDEFINED if item is None else item.dtype


@acl_api(HEADER)
def acltdtGetDataAddrFromItem(dataItem: t.const_acltdtDataItem_p) -> c.void_p_result:
    """The address of the data of an item; null for null, and for a mark."""
    item = _item(dataItem)
    return (item.data.value or None) if item is not None else None


@acl_api(HEADER)
def acltdtGetDataSizeFromItem(dataItem: t.const_acltdtDataItem_p) -> c.size_t_result:
    """The bytes of the data of an item; 0 for null, and for a mark."""
    item = _item(dataItem)
    return 0 if item is None else item.size


@acl_api(HEADER)
def acltdtGetDimNumFromItem(dataItem: t.const_acltdtDataItem_p) -> c.size_t_result:
    """The number of dimensions of an item; 0 for null, for a mark, and for a scalar."""
    item = _item(dataItem)
    return 0 if item is None else len(item.dims)


@acl_api(HEADER, also=DEAD)
def acltdtGetDimsFromItem(dataItem: t.const_acltdtDataItem_p, dims: c.target_int64_t_p, dimNum: c.size_t) -> c.aclError:
    """Write the dimensions of an item to an array of `dimNum` elements.

    Returns:
        ACL_SUCCESS: written.
        ACL_ERROR_INVALID_PARAM: `dataItem` is null; only one of `dims` and `dimNum` is null or 0; `dimNum` is less
            than the number of dimensions.
    """
    check_product(WHAT)
    item = required(dataItem, DataItem, "dataItem")
    if (not dims.value) != (dimNum == 0) or dimNum < len(item.dims):
        raise invalid(dimNum, "dimNum", f"{len(item.dims)} or more elements, with an array")
    if item.dims:
        store(dims, (c_int64 * len(item.dims))(*item.dims), "dims")


@acl_api(HEADER, also=DEAD)
def acltdtGetSliceInfoFromItem(
    dataItem: t.const_acltdtDataItem_p, sliceNum: c.size_t_p, sliceId: c.size_t_p
) -> c.aclError:
    """Query into how many slices a tensor was cut, and which slice this item is. Here tensors are never cut.

    Returns:
        ACL_SUCCESS: `*sliceNum` and `*sliceId` are 0.
        ACL_ERROR_INVALID_PARAM: an argument is null.
    """
    check_product(WHAT)
    required(dataItem, DataItem, "dataItem")
    for name, pointer in (("sliceNum", sliceNum), ("sliceId", sliceId)):
        if pointer.null:
            raise null(name)
    sliceNum.store(0)
    sliceId.store(0)


@acl_api(HEADER)
def acltdtCreateDataset() -> t.new_acltdtDataset:
    """Create a dataset without items."""
    check_product(WHAT)
    return acltdtDataset(current().handles.add(Dataset()))


@acl_api(HEADER, also=DEAD)
def acltdtDestroyDataset(dataset: t.acltdtDataset_p) -> c.aclError:
    """Destroy a dataset. Items of the program stay; items that acltdtReceiveTensor made go.

    Returns:
        ACL_SUCCESS: destroyed.
        ACL_ERROR_INVALID_PARAM: `dataset` is null.
    """
    check_product(WHAT)
    release(required(dataset, Dataset, "dataset"))
    discard(dataset, Dataset, "dataset")


@acl_api(HEADER, also=DEAD)
def acltdtAddDataItem(dataset: t.acltdtDataset_p, dataItem: t.acltdtDataItem_p) -> c.aclError:
    """Append an item to a dataset. The data of all items are on the host, or all on a device.

    Returns:
        ACL_SUCCESS: appended.
        ACL_ERROR_INVALID_PARAM: an argument is null, or the data of the item are on the other side.
        ACL_ERROR_FEATURE_UNSUPPORTED: acltdtReceiveTensor filled the dataset.
    """
    check_product(WHAT)
    live_set = required(dataset, Dataset, "dataset")
    item = required(dataItem, DataItem, "dataItem")
    if live_set.received:
        raise AclError(ACL_ERROR_FEATURE_UNSUPPORTED, Item("EH0006", ("adding items", f"a channel filled {live_set}")))
    if item.data.value:
        side = kind_of(current(), item.data.value) is Kind.DEVICE
        if live_set.on_device not in (None, side):
            raise invalid(dataItem, "dataItem", f"an item with data on {'the host' if side else 'a device'}")
        live_set.on_device = side
    live_set.items.append(dataItem)


@acl_api(HEADER)
def acltdtGetDataItem(dataset: t.const_acltdtDataset_p, index: c.size_t) -> t.new_acltdtDataItem:
    """The item of an index; null if the dataset is null or has fewer items."""
    live_set = _set(dataset)
    return acltdtDataItem(live_set.items[index] if live_set is not None and index < len(live_set.items) else 0)


@acl_api(HEADER)
def acltdtGetDatasetSize(dataset: t.const_acltdtDataset_p) -> c.size_t_result:
    """The number of items; 0 for null."""
    live_set = _set(dataset)
    return 0 if live_set is None else len(live_set.items)


@acl_api(HEADER)
def acltdtGetDatasetName(dataset: t.const_acltdtDataset_p) -> c.const_char_p_result:
    """The name of a dataset: an empty text here, as only a graph on a device gives names; null for null."""
    return None if _set(dataset) is None else ""


def release(dataset: Dataset) -> None:
    """Remove the items of a dataset, which it destroys if they are its own."""
    if dataset.received:
        handles = current().handles
        for number in dataset.items:
            item = handles.find(number, DataItem)
            if item is not None:
                item.data = NULL
                handles.remove(item)
    dataset.items, dataset.on_device, dataset.received = [], None, False


def _item(number: int) -> DataItem | None:
    check_product(WHAT)
    return alive(number, DataItem, "dataItem") if number else None


def _set(number: int) -> Dataset | None:
    check_product(WHAT)
    return alive(number, Dataset, "dataset") if number else None

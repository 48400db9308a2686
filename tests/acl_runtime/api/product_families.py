"""Good calls of functions that belong together, with the products of their pages (public)."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_int64, c_size_t
from typing import Any, NamedTuple

import numpy as np

from acl_runtime import *
from tests.helpers.builders import malloc
from tests.helpers.creating import create_stream


class Things(NamedTuple):
    """Arguments of the calls."""

    stream: aclrtStream
    memory: int
    host: Any


Call = Callable[[Things], object]
"""a call; its result is a status, or a handle"""


class Family(NamedTuple):
    """Functions with the same products."""

    products: str
    """those whose pages list the functions"""
    working: str
    """those that have them although no page says so, with the advice `unsupported-product`"""
    calls: dict[str, Call]


def things() -> Things:
    return Things(create_stream(), malloc(4096), np.zeros(64, np.uint8))


def item() -> acltdtDataItem:
    return acltdtCreateDataItem(ACL_TENSOR_DATA_TENSOR, [2], 1, ACL_FLOAT, np.zeros(2, np.float32), 8)


def channel() -> acltdtChannelHandle:
    return acltdtCreateChannelWithCapacity(0, "channel", 2)


def filled() -> acltdtChannelHandle:
    made, dataset = channel(), acltdtCreateDataset()
    acltdtAddDataItem(dataset, item())
    acltdtSendTensor(made, dataset, 0)
    return made


FAMILIES = {
    "channels": Family(
        "A3 A2 910 950",
        "310P 310B",
        {
            "acltdtCreateDataItem": lambda its: item(),
            "acltdtDestroyDataItem": lambda its: acltdtDestroyDataItem(item()),
            "acltdtGetTensorTypeFromItem": lambda its: acltdtGetTensorTypeFromItem(item()),
            "acltdtGetDataTypeFromItem": lambda its: acltdtGetDataTypeFromItem(item()),
            "acltdtGetDataAddrFromItem": lambda its: acltdtGetDataAddrFromItem(item()) is None,
            "acltdtGetDataSizeFromItem": lambda its: acltdtGetDataSizeFromItem(item()) - 8,
            "acltdtGetDimNumFromItem": lambda its: acltdtGetDimNumFromItem(item()) - 1,
            "acltdtGetDimsFromItem": lambda its: acltdtGetDimsFromItem(item(), byref(c_int64()), 1),
            "acltdtGetSliceInfoFromItem": lambda its: acltdtGetSliceInfoFromItem(
                item(), byref(c_size_t()), byref(c_size_t())
            ),
            "acltdtCreateDataset": lambda its: acltdtCreateDataset(),
            "acltdtDestroyDataset": lambda its: acltdtDestroyDataset(acltdtCreateDataset()),
            "acltdtAddDataItem": lambda its: acltdtAddDataItem(acltdtCreateDataset(), item()),
            "acltdtGetDataItem": lambda its: bool(acltdtGetDataItem(acltdtCreateDataset(), 0)),
            "acltdtGetDatasetSize": lambda its: acltdtGetDatasetSize(acltdtCreateDataset()),
            "acltdtGetDatasetName": lambda its: len(acltdtGetDatasetName(acltdtCreateDataset()) or ""),
            "acltdtCreateChannelWithCapacity": lambda its: channel(),
            "acltdtDestroyChannel": lambda its: acltdtDestroyChannel(channel()),
            "acltdtStopChannel": lambda its: acltdtStopChannel(channel()),
            "acltdtCleanChannel": lambda its: acltdtCleanChannel(channel()),
            "acltdtQueryChannelSize": lambda its: acltdtQueryChannelSize(channel(), byref(c_size_t())),
            "acltdtSendTensor": lambda its: acltdtSendTensor(channel(), acltdtCreateDataset(), 0),
            "acltdtReceiveTensor": lambda its: acltdtReceiveTensor(filled(), acltdtCreateDataset(), 0),
        },
    ),
    "channels of the old kind": Family(
        "910", "A3 A2 310P 310B 950", {"acltdtCreateChannel": lambda its: bool(acltdtCreateChannel(0, "channel"))}
    ),
}
"""by subject. Where neither list has a product, the library refuses the call with 207000"""


def products_of(name: str) -> tuple[str, str]:
    """The products whose pages list a function, and those that have it without."""
    found = next(family for family in FAMILIES.values() if name in family.calls)
    return found.products, found.working


NAMES = [name for family in FAMILIES.values() for name in family.calls]

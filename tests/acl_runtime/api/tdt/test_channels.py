"""Channels: items and datasets are records, messages are copies in order, and a full or empty channel is an answer."""

from __future__ import annotations

from ctypes import byref, c_char, c_int64, c_size_t
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.builders import malloc
from tests.helpers.host_threads import Host
from tests.helpers.outcomes import assert_status, finding_of, ok

TENSOR = ACL_TENSOR_DATA_TENSOR
VALUES: Any = np.arange(4, dtype=np.float32)


def item_of(data: Any, dims: list[int], size: int | None = None) -> acltdtDataItem:
    return acltdtCreateDataItem(TENSOR, dims, len(dims), ACL_FLOAT, data, data.nbytes if size is None else size)


def dataset_of(*items: acltdtDataItem) -> acltdtDataset:
    dataset = acltdtCreateDataset()
    for item in items:
        ok(acltdtAddDataItem(dataset, item))
    return dataset


def channel(capacity: int = 2) -> acltdtChannelHandle:
    made = acltdtCreateChannelWithCapacity(0, "channel", capacity)
    assert made
    return made


def size_of(handle: acltdtChannelHandle) -> int:
    size = c_size_t()
    ok(acltdtQueryChannelSize(handle, byref(size)))
    return size.value


def values(item: acltdtDataItem) -> Any:
    count = acltdtGetDataSizeFromItem(item)
    memory: Any = (c_char * count).from_address(acltdtGetDataAddrFromItem(item) or 0)
    return np.frombuffer(memory, np.float32)


@pytest.mark.parametrize(
    ("kind", "dims", "count"),
    [(TENSOR, None, 1), (TENSOR, [2], 0), (TENSOR, [1] * 129, 129), (ACL_TENSOR_DATA_END_OF_SEQUENCE, [2], 1)],
    ids=["no dims", "no count", "129 dims", "a mark with dims"],
)
def test_an_item_that_cannot_be_is_null(machine: Machine, kind: int, dims: list[int] | None, count: int) -> None:
    """ "null in these cases, in this order: ..."."""
    assert not acltdtCreateDataItem(kind, dims, count, ACL_FLOAT, VALUES, 16)


def test_an_item_refers_to_its_data(machine: Machine) -> None:
    item, dims = item_of(VALUES, [2, 2]), (c_int64 * 2)()
    assert acltdtGetTensorTypeFromItem(item) == TENSOR
    assert acltdtGetDataTypeFromItem(item) == ACL_FLOAT
    assert acltdtGetDataAddrFromItem(item) == VALUES.ctypes.data
    assert (acltdtGetDataSizeFromItem(item), acltdtGetDimNumFromItem(item)) == (16, 2)
    ok(acltdtGetDimsFromItem(item, dims, 2))
    assert list(dims) == [2, 2]
    scalar = acltdtCreateDataItem(TENSOR, None, 0, ACL_FLOAT, VALUES, 4)
    assert acltdtGetDimNumFromItem(scalar) == 0
    ok(acltdtGetDimsFromItem(scalar, None, 0))


def test_a_mark_drops_data_and_type(machine: Machine) -> None:
    mark = acltdtCreateDataItem(ACL_TENSOR_DATA_END_OF_SEQUENCE, None, 0, ACL_FLOAT, VALUES, 16)
    assert acltdtGetTensorTypeFromItem(mark) == ACL_TENSOR_DATA_END_OF_SEQUENCE
    assert acltdtGetDataTypeFromItem(mark) == ACL_DT_UNDEFINED
    assert (acltdtGetDataAddrFromItem(mark), acltdtGetDataSizeFromItem(mark)) == (None, 0)


def test_null_answers(machine: Machine) -> None:
    """ "null item: -1, ACL_DT_UNDEFINED, null, 0, 0"."""
    assert acltdtGetTensorTypeFromItem(None) == -1
    assert acltdtGetDataTypeFromItem(None) == ACL_DT_UNDEFINED
    assert acltdtGetDataAddrFromItem(None) is None
    assert (acltdtGetDataSizeFromItem(None), acltdtGetDimNumFromItem(None)) == (0, 0)
    assert (acltdtGetDatasetSize(None), acltdtGetDatasetName(None)) == (0, None)
    assert acltdtGetDatasetName(acltdtCreateDataset()) == ""
    assert not acltdtGetDataItem(acltdtCreateDataset(), 0)


def test_refusals_are_100000(machine: Machine) -> None:
    item, made, dataset, size = item_of(VALUES, [4]), channel(), acltdtCreateDataset(), c_size_t()
    refused = ACL_ERROR_INVALID_PARAM
    for status in (
        acltdtDestroyDataItem(None),
        acltdtGetDimsFromItem(None, (c_int64 * 1)(), 1),
        acltdtGetDimsFromItem(item, None, 1),
        acltdtGetDimsFromItem(item, (c_int64 * 1)(), 0),
        acltdtGetSliceInfoFromItem(item, None, byref(size)),
        acltdtGetSliceInfoFromItem(item, byref(size), None),
        acltdtDestroyDataset(None),
        acltdtAddDataItem(None, item),
        acltdtAddDataItem(dataset, None),
        acltdtSendTensor(None, dataset, 0),
        acltdtSendTensor(made, None, 0),
        acltdtReceiveTensor(made, None, 0),
        acltdtStopChannel(None),
        acltdtCleanChannel(None),
        acltdtDestroyChannel(None),
        acltdtQueryChannelSize(made, None),
    ):
        assert_status(status, refused)


@pytest.mark.fidelity("channels (acltdt)")
def test_what_is_sent_is_received_in_order_and_copied(machine: Machine) -> None:
    first, second = VALUES.copy(), VALUES[:2] + 7
    made = channel()
    ok(acltdtSendTensor(made, dataset_of(item_of(first, [2, 2]), item_of(second, [2])), -1))
    ok(acltdtSendTensor(made, dataset_of(acltdtCreateDataItem(1, None, 0, 0, None, 0)), -1))
    first[:] = 9
    assert size_of(made) == 2
    dataset = acltdtCreateDataset()
    ok(acltdtReceiveTensor(made, dataset, 0))
    assert acltdtGetDatasetSize(dataset) == 2
    np.testing.assert_array_equal(values(acltdtGetDataItem(dataset, 0)), VALUES)
    np.testing.assert_array_equal(values(acltdtGetDataItem(dataset, 1)), VALUES[:2] + 7)
    assert_status(acltdtAddDataItem(dataset, item_of(VALUES, [4])), ACL_ERROR_FEATURE_UNSUPPORTED)
    ok(acltdtReceiveTensor(made, dataset, 0))
    assert acltdtGetTensorTypeFromItem(acltdtGetDataItem(dataset, 0)) == ACL_TENSOR_DATA_END_OF_SEQUENCE
    assert size_of(made) == 0
    ok(acltdtDestroyDataset(dataset))
    ok(acltdtStopChannel(made))
    ok(acltdtDestroyChannel(made))


def test_data_of_a_device_are_sent_too(machine: Machine) -> None:
    memory = malloc(16)
    ok(aclrtMemcpy(memory, 16, VALUES, 16, ACL_MEMCPY_HOST_TO_DEVICE))
    item, made = acltdtCreateDataItem(TENSOR, [4], 1, ACL_FLOAT, memory, 16), channel()
    dataset = dataset_of(item)
    assert_status(acltdtAddDataItem(dataset, item_of(VALUES, [4])), ACL_ERROR_INVALID_PARAM, "a device")
    ok(acltdtAddDataItem(dataset, acltdtCreateDataItem(4, None, 0, 0, None, 0)))
    ok(acltdtSendTensor(made, dataset, 0))
    ok(acltdtReceiveTensor(made, received := acltdtCreateDataset(), 0))
    np.testing.assert_array_equal(values(acltdtGetDataItem(received, 0)), VALUES)


def test_full_and_empty_are_answers(machine: Machine) -> None:
    """ "full -> 207014", "Empty -> 207013"; a message without items is 500001."""
    made, dataset = channel(), acltdtCreateDataset()
    ok(acltdtSendTensor(made, dataset, 0))
    ok(acltdtSendTensor(made, dataset, 0))
    assert_status(acltdtSendTensor(made, dataset, 0), ACL_ERROR_RT_QUEUE_FULL)
    assert_status(acltdtReceiveTensor(made, dataset, 0), ACL_ERROR_FAILURE)
    ok(acltdtCleanChannel(made))
    assert_status(acltdtReceiveTensor(made, dataset, 1), ACL_ERROR_RT_QUEUE_EMPTY)


def test_a_thread_that_waits_gets_what_another_sends(machine: Machine) -> None:
    made = channel()
    received = acltdtCreateDataset()
    receiver = Host(lambda: acltdtReceiveTensor(made, received, -1))
    ok(acltdtSendTensor(made, dataset_of(item_of(VALUES, [4])), -1))
    ok(receiver.end())
    assert acltdtGetDatasetSize(received) == 1


@pytest.mark.parametrize(
    ("device", "name", "capacity"),
    [(0, None, 2), (0, "x" * 128, 2), (0, "c", 1), (0, "c", 8193), (9, "c", 2)],
    ids=["no name", "128 bytes", "1", "8193", "no device"],
)
@pytest.mark.fidelity("channels (acltdt)")
def test_a_channel_that_cannot_be_is_null(machine: Machine, device: int, name: str | None, capacity: int) -> None:
    assert not acltdtCreateChannelWithCapacity(device, name, capacity)
    assert not acltdtCreateChannel(0, "channel")


def test_the_data_of_an_item_must_live_when_it_is_sent(machine: Machine) -> None:
    item, made = item_of(VALUES, [4], size=64), channel()
    id, what = finding_of(lambda: acltdtSendTensor(made, dataset_of(item), 0))
    assert (id, "64" in what) == ("host-overrun", True)
    ok(acltdtDestroyDataItem(item))
    assert finding_of(lambda: acltdtGetDataSizeFromItem(item))[0] == "dead-handle"


def test_the_size_of_an_item_is_judged_before_memory_is_sized_by_it() -> None:
    with Machine(on_undefined="report") as machine:
        item, made = item_of(VALUES, [4], size=1 << 62), channel()
        assert_status(acltdtSendTensor(made, dataset_of(item), 0), ACL_ERROR_RT_PARAM_INVALID)
        assert [finding.id for finding in machine.findings] == ["host-overrun"]

"""Queues: attributes, data with user data, routes along which messages go on, and what only a device has."""

from __future__ import annotations

from ctypes import byref, c_char_p, c_int32, c_size_t, c_uint32, c_void_p
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.builders import malloc
from tests.helpers.outcomes import assert_status, finding_of, ok

NAME, DEPTH = ACL_TDTQUEUE_NAME_PTR, ACL_TDTQUEUE_DEPTH_UINT32
DATA: Any = np.arange(8, dtype=np.uint8)


def queue(depth: int = 2) -> int:
    attributes, made = acltdtCreateQueueAttr(), c_uint32()
    ok(acltdtSetQueueAttr(attributes, DEPTH, 4, byref(c_uint32(depth))))
    ok(acltdtCreateQueue(attributes, byref(made)))
    return made.value


def put(number: int, data: Any = DATA) -> int:
    return acltdtEnqueueData(number, data, data.nbytes, None, 0, 0, 0)


def taken(number: int) -> list[int]:
    out, size = np.zeros(8, np.uint8), c_size_t()
    ok(acltdtDequeueData(number, out, 8, byref(size), None, 0, 0))
    return out[: size.value].tolist()


def test_attributes_have_a_name_and_a_depth(machine: Machine) -> None:
    """ "defaults: empty name, depth 8"; "NAME gives a pointer into the attribute (8 bytes), DEPTH 4 bytes"."""
    attributes, size = acltdtCreateQueueAttr(), c_size_t()
    name, depth = c_char_p(), c_uint32()
    ok(acltdtGetQueueAttr(attributes, NAME, 8, byref(size), byref(name)))
    assert (name.value, size.value) == (b"", 8)
    ok(acltdtGetQueueAttr(attributes, DEPTH, 4, byref(size), byref(depth)))
    assert (depth.value, size.value) == (8, 4)
    ok(acltdtSetQueueAttr(attributes, NAME, 8, byref(c_char_p(b"simple_queue"))))
    ok(acltdtGetQueueAttr(attributes, NAME, 8, byref(size), byref(name)))
    assert name.value == b"simple_queue"
    ok(acltdtDestroyQueueAttr(attributes))


@pytest.mark.parametrize(
    ("kind", "size", "value"),
    [(2, 4, c_uint32(1)), (DEPTH, 5, c_uint32(1)), (NAME, 9, c_char_p(b"x")), (NAME, 8, c_char_p(b"x" * 128)),
     (NAME, 8, c_char_p(None))],
    ids=["no such attribute", "depth of 5 bytes", "name of 9 bytes", "a long name", "no name"],
)  # fmt: skip
def test_an_attribute_that_does_not_fit_is_100000(machine: Machine, kind: int, size: int, value: Any) -> None:
    attributes = acltdtCreateQueueAttr()
    assert_status(acltdtSetQueueAttr(attributes, kind, size, byref(value)), ACL_ERROR_INVALID_PARAM)


def test_refusals_are_100000(machine: Machine) -> None:
    attributes, size, number = acltdtCreateQueueAttr(), c_size_t(), queue()
    for status in (
        acltdtDestroyQueueAttr(None),
        acltdtSetQueueAttr(None, DEPTH, 4, DATA),
        acltdtSetQueueAttr(attributes, DEPTH, 4, None),
        acltdtGetQueueAttr(None, DEPTH, 4, byref(size), DATA),
        acltdtGetQueueAttr(attributes, DEPTH, 3, byref(size), DATA),
        acltdtGetQueueAttr(attributes, DEPTH, 4, None, DATA),
        acltdtGetQueueAttr(attributes, DEPTH, 4, byref(size), None),
        acltdtCreateQueue(None, None),
        acltdtEnqueueData(number, None, 8, None, 0, 0, 0),
        acltdtEnqueueData(number, DATA, 0, None, 0, 0, 0),
        acltdtEnqueueData(number, DATA, 8, DATA, 97, 0, 0),
        acltdtDequeueData(number, None, 8, byref(size), None, 0, 0),
        acltdtDequeueData(number, DATA.copy(), 8, None, None, 0, 0),
        acltdtDequeueData(number, DATA.copy(), 0, byref(size), None, 0, 0),
    ):
        assert_status(status, ACL_ERROR_INVALID_PARAM)


def test_a_queue_needs_a_device() -> None:
    with Machine():
        assert_status(acltdtCreateQueue(None, byref(c_uint32())), ACL_ERROR_RT_CONTEXT_NULL)


@pytest.mark.fidelity("queues (acltdtCreateQueue)")
def test_messages_are_copies_in_order(machine: Machine) -> None:
    number, user, size = queue(), np.full(4, 7, np.uint8), c_size_t()
    data = DATA.copy()
    ok(acltdtEnqueueData(number, data, 8, user, 4, 0, 0))
    data[:] = 0
    memory = malloc(8)
    ok(aclrtMemcpy(memory, 8, DATA[::-1].copy(), 8, ACL_MEMCPY_HOST_TO_DEVICE))
    ok(acltdtEnqueueData(number, memory, 8, None, 0, 0, 0))
    assert_status(put(number), ACL_ERROR_RT_QUEUE_FULL)
    out, tail = np.zeros(8, np.uint8), np.zeros(4, np.uint8)
    assert_status(acltdtDequeueData(number, out, 4, byref(size), None, 0, 0), ACL_ERROR_INVALID_PARAM)
    assert (size.value, out.any()) == (8, False), "the size is written although the message stays"
    ok(acltdtDequeueData(number, out, 8, byref(size), tail, 4, 0))
    assert (out.tolist(), tail.tolist()) == (DATA.tolist(), [7] * 4)
    assert taken(number) == DATA[::-1].tolist()
    assert_status(acltdtDequeueData(number, out, 8, byref(size), None, 0, 1), ACL_ERROR_RT_QUEUE_EMPTY)
    ok(acltdtDestroyQueue(number))
    assert_status(put(number), ACL_ERROR_RT_PARAM_INVALID)
    assert_status(acltdtDestroyQueue(number), ACL_ERROR_RT_PARAM_INVALID)


def test_data_that_are_no_memory_are_found(machine: Machine) -> None:
    number = queue()
    assert finding_of(lambda: acltdtEnqueueData(number, DATA, 64, None, 0, 0, 0))[0] == "host-overrun"


def routes_of(*pairs: tuple[int, int]) -> acltdtQueueRouteList:
    made = acltdtCreateQueueRouteList()
    for pair in pairs:
        ok(acltdtAddQueueRoute(made, acltdtCreateQueueRoute(*pair)))
    return made


def listed(routes: acltdtQueueRouteList) -> list[tuple[int, int, int]]:
    """Source, target and status of each route."""
    return [parts(routes, index) for index in range(acltdtGetQueueRouteNum(routes))]


def parts(routes: acltdtQueueRouteList, index: int) -> tuple[int, int, int]:
    route, size, values = acltdtCreateQueueRoute(0, 0), c_size_t(), [c_uint32(), c_uint32(), c_int32()]
    ok(acltdtGetQueueRoute(routes, index, route))
    for kind, value in enumerate(values):
        ok(acltdtGetQueueRouteParam(route, kind, 4, byref(size), byref(value)))
        assert size.value == 4
    ok(acltdtDestroyQueueRoute(route))
    return values[0].value, values[1].value, values[2].value


@pytest.mark.fidelity("queues (acltdtCreateQueue)")
def test_bound_routes_carry_messages_on(machine: Machine) -> None:
    first, second, absent = queue(4), queue(1), 99
    routes = routes_of((first, second), (first, absent))
    assert listed(routes) == [(first, second, 0), (first, absent, 0)], "a fresh route is not bound"
    ok(acltdtBindQueueRoutes(routes))
    assert [status for *_, status in listed(routes)] == [1, 2]
    ok(put(first))
    ok(put(first, DATA[:2]))
    assert (taken(second), taken(second)) == (DATA.tolist(), [0, 1])
    assert_status(acltdtDestroyQueue(first), ACL_ERROR_FAILURE)
    ok(acltdtUnbindQueueRoutes(routes))
    ok(put(first))
    assert taken(first) == DATA.tolist()
    ok(acltdtDestroyQueue(first))
    ok(acltdtDestroyQueueRouteList(routes))


def test_queries_select_bound_routes(machine: Machine) -> None:
    numbers = [queue() for _ in range(3)]
    ok(acltdtBindQueueRoutes(routes_of((numbers[0], numbers[1]), (numbers[0], numbers[2]))))
    answer = routes_of((7, 7))

    def ask(**values: int) -> int:
        query = acltdtCreateQueueRouteQueryInfo()
        for name, value in values.items():
            kind = ("mode", "source", "target").index(name)
            ok(acltdtSetQueueRouteQueryInfo(query, kind, 4, byref(c_uint32(value))))
        status = acltdtQueryQueueRoutes(query, answer)
        ok(acltdtDestroyQueueRouteQueryInfo(query))
        return status

    assert_status(ask(), ACL_ERROR_INVALID_PARAM)
    assert listed(answer) == [], "the list is emptied first"
    for values in ({"mode": 0}, {"mode": 1, "source": 0}, {"mode": 2, "target": 0}, {"mode": 7}):
        assert_status(ask(**values), ACL_ERROR_INVALID_PARAM)
    ok(ask(mode=0, source=numbers[0]))
    assert len(listed(answer)) == 2
    ok(ask(mode=1, target=numbers[2]))
    assert listed(answer) == [(numbers[0], numbers[2], 1)]
    ok(ask(mode=2, source=numbers[0], target=numbers[1]))
    assert listed(answer) == [(numbers[0], numbers[1], 1)]
    ok(ask(mode=100))
    assert listed(answer) == []


def test_records_of_routes_refuse_null_and_what_does_not_fit(machine: Machine) -> None:
    route, routes, query, size = (
        acltdtCreateQueueRoute(1, 2),
        routes_of(),
        acltdtCreateQueueRouteQueryInfo(),
        c_size_t(),
    )
    value = c_uint32()
    for status in (
        acltdtDestroyQueueRoute(None),
        acltdtGetQueueRouteParam(None, 0, 4, byref(size), byref(value)),
        acltdtGetQueueRouteParam(route, 3, 4, byref(size), byref(value)),
        acltdtGetQueueRouteParam(route, 0, 3, byref(size), byref(value)),
        acltdtGetQueueRouteParam(route, 0, 4, None, byref(value)),
        acltdtGetQueueRouteParam(route, 0, 4, byref(size), None),
        acltdtDestroyQueueRouteList(None),
        acltdtAddQueueRoute(None, route),
        acltdtAddQueueRoute(routes, None),
        acltdtGetQueueRoute(routes, 0, route),
        acltdtGetQueueRoute(routes, 0, None),
        acltdtDestroyQueueRouteQueryInfo(None),
        acltdtSetQueueRouteQueryInfo(None, 0, 4, byref(value)),
        acltdtSetQueueRouteQueryInfo(query, 3, 4, byref(value)),
        acltdtSetQueueRouteQueryInfo(query, 0, 8, byref(value)),
        acltdtSetQueueRouteQueryInfo(query, 0, 4, None),
        acltdtBindQueueRoutes(None),
        acltdtUnbindQueueRoutes(None),
        acltdtQueryQueueRoutes(query, None),
        acltdtQueryQueueRoutes(None, routes),
    ):
        assert_status(status, ACL_ERROR_INVALID_PARAM)
    assert acltdtGetQueueRouteNum(None) == 0


def test_what_only_a_device_has_is_200006(machine: Machine) -> None:
    """ "200006 without looking at any argument"."""
    none, out, number, size = acltdtBuf(), byref(acltdtBuf()), byref(c_uint32()), byref(c_size_t())
    for status in (
        acltdtEnqueue(0, none, 0),
        acltdtDequeue(0, out, 0),
        acltdtGrantQueue(0, 1, ACL_TDTQUEUE_PERMISSION_DEQUEUE, 0),
        acltdtAttachQueue(0, 0, number),
        acltdtAllocBuf(8, 0, out),
        acltdtFreeBuf(none),
        acltdtGetBufData(none, byref(c_void_p()), size),
        acltdtSetBufDataLen(none, 8),
        acltdtGetBufDataLen(none, size),
        acltdtGetBufUserData(none, None, 8, 0),
        acltdtSetBufUserData(none, None, 8, 0),
        acltdtCopyBufRef(none, out),
        acltdtAppendBufChain(none, none),
        acltdtGetBufChainNum(none, number),
        acltdtGetBufFromChain(none, 0, out),
    ):
        assert_status(status, ACL_ERROR_FEATURE_UNSUPPORTED)
    assert_status(acltdtAllocBuf(8, 2, out), ACL_ERROR_INVALID_PARAM)
    assert_status(acltdtAllocBuf(8, 0, None), ACL_ERROR_INVALID_PARAM)

"""Product support of each function (public): where the documentation lists it, and what the library does on the other
products: a gate answers 207000; where there is none the call works, with the advice `unsupported-product`."""

import re
from collections.abc import Callable, Iterator
from ctypes import byref, c_int32, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any, NamedTuple

import numpy as np
import pytest

import acl_runtime
from acl_runtime import *
from acl_runtime.objects.soc import Series
from acl_runtime.objects.support import NOT_EXPORTED, SUPPORT, ProductSupport
from tests.acl_runtime.api.product_families import FAMILIES, NAMES, products_of
from tests.acl_runtime.api.product_families import things as more_things
from tests.helpers.host_threads import in_thread
from tests.helpers.machines import board
from tests.helpers.memory.ways_to_copy import batch
from tests.helpers.outcomes import assert_status, ok, text

CHIPS = {
    "A3": "Ascend910_9391",
    "950": "Ascend950PR_9599",
    "A2": "Ascend910B1",
    "310P": "Ascend310P3",
    "310B": "Ascend310B1",
    "910": "Ascend910A",
}
SERIES = {
    "A3": Series.A3,
    "950": Series.A950,
    "A2": Series.A2,
    "310P": Series.INFERENCE,
    "310B": Series.A200I_500_A2,
    "910": Series.TRAINING,
}
# the product lists of the functions' pages, as far as the functions exist here
DOCUMENTED = {
    "A3 A2 950": """
        aclrtDeviceGetUuid aclrtDeviceTaskAbort aclrtGetErrorVerbose aclrtGetStreamOverflowSwitch
        aclrtHostGetDevicePointer aclrtHostRegister aclrtHostRegisterV2 aclrtHostUnregister aclrtMemcpyBatch
        aclrtMemcpyBatchAsync aclrtMemcpyBatchAsyncV2 aclrtMemcpyBatchV2 aclrtMemsetD32 aclrtMemsetD32Async
        aclrtRecordEventWithFlag aclrtSetStreamOverflowSwitch aclrtStreamAbort aclrtStreamWaitEventWithFlag
        aclrtValueWait aclrtValueWrite acldumpGetPath aclmdlRIGetStreams aclmdlRIGetTasksByStream
        aclmdlRITaskDisable aclmdlRITaskGetSeqId aclmdlRITaskGetType aclmdlRIUpdate
    """,
    "A3 A2 310P 950": """
        aclmdlRICaptureBegin aclmdlRICaptureEnd aclmdlRICaptureGetInfo aclmdlRICaptureTaskGrpBegin
        aclmdlRICaptureTaskGrpEnd aclmdlRICaptureTaskUpdateBegin aclmdlRICaptureTaskUpdateEnd
        aclmdlRICaptureThreadExchangeMode aclmdlRIDebugJsonPrint aclmdlRIDebugPrint aclmdlRIExecuteAsync aclmdlRIGetId
        aclrtCacheLastTaskOpInfo aclrtCacheLastTaskExtendInfo
    """,
    "A3 A2 910 950": "aclopStartDumpArgs aclopStopDumpArgs",
    "A3 A2 310P 310B 910": "rtGetC2cCtrlAddr",
    "": """
        aclrtCreateStreamConfigHandle aclrtCreateStreamV2 aclrtDestroyStreamConfigHandle
        aclrtSetOpExecuteTimeOutWithMs aclrtSetStreamConfigOpt
    """,
    "A3 A2 310P 910 950": "aclrtDeviceCanAccessPeer aclrtDeviceDisablePeerAccess aclrtDeviceEnablePeerAccess",
    "A3 A2 310B 910 950": "aclrtSetOpWaitTimeout",
}
LISTS = {name: set(products.split()) for products, names in DOCUMENTED.items() for name in names.split()}
WORKING = {
    "aclrtSetStreamOverflowSwitch": "310P 310B 910",
    "aclmdlRIGetStreams": "310P",
    "aclmdlRIGetTasksByStream": "310P",
    "aclmdlRIExecuteAsync": "310B 910",
    "aclmdlRITaskGetSeqId": "310P 310B 910",
    "aclmdlRITaskGetType": "310P 310B 910",
    "aclrtGetStreamOverflowSwitch": "310P 310B 910",
    "aclrtHostRegister": "910",
    "aclrtHostRegisterV2": "910",
    "aclrtHostUnregister": "910",
    "aclrtHostGetDevicePointer": "910",
    "acldumpGetPath": "310P 310B 910",
    "aclopStartDumpArgs": "310P 310B",
    "aclopStopDumpArgs": "310P 310B",
    "aclrtMemsetD32": "310P 310B 910",
    "aclrtMemsetD32Async": "310P 310B 910",
    "aclrtRecordEventWithFlag": "310P 310B 910",
    "aclrtStreamWaitEventWithFlag": "310P 310B 910",
    "aclrtSetOpExecuteTimeOutWithMs": "A3 A2 310P 310B 910 950",
    "aclrtDeviceCanAccessPeer": "310B",
    "aclrtCreateStreamConfigHandle": "A3 A2 310P 310B 910 950",
    "aclrtSetStreamConfigOpt": "A3 A2 310P 310B 910 950",
    "aclrtDestroyStreamConfigHandle": "A3 A2 310P 310B 910 950",
    "aclrtCreateStreamV2": "A3 A2 310P 310B 910 950",
}
"""products without the function whose library has no gate for it; all others answer 207000"""
PAIRS = [(name, product) for name in LISTS for product in CHIPS]


class Things(NamedTuple):
    """Arguments of the calls below."""

    stream: aclrtStream
    event: aclrtEvent
    memory: int
    host: Any


def things() -> Things:
    stream, event, memory = aclrtStream(), aclrtEvent(), c_void_p()
    ok(aclrtCreateStream(byref(stream)))
    ok(aclrtCreateEventExWithFlag(byref(event), ACL_EVENT_SYNC))
    ok(aclrtMalloc(byref(memory), 64, ACL_MEM_MALLOC_HUGE_FIRST))
    return Things(stream, event, memory.value or 0, np.zeros(64, np.uint8))


def mapped(its: Things) -> None:
    """Register the host memory if the product can map it."""
    address = c_void_p()
    status = aclrtHostRegister(its.host, 64, ACL_HOST_REGISTER_MAPPED, byref(address))
    assert status in (ACL_SUCCESS, ACL_ERROR_RT_FEATURE_NOT_SUPPORT)


def unregister(its: Things) -> int:
    mapped(its)
    return aclrtHostUnregister(its.host)


def device_pointer(its: Things) -> int:
    mapped(its)
    return aclrtHostGetDevicePointer(its.host, byref(c_void_p()), 0)


def options(call: Callable[[Any], int]) -> Callable[[Things], int]:
    return lambda its: call(aclrtCreateStreamConfigHandle())


def made(its: Things) -> int:
    assert aclrtCreateStreamConfigHandle()
    return ACL_SUCCESS


SOURCE = np.arange(8, dtype=np.uint8)
CALLS: dict[str, Callable[[Things], int]] = {
    "acldumpGetPath": lambda its: ACL_SUCCESS if acldumpGetPath(1) is None else ACL_ERROR_FAILURE,
    "aclopStartDumpArgs": lambda its: aclopStartDumpArgs(1, "/tmp"),
    "aclopStopDumpArgs": lambda its: aclopStopDumpArgs(1),
    "rtGetC2cCtrlAddr": lambda its: rtGetC2cCtrlAddr(byref(c_uint64()), byref(c_uint32())),
    "aclrtValueWrite": lambda its: aclrtValueWrite(its.memory, 7, 0, its.stream),
    "aclrtValueWait": lambda its: aclrtValueWait(its.memory, (1 << 64) - 1, 1, its.stream),
    "aclmdlRICaptureBegin": lambda its: aclmdlRICaptureBegin(its.stream, 0),
    "aclmdlRICaptureEnd": lambda its: aclmdlRICaptureEnd(its.stream, byref(aclmdlRI())),
    "aclrtCacheLastTaskOpInfo": lambda its: aclrtCacheLastTaskOpInfo(its.host, 64),
    "aclrtCacheLastTaskExtendInfo": lambda its: aclrtCacheLastTaskExtendInfo("info", 4),
    "aclmdlRICaptureGetInfo": lambda its: aclmdlRICaptureGetInfo(its.stream, byref(c_int32()), None),
    "aclmdlRICaptureThreadExchangeMode": lambda its: aclmdlRICaptureThreadExchangeMode(byref(c_int32(0))),
    "aclmdlRICaptureTaskGrpBegin": lambda its: aclmdlRICaptureTaskGrpBegin(its.stream),
    "aclmdlRICaptureTaskGrpEnd": lambda its: aclmdlRICaptureTaskGrpEnd(its.stream, byref(aclrtTaskGrp())),
    "aclmdlRICaptureTaskUpdateBegin": lambda its: aclmdlRICaptureTaskUpdateBegin(its.stream, c_void_p(1)),
    "aclmdlRICaptureTaskUpdateEnd": lambda its: aclmdlRICaptureTaskUpdateEnd(its.stream),
    "aclmdlRIDebugPrint": lambda its: aclmdlRIDebugPrint(c_void_p(1)),
    "aclmdlRIDebugJsonPrint": lambda its: aclmdlRIDebugJsonPrint(c_void_p(1), "/dev/null", 0),
    "aclmdlRIGetId": lambda its: aclmdlRIGetId(c_void_p(1), byref(c_uint32())),
    "aclmdlRIGetStreams": lambda its: aclmdlRIGetStreams(c_void_p(1), None, byref(c_uint32())),
    "aclmdlRIGetTasksByStream": lambda its: aclmdlRIGetTasksByStream(its.stream, None, byref(c_uint32())),
    "aclmdlRIExecuteAsync": lambda its: aclmdlRIExecuteAsync(c_void_p(1), its.stream),
    "aclmdlRITaskDisable": lambda its: aclmdlRITaskDisable(c_void_p(1)),
    "aclmdlRIUpdate": lambda its: aclmdlRIUpdate(c_void_p(1)),
    "aclmdlRITaskGetSeqId": lambda its: aclmdlRITaskGetSeqId(c_void_p(1), byref(c_uint32())),
    "aclmdlRITaskGetType": lambda its: aclmdlRITaskGetType(c_void_p(1), byref(c_int32())),
    "aclrtMemcpyBatch": lambda its: aclrtMemcpyBatch(
        [its.memory], [8], [SOURCE], [8], 1, *batch(its.memory, SOURCE), byref(c_size_t())
    ),
    "aclrtMemcpyBatchV2": lambda its: aclrtMemcpyBatchV2(
        [its.memory], [8], [SOURCE], [8], 1, *batch(its.memory, SOURCE)
    ),
    "aclrtMemcpyBatchAsync": lambda its: aclrtMemcpyBatchAsync(
        [its.memory], [8], [SOURCE], [8], 1, *batch(its.memory, SOURCE), byref(c_size_t()), its.stream
    ),
    "aclrtMemcpyBatchAsyncV2": lambda its: aclrtMemcpyBatchAsyncV2(
        [its.memory], [8], [SOURCE], [8], 1, *batch(its.memory, SOURCE), its.stream
    ),
    "aclrtSetStreamOverflowSwitch": lambda its: aclrtSetStreamOverflowSwitch(its.stream, 1),
    "aclrtGetStreamOverflowSwitch": lambda its: aclrtGetStreamOverflowSwitch(its.stream, byref(c_uint32())),
    "aclrtGetErrorVerbose": lambda its: aclrtGetErrorVerbose(0, byref(aclrtErrorInfo())),
    "aclrtDeviceTaskAbort": lambda its: aclrtDeviceTaskAbort(0, 1000),
    "aclrtHostRegister": lambda its: aclrtHostRegister(its.host, 64, ACL_HOST_REGISTER_MAPPED, byref(c_void_p())),
    "aclrtHostRegisterV2": lambda its: aclrtHostRegisterV2(its.host, 64, ACL_HOST_REG_MAPPED),
    "aclrtHostUnregister": unregister,
    "aclrtHostGetDevicePointer": device_pointer,
    "aclrtStreamAbort": lambda its: aclrtStreamAbort(its.stream),
    "aclrtMemsetD32": lambda its: aclrtMemsetD32(its.memory, 64, 7, 16),
    "aclrtMemsetD32Async": lambda its: aclrtMemsetD32Async(its.memory, 64, 7, 16, its.stream),
    "aclrtRecordEventWithFlag": lambda its: aclrtRecordEventWithFlag(its.event, its.stream, 0),
    "aclrtStreamWaitEventWithFlag": lambda its: (
        aclrtRecordEvent(its.event, its.stream) or aclrtStreamWaitEventWithFlag(its.stream, its.event, 0, 0)
    ),
    "aclrtDeviceGetUuid": lambda its: aclrtDeviceGetUuid(0, byref(aclrtUuid())),
    "aclrtSetOpWaitTimeout": lambda its: aclrtSetOpWaitTimeout(1),
    "aclrtSetOpExecuteTimeOutWithMs": lambda its: aclrtSetOpExecuteTimeOutWithMs(1000),
    "aclrtDeviceCanAccessPeer": lambda its: aclrtDeviceCanAccessPeer(byref(c_int32()), 0, 1),
    "aclrtDeviceEnablePeerAccess": lambda its: aclrtDeviceEnablePeerAccess(1, 0),
    "aclrtDeviceDisablePeerAccess": lambda its: aclrtDeviceDisablePeerAccess(1),
    "aclrtCreateStreamConfigHandle": made,
    "aclrtSetStreamConfigOpt": options(lambda config: aclrtSetStreamConfigOpt(config, 3, byref(c_uint32(1)), 4)),
    "aclrtDestroyStreamConfigHandle": options(aclrtDestroyStreamConfigHandle),
    "aclrtCreateStreamV2": options(lambda config: aclrtCreateStreamV2(byref(aclrtStream()), config)),
}
"""each function in a call that is good otherwise"""
SUPPORTED_ANSWER = {
    "aclrtDeviceTaskAbort": ACL_ERROR_API_NOT_SUPPORT,
    "aclmdlRICaptureEnd": ACL_ERROR_RT_STREAM_NOT_CAPTURED,
    "aclrtCacheLastTaskOpInfo": ACL_ERROR_RT_INTERNAL_ERROR,
    "aclrtCacheLastTaskExtendInfo": ACL_ERROR_RT_INTERNAL_ERROR,
    "aclmdlRICaptureTaskGrpBegin": ACL_ERROR_RT_STREAM_NOT_CAPTURED,
    "aclmdlRICaptureTaskGrpEnd": ACL_ERROR_RT_STREAM_NOT_CAPTURED,
    "aclmdlRICaptureTaskUpdateBegin": ACL_ERROR_RT_INVALID_HANDLE,
    "aclmdlRICaptureTaskUpdateEnd": ACL_ERROR_STREAM_TASK_GROUP_STATUS,
    "aclmdlRIDebugPrint": ACL_ERROR_RT_INVALID_HANDLE,
    "aclmdlRIDebugJsonPrint": ACL_ERROR_RT_INVALID_HANDLE,
    "aclmdlRIGetId": ACL_ERROR_RT_INVALID_HANDLE,
    "aclmdlRIGetStreams": ACL_ERROR_RT_INVALID_HANDLE,
    "aclmdlRIGetTasksByStream": ACL_ERROR_RT_PARAM_INVALID,
    "aclmdlRIExecuteAsync": ACL_ERROR_RT_INVALID_HANDLE,
    "aclmdlRITaskDisable": ACL_ERROR_RT_INVALID_HANDLE,
    "aclmdlRIUpdate": ACL_ERROR_RT_INVALID_HANDLE,
    "aclmdlRITaskGetSeqId": ACL_ERROR_RT_INVALID_HANDLE,
    "aclmdlRITaskGetType": ACL_ERROR_RT_INVALID_HANDLE,
}
"""of one that this emulator does not do, or that needs more than a stream, an event and memory"""


def advised(machine: Any) -> list[str]:
    """The functions that `unsupported-product` findings name."""
    found = [finding for finding in machine.findings if finding.id == "unsupported-product"]
    return [finding.what.partition(" ")[0] for finding in found]


@pytest.mark.fidelity("the text of a gate's 207000")
@pytest.mark.parametrize(("name", "product"), PAIRS)
def test_every_function_on_every_product(name: str, product: str) -> None:
    """All pairs: those that the pages list work without advice, the others are refused by a gate or work with
    advice, which comes once for each function."""
    with board(soc=CHIPS[product], device_count=2) as machine:
        its = things()
        status = CALLS[name](its)
        if status == ACL_SUCCESS:
            assert aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL) == ACL_SUCCESS, "a good probe leaves no error"
        if product in LISTS[name]:
            assert status == SUPPORTED_ANSWER.get(name, ACL_SUCCESS), text()
            assert advised(machine) == []
        elif product in WORKING.get(name, "").split():
            assert status == SUPPORTED_ANSWER.get(name, ACL_SUCCESS), text()
            assert advised(machine).count(name) == 1
            assert next(f for f in machine.findings if f.what.startswith(name)).level == "advice"
            CALLS[name](things())
            assert advised(machine).count(name) == 1, "once for each function and machine"
        else:
            assert_status(status, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "(EE1005)", name, CHIPS[product])
            things()
            assert (aclrtGetLastError(ACL_RT_THREAD_LEVEL), text()) == (ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "")
            assert aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL) == ACL_SUCCESS, "a query takes it"
            assert name not in advised(machine)


def test_the_table_has_these_functions_and_no_others() -> None:
    """148 (function, product) pairs are documented as unsupported; the table says of each pair what the test above
    finds."""
    assert SUPPORT.keys() - set(NAMES) == LISTS.keys() == CALLS.keys()
    assert sum(product not in LISTS[name] for name, product in PAIRS) == 148
    for name, product in PAIRS:
        outcome = SUPPORT[name][SERIES[product]].outcome
        if product in LISTS[name]:
            assert outcome is ProductSupport.SUPPORTED, (name, product)
        elif product in WORKING.get(name, "").split():
            assert outcome in (ProductSupport.WORKS, ProductSupport.PARTLY), (name, product)
        else:
            assert outcome in (ProductSupport.REFUSED, ProductSupport.PARTLY), (name, product)


@pytest.mark.parametrize("product", CHIPS)
def test_every_function_of_a_family_on_every_product(product: str) -> None:
    """As above, with one machine for each product."""
    with board(soc=CHIPS[product], device_count=2) as machine:
        for family in FAMILIES.values():
            documented, working = product in family.products.split(), product in family.working.split()
            for name, call in family.calls.items():
                answer = call(more_things())
                refused = answer == ACL_ERROR_RT_FEATURE_NOT_SUPPORT
                assert refused is not (documented or working), (name, answer, text())
                if not refused:
                    assert isinstance(answer, c_void_p | str) or answer == 0, (name, answer, text())
                assert advised(machine).count(name) == working, name


def test_the_table_has_the_functions_of_the_families() -> None:
    for name in NAMES:
        documented, working = products_of(name)
        for product, series in SERIES.items():
            outcome = SUPPORT[name][series].outcome if name in SUPPORT else ProductSupport.SUPPORTED
            expected = ProductSupport.SUPPORTED if product in documented.split() else ProductSupport.REFUSED
            assert outcome is (ProductSupport.WORKS if product in working.split() else expected), (name, product)


def functions_of_the_runtime() -> Iterator[str]:
    for name in acl_runtime.__all__:
        declared = getattr(getattr(acl_runtime, name), "c", None)
        if declared is not None and declared.products:
            yield name


@pytest.mark.parametrize("name", [*functions_of_the_runtime()])
def test_help_lists_the_products(name: str) -> None:
    _, _, listed = (getattr(acl_runtime, name).__doc__ or "").partition("\nProducts:")
    if name not in SUPPORT:
        assert listed == " all"
        return
    lines = dict(re.findall(r"^    (.+): (.+)$", listed, re.MULTILINE))
    assert len(listed.strip().splitlines()) == len(Series)
    for product, series in SERIES.items():
        assert series.value in listed
        if product in (LISTS[name] if name in LISTS else products_of(name)[0].split()):
            assert lines[series.value] == "supported"


# the order of a gated call: null and range checks of the ACL layer, then the gate, then handles and the context


BEFORE: dict[str, tuple[Callable[[], int], str]] = {
    "aclrtValueWrite, null": (lambda: aclrtValueWrite(None, 7, 0, None), "(EH0008)"),
    "aclrtValueWrite, flag": (lambda: aclrtValueWrite(8, 7, 1, None), "(EH0007)"),
    "aclrtValueWait, null": (lambda: aclrtValueWait(None, 7, 0, None), "(EH0008)"),
    "aclrtValueWait, flag": (lambda: aclrtValueWait(8, 7, 4, None), "(EH0007)"),
    "aclrtMemcpyBatch, null": (lambda: aclrtMemcpyBatch([8], [8], [8], None, 1, None, None, 0, None), "(EH0008)"),
    "aclrtSetStreamOverflowSwitch, flag": (lambda: aclrtSetStreamOverflowSwitch(None, 2), "(EH0007)"),
    "aclrtGetErrorVerbose, null": (lambda: aclrtGetErrorVerbose(9, None), "(EH0008)"),
    "aclrtHostRegister, null": (lambda: aclrtHostRegister(None, 64, 0, byref(c_void_p())), "(EH0008)"),
    "aclrtHostRegisterV2, size": (lambda: aclrtHostRegisterV2(SOURCE, 0, ACL_HOST_REG_MAPPED), "(EH0007)"),
    "aclrtHostUnregister, null": (lambda: aclrtHostUnregister(None), "(EH0008)"),
    "aclrtHostGetDevicePointer, flag": (lambda: aclrtHostGetDevicePointer(SOURCE, byref(c_void_p()), 1), "(EH0007)"),
    "aclrtDeviceGetUuid, null": (lambda: aclrtDeviceGetUuid(0, None), "(EH0008)"),
    "aclrtRecordEventWithFlag, flag": (lambda: aclrtRecordEventWithFlag(0x10, None, 2), "(EH0007)"),
    "aclrtStreamWaitEventWithFlag, timeout": (lambda: aclrtStreamWaitEventWithFlag(None, 0x10, 1, 1), "(EH0007)"),
}


@pytest.mark.parametrize(("call", "code"), BEFORE.values(), ids=BEFORE)
def test_the_acl_layer_looks_before_the_gate(call: Callable[[], int], code: str) -> None:
    """ "ACL null/range checks (100000), then the gate (207000)"."""
    with board(soc="Ascend310P3"):
        assert_status(call(), ACL_ERROR_INVALID_PARAM, code)


def test_a_batch_of_nothing_succeeds_everywhere() -> None:
    """ "207000 after the ACL layer's checks (all-zero sizes still succeed)"."""
    with board(soc="Ascend310P3"):
        ok(aclrtMemcpyBatch([None], [0], [None], [0], 1, None, None, 0, byref(c_size_t())))


BEHIND: dict[str, Callable[[aclrtStream, aclrtEvent], int]] = {
    "aclrtValueWrite": lambda stream, event: aclrtValueWrite(8, 7, 0, stream),
    "aclrtValueWait": lambda stream, event: aclrtValueWait(8, 7, 0, stream),
    "aclrtMemcpyBatchAsyncV2": lambda stream, event: aclrtMemcpyBatchAsyncV2(
        [8], [8], [SOURCE], [8], 1, *batch(8, SOURCE), stream
    ),
    "aclrtGetErrorVerbose": lambda stream, event: aclrtGetErrorVerbose(99, byref(aclrtErrorInfo())),
    "aclrtDeviceTaskAbort": lambda stream, event: aclrtDeviceTaskAbort(99, 0),
    "aclrtRecordEventWithFlag": lambda stream, event: aclrtRecordEventWithFlag(event, stream, 1),
    "aclrtStreamWaitEventWithFlag": lambda stream, event: aclrtStreamWaitEventWithFlag(stream, event, 0, 1),
}


@pytest.mark.parametrize("call", BEHIND.values(), ids=BEHIND)
def test_the_gate_looks_before_handles_and_the_context(call: Callable[[aclrtStream, aclrtEvent], int]) -> None:
    """ "Then handle and context checks": a dead stream, in a thread without a context."""
    with board(soc="Ascend310B1"):
        its = things()
        ok(aclrtDestroyStream(its.stream))
        assert in_thread(lambda: call(its.stream, its.event)) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT


LAST: dict[str, tuple[str, Callable[[], int], int]] = {
    "aclrtHostRegister": (
        "310P", lambda: aclrtHostRegister(SOURCE, 8, 0, byref(c_void_p())), ACL_ERROR_RT_CONTEXT_NULL,
    ),
    "aclrtHostRegisterV2": ("310P", lambda: aclrtHostRegisterV2(SOURCE, 8, 2), ACL_ERROR_RT_CONTEXT_NULL),
    "aclrtHostUnregister": ("310P", lambda: aclrtHostUnregister(SOURCE), ACL_ERROR_RT_CONTEXT_NULL),
    "aclrtHostGetDevicePointer": (
        "310P", lambda: aclrtHostGetDevicePointer(SOURCE, byref(c_void_p()), 0), ACL_ERROR_RT_CONTEXT_NULL,
    ),
    "aclrtDeviceGetUuid": ("910", lambda: aclrtDeviceGetUuid(9, byref(aclrtUuid())), ACL_ERROR_RT_INVALID_DEVICEID),
    "aclrtDeviceEnablePeerAccess": (
        "310B", lambda: aclrtDeviceEnablePeerAccess(9, 0), ACL_ERROR_RT_INVALID_DEVICEID,
    ),
}  # fmt: skip


@pytest.mark.fidelity("calls that the driver or the firmware refuses")
@pytest.mark.parametrize(("product", "call", "status"), LAST.values(), ids=LAST)
def test_what_the_driver_refuses_comes_last(product: str, call: Callable[[], int], status: int) -> None:
    """ "Gate in the driver layer, after the context check"; what the driver answers follows all checks."""
    with board(soc=CHIPS[product]):
        assert in_thread(call) == status


@pytest.mark.parametrize("product", ["310P", "310B", "910"])
def test_abort_looks_at_the_stream_first(product: str) -> None:
    """ "Null stream 107000 (EE1004); after handle, context and owner checks: [...] 207000"."""
    with board(soc=CHIPS[product]):
        its = things()
        assert_status(aclrtStreamAbort(None), ACL_ERROR_RT_PARAM_INVALID, "(EE1004)", "stream cannot be a NULL pointer")
        ok(aclrtDestroyStream(its.stream))
        assert aclrtStreamAbort(its.stream) == ACL_ERROR_RT_INVALID_HANDLE


# what depends on the arguments


ATTRIBUTES = {
    ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK: "overflowSwitch", ACL_STREAM_ATTR_USER_CUSTOM_TAG: "userCustomTag",
}  # fmt: skip
"""attributes that older products leave as they are"""


@pytest.mark.fidelity("aclrtHostUnregister of memory that was only pinned, on 310P and 310B")
@pytest.mark.parametrize("product", CHIPS)
def test_pinning_alone_works_everywhere(product: str) -> None:
    """ "V2 with the pinned flag alone [...] is pure bookkeeping: 0 everywhere", and so is its end (ours)."""
    with board(soc=CHIPS[product]) as machine:
        host = np.zeros(64, np.uint8)
        ok(aclrtHostRegisterV2(host, 64, ACL_HOST_REG_PINNED))
        ok(aclrtHostUnregister(host))
        both = {"aclrtHostRegisterV2", "aclrtHostUnregister"}
        assert set(advised(machine)) == (set() if product in ("A2", "A3", "950") else both)


@pytest.mark.parametrize("product", CHIPS)
def test_flag_1_of_events_is_207000_without_a_text(product: str) -> None:
    """ "Flag 1: 207000 (WE0001 [...])", a warning, which leaves neither text nor last error."""
    with board(soc=CHIPS[product]) as machine:
        its = things()
        expected = (
            ACL_ERROR_RT_STREAM_NOT_CAPTURED if product in ("A2", "A3", "950") else ACL_ERROR_RT_FEATURE_NOT_SUPPORT
        )
        assert aclrtRecordEventWithFlag(its.event, its.stream, 1) == expected
        assert aclrtStreamWaitEventWithFlag(its.stream, its.event, 0, 1) == expected
        if expected == ACL_ERROR_RT_FEATURE_NOT_SUPPORT:
            assert (text(), aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL)) == ("", ACL_SUCCESS)
        assert advised(machine) == []


@pytest.mark.parametrize(("product", "value"), {"A3": 0, "A2": 0, "950": 0, "310B": 0, "310P": 1, "910": 1}.items())
def test_overflow_switch_of_a_stream(product: str, value: int) -> None:
    """ "No gate: 0, reads 1 on chips without the STARS scheduler (910, 310P), the stream's value (0) on 310B", also as
    an attribute; "attribute 2 and 3 without the feature: 0, nothing stored. aclrtGetStreamAttribute with 3: 0, value
    untouched"; "aclrtSetStreamFailureMode(s,1)=0"."""
    with board(soc=CHIPS[product]):
        its, found, attribute = things(), c_uint32(7), aclrtStreamAttrValue()
        ok(aclrtGetStreamOverflowSwitch(its.stream, byref(found)))
        ok(aclrtGetStreamAttribute(its.stream, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, byref(attribute)))
        assert (found.value, attribute.overflowSwitch) == (value, value)
        for which, field in ATTRIBUTES.items():
            attribute, found = aclrtStreamAttrValue(), aclrtStreamAttrValue()
            setattr(attribute, field, 1)
            setattr(found, field, 7)
            ok(aclrtSetStreamAttribute(its.stream, which, byref(attribute)))
            ok(aclrtGetStreamAttribute(its.stream, which, byref(found)))
            ignored = 7 if field == "userCustomTag" else value
            assert getattr(found, field) == (1 if product in ("A2", "A3", "950") else ignored)
        ok(aclrtSetStreamAttribute(its.stream, ACL_STREAM_ATTR_PRIORITY, byref(attribute)))
        attribute.failureMode = ACL_STOP_ON_FAILURE
        ok(aclrtSetStreamAttribute(its.stream, ACL_STREAM_ATTR_FAILURE_MODE, byref(attribute)))
        ok(aclrtSetStreamFailureMode(its.stream, ACL_STOP_ON_FAILURE))
        dead = its.stream
        ok(aclrtDestroyStream(dead))
        for which in ATTRIBUTES:
            assert aclrtSetStreamAttribute(dead, which, byref(attribute)) == ACL_ERROR_RT_INVALID_HANDLE


@pytest.mark.fidelity("peer access on 310B, which has one chip")
def test_peers_of_a_product_with_one_chip() -> None:
    """ "Single-chip product, so can-access reads 0 and enable fails in the driver"; disable fails there too (ours)."""
    with board(soc="Ascend310B1", device_count=2) as machine:
        can = c_int32(7)
        ok(aclrtDeviceCanAccessPeer(byref(can), 0, 1))
        assert can.value == 0
        assert advised(machine) == ["aclrtDeviceCanAccessPeer"]
        for call in (lambda: aclrtDeviceEnablePeerAccess(1, 0), lambda: aclrtDeviceDisablePeerAccess(1)):
            assert_status(call(), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "Ascend310B1")


@pytest.mark.fidelity("aclrtMemsetD32 of device memory on 310P, 310B and 910")
def test_memory_is_set_without_a_gate() -> None:
    """ "No gate: host memory is filled on the host (0); device memory depends on the driver (suggest 0)"."""
    with board(soc="Ascend910A") as machine:
        its = things()
        ok(aclrtMemsetD32(its.memory, 64, 0x01020304, 16))
        ok(aclrtMemsetD32Async(its.memory, 64, 7, 2, its.stream))
        ok(aclrtSynchronizeDevice())
        assert machine.read(its.memory, 16, "u4").tolist() == [7, 7, *[0x01020304] * 14]


def test_functions_that_the_libraries_do_not_export() -> None:
    """ "The stream-config family: symbol not exported by the mainstream library"; so the threads for host functions."""
    streams = {name for name in LISTS if "StreamConfig" in name or name == "aclrtCreateStreamV2"}
    assert streams | FAMILIES["threads for host functions"].calls.keys() == NOT_EXPORTED


def test_the_advice_may_be_allowed() -> None:
    """Then it is counted, not recorded."""
    with board(soc="Ascend910A") as machine:
        its = things()
        machine.allow("unsupported-product", reason="the program runs on A2 as well")
        ok(aclrtMemsetD32(its.memory, 64, 7, 16))
        assert advised(machine) == []
        assert machine.findings.met["unsupported-product", "the program runs on A2 as well"] == 1

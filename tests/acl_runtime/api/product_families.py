"""Good calls of functions that belong together, with the products of their pages (public)."""

from __future__ import annotations

import os
from collections.abc import Callable
from ctypes import (
    addressof,
    byref,
    c_int32,
    c_int64,
    c_size_t,
    c_uint8,
    c_uint32,
    c_uint64,
    c_void_p,
    create_string_buffer,
)
from typing import Any, NamedTuple

import numpy as np

from acl_runtime import *
from acl_runtime import Kernel
from acl_runtime.api.kernel.compiled_in import register_variable
from acl_runtime.headers.dtypes import numpy_dtype
from acl_runtime.machine.current import current
from acl_runtime.objects.binaries import Binary
from tests.helpers.builders import malloc
from tests.helpers.creating import create_stream
from tests.helpers.kernel_binaries import elf, function, load, register


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


def condition(its: Things) -> tuple[aclmdlRICondHandle, int]:
    """A condition of a capture in the stream, and the status of its creation."""
    made, model = aclmdlRICondHandle(), aclmdlRI()
    aclmdlRICaptureBegin(its.stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED)
    aclmdlRICaptureGetInfo(its.stream, None, byref(model))
    return made, aclmdlRICondHandleCreate(model or c_void_p(1), 1, 1, byref(made))


def body(its: Things) -> aclmdlRI:
    """A body that nothing has filled; a handle of no object where there are none."""
    bodies = (aclmdlRI * 1)()
    aclmdlRIAddCondTask(aclmdlRICondTaskParams(condition(its)[0], 0, 1, bodies), its.stream, 0)
    return bodies[0] or aclmdlRI(1)


ON_DEVICE, VALUE = aclrtMemManagedLocation(ACL_MEM_LOCATIONTYPE_DEVICE, 0), c_int32()


def managed() -> c_void_p:
    """Managed memory; where there is none, other memory of a device."""
    pointer = c_void_p()
    aclrtMemAllocManaged(byref(pointer), 64, 1)
    return pointer if pointer.value else c_void_p(malloc(64))


def persistent() -> aclrtStream:
    stream = aclrtStream()
    aclrtCreateStreamWithConfig(byref(stream), 0, ACL_STREAM_PERSISTENT)
    return stream


def barrier() -> aclrtBarrierTaskInfo:
    """One barrier of an invalidation."""
    info = aclrtBarrierTaskInfo(1)
    info.cmoInfo[0] = aclrtBarrierCmoInfo(ACL_RT_CMO_TYPE_INVALID, 1)
    return info


def lacks_model(status: int) -> int:
    """A barrier is for streams of models, of which the call has none."""
    return 0 if status == ACL_ERROR_RT_STREAM_MODEL else status


def without_groups(status: int) -> int:
    """A simulated device has no groups."""
    return 0 if status == ACL_ERROR_INVALID_PARAM else status


def described() -> aclrtAllocatorDesc:
    """The description of an allocator with all functions it needs."""
    made = aclrtAllocatorCreateDesc()
    aclrtAllocatorSetObjToDesc(made, 1)
    aclrtAllocatorSetAllocFuncToDesc(made, lambda allocator, size: size)
    aclrtAllocatorSetFreeFuncToDesc(made, lambda allocator, block: None)
    aclrtAllocatorSetGetAddrFromBlockFuncToDesc(made, lambda block: 0)
    return made


def parameter(value: float, dtype: Any) -> aclrtRandomParaInfo:
    """A parameter of random numbers by value."""
    raw = np.array(value).astype(dtype).tobytes()
    return aclrtRandomParaInfo(0, (c_uint8 * 8)(*raw.ljust(8, b"\0")), len(raw))


def numbers(
    memory: int,
    kind: int = ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS,
    dtype: int = ACL_FLOAT,
    first: float = 0.0,
    second: float = 1.0,
    count: int = 8,
    seed: int = 0,
) -> aclrtRandomNumTaskInfo:
    """A task of random numbers, with the result at `memory` and a counter of 0 behind 2048 bytes."""
    aclrtMemset(memory + 2048, 16, 0, 16)
    numpy_type = numpy_dtype(dtype)
    values = [parameter(each, numpy_type) for each in (first, second)]
    info = aclrtRandomNumTaskInfo(dataType=dtype, randomResultAddr=memory, randomCounterAddr=memory + 2048)
    info.randomSeed, info.randomNum = parameter(seed, np.uint64), parameter(count, np.uint64)
    info.randomNumFuncParaInfo.funcType = kind
    info.randomNumFuncParaInfo.paramInfo.uniformDisInfo = aclrtUniformDisInfo(*values)
    return info


def pool(most: int = 0) -> aclrtMemPool:
    """A pool of device 0."""
    made, props = aclrtMemPool(), aclrtMemPoolProps(maxSize=most)
    props.location.type = ACL_MEM_LOCATION_TYPE_DEVICE
    aclrtMemPoolCreate(byref(made), byref(props))
    return made


def sizes() -> tuple[c_uint64, c_uint64]:
    return c_uint64(), c_uint64()


def of_a_kernel() -> int:
    """The address of a kernel of the program."""
    register(id(FAMILIES), "k")
    return id(FAMILIES)


def of_a_variable() -> int:
    """The address of a variable of the program."""
    machine, number = current(), load("k").value
    binary = machine.handles.find(number or 0, Binary)
    assert binary is not None
    register_variable(machine, binary, id(FAMILIES), "v", bytes(8))
    return id(FAMILIES)


def replaced() -> aclrtFuncHandle:
    """A kernel with a parameter of 8 bytes."""
    current().kernels["k"] = Kernel(lambda value: None, {"value": np.uint64})
    return function(load("k"), "k")


def new_notify() -> aclrtNotify:
    made = aclrtNotify()
    assert aclrtCreateNotify(byref(made), 0) == 0
    return made


KEY, PIDS = create_string_buffer(65), (c_int32 * 1)(os.getpid())
SERVERS = (aclrtServerPid * 1)(aclrtServerPid(0, addressof(PIDS), 1))


def exported(its: Things) -> bytes:
    """The key of exported memory."""
    aclrtIpcMemGetExportKey(its.memory, 64, KEY, 65, 0)
    return KEY.value


def key_of_notify(made: aclrtNotify) -> bytes:
    aclrtNotifyGetExportKey(made, KEY, 65, 2)
    return KEY.value


def exported_notify() -> aclrtNotify:
    made = new_notify()
    aclrtNotifyGetExportKey(made, KEY, 65, 0)
    return made


def shared_event() -> aclrtEvent:
    """An event for several processes; another one where there are none."""
    made = aclrtEvent()
    if aclrtCreateEventExWithFlag(byref(made), ACL_EVENT_IPC):
        aclrtCreateEvent(byref(made))
    return made


def handle_of(event: aclrtEvent) -> aclrtIpcEventHandle:
    handle = aclrtIpcEventHandle()
    aclrtIpcGetEventHandle(event, byref(handle))
    return handle


def notify() -> aclrtCntNotify:
    """A counting notify; on other products than 950 a handle of nothing."""
    made = aclrtCntNotify()
    status = aclrtCntNotifyCreate(byref(made), 0)
    return made if status == 0 else aclrtCntNotify(64)


def loaded(binary: aclrtBinary) -> int:
    """The status of the load of a kernel binary."""
    return aclrtBinaryLoad(binary, byref(aclrtBinHandle()))


def not_serving(status: int) -> int:
    """The calling thread has not subscribed."""
    return 0 if status == ACL_ERROR_RT_THREAD_SUBSCRIBE else status


def no_task(status: int) -> int:
    """The call has neither a model with a task nor a binary."""
    return 0 if status == ACL_ERROR_RT_INVALID_HANDLE else status


def kernel_update(its: Things) -> aclrtTaskUpdateInfo:
    """A change to a kernel of no binary."""
    info = aclrtTaskUpdateInfo(ACL_RT_UPDATE_AIC_AIV_TASK)
    change = info.val.aicAivTaskAttr
    change.binHandle, change.funcEntryAddr, change.blockDimAddr = 1, its.memory, its.memory
    return info


def bound() -> aclrtStream:
    """A persistent stream that is bound to a new model."""
    model, stream = aclmdlRI(), persistent()
    aclmdlRIBuildBegin(byref(model), 0)
    aclmdlRIBindStream(model, stream, ACL_MODEL_STREAM_FLAG_HEAD)
    return stream


FAMILIES = {
    "binaries": Family(
        "A3 A2 910 310P 950", "", {"aclrtBinaryLoad": lambda its: loaded(aclrtCreateBinary(elf("k"), len(elf("k"))))}
    ),
    "sizes of kernels": Family(
        "A3 A2 310P 950",
        "",
        {"aclrtGetFunctionSize": lambda its: aclrtGetFunctionSize(function(load("k"), "k"), *map(byref, sizes()))},
    ),
    "symbols of kernels and variables": Family(
        "A3 A2 310P 950",
        "310B 910",
        {
            "aclrtGetFuncBySymbol": lambda its: aclrtGetFuncBySymbol(of_a_kernel(), byref(aclrtFuncHandle())),
            "aclrtGetSymbolAddress": lambda its: aclrtGetSymbolAddress(of_a_variable(), byref(c_void_p())),
            "aclrtGetSymbolSize": lambda its: aclrtGetSymbolSize(of_a_variable(), byref(c_size_t())),
            "aclrtMemcpyToSymbol": lambda its: aclrtMemcpyToSymbol(of_a_variable(), KEY, 4, 0, 1),
            "aclrtMemcpyFromSymbol": lambda its: aclrtMemcpyFromSymbol(KEY, of_a_variable(), 4, 0, 2),
            "aclrtMemcpyToSymbolAsync": lambda its: aclrtMemcpyToSymbolAsync(of_a_variable(), KEY, 4, 0, 1, None),
            "aclrtMemcpyFromSymbolAsync": lambda its: aclrtMemcpyFromSymbolAsync(KEY, of_a_variable(), 4, 0, 2, None),
        },
    ),
    "threads for host functions": Family(
        "",
        "A3 A2 310P 310B 910 950",
        {
            "aclrtSubscribeHostFunc": lambda its: aclrtSubscribeHostFunc(1, its.stream),
            "aclrtUnSubscribeHostFunc": lambda its: (
                aclrtSubscribeHostFunc(1, its.stream) or aclrtUnSubscribeHostFunc(1, its.stream)
            ),
            "aclrtProcessHostFunc": lambda its: not_serving(aclrtProcessHostFunc(1)),
        },
    ),
    "kernels with threads": Family(
        "950",
        "",
        {
            "aclrtLaunchSIMTKernelWithArgsArray": lambda its: aclrtLaunchSIMTKernelWithArgsArray(
                replaced(), dim3(1, 1, 1), dim3(1, 1, 1), 0, None, None, [KEY]
            ),
            "aclrtLaunchSIMTKernelWithHostArgs": lambda its: aclrtLaunchSIMTKernelWithHostArgs(
                replaced(), dim3(1, 1, 1), dim3(1, 1, 1), 0, None, None, KEY, 8, None, 0
            ),
        },
    ),
    "attributes of kernels in models": Family(
        "A3 A2 950",
        "310P 310B 910",
        {
            "aclmdlRIKernelTaskGetAttribute": lambda its: no_task(
                aclmdlRIKernelTaskGetAttribute(c_void_p(1), 1, byref(aclrtLaunchKernelAttrValue()))
            )
        },
    ),
    "changes of tasks of built models": Family(
        "A3 A2 310P 950",
        "",
        {
            "aclrtTaskUpdateAsync": lambda its: no_task(
                aclrtTaskUpdateAsync(its.stream, 1, byref(kernel_update(its)), its.stream)
            )
        },
    ),
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
    "limits of kernels": Family(
        "A3 A2 950",
        "310P 310B 910",
        {
            "aclrtDeviceSetLimit": lambda its: aclrtDeviceSetLimit(2, 65536),
            "aclrtDeviceGetLimit": lambda its: aclrtDeviceGetLimit(2, byref(c_size_t())),
            "aclrtSetDeviceTaskAbortCallback": lambda its: aclrtSetDeviceTaskAbortCallback("name", None, None),
        },
    ),
    "places, repair, streams": Family(
        "A3 A2 950",
        "",
        {
            "aclrtDeviceGetPCIBusId": lambda its: aclrtDeviceGetPCIBusId(0, create_string_buffer(16), 16),
            "aclrtDeviceGetByPCIBusId": lambda its: aclrtDeviceGetByPCIBusId("0000:00:00.0", byref(c_int32())),
            "aclrtGetMemUceInfo": lambda its: aclrtGetMemUceInfo(0, byref(aclrtMemUceInfo()), 1, byref(c_size_t())),
            "aclrtMemUceRepair": lambda its: aclrtMemUceRepair(0, byref(aclrtMemUceInfo()), 1),
            "aclrtRepairError": lambda its: aclrtRepairError(0, byref(aclrtErrorInfo())),
            "aclrtStreamStop": lambda its: aclrtStreamStop(its.stream),
            "aclrtPersistentTaskClean": lambda its: aclrtPersistentTaskClean(persistent()),
            "aclrtCmoAsync": lambda its: aclrtCmoAsync(its.memory, 64, 0, its.stream),
            "aclrtCmoGetDescSize": lambda its: aclrtCmoGetDescSize(byref(c_size_t())),
            "aclrtCmoSetDesc": lambda its: aclrtCmoSetDesc(its.memory, its.memory, 64),
            "aclrtCmoAsyncWithDesc": lambda its: (
                aclrtCmoSetDesc(its.memory, its.memory, 64) or aclrtCmoAsyncWithDesc(its.memory, 0, its.stream, None)
            ),
        },
    ),
    "synchronisation of cores": Family(
        "A3 A2", "", {"aclrtGetHardwareSyncAddr": lambda its: aclrtGetHardwareSyncAddr(byref(c_void_p()))}
    ),
    "barriers of the cache": Family(
        "310B",
        "",
        {
            "aclrtCmoAsyncWithBarrier": lambda its: lacks_model(
                aclrtCmoAsyncWithBarrier(its.memory, 64, 0, 0, its.stream)
            ),
            "aclrtCmoWaitBarrier": lambda its: lacks_model(aclrtCmoWaitBarrier(byref(barrier()), its.stream, 0)),
        },
    ),
    "groups": Family(
        "310P",
        "",
        {
            "aclrtGetGroupCount": lambda its: aclrtGetGroupCount(byref(c_uint32())),
            "aclrtSetGroup": lambda its: without_groups(aclrtSetGroup(0)),
            "aclrtDestroyGroupInfo": lambda its: without_groups(aclrtDestroyGroupInfo(aclrtGroupInfo(64))),
            "aclrtGetAllGroupInfo": lambda its: without_groups(aclrtGetAllGroupInfo(aclrtGroupInfo(64))),
            "aclrtGetGroupInfoDetail": lambda its: without_groups(
                aclrtGetGroupInfoDetail(aclrtGroupInfo(64), 0, 0, its.host, 8, byref(c_size_t()))
            ),
        },
    ),
    "descriptions of groups": Family(
        "310P", "A3 A2 310B 910 950", {"aclrtCreateGroupInfo": lambda its: bool(aclrtCreateGroupInfo())}
    ),
    "allocators": Family(
        "A3 A2 310P 910 950",
        "310B",
        {
            "aclrtAllocatorRegister": lambda its: aclrtAllocatorRegister(its.stream, described()),
            "aclrtAllocatorUnregister": lambda its: aclrtAllocatorUnregister(its.stream),
            "aclrtAllocatorGetByStream": lambda its: (
                aclrtAllocatorRegister(its.stream, described())
                or aclrtAllocatorGetByStream(its.stream, byref(aclrtAllocatorDesc()), None, None, None, None, None)
            ),
        },
    ),
    "control of streams": Family(
        "A2 310P 310B 910 950",
        "A3",
        {
            "aclrtActiveStream": lambda its: aclrtActiveStream(stream := bound(), stream),
            "aclrtSwitchStream": lambda its: aclrtSwitchStream(
                its.memory, 0, its.memory, 0, stream := bound(), None, stream
            ),
        },
    ),
    "random numbers": Family(
        "A3 A2",
        "",
        {"aclrtRandomNumAsync": lambda its: aclrtRandomNumAsync(byref(numbers(its.memory)), its.stream, None)},
    ),
    "access of other devices": Family(
        "A3 A2 310P 910 950", "310B", {"aclrtMemP2PMap": lambda its: aclrtMemP2PMap(its.memory, 64, 1, 0)}
    ),
    "copies by descriptor": Family(
        "A3 A2 310B 950",
        "310P 910",
        {
            "aclrtGetMemcpyDescSize": lambda its: aclrtGetMemcpyDescSize(6, byref(c_size_t())),
            "aclrtSetMemcpyDesc": lambda its: aclrtSetMemcpyDesc(its.memory, 6, its.memory, its.memory + 64, 64, None),
            "aclrtMemcpyAsyncWithDesc": lambda its: (
                aclrtSetMemcpyDesc(its.memory, 6, its.memory, its.memory + 64, 64, None)
                or aclrtMemcpyAsyncWithDesc(its.memory, 6, its.stream)
            ),
        },
    ),
    "pools": Family(
        "A2",
        "A3 310P 310B 910 950",
        {
            "aclrtMemPoolCreate": lambda its: bool(not pool()),
            "aclrtMemPoolDestroy": lambda its: aclrtMemPoolDestroy(pool()),
            "aclrtMemPoolMallocAsync": lambda its: aclrtMemPoolMallocAsync(byref(c_void_p()), 64, pool(), its.stream),
            "aclrtMemPoolFreeAsync": lambda its: aclrtMemPoolFreeAsync(its.memory, its.stream),
            "aclrtMemPoolSetAttr": lambda its: aclrtMemPoolSetAttr(pool(), 4, byref(c_uint64(64))),
            "aclrtMemPoolGetAttr": lambda its: aclrtMemPoolGetAttr(pool(), 4, byref(c_uint64())),
            "aclrtMemPoolTrimTo": lambda its: aclrtMemPoolTrimTo(pool(), 0),
        },
    ),
    "managed memory": Family(
        "A2 A3",
        "",
        {
            "aclrtMemAllocManaged": lambda its: aclrtMemAllocManaged(byref(c_void_p()), 64, 1),
            "aclrtMemManagedAdvise": lambda its: aclrtMemManagedAdvise(managed(), 64, 0, ON_DEVICE),
            "aclrtMemManagedPrefetchAsync": lambda its: aclrtMemManagedPrefetchAsync(
                managed(), 64, ON_DEVICE, 0, its.stream
            ),
            "aclrtMemManagedPrefetchBatchAsync": lambda its: aclrtMemManagedPrefetchBatchAsync(
                byref(managed()), byref(c_size_t(64)), 1, byref(ON_DEVICE), byref(c_size_t(0)), 1, 0, its.stream
            ),
            "aclrtMemManagedGetAttr": lambda its: aclrtMemManagedGetAttr(1, managed(), 64, byref(c_int32()), 4),
            "aclrtMemManagedGetAttrs": lambda its: aclrtMemManagedGetAttrs(
                byref(c_int32(1)), 1, managed(), 64, byref(c_void_p(addressof(VALUE))), byref(c_size_t(4))
            ),
        },
    ),
    "conditions": Family(
        "A2 A3 950",
        "",
        {
            "aclmdlRICondHandleCreate": lambda its: condition(its)[1],
            "aclmdlRICondHandleGetCondPtr": lambda its: aclmdlRICondHandleGetCondPtr(
                condition(its)[0] or c_void_p(1), byref(c_void_p())
            ),
            "aclmdlRIAddCondTask": lambda its: aclmdlRIAddCondTask(
                aclmdlRICondTaskParams(condition(its)[0], 0, 1, (aclmdlRI * 1)()), its.stream, 0
            ),
            "aclmdlRICaptureToModelRIBegin": lambda its: aclmdlRICaptureToModelRIBegin(create_stream(), body(its), 0),
        },
    ),
    "memory and notifies that processes share": Family(
        "A2 A3 950 910 310P",
        "",
        {
            "aclrtIpcMemGetExportKey": lambda its: aclrtIpcMemGetExportKey(its.memory, 64, KEY, 65, 1),
            "aclrtIpcMemSetImportPid": lambda its: aclrtIpcMemSetImportPid(exported(its), PIDS, 1),
            "aclrtIpcMemImportByKey": lambda its: aclrtIpcMemImportByKey(byref(c_void_p()), exported(its), 1),
            "aclrtIpcMemClose": lambda its: aclrtIpcMemClose(exported(its)),
            "aclrtNotifyGetExportKey": lambda its: aclrtNotifyGetExportKey(new_notify(), KEY, 65, 2),
            "aclrtNotifyImportByKey": lambda its: aclrtNotifyImportByKey(
                byref(aclrtNotify()), key_of_notify(new_notify()), 0
            ),
            "aclrtNotifySetImportPid": lambda its: aclrtNotifySetImportPid(exported_notify(), PIDS, 1),
        },
    ),
    "processes of other servers": Family(
        "A3",
        "",
        {
            "aclrtIpcMemSetAttr": lambda its: aclrtIpcMemSetAttr(exported(its), 0, 0),
            "aclrtIpcMemImportPidInterServer": lambda its: aclrtIpcMemImportPidInterServer(exported(its), SERVERS, 1),
            "aclrtNotifySetImportPidInterServer": lambda its: aclrtNotifySetImportPidInterServer(
                exported_notify(), SERVERS, 1
            ),
        },
    ),
    "events that processes share": Family(
        "A2 A3 950",
        "",
        {
            "aclrtIpcGetEventHandle": lambda its: aclrtIpcGetEventHandle(shared_event(), byref(aclrtIpcEventHandle())),
            "aclrtIpcOpenEventHandle": lambda its: aclrtIpcOpenEventHandle(
                handle_of(shared_event()), byref(aclrtEvent())
            ),
        },
    ),
    "notifies": Family(
        "A2 A3 950",
        "",
        {"aclrtNotifyBatchReset": lambda its: aclrtNotifyBatchReset(byref(new_notify()), 1)},
    ),
    "counting notifies": Family(
        "950",
        "",
        {
            "aclrtCntNotifyCreate": lambda its: aclrtCntNotifyCreate(byref(aclrtCntNotify()), 0),
            "aclrtCntNotifyDestroy": lambda its: aclrtCntNotifyDestroy(notify()),
            "aclrtCntNotifyRecord": lambda its: aclrtCntNotifyRecord(
                notify(), its.stream, byref(aclrtCntNotifyRecordInfo(0, 1))
            ),
            "aclrtCntNotifyWaitWithTimeout": lambda its: aclrtCntNotifyWaitWithTimeout(
                notify(), its.stream, byref(aclrtCntNotifyWaitInfo(1, 0, 0))
            ),
            "aclrtCntNotifyReset": lambda its: aclrtCntNotifyReset(notify(), its.stream),
            "aclrtCntNotifyGetId": lambda its: aclrtCntNotifyGetId(notify(), byref(c_uint32())),
        },
    ),
    "overflow status": Family(
        "A3 A2 950",
        "",
        {
            "aclrtNpuGetFloatOverFlowStatus": lambda its: aclrtNpuGetFloatOverFlowStatus(its.memory, 64, 0, its.stream),
            "aclrtNpuClearFloatOverFlowStatus": lambda its: aclrtNpuClearFloatOverFlowStatus(0, its.stream),
        },
    ),
    "snapshots": Family(
        "A3 A2 950",
        "",
        {
            "aclrtSnapShotCallbackRegister": lambda its: aclrtSnapShotCallbackRegister(0, lambda *_: 0, None),
            "aclrtSnapShotCallbackUnregister": lambda its: aclrtSnapShotCallbackUnregister(0, print),
            "aclrtSnapShotProcessLock": lambda its: aclrtSnapShotProcessLock(os.getpid(), None),
            "aclrtSnapShotProcessBackup": lambda its: aclrtSnapShotProcessBackup(os.getpid(), None),
            "aclrtSnapShotProcessRestore": lambda its: aclrtSnapShotProcessRestore(os.getpid(), None),
            "aclrtSnapShotProcessUnlock": lambda its: aclrtSnapShotProcessUnlock(os.getpid(), None),
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

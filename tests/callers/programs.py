"""Small legal programs for a random caller, any of whose arguments may be replaced by a random one."""

from __future__ import annotations

import random
import re
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from ctypes import addressof, byref, c_int32, c_uint32, c_uint64, c_void_p, create_string_buffer
from typing import Any, Protocol

import numpy as np

import acl_runtime as acl
from acl_runtime import ACL_FLOAT, ACL_FORMAT_ND, aclOpExecutor
from acl_runtime.api.kernel.compiled_in import register_variable
from acl_runtime.headers.dtypes import nbytes
from acl_runtime.headers.structs import aclmdlIODims
from acl_runtime.models import Model, Tensor, batch
from acl_runtime.objects.binaries import Binary
from aclnn.by_name.table import rows
from aclnn.engine.parameters import Param
from tests.aclnn.ops.case import Meta
from tests.callers.good import GoodCall, extremes
from tests.callers.values import MOST, PAGE, Draws, Pool
from tests.derived.launching import handle as handle_of
from tests.helpers.builders import acl_type

BYTES = (0, 0, 0, 0, 1, 0x3C, 0x7F, 0x80, 0xFF)
"""of the tensors: zeros, ones, numbers near 0.01, great, negative and undefined ones"""
ROOM = 4096
MOST_WORKSPACE = 64 << 20


class Caller(Protocol):
    """The random caller, which makes the calls."""

    pool: Pool
    draws: Draws
    chosen: random.Random
    good: Sequence[GoodCall]
    """good calls of operators"""
    damage: float
    """the share of arguments that are replaced"""

    def nearly(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call with these arguments, of which one may be replaced; None if it raised."""
        ...


def handle(caller: Caller, kind: str) -> int:
    """A live handle, or null."""
    return caller.pool.some(kind)[0]


# devices, streams, events


def open_device(caller: Caller) -> None:
    caller.nearly(acl.aclrtSetDevice, caller.chosen.randrange(len(caller.pool.machine.devices)))


def create(caller: Caller) -> None:
    """A stream, an event or a context."""
    luck = caller.chosen.random()
    if luck < 0.45:
        caller.nearly(acl.aclrtCreateStream, byref(acl.aclrtStream()))
    elif luck < 0.9:
        flag = caller.chosen.choice((1, 2, 4, 8, 9, 15))
        maker = caller.chosen.choice((acl.aclrtCreateEventWithFlag, acl.aclrtCreateEventExWithFlag))
        caller.nearly(maker, byref(acl.aclrtEvent()), flag)
    else:
        caller.nearly(acl.aclrtCreateContext, byref(acl.aclrtContext()), 0)


def record_and_wait(caller: Caller) -> None:
    event, one, other = handle(caller, "aclrtEvent"), handle(caller, "aclrtStream"), handle(caller, "aclrtStream")
    caller.nearly(acl.aclrtRecordEvent, event, one)
    caller.nearly(acl.aclrtStreamWaitEvent, other, event)
    if caller.chosen.random() < 0.3:
        caller.nearly(acl.aclrtSynchronizeEventWithTimeout, event, 1)


def synchronize(caller: Caller) -> None:
    stream = handle(caller, "aclrtStream")
    if caller.chosen.random() < 0.5:
        caller.nearly(acl.aclrtSynchronizeStreamWithTimeout, stream, 1)
    else:
        caller.nearly(acl.aclrtSynchronizeStream, stream)


def call_back(caller: Caller) -> None:
    stream = handle(caller, "aclrtStream")
    caller.nearly(acl.aclrtSubscribeReport, threading.get_ident(), stream)
    for _ in range(caller.chosen.randrange(3)):
        caller.nearly(
            acl.aclrtLaunchCallback, caller.draws.callback("aclrtLaunchCallback"), 1, caller.chosen.randrange(2), stream
        )
    caller.nearly(acl.aclrtProcessReport, 1)
    caller.nearly(acl.aclrtUnSubscribeReport, threading.get_ident(), stream)


# memory


def allocate(caller: Caller, size: int = ROOM) -> int:
    """Device memory, by default such that a small tensor fits in; its address, 0 on failure."""
    pointer = c_void_p()
    caller.nearly(acl.aclrtMalloc, byref(pointer), size, 0)
    return pointer.value or 0


def allocate_some(caller: Caller) -> None:
    if caller.chosen.random() < 0.6:
        allocate(caller)
    else:
        caller.nearly(acl.aclrtMallocHost, byref(c_void_p()), 256)


def copy(caller: Caller) -> None:
    """One copy, waited for or not."""
    pool, chosen = caller.pool, caller.chosen
    device, pinned, plain = pool.some("device")[0], pool.some("pinned")[0], chosen.choice(pool.arrays)
    kind, dst, src = chosen.choice(
        (
            (1, device, plain),
            (2, plain, device),
            (3, device, pool.some("device")[0]),
            (1, device, pinned),
            (2, pinned, device),
        )
    )
    count = chosen.choice((1, 8, 32))
    if chosen.random() < 0.5:
        caller.nearly(acl.aclrtMemcpy, dst, count, src, count, kind)
    else:
        caller.nearly(acl.aclrtMemcpyAsync, dst, count, src, count, kind, handle(caller, "aclrtStream"))


def set_memory(caller: Caller) -> None:
    device = caller.pool.some("device")[0]
    if caller.chosen.random() < 0.5:
        caller.nearly(acl.aclrtMemset, device, 32, 0, 32)
    else:
        caller.nearly(acl.aclrtMemsetAsync, device, 32, 1, 32, handle(caller, "aclrtStream"))


def copy_many(caller: Caller) -> None:
    """Rows, or a batch."""
    pool, chosen = caller.pool, caller.chosen
    device, other, plain = pool.some("device")[0], pool.some("device")[0], chosen.choice(pool.arrays)
    luck, stream = chosen.random(), handle(caller, "aclrtStream")
    if luck < 0.3:
        caller.nearly(acl.aclrtMemcpy2d, device, 8, plain, 16, 4, 3, 1)
    elif luck < 0.6:
        caller.nearly(acl.aclrtMemcpy2dAsync, device, 8, other, 16, 4, 3, 3, stream)
    else:
        attribute = acl.aclrtMemcpyBatchAttr()
        attribute.dstLoc.type = 1
        attribute.srcLoc.type = 0 if luck < 0.8 else 1
        sources = [plain, plain] if luck < 0.8 else [other, other]
        batch = ([device, device], [8, 8], sources, [8, 4], 2, byref(attribute), [0], 1)
        if chosen.random() < 0.5:
            caller.nearly(acl.aclrtMemcpyBatch, *batch, byref(c_uint64()))
        else:
            caller.nearly(acl.aclrtMemcpyBatchAsyncV2, *batch, stream)


def use_values(caller: Caller) -> None:
    """Values written, waited for and reduced in streams; functions of the host between them."""
    device, other = caller.pool.some("device")[0], caller.pool.some("device")[0]
    one, two = handle(caller, "aclrtStream"), handle(caller, "aclrtStream")
    luck = caller.chosen.random()
    if luck < 0.4:
        caller.nearly(acl.aclrtValueWrite, device, 3, 0, one)
        caller.nearly(acl.aclrtValueWait, device, 3, caller.chosen.randrange(4), two)
    elif luck < 0.7:
        caller.nearly(acl.aclrtReduceAsync, device, other, 32, caller.chosen.randrange(10, 13), ACL_FLOAT, one, None)
    else:
        caller.nearly(acl.aclrtLaunchHostFunc, one, caller.draws.callback("aclrtLaunchHostFunc"), 1)


def register(caller: Caller) -> None:
    array = caller.chosen.choice(caller.pool.arrays)
    caller.nearly(acl.aclrtHostRegister, array, array.nbytes, 0, byref(c_void_p()))
    if caller.chosen.random() < 0.7:
        caller.nearly(acl.aclrtHostUnregister, array)


# virtual memory


def map_memory(caller: Caller) -> None:
    """Memory of a device or of the host, mapped to reserved addresses."""
    pool, chosen = caller.pool, caller.chosen
    start, size = pool.some("reserved")
    if not size or chosen.random() < 0.4:
        pointer, size = c_void_p(), 4 * PAGE
        caller.nearly(acl.aclrtReserveMemAddress, byref(pointer), size, 0, None, chosen.randrange(2))
        start = pointer.value or 0
    handle, prop = acl.aclrtDrvMemHandle(), acl.aclrtPhysicalMemProp(memAttr=acl.ACL_HBM_MEM_HUGE)
    prop.location.type = chosen.choice((1, 1, 0))
    caller.nearly(acl.aclrtMallocPhysical, byref(handle), PAGE, byref(prop), 0)
    for _ in range(chosen.choice((1, 1, 2))):  # twice: two mappings of the same bytes
        at = start + chosen.randrange(max(size // PAGE, 1)) * PAGE
        if chosen.random() < 0.8:
            caller.nearly(acl.aclrtMapMem, at, PAGE, 0, handle, 0)
        else:
            caller.nearly(acl.aclrtMemMapNoAccess, at, PAGE, 0, handle, 0)
            access = acl.aclrtMemAccessDesc(flags=chosen.choice((0, 1, 3, 3)), location=prop.location)
            caller.nearly(acl.aclrtMemSetAccess, at, PAGE, byref(access), 1)
    if chosen.random() < 0.6:
        caller.nearly(acl.aclrtFreePhysical, handle)


def use_mapping(caller: Caller) -> None:
    """Copies from and to it, also across its end."""
    pool, chosen = caller.pool, caller.chosen
    start, size = pool.some("mapping")
    at, count = start + chosen.choice((0, 0, 64, max(size - 16, 0))), chosen.choice((8, 32))
    other = chosen.choice((pool.some("device")[0], pool.some("mapping")[0], pool.some("pinned")[0]))
    stream, dst, src = handle(caller, "aclrtStream"), *chosen.choice(((at, other), (other, at)))
    if chosen.random() < 0.3:
        caller.nearly(acl.aclrtMemset, at, count, 1, count)
    elif chosen.random() < 0.5:
        caller.nearly(acl.aclrtMemcpy, dst, count, src, count, 4)
    else:
        caller.nearly(acl.aclrtMemcpyAsync, dst, count, src, count, 4, stream)


def unmap(caller: Caller) -> None:
    start = caller.pool.some("mapping")[0]
    if caller.chosen.random() < 0.3:
        caller.nearly(acl.aclrtMemRetainAllocationHandle, start, byref(acl.aclrtDrvMemHandle()))
    caller.nearly(acl.aclrtUnmapMem, start)


def release(caller: Caller, start: int) -> None:
    """Give reserved addresses back, and what is mapped there."""
    with caller.pool.machine.lock:
        found = caller.pool.machine.virtual.at(start)
        mapped = [each.address for each in found.mappings] if found is not None else []
    for each in mapped:
        caller.nearly(acl.aclrtUnmapMem, each)
    caller.nearly(acl.aclrtReleaseMemAddress, start)


# operators


def tensor(caller: Caller, like: Meta) -> acl.aclTensor:
    """A tensor in device memory that is live, its strides now and then not dense. Each of its bytes is the same."""
    at, size = caller.pool.some("mapping" if caller.chosen.random() < 0.1 else "device")
    if size < ROOM:
        at = allocate(caller)
    shape, strides, offset = like.shape, like.strides, like.offset
    if caller.chosen.random() < 0.05:
        return strange_tensor(caller, len(shape), like.dtype, at)
    if len(shape) == 2 and caller.chosen.random() < 0.2:
        strides, offset = (shape[1] + 1, 1), caller.chosen.randrange(2)
    if at:
        caller.nearly(acl.aclrtMemset, at, ROOM, caller.chosen.choice(BYTES), ROOM)
    storage = list(like.storage or (ROOM // max(nbytes(1, like.dtype), 1),))
    made = caller.nearly(
        acl.aclCreateTensor, list(shape), len(shape), like.dtype, strides and list(strides), offset, like.format,
        storage, len(storage), at,
    )  # fmt: skip
    return made if isinstance(made, acl.aclTensor) else acl.aclTensor()


def strange_tensor(caller: Caller, rank: int, dtype: int, at: int) -> acl.aclTensor:
    """Sizes, strides and offsets that are large, 0 or negative."""
    chosen = caller.chosen
    shape = [
        chosen.choice((0, 1, 2, 3, 3, 1 << 16, 1 << 40, (1 << 63) - 1, -1))
        for _ in range(chosen.choice((rank, rank, 9)))
    ]
    strides = [chosen.choice((0, 0, 1, 1, 2, -1, 1 << 40, (1 << 63) - 1)) for _ in shape]
    storage = [chosen.choice((0, 1, 64, ROOM, 1 << 40, -1))]
    offset, format = chosen.choice((0, 0, 1, -1, 1 << 40)), chosen.choice((ACL_FORMAT_ND, 0, 29, 99))
    made = caller.nearly(
        acl.aclCreateTensor, shape, len(shape), dtype, chosen.choice((strides, None)), offset, format, storage, 1, at
    )
    return made if isinstance(made, acl.aclTensor) else acl.aclTensor()


def launch(caller: Caller, first: Callable[..., Any], second: Callable[..., Any], *arguments: Any) -> None:
    """Both phases; the tensors go sooner or later."""
    chosen = caller.chosen
    size, executor = c_uint64(), aclOpExecutor()
    caller.nearly(first, *arguments, byref(size), byref(executor))
    if chosen.random() < 0.1:
        caller.nearly(acl.aclSetAclOpExecutorRepeatable, executor)
    workspace = allocate(caller, size.value) if 0 < size.value < MOST_WORKSPACE else 0
    stream = handle(caller, "aclrtStream") if chosen.random() < 0.5 else 0
    for _ in range(chosen.choice((1, 1, 1, 1, 2))):
        caller.nearly(second, workspace, size.value, executor, stream)
    if chosen.random() < 0.5:
        caller.nearly(acl.aclrtSynchronizeStream, stream)
    if workspace and chosen.random() < 0.9:
        caller.nearly(acl.aclrtFree, workspace)
    for each in arguments:
        if isinstance(each, acl.aclTensor) and chosen.random() < 0.7:
            caller.nearly(acl.aclDestroyTensor, each)


def operator(caller: Caller) -> None:
    """An operator's good call, in which a share of the arguments is extreme."""
    chosen = caller.chosen
    good = chosen.choice(caller.good)
    arguments: list[Any] = []
    for param in good.op.params:
        value = good.values[param.printed]
        if chosen.random() < caller.damage:
            value = chosen.choice([value, *extremes(param, value)])
        arguments.append(argument(caller, param, value))
    launch(caller, good.first, good.second, *arguments)


def argument(caller: Caller, param: Param[Any], value: Any) -> Any:
    """An argument of a first phase."""
    if isinstance(value, np.ndarray):
        value = Meta(value.shape, acl_type(value.dtype))
    if isinstance(value, Meta):
        return tensor(caller, value)
    if isinstance(value, tuple) and any(isinstance(each, Meta) for each in value):
        members = [None if each is None else tensor(caller, each) for each in value]
        return caller.nearly(acl.aclCreateTensorList, members, len(members))
    return handle_of(param, value)


# cleaning up


def read_errors(caller: Caller) -> None:
    caller.nearly(acl.aclGetRecentErrMsg)
    caller.nearly(acl.aclrtGetLastError, 0)


def retire(caller: Caller) -> None:
    """Of every kind that there are too many of, the oldest one goes."""
    caller.pool.look()
    for kind, known in caller.pool.live.items():
        for number in list(known)[: max(len(known) - MOST.get(kind, 16), 0)]:
            if number not in caller.pool.stuck:
                _end(caller, kind, number)
                if kind.endswith("List"):  # one of whose members is gone stays for good
                    caller.pool.stuck.add(number)


ENDED_BY_OTHERS = (
    "mapped", "mapping", "aclrtExceptionInfo", "aclrtFuncHandle", "aclrtArgsHandle", "aclrtParamHandle", "aclmdlRITask",
    "aclrtTaskGrp", "aclmdlRICondHandle",
)  # fmt: skip
"""kinds of objects that no function ends"""


def _end(caller: Caller, kind: str, number: int) -> None:
    enders: dict[str, Callable[..., Any]] = {
        "device": acl.aclrtFree,
        "pinned": acl.aclrtFreeHost,
        "registered": acl.aclrtHostUnregister,
        "aclOpExecutor": acl.aclDestroyAclOpExecutor,
        "aclrtStream": acl.aclrtDestroyStreamForce,
        "aclrtDrvMemHandle": acl.aclrtFreePhysical,
        "aclopAttr": acl.aclopDestroyAttr,
        "aclprofConfig": acl.aclprofDestroyConfig,
        "aclprofSubscribeConfig": acl.aclprofDestroySubscribeConfig,
        "aclprofStepInfo": acl.aclprofDestroyStepInfo,
        "stamp": acl.aclprofDestroyStamp,
        "mstxDomainHandle_t": acl.mstxDomainDestroy,
        "acltdtChannelHandle": acl.acltdtDestroyChannel,
        "aclrtMemPool": acl.aclrtMemPoolDestroy,
        "aclrtCntNotify": acl.aclrtCntNotifyDestroy,
        "aclrtNotify": acl.aclrtDestroyNotify,
        "aclrtAllocatorDesc": acl.aclrtAllocatorDestroyDesc,
        "aclrtBinHandle": acl.aclrtBinaryUnLoad,
        "aclmdlRI": acl.aclmdlRIDestroy,
        "aclmdlDesc": acl.aclmdlDestroyDesc,
        "aclmdlDataset": acl.aclmdlDestroyDataset,
        "aclmdlAIPP": acl.aclmdlDestroyAIPP,
        "aclmdlConfigHandle": acl.aclmdlDestroyConfigHandle,
        "aclmdlExecConfigHandle": acl.aclmdlDestroyExecConfigHandle,
    }
    if kind in ENDED_BY_OTHERS:
        return
    if kind == "reserved":
        release(caller, number)
        return
    destroy = enders.get(kind) or getattr(acl, re.sub("^(aclrt|acltdt|acl)", r"\1Destroy", kind))
    if kind == "aclrtStream":
        with caller.pool.machine.lock:
            found: Any = caller.pool.machine.handles.get(number)
            context = getattr(found, "context", None)  # a stream of a model has none
        if context is None or context.default_stream is found:
            return
        caller.nearly(acl.aclrtSetCurrentContext, context.number)
    number_will_do = kind in ("device", "pinned", "registered", "aclrtStream", "aclrtEvent", "aclrtContext")
    caller.nearly(destroy, number if number_will_do else c_void_p(number))


def start_afresh(caller: Caller) -> None:
    """Everything goes: contexts, devices, and with them memory, streams and what is queued in them."""
    caller.pool.look()
    for number in list(caller.pool.live.get("aclrtContext", ())):
        caller.nearly(acl.aclrtDestroyContext, number)
    for device in range(len(caller.pool.machine.devices)):
        caller.nearly(acl.aclrtSetDevice, device)
        caller.nearly(acl.aclrtStreamAbort, None)
        caller.nearly(acl.aclrtResetDeviceForce, device)
        caller.nearly(acl.aclrtSetDevice, device)
    caller.pool.look()


# what plugins bind


def describe(caller: Caller) -> None:
    """An operator by its type, with descriptions and attributes; mostly one of the table."""
    caller.nearly(acl.aclCreateTensorDesc, ACL_FLOAT, 2, [2, 3], ACL_FORMAT_ND)
    caller.nearly(acl.aclopCreateAttr)
    desc, attr = acl.aclTensorDesc(handle(caller, "aclTensorDesc")), acl.aclopAttr(handle(caller, "aclopAttr"))
    buffer = acl.aclDataBuffer(handle(caller, "aclDataBuffer"))
    caller.nearly(acl.aclSetTensorShape, desc, 1, [6])
    caller.nearly(acl.aclopSetAttrListListInt, attr, "name", 2, [1, 2], [[1], [2, 3]])
    count, stream = caller.chosen.choice((1, 1, 2, 3)), handle(caller, "aclrtStream")
    side, type = (count, [desc] * count, [buffer] * count), caller.chosen.choice(("Add", *rows()))
    caller.nearly(acl.aclopInferShape, type, *side, 1, [desc], attr)
    caller.nearly(acl.aclopCompileAndExecute, type, *side, 1, [desc], [buffer], attr, 0, 0, None, stream)


def profile(caller: Caller) -> None:
    """A session with stamps, and marks of the program."""
    made = caller.nearly(acl.aclprofCreateConfig, [0], 1, 0, None, 0x80)
    caller.nearly(acl.aclprofStart, made or None)
    stamp = caller.nearly(acl.aclprofCreateStamp)
    caller.nearly(acl.aclprofPush, stamp)
    caller.nearly(acl.mstxDomainMarkA, caller.nearly(acl.mstxDomainCreateA, "domain"), "text", None)
    range_ = caller.nearly(acl.mstxRangeStartA, "text", handle(caller, "aclrtStream"))
    caller.nearly(acl.mstxRangeEnd, range_ or 0)
    caller.nearly(acl.aclprofPop)
    caller.nearly(acl.aclprofStop, None)


def send(caller: Caller) -> None:
    """A tensor through a channel, and data through a queue."""
    data = caller.pool.buffers[0]
    caller.nearly(acl.acltdtCreateDataItem, 0, [2, 2], 2, ACL_FLOAT, data, 16)
    caller.nearly(acl.acltdtCreateDataset)
    caller.nearly(acl.acltdtCreateChannelWithCapacity, 0, "channel", 2)
    item = acl.acltdtDataItem(handle(caller, "acltdtDataItem"))
    dataset = acl.acltdtDataset(handle(caller, "acltdtDataset"))
    channel, number = acl.acltdtChannelHandle(handle(caller, "acltdtChannelHandle")), c_uint32()
    caller.nearly(acl.acltdtAddDataItem, dataset, item)
    caller.nearly(acl.acltdtSendTensor, channel, dataset, 1)
    caller.nearly(acl.acltdtReceiveTensor, channel, dataset, 1)
    caller.nearly(acl.acltdtCreateQueue, None, byref(number))
    caller.nearly(acl.acltdtEnqueueData, number.value, data, 16, None, 0, 1, 0)
    caller.nearly(acl.acltdtDequeueData, number.value, data, 16, byref(c_uint64()), None, 0, 1)


def launch_kernel(caller: Caller) -> None:
    """A compiled-in kernel, whose stand-in reads and writes."""
    binary, stub = acl.aclrtBinHandle(), caller.chosen.randrange(1, 9)
    caller.nearly(acl.aclrtBinaryLoadFromData, b"no code", 7, None, byref(binary))
    caller.pool.machine.kernels["kernel"] = _kernel
    caller.nearly(acl.rtFunctionRegister, binary, stub, "label", "kernel", 0)
    arguments = (c_uint64 * 2)(handle(caller, "device"), caller.chosen.choice((4, 64, 1 << 20)))
    caller.nearly(acl.rtKernelLaunch, stub, 1, arguments, 16, None, handle(caller, "aclrtStream"))
    machine, symbol, data = caller.pool.machine, stub + 100, np.zeros(4, np.int32)
    with machine.lock:
        known = machine.handles.find(binary.value or 0, Binary)
        if known is not None:
            register_variable(machine, known, symbol, "variable", bytes(16))
    caller.nearly(acl.aclrtBinarySetExceptionCallback, binary, lambda info, data: None, None)
    caller.nearly(acl.aclrtMemcpyToSymbol, symbol, data, 16, 0, 1)
    caller.nearly(acl.aclrtMemcpyFromSymbolAsync, data, symbol, 8, 8, 2, handle(caller, "aclrtStream"))


def infer(caller: Caller) -> None:
    """An offline model with batch sizes: a load, a description, a data set, a size, an execution."""
    id, desc = c_uint32(1), acl.aclmdlDesc(handle(caller, "aclmdlDesc"))
    caller.pool.machine.models[b"model"] = MODEL
    caller.nearly(acl.aclInit, None)
    caller.nearly(acl.aclmdlLoadFromMem, b"model", 5, byref(id))
    caller.nearly(acl.aclmdlCreateDesc)
    caller.nearly(acl.aclmdlGetDesc, desc, id.value)
    caller.nearly(acl.aclmdlGetInputDims, desc, caller.chosen.randrange(3), byref(aclmdlIODims()))
    caller.nearly(acl.aclmdlCreateDataset)
    sets = [acl.aclmdlDataset(handle(caller, "aclmdlDataset")) for _ in range(2)]
    for data_set in (sets[0], *sets):
        caller.nearly(acl.aclCreateDataBuffer, c_void_p(handle(caller, "device")), 64)
        caller.nearly(acl.aclmdlAddDatasetBuffer, data_set, acl.aclDataBuffer(handle(caller, "aclDataBuffer")))
    caller.nearly(acl.aclmdlSetDynamicBatchSize, id.value, sets[0], 1, caller.chosen.randrange(4))
    caller.nearly(acl.aclmdlExecuteAsync, id.value, *sets, handle(caller, "aclrtStream"))
    caller.nearly(acl.aclmdlExecute, id.value, *sets)
    caller.nearly(acl.aclmdlCreateAIPP, 1)
    aipp = acl.aclmdlAIPP(handle(caller, "aclmdlAIPP"))
    caller.nearly(acl.aclmdlSetAIPPInputFormat, aipp, 3)
    caller.nearly(acl.aclmdlSetAIPPSrcImageSize, aipp, 4, 4)
    caller.nearly(acl.aclmdlSetAIPPCropParams, aipp, 1, 0, 0, 2, 2, 0)
    caller.nearly(acl.aclmdlSetInputAIPP, id.value, sets[0], 1, aipp)
    caller.nearly(acl.aclmdlCreateExecConfigHandle)
    limits, limit = acl.aclmdlExecConfigHandle(handle(caller, "aclmdlExecConfigHandle")), c_int32(100)
    caller.nearly(acl.aclmdlSetExecConfigOpt, limits, 0, byref(limit), 4)
    caller.nearly(acl.aclmdlExecuteV2, id.value, *sets, handle(caller, "aclrtStream"), limits)
    caller.nearly(acl.aclmdlCreateConfigHandle)
    options, content = acl.aclmdlConfigHandle(handle(caller, "aclmdlConfigHandle")), create_string_buffer(b"model")
    for option, value in ((1, 3), (3, addressof(content)), (4, 5)):
        caller.nearly(acl.aclmdlSetConfigOpt, options, option, byref(c_uint64(value)), 8)
    caller.nearly(acl.aclmdlLoadWithConfig, options, byref(id))
    if caller.chosen.random() < 0.3:
        caller.nearly(acl.aclmdlUnload, id.value)


MODEL = Model(
    [Tensor("x", np.float32, (-1, 2))], [Tensor("y", np.float32, (-1, 2))], lambda inputs: inputs["x"],
    gears=batch([1, 2]),
)  # fmt: skip


def _kernel(launch: Any) -> None:
    if len(launch.arguments) > 1:
        address, count = launch.arguments[:2]
        with suppress(ValueError):  # the memory of a stand-in is judged, too
            launch.write(address, launch.read(address, min(count, 1 << 20), "u1"))


PROGRAMS: tuple[tuple[Callable[[Caller], None], int], ...] = (
    (open_device, 4),
    (create, 10),
    (record_and_wait, 10),
    (synchronize, 8),
    (call_back, 3),
    (allocate_some, 8),
    (copy, 16),
    (copy_many, 5),
    (use_values, 5),
    (set_memory, 6),
    (register, 3),
    (map_memory, 5),
    (use_mapping, 5),
    (unmap, 3),
    (operator, 40),
    (read_errors, 3),
    (describe, 3),
    (profile, 3),
    (launch_kernel, 3),
    (infer, 3),
    (send, 3),
)
"""with their weights"""

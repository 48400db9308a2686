"""The structs of acl_rt.h and acl_base_rt.h, field by field."""

import ctypes
from ctypes import c_char, c_int32, c_int64, c_size_t, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p

import acl_runtime.headers.handles as handles
from acl_runtime.headers.enums import (
    ACL_MAX_BATCH_NUM,
    ACL_MAX_DIM_CNT,
    ACL_MAX_HW_NUM,
    ACL_MAX_TENSOR_NAME_LEN,
    ACL_PKG_VERSION_MAX_SIZE,
    ACL_PKG_VERSION_PARTS_MAX_SIZE,
    ACL_RT_CMO_MAX_BARRIER_NUM,
    ACL_RT_MEM_UCE_INFO_MAX_NUM,
)
from acl_runtime.headers.unconfirmed import annotated


class aclrtMemLocation(ctypes.Structure):
    """A location of memory: the host or a device; "note id comes before type"."""

    _fields_ = (("id", c_uint32), ("type", c_int32))


class aclrtMemManagedLocation(ctypes.Structure):
    """A location of managed memory; here the type comes before the id."""

    _fields_ = (("type", c_int32), ("id", c_int32))


@annotated
class aclmdlRICondTaskParams(ctypes.Structure):
    """A conditional task: its condition, the kind of the choice, and an array for its bodies."""

    _fields_ = (
        ("handle", handles.aclmdlRICondHandle),
        ("type", c_int32),
        ("size", c_uint32),
        ("modelRIArray", ctypes.POINTER(handles.aclmdlRI)),
    )


class aclrtPhysicalMemProp(ctypes.Structure):
    """The kind and the location of physical memory."""

    _fields_ = (
        ("handleType", c_int32),
        ("allocationType", c_int32),
        ("memAttr", c_int32),
        ("location", aclrtMemLocation),
        ("reserve", c_uint64),
    )


class aclrtMemAccessDesc(ctypes.Structure):
    """The access of a device, or of the host, to mapped memory."""

    _fields_ = (("flags", c_int32), ("location", aclrtMemLocation), ("rsv", c_uint8 * 12))


class aclrtMemFabricHandle(ctypes.Structure):
    """A handle of physical memory that is shared with other servers."""

    _fields_ = (("data", c_uint8 * 128),)


class aclrtIpcEventHandle(ctypes.Structure):
    """A handle by which another process opens an event; it is passed by value."""

    _fields_ = (("reserved", c_char * 64),)


class aclrtServerPid(ctypes.Structure):
    """Processes of one server of a super node."""

    _fields_ = (("sdid", c_uint32), ("pid", c_void_p), ("num", c_size_t))


class aclrtPtrAttributes(ctypes.Structure):
    """The kind of memory behind a pointer."""

    _fields_ = (("location", aclrtMemLocation), ("pageSize", c_uint32), ("rsv", c_uint32 * 4))


@annotated
class aclrtMallocAttributeValue(ctypes.Union):
    """The value of an aclrtMallocAttribute."""

    _fields_ = (("moduleId", c_uint16), ("deviceId", c_uint32), ("vaFlag", c_uint32), ("rsv", c_uint8 * 8))


class aclrtMallocAttribute(ctypes.Structure):
    """One attribute of an allocation."""

    _fields_ = (("attr", c_int32), ("value", aclrtMallocAttributeValue))


class aclrtMallocConfig(ctypes.Structure):
    """Attributes of an allocation."""

    _fields_ = (("attrs", ctypes.POINTER(aclrtMallocAttribute)), ("numAttrs", c_size_t))


@annotated
class aclrtMemUsageInfo(ctypes.Structure):
    """Device memory that one module uses, in bytes."""

    _fields_ = (("name", c_char * 32), ("curMemSize", c_uint64), ("memPeakSize", c_uint64), ("reserved", c_size_t * 8))


@annotated
class aclrtMemcpyBatchAttr(ctypes.Structure):
    """The locations of source and target for a batch of copies."""

    _fields_ = (("dstLoc", aclrtMemLocation), ("srcLoc", aclrtMemLocation), ("rsv", c_uint8 * 16))


@annotated
class aclrtUtilizationInfo(ctypes.Structure):
    """Utilisation in percent."""

    _fields_ = (
        ("cubeUtilization", c_int32),
        ("vectorUtilization", c_int32),
        ("aicpuUtilization", c_int32),
        ("memoryUtilization", c_int32),
        ("utilizationExtend", c_void_p),
    )


class aclrtUuid(ctypes.Structure):
    """Identity of a device."""

    _fields_ = (("bytes", c_char * 16),)


class aclrtStreamAttrValue(ctypes.Union):
    """The value of an attribute of a stream."""

    _fields_ = (
        ("failureMode", c_uint64),
        ("overflowSwitch", c_uint32),
        ("userCustomTag", c_uint32),
        ("cacheOpInfoSwitch", c_uint32),
        ("streamPriority", c_uint32),
        ("reserve", c_uint32 * 4),
    )


class aclrtMemUceInfo(ctypes.Structure):
    """A piece of memory with an error."""

    _fields_ = (("addr", c_void_p), ("len", c_size_t), ("reserved", c_size_t * 14))


@annotated
class aclrtMemUceInfoArray(ctypes.Structure):
    """The pieces of memory with errors."""

    _fields_ = (("arraySize", c_size_t), ("memUceInfoArray", aclrtMemUceInfo * ACL_RT_MEM_UCE_INFO_MAX_NUM))


@annotated
class aclrtErrorInfoDetail(ctypes.Union):
    """Details of a device's error."""

    _fields_ = (("uceInfo", aclrtMemUceInfoArray), ("aicoreErrType", c_int32))


class aclrtErrorInfo(ctypes.Structure):
    """A device's error."""

    _fields_ = (
        ("tryRepair", c_uint8),
        ("hasDetail", c_uint8),
        ("reserved", c_uint8 * 2),
        ("errorType", c_int32),
        ("detail", aclrtErrorInfoDetail),
    )


class aclrtRandomParaInfo(ctypes.Structure):
    """A parameter of random numbers: a value, or the address of one in device memory."""

    _fields_ = (("isAddr", c_uint8), ("valueOrAddr", c_uint8 * 8), ("size", c_uint8), ("rsv", c_uint8 * 6))


@annotated
class aclrtDropoutBitmaskInfo(ctypes.Structure):
    """The parameter of bits for dropout."""

    _fields_ = (("ratio", aclrtRandomParaInfo),)


@annotated
class aclrtUniformDisInfo(ctypes.Structure):
    """The bounds of a uniform distribution."""

    _fields_ = (("min", aclrtRandomParaInfo), ("max", aclrtRandomParaInfo))


@annotated
class aclrtNormalDisInfo(ctypes.Structure):
    """The parameters of a normal distribution."""

    _fields_ = (("mean", aclrtRandomParaInfo), ("stddev", aclrtRandomParaInfo))


@annotated
class aclrtRandomNumFuncPara(ctypes.Union):
    """The parameters of a distribution."""

    _fields_ = (
        ("dropoutBitmaskInfo", aclrtDropoutBitmaskInfo),
        ("uniformDisInfo", aclrtUniformDisInfo),
        ("normalDisInfo", aclrtNormalDisInfo),
    )


@annotated
class aclrtRandomNumFuncParaInfo(ctypes.Structure):
    """A distribution with its parameters."""

    _fields_ = (("funcType", c_int32), ("paramInfo", aclrtRandomNumFuncPara))


@annotated
class aclrtRandomNumTaskInfo(ctypes.Structure):
    """A task that makes random numbers."""

    _fields_ = (
        ("dataType", c_int32),
        ("randomNumFuncParaInfo", aclrtRandomNumFuncParaInfo),
        ("randomParaAddr", c_void_p),
        ("randomResultAddr", c_void_p),
        ("randomCounterAddr", c_void_p),
        ("randomSeed", aclrtRandomParaInfo),
        ("randomNum", aclrtRandomParaInfo),
        ("rsv", c_uint8 * 8),
    )


@annotated
class aclrtRandomTaskUpdateAttr(ctypes.Structure):
    """The new parameters of a task that makes random numbers: their place in device memory."""

    _fields_ = (("srcAddr", c_void_p), ("size", c_size_t), ("rsv", c_uint32 * 4))


@annotated
class aclrtAicAivTaskUpdateAttr(ctypes.Structure):
    """Another kernel for a task: its binary, and the places in device memory of its number and of the number of
    blocks."""

    _fields_ = (
        ("binHandle", c_void_p),
        ("funcEntryAddr", c_void_p),
        ("blockDimAddr", c_void_p),
        ("rsv", c_uint32 * 4),
    )


@annotated
class aclrtUpdateTaskAttrVal(ctypes.Union):
    """The change of a task."""

    _fields_ = (("randomTaskAttr", aclrtRandomTaskUpdateAttr), ("aicAivTaskAttr", aclrtAicAivTaskUpdateAttr))


@annotated
class aclrtTaskUpdateInfo(ctypes.Structure):
    """The kind of a change of a task, and the change."""

    _fields_ = (("id", c_int32), ("val", aclrtUpdateTaskAttrVal))


class aclrtMemPoolProps(ctypes.Structure):
    """The kind and the size of a pool of device memory."""

    _fields_ = (
        ("allocType", c_int32),
        ("handleType", c_int32),
        ("location", aclrtMemLocation),
        ("maxSize", c_size_t),
        ("reserved", c_uint8 * 32),
    )


class aclrtCntNotifyRecordInfo(ctypes.Structure):
    """A change of a counting notify."""

    _fields_ = (("mode", c_int32), ("value", c_uint32))


class aclrtCntNotifyWaitInfo(ctypes.Structure):
    """A condition for a counting notify."""

    _fields_ = (
        ("mode", c_int32),
        ("value", c_uint32),
        ("timeout", c_uint32),
        ("isClear", c_uint8),
        ("rsv", c_uint8 * 3),
    )


@annotated
class aclrtBarrierCmoInfo(ctypes.Structure):
    """A barrier, and the kind of the operation on the cache that it is about."""

    _fields_ = (("cmoType", c_int32), ("barrierId", c_uint32))


@annotated
class aclrtBarrierTaskInfo(ctypes.Structure):
    """The barriers that a task waits for."""

    _fields_ = (("barrierNum", c_size_t), ("cmoInfo", aclrtBarrierCmoInfo * ACL_RT_CMO_MAX_BARRIER_NUM))


@annotated
class aclrtBinaryLoadOptionValue(ctypes.Union):
    """The value of an aclrtBinaryLoadOption."""

    _fields_ = (("isLazyLoad", c_uint32), ("magic", c_uint32), ("cpuKernelMode", c_int32), ("rsv", c_uint32 * 4))


class aclrtBinaryLoadOption(ctypes.Structure):
    """An option for loading a binary with kernels."""

    _fields_ = (("type", c_int32), ("value", aclrtBinaryLoadOptionValue))


class aclrtBinaryLoadOptions(ctypes.Structure):
    """The options for loading a binary with kernels."""

    _fields_ = (("options", ctypes.POINTER(aclrtBinaryLoadOption)), ("numOpt", c_size_t))


class aclrtPlaceHolderInfo(ctypes.Structure):
    """A pointer in a block of arguments, and the data in the block to which it will point."""

    _fields_ = (("addrOffset", c_uint32), ("dataOffset", c_uint32))


@annotated
class aclrtTimeoutUs(ctypes.Structure):
    """A timeout in microseconds, as two halves."""

    _fields_ = (("timeoutLow", c_uint32), ("timeoutHigh", c_uint32))


@annotated
class aclrtLaunchKernelAttrValue(ctypes.Union):
    """The value of an aclrtLaunchKernelAttr."""

    _fields_ = (
        ("schemMode", c_uint8),
        ("localMemorySize", c_uint32),
        ("dynUBufSize", c_uint32),
        ("engineType", c_int32),
        ("blockDimOffset", c_uint32),
        ("blockTaskPrefetch", c_uint8),
        ("dataDump", c_uint8),
        ("timeout", c_uint16),
        ("timeoutUs", aclrtTimeoutUs),
        ("enableProfiling", c_uint8),
        ("rsv", c_uint32 * 4),
    )


@annotated
class dim3(ctypes.Structure):
    """The blocks of a launch, or the threads of a block, in each of three dimensions."""

    _fields_ = (("x", c_uint32), ("y", c_uint32), ("z", c_uint32))


class aclrtLaunchKernelAttr(ctypes.Structure):
    """One attribute of the launch of a kernel."""

    _fields_ = (("id", c_int32), ("value", aclrtLaunchKernelAttrValue))


class aclrtLaunchKernelCfg(ctypes.Structure):
    """The attributes of the launch of a kernel."""

    _fields_ = (("attrs", ctypes.POINTER(aclrtLaunchKernelAttr)), ("numAttrs", c_size_t))


class aclCANNPackageVersion(ctypes.Structure):
    """The version of a package."""

    _fields_ = (
        ("version", c_char * ACL_PKG_VERSION_MAX_SIZE),
        ("majorVersion", c_char * ACL_PKG_VERSION_PARTS_MAX_SIZE),
        ("minorVersion", c_char * ACL_PKG_VERSION_PARTS_MAX_SIZE),
        ("releaseVersion", c_char * ACL_PKG_VERSION_PARTS_MAX_SIZE),
        ("patchVersion", c_char * ACL_PKG_VERSION_PARTS_MAX_SIZE),
        ("reserved", c_char * ACL_PKG_VERSION_MAX_SIZE),
    )


class aclmdlIODims(ctypes.Structure):
    """The name and the sizes of an input or an output of a model."""

    _fields_ = (
        ("name", c_char * ACL_MAX_TENSOR_NAME_LEN),
        ("dimCount", c_size_t),
        ("dims", c_int64 * ACL_MAX_DIM_CNT),
    )


class aclmdlIODimsRange(ctypes.Structure):
    """The least and the greatest size of each dimension of an input of a model."""

    _fields_ = (("rangeCount", c_size_t), ("range", c_int64 * 2 * ACL_MAX_DIM_CNT))


class aclmdlBatch(ctypes.Structure):
    """The batch sizes that a model was built for."""

    _fields_ = (("batchCount", c_size_t), ("batch", c_uint64 * ACL_MAX_BATCH_NUM))


class aclmdlHW(ctypes.Structure):
    """The image sizes, height and width, that a model was built for."""

    _fields_ = (("hwCount", c_size_t), ("hw", c_uint64 * 2 * ACL_MAX_HW_NUM))


__all__ = [name for name in globals() if name.startswith(("acl", "dim3"))]

"""The handle types of host programs: 8-byte values as in C, null until a creating function sets them.

Handles compare and hash by value. Null equals `None` and `0`, and is false. The repr has the kind and the ordinal of
the object, and for a tensor its data type and shape, all from the current machine.
"""

import operator
from ctypes import c_void_p

from acl_runtime.process import process


class Handle(c_void_p):
    """An opaque handle."""

    __array_ufunc__ = None  # so that a comparison with a numpy number calls __eq__ below

    def __eq__(self, other: object) -> bool:
        if other is None:
            return not self.value
        if isinstance(other, c_void_p):
            return (self.value or 0) == (other.value or 0)
        try:
            return (self.value or 0) == operator.index(other)  # type: ignore[arg-type]
        except TypeError:
            return False

    def __hash__(self) -> int:
        return hash(self.value or 0)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __repr__(self) -> str:
        if not self.value:
            return f"{type(self).__name__}(null)"
        text = process.describe_handle(self.value) if process.describe_handle is not None else ""
        return f"<{text}>" if text else f"<{type(self).__name__} {self.value:#x}, unknown to this machine>"


class RuntimeHandle(Handle):
    """`typedef void *` in C: the compiler does not distinguish these types, so the runtime returns 107017 for a wrong
    type."""


class aclrtStream(RuntimeHandle):
    """A stream: tasks in it run one after the other. Null means the default stream of the current context."""


class aclrtContext(RuntimeHandle):
    """A context: the owner of streams and events on one device. Each host thread has a current context."""


class aclrtEvent(RuntimeHandle):
    """An event: a mark in a stream that others can wait for."""


class aclrtDrvMemHandle(RuntimeHandle):
    """Physical memory of a device or of the host, which virtual memory is mapped to."""


class aclmdlRI(RuntimeHandle):
    """A model: tasks that a capture has stored, and that can be queued again and again."""


class aclmdlRICondHandle(RuntimeHandle):
    """A condition of a model: a number in device memory that chooses the tasks which run."""


class aclmdlRITask(RuntimeHandle):
    """A task of a model."""


class aclrtTaskGrp(RuntimeHandle):
    """A group of operators of a model, whose arguments may be replaced."""


class aclrtBinHandle(RuntimeHandle):
    """A binary with device kernels."""


class aclrtFuncHandle(RuntimeHandle):
    """A device kernel in a binary."""


class aclrtBinary(RuntimeHandle):
    """Data of the host that can be loaded as a binary with device kernels."""


class aclrtArgsHandle(RuntimeHandle):
    """A list of arguments for the launch of a kernel."""


class aclrtParamHandle(RuntimeHandle):
    """An argument in such a list."""


class HcclComm(RuntimeHandle):
    """A communicator: one rank among those that share it."""


class mstxDomainHandle_t(RuntimeHandle):
    """A domain of marks and ranges."""


class mstxMemHeapHandle_t(RuntimeHandle):
    """A heap that a program describes to a memory tool."""


class MetaHandle(Handle):
    """A pointer to a struct in C, which differs by type: the compiler refuses a handle of another type."""


class aclTensor(MetaHandle):
    """View (shape, strides, offset) of device memory, with data type and format."""


class aclScalar(MetaHandle):
    """One value with its data type."""


class aclIntArray(MetaHandle):
    """An array of int64_t."""


class aclFloatArray(MetaHandle):
    """An array of float."""


class aclBoolArray(MetaHandle):
    """An array of bool."""


class aclTensorList(MetaHandle):
    """Several tensors; destroying the list destroys them."""


class aclScalarList(MetaHandle):
    """Several scalars; destroying the list destroys them."""


class aclOpExecutor(MetaHandle):
    """The plan of one operator call, made by the first phase and used up by the second."""


class aclDataBuffer(MetaHandle):
    """A pair of an address and a size; it does not own the memory."""


class aclrtExceptionInfo(MetaHandle):
    """The failure on the device, as an exception callback gets it; it is valid only inside the callback."""


class aclrtStreamConfigHandle(MetaHandle):
    """Options of a stream to be created."""


class aclTensorDesc(MetaHandle):
    """The description of a tensor, without memory, for the single-operator interface, which is older than aclnn."""


class aclopHandle(MetaHandle):
    """A compiled operator of the single-operator interface, which is older than aclnn."""


class aclopAttr(MetaHandle):
    """The attributes of an operator by name, for the single-operator interface, which is older than aclnn."""


class aclGraphDumpOption(MetaHandle):
    """Options of aclGenGraphAndDumpForOp."""


class aclprofConfig(MetaHandle):
    """The devices and the switches of a profiling session."""


class aclprofSubscribeConfig(MetaHandle):
    """The configuration of a subscription to the operators of a model."""


class aclprofStepInfo(MetaHandle):
    """The start and the end of one iteration, for profiling."""


class aclmdlDesc(MetaHandle):
    """The description of an offline model: its inputs and outputs."""


class aclmdlDataset(MetaHandle):
    """The data buffers for the inputs or for the outputs of an offline model."""


class aclmdlConfigHandle(MetaHandle):
    """The options of a load of an offline model."""


class aclmdlExecConfigHandle(MetaHandle):
    """The options of executions of offline models."""


class aclmdlAIPP(MetaHandle):
    """The parameters of dynamic AIPP: how a model prepares a batch of images."""


class acltdtDataItem(MetaHandle):
    """A tensor, or a mark between tensors, that a channel transports; it does not own the data."""


class acltdtDataset(MetaHandle):
    """The items of one message of a channel."""


class acltdtChannelHandle(MetaHandle):
    """A channel: a queue of messages between host and device."""


class acltdtQueueAttr(MetaHandle):
    """The name and the depth of a queue to be created."""


class acltdtQueueRoute(MetaHandle):
    """A route: what one queue gets goes on to another."""


class acltdtQueueRouteList(MetaHandle):
    """Several routes."""


class acltdtQueueRouteQueryInfo(MetaHandle):
    """The selection of routes for a query."""


class acltdtBuf(RuntimeHandle):
    """A buffer of a queue, which only programs on a device have."""


class aclrtAllocatorDesc(RuntimeHandle):
    """A description of an allocator of the program."""


class aclrtAllocator(RuntimeHandle):
    """An allocator of the program: an object that only the program knows."""


class aclrtAllocatorBlock(RuntimeHandle):
    """Memory of an allocator of the program."""


class aclrtAllocatorAddr(RuntimeHandle):
    """An address at which a program should allocate."""


class aclrtMemPool(RuntimeHandle):
    """A pool of device memory."""


class aclrtNotify(RuntimeHandle):
    """A notify: a bit of the device that a record sets, and that a wait waits for and clears."""


class aclrtCntNotify(RuntimeHandle):
    """A counting notify: a 32-bit value of the device that streams change and wait for."""


class aclrtMbuf(RuntimeHandle):
    """A message buffer, which only programs on a device have."""


class aclrtLabel(RuntimeHandle):
    """A place in a stream of a built model."""


class aclrtLabelList(RuntimeHandle):
    """Labels by number."""


class aclrtGroupInfo(MetaHandle):
    """A description of the groups of cores of a device."""

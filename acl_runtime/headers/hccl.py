"""The types of hccl/hccl_types.h: results, data types, reductions, configurations."""

import ctypes
from ctypes import c_char, c_int32, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p
from enum import IntEnum
from typing import Final

HCCL_ROOT_INFO_BYTES: Final = 4108
HCCL_COMM_CONFIG_INFO_BYTES: Final = 24
HCCL_COMM_CONFIG_MAGIC_WORD: Final = 0xF0F0F0F0
HCCL_COMM_CONFIG_NOT_SET: Final = 0xFFFFFFFF
HCCL_COMM_CONFIG_VERSION: Final = 11
HCCL_COMM_DEFAULT_BUFFSIZE: Final = 200
"""megabytes"""
COMM_NAME_MAX_LENGTH: Final = 128
UDI_MAX_LENGTH: Final = 128
HCCL_COMM_ALGO_MAX_LENGTH: Final = 1600
HCCL_COMM_RETRY_ENABLE_MAX_LENGTH: Final = 50
HCCL_COMM_RETRY_PARAMS_MAX_LENGTH: Final = 128
BUFFER_NAME_MAX_LENGTH: Final = 128


class HcclResult(IntEnum):
    """The result of a function of the communication library."""

    HCCL_SUCCESS = 0
    HCCL_E_PARA = 1
    HCCL_E_PTR = 2
    HCCL_E_MEMORY = 3
    HCCL_E_INTERNAL = 4
    HCCL_E_NOT_SUPPORT = 5
    HCCL_E_NOT_FOUND = 6
    HCCL_E_UNAVAIL = 7
    HCCL_E_SYSCALL = 8
    HCCL_E_TIMEOUT = 9
    HCCL_E_OPEN_FILE_FAILURE = 10
    HCCL_E_TCP_CONNECT = 11
    HCCL_E_ROCE_CONNECT = 12
    HCCL_E_TCP_TRANSFER = 13
    HCCL_E_ROCE_TRANSFER = 14
    HCCL_E_RUNTIME = 15
    HCCL_E_DRV = 16
    HCCL_E_PROFILING = 17
    HCCL_E_CCE = 18
    HCCL_E_NETWORK = 19
    HCCL_E_AGAIN = 20
    HCCL_E_REMOTE = 21
    HCCL_E_SUSPENDING = 22
    HCCL_E_OPRETRY_FAIL = 23
    HCCL_E_OOM = 24
    HCCL_E_IN_STATUS = 1041
    HCCL_E_RESERVED = 1042


class HcclDataType(IntEnum):
    """The type of an element."""

    HCCL_DATA_TYPE_INT8 = 0
    HCCL_DATA_TYPE_INT16 = 1
    HCCL_DATA_TYPE_INT32 = 2
    HCCL_DATA_TYPE_FP16 = 3
    HCCL_DATA_TYPE_FP32 = 4
    HCCL_DATA_TYPE_INT64 = 5
    HCCL_DATA_TYPE_UINT64 = 6
    HCCL_DATA_TYPE_UINT8 = 7
    HCCL_DATA_TYPE_UINT16 = 8
    HCCL_DATA_TYPE_UINT32 = 9
    HCCL_DATA_TYPE_FP64 = 10
    HCCL_DATA_TYPE_BFP16 = 11
    HCCL_DATA_TYPE_INT128 = 12
    HCCL_DATA_TYPE_HIF8 = 14
    HCCL_DATA_TYPE_FP8E4M3 = 15
    HCCL_DATA_TYPE_FP8E5M2 = 16
    HCCL_DATA_TYPE_FP8E8M0 = 17
    HCCL_DATA_TYPE_RESERVED = 255


class HcclReduceOp(IntEnum):
    """The operation that joins the elements of the ranks."""

    HCCL_REDUCE_SUM = 0
    HCCL_REDUCE_PROD = 1
    HCCL_REDUCE_MAX = 2
    HCCL_REDUCE_MIN = 3
    HCCL_REDUCE_RESERVED = 255


class HcclSendRecvType(IntEnum):
    """The direction of one item of HcclBatchSendRecv."""

    HCCL_SEND = 0
    HCCL_RECV = 1
    HCCL_SEND_RECV_RESERVED = 2


class HcclConfig(IntEnum):
    """An option of the communication library."""

    HCCL_DETERMINISTIC = 0


class HcclCommConfigCapability(IntEnum):
    """A member of HcclCommConfig that a library may know: it does if HcclGetCommConfigCapability returns more."""

    HCCL_COMM_CONFIG_BUFFER_SIZE = 0
    HCCL_COMM_CONFIG_DETERMINISTIC = 1
    HCCL_COMM_CONFIG_COMM_NAME = 2
    HCCL_COMM_CONFIG_OP_EXPANSION_MODE = 3
    HCCL_COMM_CONFIG_SUPPORT_INIT_BY_ENV = 4
    HCCL_COMM_CONFIG_WORLD_RANKID = 5
    HCCL_COMM_CONFIG_JOBID = 6
    HCCL_COMM_CONFIG_ACLGRAPH_ZEROCOPY_ENABLE = 7
    HCCL_COMM_CONFIG_EXEC_TIMEOUT = 8
    HCCL_COMM_CONFIG_ALGO = 9
    HCCL_COMM_CONFIG_RETRY = 10
    HCCL_COMM_CONFIG_BUFFER_NAME = 11
    HCCL_COMM_CONFIG_RESERVED = 12


class HcclCommStatus(IntEnum):
    """The state of a communicator."""

    HCCL_COMM_STATUS_READY = 0
    HCCL_COMM_STATUS_SUSPENDING = 1
    HCCL_COMM_STATUS_INVALID = 254
    HCCL_COMM_STATUS_RESERVED = 255


class HcclConfigValue(ctypes.Union):
    """The value of an option: for HCCL_DETERMINISTIC 0 off, 1 on, 2 strict."""

    _fields_ = (("value", c_int32),)


class HcclRootInfo(ctypes.Structure):
    """The bytes that the root gives to all ranks."""

    _fields_ = (("internal", c_char * HCCL_ROOT_INFO_BYTES),)


class HcclSendRecvItem(ctypes.Structure):
    """One send or receive of HcclBatchSendRecv."""

    _fields_ = (
        ("sendRecvType", c_int32),
        ("buf", c_void_p),
        ("count", c_uint64),
        ("dataType", c_int32),
        ("remoteRank", c_uint32),
    )


class HcclCommConfig(ctypes.Structure):
    """The configuration of a communicator. `reserved` begins with the size of the caller's struct, the magic word and
    the version."""

    _fields_ = (
        ("reserved", c_char * HCCL_COMM_CONFIG_INFO_BYTES),
        ("hcclBufferSize", c_uint32),
        ("hcclDeterministic", c_uint32),
        ("hcclCommName", c_char * COMM_NAME_MAX_LENGTH),
        ("hcclUdi", c_char * UDI_MAX_LENGTH),
        ("hcclOpExpansionMode", c_uint32),
        ("hcclRdmaTrafficClass", c_uint32),
        ("hcclRdmaServiceLevel", c_uint32),
        ("hcclWorldRankID", c_uint32),
        ("hcclJobID", c_uint64),
        ("aclGraphZeroCopyEnable", c_uint8),
        ("hcclExecTimeOut", c_int32),
        ("hcclAlgo", c_char * HCCL_COMM_ALGO_MAX_LENGTH),
        ("hcclRetryEnable", c_char * HCCL_COMM_RETRY_ENABLE_MAX_LENGTH),
        ("hcclRetryParams", c_char * HCCL_COMM_RETRY_PARAMS_MAX_LENGTH),
        ("hcclBufferName", c_char * BUFFER_NAME_MAX_LENGTH),
        ("hcclQos", c_uint32),
        ("hcclSymWinMaxMemSizePerRank", c_uint64),
        ("hcclChannelSqDepth", c_uint32),
    )


class HcclCommConfigInfo(ctypes.Structure):
    """The beginning of HcclCommConfig, which the C header does not name."""

    _fields_ = (("size", c_size_t), ("magic", c_uint32), ("version", c_uint32), ("more", c_uint64))


CONSTANTS: Final = {
    "HCCL_ROOT_INFO_BYTES": HCCL_ROOT_INFO_BYTES, "HCCL_COMM_CONFIG_INFO_BYTES": HCCL_COMM_CONFIG_INFO_BYTES,
    "HCCL_COMM_CONFIG_MAGIC_WORD": HCCL_COMM_CONFIG_MAGIC_WORD,
    "HCCL_COMM_CONFIG_VERSION": HCCL_COMM_CONFIG_VERSION, "COMM_NAME_MAX_LENGTH": COMM_NAME_MAX_LENGTH,
}  # fmt: skip
"""the macros of the C header"""
TYPES: Final = (
    HcclResult, HcclDataType, HcclReduceOp, HcclSendRecvType, HcclConfig, HcclCommConfigCapability, HcclCommStatus,
    HcclConfigValue, HcclRootInfo, HcclSendRecvItem, HcclCommConfig,
)  # fmt: skip
"""the types of the C header, in their order there"""

globals().update(
    {name: value for kind in TYPES if issubclass(kind, IntEnum) for name, value in kind.__members__.items()}
)
__all__ = [name for name in globals() if name.startswith(("HCCL_", "Hccl")) and name != "HcclCommConfigInfo"]

"""The types of hccl/hccl_types.h that the functions of the emulator use."""

import ctypes
from enum import IntEnum


class HcclResult(IntEnum):
    """The result of a function of the communication library."""

    HCCL_SUCCESS = 0
    HCCL_E_PARA = 1
    HCCL_E_PTR = 2
    HCCL_E_MEMORY = 3
    HCCL_E_INTERNAL = 4
    HCCL_E_NOT_SUPPORT = 5


class HcclConfig(IntEnum):
    """An option of the communication library."""

    HCCL_DETERMINISTIC = 0


class HcclConfigValue(ctypes.Union):
    """The value of an option: for HCCL_DETERMINISTIC 0 off, 1 on, 2 strict."""

    _fields_ = (("value", ctypes.c_int32),)


__all__ = ["HcclConfig", "HcclConfigValue", "HcclResult"]

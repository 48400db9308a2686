"""hccl/hccl_comm.h: options of the library, and configurations of communicators."""

import ctypes
from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Address
from acl_runtime.api.hccl.checks import not_null, refuse
from acl_runtime.api.memory.buffers import store
from acl_runtime.api.meta.objects import value_bytes
from acl_runtime.boundary import acl_api
from acl_runtime.collective.settings import Settings, settings_of, size_of
from acl_runtime.headers.hccl import (
    HCCL_COMM_CONFIG_INFO_BYTES,
    HCCL_COMM_CONFIG_MAGIC_WORD,
    HCCL_COMM_CONFIG_NOT_SET,
    HCCL_COMM_CONFIG_VERSION,
    HcclCommConfig,
    HcclCommConfigCapability,
    HcclCommConfigInfo,
    HcclConfig,
    HcclConfigValue,
    HcclResult,
)
from acl_runtime.machine.current import current

HEADER: Final = "hccl/hccl_comm.h"
STRICT: Final = 2
MEGABYTES: Final = 16
"""the symmetric memory of a rank that HcclCommConfigInit sets"""
NOT_SET: Final = (
    "hcclBufferSize", "hcclDeterministic", "hcclRdmaTrafficClass", "hcclRdmaServiceLevel", "hcclQos",
    "hcclChannelSqDepth",
)  # fmt: skip
"""members for which 0xffffffff says that they are not set"""


def settings(config: Address) -> Settings:
    """The settings in a configuration that is not null."""
    head = value_bytes(config, HCCL_COMM_CONFIG_INFO_BYTES, "config", HcclResult.HCCL_E_PARA)
    read = settings_of(value_bytes(config, size_of(head), "config", HcclResult.HCCL_E_PARA))
    if read is None:
        raise refuse("the given configuration", "config", "one that HcclCommConfigInit has filled")
    return read


@acl_api(HEADER, pyacl=None)
def HcclCommConfigInit(config: c.HcclCommConfig_p) -> c.void_result:
    """Fill a configuration with its defaults. A null pointer is ignored."""
    if not config.value:
        return
    filled = HcclCommConfig()
    info = HcclCommConfigInfo(ctypes.sizeof(filled), HCCL_COMM_CONFIG_MAGIC_WORD, HCCL_COMM_CONFIG_VERSION, 0)
    ctypes.memmove(ctypes.addressof(filled), ctypes.addressof(info), ctypes.sizeof(info))
    for name in NOT_SET:
        setattr(filled, name, HCCL_COMM_CONFIG_NOT_SET)
    filled.hcclExecTimeOut = -1
    filled.hcclSymWinMaxMemSizePerRank = MEGABYTES
    store(config, filled, "config")


@acl_api(HEADER, pyacl=None)
def HcclGetCommConfigCapability() -> c.uint32_t_result:
    """Query which members of HcclCommConfig the library knows: those whose HcclCommConfigCapability is less than the
    result."""
    return int(HcclCommConfigCapability.HCCL_COMM_CONFIG_RESERVED)


@acl_api(HEADER, pyacl=None)
def HcclSetConfig(config: c.HcclConfig, configValue: c.HcclConfigValue) -> c.HcclResult:
    """Choose whether collective communication is deterministic: 0 no, 1 yes, 2 strictly. The results of the emulator
    are deterministic either way; HcclGetConfig returns the value.

    Returns:
        HCCL_SUCCESS: accepted.
        HCCL_E_PARA: the value is not 0, 1 or 2.
        HCCL_E_NOT_SUPPORT: `config` is not HCCL_DETERMINISTIC.
    """
    _check(config)
    if not 0 <= configValue <= STRICT:
        raise refuse(configValue, "configValue", "0, 1 or 2")
    current().collective_options[config] = configValue


@acl_api(HEADER, pyacl=None)
def HcclGetConfig(config: c.HcclConfig, configValue: c.HcclConfigValue_p) -> c.HcclResult:
    """Query an option of HcclSetConfig.

    Returns:
        HCCL_SUCCESS: written.
        HCCL_E_PTR: `configValue` is null.
        HCCL_E_PARA: `configValue` is no memory that can be written (in a machine that only reports).
        HCCL_E_NOT_SUPPORT: `config` is not HCCL_DETERMINISTIC.
    """
    not_null(configValue=configValue)
    _check(config)
    store(
        configValue, HcclConfigValue(current().collective_options.get(config, 0)), "configValue", HcclResult.HCCL_E_PARA
    )


def _check(config: int) -> None:
    if config != HcclConfig.HCCL_DETERMINISTIC:
        raise refuse(config, "config", "HCCL_DETERMINISTIC (0)", HcclResult.HCCL_E_NOT_SUPPORT)

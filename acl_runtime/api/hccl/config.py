"""hccl/hccl_comm.h: options of the communication library."""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.hccl import HcclConfig, HcclResult
from acl_runtime.headers.messages import Item

STRICT: Final = 2
WHAT: Final = "HcclSetConfig"


@acl_api("hccl/hccl_comm.h", inert=True)
def HcclSetConfig(config: c.HcclConfig, configValue: c.HcclConfigValue) -> c.HcclResult:
    """Choose whether collective communication is deterministic: 0 no, 1 yes, 2 strictly. The results of the emulator
    are deterministic either way, so it has no effect.

    Returns:
        HCCL_SUCCESS: accepted.
        HCCL_E_PARA: the value is not 0, 1 or 2.
        HCCL_E_NOT_SUPPORT: `config` is not HCCL_DETERMINISTIC.
    """
    if config != HcclConfig.HCCL_DETERMINISTIC:
        item = Item("EI0003", (WHAT, config, "config", "HCCL_DETERMINISTIC (0)"))
        raise AclError(HcclResult.HCCL_E_NOT_SUPPORT, item)
    if not 0 <= configValue <= STRICT:
        raise AclError(HcclResult.HCCL_E_PARA, Item("EI0003", (WHAT, configValue, "configValue", "0, 1 or 2")))

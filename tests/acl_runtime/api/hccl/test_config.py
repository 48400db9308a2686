"""HcclSetConfig, which PyTorch's plugin calls at its first use of a device."""

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.outcomes import assert_status


@pytest.mark.parametrize("value", [0, 1, 2, HcclConfigValue(1)], ids=["off", "on", "strict", "the union"])
def test_determinism_is_accepted(machine: Machine, value: int) -> None:
    assert HcclSetConfig(HcclConfig.HCCL_DETERMINISTIC, value) == HcclResult.HCCL_SUCCESS


@pytest.mark.fidelity("HcclSetConfig")
def test_anything_else_is_refused(machine: Machine) -> None:
    assert_status(HcclSetConfig(1, 0), HcclResult.HCCL_E_NOT_SUPPORT, "(EI0003)", "config")
    assert_status(HcclSetConfig(0, 3), HcclResult.HCCL_E_PARA, "(EI0003)", "configValue", "0, 1 or 2")
    assert repr(HcclSetConfig(0, -1)) == "HCCL_E_PARA (1)"

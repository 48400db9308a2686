"""Made-up addresses and handles: a finding, and a documented result in a machine that only reports."""

from __future__ import annotations

from ctypes import POINTER, byref, c_void_p, cast

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.generated_index import HOMES
from tests.conftest import check_documented
from tests.helpers.ranks import floats, world

FUNCTIONS = [name for home, names in HOMES.items() if home.startswith("acl_runtime.api.hccl.") for name in names]
WILD = 0x10


def argument(kind: str, rank: tuple[int, HcclComm, aclrtStream], wild: str) -> object:
    """A plausible argument of a C type; a made-up one if `wild` names the type."""
    address, comm, stream = rank
    bare = kind.removeprefix("const ")
    if bare.startswith("HcclComm") and "*" not in bare:
        return c_void_p(WILD) if wild == "HcclComm" else comm
    if bare == "aclrtStream":
        return c_void_p(WILD) if wild == "aclrtStream" else stream
    if bare == "HcclComm *":
        return byref(HcclComm())
    if bare == "void *":
        return c_void_p(WILD) if wild == bare else address
    if bare in ("HcclRootInfo *", "HcclCommConfig *", "HcclSendRecvItem *", "HcclConfigValue *"):
        struct = globals()[bare[:-2]]
        return cast(WILD, POINTER(struct)) if wild == "structs" else byref(struct())
    if bare == "char *":
        return "name" if kind.startswith("const") else c_void_p(WILD)
    return 1 if "*" not in bare else None


@pytest.mark.parametrize("wild", ["HcclComm", "aclrtStream", "void *", "structs", ""])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_made_up_argument_ends_with_a_documented_result(name: str, wild: str) -> None:
    function = globals()[name]
    with world(1, on_undefined="report") as (machine, (rank,)):
        at = (rank.put(floats(0, 0, 0, 0)), rank.comm, rank.stream)
        function(*(argument(ctype.spelling, at, wild) for _, ctype in function.c.parameters))
        aclGetRecentErrMsg()
        check_documented(machine)


def test_without_checks_operations_work_as_well() -> None:
    with Machine(device_count=2, checks=False):
        aclrtSetDevice(0)
        comms = (HcclComm * 2)()
        assert HcclCommInitAll(2, [0, 1], comms) == HCCL_SUCCESS
    with world(2, checks=False) as (machine, ranks):
        places = [rank.put(floats(1, 2)) for rank in ranks]
        for rank, place in zip(ranks, places, strict=True):
            assert rank.all_reduce(place, 2) == HCCL_SUCCESS
        assert [rank.get(place, 2, np.float32).tolist() for rank, place in zip(ranks, places, strict=True)] == [
            [2, 4]
        ] * 2
        assert not machine.findings

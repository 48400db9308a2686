"""hccl/hccl_comm.h: communicators whose ranks are known without a meeting: from a rank table, or from another one."""

import hashlib
import json
from typing import Any, Final

import acl_runtime.abi.c as c
from acl_runtime.api.hccl.checks import check_capture, communicator_of, device_for_ranks, not_null, place, refuse
from acl_runtime.api.hccl.communicators import MADE
from acl_runtime.api.hccl.configuration import settings
from acl_runtime.api.memory.buffers import load
from acl_runtime.api.meta.objects import take
from acl_runtime.boundary import acl_api
from acl_runtime.collective.ranks import Communicator
from acl_runtime.collective.settings import Settings
from acl_runtime.errors import AclError
from acl_runtime.headers.handles import HcclComm
from acl_runtime.headers.hccl import HcclResult
from acl_runtime.headers.messages import Item
from acl_runtime.machine.current import current
from acl_runtime.objects.soc import Series

HEADER: Final = "hccl/hccl_comm.h"
LONGEST_PATH: Final = 4096
OUTSIDE: Final = 0xFFFFFFFF
"""the subCommId of a rank that does not belong to a sub-communicator"""


@acl_api(HEADER, also=MADE, pyacl=None)
def HcclCommInitClusterInfo(clusterInfo: c.const_char_p, rank: c.uint32_t, comm: c.HcclComm_p) -> c.HcclResult:
    """Make the communicator of one rank from a file with the table of all ranks (JSON). It does not wait for the
    others.

    Returns:
        HCCL_SUCCESS: made.
    """
    device = device_for_ranks()
    not_null(clusterInfo=clusterInfo, comm=comm)
    comm.store(_from_table(str(clusterInfo), rank, device, Settings()))


@acl_api(HEADER, also=MADE, pyacl=None)
def HcclCommInitClusterInfoConfig(
    clusterInfo: c.const_char_p, rank: c.uint32_t, config: c.HcclCommConfig_p, comm: c.HcclComm_p
) -> c.HcclResult:
    """HcclCommInitClusterInfo with a configuration.

    Returns:
        HCCL_SUCCESS: made.
    """
    device = device_for_ranks()
    not_null(clusterInfo=clusterInfo, config=config, comm=comm)
    comm.store(_from_table(str(clusterInfo), rank, device, settings(config)))


@acl_api(HEADER, also=MADE, pyacl=None)
def HcclCreateSubCommConfig(
    comm: c.HcclComm_array,
    rankNum: c.uint32_t,
    rankIds: c.uint32_t_array,
    subCommId: c.uint64_t,
    subCommRankId: c.uint32_t,
    config: c.HcclCommConfig_p,
    subComm: c.HcclComm_p,
) -> c.HcclResult:
    """Make a communicator of some ranks of another one, which `rankIds` lists in ascending order. A rank that is not
    among them passes null, and 0xFFFFFFFF as `subCommId`. The call does not wait for the other ranks.

    Returns:
        HCCL_SUCCESS: made; or the rank is not among them, and `subComm` stays as it is.
        HCCL_E_NOT_SUPPORT: `comm` itself was made of some ranks of another one; or the product is Atlas 300I Duo.
    """
    not_null(comm=comm)
    if current().soc.series is Series.INFERENCE:
        raise refuse(current().soc.name, "comm", "a product that has sub-communicators", HcclResult.HCCL_E_NOT_SUPPORT)
    number = load(comm, HcclComm * 1, "comm", HcclResult.HCCL_E_PARA)[0].value or 0  # type: ignore[type-var]
    not_null(comm=number)
    if rankIds.null and subCommId == OUTSIDE:
        return
    check_capture()
    not_null(config=config, rankIds=rankIds, subComm=subComm)
    parent = communicator_of(number)
    if parent.part:
        raise refuse(parent, "comm", "a communicator of all ranks", HcclResult.HCCL_E_NOT_SUPPORT)
    ids = take(rankIds, rankNum, "rankIds", HcclResult.HCCL_E_PARA)
    if not ids or list(ids) != sorted(set(ids)) or ids[-1] >= parent.size:
        raise refuse(list(ids), "rankIds", "ranks of the communicator in ascending order")
    if subCommRankId >= rankNum or ids[subCommRankId] != parent.rank:
        raise refuse(subCommRankId, "subCommRankId", f"the place of rank {parent.rank} in rankIds")
    chosen = settings(config)
    named = chosen._replace(name=chosen.name or f"{parent.ranks.name}_sub_{subCommId}")
    identity = f"{parent.ranks.identity} {subCommId} {named.name}"
    child = place().open(identity, rankNum, subCommRankId, parent.device, named, tuple(ids))
    subComm.store(current().handles.add(child))


def _from_table(path: str, rank: int, device: Any, configured: Settings) -> int:
    """The handle of a communicator from a rank table."""
    text = _read(path)
    try:
        table = json.loads(text)
        entries = [entry for server in table["server_list"] for entry in server["device"]]
        by_rank = {int(entry["rank_id"]): int(entry["device_id"]) for entry in entries}
        status = table.get("status", "completed")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise _invalid(path, f"it is no rank table ({error!r})") from error
    if status != "completed":
        raise _invalid(path, f"its status is {status!r}, not 'completed'")
    if sorted(by_rank) != list(range(len(entries))) or len(set(by_rank.values())) < len(entries):
        raise _invalid(path, "its ranks are not 0 to n - 1, or a device is there twice")
    if rank not in by_rank:
        raise refuse(rank, "rank", "a rank of the table")
    if by_rank[rank] != device.physical:
        reason = f"rank {rank} has device {by_rank[rank]}, but the current device is {device.physical}"
        raise AclError(HcclResult.HCCL_E_PARA, Item("EI0014", (reason,)))
    identity = f"{hashlib.sha256(text.encode()).hexdigest()}{configured.name}"
    communicator: Communicator = place().open(identity, len(entries), rank, device, configured)
    return current().handles.add(communicator)


def _read(path: str) -> str:
    if len(path) > LONGEST_PATH:
        raise _invalid(path[:80], f"its path has more than {LONGEST_PATH} bytes")
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, ValueError) as error:
        raise _invalid(path, f"it cannot be read ({error})") from error


def _invalid(path: str, reason: str) -> AclError:
    return AclError(HcclResult.HCCL_E_PARA, Item("EI0004", (reason, path)))

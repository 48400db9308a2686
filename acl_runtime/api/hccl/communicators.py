"""hccl/hccl_comm.h: communicators of all ranks are made and destroyed."""

import ctypes
from dataclasses import dataclass

import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Address, Out, Values
from acl_runtime.api.hccl.checks import communicator_of, current_device, device_for_ranks, not_null, place, refuse
from acl_runtime.api.hccl.configuration import settings
from acl_runtime.api.hccl.launching import Later, group
from acl_runtime.api.memory.buffers import store
from acl_runtime.api.meta.objects import take, value_bytes
from acl_runtime.boundary import acl_api
from acl_runtime.collective.ranks import Communicator
from acl_runtime.collective.settings import Settings
from acl_runtime.errors import AclError
from acl_runtime.headers.hccl import HCCL_ROOT_INFO_BYTES, HcclResult
from acl_runtime.headers.messages import Item
from acl_runtime.machine.current import current
from acl_runtime.streams.stream import Device, launches
from acl_runtime.text import Text

HEADER = "hccl/hccl_comm.h"
MADE = (
    ("HCCL_E_PTR", "a pointer is null."),
    ("HCCL_E_PARA", "a number is out of range; the ranks disagree; a rank or a device is there twice; or an "
                    "environment variable is invalid."),
    ("HCCL_E_TIMEOUT", "a rank did not join within HCCL_CONNECT_TIMEOUT, or has ended."),
    ("HCCL_E_TCP_CONNECT", "the process that made the root information has ended."),
    ("HCCL_E_NOT_SUPPORT", "the root information comes from another host."),
    ("HCCL_E_RUNTIME", "the thread has no current device."),
)  # fmt: skip
"""results of the functions that make communicators"""


@acl_api(HEADER, pyacl=None)
def HcclGetRootInfo(rootInfo: c.HcclRootInfo_p) -> c.HcclResult:
    """Write the root information of a new communicator. One rank calls this; the program gives the bytes to all
    ranks.

    Returns:
        HCCL_SUCCESS: written.
        HCCL_E_PTR: `rootInfo` is null.
        HCCL_E_PARA: `rootInfo` is no memory of 4108 bytes (in a machine that only reports).
        HCCL_E_RUNTIME: the thread has no current device.
    """
    current_device()
    not_null(rootInfo=rootInfo)
    store(rootInfo, place().root_info(), "rootInfo", HcclResult.HCCL_E_PARA)


@acl_api(HEADER, also=MADE, resource=True, pyacl=None)
def HcclCommInitRootInfo(
    nRanks: c.uint32_t, rootInfo: c.const_HcclRootInfo_p, rank: c.uint32_t, comm: c.HcclComm_p
) -> c.HcclResult:
    """Make the communicator of one rank, on the current device. The call waits until all ranks have called it.

    Returns:
        HCCL_SUCCESS: made; in a group it is made when the group ends.
    """
    _initialise(nRanks, rootInfo, rank, comm, Settings(), device_for_ranks())


@acl_api(HEADER, also=MADE, resource=True, pyacl=None)
def HcclCommInitRootInfoConfig(
    nRanks: c.uint32_t,
    rootInfo: c.const_HcclRootInfo_p,
    rank: c.uint32_t,
    config: c.const_HcclCommConfig_p,
    comm: c.HcclComm_p,
) -> c.HcclResult:
    """HcclCommInitRootInfo with a configuration, which is the same on all ranks. HcclCommConfigInit has filled it.

    Returns:
        HCCL_SUCCESS: made; in a group it is made when the group ends.
    """
    not_null(config=config)
    _initialise(nRanks, rootInfo, rank, comm, settings(config), device_for_ranks())


def _check_name(configured: Settings, device: Device) -> None:
    """Refuse a configured name that another communicator of this device has."""
    if configured.name and any(
        other.device is device and other.ranks.name == configured.name for other in current().handles.all(Communicator)
    ):
        raise refuse(configured.name, "hcclCommName", "a name that no other communicator of this device has")


def _initialise(size: int, root: Address, rank: int, comm: Out[int], configured: Settings, device: Device) -> None:
    if size == 0:
        raise refuse(size, "nRanks", "positive integer (>=1)")
    if rank >= size:
        raise refuse(rank, "rank", f"less than nRanks, {size}")
    not_null(comm=comm, rootInfo=root)
    _check_name(configured, device)
    raw = value_bytes(root, HCCL_ROOT_INFO_BYTES, "rootInfo", HcclResult.HCCL_E_PARA)
    joining = _Joining(raw, size, rank, device, configured, comm)
    running = group()
    if running is not None:
        running.later.append(joining)
    else:
        joining.begin()
        joining.finish()


@dataclass
class _Joining(Later):
    """A rank that joins a communicator."""

    root: bytes
    size: int
    rank: int
    device: Device
    settings: Settings
    comm: Out[int]
    communicator: Communicator | None = None

    def begin(self) -> None:
        self.communicator = place().join(self.root, self.size, self.rank, self.device, self.settings)

    def finish(self) -> None:
        assert self.communicator is not None
        place().wait_for(self.communicator)
        self.comm.store(current().handles.add(self.communicator))


@acl_api(HEADER, also=MADE, resource=True, pyacl=None)
def HcclCommInitAll(ndev: c.uint32_t, devices: c.int32_t_array, comms: c.HcclComm_array) -> c.HcclResult:
    """Make the communicators of all ranks in one call: rank i on `devices[i]`.

    Returns:
        HCCL_SUCCESS: made. After a failure all entries of `comms` are null, except for an `ndev` above the number of
            devices.
    """
    device_for_ranks()
    if ndev == 0:
        raise refuse(ndev, "ndev", "positive integer (>=1)")
    not_null(comms=comms, devices=devices)
    machine = current()
    if ndev > len(machine.devices):  # before anything is sized by it
        raise refuse(ndev, "ndev", f"at most {len(machine.devices)}, as each device has one rank")
    handles = [0] * ndev
    try:
        handles = [machine.handles.add(communicator) for communicator in _all(devices, ndev)]
    finally:
        store(comms, (ctypes.c_uint64 * ndev)(*handles), "comms", HcclResult.HCCL_E_PARA)


def _all(devices: Values, ndev: int) -> list[Communicator]:
    """The communicators of all ranks."""
    machine = current()
    numbers = take(devices, ndev, "devices", HcclResult.HCCL_E_PARA)
    if len(set(numbers)) < ndev:
        raise refuse(list(numbers), "devices", "each device once")
    for number in numbers:
        if not 0 <= number < len(machine.devices):
            raise refuse(number, "devices", f"[0, {len(machine.devices)})")
    return place().alone([machine.devices[number] for number in numbers])


@acl_api(HEADER, pyacl=None)
def HcclCommDestroy(comm: c.HcclComm) -> c.HcclResult:
    """Destroy the communicator of one rank; null is ignored. It does not wait for other ranks, so synchronise the
    streams of its operations before.

    Returns:
        HCCL_SUCCESS: destroyed; in a group it is destroyed when the group ends.
        HCCL_E_PARA: it was destroyed before (in a machine that only reports), or is no communicator.
        HCCL_E_AGAIN: another thread is inside a call with it.
    """
    if not comm:
        return
    communicator = communicator_of(comm)
    if current().executor_calls.inside(comm):
        reason = Text("another thread is inside a call with the communicator")
        raise AclError(HcclResult.HCCL_E_AGAIN, Item("EI9999", (reason,)))
    running = group()
    if running is not None:
        running.later.append(_Leaving(communicator))
    else:
        _destroy(communicator)


@dataclass
class _Leaving(Later):
    """A communicator that is destroyed."""

    communicator: Communicator

    def begin(self) -> None:
        _destroy(self.communicator)


def _destroy(communicator: Communicator) -> None:
    machine = current()
    unfinished = machine.unfinished_of(communicator.operations)
    if unfinished and communicator.ranks.broken is None:
        what = Text(
            "{communicator} is destroyed while {operation} in {stream} may still run.",
            communicator=communicator,
            operation=unfinished[0].name,
            stream=unfinished[0].stream,
        )
        machine.undefined("comm-destroyed-early", what, *launches(unfinished), communicator.creation)
    if machine.handles.find(communicator.number, Communicator) is not None:
        machine.handles.remove(communicator)
        place().leave(communicator)

"""hccl/hccl_comm.h: questions about communicators and errors; the handling of failures of the network."""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.api.hccl.checks import communicator_named, communicator_of, current_device, not_null, refuse
from acl_runtime.api.memory.buffers import store
from acl_runtime.boundary import acl_api
from acl_runtime.collective.ranks import Communicator
from acl_runtime.headers.hccl import COMM_NAME_MAX_LENGTH, HcclCommStatus, HcclResult
from acl_runtime.machine.current import current

HEADER: Final = "hccl/hccl_comm.h"
R = HcclResult
TEXTS: Final = {
    R.HCCL_SUCCESS: "no error", R.HCCL_E_PARA: "parameter error", R.HCCL_E_PTR: "empty pointer",
    R.HCCL_E_MEMORY: "memory error", R.HCCL_E_INTERNAL: "internal error",
    R.HCCL_E_NOT_SUPPORT: "not support feature", R.HCCL_E_NOT_FOUND: "not found specific resource",
    R.HCCL_E_UNAVAIL: "resource unavailable", R.HCCL_E_SYSCALL: "call system interface error",
    R.HCCL_E_TIMEOUT: "timeout", R.HCCL_E_OPEN_FILE_FAILURE: "open file fail",
    R.HCCL_E_TCP_CONNECT: "tcp connect fail", R.HCCL_E_ROCE_CONNECT: "roce connect fail",
    R.HCCL_E_TCP_TRANSFER: "tcp transfer fail", R.HCCL_E_ROCE_TRANSFER: "roce transfer fail",
    R.HCCL_E_RUNTIME: "call runtime api fail", R.HCCL_E_DRV: "call driver api fail",
    R.HCCL_E_PROFILING: "call profiling api fail", R.HCCL_E_CCE: "call cce api fail",
    R.HCCL_E_NETWORK: "call network api fail", R.HCCL_E_AGAIN: "try again", R.HCCL_E_REMOTE: "error cqe",
    R.HCCL_E_SUSPENDING: "error communicator suspending", R.HCCL_E_OPRETRY_FAIL: "retry constraint",
    R.HCCL_E_OOM: "out of memory",
}  # fmt: skip
NULL: Final = (("HCCL_E_PTR", "a pointer is null."),)
DEAD: Final = (*NULL, ("HCCL_E_PARA", "the communicator was destroyed (in a machine that only reports)."))


@acl_api(HEADER, also=DEAD, pyacl=None)
def HcclGetRankId(comm: c.HcclComm, rank: c.uint32_t_p) -> c.HcclResult:
    """Query the rank of a communicator.

    Returns:
        HCCL_SUCCESS: written.
    """
    not_null(comm=comm, rank=rank)
    rank.store(communicator_of(comm).rank)


@acl_api(HEADER, also=DEAD, pyacl=None)
def HcclGetRankSize(comm: c.HcclComm, rankSize: c.uint32_t_p) -> c.HcclResult:
    """Query the number of ranks.

    Returns:
        HCCL_SUCCESS: written.
    """
    not_null(comm=comm, rankSize=rankSize)
    rankSize.store(communicator_of(comm).size)


@acl_api(HEADER, also=DEAD, pyacl=None)
def HcclGetCommName(comm: c.HcclComm, commName: c.target_char_p) -> c.HcclResult:
    """Write the name of a communicator, at most 128 bytes with the final zero. It is the same on all ranks.

    Returns:
        HCCL_SUCCESS: written.
    """
    not_null(comm=comm, commName=commName)
    name = communicator_of(comm).ranks.name.encode(errors="replace")
    store(commName, name[: COMM_NAME_MAX_LENGTH - 1] + b"\0", "commName", HcclResult.HCCL_E_PARA)


@acl_api(HEADER, also=NULL, pyacl=None)
def HcclCommGetHandleWithName(commName: c.const_char_p, comm: c.HcclComm_p) -> c.HcclResult:
    """Find the communicator of the current device that has a name.

    Returns:
        HCCL_SUCCESS: written.
        HCCL_E_NOT_FOUND: there is none.
        HCCL_E_RUNTIME: the thread has no current device.
    """
    device = current_device()
    not_null(commName=commName, comm=comm)
    communicator = communicator_named(commName or "", device)
    if communicator is not None:
        comm.store(communicator.number)
        return
    raise refuse(commName, "commName", "the name of a communicator of this device", HcclResult.HCCL_E_NOT_FOUND)


@acl_api(HEADER, also=DEAD, pyacl=None)
def HcclGetCommAsyncError(comm: c.HcclComm, asyncError: c.HcclResult_p) -> c.HcclResult:
    """Query whether the network failed. It never does here: a failed operation is a failure of its stream.

    Returns:
        HCCL_SUCCESS: written.
    """
    not_null(comm=comm, asyncError=asyncError)
    communicator_of(comm)
    asyncError.store(HcclResult.HCCL_SUCCESS)


@acl_api(HEADER, pyacl=None)
def HcclGetErrorString(code: c.HcclResult_code) -> c.const_char_p_result:
    """The text of a result. It is "unknown error" for a number outside of HcclResult, and "unknown err" for a result
    that has no text."""
    if not 0 <= code < HcclResult.HCCL_E_RESERVED:
        return "unknown error"
    return next((text for result, text in TEXTS.items() if result == code), "unknown err")


@acl_api(HEADER, also=DEAD, inert=True, pyacl=None)
def HcclCommSuspend(comm: c.HcclComm) -> c.HcclResult:
    """Stop the work of a communicator after a failure of the network. There is none here.

    Returns:
        HCCL_SUCCESS: accepted.
    """
    not_null(comm=comm)
    communicator_of(comm)


@acl_api(HEADER, also=DEAD, inert=True, pyacl=None)
def HcclCommResume(comm: c.HcclComm) -> c.HcclResult:
    """Continue the work of a communicator after HcclCommSuspend.

    Returns:
        HCCL_SUCCESS: accepted.
    """
    not_null(comm=comm)
    communicator_of(comm)


@acl_api(HEADER, also=NULL, pyacl=None)
def HcclCommGetStatus(commName: c.const_char_p, status: c.HcclCommStatus_p) -> c.HcclResult:
    """Query the state of the communicator that has a name.

    Returns:
        HCCL_SUCCESS: written: HCCL_COMM_STATUS_READY.
        HCCL_E_NOT_FOUND: there is none.
    """
    not_null(commName=commName, status=status)
    if not any(each.ranks.name == commName for each in current().handles.all(Communicator)):
        raise refuse(commName, "commName", "the name of a communicator", HcclResult.HCCL_E_NOT_FOUND)
    status.store(HcclCommStatus.HCCL_COMM_STATUS_READY)

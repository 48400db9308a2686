"""The first operation of a communicator is called while its stream is captured."""

from ctypes import byref

from acl_runtime import *
from samples.findings.common import two_ranks


def capture(number, rank):
    """Capture an operation of a rank; the capture is not executed."""
    model = aclmdlRI()
    aclrtSetDevice(number)
    aclmdlRICaptureBegin(rank.stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL)
    HcclBarrier(rank.comm, rank.stream)
    aclmdlRICaptureEnd(rank.stream, byref(model))
    aclmdlRIDestroy(model)
    aclrtResetDevice(number)


def wrong():
    with two_ranks() as ranks:
        capture(0, ranks[0])


def right():
    with two_ranks() as ranks:
        for rank in ranks:
            HcclBarrier(rank.comm, rank.stream)
        for rank in ranks:
            aclrtSynchronizeStream(rank.stream)
        capture(0, ranks[0])

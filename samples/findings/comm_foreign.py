"""An operation of rank 0 gets the stream of rank 1, which is on another device."""

from acl_runtime import *
from samples.findings.common import two_ranks


def wrong():
    with two_ranks() as (first, second):
        HcclBarrier(first.comm, second.stream)


def right():
    with two_ranks() as (first, second):
        HcclBarrier(first.comm, first.stream)
        HcclBarrier(second.comm, second.stream)
        aclrtSynchronizeStream(first.stream)
        aclrtSynchronizeStream(second.stream)

"""One rank calls HcclAllReduce, and the other one HcclBroadcast."""

from acl_runtime import *
from samples.findings.common import COUNT, all_reduce, two_ranks


def wrong():
    with two_ranks() as (first, second):
        all_reduce(first)
        HcclBroadcast(second.buf, COUNT, HCCL_DATA_TYPE_FP32, 0, second.comm, second.stream)
        aclrtSynchronizeStream(first.stream)
        aclrtSynchronizeStream(second.stream)


def right():
    with two_ranks() as (first, second):
        for rank in (first, second):
            all_reduce(rank)
            HcclBroadcast(rank.buf, COUNT, HCCL_DATA_TYPE_FP32, 0, rank.comm, rank.stream)
        aclrtSynchronizeStream(first.stream)
        aclrtSynchronizeStream(second.stream)

"""A communicator is destroyed before the stream of its operation was synchronised."""

from acl_runtime import *
from samples.findings.common import all_reduce, two_ranks


def wrong():
    with two_ranks(destroyed=False) as (first, second):
        all_reduce(first)
        all_reduce(second)
        HcclCommDestroy(first.comm)
        aclrtSynchronizeStream(first.stream)
        aclrtSynchronizeStream(second.stream)
        HcclCommDestroy(second.comm)


def right():
    with two_ranks(destroyed=False) as (first, second):
        all_reduce(first)
        all_reduce(second)
        aclrtSynchronizeStream(first.stream)
        aclrtSynchronizeStream(second.stream)
        HcclCommDestroy(first.comm)
        HcclCommDestroy(second.comm)

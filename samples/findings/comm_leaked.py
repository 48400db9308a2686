"""Communicators are made, used, and never destroyed."""

from acl_runtime import *
from samples.findings.common import all_reduce, two_ranks


def wrong():
    with two_ranks(destroyed=False) as (first, second):
        all_reduce(first)
        all_reduce(second)
        aclrtSynchronizeStream(first.stream)
        aclrtSynchronizeStream(second.stream)


def right():
    with two_ranks() as (first, second):
        all_reduce(first)
        all_reduce(second)
        aclrtSynchronizeStream(first.stream)
        aclrtSynchronizeStream(second.stream)

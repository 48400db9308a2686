"""The cost of an operation of several ranks in one process.

    python -m tests.benchmarks.meetings

An all-reduce of 4 bytes between two threads, with its synchronise, takes at most `MOST_LAUNCHES` times as long as a
tiny call: both phases of the softmax sample, and the synchronise. An all-reduce of 64 MiB on two devices, of FP32, FP16
or BFP16, takes at most `MOST_COPIES` times as long as the copy of these bytes on both devices.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable

import numpy as np

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.collective.requests import type_name
from acl_runtime.collective.transfers import TYPES
from tests.benchmarks.tiny_call import Sample
from tests.helpers.ranks import Rank, world

MOST_LAUNCHES = 5.0
MOST_COPIES = 3.0
CALLS, ROUNDS, TURNS = 200, 3, 7
BYTES = 64 << 20
clock = time.perf_counter


def tiny() -> float:
    """Seconds of a tiny call."""
    with Machine() as machine:
        assert aclrtSetDevice(0) == 0
        call = Sample(machine)
        return _fastest(lambda: _many(call), ROUNDS) / CALLS


def between_threads() -> float:
    """Seconds of an all-reduce of 4 bytes and its synchronise, in each of two threads."""
    with world(2) as (_, ranks):
        places = [rank.put(np.zeros(1, np.float32)) for rank in ranks]
        times = list[float]()

        def body(rank: Rank) -> None:
            aclrtSetDevice(rank.number)
            for _ in range(ROUNDS):
                begin = clock()
                _many(lambda: _reduce(rank, places[rank.number]))
                times.append(clock() - begin)

        threads = [threading.Thread(target=body, args=(rank,)) for rank in ranks]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return min(times) / CALLS


def large(dtype: int) -> tuple[float, float]:
    """Seconds of an all-reduce of 64 MiB on two devices, and of the copy of these bytes on both."""
    size = TYPES[dtype].itemsize
    with world(2) as (_, ranks):
        floats = np.random.default_rng(0).standard_normal(1 << 20)
        values = np.resize(floats, BYTES // size).astype(TYPES[dtype])
        places, copies = [rank.put(values) for rank in ranks], [rank.put(values) for rank in ranks]

        def reduce() -> None:
            for rank, place, target in zip(ranks, places, copies, strict=True):
                reduction, stream = HCCL_REDUCE_SUM, rank.stream
                assert HcclAllReduce(place, target, BYTES // size, dtype, reduction, rank.comm, stream) == 0
            _wait(ranks)

        def copy() -> None:
            for rank, place, target in zip(ranks, places, copies, strict=True):
                aclrtSetDevice(rank.number)
                kind = ACL_MEMCPY_DEVICE_TO_DEVICE
                assert aclrtMemcpyAsync(target, BYTES, place, BYTES, kind, rank.stream) == 0
            _wait(ranks)

        return _fastest(reduce, 5), _fastest(copy, 5)


def _reduce(rank: Rank, place: int) -> None:
    assert rank.all_reduce(place, 1) == 0
    assert aclrtSynchronizeStream(rank.stream) == 0


def _wait(ranks: list[Rank]) -> None:
    for rank in ranks:
        assert aclrtSynchronizeStream(rank.stream) == 0


def _many(call: Callable[[], None]) -> None:
    for _ in range(CALLS):
        call()


def _fastest(call: Callable[[], None], rounds: int) -> float:
    """Seconds of the fastest of several calls; one before them is not measured."""
    call()
    times = list[float]()
    for _ in range(rounds):
        begin = clock()
        call()
        times.append(clock() - begin)
    return min(times)


def main() -> int:
    """Print the ratios. The result is 1 if one of them is above its goal."""
    pairs = [(between_threads(), tiny()) for _ in range(TURNS)]  # in turns, as the speed of a machine changes
    small, one = map(min, zip(*pairs, strict=True))
    print(f"4 bytes between two threads: {1e6 * small:.0f} us; a tiny call: {1e6 * one:.0f} us: {small / one:.1f}")
    slow = small / one > MOST_LAUNCHES
    for dtype in (HCCL_DATA_TYPE_FP32, HCCL_DATA_TYPE_FP16, HCCL_DATA_TYPE_BFP16):
        whole, copied = large(dtype)
        ratio, name = whole / copied, type_name(dtype)
        print(f"64 MiB of {name} on two devices: {1e3 * whole:.0f} ms; the copies: {1e3 * copied:.0f} ms: {ratio:.2f}")
        slow = slow or ratio > MOST_COPIES
    return int(slow)


if __name__ == "__main__":
    sys.exit(main())

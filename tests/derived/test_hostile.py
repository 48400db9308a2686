"""Hostile device memory: whatever lies in the tensors of a good call, its task ends with a status and with findings.

A tensor may hold anything: memory that nobody wrote, or the result of a wrong operator. So no value may size an array,
or be a position, before it was judged. Here the inputs have the extremes of their data types, positions out of range,
and mixtures of them. The machine only reports, as that of a program in C does.
"""

from __future__ import annotations

import os
import signal
import tracemalloc
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from zlib import crc32

import numpy as np
import pytest

from acl_runtime import *
from aclnn.engine.parameters import Elements
from tests.aclnn.ops.case import board
from tests.aclnn.ops.good_calls import LAID_OUT
from tests.derived.good import subject
from tests.derived.judging import Subject, names
from tests.derived.launching import launchable, ready, values
from tests.derived.values import tensors

Arrays = dict[str, list[np.ndarray]]
MEMORY = 1 << 25
"""bytes that a call may take: its tensors have a few hundred elements"""
SECONDS = 20
"""seconds of the processor that a call may take; it needs some milliseconds"""
STATUSES = {
    ACL_SUCCESS,
    ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
    ACL_ERROR_RT_AICORE_EXCEPTION,
    ACL_ERROR_RT_AICPU_EXCEPTION,
}
FINDINGS = {"index-range", "view-exceeds-storage"}
CASES = 11
"""of all inputs of a kind: the extremes, and mixtures"""
FEWER = 4
"""a single input has every fourth of them"""
SHARE = 3
"""calls of each function in the whole suite; with `ACLNN_EXHAUSTIVE=1` there are all"""


def extremes(dtype: np.dtype[Any], rows: int) -> np.ndarray:
    """Values that no formula may count on not to meet. `rows`: the longest dimension."""
    if dtype.kind in "iu":
        least, most = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
        numbers = (least, most, -1, rows, -rows - 1, 2**31 - 1, 2**62, 30_000_000)
        return np.array([number for number in numbers if least <= number <= most], dtype)
    with np.errstate(all="ignore"):
        return np.array([np.nan, np.inf, -np.inf, -1e30, 2.0**63, 1e-45]).astype(dtype)


def spoilt(array: np.ndarray, number: int, random: np.random.Generator) -> np.ndarray:
    """The array full of its extreme of this number; behind the last one, a mixture of extremes and right values."""
    if array.dtype.kind == "b":  # bytes other than 0 and 1
        return spoilt(array.view(np.uint8), number, random).view(np.bool_)
    found = extremes(array.dtype, max(array.shape, default=1))
    if number < len(found):
        return np.full(array.shape, found[number])
    return np.where(random.random(array.shape) < 0.5, random.choice(found, array.shape), array)


def hostile(this: Subject) -> Iterator[Arrays]:
    """The inputs of the good call, where one of them is spoilt, or all integers and masks, or all floats."""
    right: Arrays = {}
    for param in this.op.params:
        if isinstance(param, Elements) and param.reads:
            members = tensors(this.good).get(param.printed, [])
            right[param.printed] = [
                values(f"{this.name} {param.printed} {at}", param, each) for at, each in enumerate(members)
            ]
    random = np.random.default_rng(crc32(this.name.encode()))
    for kinds in ("iub", "fV"):
        of_kind = [name for name, arrays in right.items() if arrays and arrays[0].dtype.kind in kinds]
        singles = [[name] for name in of_kind] if len(of_kind) > 1 else []
        for group, step in ((of_kind, 1), *((single, FEWER) for single in singles)) if of_kind else ():
            for number in range(0, CASES, step):
                yield right | {name: [spoilt(each, number, random) for each in right[name]] for name in group}


@contextmanager
def bounded() -> Iterator[None]:
    """The block may take so much memory and time."""

    def late(*_: object) -> None:
        raise TimeoutError(f"more than {SECONDS} seconds of the processor")

    before = signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < MEMORY
    finally:
        tracemalloc.stop()
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@pytest.mark.functions([name for name in names() if name not in LAID_OUT])
def test_a_task_ends_whatever_is_in_its_memory(name: str) -> None:
    this = subject(name)
    if not launchable(this.good):
        pytest.skip("numpy lacks a data type, or the size of the result depends on the values")
    calls = list(hostile(this))
    if os.environ.get("ACLNN_EXHAUSTIVE") != "1":
        calls = calls[:: max(1, len(calls) // SHARE)]
    for arrays in calls:
        with bounded(), warnings.catch_warnings(), board(this.soc.name, on_undefined="report") as machine:
            warnings.simplefilter("error")
            call = ready(this, this.good, arrays=arrays)
            assert call.launch() == ACL_SUCCESS
            assert aclrtSynchronizeStream(None) in STATUSES, aclGetRecentErrMsg()
            found = {each.id: each.what for each in machine.findings if each.level == "error"}
            assert found.keys() <= FINDINGS, found

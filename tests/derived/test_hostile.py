"""Hostile device memory: whatever lies in the tensors, a task ends, and ends with a status and findings.

A tensor of a device may hold anything: memory that nobody wrote, a result of a wrong kernel. So no value may size an
array, or be a position, before it was judged. Here each input has the extremes of its data type, positions out of
range, and a mixture of them. The machine only reports, as that of a program in C does.
"""

from __future__ import annotations

import tracemalloc
import warnings
from collections.abc import Iterator
from typing import Any
from zlib import crc32

import numpy as np
import pytest

from acl_runtime import *
from aclnn.engine.parameters import Elements
from tests.aclnn.ops.case import board
from tests.aclnn.ops.good_calls import LAID_OUT
from tests.conftest import check_documented
from tests.derived.good import subject
from tests.derived.judging import Subject, names
from tests.derived.launching import launchable, ready, values
from tests.derived.values import tensors

Arrays = dict[str, list[np.ndarray]]
MOST = 1 << 25
"""bytes that a call of a few hundred elements may take, whatever they are"""
ENDS = {ACL_SUCCESS, ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, ACL_ERROR_RT_AICORE_EXCEPTION, ACL_ERROR_RT_AICPU_EXCEPTION}
FINDINGS = {"index-range", "view-exceeds-storage"}


def extremes(dtype: np.dtype[Any], rows: int) -> np.ndarray:
    """Values that no formula may rely on not to meet."""
    if dtype.kind in "iu":
        least, most = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
        listed = (least, most, -1, -rows - 1, rows, 2**62, 2**31 - 1, 30_000_000)
        return np.array([number for number in listed if least <= number <= most], dtype)
    with np.errstate(all="ignore"):
        return np.array([np.nan, np.inf, -np.inf, -1e30, 2.0**63, 1e-45]).astype(dtype)


def hostile(this: Subject) -> Iterator[tuple[str, Arrays]]:
    """The inputs of the good call, with an extreme in each element of one or of all of them, and with mixtures."""
    drawn: Arrays = {
        param.printed: [values(f"{this.name} {param.printed} {at}", param, each) for at, each in enumerate(members)]
        for param in this.op.params
        if isinstance(param, Elements) and param.reads
        for members in [tensors(this.good).get(param.printed, [])]
        if members
    }
    random = np.random.default_rng(crc32(this.name.encode()))
    for kinds in ("iu", "fV"):
        chosen = [name for name, arrays in drawn.items() if arrays[0].dtype.kind in kinds]
        sets = [chosen, *([name] for name in chosen)][: len(chosen) + 1 if len(chosen) > 1 else 1]
        for spoilt in filter(None, sets):
            for at in range(8):
                yield f"{spoilt} {at}", drawn | {name: [filled(each, at) for each in drawn[name]] for name in spoilt}
            for at in range(3):
                yield (
                    f"{spoilt} mixed {at}",
                    drawn | {name: [mixed(each, random) for each in drawn[name]] for name in spoilt},
                )


def filled(array: np.ndarray, at: int) -> np.ndarray:
    found = extremes(array.dtype, max(array.shape, default=1))
    return np.full(array.shape, found[at % len(found)])


def mixed(array: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Extremes beside values that are right."""
    found = extremes(array.dtype, max(array.shape, default=1))
    return np.where(random.random(array.shape) < 0.5, random.choice(found, array.shape), array)


@pytest.mark.functions([name for name in names() if name not in LAID_OUT])
def test_a_task_ends_whatever_is_in_its_memory(name: str) -> None:
    this = subject(name)
    if not launchable(this.good):
        pytest.skip("a data type that numpy lacks")
    bad = []
    for what, arrays in hostile(this):
        tracemalloc.start()
        try:
            with board(this.soc.name, on_undefined="report") as machine, warnings.catch_warnings():
                warnings.simplefilter("error")
                call = ready(this, this.good, arrays=arrays)
                statuses = call.launch(), aclrtSynchronizeStream(None)
                ids = {each.id: each.what for each in machine.findings if each.level == "error"}
        finally:
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        if not set(statuses) <= ENDS or not ids.keys() <= FINDINGS or peak > MOST:
            bad.append((what, statuses, ids, peak))
            print(*bad[-1], sep="\n")
        check_documented(machine)
    assert not bad

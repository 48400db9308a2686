"""The caller of extreme arguments: it changes one argument of a good call at a time."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from ctypes import byref, c_uint64, c_void_p
from typing import Any, TextIO

import numpy as np

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.headers.dtypes import numpy_dtype
from aclnn.engine.parameters import Param
from tests.aclnn.ops.case import Meta
from tests.callers.good import GoodCall, extremes, good_calls, names_of_operators
from tests.callers.judge import Judge, Outcome, in_turn
from tests.derived.launching import handle, is_laid_out, place, values
from tests.derived.values import Call
from tests.helpers.builders import on_device

MOST_ELEMENTS = 1 << 16
MOST_WORKSPACE = 1 << 24
MODES = ("raise", "report")


def run(
    seed: int, *, share: float = 1.0, seconds: float = 0.0, only: Sequence[str] = (), log: TextIO | None = None,
    watched: bool = False,
) -> Outcome:  # fmt: skip
    """This share of the changes of every operator, in an order of the seed, until the time is over (0: never)."""

    def turn(name: str, chosen: random.Random, outcome: Outcome) -> None:
        for good in chosen.sample(good_calls(name), min(len(good_calls(name)), 1)):
            changes = [{}, *(each for each in single(good) if chosen.random() < share)]
            for mode in MODES:
                scan(good, changes, mode, outcome, log)

    return in_turn(seed, only or names_of_operators(), turn, seconds=seconds, watched=watched)


def single(good: GoodCall) -> Iterator[Call]:
    """Each change of one argument."""
    for param in good.op.params:
        for value in extremes(param, good.values[param.printed]):
            yield {param.printed: value}


def scan(good: GoodCall, changes: Sequence[Call], mode: str, outcome: Outcome, log: TextIO | None) -> None:
    """All these calls, on one machine until one of them leaves more than a refusal behind."""
    left = list(changes)
    while left:
        with Machine(good.soc.name, on_undefined=mode) as machine:
            judge = Judge(machine, outcome, log=log, small=True)
            judge.call(aclrtSetDevice, (0,))
            while left and both_phases(judge, good, left.pop()):
                pass


def both_phases(judge: Judge, good: GoodCall, change: Call) -> bool:
    """Make the call. True if the machine is as before."""
    call = {**good.values, **change}
    judge.about = f"{good.name}({', '.join(f'{name}={shown(value)}' for name, value in call.items())})"
    arguments = [argument(judge.machine, param, call[param.printed]) for param in good.op.params]
    size, executor = c_uint64(), aclOpExecutor()
    if judge.call(good.first, (*arguments, byref(size), byref(executor))) == ACL_SUCCESS:
        workspace = c_void_p()
        if 0 < size.value <= MOST_WORKSPACE:
            judge.call(aclrtMalloc, (byref(workspace), size.value, ACL_MEM_MALLOC_HUGE_FIRST))
        judge.call(good.second, (workspace, size.value, executor, None))
        return judge.call(aclrtSynchronizeStream, (None,)) == ACL_SUCCESS and not judge.machine.findings
    return not judge.machine.findings


def shown(value: Any) -> str:
    return f"{value!r:.80}"


def argument(machine: Machine, param: Param[Any], value: Any) -> Any:
    """An argument of a first phase, with small tensors in device memory."""
    if isinstance(value, tuple) and any(isinstance(each, Meta) for each in value):
        members = [None if each is None else tensor(param, each) for each in value]
        return aclCreateTensorList(members, len(members))
    if isinstance(value, Meta | np.ndarray):
        return tensor(param, value)
    return handle(param, value)


def tensor(param: Param[Any], value: Meta | np.ndarray) -> Any:
    """A tensor with values that any formula takes, or one without memory where there are none."""
    if isinstance(value, np.ndarray):
        return on_device(value).handle
    count = 1
    for each in value.shape:
        count *= each
    if numpy_dtype(value.dtype) is None or not 0 <= count <= MOST_ELEMENTS or min(value.shape, default=0) < 0:
        return value.make()
    drawn = values(param.printed, param, value)
    if is_laid_out(value):
        with suppress(AssertionError, IndexError, KeyError, ValueError):
            return place(drawn, value, loose=False).handle
        return value.make()
    return on_device(drawn, format=value.format).handle

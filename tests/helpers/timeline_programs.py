"""Machines after a program has run on them, for pictures of the timeline."""

from __future__ import annotations

import runpy
from contextlib import redirect_stdout
from ctypes import byref, c_void_p
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.timeline.contents import CallSpan, TaskSpan, TraceContents
from acl_runtime.timeline.read import read

SAMPLES = Path(__file__).resolve().parents[2] / "samples"


def sample(name: str, **options: Any) -> Machine:
    """A machine on which a sample has run."""
    program = runpy.run_path(str(SAMPLES / f"{name}.py"), run_name="sample")
    with Machine(**options) as machine, redirect_stdout(StringIO()):
        program["main"]()
    return machine


def many_tasks(count: int) -> Machine:
    """Memory sets of various lengths in four streams of two devices, with a wait now and then."""
    random = Random(1)
    with Machine(device_count=2, trace=True) as machine:
        aclInit(None)
        lanes: list[tuple[int, aclrtStream, c_void_p]] = []
        for device in (0, 0, 1, 1):
            stream, address = aclrtStream(), c_void_p()
            aclrtSetDevice(device)
            aclrtCreateStream(byref(stream))
            aclrtMalloc(byref(address), 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST)
            lanes.append((device, stream, address))
        for number in range(count):
            device, stream, address = random.choice(lanes)
            aclrtSetDevice(device)
            aclrtMemsetAsync(address, 1 << 20, 0, random.randrange(1, 1 << 20), stream)
            if number % 50 == 49:
                aclrtSynchronizeStream(stream)
        for device, stream, address in lanes:
            aclrtSetDevice(device)
            aclrtSynchronizeStream(stream)
            aclrtFree(address)
            aclrtDestroyStream(stream)
        aclrtResetDeviceForce(0)
        aclrtResetDeviceForce(1)
        aclFinalize()
    return machine


def past_of(machine: Machine) -> TraceContents:
    """The contents of the picture of a machine."""
    return read(machine.chrome_trace())


def call(order: int, ended: float, **facts: Any) -> CallSpan:
    """A call of length 0, unless `began` is given."""
    known = CallSpan(order, 1, "aclrtX", ended, ended, "aclrtX()", "ACL_SUCCESS", False, "", (), None, "", "")
    return known._replace(**facts)


def task(id: int, start: float, end: float, **facts: Any) -> TaskSpan:
    """A task of stream 1 of device 0."""
    return TaskSpan(id, 0, 1, "work", start, end, 0.0, "ACL_SUCCESS", "")._replace(**facts)


def past(calls: list[CallSpan], tasks: list[TaskSpan]) -> TraceContents:
    """A trace with one thread, one device and one stream."""
    return TraceContents(("device 0 (chip)",), {1: "main"}, {(0, 1): "stream 1"}, calls, tasks, [])

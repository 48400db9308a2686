"""The cost of a tiny call: both phases of the softmax sample on 4 x 2 float32, and the synchronise. All options have
their defaults. The cost is compared with autograd of torch for the same operator, and split into parts.

    python -m tests.benchmarks.tiny_call

The goal is at most twice the time of torch. To measure the parts, the functions are wrapped: they have the same
declarations, and their bodies measure their own time. The rest of a call is the boundary. Recording the call is a part
of the boundary, and is measured separately.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Callable
from ctypes import byref, c_uint64
from dataclasses import dataclass
from typing import Any

import numpy as np

from acl_runtime import Machine, aclOpExecutor, aclrtCreateStream, aclrtSetDevice, aclrtStream, aclrtSynchronizeStream
from acl_runtime.boundary import expose
from acl_runtime.machine.machine import Machine as AnyMachine
from acl_runtime.recording import Recorder
from acl_runtime.streams.stream import Stream
from aclnn import aclnnSoftmaxBackward, aclnnSoftmaxBackwardGetWorkspaceSize
from tests.benchmarks import torch_side
from tests.helpers.builders import on_device

MOST = 2.0
"""the goal: our time divided by torch's"""
ROUNDS, CALLS = 400, 20
WARM = 4000
"""warm-up calls before the first round; after them the machine's bounded records are full"""
PARTS = ("boundary and arguments", "checks and plan", "launch", "run", "synchronise", "record")
clock = time.perf_counter


@dataclass
class Sample:
    """The calls of the softmax sample; the functions can be replaced."""

    machine: AnyMachine
    first: Callable[..., int] = aclnnSoftmaxBackwardGetWorkspaceSize
    second: Callable[..., int] = aclnnSoftmaxBackward
    wait: Callable[..., int] = aclrtSynchronizeStream

    def __post_init__(self) -> None:
        self.stream, self.size, self.executor = aclrtStream(), c_uint64(), aclOpExecutor()
        assert aclrtCreateStream(byref(self.stream)) == 0
        self.tensors = [on_device(np.arange(8, dtype=np.float32).reshape(4, 2)).handle for _ in range(3)]

    def __call__(self) -> None:
        grad, output, out = self.tensors
        assert self.first(grad, output, 1, out, byref(self.size), byref(self.executor)) == 0
        assert self.second(None, self.size.value, self.executor, self.stream) == 0
        assert self.wait(self.stream) == 0

    def queue(self) -> Any:
        """The tasks that wait in its stream."""
        found = self.machine.handles.find(self.stream.value or 0, Stream)
        assert found is not None
        return found.queue


def autograd() -> Callable[[], object]:
    """The same operator in torch, as a function to call."""
    import torch

    torch.set_num_threads(1)
    grad, given = torch.rand(4, 2), torch.rand(4, 2, requires_grad=True)
    softmax = torch.softmax(given, 1)
    return lambda: torch.autograd.grad(softmax, given, grad, retain_graph=True)


def fastest(calls: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Seconds of one call of each function, in its fastest round. The functions take turns."""
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            begin = clock()
            for _ in range(CALLS):
                call()
            best[name] = min(best[name], (clock() - begin) / CALLS)
    return best


def parts(machine: AnyMachine, rounds: int) -> dict[str, float]:
    """Seconds of each part in the fastest tenth of the rounds."""
    bodies: dict[str, float] = defaultdict(float)

    def timed(name: str, function: Any) -> Any:
        """The function, with a body that measures its own time."""
        body = function.__wrapped__

        def timed_body(*values: Any) -> Any:
            begin = clock()
            try:
                return body(*values)
            finally:
                bodies[name] = clock() - begin

        timed_body.__module__ = body.__module__
        return expose(function.c, timed_body, with_machine=function.with_machine)

    functions = [aclnnSoftmaxBackwardGetWorkspaceSize, aclnnSoftmaxBackward, aclrtSynchronizeStream]
    first, second, wait = map(timed, ("plan", "launch", "wait"), functions)

    def launch(*arguments: Any) -> int:
        begin = clock()
        status = second(*arguments)
        bodies["second"] = clock() - begin
        task = sample.queue()[-1]
        run = task.run

        def timed_run() -> None:
            begin = clock()
            run()
            bodies["run"] = clock() - begin

        task.run = timed_run
        return status

    sample = Sample(machine, first, launch, wait)
    grad, output, out = sample.tensors
    records = [Recorder(function.c).raw for function in functions]  # type: ignore[attr-defined]
    given: list[tuple[Any, ...]] = [
        (grad, output, 1, out, byref(sample.size), byref(sample.executor)),
        (None, 0, sample.executor, sample.stream),
        (sample.stream,),
    ]
    times: dict[str, list[float]] = {part: [] for part in PARTS}
    thread = machine.thread()
    for number in range(WARM + rounds * CALLS):
        begin = clock()
        status = first(*given[0])
        planned = clock()
        status |= launch(*given[1])
        launched = clock()
        status |= wait(*given[2])
        whole = planned - begin + bodies["second"] + clock() - launched
        assert status == 0
        values = [
            tuple([ctype.convert(value) for (_, ctype), value in zip(function.c.parameters, arguments, strict=True)])  # type: ignore[attr-defined]
            for function, arguments in zip(functions, given, strict=True)
        ]
        begin = clock()
        for record, each in zip(records, values, strict=True):
            machine.calls.append(record(machine, thread, 0.0, each, 0))  # type: ignore[arg-type]
        recorded = clock() - begin
        if number < WARM:
            continue
        inside = bodies["plan"] + bodies["launch"] + bodies["wait"]
        for part, seconds in zip(
            PARTS,
            (whole - inside - recorded, bodies["plan"], bodies["launch"], bodies["run"],
             bodies["wait"] - bodies["run"], recorded),
            strict=True,
        ):  # fmt: skip
            times[part].append(seconds)
    return {part: sorted(found)[len(found) // 10] for part, found in times.items()}


def measure(rounds: int = ROUNDS, *, quick: bool = False) -> dict[str, Any]:
    """Seconds of our calls, of those of torch (if it is installed), their ratio, and the seconds of our parts."""
    rounds = max(rounds // 20, 1) if quick else rounds
    with Machine() as machine:
        aclrtSetDevice(0)
        calls: dict[str, Callable[[], object]] = {"pair and synchronise": Sample(machine)}
        if torch_side.available():
            calls["torch's autograd"] = autograd()
        for _ in range(WARM):
            calls["pair and synchronise"]()
        found: dict[str, Any] = dict(fastest(calls, rounds))
        if "torch's autograd" in found:
            found["ratio"] = found["pair and synchronise"] / found["torch's autograd"]
        found["parts"] = parts(machine, max(rounds // 4, 1))
    return found


if __name__ == "__main__":
    result = measure()
    for name, value in result.items():
        if isinstance(value, float):
            print(f"{name}: {value:.2f}" if name == "ratio" else f"{name}: {value * 1e6:.1f} us")
    for name, value in result["parts"].items():
        print(f"    {name}: {value * 1e6:.1f} us")
    if result.get("ratio", 0.0) > MOST:
        sys.exit(f"a tiny call takes {result['ratio']:.2f} times torch's, more than {MOST}")

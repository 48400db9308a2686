"""The measurements in modules of their own: the cost of a tiny call, of the checks, of a start, of live objects."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from tests.benchmarks import everyday, start, table

TITLES = {
    "everyday": (
        "Everyday calls",
        "The calls that programs make most, in their usual sizes: the public path beside the call of torch that "
        "programs write, which allocates its result. Each figure is the median of three runs. The ratio divides our "
        "time by the better time of torch. `loaded / quiet` divides the median of 20 calls beside two busy loops by "
        "that of 20 calls before them; the goal is at most 4. A goal that is not met has its limits beside it, each "
        "divided by the time of torch, [as below](#goals-that-are-not-met).",
    ),
    "tiny_call": (
        "A tiny call",
        "The time of the softmax sample on a 4 x 2 tensor: both phases and the synchronise, with everything on. The "
        "table compares it with torch's autograd for the same operator, and shows where the time goes.",
    ),
    "launches": (
        "A launch from C",
        "Microseconds of the processor for each launch of aclnnAdd from a C program, with three tensors of 8 floats "
        "and a scalar of its own, and everything on. The library "
        "[serves calls for descriptors and repeated first phases](cpp.md#how-it-works) without Python; "
        "`ACL_EMULATOR_FAST_CALLS=0` turns that off. The whole is a loop of all parts.",
    ),
    "checks_cost": (
        "The search for mistakes",
        "Microseconds of both phases and the synchronise: with everything on, which is the default, and with "
        "everything off. The goal for the ratio of the two is at most 2. The other columns are the time that a call "
        "saves without one part. `checks` is the search for races, early frees and unwritten bytes "
        "(`Machine(checks=False)`). `lines` finds the line of the program for each handle, allocation and launch. "
        "`records` keeps the last 10,000 calls and tasks. The last two are always on; only the measurement itself, "
        "`python -m tests.benchmarks.checks_cost`, leaves them out.",
    ),
    "start": (
        "Start",
        "The time of a process, from its start to its end. `python` does nothing. `numpy` imports numpy and ml_dtypes, "
        "`aclnn` acl_runtime and aclnn, `star` all of their names. `sample` is the softmax sample, "
        "which needs no torch. `pytest` imports pytest, `plugin` our plugin as well. `torch` imports torch. The "
        "first ratios divide the time that our import adds to Python by the time that numpy adds to it. The ratio "
        "of the plugin and pytest divides the time that our plugin adds to pytest by the time that pytest adds to "
        "Python. The last ratio divides the process of the sample by that of an import of torch.",
    ),
    "scaling": (
        "Many live objects",
        "A call beside many live allocations, tensors, streams, queued tasks and the like: their number should hardly "
        "matter.",
    ),
}
"""for each module a title and an introduction. Each module has `measure(quick=...)`, which returns a number for each
name, or a curve: numbers by label."""


def measurements() -> dict[str, Callable[..., dict[str, Any]]]:
    """The `measure` of each module."""
    found = {each: f"tests.benchmarks.{each}" for each in TITLES}
    modules = {each: import_module(name) for each, name in found.items() if find_spec(name) is not None}
    return {each: module.measure for each, module in modules.items() if hasattr(module, "measure")}


def shown(name: str, numbers: dict[str, Any]) -> table.Table:
    """The table of the results of a module."""
    if name == "everyday":
        return everyday.shown(numbers)
    if name == "tiny_call":
        return ["what", "figure"], list(_tiny_call(numbers))
    if name != "start":
        return table.figures(numbers)
    goals = start.limits()
    rows = [
        [each, f"{value:.2f}", f"{goals[each]:g}"] if each in goals else [each, table.duration(value), table.NONE]
        for each, value in numbers.items()
    ]
    return ["what", "figure", "goal"], rows


def summaries(name: str, numbers: dict[str, Any]) -> list[str]:
    """Paragraphs before the table of a module."""
    return [everyday.summary(numbers)] if name == "everyday" else []


def _tiny_call(numbers: dict[str, Any]) -> Iterator[list[str]]:
    """The whole, beside torch's; its parts."""
    for name, value in numbers.items():
        if isinstance(value, dict):
            for part, seconds in value.items():
                yield [f"of it: {part}", table.duration(seconds)]
        else:
            yield [name, f"{value:.2f}" if name == "ratio" else table.duration(value)]

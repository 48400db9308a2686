"""The measurements that modules of their own make: what a tiny call costs, the search for mistakes, a start, many live
objects."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from tests.benchmarks import start, table

TITLES = {
    "tiny_call": (
        "A tiny call",
        "The softmax sample's pair of calls on a 4 x 2 tensor and its synchronise, everything on as shipped, beside "
        "torch's autograd for the same operator; and where its time goes.",
    ),
    "checks_cost": (
        "The search for mistakes",
        "What it adds to the pair of calls and the synchronise, in microseconds: with everything on as shipped, with "
        "everything off, and the ratio, whose goal is 2 at most; then how much less a call takes without its parts. "
        "`checks` is the order of accesses, early frees and unwritten bytes (`Machine(checks=False)`), `lines` is "
        "where in the program each handle, allocation and launch came from, `records` are the last 10,000 calls and "
        "tasks. The last two are always on: what leaves them out is made for this measurement, by `python -m "
        "tests.benchmarks.checks_cost`.",
    ),
    "start": (
        "Start",
        "What a process costs, from its start to its end. `python` does nothing; `numpy` imports numpy and ml_dtypes; "
        "`import` imports acl_runtime and aclnn after them, `star` all of their names; `sample` is the softmax sample, "
        "which needs no torch; `pytest` imports pytest, `plugin` our plugin after it; `torch` imports torch. The "
        "ratios: what our import costs on top of numpy's, in what numpy's costs on top of Python's; the same of the "
        "plugin and pytest; the sample's process in that of an import of torch.",
    ),
    "scaling": (
        "Many live objects",
        "A call beside many live allocations, tensors, streams, queued tasks and the like: their number should hardly "
        "matter.",
    ),
}
"""by the name of the module: a title and an introduction. Each module has `measure(quick=...)`, which returns numbers
by name, or for each name numbers by label: a curve."""


def measurements() -> dict[str, Callable[..., dict[str, Any]]]:
    """The `measure` of each module."""
    found = {each: f"tests.benchmarks.{each}" for each in TITLES}
    modules = {each: import_module(name) for each, name in found.items() if find_spec(name) is not None}
    return {each: module.measure for each, module in modules.items() if hasattr(module, "measure")}


def shown(name: str, numbers: dict[str, Any]) -> table.Table:
    """What a module measured."""
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


def _tiny_call(numbers: dict[str, Any]) -> Iterator[list[str]]:
    """The whole, beside torch's; its parts."""
    for name, value in numbers.items():
        if isinstance(value, dict):
            for part, seconds in value.items():
                yield [f"of it: {part}", table.duration(seconds)]
        else:
            yield [name, f"{value:.2f}" if name == "ratio" else table.duration(value)]

"""The measurements that modules of their own make: what a tiny call costs, a start, many live objects."""

from __future__ import annotations

from collections.abc import Callable
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
    if name != "start":
        return table.figures(numbers)
    goals = start.limits()
    rows = [
        [each, f"{value:.2f}", f"{goals[each]:g}"] if each in goals else [each, table.duration(value), table.NONE]
        for each, value in numbers.items()
    ]
    return ["what", "figure", "goal"], rows

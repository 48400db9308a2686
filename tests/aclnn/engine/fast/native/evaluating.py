"""Formulas computed by a build of the evaluator."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from acl_runtime.streams.compute_threads import Workers
from aclnn.engine.fast import evaluate
from aclnn.engine.fast.expressions import Lazy, Leaf
from aclnn.engine.fast.native import library as native
from aclnn.engine.fast.native.library import BUILDS, Library, load

FOLDER: Final = Path(native.__file__).parent / "c"
Formula = Callable[..., Any]


def build(name: str) -> Library:
    """A build that this processor supports; otherwise the test is skipped, and says why."""
    if library := load(name):
        return library
    if (FOLDER / f"evaluator_{name}.so").is_file():
        pytest.skip(f"this processor does not support {name}, or it was compiled from other sources")
    pytest.skip(f"the evaluator's build {name} is not installed: ACLNN_BUILDS=all pip install -e . compiles all builds")


def _builds() -> tuple[str, ...]:
    """The build that programs use here; with ACLNN_EXHAUSTIVE all of them, as in continuous integration."""
    best = next(filter(load, reversed(BUILDS)), "plain")
    return BUILDS if os.environ.get("ACLNN_EXHAUSTIVE") else (best,)


every_build = pytest.mark.parametrize("name", _builds())


def computed(
    library: Library, formulas: Formula | list[Formula], arrays: list[np.ndarray], outs: list[np.ndarray],
    threads: int = 1,
) -> str:  # fmt: skip
    """Compute formulas of the same arrays into `outs`. Returns the engine, and why it was not the evaluator."""
    leaves = [Lazy(Leaf(array)) for array in arrays]
    made = [formula(*leaves).node for formula in (formulas if isinstance(formulas, list) else [formulas])]
    workers = Workers(threads)
    with pytest.MonkeyPatch.context() as patched, np.errstate(all="ignore"):
        patched.setattr(evaluate, "evaluator", lambda: library)
        evaluation = evaluate.Evaluation(
            [(node, out.reshape(node.shape)) for node, out in zip(made, outs, strict=True)]
        )
        evaluation.run(workers)
    workers.close()
    (engine,) = workers.counts
    return engine


def laid_out(rng: np.random.Generator, values: np.ndarray) -> np.ndarray:
    """The same values in another layout: axes in a random order, gaps, backwards."""
    order = rng.permutation(values.ndim)
    sizes = [values.shape[axis] for axis in order]
    base = np.zeros([2 * size for size in sizes], values.dtype)
    cuts = [slice(None, None, int(rng.choice([2, -2]))) if rng.integers(2) else slice(size) for size in sizes]
    view = base[tuple(cuts)].transpose(np.argsort(order))
    view[...] = values
    return view


def same(found: np.ndarray, expected: np.ndarray) -> None:
    """The same numbers; NaN equals NaN, and zeros have their signs."""
    np.testing.assert_array_equal(found, expected)
    if found.dtype.kind == "f":
        np.testing.assert_array_equal(np.signbit(found)[expected == 0], np.signbit(expected)[expected == 0])

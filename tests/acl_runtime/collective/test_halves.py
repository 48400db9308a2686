"""Reductions of FLOAT16 by operations on bits: equal to numpy's conversions for all elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from acl_runtime.collective.halves import BLOCK, reduce_halves
from acl_runtime.streams.compute_threads import Workers

FUNCTIONS = {"sum": np.add, "product": np.multiply, "maximum": np.maximum, "minimum": np.minimum}


def halves(kind: str, chance: np.random.Generator) -> Any:
    """Elements of a block and a part of one."""
    count = BLOCK + 77
    if kind == "all bits":
        return chance.integers(0, 1 << 16, count, np.uint16).view(np.float16)
    if kind == "finite":
        return (
            (chance.integers(0, 0x7C00, count) | chance.integers(0, 2, count) << 15).astype(np.uint16).view(np.float16)
        )
    scale = {"usual": 1.0, "ties": 0.0, "zeros": 1.0}[kind]
    values = chance.standard_normal(count) * scale if scale else chance.integers(-4096, 4096, count) / 2
    return np.where(chance.integers(0, 2, count) == 1, values, 0.0).astype(np.float16)


@pytest.mark.parametrize("kind", ["all bits", "finite", "usual", "ties", "zeros"])
@pytest.mark.parametrize("reduction", FUNCTIONS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_bits_are_those_of_numpy(reduction: str, kind: str) -> None:
    chance, workers = np.random.default_rng(11), Workers(2)
    inputs = [halves(kind, chance) for _ in range(3)]
    function: Callable[..., Any] = FUNCTIONS[reduction]
    wide = [array.astype(np.float32) for array in inputs]
    expected = function(function(wide[0], wide[1]), wide[2]).astype(np.float16)
    first, second = np.empty_like(inputs[0]), inputs[1].copy()
    reduce_halves(function, [inputs[0], second, inputs[2]], [first, second], workers.each)  # the second in place
    workers.close()
    assert first.tobytes() == second.tobytes() == expected.tobytes()

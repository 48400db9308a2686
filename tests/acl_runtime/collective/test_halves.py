"""Reductions of 16-bit elements by operations on bits, and by the compiled evaluator: equal to numpy's conversions for
all elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from acl_runtime.collective.halves import reduce_halves
from acl_runtime.headers.dtypes import numpy_dtype
from acl_runtime.headers.enums import aclDataType
from acl_runtime.streams.compute_threads import Workers
from aclnn.engine.fast.native.library import evaluator

TYPES = [np.dtype(np.float16), numpy_dtype(aclDataType.ACL_BF16)]
BLOCK = 1 << 13
FUNCTIONS = {"sum": np.add, "product": np.multiply, "maximum": np.maximum, "minimum": np.minimum}


HOME = "acl_runtime.collective.halves"


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{HOME}.BLOCK", BLOCK)


@pytest.fixture(params=["numpy", "compiled"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The engine of all reductions."""
    if request.param == "compiled" and evaluator() is None:
        pytest.skip("the evaluator is not installed")
    monkeypatch.setattr(f"{HOME}.LARGE", 1 if request.param == "compiled" else 1 << 62)
    return request.param


def halves(kind: str, dtype: Any, chance: np.random.Generator) -> Any:
    """Elements of a block and a part of one."""
    count = BLOCK + 77
    if kind == "all bits":
        return chance.integers(0, 1 << 16, count, np.uint16).view(dtype)
    if kind == "finite":
        return (chance.integers(0, 0x7C00, count) | chance.integers(0, 2, count) << 15).astype(np.uint16).view(dtype)
    scale = {"usual": 1.0, "ties": 0.0, "zeros": 1.0}[kind]
    values = chance.standard_normal(count) * scale if scale else chance.integers(-4096, 4096, count) / 2
    return np.where(chance.integers(0, 2, count) == 1, values, -0.0).astype(dtype)


@pytest.mark.parametrize("kind", ["all bits", "finite", "usual", "ties", "zeros"])
@pytest.mark.parametrize("reduction", FUNCTIONS)
@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.usefixtures("engine")
def test_the_bits_are_those_of_numpy(dtype: Any, reduction: str, kind: str) -> None:
    chance, workers = np.random.default_rng(11), Workers(2)
    inputs = [halves(kind, dtype, chance) for _ in range(3)]
    function: Callable[..., Any] = FUNCTIONS[reduction]
    wide = [array.astype(np.float32) for array in inputs]
    expected = function(function(wide[0], wide[1]), wide[2]).astype(dtype)
    first, second = np.empty_like(inputs[0]), inputs[1].copy()
    reduce_halves(function, [inputs[0], second, inputs[2]], [first, second], workers)  # the second in place
    workers.close()
    assert first.tobytes() == second.tobytes() == expected.tobytes()


@pytest.mark.parametrize("kind", ["usual", "ties", "zeros"])
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_usual_elements_are_not_converted_one_at_a_time(
    dtype: Any, kind: str, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They include results with fewer bits than others."""
    converted: list[int] = []

    def in_float(function: object, arrays: Any, result: Any) -> None:
        converted.append(len(result))

    monkeypatch.setattr("acl_runtime.collective.halves._reduce_in_float", in_float)
    chance, workers = np.random.default_rng(12), Workers(1)
    inputs = [halves(kind, dtype, chance) for _ in range(2)]
    reduce_halves(np.add, inputs, [np.empty_like(inputs[0])], workers)
    assert converted == ([77] if engine == "numpy" else [])  # the part of a block

"""Large steps in parts: how they are cut, and that the parts together are the whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aclnn.engine.steps import parts
from aclnn.engine.steps.parts import Cut, by, cut_of, in_parts, run_in_parts

Shape = tuple[int, ...]
LONG = 2 * parts.PART


@in_parts()
def summed(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return x + y


@in_parts("axis")
def reversed_(x: np.ndarray, *, axis: int) -> np.ndarray:
    return np.flip(x, axis)


@in_parts("axes")
def totals(x: np.ndarray, *, axes: Shape) -> np.ndarray:
    return x.sum(axes)


@in_parts(first=1, whole=[1])
def weighted(rows: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return rows * weights, rows.max(1)


@in_parts(times=3)
def quick(x: np.ndarray) -> np.ndarray:
    return x


@by(lambda inputs, outputs, attributes: [(None, 0, 0)], looked_up=[0])
def chosen(table: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return table[rows]


def written(kernel: Any) -> Any:
    """Without a word on how it may be cut."""
    return lambda *arrays, **attributes: kernel(*arrays, **attributes)


CUTS: list[tuple[Any, list[Shape], list[Shape], dict[str, Any], tuple[int | None, ...] | None]] = [
    (summed, [(LONG, 2), (LONG, 2)], [(LONG, 2)], {}, (0, 0, 0)),
    (summed, [(2, LONG), (LONG,)], [(2, LONG)], {}, (1, 0, 1)),
    (summed, [(LONG, 1), (1, 2)], [(LONG, 2)], {}, (0, None, 0)),
    (np.add, [(LONG,), ()], [(LONG,)], {}, (0, None, 0)),
    (reversed_, [(4, LONG)], [(4, LONG)], {"axis": 0}, (1, 1)),
    (reversed_, [(LONG,)], [(LONG,)], {"axis": 0}, None),
    (totals, [(8, LONG, 3)], [(LONG,)], {"axes": (0, 2)}, (1, 0)),
    (weighted, [(LONG, 2), (2,)], [(LONG, 2), (LONG,)], {}, (0, None, 0, 0)),
    (summed, [(4, 2), (4, 2)], [(4, 2)], {}, None),
    (quick, [(2 * LONG,)], [(2 * LONG,)], {}, None),
    (chosen, [(4 * LONG,), (LONG,)], [(LONG,)], {}, (None, 0, 0)),
    (chosen, [(4 * LONG,), (9,)], [(9,)], {}, None),
    (written(summed), [(LONG,), (LONG,)], [(LONG,)], {}, None),
]
IDS = ["along the first dimension", "aligned at the last dimension", "what is stretched is whole", "a ufunc",
       "beside an axis", "no other dimension", "outputs without the axes", "aligned at the first dimension", "small",
       "small for a quick kernel", "many positions in a table", "few positions in a large table",
       "a kernel that says nothing"]  # fmt: skip


@pytest.mark.parametrize(("kernel", "inputs", "outputs", "attributes", "dims"), CUTS, ids=IDS)
def test_which_dimension_is_cut(
    kernel: Any, inputs: list[Shape], outputs: list[Shape], attributes: dict[str, Any], dims: Any
) -> None:
    cut = cut_of(kernel, inputs, outputs, attributes)
    assert (None if cut is None else cut.dims) == dims
    if cut is not None:
        largest = max(int(np.prod(shape)) for shape in (*inputs[kernel is chosen :], *outputs))
        assert cut.step * (largest // cut.size) <= parts.PART


def test_the_parts_are_the_whole() -> None:
    random = np.random.default_rng(3)
    x, weights = random.normal(size=(100, 7)).astype(np.float16), random.normal(size=7).astype(np.float32)
    products, most = np.empty((100, 7), np.float16), np.empty(100, np.float32)
    run_in_parts(weighted, Cut((0, None, 0, 0), 100, 33), [x, weights], [products, most], narrow=True)
    wide = x.astype(np.float32)
    assert np.array_equal(products, (wide * weights).astype(np.float16))
    assert np.array_equal(most, wide.max(1))


def test_an_input_in_the_place_of_the_output() -> None:
    x = np.arange(10, dtype=np.float32)
    run_in_parts(summed, Cut((0, 0, 0), 10, 3), [x, np.ones(10, np.float32)], [x], narrow=False)
    assert np.array_equal(x, np.arange(1, 11))


def test_an_input_that_overlaps_the_output_elsewhere_is_read_before() -> None:
    memory = np.arange(11, dtype=np.float32)
    ones = np.ones(10, np.float32)
    run_in_parts(summed, Cut((0, 0, 0), 10, 3), [memory[:-1], ones], [memory[1:]], narrow=False)
    assert np.array_equal(memory, np.arange(11))


def test_a_result_of_another_shape_is_a_mistake_of_the_formula() -> None:
    out = np.empty(4, np.float32)
    with pytest.raises(ValueError, match=r"returns the shape \[1\]; \[2\] was planned"):
        run_in_parts(lambda x: x[:1], Cut((0, 0), 4, 2), [np.zeros(4, np.float32)], [out], narrow=False)

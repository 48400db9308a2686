"""Convolutions and their gradients in jobs of the evaluator: against float64, with the same bits for each build and any
number of threads."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product as every
from math import prod
from typing import Any, NamedTuple

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import Machine
from aclnn.engine.fast import products
from aclnn.engine.fast.native.library import BUILDS, load
from aclnn.engine.fast.products import ConvolutionResult, convolved
from aclnn.engine.steps.windows import Windows, count_of, regular
from tests.aclnn.engine.fast.native.evaluating import build, every_build, laid_out

Shape = tuple[int, ...]


class Case(NamedTuple):
    """A convolution: images, groups, channels and results of a group; by dimension, the other numbers."""

    images: int
    groups: int
    channels: int
    outs: int
    size: Shape
    kernel: Shape
    stride: Shape
    before: Shape
    step: Shape

    @property
    def grid(self) -> Shape:
        rows = zip(self.size, self.kernel, self.stride, self.before, self.step, strict=True)
        return tuple(count_of(size, k, s, 2 * p, d) for size, k, s, p, d in rows)

    @property
    def windows(self) -> list[Windows]:
        rows = zip(self.size, self.kernel, self.stride, self.before, self.step, self.grid, strict=True)
        return [regular(size, k, s, p, d, count) for size, k, s, p, d, count in rows]

    def places(self) -> Iterator[tuple[Any, Any]]:
        """The places of a window: its number, and where all windows have it in a plane with zeros around it."""
        for at in every(*map(range, self.kernel)):
            rows = zip(at, self.step, self.stride, self.grid, strict=True)
            yield at, tuple(slice(k * d, k * d + (count - 1) * s + 1, s) for k, d, s, count in rows)

    def inside(self) -> Any:
        return tuple(slice(p, p + size) for p, size in zip(self.before, self.size, strict=True))


CASES = {
    "one image of one element": Case(1, 1, 1, 1, (1,), (1,), (1,), (0,), (1,)),
    "one dimension": Case(2, 1, 7, 9, (40,), (5,), (3,), (4,), (2,)),
    "two": Case(2, 1, 3, 5, (9, 11), (3, 3), (1, 1), (1, 1), (1, 1)),
    "groups": Case(1, 2, 4, 6, (17, 8), (3, 2), (2, 3), (0, 1), (1, 2)),
    "two elements apart": Case(2, 1, 3, 5, (23, 75), (7, 7), (2, 2), (3, 3), (1, 1)),
    "three dimensions": Case(1, 1, 3, 4, (5, 6, 7), (2, 3, 2), (1, 2, 1), (1, 1, 0), (2, 1, 1)),
    "panels of windows": Case(1, 1, 40, 70, (31, 33), (3, 3), (1, 1), (1, 1), (1, 1)),
    "small images together": Case(33, 2, 5, 7, (7, 3), (3, 3), (2, 2), (1, 1), (1, 1)),
    "more rows than at a time": Case(3, 1, 130, 20, (5, 5), (3, 3), (1, 1), (1, 1), (1, 1)),
    "more results than at a time": Case(2, 1, 3, 1100, (6, 6), (2, 2), (1, 1), (1, 1), (1, 1)),
    "1 x 1": Case(2, 1, 20, 30, (20, 11), (1, 1), (1, 1), (0, 0), (1, 1)),
    "1 x 1 with a stride": Case(2, 1, 20, 8, (20, 11), (1, 1), (2, 2), (0, 0), (1, 1)),
    "more zeros than elements": Case(1, 1, 2, 2, (4, 4), (3, 3), (1, 1), (5, 5), (1, 1)),
    "a window of all": Case(2, 3, 2, 2, (6, 6), (6, 6), (1, 1), (0, 0), (1, 1)),
    "a line longer than a block": Case(1, 1, 2, 1, (2, 2500), (1, 3), (1, 1), (0, 1), (1, 1)),
    "depthwise": Case(2, 8, 1, 1, (13, 14), (3, 3), (1, 1), (1, 1), (1, 1)),
    "depthwise with strides": Case(2, 3, 1, 2, (13, 14), (3, 5), (2, 3), (2, 0), (2, 1)),
    "depthwise, a long line": Case(1, 1, 1, 3, (2, 2500), (2, 3), (1, 1), (0, 1), (1, 1)),
    "depthwise, stride without the last elements": Case(1, 2, 1, 1, (9, 9), (2, 2), (4, 4), (0, 0), (1, 1)),
    "depthwise in one dimension": Case(2, 5, 1, 1, (50,), (4,), (1,), (3,), (2,)),
    "depthwise in three": Case(1, 2, 1, 1, (4, 5, 6), (2, 2, 2), (1, 1, 1), (1, 0, 1), (1, 1, 1)),
}
NARROW = {np.float32: 0.0, np.float16: 2.0**-11, bfloat16: 2.0**-8}


class Sums(NamedTuple):
    """The three tensors in float64, each computed from the two others."""

    small: np.ndarray
    large: np.ndarray
    weight: np.ndarray


def by_float64(case: Case, large: np.ndarray, small: np.ndarray, weight: np.ndarray) -> Sums:
    images, groups, outs = case.images, case.groups, case.outs
    x, slope = (each.astype(float).reshape(images, groups, -1, *each.shape[2:]) for each in (large, small))
    w = weight.astype(float).reshape(groups, outs, case.channels, *case.kernel)
    wide = [size + 2 * p + k * d for size, p, k, d in zip(case.size, case.before, case.kernel, case.step, strict=True)]
    padded = np.zeros((*x.shape[:3], *wide))
    padded[(..., *case.inside())] = x
    back, found, of_weight = np.zeros(padded.shape), np.zeros(slope.shape), np.zeros(w.shape)
    for at, where in case.places():
        own, part = w[(..., *at)], padded[(..., *where)]
        found += np.einsum("goc,ngc...->ngo...", own, part)
        back[(..., *where)] += np.einsum("goc,ngo...->ngc...", own, slope)
        of_weight[(..., *at)] = np.einsum(
            "ngop,ngcp->goc", slope.reshape(*slope.shape[:3], -1), part.reshape(*part.shape[:3], -1)
        )
    return Sums(
        found.reshape(small.shape), back[(..., *case.inside())].reshape(large.shape), of_weight.reshape(weight.shape)
    )


class Tensors(NamedTuple):
    large: np.ndarray
    small: np.ndarray
    weight: np.ndarray


def tensors(case: Case, dtype: Any) -> Tensors:
    rng = np.random.default_rng(prod(case.size) + case.outs)
    shapes = (
        (case.images, case.groups * case.channels, *case.size), (case.images, case.groups * case.outs, *case.grid),
        (case.groups * case.outs, case.channels, *case.kernel),
    )  # fmt: skip
    return Tensors(*(rng.standard_normal(shape).astype(np.float32).astype(dtype) for shape in shapes))


def by_evaluator(name: str, monkeypatch: Any, case: Case, given: Tensors, biases: Any = (None, None)) -> Sums:
    """The same bits for one, two and three threads."""
    monkeypatch.setattr(products, "evaluator", lambda: build(name))
    monkeypatch.setattr("aclnn.engine.fast.native.products.MIN_PARALLEL_MULTIPLICATIONS", 1)
    found: list[list[np.ndarray]] = []
    for threads in (1, 2, 3):
        large, small = np.full(given.large.shape, np.nan, np.float32), np.full_like(given.small, np.nan)
        weight = np.full(given.weight.shape, np.nan, np.float32)
        options: Any = {"windows": case.windows, "groups": case.groups}
        with Machine(threads=threads):
            assert convolved(ConvolutionResult.SMALL, given.large, small, given.weight, biases[0], **options)
            assert convolved(ConvolutionResult.LARGE, large, given.small, given.weight, biases[1], **options)
            assert convolved(ConvolutionResult.WEIGHT, given.large, given.small, weight, **options)
        found.append([small, large, weight])
    assert len({tuple(each.tobytes() for each in one) for one in found}) == 1
    return Sums(*found[0])


@pytest.fixture(autouse=True)
def blas() -> None:
    found = products.blas()
    if found is None or found.products is None:
        pytest.skip("numpy's BLAS is no OpenBLAS with integers of 64 bits")


@every_build
@pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_three_sums_are_those_of_float64(name: str, case: Case, dtype: Any, monkeypatch: Any) -> None:
    """With a bias and without; of tensors that are dense, and that have gaps and lie backwards."""
    rng, given = np.random.default_rng(1), tensors(case, dtype)
    wanted = by_float64(case, *given)
    sizes = by_float64(case, *map(np.abs, given))
    biases = tuple(rng.standard_normal(each.shape[1]).astype(np.float32) for each in (given.small, given.large))
    laid = Tensors(*(laid_out(rng, each) for each in given))
    for tensors_, own in ((given, (None, None)), (laid, biases)):
        found = by_evaluator(name, monkeypatch, case, tensors_, own)
        for at, (one, result) in enumerate(zip(found, wanted, strict=True)):
            bias = own[at] if at < 2 else None
            right = result if bias is None else result + bias.reshape(-1, *(1,) * len(case.size))
            room = 2.0**-20 * (sizes[at] + 1) + (NARROW[dtype] * np.abs(right) + 2.0**-24 if at == 0 else 0)
            assert (np.abs(one.astype(float) - right) <= room).all()


@every_build
@pytest.mark.fidelity("zeros around a convolution")
@pytest.mark.parametrize("outs", [1, 8])
@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("evaluator", [False, True])
def test_an_infinite_weight_that_meets_zeros_gives_nan(
    name: str, channels: int, outs: int, evaluator: bool, monkeypatch: Any
) -> None:
    """By the evaluator and by the formula as it is written, depthwise or not; a gradient of the input has no zeros."""
    from aclnn.ops.convolution import sums

    library = build(name) if evaluator else None
    monkeypatch.setattr(products, "evaluator", lambda: library)
    case = Case(1, 2, channels, outs, (5, 6), (3, 3), (1, 1), (1, 1), (1, 1))
    x, slope, weight = (np.ones(each.shape, np.float32) for each in tensors(case, np.float32))
    weight[0, 0, 0, 1] = np.inf  # the place above
    slope[0, 0, 0, 0] = np.inf
    y, back, of_weight = (np.empty_like(each) for each in (slope, x, weight))
    options: Any = {"windows": case.windows, "groups": 2}
    with Machine(), np.errstate(all="ignore"):
        sums.gathered(x, weight, out=y, **options)
        sums.scattered(slope, weight, out=back, **options)
        sums.correlated(x, slope, out=of_weight, **options)
    assert np.isnan(y[0, 0, 0]).all()
    assert (y[0, 0, 1:] == np.inf).all()
    assert np.isfinite(y[0, outs:]).all()
    assert not np.isnan(back).any()
    assert (back[0, 0, :4] == np.inf).all()
    assert np.isfinite(back[0, 0, 4, 1:]).all()
    assert np.isnan(of_weight[0, :, 0]).all()
    assert (of_weight[0, :, 1:, 1:] == np.inf).all()
    assert np.isfinite(of_weight[1:]).all()


@pytest.mark.fidelity("non-deterministic results")
@pytest.mark.parametrize("case", [CASES["panels of windows"], CASES["depthwise with strides"], CASES["depthwise"]])
@pytest.mark.parametrize("dtype", [np.float32, bfloat16])
def test_all_builds_give_the_same_bits(case: Case, dtype: Any, monkeypatch: Any) -> None:
    given, names = tensors(case, dtype), list(filter(load, BUILDS))
    bits = {tuple(each.tobytes() for each in by_evaluator(name, monkeypatch, case, given)) for name in names}
    assert len(bits) == bool(names)

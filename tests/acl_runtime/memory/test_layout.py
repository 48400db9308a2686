"""The bytes that a strided view covers, against a count of every byte, and at addresses without memory."""

from itertools import pairwise, product

import numpy as np
import pytest

from acl_runtime.memory.layout import Layout, overlaps, runs, self_overlaps

SEEDS = range(15)


def offsets(layout: Layout) -> list[int]:
    """The address of each element."""
    return [
        layout.address + sum(i * stride for i, stride in zip(index, layout.strides, strict=True))
        for index in product(*map(range, layout.shape))
    ]


def covered(layout: Layout) -> set[int]:
    return {start + i for start in offsets(layout) for i in range(layout.itemsize)}


def random_layout(rng: np.random.Generator) -> Layout:
    rank = int(rng.integers(0, 4))
    shape = tuple(int(rng.choice([0, 1, 2, 3, 4, 5], p=[0.02, 0.18, 0.2, 0.2, 0.2, 0.2])) for _ in range(rank))
    itemsize = int(rng.choice([1, 2, 4, 8]))
    unit = itemsize if rng.random() < 0.8 else 1
    strides = tuple(int(rng.integers(-20, 21)) * unit for _ in range(rank))
    return Layout(1000 + int(rng.integers(0, 60)), shape, strides, itemsize)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_layouts_answer_as_a_count_of_their_bytes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(40):
        a, b = random_layout(rng), random_layout(rng)
        mine, other = covered(a), covered(b)
        assert overlaps(a, b) == overlaps(b, a) == bool(mine & other), (a, b)
        assert (a.low, a.high) == ((min(mine), max(mine) + 1) if mine else (a.address, a.address))
        assert a.dense == (len(mine) == a.high - a.low), a
        pieces = runs(a)
        assert pieces is not None
        assert [byte for low, high in pieces for byte in range(low, high)] == sorted(mine), a
        assert all(end < start for (_, end), (start, _) in pairwise(pieces)), a
        assert (a.pattern() == b.pattern()) <= (mine == other)


@pytest.mark.parametrize("seed", SEEDS)
def test_self_overlap_agrees_with_a_count_of_the_bytes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(40):
        layout = random_layout(rng)
        twice = len(covered(layout)) < len(offsets(layout)) * layout.itemsize
        dims = self_overlaps(layout)
        assert bool(dims) == twice, layout
        if dims:  # the dimensions that are named suffice
            shape = tuple(size if dim in dims else 1 for dim, size in enumerate(layout.shape))
            part = Layout(layout.address, shape, layout.strides, layout.itemsize)
            assert len(covered(part)) < len(offsets(part)) * part.itemsize, (layout, dims)


@pytest.mark.parametrize(
    ("shape", "strides", "dims"),
    [
        pytest.param((4, 8), (32, 4), (), id="row-major"),
        pytest.param((8, 4), (4, 32), (), id="transposed"),
        pytest.param((4, 8), (64, 4), (), id="gaps"),
        pytest.param((4, 8), (-32, 4), (), id="backwards"),
        pytest.param((1, 8), (0, 4), (), id="stride 0 of one element"),
        pytest.param((4, 0), (0, 0), (), id="nothing"),
        pytest.param((3, 2), (8, 12), (), id="strides that interleave without meeting"),
        pytest.param((4, 8), (0, 4), (0,), id="expanded"),
        pytest.param((4, 8, 2), (0, 4, 0), (0, 2), id="expanded twice"),
        pytest.param((4, 3), (4, 4), (0, 1), id="windows"),
        pytest.param((2, 4, 3), (400, 4, 4), (1, 2), id="windows in a batch"),
        pytest.param((2, 2, 2), (4, 8, 12), (0, 1, 2), id="three together"),
        pytest.param((4, 2), (2, 100), (0,), id="less than an element apart"),
    ],
)
def test_self_overlap_names_the_dimensions(
    shape: tuple[int, ...], strides: tuple[int, ...], dims: tuple[int, ...]
) -> None:
    assert self_overlaps(Layout(4096, shape, strides, 4)) == dims


def test_even_and_odd_columns_share_no_byte() -> None:
    even, odd = Layout(4096, (1000, 50), (400, 8), 4), Layout(4100, (1000, 50), (400, 8), 4)
    assert not overlaps(even, odd)
    assert overlaps(even, Layout(4100, (1000, 50), (400, 8), 8))
    assert not even.dense


def test_huge_views_at_addresses_without_memory_cost_nothing() -> None:
    left = Layout(1 << 50, (1 << 20, 1 << 20), (8 << 20, 4), 4)
    right = Layout((1 << 50) + (4 << 20), (1 << 20, 1 << 20), (8 << 20, 4), 4)
    assert not overlaps(left, right)
    assert overlaps(left, Layout((1 << 50) + (4 << 20) - 4, (1 << 20,), (8 << 20,), 4))
    assert runs(left) is None
    assert runs(Layout(1 << 50, (4096, 1 << 20), (8 << 20, 4), 4)) is not None
    assert self_overlaps(left) == ()
    assert self_overlaps(Layout(1 << 50, (1 << 20, 1 << 20), (4, 4), 4)) == (0, 1)
    wild = Layout(1 << 70, (1 << 40, 1 << 40), (12 << 30, 20 << 30), 4)
    assert overlaps(wild, wild)


def test_dense_views_need_no_order_of_their_dimensions() -> None:
    dense, transposed = Layout(4096, (4, 8), (32, 4), 4), Layout(4096, (8, 4), (4, 32), 4)
    assert dense.dense
    assert transposed.dense
    assert dense.pattern() == transposed.pattern() == Layout(4096, (2, 16), (64, 4), 4).pattern()

"""Triangles of matrices: by each build of the evaluator as by numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import Machine
from aclnn.engine.fast import triangles
from aclnn.engine.fast.native import triangles as native
from tests.aclnn.engine.fast.native.evaluating import build, every_build, laid_out, same

SHAPES = [(1, 1), (5, 9), (9, 5), (2, 40, 30), (2, 3, 70, 64), (3, 1, 2000)]


@every_build
@pytest.mark.parametrize("dtype", [np.float32, bfloat16, np.int8, np.bool_, np.int64, np.complex64])
def test_triangles_are_those_of_numpy(name: str, dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in the memory of the matrix, of batches with gaps, and with a diagonal outside of the matrix."""
    library, rng = build(name), np.random.default_rng(0)
    monkeypatch.setattr(triangles, "evaluator", lambda: library)
    monkeypatch.setattr(native, "MIN_ELEMENTS_FOR_THREADS", 1)
    for shape in SHAPES:
        x, room = rng.integers(-9, 9, shape).astype(dtype), np.empty(shape, dtype)
        for diagonal in (0, 1, -2, 7, -shape[-2], shape[-1], -(1 << 62), 1 << 62):
            columns = np.arange(shape[-2])[:, None] + diagonal
            for upper, kept in ((False, np.arange(shape[-1]) <= columns), (True, np.arange(shape[-1]) >= columns)):
                gaps = np.empty((*shape[:-1], 2 * shape[-1]), dtype)[..., : shape[-1]]
                own = x.copy()
                for threads, source, out in ((1, x, room), (2, own, own), (7, x, gaps)):
                    with Machine(threads=threads) as machine:
                        left = columns if upper else columns + 1
                        assert triangles.triangle_copied(source, left, out, upper=upper)
                        assert dict(machine.compute_threads.counts) == {"native": 1}
                    same(out, np.where(kept, x, np.zeros((), dtype)))


def test_rows_with_gaps_are_left_to_numpy() -> None:
    build("plain")
    x = laid_out(np.random.default_rng(0), np.ones((40, 50), np.float32))
    with Machine() as machine:
        assert not triangles.triangle_copied(x[:, ::2], np.arange(40), np.empty((40, 25), np.float32), upper=True)
        assert dict(machine.compute_threads.counts) == {"as it is written: triangles of rows with gaps": 1}

"""Copies between tensors of any strides: by each build of the evaluator as by numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import Machine
from aclnn.engine.fast import copying
from tests.aclnn.engine.fast.native.evaluating import build, every_build, laid_out

SHAPES = [(1,), (7,), (3, 1, 5), (40, 33), (16, 16), (5, 70, 35), (2, 3, 37, 21), (3, 2, 2, 3, 4, 5), (70_000,)]
DTYPES = (np.float32, bfloat16, np.int8, np.bool_, np.int64, np.complex128)


def values(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Any bits: a copy keeps the bits of NaN."""
    bits: np.ndarray = rng.integers(0, 2 if dtype == np.bool_ else 256, (*shape, np.dtype(dtype).itemsize), np.uint8)
    return bits.view(dtype).reshape(shape)


@every_build
@pytest.mark.parametrize("dtype", DTYPES)
def test_copies_are_those_of_numpy(name: str, dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """From any layout to any layout; also of a source that is broadcast. Memory between the elements stays."""
    library, rng = build(name), np.random.default_rng(0)
    monkeypatch.setattr(copying, "evaluator", lambda: library)
    monkeypatch.setattr(copying, "MIN_BYTES_FOR_THREADS", 1)
    for shape in SHAPES:
        whole = values(rng, shape, dtype)
        sources = [whole, laid_out(rng, whole), laid_out(rng, whole), whole.T.copy().T]
        sources += [whole[..., :1], whole[:1], np.array(whole.flat[0])]
        for source in sources:
            for target in (
                np.zeros(shape, dtype),
                laid_out(rng, np.zeros(shape, dtype)),
                np.zeros(shape[::-1], dtype).T,
            ):
                other = laid_like(target)
                with Machine(threads=int(rng.integers(1, 4))):
                    assert copying._copied_by_evaluator(source, target, (), by_threads=True)
                other[...] = source
                for found, wanted in ((target, other), (base(target), base(other))):
                    assert found.tobytes() == wanted.tobytes()


def base(array: np.ndarray) -> np.ndarray:
    return array if array.base is None else array.base


def laid_like(array: np.ndarray) -> np.ndarray:
    """A view with the strides of this one, in other memory."""
    whole = base(array)
    other = whole.copy()
    offset = array.ctypes.data - whole.ctypes.data
    return np.ndarray(array.shape, array.dtype, other.reshape(-1).view(np.uint8), offset, array.strides)


def test_memory_that_the_evaluator_cannot_copy_is_copied_by_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    build("plain")
    monkeypatch.setattr(copying, "LARGE", 0)
    with Machine():
        x = np.arange(40, dtype=np.float32)
        copying.copied(x[:-1], x[1:])
        assert x.tolist() == [0, *range(39)], "overlapping memory is copied as if it was apart"
        room = np.zeros(41 * 4, np.uint8)[1:-3].view(np.float32)
        copying.copied(x, room)
        assert room.tolist() == x.tolist(), "misaligned"
        whole = np.zeros(40, np.int32)
        copying.copied(x, whole)
        assert whole.tolist() == x.tolist(), "another type"
        many = np.zeros((1,) * 12 + (40,), np.float32)
        copying.copied(x, many)
        assert many.reshape(-1).tolist() == x.tolist(), "many dimensions"

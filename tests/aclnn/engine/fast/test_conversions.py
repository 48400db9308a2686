"""Whole arrays of floats of 16 bits, with the compiled evaluator and without it, against numpy's own conversion."""

from __future__ import annotations

import numpy as np
import pytest
from ml_dtypes import bfloat16

from aclnn.engine.fast import conversions
from tests.aclnn.engine.fast.native.evaluating import build

BUILDS = ("none", "plain", "avx2", "avx512")


@pytest.fixture(params=BUILDS)
def _build(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    library = None if request.param == "none" else build(request.param)
    monkeypatch.setattr(conversions, "evaluator", lambda: library)


def floats(dtype: type) -> np.ndarray:
    """Of every size, with halves of a step, infinities, NaN and zeros."""
    rng = np.random.default_rng(0)
    ordinary = rng.standard_normal(5000) * 10.0 ** rng.integers(-10, 8, 5000)
    with np.errstate(all="ignore"):
        ties = np.arange(65536, dtype=np.uint16).view(dtype).astype(np.float64)
    ties = ties[np.isfinite(ties)]
    between = (ties[1:] + ties[:-1]) / 2
    return np.concatenate([ordinary, between, [np.inf, -np.inf, np.nan, 0.0, -0.0, 65519.9, 65520.0]]).astype(
        np.float32
    )


both = pytest.mark.parametrize("dtype", [np.float16, bfloat16], ids=["float16", "bfloat16"])


@pytest.mark.usefixtures("_build")
@pytest.mark.parametrize("step", [1, 2])
@both
def test_every_number_of_16_bits_becomes_the_same_float32(dtype: type, step: int) -> None:
    half = np.arange(65536, dtype=np.uint16).view(dtype)[::step]
    with np.errstate(all="ignore"):
        wanted = half.astype(np.float32)
    found = conversions.widened(half)
    assert np.array_equal(found, wanted, equal_nan=True)
    assert (np.signbit(found) == np.signbit(wanted))[wanted == 0].all()


@pytest.mark.usefixtures("_build")
@pytest.mark.parametrize("given", [False, True], ids=["new memory", "given memory"])
@pytest.mark.parametrize("order", [(0, 1, 2, 3), (0, 2, 1, 3), (2, 1, 0, 3), (1, 0, 2, 3), (0, 1, 3, 2)])
@both
def test_views_of_any_strides_are_widened(dtype: type, order: tuple[int, ...], given: bool) -> None:
    dense = np.random.default_rng(1).standard_normal((3, 5, 7, 33)).astype(dtype)
    for view in (dense.transpose(order), dense.transpose(order)[::-1, 1:, ::-2], dense.transpose(order)[1, :, ::2]):
        out = np.full(view.shape, np.nan, np.float32) if given else None
        found = conversions.widened(view, out)
        assert np.array_equal(found, view.astype(np.float32))
        assert out is None or found is out


@pytest.mark.usefixtures("_build")
@pytest.mark.parametrize("step", [1, 2])
@both
def test_floats_are_rounded_half_to_even_once(dtype: type, step: int) -> None:
    values = floats(dtype)[::step]
    with np.errstate(all="ignore"):
        wanted = values.astype(dtype)
        out = np.zeros(step * wanted.size, dtype)[::step]
        conversions.put(values, out)
        assert np.array_equal(out.astype(np.float32), wanted.astype(np.float32), equal_nan=True)
        assert np.array_equal(conversions.rounded(values, out.dtype), wanted.astype(np.float32), equal_nan=True)
    assert (np.signbit(out) == np.signbit(wanted))[wanted == 0].all()
    assert step == 1 or not out.base[1::step].any(), "what lies between the elements stays"


@pytest.mark.usefixtures("_build")
def test_other_types_are_those_of_the_rounding() -> None:
    values = np.linspace(-3, 3, 4000, dtype=np.float32)
    assert conversions.widened(values) is values
    assert conversions.rounded(values, None) is values
    narrow = values.astype(bfloat16)
    assert conversions.rounded(values, narrow.dtype).tolist() == conversions.widened(narrow).tolist()
    out = np.empty((2, 8000), np.float16)[:, ::2]
    conversions.put(values, out)
    assert out.tolist() == [values.astype(np.float16).tolist()] * 2, "broadcast, and with gaps"

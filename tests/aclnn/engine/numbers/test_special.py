"""Special functions: known values, edges, identities, and two other libraries within a bound in ulp."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from aclnn.engine.numbers.special import digamma, erf, erfc, erfinv, lgamma

INF, NAN = np.inf, np.nan
RNG = np.random.default_rng(7)
SIGNED = np.concatenate((
    np.linspace(-7, 7, 4001), RNG.uniform(-7, 7, 4000), RNG.choice([-1, 1], 2000) * 10.0 ** RNG.uniform(-320, 3, 2000),
))  # fmt: skip
POSITIVE = np.concatenate((
    np.linspace(0.001, 60, 4001), RNG.uniform(0, 12, 4000), 10.0 ** RNG.uniform(-300, 300, 2000),
    1 + RNG.choice([-1, 1], 500) * 10.0 ** RNG.uniform(-15, -1, 500),
    2 + RNG.choice([-1, 1], 500) * 10.0 ** RNG.uniform(-15, -1, 500),
))  # fmt: skip
NEGATIVE = -np.concatenate((RNG.uniform(0, 30, 4000), RNG.integers(0, 30, 500) + 10.0 ** RNG.uniform(-12, -1, 500)))


def assert_near(found: np.ndarray, expected: np.ndarray, ulp: float, beside: Any = 0.0) -> None:
    """Within so many ulp of the expected number, or of a greater term beside it."""
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(found[~finite], expected[~finite])
    size = np.maximum(np.abs(expected), np.broadcast_to(beside, expected.shape))[finite]
    worst = np.max(np.abs(found[finite] - expected[finite]) / np.spacing(size), initial=0)
    assert worst <= ulp


def by_math(function: Callable[[float], float], x: np.ndarray) -> np.ndarray:
    return np.array([function(float(each)) for each in x])


@pytest.mark.parametrize(("ours", "theirs"), [(erf, math.erf), (erfc, math.erfc)], ids=["erf", "erfc"])
@pytest.mark.fidelity("accuracy of erf, erfc, erfinv, lgamma, digamma")
def test_within_5_ulp_of_math_which_has_an_ulp_of_its_own(ours: Any, theirs: Any) -> None:
    assert_near(ours(SIGNED), by_math(theirs, SIGNED), 5)


def test_erfc_goes_down_to_the_least_number() -> None:
    x = np.linspace(26, 28, 500)
    assert_near(erfc(x), by_math(math.erfc, x), 5)
    assert erfc(np.array([27.0]))[0] > 0
    assert erfc(np.array([27.3, 1e300])).tolist() == [0, 0]


def test_lgamma_above_0_is_within_8_ulp_of_math() -> None:
    """math is accurate beside 1 and 2 by its distance only, the test below by the ratio."""
    assert_near(lgamma(POSITIVE), by_math(math.lgamma, POSITIVE), 8, beside=1.0)


@pytest.mark.fidelity("accuracy of erf, erfc, erfinv, lgamma, digamma")
def test_lgamma_beside_1_and_2_is_within_4_ulp_of_its_power_series() -> None:
    """Coefficients are Euler's constant and zeta(n) / n."""
    z = np.round(RNG.choice([-1, 1], 500) * 10.0 ** RNG.uniform(-14, -4, 500) * 2**52) / 2**52  # so that 1 + z is exact
    z = z[z != 0]
    series = z * (-0.57721566490153286061 + z * (0.82246703342411321824 - z * (0.40068563438653142847 - z * 0.27058)))
    assert_near(lgamma(1 + z), series, 4)
    z = np.round(z * 2**51) / 2**51
    z = z[z != 0]
    series = z * (0.42278433509846713939 + z * (0.32246703342411321824 - z * (0.06735230105319809514 - z * 0.02058)))
    assert_near(lgamma(2 + z), series, 4)


@pytest.mark.fidelity("accuracy of erf, erfc, erfinv, lgamma, digamma")
def test_lgamma_below_0_is_within_8_ulp_of_its_terms() -> None:
    assert_near(lgamma(NEGATIVE), by_math(math.lgamma, NEGATIVE), 8, beside=np.maximum(1, np.abs(lgamma(-NEGATIVE))))


def test_lgamma_of_integers_is_the_logarithm_of_a_factorial() -> None:
    n = np.arange(3, 170)
    assert_near(lgamma(n.astype(float)), np.array([math.log(math.factorial(each - 1)) for each in range(3, 170)]), 4)
    assert lgamma(np.array([1.0, 2.0])).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("function", "x", "expected"),
    [
        (erf, [0, -0.0, INF, -INF, NAN], [0, -0.0, 1, -1, NAN]), (erfc, [0, INF, -INF, NAN], [1, 0, 2, NAN]),
        (erfinv, [0, -0.0, 1, -1, 1.5, -2, INF, NAN], [0, -0.0, INF, -INF, NAN, NAN, NAN, NAN]),
        (lgamma, [0, -0.0, -1, -2, -1e20, INF, -INF, NAN, 1e308], [INF] * 7 + [NAN, INF]),
        (digamma, [0, -0.0, -1, -2, -1e20, INF, -INF, NAN], [-INF, INF, NAN, NAN, NAN, INF, NAN, NAN]),
    ],
    ids=["erf", "erfc", "erfinv", "lgamma", "digamma"],
)  # fmt: skip
@pytest.mark.filterwarnings("error")
def test_edges_and_poles(function: Any, x: list[float], expected: list[float]) -> None:
    found = function(np.array(x, float))
    np.testing.assert_array_equal(found, expected)
    same = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(found)[same], np.signbit(expected)[same])


def test_digamma_of_integers_is_a_harmonic_number_less_eulers() -> None:
    n = np.arange(1, 60)
    harmonic = np.array([math.fsum(1 / k for k in range(1, each)) for each in n])
    assert_near(digamma(n.astype(float)), harmonic - 0.57721566490153286061, 4, beside=harmonic)


@pytest.mark.fidelity("accuracy of erf, erfc, erfinv, lgamma, digamma")
def test_digamma_goes_up_by_the_reciprocal() -> None:
    x = POSITIVE[(POSITIVE < 1e6) & (POSITIVE > 1e-3)]
    x = np.concatenate((np.round(x * 2**20), [1.0])) / 2**20  # so that x + 1 is exact
    x = x[x > 0]
    assert_near(digamma(x + 1), digamma(x) + 1 / x, 8, beside=1 / x)


def test_digamma_is_reflected_at_one_half() -> None:
    x = np.round(-NEGATIVE * 2**20) / 2**20
    x = x[x != np.round(x)]
    cotangent = np.pi / np.tan(np.pi * (x - np.round(x)))
    assert_near(digamma(1 - x) - digamma(x), cotangent, 32, beside=np.maximum(np.abs(digamma(x)), np.abs(cotangent)))


def test_digamma_beside_its_root_has_the_slope_there() -> None:
    """The root is no float64, so that the relative error beside it shows whether its rest counts."""
    root = 1.4616321449683622
    assert digamma(np.array([root]))[0] == pytest.approx(-9.549995429965697e-17 * 0.96767224544762117, rel=1e-14, abs=0)


@pytest.mark.fidelity("accuracy of erf, erfc, erfinv, lgamma, digamma")
def test_erfinv_is_the_inverse_of_erf() -> None:
    """In the middle by erf; near 1, where erf is flat, by erfc."""
    y = np.concatenate((np.linspace(-0.6, 0.6, 2001), 10.0 ** RNG.uniform(-300, -1, 500)))
    assert_near(erf(erfinv(y)), y, 6)
    left = 2.0 ** -np.arange(1, 54)
    x = erfinv(1 - left)
    # the relative change of erfc is 2 * x * x times that of x, and more
    np.testing.assert_allclose(erfc(x), left, rtol=4 * 2.3e-16 * (2 * 36 + 2))
    np.testing.assert_array_equal(erfinv(-y), -erfinv(y))


@pytest.mark.parametrize("function", [erf, erfc, erfinv, lgamma, digamma], ids=lambda each: each.__name__)
def test_float32_is_computed_in_float64_and_rounded_once(function: Any) -> None:
    x = np.linspace(-0.99, 0.99, 600, dtype=np.float32).reshape(20, 30)[:, ::2]
    found = function(x)
    assert found.dtype == np.float32
    assert found.shape == x.shape
    np.testing.assert_array_equal(found, function(x.astype(np.float64)).astype(np.float32))


@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3)], ids=str)
def test_arrays_without_dimensions_or_elements(shape: tuple[int, ...]) -> None:
    for function in (erf, erfc, erfinv, lgamma, digamma):
        assert function(np.full(shape, 0.5)).shape == shape


@pytest.mark.parametrize("name", ["erf", "erfc", "erfinv", "lgamma", "digamma"])
def test_within_4_ulp_of_float32_of_torch_in_float64(name: str) -> None:
    """Torch is an oracle beyond the dependencies; its float64 functions have errors of their own."""
    torch: Any = pytest.importorskip("torch", reason="torch is not installed; the other tests need no oracle")
    x = np.concatenate((SIGNED[np.abs(SIGNED) < 30], NEGATIVE)) if name != "erfinv" else np.linspace(-1, 1, 5001)
    x = x.astype(np.float32)
    x = x[(x != np.round(x)) & (np.abs(x) > 1e-30)] if name in ("lgamma", "digamma") else x
    ours = {"erf": erf, "erfc": erfc, "erfinv": erfinv, "lgamma": lgamma, "digamma": digamma}[name]
    theirs = getattr(torch.special, {"lgamma": "gammaln"}.get(name, name))(torch.from_numpy(x.astype(np.float64)))
    expected = theirs.numpy()
    normal = ~(np.abs(expected) < 1e-37)
    np.testing.assert_allclose(ours(x)[normal], expected[normal].astype(np.float32), rtol=4 * 2.0**-23)

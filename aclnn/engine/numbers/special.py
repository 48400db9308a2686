"""erf, erfc, erfinv, lgamma and digamma, which numpy lacks.

Every function computes in float64 and returns float64, except that float32 gives float32, rounded once. The caller
widens 16-bit floats. The error is at most 4 ulp of float64, except beside the zeros of lgamma and digamma at negative
numbers. There two terms cancel, and the error is 4 ulp of the larger term.

**Method.** Each function is a Chebyshev series (`chebyshev`) where it is curved, and a recurrence, a reflection or an
asymptotic series elsewhere. A factor that is zero at a root is outside of the series, so that the result is accurate
beside the root. The Padé forms of other libraries are shorter, but Chebyshev series can be checked with a few lines of
any arbitrary-precision library.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, cast

import numpy as np

from acl_runtime.headers.dtypes import Array
from aclnn.engine.numbers.chebyshev import DIGAMMA, ERF, ERFC, ERFINV, ERFINV_TAIL, LGAMMA

_ERFC_LOW: Final = (0.5 - 3) / (0.5 + 3)
_ERFC_HIGH: Final = (28 - 3) / (28 + 3.0)
_HALF_LOG_TWO_PI: Final = 0.91893853320467274178
_LOG_PI: Final = 1.14472988584940017414
_TAIL: Final = 6.25
_ROOT: Final = 1.4616321449683622
_ROOT_REST: Final = 9.549995429965697e-17
"""the root of digamma minus its float64"""
_ASYMPTOTIC: Final = 10.0
_LGAMMA_TERMS: Final = (
    1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400, 43867 / 244188,
)  # fmt: skip
_DIGAMMA_TERMS: Final = (
    1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12, -3617 / 8160, 43867 / 14364,
)  # fmt: skip
_Function = Callable[[Array], Array]
PART: Final = 1 << 14
"""elements that are computed together, so that temporaries stay in the cache"""


class Elementwise:
    """An elementwise function with the interface of a ufunc. It supports all objects with `__array_ufunc__`."""

    nin, nout, signature = 1, 1, None

    def __init__(self, function: _Function) -> None:
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        self._function = function

    def resolve_dtypes(self, dtypes: Sequence[Any]) -> tuple[np.dtype[Any], np.dtype[Any]]:
        """The data types of argument and result: float32, or else float64."""
        dtype = np.dtype(np.float32 if dtypes[0] == np.float32 else np.float64)
        return dtype, dtype

    def __call__(self, x: Any, out: Array | None = None) -> Array:
        if not isinstance(x, np.ndarray | np.generic) and hasattr(x, "__array_ufunc__"):
            return x.__array_ufunc__(self, "__call__", x)
        array: Array = np.asarray(cast("Array", x))
        result = np.empty(array.shape, self.resolve_dtypes([array.dtype])[0]) if out is None else out
        flat = array.reshape(-1)
        with np.errstate(all="ignore"):
            parts = [
                self._function(flat[start : start + PART].astype(np.float64)) for start in range(0, flat.size, PART)
            ]
            result[...] = np.concatenate(parts or [np.zeros(0)]).reshape(array.shape)
        return result


@Elementwise
def erf(x: Array) -> Array:
    """The error function."""
    size = np.abs(x)
    result = np.where(size < 1, x, np.copysign(1 - _erfc_above(np.maximum(size, 0.5)), x))
    small = size < 1
    result[small] *= _near_erf(x[small])
    return result


@Elementwise
def erfc(x: Array) -> Array:
    """1 - erf(x), accurate also where it is small."""
    small = np.abs(x) < 0.5
    above = _erfc_above(np.where(small, 1.0, np.abs(x)))
    result = np.where(x < 0, 2 - above, above)
    result[small] = 1 - x[small] * _near_erf(x[small])
    return result


@Elementwise
def erfinv(x: Array) -> Array:
    """The inverse of erf: infinite at -1 and 1, NaN beyond."""
    size = np.abs(x)
    decay = -np.log((1 - size) * (1 + size))
    result = x * _series(ERFINV, np.minimum(decay, _TAIL), 0.0, _TAIL)
    tail = decay > _TAIL
    result[tail] = x[tail] * _series(ERFINV_TAIL, np.sqrt(np.minimum(decay[tail], 39.0)), np.sqrt(_TAIL), _TAIL)
    result[size == 1] = np.copysign(np.inf, x[size == 1])
    return result


@Elementwise
def lgamma(x: Array) -> Array:
    """The logarithm of the absolute value of the gamma function; infinite at 0, -1, -2, ..."""
    size = np.abs(x)
    result = np.full(x.shape, np.nan)
    result[np.isinf(x)] = np.inf
    tiny = size < 1e-20
    result[tiny] = -np.log(size[tiny])
    positive = (x > 0) & ~tiny & (size < np.inf)
    result[positive] = _lgamma_above_0(x[positive])
    negative = (x < 0) & ~tiny & (size < np.inf)
    under = size[negative]
    sine = np.sin(np.pi * _to_whole(under))
    reflected = _LOG_PI - np.log(sine * under) - _lgamma_above_0(under)
    result[negative] = np.where(sine == 0, np.inf, reflected)
    return result


@Elementwise
def digamma(x: Array) -> Array:
    """The derivative of lgamma; infinite at 0 with the opposite sign, NaN at -1, -2, ..."""
    result = np.full(x.shape, np.nan)
    result[x == np.inf] = np.inf
    result[x == 0] = np.copysign(np.inf, -x[x == 0])
    positive = (x > 0) & (x < np.inf)
    result[positive] = _digamma_above_0(x[positive])
    negative = (x < 0) & (x > -np.inf) & (x != np.trunc(x))
    under = -x[negative]
    off = under - np.rint(under)  # tan has the period 1, this difference is exact
    # digamma(1 - x) = digamma(-x) - 1 / x, where 1 - x is not rounded
    result[negative] = _digamma_above_0(under) + 1 / under + np.pi / np.tan(np.pi * off)
    return result


def _near_erf(x: Array) -> Array:
    """erf(x) / x for x up to 1."""
    return _series(ERF, x * x, 0.0, 1.0)


def _erfc_above(x: Array) -> Array:
    """erfc(x) for x from 1/2 on."""
    x = np.minimum(x, 28.0)  # erfc(28) is 0
    high = (x.view(np.uint64) & np.uint64(0xFFFF_FFFF_F800_0000)).view(np.float64)  # its square is exact
    decay = np.exp(-high * high) * np.exp((high - x) * (high + x))
    return decay * (_series(ERFC, (x - 3) / (x + 3), _ERFC_LOW, _ERFC_HIGH) / (1 + 2 * x))


def _lgamma_above_0(x: Array) -> Array:
    """lgamma(x) for x above 0. Products reduce x to (1/2, 5/2], the range of the series. From 10 on, Stirling's series
    is used."""
    down: Array = np.array(x)
    product = np.ones_like(x)
    for _ in range(int(_ASYMPTOTIC) - 2):
        high: Array = (down > 2.5) & (x < _ASYMPTOTIC)
        np.subtract(down, 1, out=down, where=high)
        product[high] *= down[high]
    low = x < 0.5
    z = np.where(x >= _ASYMPTOTIC, 0.0, np.where(low, x, down - 1))
    z_minus_1 = np.where(low, x - 1, np.where(x >= _ASYMPTOTIC, 0.0, down - 2))
    near = z * z_minus_1 * _series(LGAMMA, z, -0.5, 1.5)
    near += np.where(low, -np.log(x), np.log(product))
    rest = _powers(_LGAMMA_TERMS, 1 / x / x) / x
    far = (x - 0.5) * (np.log(x) - 1) - 0.5 + _HALF_LOG_TWO_PI + rest
    return np.where(x >= _ASYMPTOTIC, far, near)


def _digamma_above_0(x: Array) -> Array:
    """digamma(x) for x above 0. The recurrence moves x into [1, 3], the range of the series. From 10 on, the asymptotic
    series is used."""
    down: Array = np.array(x)
    added = np.zeros_like(x)
    for _ in range(int(_ASYMPTOTIC) - 3):
        high: Array = (down > 3) & (x < _ASYMPTOTIC)
        np.subtract(down, 1, out=down, where=high)
        added[high] += 1 / down[high]
    low = x < 1
    near = np.where(low, x - (_ROOT - 1), down - _ROOT) - _ROOT_REST
    argument = np.where(x >= _ASYMPTOTIC, 1.0, np.where(low, x + 1, down))
    near = near * _series(DIGAMMA, argument, 1.0, 3.0) + np.where(low, -1 / x, added)
    square = 1 / x / x
    far = np.log(x) - 0.5 / x - _powers(_DIGAMMA_TERMS, square) * square
    return np.where(x >= _ASYMPTOTIC, far, near)


def _to_whole(x: Array) -> Array:
    """The distance to the nearest integer, exactly."""
    return np.abs(x - np.rint(x))


def _series(coefficients: Sequence[float], x: Array, low: float, high: float) -> Array:
    """The sum of Chebyshev polynomials over a range, by Clenshaw's recurrence."""
    t = (2 * x - (low + high)) / (high - low)
    last, before = np.zeros_like(t), np.zeros_like(t)
    for coefficient in reversed(coefficients[1:]):
        last, before = 2 * t * last - before + coefficient, last
    return t * last - before + coefficients[0]


def _powers(coefficients: Sequence[float], x: Array) -> Array:
    """The sum of powers, by Horner's scheme."""
    result = np.zeros_like(x)
    for coefficient in reversed(coefficients):
        result = result * x + coefficient
    return result

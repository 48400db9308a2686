"""Products of matrices, and convolutions, by the compiled evaluator. Each of its threads calls BLAS with one thread.

Without the evaluator, or with a BLAS that it cannot call, numpy computes with one thread.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.streams.blas_threads import library as blas
from aclnn.engine.fast.conversions import EVALUATOR_TYPES, rounded, widened
from aclnn.engine.fast.native.library import Library, evaluator
from aclnn.engine.fast.native.products import ConvolutionResult, Epilogue, Slide, convolve, multiply
from aclnn.engine.fast.native.recording import incomplete
from aclnn.engine.fast.native.translation import NotInEvaluator
from aclnn.engine.fast.native_calls import by_evaluator
from aclnn.engine.steps.parts import apart_from
from aclnn.engine.steps.windows import Windows

MIN_MULTIPLICATIONS: Final = 1 << 20
"""number of multiplications from which a call of the evaluator is faster than numpy"""
Dtype: TypeAlias = np.dtype[Any] | None
PanelIndex: TypeAlias = tuple[slice | int, ...]
"""index of a panel in the output"""
NUMBERS: Final = (int, float, np.float32)
"""types of factors whose product with float32 is float32"""


class Combination(NamedTuple):
    """alpha * product + beta * plus. The product is rounded to `through`, and the sum to `summed`."""

    plus: Array | None = None
    alpha: Any = 1
    beta: Any = 1
    through: Dtype = None
    summed: Dtype = None

    @property
    def plain(self) -> bool:
        """True if the result is the product itself."""
        return self.plus is None and self.through is None and self.summed is None and self.alpha == 1

    def __call__(self, product: Array, place: PanelIndex) -> Array:
        """The combination for one panel of the product."""
        result = scaled(rounded(product, self.through), self.alpha)
        if self.plus is not None:
            result = result + scaled(widened(self.plus[place]), self.beta)
        return rounded(result, self.summed)

    def apart_from(self, out: Array) -> "Combination":
        """The same combination. `plus` is copied if an element shares memory with another element of the output."""
        return self if self.plus is None else self._replace(plus=apart_from([out], self.plus, 0))

    def epilogue(self) -> Epilogue:
        """The combination as the evaluator's structure."""
        if type(self.alpha) not in NUMBERS or type(self.beta) not in NUMBERS:
            raise NotInEvaluator("factors of 64 bits")
        return Epilogue(
            self.plus, float(self.alpha), float(self.beta), _name(self.through), _name(self.summed)
        )  # fmt: skip


def scaled(values: Array, factor: Any) -> Array:
    """The values times a factor; the same array for 1."""
    return values if factor == 1 else values * factor


def _name(dtype: Dtype) -> str:
    if dtype is not None and dtype not in EVALUATOR_TYPES and dtype != np.float32:
        raise NotInEvaluator(f"results rounded to {dtype.name}")
    return "F32" if dtype is None else EVALUATOR_TYPES.get(dtype, "F32")


def multiplied(left: Array, right: Array, out: Array, combination: Combination | None = None) -> bool:
    """out = left @ right, with the broadcasting of numpy's matmul. Returns False if nothing is done."""
    if out.size * left.shape[-1] < MIN_MULTIPLICATIONS:
        incomplete()
        return False

    def work(library: Library, functions: tuple[int, int], threads: int) -> None:
        epilogue = None if combination is None else combination.epilogue()
        multiply(library, functions, left, right, out, epilogue, threads)

    return done(work)


def matmul(left: Array, right: Array) -> Array:
    """left @ right, same as `np.matmul`."""
    arrays = type(left) is type(right) is np.ndarray  # a formula that is traced has `Lazy` arrays
    if not arrays or min(left.ndim, right.ndim) < 2 or not left.dtype == right.dtype == np.float32:
        return np.matmul(left, right)
    batch = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    out: Array = np.empty((*batch, left.shape[-2], right.shape[-1]), np.float32)
    return out if multiplied(left, right, out) else np.matmul(left, right, out=out)


def convolved(
    result: ConvolutionResult, large: Array, small: Array, weight: Array, bias: Array | None = None, *,
    windows: Sequence[Windows], groups: int,
) -> bool:  # fmt: skip
    """Compute the tensor that `result` names from the two others. Returns False if nothing is done."""

    def work(library: Library, functions: tuple[int, int], threads: int) -> None:
        slides = list(map(_slide, windows))
        convolve(library, functions, result, large, small, weight, bias, slides=slides, groups=groups, threads=threads)

    return done(work)


def _slide(windows: Windows) -> Slide:
    """The windows of a convolution, which have equal distances."""
    first, second = windows.table(np.arange(2) + windows.numbers.start)[0].tolist()
    return Slide(windows.taps, second - first, -first, windows.step)


def able() -> tuple[Library, tuple[int, int]] | None:
    """The evaluator and the functions of BLAS that it calls; None if either is missing."""
    library, loaded = evaluator(), blas()
    return None if library is None or loaded is None or loaded.products is None else (library, loaded.products)


def done(work: Callable[[Library, tuple[int, int], int], None]) -> bool:
    """Run `work` with the evaluator. False if it is missing, cannot call BLAS, or does not support the tensors."""
    return by_evaluator(able(), lambda functions, threads: work(*functions, threads))

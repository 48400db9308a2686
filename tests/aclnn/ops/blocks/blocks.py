"""MX blocks as a loop over Python numbers, and calls with tensors of narrow floats: for routes and tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import floor, frexp, inf, isfinite
from typing import Any, NamedTuple

import numpy as np

from acl_runtime import *
from acl_runtime.headers.dtypes import numpy_dtype
from aclnn.op import pack_int4, unpack_int4
from tests.aclnn.ops.case import A950
from tests.helpers.builders import acl_type
from tests.helpers.machines import board
from tests.helpers.weights import fetched, filled, launch, tensor

FORMATS = {36: (448.0, 3, -6), 35: (57344.0, 2, -14), 40: (6.0, 1, 0), 41: (1.75, 2, 0)}
"""greatest number, bits of the mantissa, exponent of the smallest normal number"""
MAGNITUDES = {40: [0, 0.5, 1, 1.5, 2, 3, 4, 6], 41: [0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75]}
"""the numbers of 4-bit floats, in the order of their bits"""


def exponent_of(number: float) -> int:
    return frexp(number)[1] - 1


def scale_of(block: Sequence[float], dtype: int, algorithm: int = 0, most: float = 0, floor: float = 0) -> int | None:
    """The exponent of the scale; None if a number is not finite."""
    largest = max(map(abs, block), default=0.0)
    if not all(map(isfinite, block)):
        return None
    if largest == 0:
        return -127
    largest = max(largest, floor)
    top = FORMATS[dtype][0]
    if algorithm == 0:
        exponent = exponent_of(largest) - exponent_of(top)
    elif algorithm == 1 or most not in (0, 6, 7):
        limit = np.float32(1 / (top if algorithm == 1 else most))
        fraction, exponent = frexp(float(np.float32(largest) * limit))
        exponent -= fraction == 0.5
    else:
        largest = float(np.array(np.float32(largest).view(np.uint32) & 0xFFFF0000, np.uint32).view(np.float32))
        share = 1.75 if most == 7 else 1.5
        exponent = exponent_of(largest) - 2 + (largest > share * 2.0 ** exponent_of(largest))
    return max(exponent, -127)


def rounded(number: float, dtype: int, mode: str = "rint") -> float:
    top, bits, least = FORMATS[dtype]
    step = 2.0 ** ((max(exponent_of(number), least) if number and number != inf else least) - bits)
    quotient = number / step
    way: dict[str, Callable[[float], float]] = {
        "rint": lambda each: float(np.rint(each)), "floor": floor,
        "round": lambda each: float(np.copysign(floor(abs(each) + 0.5), each)),
    }  # fmt: skip
    return float(np.copysign(min(abs(way[mode](quotient) * step), top), number if mode != "floor" else quotient))


def block_quantised(
    block: Sequence[float], dtype: int, algorithm: int = 0, mode: str = "rint", most: float = 0, floor: float = 0
) -> tuple[list[float], float]:  # fmt: skip
    """The numbers of a block, and its scale."""
    exponent = scale_of(block, dtype, algorithm, most, floor)
    if exponent is None:
        return [0.0] * len(block), float("nan")
    if (algorithm != 1 and exponent == -127) or not any(block):
        return [0.0] * len(block), 2.0**-127
    return [rounded(each / 2.0**exponent, dtype, mode) for each in block], 2.0**exponent


def along(
    x: np.ndarray, axis: int, size: int, quantise: Callable[[list[float]], tuple[list[float], float]]
) -> tuple[np.ndarray, np.ndarray]:
    """All blocks of an array along an axis: its numbers, and the scales in pairs."""
    lines = np.moveaxis(x.astype(np.float64), axis, -1)
    count = -(-lines.shape[-1] // (2 * size))
    numbers, scales = np.zeros(lines.shape), np.full((*lines.shape[:-1], count, 2), 2.0**-127)
    for place in np.ndindex(lines.shape[:-1]):
        for at in range(-(-lines.shape[-1] // size)):
            part = slice(at * size, (at + 1) * size)
            numbers[(*place, part)], scales[(*place, at // 2, at % 2)] = quantise(lines[(*place, part)].tolist())
    return np.moveaxis(numbers, -1, axis), np.moveaxis(scales, -2, axis % x.ndim)


class Narrow(NamedTuple):
    """A tensor of any data type, with the values that it holds before; those of 4 bits share bytes."""

    values: np.ndarray
    dtype: int

    @classmethod
    def out(cls, shape: Sequence[int], dtype: int, fill: float = 1) -> Narrow:
        return cls(np.full(shape, fill), dtype)

    def stored(self) -> np.ndarray:
        """The bytes of the values."""
        if self.dtype not in MAGNITUDES:
            return self.values.astype(numpy_dtype(self.dtype))
        codes = np.searchsorted(MAGNITUDES[self.dtype], np.abs(self.values)) + 8 * np.signbit(self.values)
        return pack_int4(codes)

    def loaded(self, stored: np.ndarray) -> np.ndarray:
        """The values of these bytes."""
        if self.dtype not in MAGNITUDES:
            return stored if stored.dtype.kind in "iu" else stored.astype(np.float32)
        codes = unpack_int4(stored, self.values.size).reshape(self.values.shape) & 15
        return np.where(codes & 8, -1.0, 1.0) * np.array(MAGNITUDES[self.dtype])[codes & 7]


def launched(name: str, *arguments: Any, soc: str = A950) -> list[np.ndarray]:
    """Both phases of a function, with arrays and `Narrow` as tensors. Returns the values of `Narrow`."""
    with board(soc=soc):
        handles, narrow = [], []
        for each in arguments:
            tensors = isinstance(each, np.ndarray | Narrow)
            value = Narrow(each, acl_type(each.dtype)) if isinstance(each, np.ndarray) else each
            if tensors:
                address, stored = filled(value.stored()), value.stored()
                handles.append(tensor(address, value.values.shape, value.dtype))
                narrow += [(each, address, stored)] if isinstance(each, Narrow) else []
            else:
                handles.append(each)
        launch(name, *handles)
        return [each.loaded(fetched(address, stored.shape, stored.dtype)) for each, address, stored in narrow]

"""Rfft1D, the transform of a real dimension, and Stft, the transforms of windows of a signal.

The names of both functions begin with `acl`, not with `aclnn`.
"""

from math import sqrt
from typing import Final

import numpy as np

from aclnn.op import (
    ACLNN_ERR_INNER_NULLPTR, Arguments, Array, Bad, Planning, Shape, T, aclFormat, axis, demand, empty, in_memory,
    in_range, listed, planned, ranks, row_slices, same_dtype, shape, store, stored_in,
)  # fmt: skip


LONGEST_TRANSFORM: Final = 262144
"""the longest transform of Rfft1D"""
COMPLEX: Final = {T.ACL_FLOAT: T.ACL_COMPLEX64, T.ACL_DOUBLE: T.ACL_COMPLEX128}
REAL: Final = {dtype: real for real, dtype in COMPLEX.items()}


# Rfft1D


def length(a: Arguments) -> int:
    n, dim = int(a["n"]), int(a["dim"])
    return a.shape("self")[dim] if n == -1 else n


def bad_length(a: Arguments) -> Bad:
    n = a["n"]
    return None if n == -1 or 1 <= n <= LONGEST_TRANSFORM else (n, f"-1, or 1 to {LONGEST_TRANSFORM}")


def halves(a: Arguments) -> Shape:
    sizes = list(a.shape("self"))
    sizes[a["dim"]] = length(a) // 2 + 1
    return (*sizes, 2)


@planned(
    "aclRfft1D", empty("self"), listed("self"), ranks("self"),
    demand("{0} is the length of a transform", "n", bad=bad_length), in_range("norm", 1, 3), axis("dim", of="self"),
    listed("out"), shape("out", "{0} has the numbers of half of the transform", halves, status=ACLNN_ERR_INNER_NULLPTR),
)  # fmt: skip
def rfft_1d(p: Planning) -> None:
    """out = the real and imaginary parts of the first half of the transform of self along dim, of length n. They are
    divided by n if norm is 2, and by the root of n if norm is 3"""
    x = p.read("self")
    n = length(p)
    factor = {1: 1.0, 2: 1 / n, 3: 1 / sqrt(n)}[p["norm"]]
    p.store("out", p.step(half_transform, [x], halves(p), x.dtype, n=n, axis=p["dim"] % len(x.shape), factor=factor))


def half_transform(x: Array, *, n: int, axis: int, factor: float) -> Array:
    result = np.fft.rfft(x, n, axis=axis) * x.dtype.type(factor)
    return np.stack([result.real, result.imag], -1).astype(x.dtype)


# Stft


def signal(a: Arguments) -> tuple[int, int]:
    """The numbers of bins and of windows of a signal."""
    n = a["nFft"]
    return n // 2 + 1 if a["onesided"] else n, (a.shape("self")[-1] - n) // a["hopLength"] + 1


def transform(a: Arguments) -> Shape:
    return (*a.shape("self")[:-1], *signal(a), *(() if a["returnComplex"] else (2,)))


def other_kind(a: Arguments) -> Bad:
    real = REAL.get(T(a.dtype("self")), a.dtype("self"))
    allowed = COMPLEX[T(real)] if a["returnComplex"] else real
    return None if a.dtype("out") == allowed else (a.type_name("out"), T(allowed).name.removeprefix("ACL_"))


def too_short(a: Arguments) -> Bad:
    n, size = a["nFft"], a.shape("self")[-1]
    return None if 0 < n <= size else (n, f"1 to {size}, the length of the signal")


def bad_window(a: Arguments) -> Bad:
    return None if 0 < a["winLength"] <= a["nFft"] else (a["winLength"], f"1 to {a['nFft']}, which is nFft")


def other_length(a: Arguments) -> Bad:
    if not a.given("windowOptional") or a.shape("windowOptional")[0] == a["winLength"]:
        return None
    return list(a.shape("windowOptional")), f"[{a['winLength']}], which is winLength"


def half_of_complex(a: Arguments) -> Bad:
    if not a["onesided"] or T(a.dtype("self")) in COMPLEX:
        return None
    return a.type_name("self"), "a real signal where onesided is true"


@planned(
    "aclStft", listed("self", "windowOptional"), same_dtype("windowOptional", as_="self"),
    listed("out"), demand("{0} has the kind of numbers that returnComplex asks for", "out", bad=other_kind),
    stored_in([aclFormat.ACL_FORMAT_ND], "self"), ranks("self", "out"),
    demand("{0} fits the signal", "nFft", bad=too_short),
    demand("{0} is above 0", "hopLength", bad=lambda a: None if a["hopLength"] > 0 else (a["hopLength"], "1 or more")),
    demand("{0} fits nFft", "winLength", bad=bad_window), ranks("windowOptional"),
    demand("{0} has winLength elements", "windowOptional", bad=other_length),
    demand("{0} is real where only half of the bins are asked for", "self", bad=half_of_complex,
           broken="{0} is complex, and only half of the bins are asked for"),
    shape("out", "{0} has a number for each bin and window", transform), empty("self"),
)  # fmt: skip
def stft(p: Planning) -> None:
    """out = the transforms of windows of nFft elements of self, which begin hopLength elements apart, divided by the
    root of nFft if normalized. windowOptional is centred in the nFft elements"""
    x = p.read("self")
    inputs = [x] if not p.given("windowOptional") else [x, p.read("windowOptional")]
    p.store("out", p.step(transformed, inputs, p.shape("out"), p.dtype("out"), n=p["nFft"], hop=p["hopLength"],
                          width=p["winLength"], half=p["onesided"],
                          factor=1 / sqrt(p["nFft"]) if p["normalized"] else 1.0))  # fmt: skip


@in_memory
def transformed(
    x: Array, window: Array | None = None, *, out: Array, n: int, hop: int, width: int, half: bool, factor: float
) -> None:
    """The transforms, computed for some windows at a time."""
    whole = np.zeros(n, x.dtype)
    start = (n - width) // 2
    whole[start : start + width] = 1 if window is None else window
    frames = np.lib.stride_tricks.sliding_window_view(x, n, axis=-1)[..., ::hop, :]
    for part in row_slices(frames.shape[-2], frames.size // frames.shape[-2]):
        terms = frames[..., part, :] * whole
        bins: Array = (np.fft.rfft if half else np.fft.fft)(terms, axis=-1) * factor
        result = np.moveaxis(bins, -1, -2)
        if np.iscomplexobj(out):
            store(result, out[..., part])
        else:
            store(np.stack([np.real(result), np.imag(result)], -1), out[..., part, :])

"""The C++ types of aclnn/opdev/fp16_t.h and float4_e2m1.h: values and rounding are compared with numpy and ml_dtypes.

A "half" is a float16. A "four" is a float4_e2m1, which has 4 bits.
"""

import ctypes
import subprocess
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from ml_dtypes import float4_e2m1fn

from aclnn.tools.toolkit.exported_functions import declarations
from aclnn.tools.toolkit.headers import headers
from tests.cpp.conftest import FLAGS, HERE

HALVES = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
FINITE = np.sort(HALVES[np.isfinite(HALVES)].astype(np.float64))
Numbers = npt.NDArray[Any]


@pytest.fixture(scope="module", params=["c++11", "c++17"])
def library(request: pytest.FixtureRequest, cpp: list[str], tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """small_floats.cpp, compiled to a shared library."""
    folder = tmp_path_factory.mktemp("floats")
    for name, text in headers(declarations()).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    warns = [flag for flag in FLAGS if not flag.startswith("-std")]
    source, program = HERE / "small_floats.cpp", folder / "floats.so"
    line = [*cpp, f"-std={request.param}", *warns, "-pedantic", "-Wconversion", "-shared", "-fPIC", f"-I{folder}"]
    done = subprocess.run([*line, str(source), "-o", str(program)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return ctypes.CDLL(str(program))


def converted(library: ctypes.CDLL, function: str, values: Numbers, to: Any) -> Numbers:
    values, made = np.ascontiguousarray(values), np.empty(values.size, to)
    getattr(library, function)(values.ctypes, made.ctypes, ctypes.c_size_t(values.size))
    return made


def around(values: Numbers, kind: Any) -> Numbers:
    """Test values for rounding: the given values, the midpoints between them, and the next numbers of `kind` on both
    sides of each."""
    middles = (values[:-1] + values[1:]) / 2
    ends = [values[-1] * 2, np.inf, -np.inf, 0.0, -0.0, np.finfo(kind).max, np.finfo(kind).smallest_subnormal]
    at = np.concatenate([values, middles, ends, [65520.0, -65520.0, 2.0**-25, -(2.0**-25)]]).astype(kind)
    with np.errstate(over="ignore", under="ignore"):
        return np.concatenate([at, np.nextafter(at, kind(np.inf)), np.nextafter(at, kind(-np.inf))])


def random_bits(kind: Any) -> Numbers:
    size = np.dtype(kind).itemsize
    values = np.random.default_rng(5).integers(0, 256, 200_000 * size, dtype=np.uint8).view(kind)
    return values[~np.isnan(values)]


def test_every_half_converts_to_the_same_float32_as_in_numpy(library: ctypes.CDLL) -> None:
    with np.errstate(invalid="ignore"):  # numpy warns of a signaling NaN on some processors
        made, expected = converted(library, "floats_of_halves", HALVES, np.float32), HALVES.astype(np.float32)
    number = ~np.isnan(HALVES)
    assert made[number].tobytes() == expected[number].tobytes()  # the bytes, as -0.0 equals 0.0
    assert np.isnan(made[~number]).all()


@pytest.mark.parametrize(("function", "kind"), [("halves_of_doubles", np.float64), ("halves_of_floats", np.float32)])
def test_halves_are_rounded_as_by_numpy(function: str, kind: Any, library: ctypes.CDLL) -> None:
    """Rounding happens once, to nearest even, also for subnormals. 65520 is the smallest number that becomes
    infinite."""
    values = np.concatenate([around(FINITE, kind), random_bits(kind)])
    with np.errstate(over="ignore", under="ignore"):
        expected = values.astype(np.float16)
    made = converted(library, function, values, np.float16)
    wrong = made.view(np.uint16) != expected.view(np.uint16)
    assert not wrong.any(), values[wrong][:5]
    assert np.isnan(converted(library, function, np.array([np.nan, -np.nan], kind), np.float16)).all()


def test_halves_of_integers(library: ctypes.CDLL) -> None:
    values = np.concatenate([np.arange(-70_000, 70_000), [2**53 + 1, -(2**63), 2**63 - 1]]).astype(np.int64)
    with np.errstate(over="ignore"):
        expected = values.astype(np.float16)
    assert converted(library, "halves_of_integers", values, np.float16).tobytes() == expected.tobytes()


def test_every_four_converts_to_the_same_float32_as_in_ml_dtypes(library: ctypes.CDLL) -> None:
    codes = np.arange(16, dtype=np.uint8)
    made = converted(library, "floats_of_fours", codes, np.float32)
    assert made.tobytes() == codes.view(float4_e2m1fn).astype(np.float32).tobytes()


@pytest.mark.fidelity("aclnn/opdev/fp16_t.h, aclnn/opdev/float4_e2m1.h")
@pytest.mark.parametrize(("function", "kind"), [("fours_of_doubles", np.float64), ("fours_of_floats", np.float32)])
def test_fours_are_rounded_as_by_ml_dtypes(function: str, kind: Any, library: ctypes.CDLL) -> None:
    """Rounding to nearest even; numbers beyond 6 become 6. NaN has no code and becomes a zero (ours)."""
    numbers = np.sort(np.arange(16, dtype=np.uint8).view(float4_e2m1fn).astype(np.float64))
    values = np.concatenate([around(numbers, np.float32), random_bits(np.float32)]).astype(kind)
    with np.errstate(over="ignore"):
        expected = values.astype(float4_e2m1fn).view(np.uint8)
    made = converted(library, function, values, np.uint8)
    assert not (made != expected).any(), values[made != expected][:5]
    assert set(converted(library, function, np.array([np.nan, -np.nan], kind), np.uint8) & 7) == {0}


def test_fours_of_doubles_are_rounded_once(library: ctypes.CDLL) -> None:
    """The values lie just beyond the midpoint of two codes, and float32 cannot hold them. ml_dtypes rounds twice (first
    to float32) and gets the even code; ours must round once."""
    values = np.nextafter([0.25, 1.25, 3.5, 5.0], [1.0, 2.0, 3.0, 6.0])
    assert converted(library, "fours_of_doubles", values, np.uint8).tolist() == [1, 3, 5, 7]


def test_two_fours_share_a_byte(library: ctypes.CDLL) -> None:
    """The first one is in the low bits."""
    library.packed.argtypes, library.packed.restype = [ctypes.c_double, ctypes.c_double], ctypes.c_uint8
    assert library.packed(0.5, -6.0) == 0xF1


def test_host_code_uses_small_floats_as_numbers(library: ctypes.CDLL) -> None:
    assert library.used() == 0

"""The library of the compiled evaluator: its structures and functions in C, and the choice of a build.

The folder `c` has the sources and up to three libraries, one for each build: plain, avx2 and avx512. Installing this
package compiles them if there is a C compiler; an editable install compiles only the one for this processor. Without
them, or with ACL_EMULATOR_NATIVE=0, numpy computes. ACL_EMULATOR_NATIVE=plain, avx2 or avx512 selects a build.
"""

import ctypes
import os
from collections.abc import Sequence
from ctypes import c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_void_p
from enum import IntEnum
from functools import cache
from typing import Final

from acl_runtime.headers.dtypes import Array
from aclnn.engine.fast.native.recording import Call, check, made

BUILD_VARIABLE: Final = "ACL_EMULATOR_NATIVE"
BUILDS: Final = ("plain", "avx2", "avx512")
"""names of the builds; the later ones are faster and need newer processors"""
DIMS: Final = 10
"""the most dimensions of a sweep"""
SUMS: Final = 8
"""the most sums of a sweep"""
BLOCK: Final = 2048
"""the most elements of a block"""
STRIPS: Final = 2
"""the most strips of a unit: adjacent blocks whose columns are summed up"""
BATCH: Final = 6
"""the most dimensions of a batch of matrices"""
BLENDED: Final = 3
"""the most dimensions along which a blend sums"""


class Extent(IntEnum):
    """`enum extent`: the number of elements in a register."""

    ONE = 0
    MANY = 1
    ROWS = 2


class InPlace(IntEnum):
    """The readers of rows that stay in memory, without a copy in a register."""

    NOTHING = 0
    SUMS = 1
    OPERATIONS = 2


class Instruction(ctypes.Structure):
    """`struct instruction`. evaluator.h explains the fields of all structures."""

    _fields_ = [
        *[(name, c_int32) for name in (
            "op", "type", "to", "a", "b", "c", "extent", "direct", "immediate", "narrow", "in_place",
        )],
        ("number", c_double), ("integer", c_int64),
    ]  # fmt: skip


class Memory(ctypes.Structure):
    """`struct memory`"""

    _fields_ = [("base", c_void_p), ("stride", c_int64 * DIMS), ("type", c_int64), ("streaming", c_int64)]


class UpdateArguments(ctypes.Structure):
    """`struct update`"""

    _fields_ = [
        *[(name, c_void_p) for name in ("row", "column", "delta")],
        *[(name, c_int64) for name in ("count", "row_dim", "column_dim", "subtract")],
    ]


class Program(ctypes.Structure):
    """`struct program`"""

    _fields_ = [("instructions", c_void_p), *[(name, c_int64) for name in ("count", "first_sum", "sums")]]


class SweepArguments(ctypes.Structure):
    """`struct sweep`"""

    _fields_ = [
        ("dims", c_int64), ("size", c_int64 * DIMS), ("reduced", c_int64 * DIMS),
        *[(name, c_int64) for name in ("rows", "groups", "threads", "programs", "registers", "sums", "min_parallel")],
        *[(name, c_int64) for name in ("prefetch", "strip_dim", "strips")],
        *[(name, c_void_p) for name in ("program", "memory", "updates", "totals")], ("identity", c_double * SUMS),
    ]  # fmt: skip


class Positions(ctypes.Structure):
    """`struct positions`"""

    _fields_ = [
        *[(name, c_void_p) for name in ("to", "source", "index")],
        *[(name, c_int64) for name in ("op", "type", "size", "index_type", "negative")],
        *[(name, c_int64) for name in ("outer", "count", "inner", "length")],
        *[(name, c_int64 * 3) for name in ("to_stride", "from_stride", "index_stride")],
        *[(name, c_int64) for name in ("threads", "min_parallel")],
    ]  # fmt: skip


class Segments(ctypes.Structure):
    """`struct segments`"""

    _fields_ = [
        *[(name, c_void_p) for name in ("source", "index", "to", "positions", "first")],
        *[(name, c_int64) for name in ("from_type", "from_stride", "index_type", "to_type", "to_stride", "count")],
        *[(name, c_int64) for name in ("width", "length", "padding", "scale", "threads", "min_parallel")],
    ]  # fmt: skip


class Running(ctypes.Structure):
    """`struct running`"""

    _fields_ = [
        *[(name, c_void_p) for name in ("source", "to", "positions")],
        *[(name, c_int64) for name in ("op", "type", "to_type", "outer", "count", "inner", "threads", "min_parallel")],
    ]  # fmt: skip


class Order(ctypes.Structure):
    """`struct order`"""

    _fields_ = [
        *[(name, c_void_p) for name in ("source", "places")],
        *[(name, c_int64) for name in ("type", "outer", "count", "inner", "first", "descending", "threads")],
        ("min_parallel", c_int64),
    ]  # fmt: skip


class Copy(ctypes.Structure):
    """`struct copy`"""

    _fields_ = [
        *[(name, c_void_p) for name in ("source", "to")], *[(name, c_int64) for name in ("element", "dims")],
        *[(name, c_int64 * DIMS) for name in ("size", "from_stride", "to_stride")], ("threads", c_int64),
    ]  # fmt: skip


class Triangle(ctypes.Structure):
    """`struct triangle`"""

    _fields_ = [
        *[(name, c_void_p) for name in ("source", "to", "left")],
        *[(name, c_int64) for name in ("size", "matrices", "rows", "count")],
        *[(name, c_int64 * 2) for name in ("from_stride", "to_stride")],
        *[(name, c_int64) for name in ("upper", "threads", "min_parallel")],
    ]  # fmt: skip


class BlendPass(ctypes.Structure):
    """`struct blend_pass`"""

    _fields_ = [
        *[(name, c_int64) for name in ("size", "results", "terms", "least")],
        *[(name, c_void_p) for name in ("places", "counts", "weights")],
    ]  # fmt: skip


class Blend(ctypes.Structure):
    """`struct blend`"""

    _fields_ = [
        *[(name, c_void_p) for name in ("source", "to", "divisors")],
        *[(name, c_int64) for name in ("op", "type", "images", "dims", "inner", "divisor", "threads")],
        ("passes", BlendPass * BLENDED),
    ]  # fmt: skip


class Blas(ctypes.Structure):
    """`struct blas`: the addresses of functions."""

    _fields_ = [(name, c_size_t) for name in ("sgemm", "sgemv")]


class Matrix(ctypes.Structure):
    """`struct matrix`"""

    _fields_ = [
        ("base", c_void_p), *[(name, c_int64) for name in ("type", "row", "column")], ("batch", c_int64 * BATCH),
    ]  # fmt: skip


class ProductArguments(ctypes.Structure):
    """`struct product`"""

    _fields_ = [
        ("blas", Blas), *[(name, Matrix) for name in ("one", "other", "plus", "to")], ("batch", c_int64 * BATCH),
        *[(name, c_int64) for name in ("batches", "m", "k", "n", "through", "summed", "threads")],
        *[(name, c_double) for name in ("alpha", "beta")],
    ]  # fmt: skip


class Planes(ctypes.Structure):
    """`struct planes`"""

    _fields_ = [
        ("base", c_void_p), *[(name, c_int64) for name in ("type", "image", "channel")], ("step", c_int64 * 3),
    ]  # fmt: skip


class Convolution(ctypes.Structure):
    """`struct convolution`"""

    _fields_ = [
        ("blas", Blas), *[(name, Planes) for name in ("large", "small")],
        *[(name, c_void_p) for name in ("weight", "bias")],
        *[(name, c_int64) for name in ("op", "weight_type", "images", "groups", "channels", "outs")],
        *[(name, c_int64 * 3) for name in ("size", "grid", "kernel", "stride", "before", "step")],
        ("threads", c_int64),
    ]  # fmt: skip


class Reduction(ctypes.Structure):
    """`struct reduction`"""

    _fields_ = [
        *[(name, c_void_p) for name in ("source", "to", "left_out")],
        *[(name, c_int64) for name in ("op", "type", "inputs", "results", "count", "streaming", "threads")],
        ("min_parallel", c_int64),
    ]  # fmt: skip


class Rows(ctypes.Structure):
    """`struct rows`"""

    _fields_ = [("base", c_void_p), *[(name, c_int64) for name in ("type", "batch", "head", "row", "column")]]


class Attention(ctypes.Structure):
    """`struct attention`"""

    _fields_ = [
        ("blas", Blas), *[(name, Rows) for name in ("q", "k", "v", "out", "shift", "mask", "sink")],
        *[(name, c_void_p) for name in ("table", "tops", "sums")],
        *[(name, c_int64) for name in ("batches", "heads", "group", "rows", "columns", "size", "width", "together")],
        *[(name, c_int64) for name in ("first_row", "has_low", "has_high", "low", "high", "prefix")],
        *[(name, c_int64) for name in ("shift_first", "corrects", "threads")],
        *[(name, c_double) for name in ("scale", "keep")],
    ]  # fmt: skip


STRUCTURES: Final = (
    Instruction, Memory, UpdateArguments, Program, SweepArguments, Positions, Segments, Running, Blend, Order, Triangle,
    Copy, ProductArguments, Convolution, Reduction, Attention,
)  # fmt: skip
LAYOUT: Final = (*map(ctypes.sizeof, STRUCTURES), DIMS, BLOCK, SUMS, STRIPS)


class Library:
    """A loaded build of the evaluator."""

    def __init__(self, build: str) -> None:
        self.build = build
        self.path = path = os.path.join(os.path.dirname(__file__), "c", f"evaluator_{build}.so")
        self._c = c = ctypes.CDLL(path)
        if c.evaluator_best() < BUILDS.index(build):
            raise OSError(f"this processor does not support {path}")
        c.evaluator_layout.restype, c.evaluator_layout.argtypes = c_int64, [c_int64]
        for function in (c.evaluator_types, c.evaluator_operations):
            function.restype, function.argtypes = c_char_p, []
        c.evaluator_knows.restype, c.evaluator_knows.argtypes = c_int, [c_int64, c_int64]
        for function in (
            c.evaluator_run, c.evaluator_positions, c.evaluator_segments, c.evaluator_running, c.evaluator_blend,
            c.evaluator_order, c.evaluator_triangle, c.evaluator_copy, c.evaluator_product, c.evaluator_convolution,
            c.evaluator_reduction, c.evaluator_attention,
        ):  # fmt: skip
            function.restype, function.argtypes = c_int, [c_void_p]
        for function in (c.evaluator_widen, c.evaluator_narrow):
            function.restype, function.argtypes = None, [c_int64, c_void_p, c_void_p, c_int64]
        c.evaluator_widen_rows.restype = None
        c.evaluator_widen_rows.argtypes = [c_int64, c_void_p, c_void_p, c_int64 * 4, c_int64 * 3]
        c.evaluator_in_range.restype = c_int
        c.evaluator_in_range.argtypes = [c_int64, c_void_p, c_int64, c_int64, c_int64, c_int64]
        c.evaluator_handler.restype, c.evaluator_handler.argtypes = c_void_p, [c_void_p]
        layout = tuple(c.evaluator_layout(number) for number in range(len(LAYOUT)))
        if layout != LAYOUT:
            raise OSError(f"{path} was compiled from other sources: {layout}, not {LAYOUT}")
        self.types = _numbers_by_name(c.evaluator_types())
        self.operations = _numbers_by_name(c.evaluator_operations())

    def memory_handler(self, numpys: int) -> int | None:
        """The address of the memory handler of tasks (`blocks`), from the address of numpy's default handler, else
        None."""
        return self._c.evaluator_handler(numpys)

    def knows(self, operation: int, type_: int) -> bool:
        """True if there is a loop for this operation on this type."""
        return bool(self._c.evaluator_knows(operation, type_))

    def run(self, sweep: SweepArguments) -> None:
        """Run a sweep without Python's lock. Raises MemoryError if there is no memory for the registers."""
        check(self._c.evaluator_run(ctypes.addressof(sweep)))

    def move(self, positions: Positions) -> None:
        """Read or write elements at positions without Python's lock."""
        made(Call(self._c.evaluator_positions, positions))

    def widen(self, type_: int, source: int, target: int, count: int) -> None:
        """Convert dense floats of 16 bits at address `source` to float32 at `target`, without Python's lock."""
        self._c.evaluator_widen(type_, source, target, count)

    def widen_rows(
        self, type_: int, source: int, target: int, sizes: Sequence[int], strides: Sequence[int]
    ) -> None:  # fmt: skip
        """Same as `widen`, for four dimensions of which the last one is dense. `strides` are those of the others."""
        self._c.evaluator_widen_rows(type_, source, target, (c_int64 * 4)(*sizes), (c_int64 * 3)(*strides))

    def narrow(self, type_: int, source: int, target: int, count: int) -> None:
        """Convert float32 to dense floats of 16 bits, rounded half to even, without Python's lock."""
        self._c.evaluator_narrow(type_, source, target, count)

    def sum_segments(self, segments: Segments) -> None:
        """Sum rows by index without Python's lock. Raises MemoryError if there is no memory for the registers."""
        check(self._c.evaluator_segments(ctypes.addressof(segments)))

    def accumulate(self, running: Running) -> None:
        """Compute cumulative sums, products or extremes without Python's lock."""
        made(Call(self._c.evaluator_running, running))

    def blend(self, blend: Blend, tables: Sequence[Array]) -> None:
        """Sum up elements along dimensions, or pick them, without Python's lock. `tables`: see `Call`."""
        made(Call(self._c.evaluator_blend, blend, tables))

    def order(self, order: Order) -> None:
        """Order elements along a dimension without Python's lock. Raises MemoryError without memory for temporaries."""
        check(self._c.evaluator_order(ctypes.addressof(order)))

    def copy_triangles(self, triangle: Triangle) -> None:
        """Copy triangles of matrices without Python's lock."""
        check(self._c.evaluator_triangle(ctypes.addressof(triangle)))

    def copy(self, copy: Copy, tables: Sequence[Array] = ()) -> None:
        """Copy elements without Python's lock. `tables`: see `Call`."""
        made(Call(self._c.evaluator_copy, copy, tables))

    def in_range(self, type_: int, numbers: int, count: int, low: int, high: int, threads: int) -> bool:
        """True if dense integers are at least `low` and less than `high`. Python's lock is released."""
        return bool(self._c.evaluator_in_range(type_, numbers, count, low, high, threads))

    def multiply(self, product: ProductArguments) -> None:
        """Multiply matrices, without Python's lock."""
        made(Call(self._c.evaluator_product, product, blas=True))

    def convolve(self, convolution: Convolution) -> None:
        """Compute a convolution or its gradients, without Python's lock."""
        made(Call(self._c.evaluator_convolution, convolution, blas=True))

    def attend(self, attention: Attention) -> None:
        """Compute attention without Python's lock. Raises MemoryError if there is no memory for the scores."""
        made(Call(self._c.evaluator_attention, attention, blas=True))

    def reduce(self, reduction: Reduction) -> None:
        """Reduce arrays of floats of 16 bits to one, without Python's lock."""
        check(self._c.evaluator_reduction(ctypes.addressof(reduction)))


def _numbers_by_name(names: bytes) -> dict[str, int]:
    return {name: number for number, name in enumerate(names.decode().split())}


@cache
def load(build: str) -> Library | None:
    """A build; None if it is missing, was compiled from other sources, or is for another processor."""
    try:
        return Library(build)
    except (OSError, AttributeError):  # AttributeError: the library lacks a function
        return None


@cache
def evaluator() -> Library | None:
    """The build that this process uses; None if numpy computes."""
    value = os.environ.get(BUILD_VARIABLE, "1")
    if value in BUILDS:
        return load(value)
    if value.lower() in ("0", "false", "no", "off"):
        return None
    return next(filter(None, map(load, reversed(BUILDS))), None)

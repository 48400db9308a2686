"""Finds and loads the compiled evaluator.

There are up to three libraries in the folder `c` of their sources, one for each build: plain, avx2 and avx512. The
plain one knows which of them is the best for this processor. Installing this package compiles them if there is a C
compiler; without them, or with ACL_EMULATOR_NATIVE=0, numpy computes. ACL_EMULATOR_NATIVE=plain, avx2 or avx512 asks
for a build.
"""

import ctypes
import os
from ctypes import c_char_p, c_double, c_int, c_int32, c_int64, c_void_p
from enum import IntEnum
from functools import cache
from typing import Final

VARIABLE: Final = "ACL_EMULATOR_NATIVE"
BUILDS: Final = ("plain", "avx2", "avx512")
"""by rank: the best one that a processor supports comes last"""
DIMS: Final = 10
"""dimensions of a sweep"""
SUMS: Final = 8
"""sums of a sweep"""
BLOCK: Final = 2048
"""elements of a block"""
STRIPS: Final = 2
"""the most blocks that the rows of a unit are long, where columns are summed up"""


class Extent(IntEnum):
    """`enum extent`: what a register has."""

    ONE = 0
    MANY = 1
    ROWS = 2


class Instruction(ctypes.Structure):
    """`struct instruction` of evaluator.h, which explains the fields of all these."""

    _fields_ = [
        *[(name, c_int32) for name in ("op", "type", "to", "a", "b", "c", "extent", "aim", "x", "narrow", "stays")],
        ("number", c_double), ("whole", c_int64),
    ]  # fmt: skip


class Memory(ctypes.Structure):
    """`struct memory`"""

    _fields_ = [("base", c_void_p), ("stride", c_int64 * DIMS), ("type", c_int64), ("past", c_int64)]


class Update(ctypes.Structure):
    """`struct update`"""

    _fields_ = [
        *[(name, c_void_p) for name in ("row", "column", "by")],
        *[(name, c_int64) for name in ("count", "row_dim", "column_dim", "subtract")],
    ]


class Program(ctypes.Structure):
    """`struct program`"""

    _fields_ = [("instructions", c_void_p), *[(name, c_int64) for name in ("count", "first_sum", "sums")]]


class Sweep(ctypes.Structure):
    """`struct sweep`"""

    _fields_ = [
        ("dims", c_int64), ("size", c_int64 * DIMS), ("reduced", c_int64 * DIMS),
        *[(name, c_int64) for name in ("rows", "groups", "threads", "programs", "registers", "sums", "large")],
        *[(name, c_int64) for name in ("ask", "lane", "strips")],
        *[(name, c_void_p) for name in ("program", "memory", "updates", "totals")], ("start", c_double * SUMS),
    ]  # fmt: skip


class Positions(ctypes.Structure):
    """`struct positions`"""

    _fields_ = [
        *[(name, c_void_p) for name in ("to", "source", "index")],
        *[(name, c_int64) for name in ("op", "type", "size", "index_type", "negative")],
        *[(name, c_int64) for name in ("outer", "count", "inner", "places")],
        *[(name, c_int64 * 3) for name in ("to_stride", "from_stride", "index_stride")],
        *[(name, c_int64) for name in ("threads", "large")],
    ]  # fmt: skip


class Segments(ctypes.Structure):
    """`struct segments`"""

    _fields_ = [
        *[(name, c_void_p) for name in ("source", "index", "to", "positions", "first")],
        *[(name, c_int64) for name in ("from_type", "from_stride", "index_type", "to_type", "to_stride", "count")],
        *[(name, c_int64) for name in ("width", "length", "padding", "scale", "threads", "large")],
    ]  # fmt: skip


class Running(ctypes.Structure):
    """`struct running`"""

    _fields_ = [
        *[(name, c_void_p) for name in ("source", "to", "places")],
        *[(name, c_int64) for name in ("op", "type", "outer", "count", "inner", "threads", "large")],
    ]  # fmt: skip


STRUCTURES: Final = (Instruction, Memory, Update, Program, Sweep, Positions, Segments, Running)
LAYOUT: Final = (*map(ctypes.sizeof, STRUCTURES), DIMS, BLOCK, SUMS, STRIPS)


class Library:
    """A build of the evaluator."""

    def __init__(self, build: str) -> None:
        self.build = build
        self.path = path = os.path.join(os.path.dirname(__file__), "c", f"evaluator_{build}.so")
        self._c = c = ctypes.CDLL(path)
        c.evaluator_layout.restype, c.evaluator_layout.argtypes = c_int64, [c_int64]
        for names in (c.evaluator_types, c.evaluator_operations):
            names.restype, names.argtypes = c_char_p, []
        c.evaluator_knows.restype, c.evaluator_knows.argtypes = c_int, [c_int64, c_int64]
        for function in (c.evaluator_run, c.evaluator_positions, c.evaluator_segments, c.evaluator_running):
            function.restype, function.argtypes = c_int, [c_void_p]
        for function in (c.evaluator_widen, c.evaluator_narrow):
            function.restype, function.argtypes = None, [c_int64, c_void_p, c_void_p, c_int64]
        found = tuple(c.evaluator_layout(which) for which in range(len(LAYOUT)))
        if found != LAYOUT:
            raise OSError(f"{path} was compiled from other sources: {found}, not {LAYOUT}")
        self.types = _numbered(c.evaluator_types())
        self.operations = _numbered(c.evaluator_operations())

    def best(self) -> int:
        """The rank of the best build for this processor."""
        return int(self._c.evaluator_best())

    def knows(self, operation: int, type_: int) -> bool:
        """Is there a loop for this operation on this type?"""
        return bool(self._c.evaluator_knows(operation, type_))

    def run(self, sweep: Sweep) -> None:
        """Evaluate, without Python's lock. MemoryError if there is no memory for the registers."""
        _check(self._c.evaluator_run(ctypes.addressof(sweep)))

    def move(self, positions: Positions) -> None:
        """Read or write elements at positions, without Python's lock."""
        _check(self._c.evaluator_positions(ctypes.addressof(positions)))

    def widen(self, type_: int, given: int, to: int, count: int) -> None:
        """Dense floats of 16 bits at an address as float32 at another, without Python's lock."""
        self._c.evaluator_widen(type_, given, to, count)

    def narrow(self, type_: int, values: int, to: int, count: int) -> None:
        """The way back, rounded half to even."""
        self._c.evaluator_narrow(type_, values, to, count)

    def sum_segments(self, segments: Segments) -> None:
        """Sum rows up by index, without Python's lock. MemoryError as above."""
        _check(self._c.evaluator_segments(ctypes.addressof(segments)))

    def accumulate(self, running: Running) -> None:
        """Sums, products or extremes up to each element, without Python's lock."""
        _check(self._c.evaluator_running(ctypes.addressof(running)))


def _check(failed: int) -> None:
    if failed:
        raise MemoryError("no memory for the registers of the evaluator")


def _numbered(names: bytes) -> dict[str, int]:
    return {name: number for number, name in enumerate(names.decode().split())}


@cache
def load(build: str) -> Library | None:
    """A build, or None if it is not installed, or of other sources."""
    try:
        return Library(build)
    except (OSError, AttributeError):  # (AttributeError: a library of the name that lacks a function)
        return None


@cache
def chosen() -> Library | None:
    """The build that this process uses; None: numpy computes."""
    asked = os.environ.get(VARIABLE, "1")
    if asked in BUILDS:
        return load(asked)
    plain = load("plain")
    if asked.lower() in ("0", "false", "no", "off") or plain is None:
        return None
    found = [load(build) for build in BUILDS[: plain.best() + 1]]
    return next(library for library in reversed(found) if library is not None)

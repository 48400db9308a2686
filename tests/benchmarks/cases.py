"""The measured cases and their goals. A goal is the largest ratio of our time to that of torch. torch runs with one and
with two threads, and its shorter time counts."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod

import numpy as np

from tests.benchmarks import problems
from tests.benchmarks.problems import DTYPES, Problem, Shape

SCALED = 1_000_000
"""the least product of the sizes of a case that `scale` makes smaller"""
ALL: Mapping[str, float | None] = dict.fromkeys(DTYPES)
"""every data type, without a goal"""


@dataclass(frozen=True)
class Case:
    """One operator, layout, shape and data type."""

    op: str
    kind: str
    """what is special about the case, or empty"""
    shape: Shape
    dtype: str
    size: str
    """large, medium, tiny"""
    goal: float | None
    make: Callable[..., Problem]

    @property
    def title(self) -> str:
        """The name without the data type."""
        return " ".join(filter(None, (self.op, self.kind, "x".join(map(str, self.shape)))))

    @property
    def name(self) -> str:
        return f"{self.title} {self.dtype}"

    def problem(self, scale: int = 1) -> Problem:
        """The data of the case. It is the same in every run. `scale` divides the number of rows of a large case."""
        shape = tuple(max(1, size // scale) if axis in self.scaled else size for axis, size in enumerate(self.shape))
        return self.make(np.random.default_rng(zlib.crc32(self.name.encode())), shape, DTYPES[self.dtype])

    @property
    def scaled(self) -> tuple[int, ...]:
        """The dimensions that `scale` divides: the first one, and the rows of an embedding's table."""
        if prod(self.shape) < SCALED:
            return ()
        return (0, 2) if self.op == "embedding" else (0,)


def goals(float32: float | None, bfloat16: float | None = None, float16: float | None = None) -> dict:
    """The goals by data type, without the data types that have none."""
    given = {"float32": float32, "bfloat16": bfloat16, "float16": float16}
    return {dtype: goal for dtype, goal in given.items() if goal is not None}


def row(
    op: str, kind: str, shape: Shape, size: str, by_dtype: Mapping[str, float | None], make: Callable[..., Problem]
) -> list[Case]:
    """A case for each data type."""
    return [Case(op, kind, shape, dtype, size, goal, make) for dtype, goal in by_dtype.items()]


WITHOUT_BFLOAT16: Mapping[str, float | None] = {"float32": None, "float16": None}
MEDIUM = goals(3, 3, 3)
EACH = goals(1.2, 1.5, 1.5)
"""of operators that compute each element by itself"""
softmax, across = problems.softmax, partial(problems.softmax, dim=0)
CASES: tuple[Case, ...] = (
    *row("softmax", "last dim", (8192, 4096), "large", goals(1.2, 1.8, 1.9), softmax),
    *row("softmax", "dim 0", (4096, 8192), "large", goals(0.5, 1.3, 1.3), across),
    *row("softmax", "middle dim", (32, 512, 2048), "large", goals(0.5, 1.3, 1.3), softmax),
    *row("softmax", "transposed", (4096, 4096), "large", goals(0.5), partial(softmax, layout="transposed")),
    *row("softmax", "stride 2", (4096, 4096), "large", {"float32": None}, partial(softmax, layout="stride 2")),
    *row("softmax", "mixed layouts", (4096, 4096), "large", {"float32": None}, partial(softmax, layout="mixed")),
    *row("prelu", "", (32, 256, 56, 56), "large", goals(0.1, None, 0.1), problems.prelu),
    *row("prelu", "", (8192, 4096), "large", goals(0.1, None, 0.1), problems.prelu),
    *row("batch norm", "", (32, 256, 56, 56), "large", goals(0.8, 0.9, 0.9), problems.batch_norm),
    *row("batch norm", "", (65536, 512), "large", goals(1.5, 1.6, 1.7), problems.batch_norm),
    *row("cross entropy", "", (8192, 32000), "large", goals(0.8, 1.0, 1.0), problems.cross_entropy),
    *row("embedding", "", (1_000_000, 128, 50_000), "large", goals(0.35, 0.4, 0.4), problems.embedding),
    *row("embedding", "zipf", (1_000_000, 128, 50_000), "large", goals(0.7), partial(problems.embedding, zipf=True)),
    *row("add", "", (10_000_000,), "large", EACH, problems.add),
    *row("add", "a row", (10_000, 1000), "large", EACH, partial(problems.add, broadcast=True)),
    *row("mul", "", (10_000_000,), "large", EACH, problems.mul),
    *row("exp", "", (10_000_000,), "large", EACH, problems.exp),
    *row("gelu", "", (10_000_000,), "large", EACH, problems.gelu),
    *row("matmul", "", (1024, 1024, 1024), "large", goals(1.2, 2, 2), problems.matmul),
    *row("matmul", "", (32, 256, 256, 256), "large", goals(1.2, 2, 2), problems.matmul),
    *row("layer norm", "", (8192, 1024), "large", goals(1.5, 2, 2), problems.layer_norm),
    *row("softmax forward", "", (8192, 1024), "large", goals(1.5, 2, 2), problems.softmax_forward),
    *row("attention", "", (8, 16, 512, 64), "large", goals(1.5, 2, 2), problems.attention),
    *row("softmax", "", (64, 1000), "medium", MEDIUM, softmax),
    *row("softmax", "", (256, 1024), "medium", MEDIUM, softmax),
    *row("prelu", "", (64, 16, 16, 16), "medium", WITHOUT_BFLOAT16, problems.prelu),
    *row("batch norm", "", (64, 16, 16, 16), "medium", MEDIUM, problems.batch_norm),
    *row("cross entropy", "", (64, 1000), "medium", MEDIUM, problems.cross_entropy),
    *row("cross entropy", "", (256, 1024), "medium", ALL, problems.cross_entropy),
    *row("embedding", "", (10_000, 64, 5000), "medium", MEDIUM, problems.embedding),
    *row("add", "", (1_000_000,), "medium", EACH, problems.add),
    *row("mul", "", (1_000_000,), "medium", EACH, problems.mul),
    *row("exp", "", (1_000_000,), "medium", EACH, problems.exp),
    *row("gelu", "", (1_000_000,), "medium", EACH, problems.gelu),
    *row("softmax", "", (4, 2), "tiny", ALL, softmax),
    *row("prelu", "", (4, 2), "tiny", WITHOUT_BFLOAT16, problems.prelu),
    *row("batch norm", "", (4, 2), "tiny", ALL, problems.batch_norm),
    *row("cross entropy", "", (4, 2), "tiny", ALL, problems.cross_entropy),
    *row("embedding", "", (4, 2, 5), "tiny", ALL, problems.embedding),
)


def chosen(words: Sequence[str] = ()) -> list[Case]:
    """The cases whose name or size contains each of the words."""
    return [case for case in CASES if all(word in f"{case.name} {case.size}" for word in words)]


def named(name: str) -> Case:
    """The case of that name."""
    return next(case for case in CASES if case.name == name)

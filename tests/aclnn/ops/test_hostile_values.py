"""Values in device memory that size a result, or say where it lies: they are judged first, whatever they are (ours)."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn import *
from aclnn.testing import device_tensor, run
from tests.aclnn.ops.case import A950, board

F16, F32, I32, I64 = np.float16, np.float32, np.int32, np.int64
LEAST, MOST = -(2**63), 2**63 - 1
LITTLE = 1 << 22
"""bytes that each of these calls may take"""


class Row(NamedTuple):
    """A call with values that no program has on purpose, and the text of the finding."""

    what: str
    function: Callable[..., int]
    arguments: tuple[Any, ...]
    words: str


def repeats(what: str, numbers: list[int], words: str) -> list[Row]:
    """RepeatInterleave and its forms, with two elements as the result."""
    count, times = len(numbers), np.array(numbers)
    return [
        Row(what, aclnnRepeatInterleave, (np.ones(count, F32), times, 2, np.empty(2, F32)), words),
        Row(what, aclnnRepeatInterleaveTensor, (times, 2, np.empty(2, I64)), words),
        Row(what, aclnnRepeatInterleaveWithDim, (np.ones((count, 3), F32), times, 0, 2, np.empty((2, 3), F32)), words),
    ]


def gathered(what: str, lengths: Any, words: str, *, offsets: Any = None, ends: bool = False) -> Row:
    cache, out, tables = np.ones((3, 2, 2, 16), F16), np.ones((4, 2, 16), F16), np.zeros((2, 2), lengths.dtype)
    offsets = None if offsets is None else np.array(offsets, lengths.dtype)
    arguments = (cache, cache, tables, lengths, out, out.copy(), offsets, "Norm", ends)
    return Row(what, aclnnGatherPaKvCache, arguments, words)


def grouped(what: str, groups: list[Any], kind: int, words: str) -> Row:
    x, weight, out = [np.ones((4, 2), F16)], [np.ones((2, 2, 2), F16)], [np.empty((4, 2), F16)]
    arguments = (x, weight, *[None] * 6, np.array(groups), *[None] * 3, 3, 0, kind, 0, out, None, None)
    return Row(what, aclnnGroupedMatmulV4, arguments, words)


PLACES = [LEAST // 2**32, -5, -1, 4, MOST // 2**32]
ROWS = [
    *repeats("a sum that wraps to the right one", [MOST, MOST, 4], "add up to 18446744073709551618, outputSize is 2"),
    *repeats("a sum that wraps below 0", [MOST, 1], "add up to 9223372036854775808"),
    *repeats("more than any memory", [2**62, 0], "add up to 4611686018427387904"),
    *repeats("below 0", [LEAST, 2], f"repeats has {LEAST}"),
    gathered("as many tokens as a table of pages", np.array([30_000_000, 1], I32), "seqLens has 30000001 tokens"),
    gathered("a sum that wraps", np.array([2**31 - 1, 2**31 - 1], I32), "seqLens has 4294967294 tokens"),
    gathered("a difference that wraps", np.array([-(2**31), 2**31 - 1, 0], I32), "seqLens has 4294967295", ends=True),
    gathered("offsets that are everywhere", np.array([1, 1], I32), "asks for more blocks", offsets=[-1, 2**31 - 1]),
    grouped("a sum that wraps to the right one", [MOST, MOST], 1, "groups from 0 to 18446744073709551614"),
    grouped("an end below 0", [LEAST, MOST], 0, f"groups from {LEAST}"),
    *[
        Row(f"the place {at}", aclnnMoeTokenUnpermute,
            (np.ones((4, 1), F32), np.array([0, at, 1, 2], I32), None, False, None, np.empty((4, 1), F32)),
            rf"sortedIndices\[1\] is {at}, legal values are 0 to 3")
        for at in PLACES
    ],
    *[
        Row(f"the place {at}", aclnnMoeTokenPermuteGrad,
            (np.ones((4, 1), F32), np.array([0, at, 1, 2], I32), 2, False, np.empty((2, 1), F32)),
            rf"sortedIndices\[1\] is {at}, legal values are 0 to 3")
        for at in PLACES
    ],
]  # fmt: skip
every_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.function.__name__}-{row.what}")


@pytest.mark.fidelity("values in device memory that size a result, such as numbers of repeats, lengths and groups")
@every_row
def test_a_value_that_cannot_be_is_found(row: Row) -> None:
    with Machine(), pytest.raises(UndefinedBehaviour, match=row.words) as caught:
        run(row.function, *row.arguments)
    assert caught.value.finding.id == "index-range"


@every_row
def test_in_a_machine_that_reports_the_task_fails_and_takes_no_more_memory_than_another(row: Row) -> None:
    with Machine(on_undefined="report") as machine:
        tracemalloc.start()
        with pytest.raises(AssertionError, match=row.words):  # the status of the task is not 0
            run(row.function, *row.arguments)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert {each.id for each in machine.findings if each.level == "error"} == {"index-range"}
        assert peak < LITTLE
        assert run(aclnnAbs, -np.ones(2, F32), np.empty(2, F32)).tolist() == [1, 1], "the program goes on"


@pytest.mark.fidelity("values in device memory that size a result, such as numbers of repeats, lengths and groups")
@pytest.mark.parametrize("mode", ["raise", "report"])
@pytest.mark.parametrize(
    ("repeats", "wanted"), [([MOST, 1], [6, 0]), ([1, MOST], [1, 5]), ([-1, 2], [0, 3]), ([LEAST, LEAST], [0, 0])]
)
def test_a_gradient_of_repeats_has_the_slices_that_there_are(repeats: list[int], wanted: list[int], mode: str) -> None:
    """ "A run that ends behind the last slice has those that there are; a negative number is 0" (ours)."""
    with Machine(A950, on_undefined=mode):
        slope = np.array([1, 2, 3], F32)
        assert run(aclnnRepeatInterleaveGrad, slope, np.array(repeats), 0, np.empty(2, F32)).tolist() == wanted


def test_a_row_that_does_not_exist_adds_nothing() -> None:
    """A machine that only reports computes the other rows (ours)."""
    places, rows = np.array([0, -9, 1, 2], I32), np.ones((4, 1), F32)
    with board(on_undefined="report"), device_tensor(np.zeros((2, 1), F32)) as out:
        with pytest.raises(AssertionError, match="legal values"):
            run(aclnnMoeTokenPermuteGrad, rows, places, 2, False, out)
        assert out.numpy().tolist() == [[1], [2]]


@pytest.mark.fidelity("a tensor without elements from which a function reads one number, where no check refuses it")
def test_a_tensor_without_elements_has_the_number_0() -> None:
    """Of a function that reads one number, and refuses no such tensor (ours)."""
    empty, one, marks = np.empty(0, F32), np.array([5], F32), np.empty((1, 2), F32)
    shares, seed, zero, places = np.ones((1, 9), F32), np.empty(0, I64), np.zeros(1, I64), np.empty((1, 5), I64)
    with Machine():
        assert run(aclnnOneHot, np.array([1]), 2, empty, one, -1, marks).tolist() == [[5, 0]]
        draws = [run(aclnnMultinomialTensor, shares, 5, True, each, zero, 0, places.copy()) for each in (seed, zero)]
    assert np.array_equal(*draws)

"""Records of the bytes that are in FRACTAL_NZ."""

from __future__ import annotations

import pytest

from acl_runtime import *
from acl_runtime.checks.formats.records import StoredBlocks, covers, remaining
from acl_runtime.memory.private_formats import Stored

MATRIX = Stored((32, 32), ACL_FLOAT16)
SIZE = MATRIX.nbytes


@pytest.mark.parametrize(
    ("low", "high", "left"), [(0, 100, True), (2000, 3000, True), (99, 101, False), (1500, 1501, False)]
)
def test_a_write_of_any_byte_forgets_a_record(low: int, high: int, left: bool) -> None:
    record = StoredBlocks(100, 2000, MATRIX, "")
    assert remaining((record,), low, high) == ((record,) if left else ())


@pytest.mark.parametrize(
    ("records", "low", "high", "stored", "expected"),
    [
        ([(0, 1, MATRIX)], 0, 1, MATRIX, True),
        ([(0, 1, Stored((31, 20), ACL_FLOAT16))], 0, 1, MATRIX, True),
        ([(0, 1, Stored((31, 20), ACL_BF16))], 0, 1, MATRIX, True),
        ([(0, 1, Stored((16, 64), ACL_FLOAT16))], 0, 1, MATRIX, False),
        ([(0, 1, Stored((32, 64), ACL_INT8))], 0, 1, MATRIX, False),
        ([(0, 3, Stored((3, 32, 32), ACL_FLOAT16))], 1, 2, MATRIX, True),
        ([(0, 3, Stored((3, 32, 32), ACL_FLOAT16))], 0.5, 1.5, MATRIX, False),
        ([(1, 2, MATRIX), (0, 1, MATRIX)], 0, 2, Stored((2, 32, 32), ACL_FLOAT16), True),
        ([(0, 1, MATRIX)], 0, 2, Stored((2, 32, 32), ACL_FLOAT16), False),
        ([(0, 1, MATRIX), (1, 2, Stored((16, 64), ACL_FLOAT16))], 0, 1, MATRIX, True),
        ([], 0, 1, MATRIX, False),
    ],
    ids=["the same", "the same blocks", "the same width", "other blocks", "another width", "one of a batch",
         "from the middle of a matrix", "a batch of two records", "half a batch", "other blocks follow", "nothing"],
)  # fmt: skip
def test_a_range_is_in_the_format_if_records_with_the_same_blocks_cover_it(
    records: list[tuple[int, int, Stored]], low: float, high: float, stored: Stored, expected: bool
) -> None:
    """Addresses count in matrices of `MATRIX`."""
    kept = tuple(StoredBlocks(a * SIZE, b * SIZE, each, "") for a, b, each in records)
    assert covers(kept, int(low * SIZE), int(high * SIZE), stored) is expected

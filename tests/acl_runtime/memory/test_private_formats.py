"""FRACTAL_NZ in memory: sizes of blocks, and the records of the bytes that are in it."""

from __future__ import annotations

import pytest

from acl_runtime import *
from acl_runtime.memory.private_formats import Stored, StoredBlocks, covers, forgotten

MATRIX = Stored((32, 32), ACL_FLOAT16)
SIZE = MATRIX.nbytes


@pytest.mark.parametrize(
    ("shape", "dtype", "expected"),
    [
        ((16, 16), ACL_FLOAT16, (1, 1, 16, 16)),
        ((17, 16), ACL_BF16, (1, 2, 16, 16)),
        ((16, 17), ACL_FLOAT16, (2, 1, 16, 16)),
        ((1, 1), ACL_FLOAT, (1, 1, 16, 8)),
        ((5, 100), ACL_INT8, (4, 1, 16, 32)),
        ((3, 40, 65), ACL_INT4, (3, 2, 3, 16, 64)),
        ((2, 3, 4, 5), ACL_UINT8, (2, 3, 1, 1, 16, 32)),
    ],
)
def test_a_block_has_16_rows_of_32_bytes(shape: tuple[int, ...], dtype: int, expected: tuple[int, ...]) -> None:
    stored = Stored(shape, dtype)
    assert stored.storage_shape == expected
    blocks = 1
    for size in expected[:-2]:
        blocks *= size
    assert stored.nbytes == blocks * 512


def test_a_format_may_name_the_columns_of_its_blocks() -> None:
    assert Stored((16, 32), ACL_FLOAT, 16).storage_shape == (2, 1, 16, 16)
    assert Stored((16, 32), ACL_FLOAT, 16).nbytes == 2 * 16 * 16 * 4


@pytest.mark.parametrize(
    ("low", "high", "left"), [(0, 100, True), (2000, 3000, True), (99, 101, False), (1500, 1501, False)]
)
def test_a_write_of_any_byte_forgets_a_record(low: int, high: int, left: bool) -> None:
    record = StoredBlocks(100, 2000, MATRIX, "")
    assert forgotten((record,), low, high) == ((record,) if left else ())


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

"""FRACTAL_NZ in memory: sizes of blocks."""

from __future__ import annotations

import pytest

from acl_runtime import *
from acl_runtime.memory.private_formats import Stored


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

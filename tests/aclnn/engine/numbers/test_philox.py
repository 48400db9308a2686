"""The random words, beside the known answers of their authors."""

from __future__ import annotations

import numpy as np
import pytest

from aclnn.engine.numbers.philox import blocks
from tests.aclnn.ops.random import philox

PI = (0x85A308D3243F6A88, 0x0370734413198A2E, 0x299F31D0A4093822)
ANSWERS = {
    "zeros": ((0, 0, 0), "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    "ones": ((2**64 - 1, 2**64 - 1, 2**64 - 1), "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    "digits of pi": (PI, "d16cfe09 94fdcceb 5001e420 24126ea1"),
}


@pytest.mark.parametrize(("given", "answer"), ANSWERS.values(), ids=ANSWERS)
def test_known_answers(given: tuple[int, int, int], answer: str) -> None:
    first, second, key = given
    words = [int(word, 16) for word in answer.split()]
    assert blocks(key, first, second, 1).tolist() == [words]
    assert philox.block(key, second << 64 | first) == words


def test_counters_beyond_32_bits_and_negative_numbers() -> None:
    counters = np.array([2**32 - 1, 2**32, 2**64 - 1], np.uint64)
    wanted = [philox.block(2**64 - 7, (2**64 - 3) << 64 | int(each)) for each in counters]
    assert blocks(-7, counters, -3, 3).tolist() == wanted
    assert blocks(5, 9, counters, 3).tolist() == [philox.block(5, int(each) << 64 | 9) for each in counters]

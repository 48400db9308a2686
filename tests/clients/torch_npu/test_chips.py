"""PyTorch trains on a chip of each series, and everyday operators answer as their page says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clients.torch_npu.chips import CHIPS, tried, written


@pytest.mark.parametrize("chip", CHIPS)
def test_a_training_has_the_losses_of_the_cpu_and_operators_answer_as_the_page_says(
    chip: str, python: Path, user: dict[str, str], tmp_path: Path
) -> None:
    assert tried(python, chip, tmp_path, user) == written()[chip]


def test_the_page_has_52_operators_and_each_no_has_a_function_and_a_status() -> None:
    """This needs no plugin."""
    assert list(written()) == list(CHIPS)
    for column in written().values():
        assert len(column) == 52
        assert [each for each in column.values() if each != "yes" and len(each.split()) != 2] == []

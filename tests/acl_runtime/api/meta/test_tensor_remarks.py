"""Finding neg-stride-offset (ours): strides and offsets that are not 0 or more."""

from collections.abc import Sequence

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.builders import meta

# shape, strides, offset, words of the advice; "" for no advice
ROWS: dict[str, tuple[Sequence[int], Sequence[int] | None, int, str]] = {
    "a negative stride": ([2, 3], [3, -1], 2, "the stride of dimension 1 is -1"),
    "two of them": ([2, 3], [-3, -1], 5, "the stride of dimension 0 is -3, the stride of dimension 1 is -1"),
    "a negative offset": ([2, 3], [3, 1], -4, "the offset is -4"),
    "both": ([2], [-1], -1, "the offset is -1, the stride of dimension 0 is -1"),
    "no strides": ([2, 3], None, 0, ""),
    "strides and an offset": ([2, 3], [7, 2], 9, ""),
    "stride 0": ([2, 3], [0, 1], 0, ""),
    "a stride that leads nowhere": ([1, 3], [-5, 1], 0, ""),
    "no elements": ([0, 3], [-3, -1], -1, ""),
}


@pytest.mark.parametrize(("shape", "strides", "offset", "words"), ROWS.values(), ids=ROWS)
def test_negative_strides_and_offsets_are_advice(
    machine: Machine, shape: Sequence[int], strides: Sequence[int] | None, offset: int, words: str
) -> None:
    """aclCreateTensor and aclInitTensor report it and succeed; advice fails no test."""
    assert meta(shape, strides=strides, offset=offset)
    tensor = meta([1])
    assert aclInitTensor(tensor, shape, len(shape), ACL_FLOAT, strides, offset, ACL_FORMAT_ND, None, 0, None) \
        == ACL_SUCCESS  # fmt: skip
    calls = ["aclCreateTensor", "aclInitTensor"] if words else []
    reported = [finding for finding in machine.findings if finding.id == "neg-stride-offset"]
    assert [finding.call for finding in reported] == calls
    assert all(words in finding.message and finding.level == "advice" for finding in reported)
    assert machine.findings.worth_telling == []

"""Each documented function without a formula has its reason."""

import pytest

from aclnn.catalogue.reasons import NO_CONTRACT, NO_NUMBERS, SEVERAL_DEVICES, reason
from aclnn.tools.exports import has_kernel


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("aclnnAttentionToFFN", SEVERAL_DEVICES),
        ("aclnnFFNToAttention", SEVERAL_DEVICES),
        ("aclnnMoeDistributeBufferReset", SEVERAL_DEVICES),
        ("aclnnQuantFlashAttentionScore", NO_NUMBERS),  # HIFLOAT8
        ("aclnnMhcSinkhorn", NO_CONTRACT),
    ],
)
def test_the_reason_follows_from_the_facts(name: str, expected: str) -> None:
    assert not has_kernel(name)
    assert reason(name) == expected

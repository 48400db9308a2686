"""Each documented function without a formula has its reason."""

import pytest

from aclnn.catalogue.index import names
from aclnn.catalogue.reasons import KNOWN, NO_CONTRACT, NO_NUMBERS, SEVERAL_DEVICES, reason
from aclnn.tools.exports import has_kernel


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("aclnnMatmulAllReduce", SEVERAL_DEVICES),
        ("aclnnMoeDistributeDispatchV2", SEVERAL_DEVICES),
        ("aclnnDistributeBarrier", SEVERAL_DEVICES),
        ("aclnnQuantFlashAttentionScore", NO_NUMBERS),  # HIFLOAT8
        ("aclnnMlaProlog", NO_CONTRACT),
        ("aclnnRingAttentionUpdate", NO_CONTRACT),  # one device of several calls it; it does not communicate
    ],
)
def test_the_reason_follows_from_the_facts(name: str, expected: str) -> None:
    assert not has_kernel(name)
    assert reason(name) == expected


def test_functions_whose_contract_is_known_have_no_formula_yet() -> None:
    """A function that gets a formula leaves the list."""
    assert set(names()) >= KNOWN
    assert not {name for name in KNOWN if has_kernel(name)}

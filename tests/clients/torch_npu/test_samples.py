"""PyTorch's operator samples: a seeded share of them, and how outcomes differ.

`python -m tests.clients.torch_npu.samples` runs them all.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clients.torch_npu.samples import table
from tests.clients.torch_npu.samples.__main__ import options, run
from tests.clients.torch_npu.samples.outcomes import Outcome, of_exception, of_stderr

pytest.importorskip("tomllib", reason="Python 3.10 cannot read TOML")
SHARE = ("--most", "2", "--share", "0.15", "--seed", "1")
LEAST = 500
"""samples that are compared, else the share says nothing"""
GOAL = 0.95


def test_a_share_of_the_samples_is_right(python: Path) -> None:
    results = run(python, options([*SHARE]))
    found = table.totals(results)
    judged = sum(found[each] for each in table.JUDGED)
    assert table.unexplained(results) == []
    assert judged >= LEAST
    assert found[Outcome.RIGHT] >= GOAL * judged, table.summary(results)


@pytest.mark.parametrize(
    ("text", "outcome", "reason"),
    [
        ("call aclnnFoo failed, error code is 561003 ...", Outcome.NO_KERNEL, "aclnnFoo"),
        ("call aclnnFoo failed, error code is 161002 EZ1001: no", Outcome.REFUSED_BY_FUNCTION, "aclnnFoo 161002"),
        ("call aclnnFoo failed, error code is 507035 ", Outcome.FAILED, "aclnnFoo 507035"),
        ("Only contiguous_format is supported", Outcome.REFUSED, "RuntimeError: Only contiguous_format is supported"),
    ],
    ids=["no kernel", "refused by the function", "a failed task", "refused by the plugin"],
)
def test_an_exception_says_what_became_of_a_sample(text: str, outcome: Outcome, reason: str) -> None:
    found = of_exception(RuntimeError(text))
    assert found.outcome is outcome
    assert found.reason.startswith(reason)


def test_a_finding_and_a_fallback_are_seen_on_stderr() -> None:
    found = of_stderr("noise\nerror[alias-overlap]: the output shares bytes\n")
    assert found == (Outcome.FOUND, "alias-overlap: the output shares bytes")
    assert of_stderr("'aten::foo' is not supported and will fall back to run on the CPU.") == (Outcome.FELL_BACK, "")
    assert of_stderr("a warning") is None


def test_a_sample_that_nobody_compared_is_not_right() -> None:
    """It has a column of its own, and does not count in the share of right samples."""
    results = [{"pair": "rand_like int64", "counts": {"right": 1, "not compared": 3}, "reasons": {"not compared": {}}}]
    assert "100.0% of 1" in table.summary(results)
    assert "| rand_like | 1 |  | 3 |" in table.page(results)


def test_what_differs_needs_a_reason() -> None:
    def one(pair: str, **counts: int) -> dict[str, object]:
        return {"pair": pair, "counts": counts, "reasons": {}}

    right, known, unknown = one("add int64", right=3), one("put bool", failed=1), one("add bool", differs=2)
    assert table.unexplained([right, known]) == []
    assert table.unexplained([right, unknown]) == ["add bool: 2 differs: "]
    assert "| put |" in table.page([right, known])

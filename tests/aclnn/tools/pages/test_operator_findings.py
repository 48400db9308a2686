"""Which findings the page of an operator lists."""

from __future__ import annotations

import pytest

from aclnn.tools.pages.operator_findings import of_all, own_findings, reported, section


@pytest.mark.parametrize(
    ("name", "listed"),
    [
        ("aclnnMm", {"hf32"}),
        ("aclnnGatherV2", {"index-range"}),
        ("aclnnEmbeddingDenseBackward", {"index-range", "dtype-converted"}),
        ("aclnnRelu", {"exec-twin"}),
        ("aclnnInplaceRelu", {"exec-twin"}),
        ("aclnnSoftmax", set[str]()),
        ("aclnnAllGatherMatmul", set[str]()),
    ],
    ids=["its plan gives advice", "its steps look at positions", "an exact operator", "it has a form in place",
         "it is a form in place", "nothing of its own", "no formula"],
)  # fmt: skip
def test_an_operator_lists_what_is_not_watched_for_in_all(name: str, listed: set[str]) -> None:
    assert {check.id for check in own_findings(name)} == listed


@pytest.mark.checkout("pages of findings are read there")
def test_what_the_engine_reports_is_listed_for_all() -> None:
    found = {check.id for check in of_all()}
    assert {"ws-small", "exec-reused", "alias-overlap", "uninit-read"} <= found
    assert not found & {"hf32", "index-range", "dtype-converted", "exec-twin", "mem-leaked"}


def test_only_functions_of_the_operator_are_searched() -> None:
    """Not those of the engine, which every operator uses: else all would list what a few report."""
    assert reported("aclnnMm") == {"hf32"}
    assert reported("aclnnSoftmax") == frozenset()


def test_the_section_links_each_finding() -> None:
    text = "\n".join(section("aclnnMm", "../.."))
    assert "| [hf32](../../findings/hf32.md) | advice |" in text
    assert all(f"[{check.id}](../../findings/{check.id}.md)" in text for check in of_all())

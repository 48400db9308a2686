"""The table of contents in the margin of the site."""

from __future__ import annotations

import re

from aclnn.tools.pages import doc_site, margin

HERE = ' current-page"><a class="reference internal" href="'


def of(page: str) -> list[str]:
    """The pages in the margin of a page, in order."""
    tree = margin.html(page, doc_site.CONTENTS, lambda each: each, lambda each: each)
    return re.findall(r'<a class="reference internal" href="([^"]*)"', tree)


def test_the_pages_of_a_group_are_only_in_the_margin_of_that_group() -> None:
    assert "reference/functions/aclrtFree" in of("reference/functions/aclrtMalloc")
    assert "reference/functions/aclrtFree" not in of("reference/functions/aclrtSetDevice")
    assert "reference/functions/aclrtFree" not in of("tutorial")
    assert "reference/operators/aclnnAdd" in of("reference/operators/aclnnSub")
    assert "reference/functions/aclnnPreluBackward" in of("reference/functions/aclnnSoftmaxBackwardGetWorkspaceSize")
    assert "reference/statuses/161001" in of("reference/statuses/161002")


def test_the_groups_of_every_part_can_be_unfolded_on_every_page() -> None:
    for page in ("tutorial", "zh/tutorial", "findings/churn"):
        listed = of(page)
        other = "findings" if page.startswith("zh/") else "zh/findings"
        for entry, groups in margin.groups().items():
            if entry == other:  # each language has its own pages
                continue
            assert entry in listed
            assert {group.place for group in groups} <= set(listed)


def test_a_chinese_page_has_the_chinese_pages_first() -> None:
    chinese = list(doc_site.CONTENTS["中文"])
    listed = [page for page in of("zh/tutorial") if not page.startswith("zh/findings/")]  # groups below an entry
    assert listed[: len(chinese)] == chinese
    assert [page for page in of("tutorial") if page.startswith("zh/")] == ["zh/index"]


def test_a_chinese_page_lists_no_page_that_is_there_in_chinese() -> None:
    listed = of("zh/tutorial")
    assert not {page.removeprefix("zh/") for page in listed if page.startswith("zh/")} - {"index"} & set(listed)
    assert {"conformance", "reference/operators", "zh/findings/churn"} <= set(listed)
    assert listed[-1] == "index"


def test_the_page_itself_is_marked_and_nothing_else() -> None:
    tree = '<li class="toctree-l1"><a class="reference internal" href="a.html">'
    tree += '<li class="toctree-l2"><a class="reference internal" href="b.html">'
    marked = margin.marked(tree, "b.html")
    assert marked.count("current-page") == 1
    assert f'{HERE}b.html" aria-current="page">' in marked

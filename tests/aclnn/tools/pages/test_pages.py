"""The pages of the documentation site that are made from declarations. tests/site builds the site, and follows every
link."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from acl_runtime.abi.function import CFunction
from acl_runtime.objects.support import SUPPORT
from aclnn.catalogue.facts import facts as facts_of
from aclnn.tools.command.explained_names import function as facts
from aclnn.tools.exports import all_functions, has_kernel
from aclnn.tools.exports import categories as by_category
from aclnn.tools.pages import categories, doc_site, functions, links, python
from aclnn.tools.pages import statuses as status_pages
from aclnn.tools.pages.markdown import plain
from aclnn.tools.pages.reference_links import linked, with_links
from tests.helpers.places import ROOT


@cache
def with_pages() -> dict[str, CFunction]:
    """The functions with a page of their own: all but those of operators that are made from facts."""
    return {name: each for name, each in all_functions().items() if f"reference/functions/{name}.md" in FUNCTIONS}


FUNCTIONS = functions.files()
STATUSES = status_pages.files()


def test_the_page_of_a_function_shows_prototype_and_statuses() -> None:
    """Each status once, with all of its reasons, which may be in two places of a help text."""
    for name, function in with_pages().items():
        page = FUNCTIONS[f"reference/functions/{name}.md"]()
        assert f"```{{c:function}} {function.prototype}\n```" in page
        table = page.partition("\n## What it returns\n")[2].partition("\n## ")[0]
        rows = dict(re.findall(r"^\| (.+?) \| (.*) \|$", table, re.MULTILINE))
        for each in facts(function)["statuses"]:
            value = str(each["value"])
            link = f"[{value} {each['name']}](../statuses/{value}.md)"
            plain = f"{value} {each['name']}".removesuffix(" unknown status")
            cell = rows[link if f"reference/statuses/{value}.md" in STATUSES else plain]
            assert all(linked(reason) in cell for reason in each["reasons"]), name


def test_the_page_of_a_function_shows_the_products() -> None:
    """The products for which it is documented, and the answer on others. Functions outside of the runtime have none."""
    for name, function in with_pages().items():
        _, title, answers = FUNCTIONS[f"reference/functions/{name}.md"]().partition("\n## Products\n\n")
        assert bool(title) == bool(function.products), name
        rows = dict(re.findall(r"^\| ((?:Atlas|Ascend) .*?) \| (.*) \|$", answers, re.MULTILINE))
        if name in SUPPORT:
            assert rows == {series.value: linked(each.text) for series, each in SUPPORT[name].items()}, name
        elif function.products:
            assert answers.startswith("It is documented for all products.")


def test_the_page_of_a_status_names_the_functions_that_return_it() -> None:
    for value in status_pages.values():
        page = STATUSES[f"reference/statuses/{value}.md"]()
        linked_to = set(re.findall(r"\[(\w+)\]\(\.\./\.\./(?:reference/functions|ops)/", page))
        returning = {name for name, function in all_functions().items() if value in function.statuses}
        assert linked_to >= {name for name in returning if name in with_pages()}, value
        counted = re.search(r"(\d+) functions of \[operators\]\(\.\./operators\.md\)", page)
        assert (int(counted[1]) if counted else 0) == len(returning - set(with_pages())), value


def test_every_documented_function_has_a_page_or_a_section() -> None:
    made = doc_site.files()
    for category, names in by_category().items():
        page = made[f"reference/operators/{category}.md"]()
        for name in names:
            place, _, anchor = categories.place(name).partition("#")
            assert bool(anchor) != categories.has_own_page(name)
            if anchor:
                assert place == f"reference/operators/{category}.md"
                _, title, section = page.partition(f"({anchor})=\n## {name}\n")
                assert title, name
                section = section.partition("\n## ")[0]
                assert all_functions()[name].prototype in section
                assert f"#include <{facts_of(name).header}>" in section
                assert ("no kernel" in section) == (not has_kernel(name)), name
            else:
                assert f"](../../{place})" in page
                assert place in made or (ROOT / "docs" / place).is_file()


def test_a_section_lists_data_types_by_product() -> None:
    page = doc_site.files()["reference/operators/nn_norm.md"]()
    section = page.partition("## aclnnLayerNormQuant\n")[2].partition("\n## ")[0]
    row = next(line for line in section.splitlines() if line.startswith("| `x` | input |"))
    assert row.endswith("310P: FLOAT16 |")
    assert "BFLOAT16" in row


def test_names_in_a_docstring_become_links() -> None:
    text = "`aclrtMalloc` or aclrtFree of `*devPtr`: ACL_ERROR_RT_CONTEXT_NULL, ACL_FORMAT_ND; a_b <c>"
    assert linked(text) == (
        "[`aclrtMalloc`](../../reference/functions/aclrtMalloc.md) or "
        "[aclrtFree](../../reference/functions/aclrtFree.md) of `*devPtr`: "
        r"[ACL\_ERROR\_RT\_CONTEXT\_NULL](../../reference/statuses/107002.md), "
        r"[ACL\_FORMAT\_ND](../../reference/enumerations.md#enum-aclformat); a\_b \<c\>"
    )
    assert linked("aclrtFree", but="aclrtFree") == "aclrtFree"
    assert plain("a `b_c` d_e|f") == r"a `b_c` d\_e\|f"


def test_a_reference_page_gets_links() -> None:
    """Names of functions and statuses become links. Code, titles and links stay as they are, and so do the name of the
    page itself and the numbers of statuses that are never returned."""
    page = "# aclInit\n\naclrtFree: 107002 `aclInit`, [aclInit](x.md), aclInit, 200000\n\n```c\naclInit(161002);\n```\n"
    assert with_links(page, ".", but="aclrtMalloc") == page.replace(
        "aclrtFree: 107002", "[aclrtFree](./reference/functions/aclrtFree.md): [107002](./reference/statuses/107002.md)"
    ).replace(", aclInit,", ", [aclInit](./reference/functions/aclInit.md),")
    assert with_links("aclrtFree", "..", but="aclrtFree") == "aclrtFree"
    assert "[361001](../reference/statuses/361001.md)" in doc_site.adjusted("ops/x", "| 361001 |")
    assert doc_site.adjusted("tutorial", "aclrtFree 361001") == "aclrtFree 361001"


def test_the_site_shows_titles_where_a_link_names_a_file() -> None:
    named = ("[contract.md](contract.md#workspace)", "[docs/cpp.md](cpp.md)", "[ops/](reference/operators.md)")
    assert [links.titled(each) for each in named] == [re.sub(r"^\[.*?\]", "[]", each) for each in named]
    for other in ("[a program](cpp.md)", "[x.py](x.py.md)"):
        assert links.titled(other) == other


def test_many_checks_are_only_listed_on_the_page_of_the_function() -> None:
    page = STATUSES["reference/statuses/161002.md"]()
    assert page.count("one of the checks on its page fails") == 1
    assert "gradOutput" not in page
    assert "• dim is out of range for gradOutput" in (
        FUNCTIONS["reference/functions/aclnnSoftmaxBackwardGetWorkspaceSize.md"]()
    )


@pytest.mark.checkout("links are resolved in its folders")
def test_links_that_leave_the_pages_lead_to_pages_of_the_site() -> None:
    text = (
        "[a](../samples/__main__.py) [b](ops/) [c](../CHANGELOG.md#x) [d](https://e) [f](#g) [h](testing.md) "
        "[i](../README.zh.md)"
    )
    page = links.DOCS / "porting.md"
    assert links.rebased(text, page, page) == (
        "[a](sources/samples/__main__.py.md) [b](reference/operators.md) [c](project/changelog.md#x) [d](https://e) "
        "[f](#g) [h](testing.md) [i](zh/index.md)"
    )


def test_the_table_of_contents_has_every_page_that_is_written_by_hand() -> None:
    """The pages in docs/ itself; folders have lists of their own."""
    listed = {name for names in doc_site.CONTENTS.values() for name in names}
    made = {path.removesuffix(".md") for path in doc_site.files()}
    written = {path.stem for path in (ROOT / "docs").glob("*.md")} - {"index"}
    assert written <= listed
    assert {name for name in listed - written - made if not Path(ROOT / "docs" / f"{name}.md").is_file()} == set()


def test_the_api_of_python_alone_is_documented() -> None:
    page = python.page()
    for names in python.PUBLIC.values():
        for name, members in names.items():
            assert re.search(rf"```{{py:(class|function)}} {re.escape(name)}\(", page), name
            for member in members.split():
                assert re.search(rf"```{{py:(method|property)}} {re.escape(name)}\.{member}\b", page), member

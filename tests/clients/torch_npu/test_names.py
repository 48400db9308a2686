"""The page of the functions without facts is fresh."""

from __future__ import annotations

import re
from pathlib import Path

from aclnn.tools.exports import names
from tests.clients.torch_npu.names import EXPRESSIONS, PAGE, made, outcome


def test_the_page_is_what_the_installed_plugin_does(python: Path) -> None:
    assert PAGE.read_text(encoding="utf-8") == made(python)


def test_no_name_of_the_page_has_facts() -> None:
    """This needs no plugin: it fails when facts arrive."""
    found = set(re.findall(r"^\| (aclnn\w+)", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    assert found
    assert found & set(names()) == set()
    assert set(EXPRESSIONS) <= found


def test_an_exception_says_what_the_plugin_does() -> None:
    assert outcome("").endswith("computes")
    assert "operator Iou," in outcome("x OPS function error: Iou, error code is 100024")
    assert "not in libopapi.so" in outcome("aclnnFoo or aclnnFooGetWorkspaceSize not in libopapi.so, or")
    assert outcome("else [ERROR] more") == "an exception: else"

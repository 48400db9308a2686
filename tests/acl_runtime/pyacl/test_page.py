"""docs/pyacl.md lists what is absent (its code is run with that of all pages)."""

import re
from pathlib import Path

from acl_runtime.pyacl.names import ABSENT
from tests.helpers.listing import assert_listed

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "pyacl.md").read_text(encoding="utf-8")


def test_the_page_lists_what_is_absent() -> None:
    rows = re.findall(r"^\| (.*) \| (`.*`) \|$", PAGE.partition("## What is absent")[2], re.MULTILINE)
    listed = {(what, name) for what, names in rows for name in re.findall(r"`([\w.]+)`", names)}
    there = {(what, name) for what, names in ABSENT.items() for name in names.split()}
    where = 'docs/pyacl.md and docs/zh/pyacl.md, "What is absent"; or ABSENT in acl_runtime/pyacl/names.py'
    assert_listed(where, listed, there)

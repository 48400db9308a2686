"""docs/pyacl.md lists what is absent (its code is run with that of all pages)."""

import re
from pathlib import Path

from acl_runtime.pyacl.names import ABSENT

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "pyacl.md").read_text(encoding="utf-8")


def test_the_page_lists_what_is_absent() -> None:
    rows = re.findall(r"^\| (.*) \| (`.*`) \|$", PAGE.partition("## What is absent")[2], re.MULTILINE)
    assert {what: re.findall(r"`([\w.]+)`", names) for what, names in rows} == {
        what: names.split() for what, names in ABSENT.items()
    }

"""The mistakes of contributors that the making of an index names. tests/project/test_public_names.py compares it."""

from __future__ import annotations

import pytest

from aclnn.tools import index


@pytest.mark.parametrize(
    "homes", [{"a.one": ("aclFree",), "a.two": ("aclInit", "aclFree")}, {"a.one": ("aclFree", "aclFree")}]
)
def test_a_name_has_one_home(homes: dict[str, tuple[str, ...]]) -> None:
    with pytest.raises(ValueError, match=r"aclFree is defined in a\.one, and again in a\.\w+: rename one"):
        index.only_once(homes)
    assert index.only_once({"a.one": ("aclFree",), "a.two": ()}) == {"a.one": ("aclFree",)}

"""The comparison of a list with what it is about. A failure says which file to edit, and how."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable


def assert_listed(where: str, listed: Iterable[Hashable], there: Iterable[Hashable]) -> None:
    """Each thing that is there is listed as often as it is there, and nothing else is. `where`: the file with the list,
    and the place in it."""
    __tracebackhide__ = True
    has, needs = Counter(iter(listed)), Counter(iter(there))
    edits = [*(f"add {each}" for each in needs - has), *(f"remove {each}" for each in has - needs)]
    assert not edits, "\n    ".join([f"edit {where}:", *sorted(edits)])

"""Which functions the tests of this folder take.

Each function costs about a tenth of a second here. The whole suite takes a fixed share, so that it stays as fast
however many operators there are. All functions are taken if the command names this folder, or has `-k` or `-m`, or
with `ACLNN_EXHAUSTIVE=1`. `ACLNN_DERIVED=1/10` takes a tenth of them, as `.ci/aarch64` does, and `1/6:2` the third of
six parts. `.ci/run` takes one of six parts, by the commit.
"""

from __future__ import annotations

import os
from fractions import Fraction
from functools import cache
from math import ceil
from typing import cast
from zlib import crc32

import pytest

from aclnn.ops import EXACT
from tests.derived.judging import names

SHARE = 64
"""functions in the whole suite"""
PART, _, PLACE = os.environ.get("ACLNN_DERIVED", "").partition(":")
"""the part of the functions, such as 1/10, if not SHARE; and the number of the part, from 0 on"""


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "functions(names): the test takes these functions, or a share of them")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    mark = metafunc.definition.get_closest_marker("functions")
    if mark is not None:
        listed = [name for name in mark.args[0] if asked(metafunc.config) or name in shared()]
        metafunc.parametrize("name", listed)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All tests of one function follow each other. So they find in the caches of this process what was searched for
    it."""
    places = [at for at, item in enumerate(items) if item.get_closest_marker("functions") is not None]
    # a test whose functions are all in other parts has no name; pytest skips it
    grouped = sorted(
        (items[at] for at in places), key=lambda item: str(cast("pytest.Function", item).callspec.params["name"])
    )
    for at, item in zip(places, grouped, strict=True):
        items[at] = item


def asked(config: pytest.Config) -> bool:
    """Is this more than the whole suite?"""
    if PART:
        return False
    wanted = bool(config.option.keyword or config.option.markexpr or os.environ.get("ACLNN_EXHAUSTIVE") == "1")
    return wanted or any("derived" in arg for arg in config.args)


@cache
def shared() -> frozenset[str]:
    """Those of the documents, and the functions whose names have the smallest checksums: the same in each run."""
    listed = sorted(names(), key=lambda name: crc32(name.encode()))
    count = ceil(len(listed) * Fraction(PART)) if PART else SHARE
    start = count * int(PLACE or 0)
    return EXACT.keys() | listed[start : start + count]

"""The names of all documented functions, and the line of each in the data files.

This module imports only small modules of Python, so that `from aclnn import *` is fast.
"""

from collections.abc import Mapping
from functools import cache
from os import listdir
from os.path import dirname, join
from typing import Any, Final

DATA: Final = join(dirname(__file__), "data")
SUFFIX: Final = ".jsonl"
START: Final = b'{"name":"'
"""the first bytes of each line of a data file"""
SINGLE: Final = b'"phases":1'
PRODUCTS: Final = b'"products":'


@cache
def lines() -> Mapping[str, tuple[str, bytes]]:
    """The category and the line of each function. `facts` parses a line at its first use: to parse all would take
    time."""
    lines: dict[str, tuple[str, bytes]] = {}
    for file in sorted(listdir(DATA)):
        category = file.removesuffix(SUFFIX)
        with open(join(DATA, file), "rb") as data:
            for line in data.read().splitlines():
                lines[line[len(START) : line.index(b'"', len(START))].decode()] = category, line
    return lines


@cache
def names() -> tuple[str, ...]:
    """The names of all functions, sorted, without GetWorkspaceSize."""
    return tuple(sorted(lines()))


@cache
def single_phase() -> frozenset[str]:
    """The names of the functions that have no second phase."""
    return frozenset(name for name, (_, line) in lines().items() if SINGLE in line)


def products(name: str) -> Mapping[str, Any]:
    """The support of a function on each product, without reading its other facts."""
    import json  # late, as in `facts`

    line = lines()[name][1]
    begin = line.index(PRODUCTS) + len(PRODUCTS)
    return json.loads(line[begin : line.index(b"}", begin) + 1])

"""The evidence for the results of a function, and the level that follows.

    exact       the five operators with a class of their own: every sentence of their document has a test
    computed    made from facts and a formula; `evidence.json` says which oracle its results were compared with
    catalogued  every other documented function
    own         an operator of another project

`evidence.json` is made by `python -m tests.oracle --write`. A row has the function and the ways of the oracle: torch
first, where it has the function. It has the worst error of each data type, as a share of the bound, and the mutations
that the oracle noticed: a change of the steps, and wrong formulas.
"""

from collections.abc import Mapping
from functools import cache
from os.path import dirname, join  # (pathlib takes as long to import as the rest of a small program)
from typing import Any, Final, Literal

Level = Literal["exact", "computed", "catalogued", "own"]
LEVELS: Final[Mapping[Level, str]] = {
    "exact": "every sentence of its document has a test",
    "computed": "its results were compared by another route",
    "catalogued": "nothing else has confirmed its results",
    "own": "of a project of its own",
}
"""the meaning of each level"""
FILE: Final = join(dirname(__file__), "evidence.json")


@cache
def evidence() -> Mapping[str, Mapping[str, Any]]:
    """The rows of the file, by function."""
    import json  # late: `import aclnn` makes five operators, and does without it

    return {row["function"]: row for row in json.loads(_content())}


@cache
def _content() -> bytes:
    with open(FILE, "rb") as file:
        return file.read()


@cache
def level(name: str) -> Level:
    """The level of trust in a function that is made from facts.

    The file is searched, not parsed, as the first phase of such a function waits for it."""
    return "computed" if b'"function": "%s"' % name.encode() in _content() else "catalogued"

"""The evidence that the results of a function are right, and the resulting level of trust.

    exact       the five operators with a class of their own: every sentence of their document has a test
    computed    made from facts and a formula; `evidence.json` names the oracle that its results were compared with
    catalogued  every other documented function
    own         an operator of another project

`python -m tests.oracle --write` makes `evidence.json`. A row has the function and its oracles, such as a function of
PyTorch and a loop. It has the worst error for each data type, as a fraction of the allowed error. It also has the
mutations that the oracle noticed: a changed step, and wrong formulas.
"""

from collections.abc import Mapping
from functools import cache
from os.path import dirname, join  # pathlib is slow to import
from typing import Any, Final, Literal

Level = Literal["exact", "computed", "catalogued", "own"]
LEVELS: Final[Mapping[Level, str]] = {
    "exact": "every sentence of its document has a test",
    "computed": "its results were compared with another computation",
    "catalogued": "nothing else has confirmed its results",
    "own": "an operator of another project",
}
"""the meaning of each level"""
FILE: Final = join(dirname(__file__), "evidence.json")


@cache
def evidence() -> Mapping[str, Mapping[str, Any]]:
    """The rows of the file, by function."""
    import json  # late: `import aclnn` does not need it

    return {row["function"]: row for row in json.loads(_content())}


@cache
def _content() -> bytes:
    with open(FILE, "rb") as file:
        return file.read()


@cache
def level(name: str) -> Level:
    """The level of trust in a function that is made from facts.

    The file is searched, not parsed, as the first phase waits for the answer."""
    return "computed" if b'"function": "%s"' % name.encode() in _content() else "catalogued"

"""The index of `aclnn explain`: the statuses of each function. `python -m aclnn.render` makes it from the functions.

aclnn/tools/command/subjects/generated_returns.py

To ask all functions for their statuses makes them all, which takes seconds.
"""

from typing import Final

import acl_runtime
import aclnn
from aclnn.tools.exports import functions
from aclnn.tools.index import HEAD
from aclnn.tools.pages.markdown import Files

RETURNS: Final = "aclnn/tools/command/subjects/generated_returns.py"


def files() -> Files:
    """The function that returns the text of the index, by its path in the project."""
    return {RETURNS: text}


def text() -> str:
    """The index, with one function a line: two changes rarely meet in a line."""
    statuses = {name: each.statuses for name, each in (functions(acl_runtime) | functions(aclnn)).items()}
    rows = (f'    "{name}": ({"".join(f"{value}, " for value in sorted(of))[:-1]}),' for name, of in statuses.items())
    head = HEAD.format("The statuses of each function, without success.")
    return "\n".join([head, "RETURNS: Final[dict[str, tuple[int, ...]]] = {", *rows, "}", ""])

"""The indexes of `aclnn explain`. `python -m aclnn.render` makes them from the functions.

aclnn/tools/command/subjects/generated_returns.py      the statuses of each function
aclnn/tools/command/subjects/generated_mentions.py     the types and values in the help of each function; the number of
                                                       operators that support each data type

Without the indexes, `aclnn explain` would create all functions to read their help, which takes seconds. Each function
has its own line, so that two changes rarely meet in a line.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Final

import acl_runtime
import acl_runtime.headers.enums as enums
import aclnn
from acl_runtime.abi.function import CFunction
from acl_runtime.headers.dtypes import dtype_name
from aclnn.tools.command import header_values, ops
from aclnn.tools.command.header_values import mentioned, tensors_of
from aclnn.tools.exports import functions
from aclnn.tools.index import HEAD
from aclnn.tools.pages.markdown import Files

FOLDER: Final = "aclnn/tools/command/subjects"


def files() -> Files:
    """The functions that return the text of each index, by its path in the project."""
    return {f"{FOLDER}/generated_returns.py": returns, f"{FOLDER}/generated_mentions.py": mentions}


def returns() -> str:
    """generated_returns.py."""
    statuses = {name: each.statuses for name, each in _functions().items()}
    return "\n".join([
        HEAD.format("The statuses of each function, without success."),
        "RETURNS: Final[dict[str, tuple[int, ...]]] = {",
        *(f'    "{name}": ({"".join(f"{value}, " for value in sorted(of))[:-1]}),' for name, of in statuses.items()),
        "}", "",
    ])  # fmt: skip


def mentions() -> str:
    """generated_mentions.py."""
    names = header_values.subjects({}, tuple)
    mentions = {name: mentioned(each.help, names) for name, each in _functions().items()}
    supported = Counter(
        printed
        for op in ops.each_of()
        for printed in map(dtype_name, enums.aclDataType)
        if tensors_of(printed, op["data_types"])
    )
    return "\n".join([
        HEAD.format("The types and values of the headers in the help of each function."),
        "MENTIONS: Final[dict[str, str]] = {",
        *(f'    "{name}": "{" ".join(of)}",' for name, of in mentions.items() if of), "}", "",
        "OPERATORS: Final[dict[str, int]] = {",
        *(f'    "{dtype_name(member)}": {supported[dtype_name(member)]},' for member in enums.aclDataType), "}",
        '"""the number of operators that support each data type"""', "",
    ])  # fmt: skip


def _functions() -> Mapping[str, CFunction]:
    return functions(acl_runtime) | functions(aclnn)

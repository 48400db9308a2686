"""The enums of the headers, each with its members."""

from aclnn.tools.pages.markdown import Files, plain, table
from aclnn.tools.pages.names import ENUMS, anchor, groups


def files() -> Files:
    """Who makes the page."""
    return {ENUMS: page}


def page() -> str:
    """A table for each enum, which the links to its members lead to. (Titles would be in the margin of each page.)"""
    parts = [
        "# Enumerations",
        "The enums of `acl/acl_base_rt.h` and `acl/acl_rt.h`, number for number. `from acl_runtime import *` gives "
        "the members as bare names, as C has them.",
    ]
    for group in groups():
        rows = [(plain(name), f"{int(member)}") for name, member in group.__members__.items()]
        parts += [f"({anchor(group)})=\n```{{c:enum}} {group.__name__}\n```", table(("name", "value"), rows)]
    return "\n\n".join(parts) + "\n"

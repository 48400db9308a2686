"""The page of the enums of the headers, each with its members."""

from aclnn.tools.pages.markdown import Files, plain, table
from aclnn.tools.pages.reference_links import ENUMS, anchor, groups


def files() -> Files:
    """The function that returns the text of the page, by its path."""
    return {ENUMS: page}


def page() -> str:
    """A table for each enum. Links to a member lead to its table. The tables have no titles, as titles would appear in
    the margin of each page."""
    parts = [
        "# Enumerations",
        "The enums of `acl/acl_base_rt.h` and `acl/acl_rt.h`, number for number. `from acl_runtime import *` gives "
        "the members as bare names, as C has them.",
    ]
    for group in groups():
        rows = [(plain(name), f"{int(member)}") for name, member in group.__members__.items()]
        parts += [f"({anchor(group)})=\n```{{c:enum}} {group.__name__}\n```", table(("name", "value"), rows)]
    return "\n\n".join(parts) + "\n"

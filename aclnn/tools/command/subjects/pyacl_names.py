"""Names of pyACL that a program did not find, for `aclnn explain`: the name here, or the reason why it is absent."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from acl_runtime.pyacl.names import absence
from aclnn.tools.command import help_index

Facts = dict[str, Any]
NAME: Final = re.compile(r"acl(?:\.[A-Za-z]\w*)+", re.ASCII)
ERROR: Final = re.compile(
    r"module '(?P<module>acl(?:\.\w+)*)' has no attribute '(?P<attribute>[A-Za-z]\w*)'"
    r"|cannot import name '(?P<imported>[A-Za-z]\w*)' from '(?P<source>acl(?:\.\w+)*)'"
    r"|No module named '(?P<submodule>acl(?:\.\w+)+)'",
    re.ASCII,
)
"""the errors of Python about a name that a module of pyACL lacks"""
TEXTS: Final[Mapping[str, tuple[str, str]]] = {
    "there": (
        "pyACL has it, so `import acl` found something else: a folder or file named acl beside the program, or another "
        "package. print(acl.__file__, acl.__path__) shows which.",
        "Rename the other acl, and source set_env.sh of CANN; here use `aclnn run --pyacl FILE`.",
    ),
    "subject": ("This emulator does not have it: {subject}.", "`aclnn docs pyacl` lists what is absent."),
    "definition": ("pyACL defines no constants: a program writes the value itself.", "Define it: {definition}."),
    "other": ("pyACL has this function under another name.", "Call acl.{other}."),
    "none": (
        "pyACL has no such name, as far as public sources show.",
        "`aclnn docs pyacl` lists the functions, and the rule that makes their names from those in C.",
    ),
}
"""meaning and remedy, by the fact of the absence"""


def missed(text: str) -> Iterator[tuple[int, str]]:
    """The names that errors of Python in a text report as absent, each with its position: `acl.rt.mallocc`."""
    for match in ERROR.finditer(text):
        name = match["submodule"] or f"{match['module'] or match['source']}.{match['attribute'] or match['imported']}"
        yield match.start(), name


def facts(name: str, texts: Mapping[str, tuple[str, str]] = TEXTS, subjects: Mapping[str, str] | None = None) -> Facts:
    """The facts of a name of pyACL that a program did not find; empty for anything else. `subjects`: translations of
    the absent parts."""
    if not NAME.fullmatch(name):
        return {}
    absent = absence(name.partition(".")[2], help_index.pyacl_names)
    known = {} if absent is None else {fact: value for fact, value in absent._asdict().items() if value}
    fact = "there" if absent is None else next(iter(known), "none")
    if subjects and "subject" in known:
        known["subject"] = subjects[known["subject"]]
    meaning, what_to_do = (part.format(**known) for part in texts[fact])
    return {"kind": "pyacl name", "name": name, "meaning": meaning, "what_to_do": what_to_do}

"""The hint that `aclnn run` prints after the exception that ended a Python program.

There is a hint only where Python itself proposes no name.
"""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Final

import acl_runtime
import aclnn
from aclnn.tools.command.text import EMPTY, translator

ABSENT: Final = re.compile(r"cannot import name '(\w+)' from '(?:acl_runtime|aclnn)'")
PACKAGES: Final = (acl_runtime, aclnn)


def hint(error: Exception, file: Path, words: Mapping[str, str] = EMPTY) -> str:
    """A line for the user; empty if there is no hint. `words`: translations of its sentences.

    Python proposes no name in a module of more than 750 names, and `from acl_runtime import *` makes such a module.
    """
    say = translator(words)
    if isinstance(error, ModuleNotFoundError) and error.name == "acl":
        return say("the program uses pyACL: aclnn run --pyacl {file}").format(file=file)
    if isinstance(error, ImportError | AttributeError) and "did you mean" in str(error):
        return ""
    absent = ABSENT.match(str(error)) if isinstance(error, ImportError) else None
    if isinstance(error, NameError) or (
        isinstance(error, AttributeError) and any(error.obj is package for package in PACKAGES)
    ):
        name = error.name or ""
    elif absent:
        name = absent[1]
    else:
        return ""
    homes = {each: module.__name__ for module in PACKAGES for each in module.__all__}
    if name in homes and not isinstance(error, AttributeError):
        return f"from {homes[name]} import {name}"
    near = get_close_matches(name, homes, 1, cutoff=0.8)
    if near:
        return say("{name}: did you mean {near}, of {package}?").format(name=name, near=near[0], package=homes[near[0]])
    no_operator = say("{name}: there is no such operator; `aclnn ops` lists them").format(name=name)
    return no_operator if name.startswith("aclnn") else ""

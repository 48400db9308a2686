"""The texts that have no Chinese translation yet: `python -m aclnn.render` lists them.

A report in Chinese shows such a text in English. So a new finding is complete without a translation, and somebody who
reads Chinese can add it later.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from acl_runtime.checks import catalogue_zh, chinese
from acl_runtime.checks.catalogue import CATALOGUE
from acl_runtime.text import PLACE
from aclnn.tools.pages import fidelity
from aclnn.tools.pages.chinese import WRONG
from aclnn.tools.pages.markdown import ROOT

PACKAGES: Final = ("acl_runtime", "aclnn")
TEMPLATES: Final = {"Text": slice(1), "Wording": slice(1), "Text.plural": slice(1, 3), "Text.chain": slice(1)}
"""the arguments that are templates, by function; operators know `Text` as `Wording`, as their `Text` is a parameter"""


def untranslated() -> Iterator[str]:
    """The texts without a translation, a line for each: the table that lacks it, and the text."""
    there = {*chinese.TEXTS, *chinese.HISTORY}
    for template in dict.fromkeys(template for _, _, template in templates()):
        if template not in there and PLACE.sub("", template).strip(" .:"):
            yield f"acl_runtime/checks/sentences_zh.py: {template!r}"
    for check in CATALOGUE:
        if check.id not in catalogue_zh.FINDINGS:
            yield f"acl_runtime/checks/catalogue_zh.py: {check.id}"
        if check.id not in WRONG and check.level != "status":
            yield f"aclnn/tools/pages/chinese.py: {check.id}"
    if rows := list(fidelity.missing()):
        yield f"{fidelity.TRANSLATIONS}: {len(rows)} rows; `python -m aclnn.tools.pages.fidelity` prints them"


def _name(function: ast.expr) -> str:
    """The name of a function of the sources, such as `Text` or `Text.plural`."""
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        return f"{function.value.id}.{function.attr}"
    return function.id if isinstance(function, ast.Name) else ""


def templates() -> Iterator[tuple[Path, int, str]]:
    """The templates of the sources, each with its file and line. ValueError if one is no literal."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            source = path.read_text(encoding="utf-8")
            if not any(f"{name}(" in source for name in TEMPLATES):
                continue  # most files: to parse all of them takes seconds
            for node in ast.walk(ast.parse(source)):
                if isinstance(node, ast.Call) and (places := TEMPLATES.get(_name(node.func))):
                    for argument in node.args[places]:
                        if not (isinstance(argument, ast.Constant) and isinstance(argument.value, str)):
                            raise ValueError(f"{path}:{node.lineno}: the template of a text is a literal")
                        yield path, node.lineno, argument.value

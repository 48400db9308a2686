"""The stubs of the operators: one file for each category, every documented function, few lines."""

from __future__ import annotations

import ast
from functools import cache

import aclnn
from acl_runtime.abi.function import in_python
from aclnn.catalogue.facts import facts
from aclnn.catalogue.index import names
from aclnn.tools import stubs
from aclnn.tools.exports import categories, has_kernel
from tests.helpers.places import home

FIRST = "GetWorkspaceSize"


@cache
def declared() -> dict[str, tuple[str, ast.FunctionDef]]:
    """Each function of the committed stubs, with its category."""
    found: dict[str, tuple[str, ast.FunctionDef]] = {}
    for path in home(stubs.STUBS).glob("*.pyi"):
        for each in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(each, ast.FunctionDef):
                assert each.name not in found
                found[each.name] = path.stem, each
    return found


def test_every_documented_function_is_in_the_stub_of_its_category() -> None:
    of_category: dict[str, set[str]] = {}
    for name, (category, _) in declared().items():
        of_category.setdefault(category, set()).add(name.removesuffix(FIRST))
    assert of_category == {category: set(listed) for category, listed in categories().items()}
    pairs = {name for name in names() if facts(name).phases == 2}
    assert set(declared()) == {*names(), *(f"{name}{FIRST}" for name in pairs)}


def test_the_parameters_are_those_of_the_function() -> None:
    for name, (_, of) in declared().items():
        parameters = getattr(aclnn, name).c.parameters
        assert [each.arg for each in of.args.args] == [in_python(each) for each, _ in parameters], name
        assert [ast.unparse(each.annotation) for each in of.args.args if each.annotation] == [
            ast.unparse(ast.parse(ctype.python, mode="eval")) for _, ctype in parameters
        ], name


def test_a_function_has_at_most_three_lines() -> None:
    """Both phases together. The docstring shows level and header; `help` has the rest."""
    for name in names():
        phases = [declared()[each][1] for each in (f"{name}{FIRST}", name) if each in declared()]
        assert sum((each.end_lineno or 0) - each.lineno + 1 for each in phases) <= 3, name
        doc = ast.get_docstring(phases[0]) or ""
        assert doc.casefold().startswith(getattr(aclnn, name).level), name
        assert ("no kernel" in doc) == (not has_kernel(name)), name
        assert facts(name).header in doc, name


def test_the_names_that_the_stubs_use_are_imported() -> None:
    for path in home(stubs.STUBS).glob("*.pyi"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imported = {each.name for node in tree.body if isinstance(node, ast.ImportFrom) for each in node.names}
        used = {
            node.id
            for each in tree.body
            if isinstance(each, ast.FunctionDef)
            for argument in each.args.args
            if argument.annotation
            for node in ast.walk(argument.annotation)
            if isinstance(node, ast.Name)
        }
        assert imported == used - {"int", "float", "bool", "str", "bytes"}, path.name


def test_the_package_takes_the_functions_from_all_of_them() -> None:
    lines = home("aclnn/__init__.pyi").read_text(encoding="utf-8").splitlines()
    assert {line for line in lines if line.endswith("import *")} == {
        f"from aclnn.stubs.{category} import *" for category in categories()
    }

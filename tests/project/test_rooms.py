"""The rooms and their one rule: a room imports only rooms before it. Read from the sources.

Every import counts, also one under TYPE_CHECKING and one inside a function: a reader follows these too.
docs/architecture.md has the purpose of each room.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.helpers.doc_blocks import blocks
from tests.helpers.listing import assert_listed
from tests.helpers.places import PACKAGES, ROOT, module_files

ROOMS: list[tuple[str, ...]] = [
    # each row imports only rows above it; rooms of one row may import each other
    ("acl_runtime.timeline",),
    (
        "acl_runtime.on_demand",
        "acl_runtime.generated_index",
        "acl_runtime.version",
        "acl_runtime.process",
        "acl_runtime.own_rank",
        "acl_runtime.text",
    ),
    ("acl_runtime.source",),
    ("acl_runtime.headers",),
    ("acl_runtime.errors",),
    ("acl_runtime.abi",),
    ("acl_runtime.objects",),
    ("acl_runtime.memory",),
    ("acl_runtime.streams",),
    ("acl_runtime.collective",),
    ("acl_runtime.models",),
    ("acl_runtime.checks",),
    ("acl_runtime.faults", "acl_runtime.trace"),
    ("acl_runtime.machine",),
    ("acl_runtime.boundary", "acl_runtime.recording"),
    ("acl_runtime.api",),
    ("acl_runtime",),  # the names that users import
    ("acl_runtime.pyacl", "acl_runtime.testing"),
    ("aclnn.catalogue",),
    ("aclnn.engine",),
    ("aclnn.op",),
    ("aclnn.ops",),
    ("aclnn.by_name",),
    ("aclnn", "aclnn.testing", "aclnn.device_tensor"),
    ("aclnn.tools", "aclnn.pyacl", "aclnn.render", "aclnn.__main__"),
    ("acl_runtime.pytest_plugin",),  # its fixture `pyacl` needs `aclnn.pyacl`; nothing imports the plugin
]
RANK = {room: rank for rank, row in enumerate(ROOMS) for room in row}
VIOLATIONS: dict[tuple[str, str], str] = {}
"""(module, imported module) that break the rule, each with its reason. The list may only shrink."""
MOST_FILES = 25
"""a folder with more files has more than one subject"""


def modules() -> dict[str, Path]:
    found: dict[str, Path] = {}
    for path in module_files():
        name = ".".join(path.relative_to(PACKAGES).with_suffix("").parts).removesuffix(".__init__")
        found[name] = path
    return found


MODULES = modules()


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def named(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """The modules that an import may mean, ours or not."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif node.module and not node.level:
        for alias in node.names:
            whole = f"{node.module}.{alias.name}"
            yield whole if whole in MODULES else node.module


@cache
def imported(name: str) -> frozenset[str]:
    """The modules of ours that a module imports anywhere."""
    nodes = [node for node in ast.walk(parsed(MODULES[name])) if isinstance(node, ast.Import | ast.ImportFrom)]
    return frozenset(other for node in nodes for other in named(node) if other in MODULES and other != name)


def room(name: str) -> str:
    """The room of a module: the longest row name that it starts with."""
    while name not in RANK:
        name = name.rpartition(".")[0]
    return name


def circles() -> list[set[str]]:
    """The sets of modules that import each other, directly or through others."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[set[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in sorted(imported(name)):
            if other not in index:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], index[other])
        if low[name] == index[name]:
            at = stack.index(name)
            if len(members := set(stack[at:])) > 1:
                found.append(members)
            del stack[at:]

    for name in MODULES:
        if name not in index:
            visit(name)
    return found


def test_every_module_lies_in_a_room() -> None:
    outside = {name for name in MODULES if not any(name == row or name.startswith(f"{row}.") for row in RANK)}
    assert outside == set(), (
        "add them to ROOMS above and to the table in docs/architecture.md, or move them into a room"
    )


def test_every_room_exists() -> None:
    assert set(RANK) - set(MODULES) == set(), "these rooms are gone: remove them from ROOMS above"


def test_a_room_imports_only_rooms_before_it() -> None:
    found = {(name, other) for name in MODULES for other in imported(name) if RANK[room(other)] > RANK[room(name)]}
    assert found - set(VIOLATIONS) == set(), (
        "a room imports a later one: move what both need down; ROOMS above has the order"
    )
    assert set(VIOLATIONS) - found == set(), "these are mended: remove them from VIOLATIONS above"


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circles() == [], "these modules import each other: move what they share to a module of its own"


def test_nobody_below_the_machine_names_it() -> None:
    below = [name for name in MODULES if RANK[room(name)] < RANK["acl_runtime.machine"]]
    naming = {
        name
        for name in below
        for node in ast.walk(parsed(MODULES[name]))
        if isinstance(node, ast.Name) and node.id == "Machine"
    }
    assert naming == set(), "below the machine, take the part that is needed, such as `Scheduler`, not the Machine"


def test_no_folder_is_crowded() -> None:
    folders = [path.parent for path in MODULES.values() if path.name != "__init__.py"]
    crowded = {str(folder.relative_to(PACKAGES)) for folder in folders if folders.count(folder) > MOST_FILES}
    assert crowded == set(), f"more than {MOST_FILES} files: make a package of those with one subject"


ROOM_PACKAGES = sorted(name for name, path in MODULES.items() if path.name == "__init__.py")


@pytest.mark.parametrize("name", ROOM_PACKAGES)
def test_a_room_opens_with_prose(name: str) -> None:
    """Its `__init__` has its purpose; each row of ROOMS that is a folder has a page of prose."""
    doc = ast.get_docstring(parsed(MODULES[name])) or ""
    least = 80 if name in RANK and "." in name else 5
    assert len(doc.split()) >= least, f"{name}: the docstring of its __init__.py needs {least} words or more"


LISTED = re.compile(r"^ *((?:[a-z_]\w*/?,? )*[a-z_]\w*/?) {2,}\S", re.MULTILINE)
"""a row of a list: names, and behind a gap what they are"""


@pytest.mark.parametrize("name", ROOM_PACKAGES)
def test_a_docstring_lists_modules_that_exist(name: str) -> None:
    """A list in the docstring of a package is one of modules if it has a module."""
    folder = MODULES[name].parent
    there = {path.stem for path in folder.iterdir()}
    for paragraph in (ast.get_docstring(parsed(MODULES[name])) or "").split("\n\n"):
        listed = {word for names in LISTED.findall(paragraph) for word in re.findall(r"\w+", names)}
        if listed & there:
            assert listed - there == set(), (
                f"the docstring of the package {name} lists these modules, which do not exist"
            )


def test_the_runtime_has_never_heard_of_an_operator() -> None:
    for name in MODULES:
        if name.startswith("acl_runtime") and name != "acl_runtime.pytest_plugin":
            assert not any(other.startswith("aclnn") for other in imported(name)), name


def test_samples_import_only_the_two_packages() -> None:
    for path in sorted((ROOT / "samples").glob("*.py")):
        used = {node.module for node in ast.walk(parsed(path)) if isinstance(node, ast.ImportFrom)}
        assert used <= {"acl_runtime", "aclnn", "ctypes", "pathlib"}, path.name


def test_nobody_but_the_tile_engine_imports_its_inside() -> None:
    inside = {name for name in MODULES if name.startswith("aclnn.engine.fast.")}
    for name in MODULES:
        assert name in {*inside, "aclnn.engine.fast"} or not imported(name) & inside, name


def test_operators_import_from_one_module() -> None:
    """Besides each other: that module has all words, and is what docs/adding-an-op.md shows."""
    for name, path in MODULES.items():
        if name.startswith("aclnn.ops.") or name == "aclnn.ops":
            sources = {node.module for node in ast.parse(path.read_text(encoding="utf-8")).body
                       if isinstance(node, ast.ImportFrom) and node.module}  # fmt: skip
            ours = {each for each in sources if each.startswith(("aclnn", "acl_runtime"))}
            others = {each for each in ours if each != "aclnn.op" and not each.startswith("aclnn.ops")}
            assert others == set(), (
                f"{name} imports from these: import from aclnn.op, and add names that it lacks there"
            )


def test_an_operator_of_the_users_comes_through_one_door() -> None:
    """The operator of docs/adding-an-op.md, and the operators that tests write as a user would."""
    shown = {block.where: block.code for block in blocks(ROOT / "docs/adding-an-op.md")}
    sources = shown | {
        name: (ROOT / name).read_text(encoding="utf-8")
        for name in ("tests/aclnn/engine/test_own_operator.py", "tests/aclnn/engine/words/test_own_scalar_operator.py")
    }
    for name, source in sources.items():
        found = {
            node.module for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom) and node.module
        }
        assert "aclnn.op" in found, name
        assert not {each for each in found if each.startswith(("aclnn.engine", "acl_runtime."))}, name


def test_every_package_is_installed() -> None:
    """A package that pyproject.toml forgets exists in the source tree only."""
    folders = {path.parent.relative_to(PACKAGES) for path in MODULES.values()}
    (listed,) = re.findall(
        r"^packages = \[(.*?)\]$", (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.M | re.S
    )
    packages = {".".join(folder.parts) for folder in folders} | {"aclnn.samples"}  # which is the folder samples
    assert_listed("pyproject.toml, packages of [tool.setuptools]", re.findall(r'"([\w.]+)"', listed), packages)

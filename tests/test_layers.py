"""Who may import whom: read from the sources, so that the architecture stays visible in the folders."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

LAYERS = [
    # each line may import what stands above it, and of its own line only what stands left of it
    ["acl_runtime.enums", "acl_runtime.statuses", "acl_runtime.messages", "acl_runtime.errors", "acl_runtime.dtypes"],
    ["acl_runtime.structs"],
    [
        "acl_runtime.handles",
        "acl_runtime.pointers",
        "acl_runtime.arguments",
        "acl_runtime.conversions",
        "acl_runtime.c",
    ],
    ["acl_runtime.machine.site", "acl_runtime.machine.intervals", "acl_runtime.machine.pieces", "acl_runtime.machine.soc"],
    ["acl_runtime.machine.window", "acl_runtime.machine.host", "acl_runtime.machine.allocation"],
    ["acl_runtime.machine.memory", "acl_runtime.machine.chunk", "acl_runtime.machine.pinned"],
    ["acl_runtime.machine.objects", "acl_runtime.machine.stream", "acl_runtime.machine.device"],
    ["acl_runtime.machine.executor", "acl_runtime.machine.thread", "acl_runtime.machine.findings"],
    ["acl_runtime.machine.configuration", "acl_runtime.machine.options", "acl_runtime.machine.leaks"],
    ["acl_runtime.machine.installation", "acl_runtime.machine.machine"],
    ["acl_runtime.boundary"],
    ["acl_runtime.api.refusals", "acl_runtime.api.objects", "acl_runtime.api.buffers"],
    ["acl_runtime.api.init", "acl_runtime.api.device", "acl_runtime.api.context", "acl_runtime.api.stream"],
    [
        "acl_runtime.api.memory",
        "acl_runtime.api.copy",
        "acl_runtime.api.errors",
        "acl_runtime.api.tensor",
        "acl_runtime.api.values",
    ],
    ["acl_runtime.api.executor"],
    ["acl_runtime"],
    ["aclnn.base", "aclnn.spec", "aclnn.refusals", "aclnn.workspace", "aclnn.numerics", "aclnn.access"],
    ["aclnn.executor", "aclnn.constraints", "aclnn.indices", "aclnn.help", "aclnn.launch", "aclnn.two_phase"],
    ["aclnn.ops.*"],
    ["aclnn"],
    ["aclnn.stubs", "aclnn.render"],
]
ORDER = [name for line in LAYERS for name in line]
NOT_BELOW = {"aclnn.ops.*": {"aclnn.base"}}


def modules() -> dict[str, Path]:
    found: dict[str, Path] = {}
    for package in ("acl_runtime", "aclnn"):
        for path in sorted((ROOT / package).rglob("*.py")):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            found[name] = path
    return found


MODULES = modules()
EMPTY = {"acl_runtime.machine", "acl_runtime.api", "aclnn.ops"}


def imported(path: Path) -> set[str]:
    """The modules of ours that a module imports when it is imported (not under TYPE_CHECKING, not in a function)."""
    names: set[str] = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= {name for name in whole if name in MODULES} or {node.module}
    return {name for name in names if name in MODULES}


def place(name: str) -> int:
    return ORDER.index("aclnn.ops.*" if name.startswith("aclnn.ops.") else name)


@pytest.mark.parametrize("name", sorted(set(MODULES) - EMPTY))
def test_a_module_imports_only_what_stands_before_it(name: str) -> None:
    below = {other for other in imported(MODULES[name]) if place(other) >= place(name)}
    assert not below, f"{name} imports {sorted(below)}; see LAYERS"


def test_every_layer_exists() -> None:
    assert {name for name in ORDER if not name.endswith("*")} <= set(MODULES)


def test_the_runtime_has_never_heard_of_an_operator() -> None:
    for name, path in MODULES.items():
        if name.startswith("acl_runtime"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            found = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom | ast.Import)]
            assert not any("aclnn" in ast.unparse(node).split(" import ")[0] for node in found), name


@pytest.mark.parametrize("path", sorted((ROOT / "samples").glob("*.py")), ids=lambda path: path.stem)
def test_samples_import_only_the_two_packages(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    used = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert used <= {"acl_runtime", "aclnn", "ctypes", "pathlib"}


def test_the_current_machine_is_the_only_mutable_module_level_state() -> None:
    """Containers at module level are constants: nothing in our own sources changes one."""
    for name, path in MODULES.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        targets: set[str] = set()
        for node in tree.body:
            if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Dict | ast.List | ast.Set):
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    targets.add(ast.unparse(target))
        for node in ast.walk(tree):
            assert not isinstance(node, ast.Global), f"{name} has a global statement"
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
                assert ast.unparse(node.value) not in targets, f"{name}:{node.lineno} changes {ast.unparse(node.value)}"
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                changed = node.func.attr in ("append", "add", "update", "pop", "clear", "extend", "setdefault")
                assert not (changed and ast.unparse(node.func.value) in targets), f"{name}:{node.lineno}"

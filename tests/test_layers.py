"""Who may import whom: read from the sources, so that the architecture stays visible in the folders."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

LAYERS = [
    # each line may import what stands above it, and of its own line only what stands left of it
    ["acl_runtime.process"],
    ["acl_runtime.on_demand", "acl_runtime.version"],
    ["acl_runtime.timeline", "acl_runtime.timeline.read", "acl_runtime.timeline.axis", "acl_runtime.timeline.bars"],
    ["acl_runtime.timeline.layout", "acl_runtime.timeline.elements", "acl_runtime.timeline.style"],
    ["acl_runtime.timeline.draw", "acl_runtime.timeline.page", "acl_runtime.timeline.write"],
    ["acl_runtime.timeline.__main__"],
    [
        "acl_runtime.enums",
        "acl_runtime.statuses",
        "acl_runtime.meanings",
        "acl_runtime.remedies",
        "acl_runtime.sites",
        "acl_runtime.messages",
        "acl_runtime.errors",
    ],
    ["acl_runtime.dtypes"],
    ["acl_runtime.structs"],
    [
        "acl_runtime.handles",
        "acl_runtime.pointers",
        "acl_runtime.arguments",
        "acl_runtime.conversions",
        "acl_runtime.c",
        "acl_runtime.function",
        "acl_runtime.printf",
    ],
    [
        "acl_runtime.machine.site",
        "acl_runtime.machine.intervals",
        "acl_runtime.machine.pieces",
        "acl_runtime.machine.freed",
        "acl_runtime.machine.layout",
        "acl_runtime.machine.ids",
        "acl_runtime.machine.ranges",
        "acl_runtime.machine.clocks",
        "acl_runtime.machine.soc",
        "acl_runtime.machine.support",
        "acl_runtime.machine.declarations",
    ],
    ["acl_runtime.machine.window", "acl_runtime.machine.host", "acl_runtime.machine.allocation"],
    ["acl_runtime.machine.memory", "acl_runtime.machine.chunk", "acl_runtime.machine.pinned"],
    [
        "acl_runtime.machine.ports",
        "acl_runtime.machine.places",
        "acl_runtime.machine.copying",
        "acl_runtime.machine.rows",
    ],
    ["acl_runtime.machine.objects", "acl_runtime.machine.clock", "acl_runtime.machine.stream"],
    ["acl_runtime.machine.surfacing"],
    ["acl_runtime.machine.cell"],
    ["acl_runtime.machine.event", "acl_runtime.machine.reports", "acl_runtime.machine.exceptions"],
    [
        "acl_runtime.machine.timeouts",
        "acl_runtime.machine.executor",
        "acl_runtime.machine.thread",
        "acl_runtime.machine.names",
        "acl_runtime.machine.lines",
        "acl_runtime.machine.records",
        "acl_runtime.machine.goals",
        "acl_runtime.machine.waiters",
        "acl_runtime.machine.order",
        "acl_runtime.machine.events",
        "acl_runtime.machine.stream_ports",
        "acl_runtime.machine.scheduler",
    ],
    ["acl_runtime.machine.catalogue", "acl_runtime.machine.report_formats", "acl_runtime.machine.findings"],
    ["acl_runtime.machine.unchecked", "acl_runtime.machine.unasked", "acl_runtime.machine.check_ports"],
    ["acl_runtime.machine.visits"],
    ["acl_runtime.machine.chrome_trace"],
    ["acl_runtime.machine.churn"],
    ["acl_runtime.machine.copy_remarks"],
    ["acl_runtime.machine.unplaced", "acl_runtime.machine.accesses"],
    ["acl_runtime.machine.uses", "acl_runtime.machine.happens_before", "acl_runtime.machine.races"],
    ["acl_runtime.machine.event_reset", "acl_runtime.machine.host_dtype"],
    ["acl_runtime.machine.guard", "acl_runtime.machine.unwritten", "acl_runtime.machine.watches"],
    ["acl_runtime.machine.consequences", "acl_runtime.machine.teardown", "acl_runtime.machine.listening"],
    ["acl_runtime.machine.data_buffer", "acl_runtime.machine.packages"],
    ["acl_runtime.machine.configuration", "acl_runtime.machine.init_callbacks", "acl_runtime.machine.initialisation"],
    ["acl_runtime.machine.options", "acl_runtime.machine.leaks"],
    ["acl_runtime.machine.workers"],
    ["acl_runtime.machine.budget", "acl_runtime.machine.likely", "acl_runtime.machine.faults"],
    ["acl_runtime.machine.ending", "acl_runtime.machine.last_report"],
    ["acl_runtime.machine.installation", "acl_runtime.machine.machine"],
    ["acl_runtime.machine.current"],
    ["acl_runtime.recording", "acl_runtime.boundary", "acl_runtime.sweep_result"],
    ["acl_runtime.sweep_places", "acl_runtime.sweep_releases", "acl_runtime.sweep"],
    ["acl_runtime.api.outcomes", "acl_runtime.api.refusals", "acl_runtime.api.objects", "acl_runtime.api.buffers"],
    ["acl_runtime.api.init_callbacks", "acl_runtime.api.init"],
    ["acl_runtime.api.device", "acl_runtime.api.context", "acl_runtime.api.stream"],
    ["acl_runtime.api.stream_attributes", "acl_runtime.api.stream_config"],
    ["acl_runtime.api.event", "acl_runtime.api.event_record", "acl_runtime.api.event_wait"],
    ["acl_runtime.api.event_query", "acl_runtime.api.callback", "acl_runtime.api.exception"],
    ["acl_runtime.api.malloc_config", "acl_runtime.api.allocation"],
    [
        "acl_runtime.api.memory",
        "acl_runtime.api.memory_info",
        "acl_runtime.api.host_memory",
        "acl_runtime.api.host_register",
        "acl_runtime.api.copy",
        "acl_runtime.api.copy_async",
        "acl_runtime.api.copy_2d",
        "acl_runtime.api.copy_batch",
        "acl_runtime.api.memset",
        "acl_runtime.api.cell",
        "acl_runtime.api.errors",
        "acl_runtime.api.tensor",
        "acl_runtime.api.values",
    ],
    ["acl_runtime.api.attributes", "acl_runtime.api.data_buffer", "acl_runtime.api.log"],
    ["acl_runtime.api.timeouts", "acl_runtime.api.values_of_types", "acl_runtime.api.version"],
    ["acl_runtime.api.device_info", "acl_runtime.api.peer", "acl_runtime.api.limits", "acl_runtime.api.options"],
    ["acl_runtime.api.overflow"],
    ["acl_runtime.api.executor"],
    ["acl_runtime.testing", "acl_runtime.caught", "acl_runtime.pytest_options", "acl_runtime.fixture"],
    ["acl_runtime"],
    ["acl_runtime.pyacl.names", "acl_runtime.pyacl.values", "acl_runtime.pyacl.functions", "acl_runtime.pyacl.util"],
    ["acl_runtime.pyacl.modules", "acl_runtime.pyacl"],
    ["aclnn.engine", "aclnn.engine.base", "aclnn.engine.declaration", "aclnn.engine.op_errors"],
    ["aclnn.engine.workspace", "aclnn.engine.halves", "aclnn.engine.numerics"],
    ["aclnn.engine.plan", "aclnn.engine.plan_builder", "aclnn.engine.constraints", "aclnn.engine.access"],
    [
        "aclnn.engine.fast.expressions",
        "aclnn.engine.fast.space",
        "aclnn.engine.fast.rooms",
        "aclnn.engine.fast.moves",
        "aclnn.engine.fast.sums",
        "aclnn.engine.fast.program",
        "aclnn.engine.fast.tiles",
        "aclnn.engine.fast.evaluate",
        "aclnn.engine.fast.rows",
        "aclnn.engine.fast.steps",
        "aclnn.engine.fast",
    ],
    ["aclnn.engine.indices", "aclnn.engine.run", "aclnn.engine.aliases", "aclnn.engine.launch_memory"],
    ["aclnn.engine.first_phase", "aclnn.engine.second_phase", "aclnn.engine.memo"],
    ["aclnn.engine.phrases", "aclnn.engine.help", "aclnn.engine.two_phase"],
    ["aclnn.ops.*"],
    ["aclnn.op"],
    ["aclnn"],
    ["aclnn.device_tensor", "aclnn.testing"],
    ["aclnn.exports"],
    ["aclnn.stubs", "aclnn.pages", "aclnn.pages.markdown", "aclnn.pages.operators", "aclnn.pages.findings"],
    ["aclnn.pages.mistakes", "aclnn.pages.timeline", "aclnn.render"],
    ["aclnn.toolkit", "aclnn.toolkit.process", "aclnn.toolkit.control", "aclnn.toolkit.functions"],
    [
        "aclnn.toolkit.lines",
        "aclnn.toolkit.template",
        "aclnn.toolkit.headers",
        "aclnn.toolkit.stubs",
        "aclnn.toolkit.entry",
    ],
    ["aclnn.toolkit.layout", "aclnn.toolkit.build", "aclnn.toolkit.run"],
    ["aclnn.program", "aclnn.pyacl"],
    ["aclnn.command", "aclnn.command.text", "aclnn.command.ops", "aclnn.command.values", "aclnn.command.codes"],
    ["aclnn.command.products", "aclnn.command.variables", "aclnn.command.topics", "aclnn.command.scan"],
    ["aclnn.command.names", "aclnn.command.explain", "aclnn.command.modules"],
    ["aclnn.command.doctor", "aclnn.command.samples", "aclnn.command.toolkit"],
    ["aclnn.command.hints", "aclnn.command.run_python", "aclnn.command.run"],
    ["aclnn.pages.names", "aclnn.pages.functions", "aclnn.pages.statuses", "aclnn.pages.enumerations"],
    ["aclnn.pages.python", "aclnn.pages.links", "aclnn.pages.sources", "aclnn.pages.site"],
    ["aclnn.__main__", "aclnn.toolkit.__main__"],
    ["acl_runtime.pytest_plugin"],
]
ORDER = [name for line in LAYERS for name in line]


def modules() -> dict[str, Path]:
    found: dict[str, Path] = {}
    for package in ("acl_runtime", "aclnn"):
        for path in sorted((ROOT / package).rglob("*.py")):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            found[name] = path
    return found


MODULES = modules()
EMPTY = {"acl_runtime.machine", "acl_runtime.api", "aclnn.ops"}


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(path: Path) -> set[str]:
    """The modules of ours that a module imports when it is imported (not under TYPE_CHECKING, not in a function)."""
    names: set[str] = set()
    for node in parsed(path).body:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= {name for name in whole if name in MODULES} or {node.module}
    return {name for name in names if name in MODULES}


def imported_at_all(path: Path) -> set[str]:
    """The same, with those under TYPE_CHECKING and inside functions."""
    names: set[str] = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= {name for name in whole if name in MODULES} or {node.module}
    return {name for name in names if name in MODULES}


def place(name: str) -> int:
    return ORDER.index("aclnn.ops.*" if name.startswith("aclnn.ops.") else name)


def test_a_module_imports_only_what_stands_before_it() -> None:
    wrong = {
        name: sorted(below)
        for name in sorted(set(MODULES) - EMPTY)
        if (below := {other for other in imported(MODULES[name]) if place(other) >= place(name)})
    }
    assert not wrong, "a module imports what stands behind it; see LAYERS"


def test_nothing_below_the_machine_names_it() -> None:
    """A lower module asks for a protocol, also where it needs a type alone (`acl_runtime/machine/ports.py`)."""
    machine = "acl_runtime.machine.machine"
    below = [name for name in MODULES if name in ORDER and place(name) < place(machine)]
    assert [name for name in below if machine in imported_at_all(MODULES[name])] == []


def test_the_runtime_has_no_circle_of_imports() -> None:
    """Counting those under TYPE_CHECKING and inside functions, but for the names that the package imports on demand."""
    whole = {name: imported_at_all(path) - {name, "acl_runtime"} for name, path in MODULES.items()}
    left = {name: found for name, found in whole.items() if name.startswith("acl_runtime.")}
    while free := [name for name, found in left.items() if not found & left.keys()]:
        for name in free:
            del left[name]
    assert sorted(left) == []


def test_every_layer_exists() -> None:
    assert {name for name in ORDER if not name.endswith("*")} <= set(MODULES)


PLUGIN = "acl_runtime.pytest_plugin"
"""pytest's door to both packages: no module imports it, and its fixture `pyacl` has the libraries of the operators"""


def test_the_runtime_has_never_heard_of_an_operator() -> None:
    for name, path in MODULES.items():
        if name.startswith("acl_runtime") and name != PLUGIN:
            tree = parsed(path)
            found = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom | ast.Import)]
            assert not any("aclnn" in ast.unparse(node).split(" import ")[0] for node in found), name


def test_samples_import_only_the_two_packages() -> None:
    for path in sorted((ROOT / "samples").glob("*.py")):
        used = {node.module for node in ast.walk(parsed(path)) if isinstance(node, ast.ImportFrom)}
        assert used <= {"acl_runtime", "aclnn", "ctypes", "pathlib"}, path.name


def test_nobody_but_the_tile_engine_imports_its_inside() -> None:
    inside = {name for name in MODULES if name.startswith("aclnn.engine.fast.")}
    for name, path in MODULES.items():
        assert name in {*inside, "aclnn.engine.fast"} or not imported(path) & inside, name


def test_an_operator_of_the_users_comes_through_one_door() -> None:
    """What docs/adding-an-op.md shows, and the operators that tests write as a user would."""
    page = (ROOT / "docs" / "adding-an-op.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    sources = {"docs/adding-an-op.md": shown} | {
        name: (ROOT / name).read_text(encoding="utf-8")
        for name in ("tests/ops/test_own_operator.py", "tests/ops/test_own_scalar_operator.py")
    }
    for name, source in sources.items():
        found = {
            node.module for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom) and node.module
        }
        assert "aclnn.op" in found, name
        assert not {each for each in found if each.startswith(("aclnn.engine", "acl_runtime."))}, name


def test_every_package_is_installed() -> None:
    """One that pyproject.toml forgets is there in the source tree only."""
    folders = {
        path.parent.relative_to(ROOT) for name in ("acl_runtime", "aclnn") for path in (ROOT / name).rglob("*.py")
    }
    (listed,) = re.findall(r"^packages = \[(.*)\]$", (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.M)
    installed = {".".join(folder.parts) for folder in folders} | {"aclnn.samples"}  # which is the folder samples
    assert installed == set(re.findall(r'"([\w.]+)"', listed))

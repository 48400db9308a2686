"""The pytest plugin: the fixtures `machine` and `pyacl` of acl_runtime, markers and options.

    @pytest.mark.soc("Ascend910B1", "Ascend310P3")       one test for each product
    @pytest.mark.machine(device_count=2)                 options of the Machine
    pytest --acl-schedule=random --acl-seed=5            options of the run; acl_schedule, acl_seed in the ini file
    pytest --acl-soc=Ascend310P3 --acl-min-workspace=32  likewise

Nothing happens to a test that does not ask for the fixture. pytest loads this module in every run, of whatever project,
in an environment where the emulator is installed; so it stands outside the package, whose import takes as long as
pytest's own start, and imports it only for the fixture. `acl_runtime.pytest_plugin` is the name to use.
"""

import gc
import random
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from types import ModuleType

    from acl_runtime.fixture import Use
    from acl_runtime.machine.machine import Machine

SCHEDULES: Final = ("late", "eager", "threads", "random")
SEEDS: Final = 2**32


@dataclass(frozen=True)
class Choice:
    """What the command line or the ini file says of all machines of a run."""

    schedule: str | None
    seed: int
    """of random schedules; drawn once for the run unless given"""
    seeded: bool
    """was it given?"""
    soc: str | None
    """the chip of tests whose marker names none"""
    min_workspace: int | None


CHOICE: Final = pytest.StashKey[Choice]()
USE: "pytest.StashKey[Use]" = pytest.StashKey()
NAMES: Final = ("acl_runtime.pytest_plugin", "_acl_pytest_plugin")
"""the entry point's, and this module's"""


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """`--acl-schedule`, `--acl-seed`, `--acl-soc`, `--acl-min-workspace`, and the same in the ini file."""
    for name in NAMES:  # `-p _acl_pytest_plugin` beside the entry point is one plugin
        if not pluginmanager.has_plugin(name):
            pluginmanager.set_blocked(name)
    group = parser.getgroup("acl_runtime", "AscendCL emulator")
    schedules = "when queued work runs on the fixture machine"
    seeds = "seed of --acl-schedule=random, which it implies; without it one is drawn for the run"
    socs = "chip of the fixture machine, such as Ascend310P3, where no marker of the test names one"
    workspaces = "least workspace that a first phase reports: finds tests whose operators never asked for one"
    group.addoption("--acl-schedule", choices=SCHEDULES, help=schedules)
    group.addoption("--acl-seed", type=int, metavar="N", help=seeds)
    group.addoption("--acl-soc", metavar="CHIP", help=socs)
    group.addoption("--acl-min-workspace", type=int, metavar="BYTES", help=workspaces)
    parser.addini("acl_schedule", f"{schedules} (as --acl-schedule)", default="")
    parser.addini("acl_seed", f"{seeds} (as --acl-seed)", default="")
    parser.addini("acl_soc", f"{socs} (as --acl-soc)", default="")
    parser.addini("acl_min_workspace", f"{workspaces} (as --acl-min-workspace)", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Read the options, and make the markers known."""
    config.addinivalue_line("markers", "soc(*products): run the test on a machine of each of these products")
    config.addinivalue_line("markers", "machine(**options): options of the Machine that the fixture machine gives")
    schedule = config.getoption("acl_schedule") or config.getini("acl_schedule") or None
    if schedule is not None and schedule not in SCHEDULES:
        raise pytest.UsageError(f"acl_schedule={schedule}: one of {', '.join(SCHEDULES)}")
    seed, min_workspace = _number(config, "acl_seed"), _number(config, "acl_min_workspace")
    soc = config.getoption("acl_soc") or config.getini("acl_soc") or None
    _check(soc, min_workspace)
    seeded = seed is not None
    if seed is None:  # a worker of pytest-xdist has that of the process which started it
        seed = getattr(config, "workerinput", {}).get("acl_seed", random.SystemRandom().randrange(SEEDS))
    chosen = schedule or ("random" if seeded else None)
    config.stash[CHOICE] = Choice(chosen, seed, seeded, soc, min_workspace)


def _number(config: pytest.Config, name: str) -> int | None:
    """An option of the command line, or else of the ini file."""
    given, written = config.getoption(name), config.getini(name)
    if given is not None or not written:
        return given
    try:
        return int(written)
    except ValueError:
        raise pytest.UsageError(f"{name}={written}: a number") from None


def _check(soc: str | None, min_workspace: int | None) -> None:
    """Refuse a wrong value once, before any test runs."""
    if min_workspace is not None and min_workspace < 0:
        raise pytest.UsageError(f"acl_min_workspace={min_workspace}: 0 or more")
    if soc is not None:
        from acl_runtime.machine.soc import soc_named  # late, as the docstring of the module says

        try:
            soc_named(soc)
        except ValueError as error:
            raise pytest.UsageError(f"acl_{error}") from None


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """pytest-xdist starts a worker: all of a run have one seed."""
    node.workerinput["acl_seed"] = node.config.stash[CHOICE].seed


def pytest_report_header(config: pytest.Config) -> str | None:
    """What was chosen for the run."""
    choice = config.stash[CHOICE]
    told = [f"{name}={value}" for name, value in (("soc", choice.soc), ("min_workspace", choice.min_workspace))
            if value is not None]  # fmt: skip
    if choice.schedule == "random":
        told += [f"schedule=random, seed={choice.seed}"]
    elif choice.schedule is not None:
        seed = f" (seed={choice.seed} is for tests whose marker says random)" * choice.seeded
        told += [f"schedule={choice.schedule}{seed}"]
    return f"acl_runtime: {', '.join(told)}" if told else None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each product of `@pytest.mark.soc`."""
    marker = metafunc.definition.get_closest_marker("soc")
    if marker is None:
        return
    where = f"{metafunc.definition.nodeid}: @pytest.mark.soc"
    if "machine" in metafunc.fixturenames:
        from acl_runtime.fixture import products  # late, as the docstring of the module says

        metafunc.parametrize("machine", products(marker, where), indirect=True)
    elif "request" in metafunc.fixturenames:
        pass  # it may call getfixturevalue("machine")
    elif marker in getattr(metafunc.function, "pytestmark", []):  # one of a class or module may be for other tests
        pytest.fail(f"{where} is for tests that use the fixture machine", pytrace=False)


@pytest.fixture
def machine(request: pytest.FixtureRequest) -> "Iterator[Machine]":
    """A fresh machine of the AscendCL emulator, on which all calls of the test work. Errors and warnings that it has
    found when it is closed, leaks among them, fail the test, and so does a failure of `machine.fail` that no call has
    met. Markers: soc, machine. Options: --acl-schedule, --acl-seed, --acl-soc, --acl-min-workspace."""
    from acl_runtime.fixture import Use  # late, as the docstring of the module says

    use = request.node.stash[USE] = Use(request, request.config.stash[CHOICE])
    yield from use.machine_while_open()
    use.judge()


@pytest.fixture
def pyacl(machine: "Machine") -> "Iterator[ModuleType]":
    """`import acl` for the time of the test, and the libraries of CANN for ctypes, on the fixture `machine`; the module
    `acl`."""
    from aclnn.pyacl import installed  # late, as the docstring of the module says

    with installed() as acl:
        yield acl
        gc.collect()  # what is held by a cycle only may free things in its `__del__`, before the machine is judged


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failure tells how to repeat it, and what the machine had found besides."""
    use = item.stash.get(USE, None)
    if use is None:
        return (yield)
    use.before_report(call)
    report = yield
    use.after_report(call, report)
    return report

"""The pytest plugin: the fixtures `machine` and `pyacl` of acl_runtime, markers and options.

    @pytest.mark.soc("Ascend910B1", "Ascend310P3")       one test for each product
    @pytest.mark.machine(device_count=2)                 options of the Machine
    pytest --acl-schedule=random --acl-seed=5            options of the run; acl_schedule, acl_seed in the ini file
    pytest --acl-soc=Ascend310P3 --acl-min-workspace=32  options of the run; acl_soc, acl_min_workspace in the ini file
    pytest --acl-seeds=20                                each test 20 times, each time under another random schedule
    pytest --acl-artifacts=DIR                           the timeline and the trace of each test that fails
    pytest --acl-report=FILE.sarif --acl-summary=FILE.md findings, functions, statuses and operators of all tests

A test that uses no fixture of the plugin is not affected. If the emulator is installed, pytest loads this module in
every project of the environment; so slow modules are imported only when a fixture is used. The entry point has the name
of this module. So pytest loads the plugin only once, even if `-p acl_runtime.pytest_plugin` or `pytest_plugins` in a
conftest lists it again.
"""

import gc
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from acl_runtime.testing.pytest_options import CHOICE, add_options, chosen, repeats, warn_of_unused_seed

if TYPE_CHECKING:
    from types import ModuleType

    from acl_runtime.machine.machine import Machine
    from acl_runtime.testing.fixture import FixtureUse

USE: "pytest.StashKey[FixtureUse]" = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options `--acl-...`."""
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Read the options, and register the markers."""
    config.addinivalue_line("markers", "soc(*products): run the test on a machine of each of these products")
    config.addinivalue_line("markers", "machine(**options): options of the Machine that the fixture machine gives")
    config.stash[CHOICE] = chosen(config)
    if config.stash[CHOICE].collects:
        from acl_runtime.testing.results import RESULTS, Results  # late, as the docstring of the module says

        config.stash[RESULTS] = Results()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Give a new worker of pytest-xdist the seed of the run."""
    node.workerinput["acl_seed"] = node.config.stash[CHOICE].seed


def pytest_report_header(config: pytest.Config) -> str | None:
    """The line of the header with the options of the run."""
    return config.stash[CHOICE].header()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Add the results of a worker of pytest-xdist."""
    sent = getattr(node, "workeroutput", {}).get("acl_results")
    if sent is not None:
        from acl_runtime.testing.results import RESULTS, unpacked  # late, as the docstring of the module says

        node.config.stash[RESULTS].add(unpacked(sent))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Send the results of a worker, or write the files of the run."""
    choice = session.config.stash[CHOICE]
    if choice.collects:
        from acl_runtime.testing.results import RESULTS, packed, write  # late, as the docstring of the module says

        sent: dict[str, bytes] | None = getattr(session.config, "workeroutput", None)
        if sent is not None:
            sent["acl_results"] = packed(session.config.stash[RESULTS])
        else:
            results = session.config.stash[RESULTS]
            write(results, choice)
            if results.unwritten:
                session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the paths of the files of failed tests, and the summary if it is for the terminal."""
    choice = config.stash[CHOICE]
    if choice.collects:
        from acl_runtime.testing.results import RESULTS, as_markdown  # late, as the docstring of the module says

        results = config.stash[RESULTS]
        if results.files:
            terminalreporter.section("timelines and traces of failed tests")
            terminalreporter.write_line("\n".join(sorted(results.files)))
        if results.unwritten:
            terminalreporter.section("files that could not be written")
            terminalreporter.write_line("\n".join(sorted(results.unwritten)))
        if choice.summary == "-":
            terminalreporter.section("acl_runtime")
            terminalreporter.write_line(as_markdown(results))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each product of `@pytest.mark.soc`, and for each seed of `--acl-seeds`."""
    choice = metafunc.config.stash[CHOICE]
    if choice.seeds and "machine" in metafunc.fixturenames:
        from acl_runtime.testing.fixture import SEED  # late, as the docstring of the module says

        if seeds := repeats(choice, metafunc.definition.iter_markers("machine")):
            metafunc.parametrize(SEED, seeds, ids=[f"seed={seed}" for seed in seeds], indirect=True)
    marker = metafunc.definition.get_closest_marker("soc")
    if marker is None:
        return
    where = f"{metafunc.definition.nodeid}: @pytest.mark.soc"
    if "machine" in metafunc.fixturenames:
        from acl_runtime.testing.fixture import products  # late, as the docstring of the module says

        metafunc.parametrize("machine", products(marker, where), indirect=True)
    elif "request" in metafunc.fixturenames:
        pass  # the test may call getfixturevalue("machine")
    elif marker in getattr(metafunc.function, "pytestmark", []):  # a marker on a class or module may be for others
        pytest.fail(f"{where} is for tests that use the fixture machine", pytrace=False)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Warn if an option has no effect on the chosen tests."""
    warn_of_unused_seed(config, items)


@pytest.fixture
def acl_seed(request: pytest.FixtureRequest) -> int | None:
    """The seed of this run of the test under `--acl-seeds`; None without that option."""
    return getattr(request, "param", None)


@pytest.fixture
def machine(request: pytest.FixtureRequest, acl_seed: int | None) -> "Iterator[Machine]":
    """A fresh machine of the AscendCL emulator, which gets all calls of the test. The test fails if the machine has
    errors or warnings when it is closed, including leaks, or if a failure of `machine.fail` did not happen. Markers:
    soc, machine. Options: --acl-schedule, --acl-seed, --acl-seeds, --acl-soc, --acl-min-workspace."""
    from acl_runtime.testing.fixture import FixtureUse  # late, as the docstring of the module says

    use = request.node.stash[USE] = FixtureUse(request, request.config.stash[CHOICE], acl_seed)
    yield from use.machine_while_open()
    use.judge()


@pytest.fixture
def pyacl(machine: "Machine") -> "Iterator[ModuleType]":
    """The module `acl` of pyACL, on the fixture `machine`. During the test, `import acl` works, and ctypes finds the
    libraries of CANN."""
    from aclnn.pyacl import installed  # late, as the docstring of the module says

    with installed() as acl:
        yield acl
        gc.collect()  # before leaks are counted, objects in cycles must free their handles in `__del__`


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add to the report of a failure the options that repeat it, and the other findings of the machine."""
    use = item.stash.get(USE, None)
    if use is None:
        return (yield)
    use.before_report(call)
    report = yield
    use.after_report(call, report)
    return report

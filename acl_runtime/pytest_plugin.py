"""The pytest plugin: the fixtures `machine` and `pyacl` of acl_runtime, markers and options.

    @pytest.mark.soc("Ascend910B1", "Ascend310P3")       one test for each product
    @pytest.mark.machine(device_count=2)                 options of the Machine
    pytest --acl-schedule=random --acl-seed=5            options of the run; acl_schedule, acl_seed in the ini file
    pytest --acl-soc=Ascend310P3 --acl-min-workspace=32  likewise

Nothing happens to a test that does not ask for the fixture. pytest loads this module in every run, of whatever project,
in an environment where the emulator is installed; so it imports what takes long only for the fixture, late. (The
package itself imports its names when somebody asks for them.) The entry point has the name of this module, so that it
is loaded once, whoever else asks for it: `-p acl_runtime.pytest_plugin`, or `pytest_plugins` in a conftest.
"""

import gc
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from acl_runtime.testing.pytest_options import CHOICE, add_options, chosen

if TYPE_CHECKING:
    from types import ModuleType

    from acl_runtime.machine.machine import Machine
    from acl_runtime.testing.fixture import Use

USE: "pytest.StashKey[Use]" = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--acl-schedule`, `--acl-seed`, `--acl-soc`, `--acl-min-workspace`, and the same in the ini file."""
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Read the options, and make the markers known."""
    config.addinivalue_line("markers", "soc(*products): run the test on a machine of each of these products")
    config.addinivalue_line("markers", "machine(**options): options of the Machine that the fixture machine gives")
    config.stash[CHOICE] = chosen(config)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """pytest-xdist starts a worker: all of a run have one seed."""
    node.workerinput["acl_seed"] = node.config.stash[CHOICE].seed


def pytest_report_header(config: pytest.Config) -> str | None:
    """What was chosen for the run."""
    return config.stash[CHOICE].header()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each product of `@pytest.mark.soc`."""
    marker = metafunc.definition.get_closest_marker("soc")
    if marker is None:
        return
    where = f"{metafunc.definition.nodeid}: @pytest.mark.soc"
    if "machine" in metafunc.fixturenames:
        from acl_runtime.testing.fixture import products  # late, as the docstring of the module says

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
    from acl_runtime.testing.fixture import Use  # late, as the docstring of the module says

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

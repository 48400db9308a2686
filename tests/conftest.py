"""Every test gets machines of its own; every status that a call returns must stand in the help text of its function."""

import gc
import inspect
import os
import re
import sys
from collections.abc import Generator, Iterator
from functools import cache

import pytest

# before numpy is there: its threads, which wait for products of matrices, would take a core from the other workers; and
# so in each process that a test starts
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import acl_runtime
import aclnn
from acl_runtime import Machine
from acl_runtime.headers.statuses import Status
from acl_runtime.machine.current import installation

pytest_plugins = ["pytester"]
# run by name, as .ci/run does: C++ programs, which take long to compile, what needs a browser or a network, the site
collect_ignore = ["cpp", "browser", "packages", "site"]

OURS = ("ACL_EMULATOR_", "ASCEND_")
for name in [name for name in os.environ if name.startswith(OURS) and name != "ACL_EMULATOR_WINDOW"]:
    del os.environ[
        name
    ]  # the options of the tests are those they give; ACL_EMULATOR_WINDOW=0 runs them without windows


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "finds(*ids): warnings that the test makes on purpose")
    if sys.dont_write_bytecode and hasattr(config, "cache"):
        # a hundred processes that tests start would each compile all modules, half of the time of such a test; and
        # pytest would rewrite the assertions of all test files in each run, half of the time of the collection
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = str(config.cache.mkdir("bytecode"))
        sys.dont_write_bytecode = False


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Half of what a worker of pytest-xdist sends for each phase of a test is names and markers, which nobody reads."""
    report = yield
    report.keywords = {}
    return report


def pytest_collection_finish() -> None:
    """Thousands of collected tests need not be looked through by every collection of garbage."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def no_machine_left() -> Iterator[None]:
    """A test leaves no machine behind, and makes no default one."""
    assert installation.current is None
    yield
    assert installation.current is None, "a call outside `with Machine()` made the default machine"


@pytest.fixture
def machine(request: pytest.FixtureRequest) -> Iterator[Machine]:
    """A fresh machine with device 0 set, whose answers are held against the documentation at the end. What it warned of
    has to be asked for: in the test, or with `pytest.mark.finds("memcpy-kind", ...)`. (Errors are raised; what a test
    leaves behind does not matter.)"""
    with Machine() as fresh:
        acl_runtime.aclrtSetDevice(0)
        yield fresh
        warned = {finding.id for finding in fresh.findings if finding.level == "warning"}
    check_documented(fresh)
    unasked = warned - {id for mark in request.node.iter_markers("finds") for id in mark.args}
    if unasked:
        source = inspect.getsource(request.function)
        unasked = {id for id in unasked if id not in source}
    assert not unasked, f"{unasked} was found, which the test does not ask for"


@cache
def documented(function: str) -> set[str] | None:
    """The names of the statuses that the help text of a C function lists; None for a function that is not ours."""
    found = getattr(acl_runtime, function, None) or getattr(aclnn, function, None)
    if found is None:
        return None
    _, _, returns = (found.__doc__ or "").partition("Returns:")
    return set(re.findall(r"^\s*(ACL(?:NN)?_\w+)", returns, re.MULTILINE))


@cache
def allowed(function: str) -> set[int] | None:
    """The values of these statuses."""
    names = documented(function)
    return None if names is None else {getattr(acl_runtime, name) for name in names}


def check_documented(machine: Machine) -> None:
    """Never invent a status: what came back stands in the function's help text."""
    for call in machine.calls:
        values = allowed(call.function)
        if isinstance(call.result, Status) and values is not None:
            assert call.result in values, (
                f"{call.function} returned {call.result!r}; its help text lists {documented(call.function)}"
            )

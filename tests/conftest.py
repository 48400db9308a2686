"""Every test gets machines of its own; every status that a call returns must stand in the help text of its function."""

import gc
import inspect
import os
import re
import sys
from collections.abc import Generator, Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

# This line stands before the import of numpy. Numpy's threads wait for products of matrices, and would take a core from
# the other workers. Each process that a test starts inherits the variable.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import acl_runtime
import aclnn
import aclnn.engine.run
from acl_runtime import Machine
from acl_runtime.errors import DeviceFault
from acl_runtime.headers.statuses import Status
from acl_runtime.machine.current import installation
from acl_runtime.machine.own_kernels import Kernels
from acl_runtime.machine.raised import kernel_raised
from acl_runtime.process import process
from aclnn.catalogue.index import names
from tests.helpers.patience import PATIENCE
from tests.helpers.places import CHECKOUT

pytest_plugins = ["pytester"]
# .ci/run runs these folders by name: C++ programs (slow to compile), what pages and samples show (a hundred programs),
# tests that need a browser or a network, the site, and the project itself: its words, pages, imports and lists
collect_ignore = ["cpp", "docs", "browser", "clients", "packages", "site", "project"]

C_NAMES = frozenset(acl_runtime.__all__) | frozenset(aclnn.__all__)
OURS = ("ACL_EMULATOR_", "ASCEND_")
OF_THE_RUN = "ACL_EMULATOR_WINDOW", "ACL_EMULATOR_NATIVE"
"""variables by which a whole run of tests has no address windows, or another build of the evaluator"""
for name in [name for name in os.environ if name.startswith(OURS) and name not in OF_THE_RUN]:
    del os.environ[name]  # tests set their own options
# A wait that another thread ends is no deadlock, however long a busy computer keeps that thread from running.
os.environ["ACL_EMULATOR_PATIENCE"] = str(PATIENCE)
for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
    if os.environ.get(name, "").startswith("zh"):
        os.environ[name] = "C.UTF-8"  # reports follow the locale, and tests must not depend on who runs them


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "finds(*ids): warnings that the test makes on purpose")
    if sys.dont_write_bytecode and hasattr(config, "cache"):
        # Without bytecode, each of the hundred processes that tests start would compile all modules: half of the time
        # of such a test. Pytest would rewrite the assertions of all test files in each run: half of the collection.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = str(config.cache.mkdir("bytecode"))
        sys.dont_write_bytecode = False


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips tests of the checkout where the packages are installed from a wheel."""
    marker = item.get_closest_marker("checkout")
    if marker is not None and not CHECKOUT:
        pytest.skip(f"needs a checkout: {marker.args[0]}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Drops names and markers: nobody reads them, and they are half of each report of a worker of pytest-xdist."""
    report = yield
    report.keywords = {}
    return report


class FileOfTests(pytest.Module):
    """A file of tests. While pytest looks for tests in it, the names of `from acl_runtime import *` are hidden.

    pytest asks its plugins about each name of a module. A thousand C names in each file would double the time of the
    collection."""

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        names = vars(self.obj)
        imported = {name: names.pop(name) for name in C_NAMES & names.keys()}
        try:
            return list(super().collect())
        finally:
            names.update(imported)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module:
    return FileOfTests.from_parent(parent, path=module_path)


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """The id of a function is its whole C name, so that `-k aclnnReal` selects it."""
    return f"aclnn{val}" if argname in ("name", "function") and f"aclnn{val}" in documented_names() else None


def pytest_collection_finish() -> None:
    """Keep the garbage collector from scanning thousands of collected tests again and again, and thousands of functions
    whenever a few objects were made."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


def pytest_sessionfinish() -> None:
    """Pytest collects garbage ten times at its end, to find what was left open; finalisers may leave more. Twice is
    enough: six seconds less."""
    gc.collect()
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def no_machine_left() -> Iterator[None]:
    """A test leaves no machine behind, and makes no default one."""
    assert installation.current is None
    yield
    process.own(Kernels).clear()
    assert installation.current is None, "a call outside `with Machine()` made the default machine"


raised_formulas: list[str] = []
"""the operators of which a formula raised in this test"""


def _noted(machine: Machine, kernel: str, error: Exception, **texts: str) -> DeviceFault:
    raised_formulas.append(f"{kernel}: {error!r}")
    return kernel_raised(machine, kernel, error, **texts)


aclnn.engine.run.kernel_raised = _noted


@pytest.fixture(autouse=True)
def no_formula_raised(request: pytest.FixtureRequest) -> Iterator[None]:
    """A formula that raises is a defect of ours, also where a machine only reports it. A test that wants one says so
    with `pytest.mark.finds("kernel-raised")`."""
    raised_formulas.clear()
    yield
    assert not raised_formulas or any("kernel-raised" in mark.args for mark in request.node.iter_markers("finds"))


@pytest.fixture
def own_operators(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The tests of all operators know those of `tests/aclnn/engine/test_own_operator.py`."""
    from tests.derived import judging  # late: it declares all operators

    monkeypatch.setenv(judging.OWN, "tests.aclnn.engine.test_own_operator")
    judging.operators.cache_clear()
    yield
    judging.operators.cache_clear()


@pytest.fixture
def machine(request: pytest.FixtureRequest) -> Iterator[Machine]:
    """A fresh machine with device 0 set. At the end its statuses are compared with the documentation.

    A test that leads to a warning must expect it, in its body or with `pytest.mark.finds("memcpy-kind", ...)`. Errors
    are raised. Findings about leftovers at the end do not count."""
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
def documented_names() -> frozenset[str]:
    """The functions of the catalogue."""
    return frozenset(names())


@cache
def documented(function: str) -> set[str] | None:
    """The names of the statuses that the help text of a C function lists; None for a function that is not ours."""
    found = getattr(acl_runtime, function, None) or getattr(aclnn, function, None)
    if found is None:
        return None
    _, _, returns = (found.__doc__ or "").partition("Returns:")
    return set(re.findall(r"^\s*(ACL(?:NN)?_\w+|HCCL_\w+|-1(?=:))", returns, re.MULTILINE))


@cache
def allowed(function: str) -> set[int] | None:
    """The values of these statuses."""
    names = documented(function)
    return None if names is None else {number_of(name) for name in names}


def number_of(name: str) -> int:
    """The value of a status by its name; -1 stands for itself."""
    if name.startswith("HCCL"):
        return int(acl_runtime.HcclResult[name])
    return int(getattr(acl_runtime, name, name))


def check_documented(machine: Machine) -> None:
    """Every status that a call returned stands in the help text of its function."""
    for call in machine.calls:
        values = allowed(call.function)
        if isinstance(call.result, Status) and values is not None:
            assert call.result in values, (
                f"{call.function} returned {call.result!r}; its help text lists {documented(call.function)}"
            )

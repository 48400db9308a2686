"""Work that is repeated for each operator and could be done once for many (ours)."""

from collections.abc import Callable

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Finding, Machine
from aclnn import *
from tests.helpers.builders import malloc, on_device, plan
from tests.helpers.outcomes import ok

HERE = "test_churn.py:"


def repeatable() -> Callable[[], None]:
    """A program that launches one operator again and again."""
    tensors = [on_device(np.ones(8, np.float32)) for _ in range(3)]
    planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, tensors[0], tensors[1], 0, tensors[2])
    ok(aclSetAclOpExecutorRepeatable(planned.executor))
    return lambda: ok(aclnnSoftmaxBackward(None, 0, planned.executor, None))


def churn(program: Callable[[Callable[[], None]], object]) -> list[Finding]:
    """The finding `churn` of a program, when its machine is closed."""
    with Machine() as machine:
        aclrtSetDevice(0)
        program(repeatable())
        assert "churn" not in [finding.id for finding in machine.findings], "counted, and reported once"
    return [finding for finding in machine.findings if finding.id == "churn"]


def memory_each_time(launch: Callable[[], None], times: int = 100) -> None:
    """Every launch has its own memory."""
    for _ in range(times):
        address = malloc(64)
        launch()
        ok(aclrtFreeWithDevSync(address))


@pytest.mark.fidelity("`churn`")
def test_an_allocation_for_each_operator_is_advised_against() -> None:
    """Advice, with the line that allocates and how often (ours)."""
    (finding,) = churn(memory_each_time)
    assert finding.level == "advice"
    assert "device memory was allocated and freed 100 times" in finding.what
    assert [past.what for past in finding.history] == ["allocated"]
    assert "builders.py:" in finding.history[0].site


WAITS: dict[str, Callable[[], int]] = {
    "aclrtSynchronizeStream": lambda: aclrtSynchronizeStream(None),
    "aclrtSynchronizeStreamWithTimeout": lambda: aclrtSynchronizeStreamWithTimeout(None, -1),
    "aclrtSynchronizeDevice": aclrtSynchronizeDevice,
}


@pytest.mark.parametrize(("launches", "found"), [(1, 1), (2, 1), (3, 0)])
def test_a_wait_for_two_operators_is_one_for_each(launches: int, found: int) -> None:
    """ "About once for each operator": after one or two launches, exactly a hundred times (ours). A second wait right
    behind the first one costs nothing, and is not counted."""

    def program(launch: Callable[[], None]) -> None:
        for _ in range(100):
            for _ in range(launches):
                launch()
            ok(aclrtSynchronizeStream(None))
            ok(aclrtSynchronizeStream(None))

    assert len(churn(program)) == found


@pytest.mark.fidelity("`churn`")
@pytest.mark.parametrize("wait", WAITS)
def test_a_wait_for_each_operator(wait: str) -> None:
    """Advice, with the line that waits and how often (ours)."""

    def program(launch: Callable[[], None]) -> None:
        for _ in range(120):
            launch()
            assert WAITS[wait]() == ACL_SUCCESS

    (finding,) = churn(program)
    assert "the host waited for the device 120 times" in finding.what
    assert [HERE in past.site for past in finding.history] == [True]


def few(launch: Callable[[], None]) -> None:
    """As many as a test has."""
    memory_each_time(launch, 99)
    for _ in range(99):
        launch()
        ok(aclrtSynchronizeStream(None))


def one_wait_for_many(launch: Callable[[], None]) -> None:
    """The memory is kept, the host waits once in a while."""
    address = malloc(64)
    for step in range(360):
        launch()
        if step % 3 == 2:
            ok(aclrtSynchronizeStream(None))
    ok(aclrtFree(address))


def freed_at_the_end(launch: Callable[[], None]) -> None:
    """Many pieces of one line live through many launches."""
    addresses = [malloc(64) for _ in range(150)]
    for _ in range(150):
        launch()
    ok(aclrtSynchronizeStream(None))
    for address in addresses:
        ok(aclrtFree(address))


def nothing_launched(launch: Callable[[], None]) -> None:
    """Memory and waits without any operator."""
    for _ in range(150):
        ok(aclrtFree(malloc(64)))
        ok(aclrtSynchronizeStream(None))


def waits_for_nothing(launch: Callable[[], None]) -> None:
    """One launch, many waits."""
    launch()
    for _ in range(150):
        ok(aclrtSynchronizeStream(None))
        ok(aclrtFree(malloc(64)))


@pytest.mark.fidelity("`churn`")
@pytest.mark.parametrize(
    "program", [few, one_wait_for_many, freed_at_the_end, nothing_launched, waits_for_nothing], ids=lambda p: p.__name__
)
def test_programs_that_reuse_memory_are_not_advised(program: Callable[[Callable[[], None]], None]) -> None:
    """The good twins (ours)."""
    assert churn(program) == []

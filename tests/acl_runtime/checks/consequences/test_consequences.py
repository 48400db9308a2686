"""One question, one verb: what is tainted, and which later findings are only consequences ("a finding that only follows
from an earlier one is not reported again", ours). `test_findings_that_follow.py` has whole programs."""

from __future__ import annotations

import ast

import pytest

from acl_runtime.checks.consequences import Consequences, Release
from acl_runtime.checks.races.accesses import Access
from acl_runtime.errors import AclError, DeviceFault, Finding
from acl_runtime.machine.machine import Machine
from acl_runtime.memory.ports import PastEnd
from acl_runtime.memory.ranges import Range, Use
from acl_runtime.objects.executor_life import LAUNCH, Executor
from acl_runtime.objects.handle_table import Tensor
from acl_runtime.streams.ports import Deadlock
from acl_runtime.streams.stream import Task, nothing
from acl_runtime.streams.vector_clock import Action, Agent
from tests.helpers.builders import malloc
from tests.helpers.machines import board
from tests.helpers.places import PACKAGES, module_files

FINDING = Finding("index-range", "error", "an index is wrong")


def consequences_of(*, raises: bool = False) -> Consequences:
    return Machine(on_undefined="raise" if raises else "report").consequences


def task(name: str = "work") -> Task:
    return Task(name, nothing, (), "")


def access(action: Action, role: str, use: Use, low: int = 0, high: int = 8) -> Access:
    return Access(action, Range(low, high, role, use), low, high, None)


def tensor() -> Tensor:
    return Tensor((2,), 0, (1,), 0, 2, (2,), 0x1000)


# bytes


def test_taint_is_kept_for_each_role_that_is_read() -> None:
    ledger, action = consequences_of(), Action(Agent("stream 1"), 1, "work", "")
    for role, use in (("input a", Use.READ), ("workspace", Use.SCRATCH), ("output c", Use.WRITE)):
        ledger.taint(access(action, role, use))
    assert action.taint == {"input a", "workspace"}


@pytest.mark.parametrize(
    ("use", "high", "left"),
    [(Use.READ, 8, {"input a"}), (Use.WRITE, 4, {"input a"}), (Use.WRITE, 8, set[str]())],
)
def test_taint_spreads_until_the_bytes_are_written_over(use: Use, high: int, left: set[str]) -> None:
    """A reader takes it over; a writer of all of the bytes ends it."""
    ledger, agent = consequences_of(), Agent("stream 1")
    first, second = Action(agent, 1, "first", ""), Action(agent, 2, "second", "")
    ledger.taint(access(first, "input a", Use.READ))
    ledger.spread(access(first, "output b", Use.WRITE), access(second, "input c", use, high=high))
    assert first.taint == left
    assert second.taint == ({"input c"} if use is Use.READ else set())


def test_the_same_use_past_the_end_is_a_consequence_and_a_longer_one_is_not() -> None:
    with board(on_undefined="report") as machine:
        piece = machine.devices[0].memory.holding(malloc(64))
        assert piece is not None
        ledger, end = machine.consequences, piece.end
        assert not ledger.of(PastEnd(piece, end + 4))
        ledger.taint(PastEnd(piece, end + 4))
        assert [ledger.of(PastEnd(piece, end + more)) for more in (2, 4, 6)] == [True, True, False]


# objects and lines


def test_the_same_finding_of_a_tensor_is_a_consequence_also_of_its_snapshot() -> None:
    ledger, original, other = consequences_of(), tensor(), tensor()
    copy = original.snapshot()
    ledger.taint(copy, "misaligned")
    assert [ledger.of(each, "misaligned") for each in (original, copy, original.snapshot(), other)] == [
        True, True, True, False,
    ]  # fmt: skip
    assert not ledger.of(original, "uninit-read")
    assert not ledger.of(original), "it is no reason to leave the tensor behind"


@pytest.mark.parametrize(
    ("finding", "repeatable", "consequence"),
    [(LAUNCH, False, True), (LAUNCH, True, False), ("tensor-destroyed-early", True, True),
     ("exec-cross-thread", False, False)],
)  # fmt: skip
def test_an_executor_that_could_not_be_used_up_is_no_leak(finding: str, repeatable: bool, consequence: bool) -> None:
    """One that is repeatable has to be destroyed whether or not a launch of it was ended."""
    ledger, executor = consequences_of(), Executor()
    executor.repeatable = repeatable
    ledger.taint(executor, finding)
    assert ledger.of(executor) == consequence


def test_a_launch_that_succeeds_later_makes_up_for_one_that_was_ended() -> None:
    ledger, executor = consequences_of(), Executor()
    ledger.taint(executor, LAUNCH)
    ledger.launched(executor)
    assert not ledger.of(executor)


def test_memory_whose_free_was_ended_is_no_leak() -> None:
    with board(on_undefined="report") as machine:
        memory, kept, left = machine.devices[0].memory, malloc(64), malloc(64)
        machine.consequences.taint(Release(kept))
        pieces = {address: memory.holding(address) for address in (kept, left)}
        assert [piece is not None and machine.consequences.of(piece) for piece in pieces.values()] == [True, False]


@pytest.mark.parametrize("raises", [False, True])
def test_lines_show_a_finding_once_unless_it_is_raised(raises: bool) -> None:
    """An error that is raised ends its call, so it is new each time; advice is never raised."""
    ledger = consequences_of(raises=raises)
    assert [ledger.first("xstream-race", "a.py:1") for _ in range(2)] == [True, raises]
    assert [ledger.first("pageable-async", "a.py:1") for _ in range(2)] == [True, False]
    assert ledger.first("pageable-async", "a.py:2")


def test_what_the_user_allows_is_new_each_time_so_that_it_is_counted() -> None:
    machine = Machine(on_undefined="report")
    with machine.allow("pageable-async", reason="a test"):
        assert [machine.consequences.first("pageable-async", "a.py:1") for _ in range(2)] == [True, True]
    assert machine.consequences.first("pageable-async", "a.py:1")


# waits and failures


@pytest.mark.parametrize("raises", [False, True])
def test_the_next_wait_for_the_same_stuck_tasks_is_a_consequence(raises: bool) -> None:
    ledger, first, second = consequences_of(raises=raises), task(), task()
    assert not ledger.of(Deadlock(frozenset({first})))
    ledger.taint(Deadlock(frozenset({first})))
    assert ledger.of(Deadlock(frozenset({first}))) != raises
    assert not ledger.of(Deadlock(frozenset({first, second})))


@pytest.mark.parametrize(
    ("finding", "reported"), [(FINDING, True), ("deadlock", True), ("misaligned", False), (None, False)]
)
def test_an_error_of_a_finding_is_a_consequence(finding: Finding | str | None, reported: bool) -> None:
    """The report has that finding, unless it was allowed or there is none; a failure of a task keeps its taint where
    another call returns it."""
    machine = Machine(on_undefined="report")
    machine.allow("misaligned", reason="a test")
    error = AclError(507000)
    assert not machine.consequences.of(error)
    machine.consequences.taint(error, finding)
    for each in (error, DeviceFault(507015, taint=error.taint)):
        assert machine.consequences.of(each)
        assert machine.consequences.reported(each) == reported


# the rule of the house

ASKS: dict[str, set[str]] = {
    "acl_runtime/checks/races/accesses.py": {"access.action.taint", "old.action.taint"},
    "acl_runtime/checks/races/happens_before.py": {"before.taint", "task.taint"},
    "acl_runtime/checks/races/repeated_models.py": {"task.action.taint"},
    "aclnn/engine/second_phase.py": {"executor.taint"},
}
"""where a look at the taint itself spares each launch a call"""


def test_lower_rooms_and_checks_only_carry_taint() -> None:
    """Outside its home an attribute `taint` is filled from another one, or with a value that is not looked at."""
    home = PACKAGES / "acl_runtime" / "checks" / "consequences"
    found: dict[str, set[str]] = {}
    for path in module_files():
        text = path.read_text(encoding="utf-8")
        if home in path.parents or "taint" not in text:
            continue
        tree = ast.parse(text)
        carried = [node.value for node in ast.walk(tree) if isinstance(node, ast.Assign | ast.AnnAssign | ast.keyword)]
        handed = {id(each) for value in carried if value is not None for each in parts(value)}
        looked_at = {
            ast.unparse(node)
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and node.attr == "taint" and isinstance(node.ctx, ast.Load)
            if id(node) not in handed and not isinstance(parent_call(tree, node), ast.Call)
        }
        if looked_at:
            found[path.relative_to(PACKAGES).as_posix()] = looked_at
    assert found == ASKS


def parts(value: ast.expr) -> list[ast.expr]:
    """The values of an assignment: its value, or the elements of a tuple."""
    return list(value.elts) if isinstance(value, ast.Tuple) else [value]


def parent_call(tree: ast.Module, attribute: ast.Attribute) -> ast.Call | None:
    """The call that the attribute is the function or an argument of: `consequences.taint(x)`, `f(error.taint)`."""
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return next((call for call in calls if attribute is call.func or attribute in call.args), None)

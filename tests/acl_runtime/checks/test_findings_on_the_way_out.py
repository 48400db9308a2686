"""A clean-up that runs while an error passes through it must not hide that error, nor be blamed (ours: "a finding that
only follows from an earlier one is not reported again")."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from ctypes import byref, c_void_p

import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from tests.acl_runtime.checks.races.race_twins import copy, fetch, memory
from tests.helpers.creating import create_stream
from tests.helpers.outcomes import ok


class Buffer:
    """As a guard object in C++: the memory goes with its scope."""

    def __enter__(self) -> int:
        self.address = memory()
        return self.address

    def __exit__(self, *error: object) -> None:
        ok(aclrtFree(self.address))


@contextmanager
def buffer() -> Iterator[int]:
    address = memory()
    try:
        yield address
    finally:
        ok(aclrtFree(address))


def with_guard() -> None:
    with Buffer() as target:
        copy(target, memory(), create_stream())
        fetch(target)


def with_generator() -> None:
    with buffer() as target:
        copy(target, memory(), create_stream())
        fetch(target)


def with_finally() -> None:
    target = memory()
    try:
        copy(target, memory(), create_stream())
        fetch(target)
    finally:
        ok(aclrtFree(target))


def with_stack() -> None:
    with ExitStack() as stack:
        target = stack.enter_context(Buffer())
        copy(target, memory(), create_stream())
        fetch(target)


PROGRAMS = pytest.mark.parametrize("program", [with_guard, with_generator, with_finally, with_stack])
SCHEDULES = pytest.mark.parametrize("schedule", ["late", "eager", "threads", "random"])


@PROGRAMS
@SCHEDULES
def test_the_first_error_is_the_one_that_arrives(program, schedule: str) -> None:  # type: ignore[no-untyped-def]
    with Machine(schedule=schedule) as machine:
        aclrtSetDevice(0)
        with pytest.raises(UndefinedBehaviour) as error:
            program()
        assert error.value.finding.id == "read-before-sync"
        assert [finding.id for finding in machine.findings.worth_telling] == ["read-before-sync"]
        assert machine.devices[0].memory.used < 3 * 1024, "what was freed is freed"


def test_another_mistake_of_the_clean_up_is_recorded_but_does_not_hide_the_first() -> None:
    with Machine() as machine:
        aclrtSetDevice(0)
        tensor = aclCreateTensor([1], 1, ACL_FLOAT, None, 0, ACL_FORMAT_ND, [1], 1, None)
        with pytest.raises(UndefinedBehaviour) as error:  # noqa: PT012
            try:
                target = memory()
                copy(target, memory(), create_stream())
                fetch(target)
            finally:
                aclDestroyTensor(tensor)
                aclDestroyTensor(tensor)
        assert error.value.finding.id == "read-before-sync"
        ids = [finding.id for finding in machine.findings.worth_telling]
        assert ids == ["read-before-sync", "tensor-double-destroy"]


def test_after_it_was_caught_errors_are_raised_again(machine: Machine) -> None:
    with pytest.raises(UndefinedBehaviour):
        with_guard()
    with pytest.raises(UndefinedBehaviour):
        with_guard()
    source, stream = memory(), create_stream()
    copy(memory(), source, stream)
    with pytest.raises(UndefinedBehaviour) as error:
        aclrtFree(source)
    assert error.value.finding.id == "io-freed-early"


def leaves_much_and_fails() -> None:
    aclrtSetDevice(0)
    ok(aclrtMalloc(byref(c_void_p()), 64, 0))
    copy(memory(), memory(), create_stream())
    aclDestroyTensor(aclTensor(5))


def test_what_an_error_leaves_on_its_way_out_of_the_machine_is_no_news() -> None:
    with pytest.raises(UndefinedBehaviour), Machine() as machine:
        leaves_much_and_fails()
    assert [finding.id for finding in machine.findings.worth_telling] == ["tensor-double-destroy"]


def reset(stream: aclrtStream) -> None:
    ok(aclrtResetDevice(0))
    ok(aclFinalize())


def finalise(stream: aclrtStream) -> None:
    ok(aclFinalize())
    ok(aclrtResetDevice(0))


def drop(stream: aclrtStream) -> None:
    ok(aclrtDestroyStreamForce(stream))
    reset(stream)


CLOSING = pytest.mark.parametrize("close", [reset, finalise, drop])


def closed_by_a_finally(close: Callable[[aclrtStream], None], *, waits: bool) -> None:
    """Memory is freed only where all went well; what has to be closed is closed anyway."""
    ok(aclInit(None))
    ok(aclrtSetDevice(0))
    stream = create_stream()
    try:
        target, source = memory(), memory()
        copy(target, source, stream)
        if waits:
            ok(aclrtSynchronizeStream(stream))
        fetch(target)
        ok(aclrtFree(target))
        ok(aclrtFree(source))
    finally:
        close(stream)


@CLOSING
@SCHEDULES
def test_what_a_finally_closes_is_no_news(close: Callable[[aclrtStream], None], schedule: str) -> None:
    """Work that was not waited for, memory that was not freed: the program did not get there."""
    with pytest.raises(UndefinedBehaviour, match="read-before-sync"), Machine(schedule=schedule) as machine:
        closed_by_a_finally(close, waits=False)
    assert [finding.id for finding in machine.findings.worth_telling] == ["read-before-sync"]


def test_a_leak_without_an_error_is_told() -> None:
    """The good twin: nothing is on its way, and what is forgotten is forgotten."""
    with Machine() as machine:
        ok(aclrtSetDevice(0))
        memory()
        ok(aclrtResetDevice(0))
    assert [finding.id for finding in machine.findings.worth_telling] == ["mem-leaked"]


def fails_by_itself() -> None:
    with Buffer() as target:
        copy(target, memory(), create_stream())
        raise RuntimeError


def test_an_exception_of_the_program_is_no_excuse() -> None:
    """Its clean-up ran into the mistake: it is raised."""
    with Machine():
        aclrtSetDevice(0)
        with pytest.raises(UndefinedBehaviour) as error:
            fails_by_itself()
        assert error.value.finding.id == "io-freed-early"


def test_a_loop_fills_no_report() -> None:
    """A machine that reports lists ten findings of the same lines, and counts the rest (ours)."""
    with Machine(on_undefined="report") as machine:
        aclrtSetDevice(0)
        for _ in range(50):
            aclDestroyTensor(aclTensor(5))
        assert len(machine.findings) == 10
        assert machine.findings.unlisted == 40

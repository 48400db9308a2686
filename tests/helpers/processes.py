"""Processes that share communicators: each is a machine with a thread of this process, which only messages connect."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from ctypes import byref
from typing import Any

from acl_runtime import *
from acl_runtime import Machine
from tests.conftest import check_documented
from tests.helpers.ranks import Rank, in_threads, new_root, queued


class Processes:
    """Some processes; rank i has device i of process i."""

    def __init__(self, machines: Sequence[Machine]) -> None:
        self.machines = machines
        self.ranks: list[Rank] = []

    def run(self, *bodies: Callable[[], object]) -> None:
        """Run a body in each process at the same time; the first exception that leaves one."""
        raised = self.try_(*bodies)
        for error in raised:
            if error is not None:
                raise error

    def try_(self, *bodies: Callable[[], object]) -> list[BaseException | None]:
        """Run a body in each process at the same time; the exceptions that left them."""

        def attached(machine: Machine, body: Callable[[], object]) -> Callable[[], None]:
            def run() -> None:
                machine.attach()
                body()

            return run

        return in_threads(*(attached(machine, body) for machine, body in zip(self.machines, bodies, strict=False)))

    def each(self, body: Callable[[Rank], object]) -> list[Any]:
        """Run the body in each process, with its rank; the results."""
        results: list[Any] = [None] * len(self.ranks)

        def of(number: int) -> Callable[[], None]:
            def run() -> None:
                aclrtSetDevice(number)
                results[number] = body(self.ranks[number])

            return run

        self.run(*map(of, range(len(self.ranks))))
        return results

    def found(self, number: int) -> list[str]:
        """The ids of the errors of a process."""
        return [finding.id for finding in self.machines[number].findings if finding.level == "error"]


@contextmanager
def machines(count: int, **options: Any) -> Generator[Processes]:
    """Processes without communicators. Each has as many devices as there are processes."""
    with ExitStack() as stack:
        made = [Machine(device_count=count, **options) for _ in range(count)]
        for machine in made:
            stack.callback(end, machine)
        yield Processes(made)
        for machine in made:
            check_documented(machine)


@contextmanager
def processes(count: int, schedule: str = "late", **options: Any) -> Generator[Processes]:
    """Processes that share one communicator."""
    with machines(count, schedule=schedule, **options) as made:
        joined(made)
        yield made


def end(machine: Machine) -> None:
    """End a process, if it has not ended before."""
    if not machine.closed:
        machine.close("the end of the test")


def joined(made: Processes) -> None:
    """Let all processes join a new communicator."""
    roots: list[HcclRootInfo] = []

    def root() -> None:
        aclrtSetDevice(0)
        roots.append(new_root())

    made.run(root)
    ranks: dict[int, Rank] = {}

    def join(number: int) -> Callable[[], None]:
        def run() -> None:
            comm = HcclComm()
            aclrtSetDevice(number)
            queued(HcclCommInitRootInfo(len(made.machines), byref(roots[0]), number, byref(comm)))
            ranks[number] = Rank(number, comm)

        return run

    made.run(*map(join, range(len(made.machines))))
    made.ranks = [ranks[number] for number in sorted(ranks)]

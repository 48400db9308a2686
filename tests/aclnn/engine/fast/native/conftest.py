"""A fixture that sees the programs of the evaluator."""

from __future__ import annotations

import pytest

from aclnn.engine.fast.native.library import Instruction, Library, Program, SweepArguments


@pytest.fixture
def swept(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Of each sweep that ran: its operations."""
    found: list[list[str]] = []
    run = Library.run

    def spied(self: Library, sweep: SweepArguments) -> None:
        names = {number: name for name, number in self.operations.items()}
        programs = (Program * sweep.programs).from_address(sweep.program)
        code = [(Instruction * each.count).from_address(each.instructions) for each in programs]
        found.append([names[each.op] for part in code for each in part])
        run(self, sweep)

    monkeypatch.setattr(Library, "run", spied)
    return found

"""The first runs of a sweep over much memory find out whether it pays to ask for memory ahead."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

import pytest

from aclnn.engine.fast.native import look_ahead
from aclnn.engine.fast.native.library import Library, Sweep
from aclnn.engine.fast.native.look_ahead import MUCH, STEPS, TRIALS, LookAhead


@dataclass
class Clock:
    """A library whose runs take a known time."""

    seconds: dict[bool, float]
    now: float = 0.0
    asked: list[bool] = field(default_factory=list)

    def run(self, sweep: Sweep) -> None:
        self.asked.append(bool(sweep.ask))
        self.now += self.seconds[bool(sweep.ask)]


def asked(ahead: LookAhead, clock: Clock, runs: int, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each of so many runs asked."""
    monkeypatch.setattr(look_ahead, "perf_counter", lambda: clock.now)
    sweep = Sweep()
    for _ in range(runs):
        ahead.run(cast("Library", clock), sweep)
    return clock.asked


@pytest.mark.parametrize("better", [True, False])
@pytest.mark.parametrize("steps", [STEPS - 1, STEPS])
def test_the_faster_way_is_kept_after_some_runs(steps: int, better: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock({better: 1.0, not better: 1.1})
    found = asked(LookAhead(MUCH, steps), clock, 2 * TRIALS + 3, monkeypatch)
    guess = steps >= STEPS
    assert found == [guess, not guess] * TRIALS + [better] * 3


def test_nothing_is_tried_where_the_caches_have_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    assert asked(LookAhead(MUCH - 1, STEPS), Clock({False: 1.0}), 9, monkeypatch) == [False] * 9

"""Jobs of a kernel that threads do side by side."""

from __future__ import annotations

import pytest

from acl_runtime import Machine
from aclnn.engine.fast import side_by_side
from aclnn.engine.fast.jobs import MIN_ELEMENTS_FOR_THREADS


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("elements", [1, MIN_ELEMENTS_FOR_THREADS])
@pytest.mark.parametrize("count", [0, 1, 9])
def test_each_job_is_done_once(count: int, elements: int, threads: int) -> None:
    done: list[int] = []
    with Machine(threads=threads):
        side_by_side([lambda _, number=number: done.append(number) for number in range(count)], elements)
    assert sorted(done) == list(range(count))


def test_what_a_job_raises_is_raised() -> None:
    def wrong(_: object) -> None:
        raise ZeroDivisionError

    with Machine(threads=2), pytest.raises(ZeroDivisionError):
        side_by_side([wrong, wrong, wrong], MIN_ELEMENTS_FOR_THREADS)

"""The traces of several ranks in one picture: a meeting begins at one time on all of its ranks."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from random import Random

from acl_runtime import *
from acl_runtime.timeline.__main__ import main
from acl_runtime.timeline.contents import About, TaskSpan, TraceContents
from acl_runtime.timeline.geometry import layout
from acl_runtime.timeline.ranks import merged
from acl_runtime.timeline.read import read
from tests.helpers.processes import Processes, processes
from tests.helpers.ranks import Rank, floats, queued
from tests.helpers.timeline_programs import call, past, task


def meeting(id: int, start: float, *names: str) -> TaskSpan:
    return task(id, start, start + 10, meetings=names, name="HcclAllReduce")


def rank(number: int, tasks: list[TaskSpan]) -> TraceContents:
    return past([call(1, 0, tasks=(1,)), call(2, tasks[-1].end, began=0)], tasks)._replace(
        about=About(rank=f"{number}")
    )


def spans(contents: TraceContents) -> list[list[tuple[float, float]]]:
    """The starts and ends of the tasks of each rank."""
    return [[(task.start, task.end) for task in contents.tasks if task.rank == number] for number in range(2)]


def test_a_rank_waits_for_the_latest_one() -> None:
    """Rank 0 comes first to the first meeting, and last to the second one."""
    first = rank(0, [meeting(1, 5, "a"), task(2, 15, 40), meeting(3, 40, "b"), task(4, 50, 51)])
    second = rank(1, [task(1, 0, 20), meeting(2, 20, "a"), meeting(3, 30, "b")])
    whole = merged([second, first])
    assert spans(whole) == [[(20, 30), (30, 55), (55, 65), (65, 66)], [(0, 20), (20, 30), (55, 65)]]
    assert [(one.rank, one.began, one.ended) for one in whole.calls] == [(0, 0, 0), (1, 0, 0), (1, 0, 65), (0, 0, 66)]
    assert [one.tasks for one in whole.calls] == [(1,), (5,), (), ()]
    assert list(whole.devices) == ["rank 0: device 0 (chip)", "rank 1: device 0 (chip)"]


def test_rows_of_a_rank_are_together_and_arrows_join_each_meeting() -> None:
    picture = layout(merged([rank(0, [meeting(1, 5, "a")]), rank(1, [meeting(1, 7, "a")])]))
    names = ["rank 0: host", "rank 0: device 0 (chip)", "rank 1: host", "rank 1: device 0 (chip)"]
    assert [group.name for group in picture.groups] == names
    tops = [group.rows[0].top for group in picture.groups]
    assert tops == sorted(tops)
    (arrow,) = [arrow for arrow in picture.arrows if arrow.text == "the ranks meet: HcclAllReduce"]
    assert tops[1] < arrow.tail[1] < arrow.head[1] < tops[3] + 20


def test_traces_that_are_not_whole_are_drawn() -> None:
    """Meetings are missing on some ranks, or cross: no task gets shorter, and none overtakes another one."""
    random = Random(1)
    for _ in range(50):
        ranks: list[TraceContents] = []
        for number in range(3):
            names = random.sample("abcdef", random.randrange(1, 6))
            starts = sorted(random.sample(range(0, 1000, 10), len(names)))
            ranks.append(rank(number, [meeting(id, *facts) for id, facts in enumerate(zip(starts, names), 1)]))  # noqa: B905
        whole = merged(ranks)
        for number, before in enumerate(ranks):
            after = [task for task in whole.tasks if task.rank == number]
            assert [task.end - task.start for task in after] == [10] * len(before.tasks)
            assert all(new.start >= old.start for new, old in zip(after, before.tasks, strict=True))
            assert all(one.end <= other.start for one, other in pairwise(after))


def trained(made: Processes) -> None:
    """Rank 1 works longer before each meeting."""

    def body(rank: Rank) -> None:
        place = rank.put(floats(rank.number))
        for _ in range(2):
            for _ in range(1 + 3 * rank.number):
                queued(aclrtMemsetAsync(place, 4, 0, 4, rank.stream))
            queued(rank.all_reduce(place, 1))
        queued(aclrtSynchronizeStream(rank.stream))

    made.each(body)


def test_the_traces_of_two_processes_make_one_picture(tmp_path: Path) -> None:
    with processes(2, trace=True) as made:
        trained(made)
        traces = [machine.chrome_trace() for machine in made.machines]
    paths = [tmp_path / f"trace.rank{number}.json" for number in range(2)]
    for path, trace in zip(paths, traces, strict=True):
        path.write_text(json.dumps(trace), encoding="utf-8")
    assert main([*map(str, paths), str(tmp_path / "all.html")]) == 0
    page = (tmp_path / "all.html").read_text(encoding="utf-8")
    assert all(text in page for text in ("rank 0: host", "rank 1: device 1", "the ranks meet: HcclAllReduce"))
    whole = merged([read(trace) for trace in traces])
    met: dict[str, list[TaskSpan]] = {}
    for one in whole.tasks:
        for name in one.meetings:
            met.setdefault(name, []).append(one)
    assert len(met) == 2
    for tasks in met.values():
        assert len({(one.start, one.end) for one in tasks}) == 1
        assert [one.rank for one in tasks] == [0, 1]

"""The places of bars, arrows, curves and marks."""

from __future__ import annotations

from itertools import pairwise

import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.timeline.arrows import awaited
from acl_runtime.timeline.axis import PAUSE, WIDEST, make_axis
from acl_runtime.timeline.contents import TraceContents, part
from acl_runtime.timeline.geometry import layout
from acl_runtime.timeline.shapes import BAR, Picture
from tests.helpers.builders import malloc
from tests.helpers.creating import create_stream
from tests.helpers.outcomes import ok
from tests.helpers.timeline_programs import call, many_tasks, past, past_of, sample, task

PROGRAMS = ("streams_and_events", "asynchronous_copies", "devices_and_threads", "error_handling", "many")


@pytest.fixture(scope="module", params=PROGRAMS)
def drawn(request: pytest.FixtureRequest) -> tuple[TraceContents, Picture]:
    machine = many_tasks(2000) if request.param == "many" else sample(request.param, device_count=2)
    found = past_of(machine)
    return found, layout(found)


def test_bars_of_a_row_do_not_overlap(drawn: tuple[TraceContents, Picture]) -> None:
    _, picture = drawn
    rows = [row for group in picture.groups for row in group.rows]
    assert rows
    for row in rows:
        for lane in range(row.lanes):
            bars = [bar for bar in row.bars if bar.lane == lane]
            for left, right in pairwise(bars):
                assert left.right <= right.left + 1e-6, (row.name, left, right)
    assert all(bar.width > 0 for row in rows for bar in row.bars)
    assert all(0 <= bar.left <= bar.right <= picture.axis.end + 1e-6 for row in rows for bar in row.bars)


def test_every_call_and_every_task_has_one_bar(drawn: tuple[TraceContents, Picture]) -> None:
    found, picture = drawn
    host, *devices = picture.groups
    assert sorted(key for row in host.rows for bar in row.bars for key in bar.keys) == [
        call.order for call in found.calls
    ]
    tasks = [key for group in devices for row in group.rows for bar in row.bars for key in bar.keys]
    assert sorted(tasks) == [task.id for task in found.tasks]


def test_arrows_lead_from_the_launch_to_the_run(drawn: tuple[TraceContents, Picture]) -> None:
    """They lead from the lower edge of the call to the upper edge of the task, never backwards."""
    found, picture = drawn
    host, *devices = picture.groups
    calls = {key: (row, bar) for row in host.rows for bar in row.bars for key in bar.keys}
    tasks = {key: (row, bar) for group in devices for row in group.rows for bar in row.bars for key in bar.keys}
    launches = {id: each.order for each in found.calls for id in each.tasks}
    arrows = {arrow.of: arrow for arrow in picture.arrows if arrow.kind == "launch"}
    reached = {bar for id in arrows for bar in [tasks[id][1]]}
    assert reached == {tasks[id][1] for id in launches}, "every task that ran and was launched has an arrow"
    for id, arrow in arrows.items():
        (row, bar), (to, run) = calls[launches[id]], tasks[id]
        assert bar.left <= arrow.tail[0] <= bar.right
        assert arrow.tail[1] == row.y(bar) + BAR
        assert run.left <= arrow.head[0] <= run.right
        assert arrow.head[1] == to.y(run)
        assert arrow.tail[0] <= arrow.head[0]


def test_the_memory_curve_ends_with_the_memory_in_use_at_the_end(drawn: tuple[TraceContents, Picture]) -> None:
    found, picture = drawn
    last = [each.memory for each in found.calls if each.memory is not None][-1]
    curves = {group.name: group.curve for group in picture.groups[1:] if group.curve}
    assert curves
    for number, name in enumerate(found.devices):
        if name in curves:
            curve = curves[name]
            assert curve.steps[-1][1] == last[number]
            assert [x for x, _ in curve.steps] == sorted(x for x, _ in curve.steps)
            assert curve.most == max(each.memory[number] for each in found.calls if each.memory is not None)


def test_memory_that_is_not_freed_stays_in_the_curve(machine: Machine) -> None:
    malloc(4096)
    ok(aclrtFree(malloc(64)))
    (curve,) = [group.curve for group in layout(past_of(machine)).groups if group.curve]
    first, second, third = (used for _, used in curve.steps if used)
    assert first == third == machine.memories.used[0] > 0
    assert second > first


def test_the_width_of_a_task_is_proportional_to_its_time() -> None:
    """This holds where no column of a call lies in between."""
    tasks = [task(1, 0, 10), task(2, 10, 30), task(3, 30, 31)]
    picture = layout(past([call(1, 0, tasks=(1, 2, 3)), call(2, 31, began=0)], tasks))
    one, two, three = picture.groups[1].rows[0].bars
    assert two.width == pytest.approx(2 * one.width)
    assert three.width == pytest.approx(one.width / 10)


def test_a_short_task_beside_a_long_one_can_be_seen() -> None:
    tasks = [task(1, 0, 100_000), task(2, 100_000, 100_001)]
    picture = layout(past([call(1, 0, tasks=(1, 2)), call(2, 100_001, began=0)], tasks))
    _, short = picture.groups[1].rows[0].bars
    assert short.width >= 3


def test_a_pause_is_cut_short() -> None:
    """A host that slept for a second does not squeeze the calls before and after it."""
    axis = make_axis([0.0, 1e6], [(0.0, 5.0), (1e6, 1e6 + 5)])
    assert axis.before(1e6) - axis.before(5.0) == PAUSE
    assert [axis.instants[i] for i in axis.resumes] == [1e6]
    assert 1e6 in [time for time, _ in axis.ticks()]


def test_calls_of_one_instant_stand_side_by_side() -> None:
    axis = make_axis([0.0, 0.0, 0.0, 7.0], [(0.0, 7.0)])
    one, two, three, last = axis.columns
    assert (two - one, three - two) == (axis.column, axis.column)
    assert last == axis.before(7.0) == pytest.approx(axis.after(0.0) + (last - three - axis.column))
    assert axis.before(3.5) == pytest.approx((axis.after(0.0) + last) / 2)


def test_ticks_are_apart_and_in_order(drawn: tuple[TraceContents, Picture]) -> None:
    ticks = drawn[1].axis.ticks()
    assert ticks[0][0] == 0.0
    assert all(b - a >= 74 for (_, a), (_, b) in pairwise(ticks))
    assert all(a < b for (a, _), (b, _) in pairwise(ticks))


def test_calls_of_a_callback_stand_below_the_call_that_ran_it(machine: Machine) -> None:
    stream = create_stream()
    ok(aclrtLaunchHostFunc(stream, lambda _: aclGetRecentErrMsg(), None))
    ok(aclrtSynchronizeStream(stream))
    (row,) = layout(past_of(machine)).groups[0].rows
    (inner,) = [bar for bar in row.bars if bar.lane == 1]
    (outer,) = [bar for bar in row.bars if bar.label == "aclrtSynchronizeStream"]
    assert inner.label == "aclGetRecentErrMsg"
    assert outer.left <= inner.left < inner.right <= outer.right


def test_a_wait_is_as_long_as_it_took_and_leads_back(machine: Machine) -> None:
    stream, address = create_stream(), malloc(1 << 20)
    ok(aclrtMemsetAsync(address, 1 << 20, 0, 1 << 20, stream))
    ok(aclrtSynchronizeStream(stream))
    picture = layout(past_of(machine))
    (wait,) = [bar for row in picture.groups[0].rows for bar in row.bars if bar.kind == "wait"]
    (run,) = picture.groups[1].rows[0].bars
    assert wait.left <= run.left
    assert wait.right >= run.right
    (back,) = [arrow for arrow in picture.arrows if arrow.kind == "order"]
    assert back.text == "aclrtSynchronizeStream returns"
    assert back.tail[0] == run.right <= back.head[0] <= wait.right


def test_records_lead_to_the_waits_of_other_streams() -> None:
    """The picture recognises the tasks of events by their names."""
    found = past_of(sample("streams_and_events"))
    pairs = [(record.name, wait.name) for wait, record in awaited(found.tasks)]
    assert pairs == [("record of event 1", "wait for event 1"), ("record of event 2", "wait for event 2")] * 2
    arrows = [arrow for arrow in layout(found).arrows if arrow.text.endswith("was recorded")]
    assert len(arrows) == 2, "in the first round both are in one stream"
    assert all(arrow.tail[0] <= arrow.head[0] for arrow in arrows)


def test_a_wait_after_a_reset_waits_for_the_next_record() -> None:
    names = ["record of event 1", "reset of event 1", "wait for event 1", "record of event 1"]
    starts = [0.0, 1.0, 5.0, 3.0]
    tasks = [task(i + 1, starts[i], starts[i] + 1, name=name, row=i + 1) for i, name in enumerate(names)]
    assert [(wait.id, record.id) for wait, record in awaited(tasks)] == [(3, 4)]


def test_many_tasks_share_bars() -> None:
    """The picture does not get wider than its limit, and a bar of several tasks shows their number."""
    found = past_of(many_tasks(2000))
    picture = layout(found)
    assert picture.axis.end <= 1.2 * WIDEST
    bars = [bar for group in picture.groups for row in group.rows for bar in row.bars]
    shared = [bar for bar in bars if len(bar.keys) > 1]
    assert len(bars) < len(found.calls) + len(found.tasks)
    assert picture.summarised == sum(len(bar.keys) for bar in shared) > 0
    assert all(bar.text.startswith(f"{len(bar.keys)} ") for bar in shared)


def test_a_part_shows_only_its_time() -> None:
    found = past_of(many_tasks(500))
    some = part(found, 100.0, 120.0)
    assert 0 < len(some.tasks) < len(found.tasks)
    assert all(each.end >= 100 and each.start <= 120 for each in some.tasks)
    assert some.before == max(each.memory for each in found.calls if each.memory), "memory that was allocated earlier"
    assert some.before[0] > 2 << 20
    (first, _) = [group.curve for group in layout(some).groups if group.curve]
    assert first.steps == [(0.0, some.before[0])]
    with pytest.raises(ValueError, match="nothing lies between"):
        part(found, 5.0, 5.0)

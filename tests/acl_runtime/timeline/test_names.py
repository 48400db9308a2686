"""The names of calls and marks in the picture: readable where there is room."""

from __future__ import annotations

from itertools import pairwise

import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.timeline.bars import Bar, is_point
from acl_runtime.timeline.contents import MarkSpan
from acl_runtime.timeline.draw import svg
from acl_runtime.timeline.elements import short_name, text_width
from acl_runtime.timeline.geometry import layout
from acl_runtime.timeline.names import APART, MOST, above_bars, end, height
from acl_runtime.timeline.shapes import Picture, TimelineRow
from tests.helpers.creating import create_stream
from tests.helpers.timeline_programs import call, past, past_of, sample, task


def bars(*widths: float, kind: str = "call", label: str = "aclrtMalloc") -> list[Bar]:
    made: list[Bar] = []
    left = 0.0
    for number, width in enumerate(widths, 1):
        made.append(Bar(left, left + width, kind, label, "text", (number,)))
        left += width
    return made


def host(picture: Picture) -> list[TimelineRow]:
    return list(picture.groups[0].rows)


@pytest.mark.parametrize("name", ["error_handling", "devices_and_threads", "streams_and_events"])
def test_each_call_of_a_short_program_has_its_name(name: str) -> None:
    """Above its bar, or inside it. A name may lose its prefix, but is not cut."""
    contents = past_of(sample(name, device_count=2))
    picture = layout(contents)
    drawn = svg(contents, picture)
    for row in host(picture):
        alone = [bar for bar in row.bars if not bar.lane]
        inside = [bar for bar in alone if bar not in [b for b in alone for n in row.names if b.left < n.x < b.right]]
        assert all(short_name(bar.label, bar.width - 8) and f">{bar.label}" in drawn for bar in inside)
        assert not [name for name in row.names if name.text.endswith("…")]


def test_names_above_bars_do_not_touch() -> None:
    names = above_bars(bars(*[7.0] * 40))
    assert all(right.x - left.x >= APART for left, right in pairwise(names))
    assert len(names) == 20, "every other one, as a bar is 7 pixels wide"


def test_where_there_is_no_room_for_all_failed_calls_and_waits_come_first() -> None:
    kinds = ["call", "failed", "call", "wait", "call", "call"]
    crowded = [bar._replace(kind=kind) for bar, kind in zip(bars(*[7.0] * 6), kinds, strict=True)]
    assert [name.kind for name in above_bars(crowded)] == ["failed", "wait", "call"]


def test_a_name_that_fits_inside_its_bar_does_not_stand_above_it() -> None:
    assert above_bars(bars(200.0)) == []
    assert above_bars(bars(60.0)) == [], "without its prefix"
    (name,) = above_bars(bars(30.0))
    assert (name.text, name.x) == ("aclrtMalloc", 15.0)


def test_bars_of_several_calls_and_calls_of_callbacks_have_no_name_above() -> None:
    (one,) = bars(14.0)
    assert above_bars([one._replace(keys=(1, 2))]) == above_bars([one._replace(lane=1)]) == []


def test_a_row_with_too_many_calls_has_no_names_above() -> None:
    assert above_bars(bars(*[14.0] * (MOST + 1))) == []
    assert above_bars(bars(*[14.0] * MOST))


def test_the_row_leaves_space_for_its_names(machine: Machine) -> None:
    """Between two rows with names, and right of the last name."""
    create_stream()
    contents = past_of(machine)
    picture = layout(contents)
    (row,) = host(picture)
    assert row.top - picture.groups[0].top >= height(row.names) > 30
    width = float(svg(contents, picture, alone=False).split('width="')[1].split('"')[0])
    assert width > picture.left + max(map(end, row.names))


def test_names_of_rows_take_no_more_room_than_they_need() -> None:
    short = layout(past([call(1, 0.0)], []))
    long = layout(past([call(1, 0.0)], [])._replace(threads={1: "the loader of the training data"}))
    assert short.left < 130 < long.left <= 200


def test_a_range_reaches_from_the_call_that_began_it_to_the_call_that_ended_it() -> None:
    """Calls of one instant stand side by side, so ranges of one instant do too, one after the other."""
    with Machine() as machine:
        aclrtSetDevice(0)
        for number in (1, 2):
            outer = mstxRangeStartA(f"outer {number}", None)
            mstxRangeEnd(mstxRangeStartA("inner", None))
            mstxRangeEnd(outer)
        mstxMarkA("done", None)
        aclrtResetDevice(0)
    contents = past_of(machine)
    picture = layout(contents)
    calls = {bar.keys[0]: bar for row in host(picture) for bar in row.bars}
    (row,) = picture.groups[-1].rows
    found = {bar.label: (bar.left, bar.right, bar.lane) for bar in row.bars if bar.label != "inner"}
    assert found["outer 1"] == (calls[2].left, calls[5].right, 0)
    assert found["outer 2"] == (calls[6].left, calls[9].right, 0)
    assert [(bar.left, bar.right, bar.lane) for bar in row.bars if bar.label == "inner"] == [
        (calls[3].left, calls[4].right, 1),
        (calls[7].left, calls[8].right, 1),
    ]
    assert found["done"][0] == calls[10].left


def test_a_range_of_an_older_trace_covers_the_calls_of_its_moments() -> None:
    span = MarkSpan("default", "step", 0.0, 5.0, is_range=True, open=False)
    contents = past([call(1, 0.0), call(2, 5.0, began=0.0)], [task(1, 0.0, 5.0)])._replace(marks=[span])
    picture = layout(contents)
    (bar,) = picture.groups[-1].rows[0].bars
    assert (bar.left, bar.right) == (picture.axis.before(0.0), picture.axis.after(5.0))


def test_a_mark_has_its_text_beside_it_and_nothing_covers_the_text() -> None:
    marks = [MarkSpan("default", f"mark {each}", 0.0, 0.0, is_range=False, open=False, order=each) for each in (1, 2)]
    contents = past([call(1, 0.0), call(2, 0.0)], [])._replace(marks=marks)
    picture = layout(contents)
    first, second = picture.groups[-1].rows[0].bars
    assert is_point(first)
    assert second.lane == 1, "the text of the first mark is wider than a call"
    drawn = svg(contents, picture)
    assert ">mark 1</text>" in drawn
    assert ">mark 2</text>" in drawn
    assert float(drawn.split('width="')[1].split('"')[0]) >= picture.left + second.right + text_width("mark 2")

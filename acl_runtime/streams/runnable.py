"""The search for the task that may run next, by the order of tasks in streams and by their waits.

This module runs no task and changes no stream; the scheduler does.
"""

import threading
from collections.abc import Iterable, Sequence

from acl_runtime.errors import DeviceFault, Past
from acl_runtime.streams.event import EventWait, Record
from acl_runtime.streams.goals import Goal
from acl_runtime.streams.stream import Stream, Task, launches
from acl_runtime.streams.vector_clock import Action
from acl_runtime.streams.waiters import Waiter
from acl_runtime.text import Text


def needed(streams: Iterable[Stream], path: list[Stream]) -> Stream | None:
    """A stream whose first task can run, and must run before tasks of `streams` can run. `path` gets the streams on the
    way there, each awaited by the stream before. The next search begins at its end, so that a long chain of waits is
    not searched again for each task."""
    while len(path) > 1 and path[-1] not in sources(path[-2]):
        path.pop()
    visited: set[Stream] = set()
    for start in (path[-1:] if len(path) > 1 else [], streams):
        above = path[:-1] if start is not streams else []
        start_depth = len(above)
        for first in start:  # lazily: usually the first of many streams can run
            stack = [(first, start_depth)]
            while stack:
                stream, depth = stack.pop()
                if stream in visited:
                    continue
                visited.add(stream)
                above[depth:] = [stream]
                if stream.movable():
                    path[:] = above
                    return stream
                stack.extend([(source, depth + 1) for source in _awaited(stream)[::-1]])
    return None


def waits_text(waiters: list[Waiter], streams: Iterable[Stream]) -> str:
    """A text of all waits: the condition for which each host thread and each stream waits."""
    sides: list[str] = [
        Text("thread {thread} waits in {call} for {goal}", thread=waiter.thread, call=waiter.call, goal=waiter.goal)
        for waiter in waiters
    ]
    for stream in streams:
        first = stream.queue[0]
        task = {"task": first.name, "stream": stream}
        if stream.runner:
            sides.append(Text("{task} in {stream} is being run and does not end", **task))
        elif not stream.driven:
            text = Text("{task} in {stream} belongs to a persistent stream, which only a model runs", **task)
            sides.append(text)
        elif first.wait is not None:
            sides.append(_wait_text(first))
    return Text.chain("{side}; {sides}", sides)


def never_ran(stream: Stream, tasks: Sequence[Action | Task]) -> tuple[Past, ...]:
    """The history for work of a stream that never runs: its launches, and the ranks for which it waits."""
    first = stream.queue[0] if stream.queue else None
    if first is None or not first.meets:
        return launches(tasks)
    return (*launches(tasks), Past(_wait_text(first), ""))


def _wait_text(task: Task) -> Text:
    return Text("{task} in {stream} waits for {what}", task=task.name, stream=task.stream, what=task.wait)


def sources(stream: Stream) -> list[Stream]:
    """The streams whose tasks may end the wait of the stream's first task."""
    return [] if not stream.queue or stream.queue[0].ready else _awaited(stream)


def _awaited(stream: Stream) -> list[Stream]:
    """The same for a stream that cannot move."""
    if not stream.queue or stream.runner or not stream.driven:
        return []
    wait = stream.queue[0].wait
    return list(wait.sources()) if wait is not None else []


def waits_for_itself(streams: Iterable[Stream]) -> bool:
    """True if the calling thread runs the first task of one of these streams, or of an awaited stream."""
    stack, visited, me = list(streams), set[Stream](), threading.get_ident()
    while stack:
        stream = stack.pop()
        if stream.runner == me:
            return True
        if stream not in visited:
            visited.add(stream)
            stack += sources(stream)
    return False


def dropped_sources(goal: Goal, streams: Iterable[Stream]) -> frozenset[Stream]:
    """The streams whose dropped event records are the only cause of a stuck `goal`; empty if there is another cause.
    `streams`: all streams with queued tasks."""
    if isinstance(goal, Record):
        stream = goal.dropped_from
        if stream is not None:
            return frozenset({stream})
    causes: dict[Stream, frozenset[Stream]] = {}
    """the streams of dropped records, by the stream that only these records block"""
    changed = True
    while changed:
        changed = False
        for stream in streams:
            wait = stream.queue[0].wait
            if stream in causes or wait is None:
                continue
            record = wait.record if isinstance(wait, EventWait) else None
            dropped = record.dropped_from if record is not None else None
            behind = sources(stream)
            if dropped is not None:
                causes[stream] = frozenset({dropped})
            elif behind and all(source in causes for source in behind):
                causes[stream] = frozenset[Stream]().union(*(causes[source] for source in behind))
            changed = changed or stream in causes
    awaited = list(goal.streams())
    if not awaited or any(stream not in causes for stream in awaited):
        return frozenset()
    return frozenset[Stream]().union(*(causes[stream] for stream in awaited))


def turn(task: Task) -> float:
    """The simulated time at which the task would start without its wait."""
    return max(task.submitted, task.stream.time)


def start(task: Task) -> tuple[float, DeviceFault | None]:
    """The simulated time at which the task starts, and its fault if the wait reached its timeout."""
    time, wait = task.start(), task.wait
    if wait is None or wait.timeout is None or time <= turn(task) + wait.timeout:
        return time, None
    return turn(task) + wait.timeout, wait.expired()


def finish(stream: Stream) -> float:
    """The simulated time at which the first task of the stream would end."""
    task = stream.queue[0]
    return task.start() + task.duration

"""What the order of tasks in streams, and their waits, allow next."""

import threading
from collections.abc import Iterable

from acl_runtime.errors import DeviceFault
from acl_runtime.objects.clock import duration
from acl_runtime.streams.stream import Stream, Task
from acl_runtime.streams.waiters import Waiter


def needed(streams: Iterable[Stream], path: list[Stream]) -> Stream | None:
    """A stream whose first task can run, and has to before `streams` can get on. `path` keeps how it was found,
    from stream to awaited stream, and is where the next search begins: a long chain costs no more than its work."""
    while len(path) > 1 and path[-1] not in sources(path[-2]):
        path.pop()
    seen: set[Stream] = set()
    for start in (path[-1:] if len(path) > 1 else [], streams):
        above = path[:-1] if start is not streams else []
        at = len(above)
        for first in start:  # one after the other: the first of many can usually run
            stack = [(first, at)]
            while stack:
                stream, depth = stack.pop()
                if stream in seen:
                    continue
                seen.add(stream)
                above[depth:] = [stream]
                if stream.movable:
                    path[:] = above
                    return stream
                stack.extend((source, depth + 1) for source in sources(stream)[::-1])
    return None


def both_sides(waiters: list[Waiter], streams: Iterable[Stream]) -> str:
    """What the text of a deadlock tells: who waits for what, hosts and streams."""
    sides = [f"thread {waiter.thread} waits in {waiter.call} for {waiter.goal}" for waiter in waiters]
    for stream in streams:
        first = stream.queue[0]
        name = f"{first.name} in {stream}"
        if stream.runner:
            sides.append(f"{name} is being run and does not end")
        elif not stream.driven:
            sides.append(f"{name} belongs to a persistent stream, which only a model runs")
        elif first.wait is not None:
            sides.append(f"{name} waits for {first.wait}")
    return "a wait that nobody can satisfy: " + "; ".join(sides) + "."


def sources(stream: Stream) -> list[Stream]:
    """The streams whose work may let the first task of this one go on."""
    if not stream.queue or stream.runner or not stream.driven or stream.queue[0].ready:
        return []
    wait = stream.queue[0].wait
    return list(wait.sources()) if wait is not None else []


def waits_for_itself(streams: Iterable[Stream]) -> bool:
    """Does one of the streams, or one that it waits for, stand at a task that the calling thread is running?"""
    stack, seen, me = list(streams), set[Stream](), threading.get_ident()
    while stack:
        stream = stack.pop()
        if stream.runner == me:
            return True
        if stream not in seen:
            seen.add(stream)
            stack += sources(stream)
    return False


def turn(task: Task) -> float:
    """The simulated time at which it is its turn."""
    return max(task.submitted, task.stream.time)


def start(task: Task) -> tuple[float, DeviceFault | None]:
    """When it starts, and what it fails with instead where what it waits for came after its timeout."""
    at, wait = task.start(), task.wait
    if wait is None or wait.timeout is None or at <= turn(task) + wait.timeout:
        return at, None
    return turn(task) + wait.timeout, wait.expired()


def finish(stream: Stream) -> float:
    """The simulated time at which the first task of the stream would be done."""
    task = stream.queue[0]
    return task.start() + duration(task.size)

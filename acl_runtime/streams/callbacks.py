"""Callbacks of streams: the host thread that serves each stream, and the callbacks that have arrived for the thread."""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Final

from acl_runtime.source.site import Trail
from acl_runtime.streams.stream import Stream, Task, Untimed, nothing
from acl_runtime.text import Text

MOMENT: Final = 1e-6
"""real seconds beyond the patience of the machine: enough for the patience to count"""


class Report(Untimed):
    """A callback that is queued in a stream. The stream may wait until a host thread has run the callback."""

    def __init__(self, reports: "Reports", stream: Stream, function: Callable[[Any], Any], data: Any) -> None:
        self.reports = reports
        self.stream = stream
        self.function = function
        self.data = data
        self.called = False
        self.at = 0.0
        self.task: Task | None = None
        """the task with which the callback arrives"""
        self.end: Task | None = None
        """the task that waits for the callback, if the stream waits"""

    def ready(self) -> bool:
        """True once the callback was called."""
        return self.called

    def time(self) -> float:
        """The simulated time at which the callback arrived."""
        return self.at

    def sources(self) -> Iterable[Stream]:
        """Empty: only a host thread can end the wait."""
        return []

    def __str__(self) -> str:
        function = self.reports.process
        return Text("its callback, which the subscribed thread has to run with {function}", function=function)


class CallbackTask(Task):
    """The task with which a callback arrives at its host thread."""

    def __init__(self, report: Report, trail: Trail | str) -> None:
        arrive = partial(report.reports.arrive, report)
        super().__init__(Text("callback"), nothing, (), trail, done=arrive, reports=True, publishes=True)
        self.report = report
        report.task = self

    @property
    def may_come(self) -> bool:
        """True if the thread that serves the stream has made no call yet."""
        arrivals = self.report.reports.of_stream(self.report.stream)
        return arrivals is not None and arrivals.may_come

    def again(self, repeated: Mapping[Task, Task]) -> "CallbackTask":
        report = Report(self.report.reports, self.report.stream, self.report.function, self.report.data)
        return CallbackTask(report, self.trail)


class CallbackEnd(Task):
    """The task that waits until a host thread has run a callback."""

    def __init__(self, callback: CallbackTask) -> None:
        report = callback.report
        super().__init__(Text("end of callback"), nothing, (), callback.trail, wait=report, opaque=True)
        self._callback = callback
        report.end = self

    @property
    def grace(self) -> float:
        """A thread that has subscribed and has made no call yet may still serve the stream."""
        return MOMENT if self._callback.may_come else 0.0

    def again(self, repeated: Mapping[Task, Task]) -> "CallbackEnd":
        callback = repeated[self._callback]
        assert isinstance(callback, CallbackTask)
        return CallbackEnd(callback)


def _is_known(thread: int) -> bool:
    return any(live.ident == thread for live in threading.enumerate())


class Arrivals:
    """The streams that one host thread serves, and the callbacks that have arrived from them."""

    def __init__(self, thread: int) -> None:
        self.thread = thread
        self.served: list[Stream] = []
        self.reports: deque[Report] = deque()
        self._known = _is_known(thread)

    @property
    def may_come(self) -> bool:
        """True if the thread has made no call yet: before that, Python does not know a thread of C or C++."""
        self._known = self._known or _is_known(self.thread)
        return not self._known

    # a goal of that thread

    def reached(self) -> bool:
        """True if a callback has arrived, or if the thread serves no stream."""
        return bool(self.reports) or not self.served

    def time(self) -> float:
        """The time of the first arrival."""
        return self.reports[0].at if self.reports else 0.0

    def streams(self) -> Iterable[Stream]:
        """The served streams with a callback in their queue."""
        return [stream for stream in self.served if any(task.reports for task in stream.queue)]

    def __str__(self) -> str:
        return Text("a callback from {streams}", streams=Text.chain("{stream}, {streams}", [*map(str, self.served)]))


class Reports:
    """The subscriptions of a machine to callbacks, or to host functions."""

    def __init__(self, subscribe: str, process: str) -> None:
        self.subscribe_by, self.process = subscribe, process
        """the functions by which a thread subscribes, and by which it runs what has arrived"""
        self._by_thread: dict[int, Arrivals] = {}
        self._by_stream: dict[Stream, Arrivals] = {}

    def of_stream(self, stream: Stream) -> Arrivals | None:
        """The thread that serves this stream."""
        return self._by_stream.get(stream)

    def of_thread(self, thread: int) -> Arrivals | None:
        """The streams that this thread serves."""
        return self._by_thread.get(thread)

    def subscribe(self, thread: int, stream: Stream) -> None:
        """Let the thread serve the stream."""
        arrivals = self._by_thread.setdefault(thread, Arrivals(thread))
        arrivals.served.append(stream)
        self._by_stream[stream] = arrivals

    def arrive(self, report: Report, time: float) -> None:
        """Pass a callback to the thread that serves its stream; drop the callback if no thread does."""
        report.at = time
        arrivals = self._by_stream.get(report.stream)
        if arrivals is not None:
            arrivals.reports.append(report)

    def forget(self, stream: Stream) -> None:
        """End the service of the stream; callbacks that arrived from the stream are not run."""
        arrivals = self._by_stream.pop(stream, None)
        if arrivals is None:
            return
        arrivals.served.remove(stream)
        for report in [report for report in arrivals.reports if report.stream is stream]:
            arrivals.reports.remove(report)
        if not arrivals.served:
            del self._by_thread[arrivals.thread]

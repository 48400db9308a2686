"""Streams, tasks, events, and when queued work runs.

A `Stream` is a first-in-first-out queue of `Task`s in one context of one device (`stream` has devices and contexts too,
as the four refer to each other). An `Event` is a mark in a stream (`event`, `event_tasks`), a value in device memory is
another (`value_cell`), a callback runs on a host thread (`callbacks`, `exception_callbacks`). Only `scheduler` decides
when a task runs. A host thread waits for one of the `goals`; `waiters` has the threads that wait; `runnable` finds the
task that may run next. `host_thread` has the state of one host thread: its context, its error record. `stream_workers`
are the threads of the schedule `threads`, one for each stream. `ran` is the row of `machine.tasks` for a task that ran.
`compute_threads` share the arithmetic of large tensors among cores. `vector_clock` has the vector clocks: the actions
that are known to be over. `surfacing` returns the failure of a task from a later call. `announcements` are the methods
by which the runtime informs the checks. `ports` has the protocols of the machine that this package needs.

Design. Under the schedule `late` a task runs only when something needs it: the latest moment that the API allows. So a
copy that does not wait for its stream reads old data in every run. `eager` and `threads` are the other extremes;
`random` makes an order in between, which its seed repeats. Time is simulated: each task advances its stream by the
duration of the task, so timeouts and event times do not depend on this computer.

The docstring of `scheduler` explains the schedules, waits, and deadlocks.

Rejected. A real worker thread for each stream as the only schedule: chance would decide which mistakes are found.
"""

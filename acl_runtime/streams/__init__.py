"""Streams, tasks, events, and when queued work runs.

A `Stream` is a first-in-first-out queue of `Task`s in one context of one device (`stream` has devices and contexts
too, as the four name each other). An `Event` is a mark in a stream (`event`), a value in device memory is another
(`value_cell`), a callback runs on a host thread (`callbacks`, `exception_callbacks`). `scheduler` is the only place
that decides when a task runs. A host thread waits for one of the `goals`; `waiters` has the threads that wait;
`runnable` answers which task may run next. `host_thread` holds what belongs to one host thread: its context, its
error record. `stream_workers` are the threads of the schedule `threads`, one for each stream. `ran` is the
row of `machine.tasks` for a task that ran. `compute_threads` share the arithmetic of large tensors among cores.
`vector_clock` has the vector clocks: which actions are known to be over. `surfacing` returns the failure of a task from
a later call. `announcements` are the methods by which the runtime lets checks know what happens. `ports` are protocols:
the few things that this room needs from the machine around it.

Design. Under the schedule `late` a task runs only when something needs it. That is the latest moment the API allows. So
a copy that does not wait for its stream sees old data every time, not once a week. `eager` and `threads` show the other
extremes, `random` any order in between, repeatable by its seed. Time is simulated: each task advances its stream by
what it would take, so timeouts and event times do not depend on this computer.

`scheduler` opens with a page about the schedules, waits, and how a deadlock is known.

Rejected. A real worker thread for each stream as the only schedule: mistakes would show up by chance.
"""

"""Streams, tasks, events, and when queued work runs.

A `Stream` is a first-in-first-out queue of `Task`s in one context of one device (`stream` has devices and contexts
too, as the four name each other). An `Event` is a mark in a stream (`event`), a value in device memory is another
(`value_cell`), a callback runs on a host thread (`callbacks`, `exception_callbacks`). `scheduler` is the only place
that decides when a task runs. `goals` are what a host thread can wait for, `waiters` the host threads that wait,
`runnable` what the order of tasks allows next. `host_thread` holds what belongs to one host thread: its context, its
error record. `compute_threads` are the host's cores that do the arithmetic. `vector_clock` says what is known to have
happened before what. `ports` are the few things that this room needs from the machine around it, as protocols.

Design. Under the schedule `late` a task runs only when something needs it. That is the latest moment the API allows,
so a copy that does not wait for its stream sees old data every time, not once a week. `eager` and `threads` show the
other extremes, `random` any order in between, repeatable by its seed. Time is simulated: each task advances its
stream by what it would take, so timeouts and event times do not depend on this computer.

How a deadlock is known. A waiting thread first runs whatever can run. When nothing can, it asks whether another host
thread could still help: one that has called this machine and is not itself waiting. If there is none, the wait is a
deadlock and is reported at once; if there is one, it waits for it, at most `patience` seconds.

Rejected. A real worker thread for each stream as the only schedule: mistakes would show up by chance.
"""

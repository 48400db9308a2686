"""Models that a capture makes: tasks that are stored, and queued again at each execution.

A `Capture` begins on one stream, the origin. From then on `Stream.stores` takes the tasks that the program submits to
the stream. A stream that waits for an event which the capture has recorded is drawn in: its tasks are stored too. The
end of the capture leaves a `Model`. `execution` queues the tasks of a model again.

Design. A stored task is the `Task` that a launch would have queued. It is never queued itself. `Task.again` makes the
task that an execution queues, so that records, clocks and vector clocks belong to one run. So all that happens to a
launched task happens to that one: simulated time, trace, checks, faults, schedules. Arguments were judged during the
capture. Lifetime, order and initialisation of memory are judged by the checks at each execution.

The tasks of the origin run in the stream of the execution. The tasks of each other captured stream run in a stream of
the model (`Lane`). The captured records and waits of events order these streams, as they ordered the captured ones.

Rejected. A call of the API functions again at each execution: they would judge again, and need tensors that may be
destroyed by then. One stream for all tasks of a model: a race between two captured streams would not show. A second
representation beside the task, such as a node with a function to run: every part of the runtime that knows tasks would
have to know it too.
"""

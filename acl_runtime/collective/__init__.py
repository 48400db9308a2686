"""Collective communication: ranks, the communicators that they share, and the operations in which they meet.

requests      the request of one rank in an operation; the difference of two requests
buffers       the memory of a rank in an operation
transfers     the bytes that an operation moves, and the sums of the ranks
exchange      the arrays that operators give to all ranks
halves        sums of elements of 16 bits
peers         protocols: what ranks know of each other, wherever they are
ranks         the ranks of one communicator, and the communicator of each rank of this process
meeting       one meeting of ranks: who has come, and what it does when all are there
operation     the task of one rank in its stream
rendezvous    the condition for which this task waits
meeting_place the port: what functions and tasks need of the place where ranks find each other
local_place   the meeting place of ranks that are threads of this process
places        the choice of the meeting place
processes/    the meeting place of ranks that may be in other processes
mistakes      the findings: requests that differ, ranks that are absent
settings      environment variables, root information, the configuration of a communicator
ports         what a meeting place needs of the machine

**What it is for.** On a device a collective operation is a task of the caller's stream. It waits until the task of each
other rank has been reached by its own stream; then the bytes move. A program with a mistake hangs there, mostly without
a word.

**The design.** One call of one rank is one `Operation`, a task like any other. Its stream reaches it when all work in
front of it is done: the rank has *arrived*. The operation may run when all ranks of its meeting have arrived. The first
of these tasks that runs moves the bytes of all ranks (`Meeting.settle`), from memory to memory, without copies in
between. The tasks of the other ranks then have nothing left to do. This is right, as each of these streams stands
still at its task: nothing can change the bytes, or read the results, before its own task has run.

**How the schedules work.** The condition of an operation names the streams of the ranks that are missing
(`Rendezvous.sources`). So the scheduler's search for a task that can run goes through a meeting as it goes through an
event: under `late`, a rank that waits makes the streams of its peers run up to the meeting. Nothing else is needed for
the other schedules.

**Order.** What is over before the operation on one rank is over behind it on all ranks: the vector clock of the stream
before the operation is published, and the operation learns those of all ranks (`Task.meets`). The memory of the
operation itself is free for other ranks only when its own stream has passed it.

**Order of the operations.** Ranks match their calls by number: the n-th collective call on a communicator meets the
n-th of each other rank. Sends and receives are matched for each pair of ranks. If two requests of one meeting differ,
the call that comes second reports both lines, and the communicator is broken: later operations of it fail. Operations
that all ranks had called before still take place, as on a device.

**Groups.** An operation between HcclGroupStart and HcclGroupEnd has its place in the stream at the call. It has
arrived when all work in front of it is done, except operations of the same group: these do not hold each other back.

**Operators.** An operator that computes and communicates, such as aclnnAllGatherMatmul, is an operation as well
(`aclnn.engine.ranks.meeting`). Each rank gives the arrays that it computes before the meeting
(`exchange.Contribution`), and gets those of all ranks. It computes its results from them when the meeting is over.

**Other processes.** The functions use a `meeting_place.MeetingPlace`. A rank of another process is a party of a meeting
from the message on that brings its bytes; a rank sends its own message when it arrives. `processes` has the rest.

Rejected. Two tasks for each operation, of which the first gives the bytes and the second takes them: it needs a copy of
each byte, and each report would show every call twice. A meeting in the call of the function: the call would block,
and one thread that drives several devices could never make the second call.
"""

"""Checks: they find the mistakes that a device leaves undefined or silent.

The runtime announces what happens (`acl_runtime.streams.announcements`: memory was freed, a task is queued, a task ran,
a host thread waited, a call was rejected). Each check listens and reports. `races/` finds accesses to memory that
nothing orders. `uninitialised/` finds reads of bytes that were never written. `host_access/` watches pinned memory that
a queued copy uses. `lifetime/` looks at objects that are left behind, at the order of clean-up, and at executors that
two threads use. `copies/` looks at the arguments of copies. `formats/`
looks at memory in private formats. `statuses/` finds failures whose status the program
ignored. `report/` writes findings as text, JSON and SARIF, and prints the report at the end of a program.

`catalogue` has a row for each finding: level, reason, fix. `findings` records one, raises it, or lets it pass if it is
allowed. `consequences/` answers one question for all checks: is this only a consequence of something already reported?
`access_listeners` announces accesses to memory, which have an order. `tables` keeps what a check knows about each piece
of memory. `ports` has protocols: what a check needs from the machine.

Design. No body of a function of the API imports a check. With `checks=False` no listener hears what happens to work and
memory, so calls do not pay for it; `statuses/` still hears which errors the program reads. A new finding is usually one
module here and one row of the catalogue. These findings are made elsewhere, where the facts are:

- The body of a call judges the call's own arguments, such as a dead handle or an executor that is used up.
- The body of a call that ends something asks `machine.unfinished` for the work that it drops (`work-dropped`,
  `destroy-pending-stream`, `finalize-pending`).
- The kernel that reads an index alone can see that it is out of range.
- The scheduler finds a `deadlock`.
- `acl_runtime.boundary` finds calls that a callback must not make (`callback-acl`).

Rejected. Checks inside the classes of streams and memory: a reader could not distinguish the code of the emulation from
the search for mistakes. A bus of events with strings for names: neither a reader nor a type
checker can follow it.
"""

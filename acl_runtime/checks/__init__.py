"""Checks: they find mistakes that a device does not report.

The runtime announces events, such as a free, a queued task or a rejected call (`acl_runtime.streams.announcements`).
Each check listens to announcements and reports findings. `races/` finds accesses to memory without a defined order.
`uninitialised/` finds reads of bytes that were never written. `host_access/` watches pinned memory that a queued copy
uses. `lifetime/` checks for objects that are left behind, for the order of clean-up, and for executors that two threads
use. `copies/` checks the arguments of copies. `formats/` checks memory in private formats. `statuses/` finds failures
whose status the program ignored. `report/` writes findings as text, JSON and SARIF, and prints the report at the end of
a program.

`catalogue` has a row for each finding: level, reason, fix. `findings` records a finding, raises it, or ignores it if it
is allowed. `consequences/` decides for all checks whether a mistake is only a consequence of an earlier finding.
`access_listeners` announces accesses to memory. `tables` stores the facts that a check has about each piece of memory.
`ports` has the protocols for the parts of a machine that checks use.

Design. No body of a function of the API imports a check. With `checks=False` only `statuses/` listens, to reads of
errors by the program, so calls are faster. A new finding is usually one module here and one row of the catalogue. Some
findings are made elsewhere, where the facts are:

- The body of a call checks the call's own arguments, such as a dead handle or an executor that is used up.
- The body of a call that destroys a stream or the like gets the work that it drops from `machine.unfinished`
  (`work-dropped`, `destroy-pending-stream`, `finalize-pending`).
- A kernel finds an index that is out of range, as only the kernel reads it.
- The scheduler finds a `deadlock`.
- `acl_runtime.boundary` finds calls that a callback must not make (`callback-acl`).

Rejected. Checks inside the classes of streams and memory: a reader could not distinguish the code of the emulation from
the search for mistakes. A bus of events with strings for names: neither a reader nor a type
checker can follow it.
"""

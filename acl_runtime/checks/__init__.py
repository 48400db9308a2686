"""Checks: what finds the mistakes that a device leaves undefined or silent.

The runtime says what happens (`acl_runtime.streams.events`: memory was freed, a task is queued, ran, somebody waited,
a call was rejected); each check listens and reports. `races/` knows which uses of memory are ordered and reports
those that are not. `uninitialised/` knows which bytes were ever written. `host_access/` watches pinned memory that a
queued copy uses. `lifetime/` looks at what is left behind, at the order of clean-up and at executors. `copies/` looks
at the arguments of copies. `statuses/` knows which failures nobody looked at. `report/` writes findings as text, JSON
and SARIF, and is what the end of a program prints.

`catalogue` has a row for each finding: level, reason, fix. `findings` records one, raises it, or lets it pass where
it is allowed. `consequences` answers one question for all checks: is this only a consequence of something that was
reported already? `uses` announces the uses of memory that have a place in the order. `ports` names what a check needs
from the machine.

Design. No body of a function of the API names a check. A machine with `checks=False` has no listeners, so its calls
pay for none. A new finding is one module here and one row of the catalogue. There are two exceptions. A judgement of
a call's own arguments (a dead handle, an executor that is used up) is the answer of the call, and its body raises it.
An index out of range can only be seen by the kernel that reads it.

Rejected. Checks inside the nouns, where they stood first: nobody could say which code serves the emulation and which
the search for mistakes. A bus of events with strings for names: no reader and no type checker can follow it.
"""

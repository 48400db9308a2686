"""Fault injection: a test lets a chosen call, or a task on the device, fail.

`machine.fail("aclrtMalloc", nth=3)` makes the third call of aclrtMalloc fail. `failures` keeps the injected failures
and decides when each happens. `likely` chooses the status of a function if the test names none: the one that its
documentation lists and that a program is most likely to meet, with a text like the real one.

Design. A failure is injected at the boundary, after the arguments were converted and before the body runs. So the call
has no effect, as a refused call has none, and the program gets what the library would give: the status, the text of
aclGetRecentErrMsg, the last error. A failed task writes nothing. A failure that did not happen is an error of the test,
as the test has shown nothing then.

Rejected. Patching functions in the caller's namespace (`unittest.mock`): it breaks `from acl_runtime import *`, does
not reach C++ programs, and returns statuses without the state that goes with them.
"""

"""Fault injection: a test lets a chosen call, or a task on the device, fail.

`machine.fail("aclrtMalloc", nth=3)` makes the third call of aclrtMalloc fail. `failures` has the injected failures and
decides when each happens. `likely` chooses the default status: the likeliest failure in the documentation of the
function, with a text like the real one.

Design. A failure is injected at the boundary, after the arguments were converted and before the body runs. So the call
has no effect, like a refused call, and the program gets the same as from the library: the status, the text of
aclGetRecentErrMsg, the last error. A failed task writes nothing. A failure that did not happen is an error of the test,
which then has shown nothing.

Rejected. Patching functions in the caller's namespace (`unittest.mock`): it breaks `from acl_runtime import *`, does
not reach C++ programs, and returns statuses without the state that goes with them.
"""

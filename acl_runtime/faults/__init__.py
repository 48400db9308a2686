"""Failures that a test asks for.

`machine.fail("aclrtMalloc", nth=3)` makes the third call fail; a task on the device can be made to fail too.
`failures` keeps what was asked for and decides when it is due. `likely` knows how each function fails in real life:
the status that its documentation names and that a program is most likely to meet, and a text that reads like the real
one.

Design. A requested failure happens at the boundary, after the arguments were converted and before the body runs. So
the function has no effect, as a refused call has none, and the program sees exactly what it would see from the
library: the status, the text of aclGetRecentErrMsg, the last error. A failed task writes nothing. A failure that
nobody met is listed, as a test that asked for it tested nothing.

Rejected. Patching functions in the caller's namespace (`unittest.mock`): it breaks `from acl_runtime import *`, does
not reach C++ programs, and returns statuses without the state that goes with them.
"""

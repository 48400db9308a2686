"""The composition root: a `Machine` puts the rooms together.

Everything that the functions of the API change lies in a `Machine`: devices, memory, streams, handles, findings,
simulated time. `machine` makes it of the parts of the rooms before this one. Some parts are made here, as they need
several rooms. `contexts` has the host threads, their current contexts, and the objects that handles name. `devices`
makes the devices, and limits one for a test. `mistakes` adds to a finding the call and the line that made it.
`call_outs` lets host code run inside a call. `listening` is the list of checks. `installation` has the stack of entered
machines: it decides on which machine the calls of this process work. `current` returns that machine. `initialisation`,
`configuration` and `init_callbacks` keep the state of aclInit. `packages` are the installed packages of CANN with their
versions.

Design. One object has all state, and each test gets a new one: nothing leaks from test to test. No room before this one
names `Machine`. A room that needs something of it declares a small protocol (`ports`), so that it can be read and
tested alone. The state of the process, too, is in one object, `acl_runtime.process`: which machine is installed, and
the few things that a process has only once (signal handlers, hooks at exit).

Rejected. Module-level state that a fixture resets: a table that the fixture forgets would leak between tests. Context
variables: a machine must hold for all threads of the program, also for those that a library starts.
"""

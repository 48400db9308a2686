"""The composition root: a `Machine` puts the rooms together.

Everything that the functions of the API change lies in a `Machine`: devices, memory, streams, handles, findings,
simulated time. `machine` makes it of the parts of the rooms before this one and is what their ports stand for;
`installation` says which machine the calls of this process work on; `initialisation`, `configuration` and
`init_callbacks` are what aclInit remembers; `current` is the machine of this process for the calls, `listening` the
list of checks; `budget` makes a device smaller than its chip for a test; `packages` are the installed packages of
CANN and their versions.

Design. One object owns the world, and a test gets a new one: nothing leaks from test to test. No room before this one
names `Machine`. What they need from it they name as small protocols, so that each can be read and tested alone. The
only state of the process is in one object too, `acl_runtime.process`: which machine is installed, and the few things
that a process has once (signal handlers, hooks at exit).

Rejected. Module-level state that a fixture resets: a forgotten table would leak between tests. Context variables: a
machine must hold for all threads of the program, also for those that a library starts.
"""

"""The composition root: a `Machine` is made of the parts in the other packages.

All state that the functions of the API change is in a `Machine`: devices, memory, streams, handles, findings, simulated
time. The module `machine` defines the class, from parts of lower packages. Parts that need several packages are defined
here. `contexts` has the host threads, their current contexts, and the objects of handles. `devices` makes the devices,
and limits them for a test. `mistakes` adds the call and its line to a finding. `call_outs` lets host code run inside a
call. `listening` lists the checks. `installation` has the stack of entered machines, whose top is the machine for the
calls of this process; `current` returns it. `initialisation`, `configuration` and `init_callbacks` have the state of
aclInit. `packages` has the installed packages of CANN and their versions.

Design. One object has all state, and each test gets a new object: no state leaks from test to test. No lower package
imports `Machine`. A package that uses parts of a machine declares a small protocol (`ports`), so that it can be read
and tested alone. The state of the process is also in one object, `acl_runtime.process`: the installed machine, and the
few things that exist once in a process (signal handlers, hooks at exit).

Rejected. Module-level state that a fixture resets: a table that the fixture forgets would leak between tests. Context
variables: a machine must be the same for all threads of the program, including threads that a library starts.
"""

"""The C functions of the runtime. Each chapter of the documentation has a module.

`rt/` devices, contexts, streams, events and callbacks; `graph/` captured models; `hccl/` communication; `memory/`
allocation, copies and pinned memory; `system/` initialisation, error texts, options, versions; `meta/` the objects of
aclnn/acl_meta.h (tensors, scalars, lists, executors). `refusals` makes the errors that many functions raise, with
their codes and texts. `outcomes` lists the statuses that every waiting or launching function may return.

Design. Each function is a `def`: its annotations are C types, and its docstring lists its statuses. The body follows
the documentation: checks in the documented order, then a call of an object of a lower package, such as a stream or the
memory of a device. The decorator `acl_api` is the only wrapper. The docstring is the contract: a test fails when a
function returns a status that its docstring does not list.

Checks. No body imports a check of `acl_runtime.checks`. A body announces its effects (`machine.announce`), and the
checks are listeners. A body reports a finding itself where only the body has the facts: arguments that crash a process
(`machine.crash`), unfinished work that a call drops (`machine.unfinished`), a function that the product lacks.

Absent functions. A function of the headers that the emulator lacks is not defined at all. A documented function that
cannot be simulated returns ACL_ERROR_API_NOT_SUPPORT with a text that names an alternative. `aclnn docs fidelity`
lists both.

Rejected. One class for each kind of handle, with methods: C programs call functions, and a Python translation of a C
program should read like the original.
"""

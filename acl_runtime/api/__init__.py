"""The C functions of the runtime: verbs, a file for each chapter of the documentation.

`rt/` devices, contexts, streams, events and callbacks; `memory/` allocation, copies and pinned memory; `system/`
initialisation, error texts, options, versions; `meta/` the objects of aclnn/acl_meta.h (tensors, scalars, lists,
executors). `refusals` and `outcomes` hold what many functions share: the refusals with their codes, and the statuses
that every waiting or launching function may return.

Design. A function is a `def` with C types as annotations, its statuses in the docstring, and a body that reads like
the documentation: checks in the documented order, then one call of a noun of a lower room. The decorator `acl_api` is
the only wrapper. The docstring is the contract: a test fails when a function returns a status that its docstring does
not list. A body names no check of `acl_runtime.checks`: it does what the function does, and the checks hear of it.

A function that exists in the headers and not here is not defined at all; one that is documented but cannot be
simulated answers ACL_ERROR_API_NOT_SUPPORT with a text that says what to do instead. docs/fidelity.md lists both.

Rejected. Methods of one class per handle kind: C programs call functions, and ports should read like them.
"""

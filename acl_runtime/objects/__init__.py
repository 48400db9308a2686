"""Nouns without behaviour: what stands behind a handle, and what a machine is made with.

A handle that a program holds is a number. `handle_table` turns the number into the object behind it, remembers the
dead ones, and gives each object an ordinal ("stream 2") that repeats in every run, unlike the number. The objects
here only hold facts: tensors, scalars, arrays and lists (`handle_table`), the life of an executor (`executor_life`),
data buffers (`data_buffer`). `options` are the options of a machine, `soc` the products with their cores and memory,
`clock` the simulated time, `timeouts` the limits of operators, `address_range` a reserved range of addresses that
nothing can read.

Design. Handles come from a range of addresses that is reserved and inaccessible. A number from it cannot be confused
with a pointer, a use of it as a pointer faults, and a dead handle is never used again for another object. So each
misuse has one certain answer: unknown, dead (with its history), or of another kind.

Rejected. Python's `id` as handle: it is reused at once. Small integers: a program that mixes them up with device
numbers would go unnoticed.
"""

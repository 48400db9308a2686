"""The compiled evaluator: runs the graph of a launch block by block in C, where it knows all of it.

****Purpose.** Blocks computed by numpy have two limits. Each call of numpy costs about a microsecond, so blocks must be
large and leave the first cache. Two threads wait for each other at Python's lock. The evaluator has neither limit. It
works on blocks of a thousand elements, which stay in the first cache, on threads of its own. It converts 16-bit floats
on the way into the cache and out of it.

**Design.** `translation` turns the nodes of an expression into instructions. `sweep` describes memory, dimensions and
sums. One call of the library (`library`, sources in the folder `c`) computes everything. A node that the evaluator does
not know raises `NotInEvaluator`, and numpy computes in row blocks instead. `machine.compute_threads.counts` counts both
cases, with the reasons. An operator does not depend on either.

**It is optional.** `pip install` compiles it where a C compiler is at hand. Without it numpy computes every result,
within the same bounds; the bits of sums may differ.

**Rejected.** An extension module for Python: it would be compiled for each version of Python, and linked with its C
API. A kernel in C for each operator: it would be faster, but each formula would be written twice. OpenMP: its library
spins for milliseconds after each call, and does not survive a fork.
"""

"""The compiled evaluator: runs the graph of a launch block by block in C, if it supports all nodes of the graph.

**Purpose.** Blocks computed by numpy have two limits. Each call of numpy costs about a microsecond, so blocks must be
larger than the first-level cache. Threads wait for each other at Python's lock. The evaluator computes blocks of a
thousand elements in the first-level cache, on its own threads. It converts 16-bit floats when it loads and stores them.

**Design.** `translation` turns the nodes of an expression into instructions. `sweep` describes memory, dimensions and
sums. One call of the library (`library`, sources in the folder `c`) computes everything. For an unsupported node
`NotInEvaluator` is raised, and numpy computes in row blocks. `machine.compute_threads.counts` counts both cases, with
the reasons. No operator depends on the evaluator.

**Optional.** `pip install` compiles the evaluator if there is a C compiler. Otherwise numpy computes every result, with
errors in the same bounds; the last bits of sums may differ.

**Rejected.** An extension module for Python: one library for each version of Python. A kernel in C for each operator:
faster, but each formula would be written twice. OpenMP: its threads spin for milliseconds after each call, and do not
survive a fork.
"""

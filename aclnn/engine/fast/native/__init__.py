"""The compiled evaluator: runs the graph of a launch block by block in C, where it knows all of it.

**What it is for.** The tile programs of numpy (`aclnn.engine.fast.tile_program`) are limited by two things: each call
of numpy costs about a microsecond, so tiles must be large and leave the first cache; and two threads wait for each
other at Python's lock. The evaluator has neither limit. It works on blocks of a thousand elements, which stay in the
first cache, on threads of its own. 16-bit floats are converted on the way into the cache and out of it.

**How it works.** `translation` turns the nodes of an expression into instructions. `sweep` describes memory, dimensions
and sums. One call of the library (`library`, sources in the folder `c`) computes everything. A node that the evaluator
does not know raises `Unknown`, and the tile programs of numpy run instead. `machine.compute_threads.counts` says how
often, and why. An operator knows nothing of either.

**It is optional.** `pip install` compiles it where a C compiler is at hand. Without it every result is computed by
numpy, within the same bounds; the bits of sums may differ.

**Rejected.** An extension module for Python: it would be compiled for each version of Python, and linked with its C
API. A kernel in C for each operator: faster still, but the formula would be written twice. OpenMP: its library spins
for milliseconds after each call, and does not survive a fork.
"""

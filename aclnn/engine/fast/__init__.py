"""Large tensors: the operators' plain formulas over tiles that fit into the cache, on several cores.

expressions  a formula runs on `Lazy` arrays, which write down what it does
space        the directions that elements are counted in: their order, which of them may count as one
program      what is written down becomes a list of instructions over registers, for one tile
tiles        which tiles there are, in which order they run, and who runs them
sums         sums of a tile; 16-bit floats in `halves`, how a tile gets in and out of registers in `moves`
rows         the one formula that is no expression: rows summed up by index
steps        from the steps of an executor to all of this

What has no node, or would not gain from it, runs as it is written: `Machine(fast=False)` does that always.

The rest of the project uses the four names below and nothing else of this folder, so that another engine can take its
place: `in_tiles` runs the bound steps of a launch, with the memory that a function finds for each access, and says
which steps it did; `tiled` gives a kernel that is no expression one of its own for large tensors, as `sum_rows` and
`unsorted` are.
"""

from aclnn.engine.fast.rows import sum_rows, unsorted
from aclnn.engine.fast.steps import run as in_tiles
from aclnn.engine.fast.steps import tiled

__all__ = ["in_tiles", "sum_rows", "tiled", "unsorted"]

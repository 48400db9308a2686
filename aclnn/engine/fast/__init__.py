"""The fast engine: large tensors computed block by block, so that what is made in between stays in the cache.

**What it is for.** A formula such as `(g - total(y * g)) * y` makes an array of the whole tensor for each of its
operations. From some hundred thousand elements on, a run then spends its time on moving these arrays between memory and
cache. The engine runs the same formula on one small block of elements after the other, on several cores. The formula
does not change, and knows nothing of it.

**How it works.** Every kernel of a launch is called once with `Lazy` arrays instead of arrays. Each operation on them
adds a node to a graph and computes nothing (`expressions`). The graph goes on from step to step of the plan: a
contiguous copy, a cast or an intermediate in the workspace is never made, only its rounding is kept (`steps`,
`reading`). The dimensions of the graph are put into the order of the memory, and neighbours that are contiguous become
one (`space`). The compiled evaluator computes it in blocks (`native`), and `evaluate` the small rest after the sums.

**Without the evaluator**, or with an operation that it does not know, numpy computes the graph operation by operation,
as the formula is written, in row blocks (`row_blocks`).

**Sums.** A sum within a block is made of short runs in float32, sums of runs and sums over blocks are float64. The
order depends on the shape alone, never on the number of threads, so a result has the same bits on any number of cores.

**Kernels that are no expression of elements.** A kernel that reads positions, such as the sum of rows by index, has a
second form for large tensors (`index_sums`). `tiled` attaches it to the kernel. Or its formula calls the functions of
`positions`, which read and write elements at positions. A step that has neither runs as it is written, in parts where
its kernel says how. With `Machine(fast=False)` every step runs as it is written, and as a whole.

**Rejected.** A compiler for formulas, such as numexpr or numba: a dependency that is larger than this project, for
formulas that would then be written in its language. Blocks written into each operator: the formula would no longer read
as that of the document. A second engine by numpy that is as fast as numpy can be: it took 1,150 lines.

**Kept.** Tracing and planning cost some hundred microseconds. So a launch keeps what it found for the next one at the
same addresses (`kept`). Below `plan.LEAST` elements even that does not pay.

**Known limits.** Float64 sums and complex tensors run as they are written. Row blocks have no second pass: a formula
whose terms need a sum over all of them, such as the variance of a whole tensor, runs as a whole without the evaluator.

The rest of the project uses the names below and nothing else of this folder, so that another engine can take its place:
`in_tiles` runs the bound steps of a launch, with the memory that a function finds for each view, and says which steps
it did; `Kept` is what it leaves for the next run of these steps; `evaluator` is the compiled evaluator that it uses;
`from_elements` marks the part of a formula that reads elements (`looks`); `tiled` gives a kernel that is no
expression one of its own for large tensors, as `sum_rows` and `unsorted` are; `take`, `take_along`, `write`,
`write_into` and `write_along` read and write at positions, and `legal` says which of them are in range; `running` and
`running_extreme` compute up to each element of a dimension; `in_panels` multiplies matrices in panels (`Place`,
`by_rows`), `widened` and `rounded` convert floats of 16 bits; `side_by_side` lets threads do the jobs of a kernel
(`Job`), of which `ENOUGH` keep all threads busy.
"""

from aclnn.engine.fast.accumulation import running, running_extreme
from aclnn.engine.fast.conversions import rounded, widened
from aclnn.engine.fast.index_sums import sum_rows, unsorted
from aclnn.engine.fast.jobs import ENOUGH, Job, side_by_side
from aclnn.engine.fast.kept import Kept
from aclnn.engine.fast.looks import from_elements
from aclnn.engine.fast.native.library import chosen as evaluator
from aclnn.engine.fast.panels import Place, by_rows
from aclnn.engine.fast.panels import multiply as in_panels
from aclnn.engine.fast.positions import legal, take, take_along, write, write_along, write_into
from aclnn.engine.fast.steps import run as in_tiles
from aclnn.engine.fast.steps import tiled

__all__ = [
    "ENOUGH", "Job", "Kept", "Place", "by_rows", "evaluator", "from_elements", "in_panels", "in_tiles", "legal",
    "rounded", "running", "running_extreme", "side_by_side", "sum_rows", "take", "take_along", "tiled", "unsorted",
    "widened", "write", "write_along", "write_into",
]  # fmt: skip

"""The fast engine: large tensors computed block by block, so that intermediates stay in the cache.

**Purpose.** A formula such as `(g - total(y * g)) * y` makes an array of the whole tensor for each of its operations.
With a hundred thousand elements or more, most of the time goes into moving these arrays between memory and cache. The
engine runs the same formula on one small block of elements after the other, on several cores.

**Design.** Each kernel of a launch is called once with `Lazy` arrays instead of arrays. An operation on `Lazy` arrays
adds a node to a graph and computes nothing (`expressions`). One graph covers all steps of the plan (`step_tracer`):
contiguous copies, casts and intermediates are not written to the workspace, but they are rounded. The dimensions of the
graph are sorted by their strides in memory, and contiguous neighbours are merged (`space`). The compiled evaluator
computes the graph in blocks (`native`). numpy computes small results from the sums (`evaluate`, `small_results`).

**Without the evaluator**, or with an operation that it does not support, numpy computes the graph operation by
operation in row blocks (`row_blocks`).

**Sums.** A sum within a block consists of short runs in float32. Sums of runs and sums over blocks are float64. The
order of additions depends on the shape only, never on the number of threads. So a result has the same bits on any
number of cores.

**Kernels that are not elementwise.** A kernel that reads positions, such as the sum of rows by index, may have a second
form for large tensors (`index_sums`), attached by `tiled`. Or its formula calls functions of `positions`, `ordering`,
`accumulation` and `triangles`, each of which is one call of the evaluator; `with_out` gives it the memory of its
output. All other steps run with numpy, in parts where the kernel allows it. With `Machine(fast=False)` every step runs
with numpy as a whole.

**Rejected.** A compiler for formulas, such as numexpr or numba: a dependency larger than this project, with formulas in
its own language. Loops over blocks in each operator: formulas would differ from those of the documents. A second block
engine with numpy: 1,150 lines.

**Caches.** Tracing and planning take some hundred microseconds. So a launch caches its trace for the next launch at the
same addresses (`launch_cache`). Below `plan.MIN_ELEMENTS_FOR_FAST_ENGINE` elements numpy is faster.

**Known limits.** Float64 sums and complex tensors run with numpy. Without the evaluator, a formula whose terms need a
sum over all terms, such as the variance of a tensor, runs as a whole: row blocks have no second pass.

**Interface.** The rest of the project uses the names below and nothing else of this folder.

- `run_traced` runs the bound steps of a launch, and `LaunchCache` caches their traces. `evaluator` returns the library
  of the compiled evaluator.
- `run_recorded` runs a step whose kernel only calls the evaluator, and `repeat` makes its calls again.
- `eager` marks the part of a formula that reads tensor values (`eager_inputs`). `tiled` attaches the second form of a
  kernel, such as `sum_rows` and `unsorted`.
- `take`, `take_along`, `write`, `write_into` and `write_along` read and write at positions; `legal` and
  `all_within` check their range.
- `blended` sums up weighted elements along dimensions, or picks one (`Blending`, `Terms`), for resizing and pools.
- `order` returns the stable order of values along a dimension, and `in_order` that of a long row (`is_long`), part by
  part. `keys` converts values to a type that numpy can compare.
- `running` and `running_extreme` compute cumulative results along a dimension.
- `multiply_in_panels` multiplies matrices (`Combination`, `scaled`, `PanelIndex`, `by_rows`), `matmul` replaces
  numpy's, and `convolved` computes a convolution or its gradients (`ConvolutionResult`). All three use the evaluator
  with BLAS if `able` returns both.
- `attended` computes attention (`Scoring`, `Pages`), also with the evaluator and BLAS.
- `triangle_copied` copies a triangle of each matrix.
- `copied` copies elements between tensors of any strides. `widened` and `rounded` convert floats of 16 bits, and `put`
  rounds a result into its memory.
- `keep_blocks_apart` separates the memory of tasks' small arrays from that of the program's arrays;
  `leaving_no_values` has the same effect without the compiled evaluator.
- `side_by_side` runs the jobs (`Job`) of a kernel on all threads; `JOBS_FOR_ALL_THREADS` jobs keep all threads busy.
"""

from aclnn.engine.fast.accumulation import running, running_extreme
from aclnn.engine.fast.attention import attended
from aclnn.engine.fast.blending import Blending, Terms, blended
from aclnn.engine.fast.conversions import put, rounded, widened
from aclnn.engine.fast.copying import LARGE, copied
from aclnn.engine.fast.eager_inputs import eager
from aclnn.engine.fast.index_sums import sum_rows, unsorted
from aclnn.engine.fast.jobs import JOBS_FOR_ALL_THREADS, Job, side_by_side
from aclnn.engine.fast.launch_cache import LaunchCache
from aclnn.engine.fast.native.attention import Pages, Scoring
from aclnn.engine.fast.native.blocks import keep_blocks_apart, leaving_no_values
from aclnn.engine.fast.native.library import evaluator
from aclnn.engine.fast.ordering import in_order, is_long, keys, order
from aclnn.engine.fast.panels import by_rows, multiply_in_panels
from aclnn.engine.fast.positions import all_within, legal, take, take_along, write, write_along, write_into
from aclnn.engine.fast.products import Combination, ConvolutionResult, PanelIndex, able, convolved, matmul, scaled
from aclnn.engine.fast.repetition import repeat, run_recorded
from aclnn.engine.fast.traced_run import run_traced, tiled
from aclnn.engine.fast.triangles import triangle_copied

__all__ = [
    "JOBS_FOR_ALL_THREADS",
    "LARGE", "Blending",
    "Combination",
    "ConvolutionResult",
    "Job",
    "LaunchCache",
    "Pages",
    "PanelIndex",
    "Scoring",
    "Terms",
    "able",
    "all_within",
    "attended",
    "blended",
    "by_rows",
    "convolved",
    "copied",
    "eager",
    "evaluator",
    "in_order",
    "is_long",
    "keep_blocks_apart",
    "keys",
    "leaving_no_values",
    "legal",
    "matmul",
    "multiply_in_panels",
    "order",
    "put",
    "repeat",
    "rounded",
    "run_recorded",
    "run_traced",
    "running",
    "running_extreme",
    "scaled",
    "side_by_side",
    "sum_rows",
    "take",
    "take_along",
    "tiled",
    "triangle_copied",
    "unsorted",
    "widened",
    "write",
    "write_along",
    "write_into",
]  # fmt: skip

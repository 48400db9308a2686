"""Sweeps, passes of the compiled evaluator over the elements: one for everything, or one for each level of sums."""

from collections.abc import Sequence
from math import prod
from typing import Final

from acl_runtime.headers.dtypes import Array
from acl_runtime.streams.compute_threads import Workers
from aclnn.engine.fast.expressions import Leaf, Sum
from aclnn.engine.fast.native.library import Library
from aclnn.engine.fast.native.sweep import NativeSweep
from aclnn.engine.fast.space import Space, StoredNode

NATIVE: Final = "native"
"""key in `Workers.counts`: work of the compiled evaluator"""
AS_WRITTEN: Final = "as it is written"
"""key in `Workers.counts`: work of numpy"""
MIN_ELEMENTS_TO_STAGE: Final = 1 << 17
"""elements from which a separate sweep for the sums is faster"""
MIN_UNITS: Final = 8
"""number of units that keeps all threads busy; a thread computes one unit at a time"""


class StagedSweep:
    """Several sweeps instead of one sweep with local sums.

    If one sweep has too few units for all threads, a sweep for each level of sums precedes one for the results."""

    def __init__(self, levels: Sequence[NativeSweep], results: NativeSweep) -> None:
        self._levels, self._results = levels, results

    def run(self, workers: Workers, known: dict[Sum, Array]) -> dict[Sum, Array]:
        """Write the targets and return the sums of all levels. Same contract as `NativeSweep.run`."""
        known = dict(known)
        for level in self._levels:
            known.update(level.run(workers, known))
        return known | self._results.run(workers, known)


def native_sweep(
    library: Library, space: Space, views: dict[Leaf, Array], whole: Sequence[Sum], local: Sequence[Sum],
    targets: Sequence[StoredNode], known: set[Sum],
) -> NativeSweep | StagedSweep:  # fmt: skip
    """One sweep, or one for each level of sums. `NativeSweep` explains the arguments. Raises `NotInEvaluator`."""
    sweep = NativeSweep(library, space, views, whole, local, targets, known)
    if not local or sweep.units >= MIN_UNITS or prod(dim.size for dim in space.dims) < MIN_ELEMENTS_TO_STAGE:
        return sweep
    levels: list[NativeSweep] = []
    for depth in sorted({node.sum_depth for node in local}):
        sums = [node for node in local if node.sum_depth == depth]
        levels.append(NativeSweep(library, space, views, sums, (), (), known))
        known = known.union(sums)
    return StagedSweep(levels, NativeSweep(library, space, views, (), (), targets, known))

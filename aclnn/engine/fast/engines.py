"""Sweeps of the compiled evaluator: one, or one for each level of the sums."""

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
AS_WRITTEN: Final = "as it is written"
LARGE: Final = 1 << 17
"""elements from which sums are worth a sweep of their own"""
ENOUGH: Final = 8
"""units that keep all threads busy"""


class Staged:
    """A sweep with local sums that has too few units for all threads: its sums are computed one level after the other,
    each by all threads, before the results."""

    def __init__(self, levels: Sequence[NativeSweep], results: NativeSweep) -> None:
        self._levels, self._results = levels, results

    def run(self, workers: Workers, known: dict[Sum, Array]) -> dict[Sum, Array]:
        """As of the sweep. The sums of the whole are among those of the levels."""
        known = dict(known)
        for level in self._levels:
            known.update(level.run(workers, known))
        return known | self._results.run(workers, known)


def native_sweep(
    library: Library, space: Space, views: dict[Leaf, Array], whole: Sequence[Sum], local: Sequence[Sum],
    goals: Sequence[StoredNode], known: set[Sum],
) -> NativeSweep | Staged:  # fmt: skip
    """The sweep, or one for each level; `NativeSweep` explains the arguments. Raises `Unknown`."""
    found = NativeSweep(library, space, views, whole, local, goals, known)
    if not local or found.units >= ENOUGH or prod(dim.size for dim in space.dims) < LARGE:
        return found
    levels: list[NativeSweep] = []
    for level in sorted({each.sums for each in local}):
        sums = [each for each in local if each.sums == level]
        levels.append(NativeSweep(library, space, views, sums, (), (), known))
        known = known.union(sums)
    return Staged(levels, NativeSweep(library, space, views, (), (), goals, known))

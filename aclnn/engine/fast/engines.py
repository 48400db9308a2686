"""Which engine runs a sweep: the compiled evaluator if it is there and knows all of the sweep, else numpy."""

from collections.abc import Sequence
from math import prod
from typing import Protocol

from acl_runtime.headers.dtypes import Array
from acl_runtime.streams.compute_threads import Workers
from aclnn.engine.fast.expressions import Leaf, Sum
from aclnn.engine.fast.native.library import Library, chosen
from aclnn.engine.fast.native.sweep import GROUPS, LARGE, NativeSweep
from aclnn.engine.fast.native.translation import Unknown
from aclnn.engine.fast.space import Space
from aclnn.engine.fast.tile_program import StoredNode
from aclnn.engine.fast.tiles import Sweeps

NATIVE = "native"
NUMPY = "numpy"


class AnySweep(Protocol):
    """What both engines offer."""

    def run(self, workers: Workers, known: dict[Sum, Array]) -> dict[Sum, Array]:
        """Write the goals, with the values of the known sums; returns the sums of the whole."""
        ...


class Counted:
    """A sweep that counts its runs in `Workers.counts`."""

    def __init__(self, sweep: AnySweep, engine: str) -> None:
        self._sweep, self._engine = sweep, engine

    def run(self, workers: Workers, known: dict[Sum, Array]) -> dict[Sum, Array]:
        """As of the sweep."""
        workers.counts[self._engine] += 1
        return self._sweep.run(workers, known)


class Staged:
    """A sweep with local sums that has too few units for all threads: its sums are computed one level after the other,
    each by all threads, before the results."""

    def __init__(self, levels: Sequence[NativeSweep], results: NativeSweep) -> None:
        self._levels, self._results = levels, results

    def run(self, workers: Workers, known: dict[Sum, Array]) -> dict[Sum, Array]:
        """As of the sweep."""
        known = dict(known)
        for level in self._levels:
            known.update(level.run(workers, known))
        return self._results.run(workers, known)


def sweep(
    space: Space, views: dict[Leaf, Array], whole: Sequence[Sum], local: Sequence[Sum], goals: Sequence[StoredNode],
    known: set[Sum],
) -> Counted:  # fmt: skip
    """The sweep that computes these sums and goals; `Sweeps` explains the arguments."""
    library = chosen()
    why = ""
    if library is not None:
        try:
            return Counted(_native(library, space, views, whole, local, goals, known), NATIVE)
        except Unknown as unknown:
            why = f": {unknown}"
    return Counted(Sweeps(space, views, whole, local, goals, known), f"{NUMPY}{why}")


def _native(
    library: Library, space: Space, views: dict[Leaf, Array], whole: Sequence[Sum], local: Sequence[Sum],
    goals: Sequence[StoredNode], known: set[Sum],
) -> AnySweep:  # fmt: skip
    if local and space.dims[-1].fold > 1:
        raise Unknown("merged rows with sums of their own")
    found = NativeSweep(library, space, views, whole, local, goals, known)
    if not local or found.units >= GROUPS or prod(dim.size for dim in space.dims) < LARGE:
        return found
    levels: list[NativeSweep] = []
    for level in sorted({each.sums for each in local}):
        sums = [each for each in local if each.sums == level]
        levels.append(NativeSweep(library, space, views, sums, (), (), known))
        known = known.union(sums)
    return Staged(levels, NativeSweep(library, space, views, (), (), goals, known))

"""Reads the steps of a launch: an expression for each output, from the kernels, which run on `Lazy` arrays."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from math import prod
from typing import Any, Final, TypeAlias, cast

import numpy as np

from acl_runtime.errors import DeviceFault
from acl_runtime.headers.dtypes import Array
from acl_runtime.streams.compute_threads import Workers
from aclnn.engine.device_view import Bound, DeviceView
from aclnn.engine.fast.apart import reads
from aclnn.engine.fast.evaluate import Evaluation
from aclnn.engine.fast.expressions import Cast, Lazy, Leaf, Made, Node, Reshaped, Unwritable
from aclnn.engine.fast.kept import Action
from aclnn.engine.fast.looks import Look, looks_of
from aclnn.engine.fast.native.library import chosen as evaluator
from aclnn.engine.fast.small import at_once
from aclnn.engine.numbers.rounding import store, widen
from aclnn.engine.steps.parts import run_in_parts

LARGE: Final = 1 << 12
"""elements from which an array of such a call is computed in tiles rather than at once"""
AT_ONCE: Final = 1 << 14
"""the most elements of an intermediate without sums that is computed at once, when a kernel reads it"""
OF_LAZY: Final = (TypeError, ValueError, IndexError, AttributeError)
"""what a kernel may raise that gets a `Lazy` where it needs an array"""
Kernel: TypeAlias = Callable[..., Any]
Open: TypeAlias = "Callable[[DeviceView], Array | None]"


class Absent(Unwritable):
    """Memory of this run is not there."""


class Reading:
    """The steps of a launch, as they are gone through."""

    def __init__(self, open_: Open, workers: Workers, ways: dict[int, int]) -> None:
        self._open_, self._workers, self._ways = open_, workers, ways
        self._held: dict[int, Node | Array] = {}
        """what memory would hold by now, by address"""
        self._accesses: dict[int, DeviceView] = {}
        """that memory"""
        self._leaves: dict[tuple[object, ...], Leaf] = {}
        self._looks: set[Look] = set()
        self.goals: list[tuple[Node, Array]] = []
        self.small: list[tuple[Array, Array]] = []
        """outputs that were computed at once, and where they go"""
        self.opened: list[tuple[DeviceView, Array]] = []
        """the memory that was found, in order"""
        self.before: list[Action] = []
        """what was done already, in order"""
        self.looked = False
        """did a kernel get elements? Then what it did may follow from these"""
        self.ran: set[int] = set()
        self.fault: DeviceFault | None = None

    @property
    def read_elements(self) -> bool:
        """May the trace follow from elements?"""
        return self.looked or bool(self.small)

    @property
    def planned(self) -> bool:
        """Is there something to plan, besides procedures of the evaluator that write all?"""
        return evaluator() is None or not all(isinstance(node, Made) for node, _ in self.goals)

    @property
    def weight(self) -> int:
        """Of the largest array in memory."""
        return max((_weight(access) for access, _ in self.opened), default=0)

    def read(self, number: int, step: Bound) -> None:
        """Let a step write down what it does."""
        with_tiles: Kernel | None = getattr(step.kernel, "tiled", None)
        if not step.outputs:
            self._look(number, step)
            return
        if with_tiles is not None:
            for access in step.inputs:
                self._narrow(access)  # may move others of them: what they are is settled afterwards
            returned = self._tiled(with_tiles, step)
        else:
            returned = self._written(number, step)
            if returned is None:
                self._run_in_parts(step)
                return
        results: tuple[Any, ...] = cast("Any", returned if isinstance(returned, tuple) else (returned,))
        for result, access in zip(results, step.outputs, strict=True):
            self._assign(result, access, stands=with_tiles is not None)

    def _look(self, number: int, step: Bound) -> None:
        """A step that only looks at its inputs runs at once."""
        check = partial(_check, step, [self._array(access) for access in step.inputs])
        self.before.append(lambda _: check())
        self.ran.add(number)
        try:
            check()
        except DeviceFault as fault:
            self.fault = self.fault or fault

    def _tiled(self, kernel: Kernel, step: Bound) -> Any:
        """The results of a kernel of its own for large tensors."""
        given = [self._narrow(access) for access in step.inputs]
        returned = kernel(*given, **step.attributes)
        found: tuple[Any, ...] = cast("Any", returned if isinstance(returned, tuple) else (returned,))
        if not all(type(each) is np.ndarray and each.size <= AT_ONCE for each in found):
            self.looked = True
            return found
        look = Look(kernel, given, step.attributes, found)
        self.before.append(lambda _: look.again())
        return (*look.results,)

    def _written(self, number: int, step: Bound) -> Any:
        """The results of the kernel on lazy inputs. Some kernels read elements: then small arrays stay plain. Some read
        positions: then integers do too. If that is not enough, all but the largest inputs do. None: it reads large
        arrays, and can run in parts."""
        most = max((prod(access.shape) for access in step.inputs), default=0)
        ways = (("biuf", 0), ("biuf", LARGE), ("f", LARGE), ("f", max(most, LARGE)))
        if step.cut is not None:
            ways = ways[:2]
        for way in range(self._ways.get(number, 0), len(ways)):
            kinds, least = ways[way]
            with suppress(Unwritable) if way else suppress(Unwritable, *OF_LAZY):
                given = [self._given(access, kinds, least) for access in step.inputs]
                if step.cut is not None and not any(isinstance(each, Lazy) for each in given):
                    return None
                returned = step.kernel(*given, **step.attributes)
                self._ways[number] = way
                return returned
        if step.cut is not None:
            return None
        raise Unwritable("a kernel that reads all elements")

    def _run_in_parts(self, step: Bound) -> None:
        """Run a step now, part by part."""
        assert step.cut is not None
        given = [self._array(access) for access in step.inputs]
        before = [array for _, array in self.opened]
        outs = [self._open(access) for access in step.outputs]
        for out, access in zip(outs, step.outputs, strict=True):
            if access.slot:
                self._save(out, besides=access.address)
            elif any(np.may_share_memory(out, array) for array in before):
                raise Unwritable("a step in parts that changes what others read")
        kernel = partial(step.kernel, **step.attributes)
        self._do(partial(run_in_parts, kernel, step.cut, given, outs, narrow=step.narrow))
        for out, access in zip(outs, step.outputs, strict=True):
            self._accesses[access.address], self._held[access.address] = access, out

    def _given(self, access: DeviceView, lazy: str, least: int) -> Any:
        known = self._held.get(access.address)
        looked_at = access.dtype.kind not in lazy + "V" or LARGE <= prod(access.shape) < least
        if isinstance(known, Node) and not looked_at:
            _check_dense(access)
            with suppress(Unwritable):  # of other dimensions: then it has to be in memory
                return Lazy(known if known.shape == access.shape else Reshaped(known, access.shape))
        array = self._array(access)
        if array.size < least and (array.size < LARGE or array.dtype.kind in "fV"):
            self.looked = True
            return widen(np.array(array))
        if array.dtype.kind not in lazy + "V":
            self.looked = True
            return array
        key = (array.ctypes.data, array.shape, array.strides, array.dtype)
        return Lazy(self._leaves.setdefault(key, Leaf(array)))

    def _array(self, access: DeviceView) -> Array:
        """The elements as they are in memory; what is an expression is written there first."""
        known = self._held.get(access.address)
        if known is None:
            return self._open(access)
        _check_dense(access)
        if isinstance(known, Leaf) and known.array.dtype == access.dtype and known.shape == access.shape:
            return known.array
        if isinstance(known, Node):
            memory = self._open(access)
            self._save(memory, besides=access.address)
            if not known.sums and memory.size <= AT_ONCE:
                self._do(partial(_store_at_once, known, memory.reshape(known.shape)))
            else:
                evaluation = Evaluation([(known, memory.reshape(known.shape))])
                evaluation.run(self._workers)
                self.before.append(evaluation.run)
            known = self._held[access.address] = memory
            self.goals = [goal for goal in self.goals if goal[1].ctypes.data != memory.ctypes.data]  # it is done
        return known.reshape(access.shape)

    def _narrow(self, access: DeviceView) -> Array:
        """The same for a kernel that widens for itself."""
        known = self._held.get(access.address)
        if isinstance(known, Leaf) and known.dtype == access.dtype and known.shape == access.shape:
            return known.array
        return self._array(access)

    def _see(self, node: Node) -> None:
        """The looks of a formula are made again in each run."""
        for look in looks_of([node]):
            if look not in self._looks:
                self._looks.add(look)
                self.before.append(lambda _, look=look: look.again())

    def _do(self, act: Callable[[], object]) -> None:
        """Do something now, and in each run that uses the trace."""
        act()
        self.before.append(lambda _: act())

    def _save(self, memory: Array, besides: int) -> None:
        """The workspace's memory is used again and again: what still reads there is written to its own place first."""
        for address, node in list(self._held.items()):
            if isinstance(node, Node) and address != besides and reads(node, memory):
                self._array(self._accesses[address])
        if any(reads(node, memory) for node, _ in self.goals):
            raise Unwritable("an output rests on memory of the workspace that is used again")

    def _open(self, access: DeviceView) -> Array:
        array = self._open_(access)
        if array is None:
            raise Absent("some of it is not there")
        self.opened.append((access, array))
        return array

    def _assign(self, result: Any, access: DeviceView, *, stands: bool) -> None:
        """Keep what a step made: for an output as it is, for who reads it later rounded to its data type. `stands`: an
        array is not it, but stands for it."""
        if not stands and result.shape != access.shape:
            raise Unwritable("a result of another shape")
        self._accesses[access.address] = access
        if isinstance(result, Lazy):
            self._see(result.node)
            self._held[access.address] = _rounded(result.node, access.dtype)
            if not access.slot:
                self.goals.append((result.node, self._open(access).reshape(result.shape)))
            return
        values = cast("Array", result)
        if stands:
            self._held[access.address] = values
            return
        if access.slot and values.size >= LARGE:
            self.looked = True
            kept = self._open(access)
            if np.may_share_memory(kept, values):
                raise Unwritable("a step in its own place")
            self._save(kept, besides=access.address)
        else:
            kept = np.empty(access.shape, access.dtype)
        store(values, kept)
        self._held[access.address] = kept
        if not access.slot:
            self.small.append((kept, self._open(access)))


def _check(step: Bound, given: Sequence[Array]) -> None:
    """Run a step that only looks at these."""
    step.kernel(*map(widen, given), **step.attributes)


def _store_at_once(node: Node, memory: Array) -> None:
    store(at_once(node), memory)


def _check_dense(access: DeviceView) -> None:
    """Is the view dense? Only then can an address alone describe it."""
    step = access.dtype.itemsize
    for size, stride in zip(reversed(access.shape), reversed(access.strides), strict=True):
        if size > 1 and stride != step:
            raise Unwritable("a strided view of what was just written")
        step *= size


def _rounded(node: Node, dtype: np.dtype[Any]) -> Node:
    """As memory of this data type would hold it."""
    held = node.array.dtype if isinstance(node, Leaf) else node.to if isinstance(node, Cast) else node.dtype
    return node if dtype in (held, node.dtype) else Cast(node, dtype)


def _weight(access: DeviceView) -> int:
    """Elements; those of two bytes count four times, as their conversion is what numpy is slow at."""
    return prod(access.shape) * (4 if access.dtype.itemsize == 2 and access.dtype.kind in "fV" else 1)

"""Large steps that are run part by part, so that their temporaries are as small as a part.

`in_parts` declares along which dimensions the results of a kernel do not depend on each other. A large step that the
fast engine (`aclnn.engine.fast`) does not run is cut along one of these dimensions. Each part is widened, computed, and
rounded into the memory of the outputs.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import prod
from typing import Any, Final, NamedTuple, TypeVar, cast

import numpy as np

from acl_runtime.headers.dtypes import Array, Shape
from aclnn.engine.numbers.rounding import store, widen

PART: Final = 1 << 18
"""elements of a part: 1 MiB of FLOAT, which fits into the cache of a core. A step of two parts or more is cut"""
QUICK: Final = 4
"""factor for the part size of quick kernels: each part has a fixed cost, so fewer parts are faster"""
Attributes = Mapping[str, Any]
CutDims = tuple[int | None, ...]
"""the dimension that is cut, for each input and then each output; None: each part gets the whole tensor"""
CutChoices = Callable[[Sequence[Shape], Sequence[Shape], Attributes], Iterable[CutDims]]
"""function from the shapes of inputs and outputs to the possible cuts of a step, the best one first"""
DependentAxes = str | Sequence[int] | Callable[[Attributes], Sequence[int]]
K = TypeVar("K", bound=Callable[..., Any])


class KernelParts(NamedTuple):
    """The declaration of a kernel's parts, see `by`."""

    choices: CutChoices
    times: int
    looked_up: Sequence[int]


class Cut(NamedTuple):
    """The cut of a step into parts."""

    dims: CutDims
    size: int
    """size of the cut dimension"""
    step: int
    """size of a part along this dimension"""

    def parts(self, arrays: Sequence[Array]) -> Iterator[list[Array]]:
        """The parts of the inputs and the outputs."""
        for low in range(0, self.size, self.step):
            part = slice(low, low + self.step)
            yield [
                array if dim is None else array[(*(slice(None),) * dim, part)]
                for array, dim in zip(arrays, self.dims, strict=True)
            ]


def row_slices(size: int, width: int = 1) -> Iterator[slice]:
    """Slices of `size` rows of `width` elements, for a kernel with its own loop over parts."""
    step = max(1, PART // max(width, 1))
    for low in range(0, size, step):
        yield slice(low, min(low + step, size))


def in_parts(
    dependent: DependentAxes = (), *, first: int | None = None, whole: Sequence[int] = (), alike: bool = False,
    times: int = 1,
) -> Callable[[K], K]:  # fmt: skip
    """Declare that a kernel can be cut along all dimensions except the dependent ones.

    `dependent` are the dimensions along which results depend on each other: numbers, the name of an attribute with
    them, or a function of the attributes. An output may lack these dimensions. Shapes are aligned at their last
    dimensions, as in a broadcast. With `first` they are aligned at their first dimensions, and only the first `first`
    dimensions can be cut. `whole` are the numbers of inputs that each part needs as a whole. With `alike` nothing is
    broadcast, so dimensions of size 1 are cut, too. `times`: see `by`."""

    def choices(inputs: Sequence[Shape], outputs: Sequence[Shape], attributes: Attributes) -> Iterator[CutDims]:
        shapes = [*inputs, *outputs]
        rank = max(map(len, shapes))
        removed = {axis % rank for axis in _axes(dependent, attributes)}
        independent = [dim for dim in range(rank) if dim not in removed]
        for dim in independent if first is None else independent[:first]:
            cut_dims: list[int | None] = []
            for number, shape in enumerate(shapes):
                own_dim = dim if first is not None else dim - rank + len(shape)
                if number >= len(inputs) and removed and len(shape) == len(independent):  # a reduced output
                    own_dim = independent.index(dim)
                has_dim = 0 <= own_dim < len(shape) and (alike or shape[own_dim] > 1)
                cut_dims.append(own_dim if has_dim and number not in whole else None)
            yield tuple(cut_dims)

    return by(choices, times=times)


def by(choices: CutChoices, *, times: int = 1, looked_up: Sequence[int] = ()) -> Callable[[K], K]:
    """Declare the possible cuts of a kernel. Its parts have `times` as many elements as the parts of other kernels.
    `looked_up` are the numbers of inputs of which only some elements are read. Their sizes do not make a step large."""

    def decorate(kernel: K) -> K:
        kernel.parts = KernelParts(choices, times, looked_up)  # type: ignore[attr-defined]
        return kernel

    return decorate


def with_out(kernel: K) -> K:
    """Mark a kernel that can write its result into memory. On large tensors the kernel gets `out`, an array over the
    memory of the output or of its part. It returns `out`, or another array that is then rounded into `out`. Inputs may
    share memory with `out`. The kernel also declares its parts."""
    kernel.takes_out = True  # type: ignore[attr-defined]
    return kernel


def repeatable(kernel: K) -> K:
    """Mark a kernel whose step gives all of its work to the compiled evaluator, or else to numpy. Its calls of the
    evaluator depend on no tensor value, so later runs on the same memory can make the same calls without the kernel."""
    kernel.repeatable = True  # type: ignore[attr-defined]
    return kernel


def is_repeatable(kernel: Callable[..., Any]) -> bool:
    """True for a kernel that `repeatable` marks."""
    return getattr(kernel, "repeatable", False)


def takes_out(kernel: Callable[..., Any]) -> bool:
    """True for a kernel that `with_out` marks."""
    return getattr(kernel, "takes_out", False)


@in_parts()
def _elementwise() -> None:
    """Carrier of the declaration that all ufuncs share."""


def _axes(dependent: DependentAxes, attributes: Attributes) -> Sequence[int]:
    if callable(dependent):
        return dependent(attributes)
    axes = attributes[dependent] if isinstance(dependent, str) else dependent
    return (axes,) if isinstance(axes, int) else axes


def cut_of(
    kernel: Callable[..., Any], inputs: Sequence[Shape], outputs: Sequence[Shape], attributes: Attributes
) -> Cut | None:
    """The cut of a step on these shapes; None if the step is not large, or cannot be cut. A kernel that takes `out`
    or is repeatable gets a cut at any size."""
    declared: KernelParts | None = getattr(_elementwise if isinstance(kernel, np.ufunc) else kernel, "parts", None)
    if declared is None or not outputs:
        return None
    shapes = (*inputs, *outputs)
    largest = max((prod(shape) for number, shape in enumerate(shapes) if number not in declared.looked_up), default=0)
    part = declared.times * PART
    if largest < 2 * part and not (takes_out(kernel) or is_repeatable(kernel)):
        return None
    count, best = max(1, -(-largest // part)), None
    for dims in declared.choices(inputs, outputs, attributes):
        sizes = {shape[dim] for shape, dim in zip(shapes, dims, strict=True) if dim is not None}
        if len(sizes) == 1 and None not in dims[len(inputs) :]:
            (size,) = sizes
            if best is None or size > best.size:
                best = Cut(dims, size, max(1, size // count))
            if size >= count:
                break
    return best


def run_in_parts(
    kernel: Callable[..., Any], cut: Cut, inputs: Sequence[Array], outputs: Sequence[Array], *, narrow: bool,
    offers: bool = False, put: Callable[[Array, Array], None] = store,
) -> None:  # fmt: skip
    """Run a step part by part. With `narrow`, floats of 16 bits are widened first. With `offers` the kernel takes
    `out`. `put` rounds a result into its memory."""
    inputs = [apart_from(outputs, array, dim) for array, dim in zip(inputs, cut.dims, strict=False)]
    for arrays in cut.parts([*inputs, *outputs]):
        input_parts, output_parts = arrays[: len(inputs)], arrays[len(inputs) :]
        returned = kernel(
            *(map(widen, input_parts) if narrow else input_parts), **({"out": output_parts[0]} if offers else {})
        )
        results = cast("tuple[Array, ...]", returned if isinstance(returned, tuple) else (returned,))
        for result, memory in zip(results, output_parts, strict=True):
            if result is memory:
                continue
            if result.shape != memory.shape:
                shapes = f"{list(result.shape)}; {list(memory.shape)} was planned"
                raise ValueError(f"the formula returns the shape {shapes}")
            put(result, memory)
        del returned, results  # before the next part needs memory


def run_as_written(
    kernel: Callable[..., Any], inputs: Sequence[Array], out: Array, attributes: Attributes, *, narrow: bool = True
) -> None:  # fmt: skip
    """Run a formula into the memory of its output, in parts if it is large. For kernels with a faster method in some
    cases."""
    cut = cut_of(kernel, [array.shape for array in inputs], [out.shape], attributes)
    if cut is not None:
        run_in_parts(partial(kernel, **attributes), cut, inputs, [out], narrow=narrow)
    else:
        store(kernel(*(map(widen, inputs) if narrow else inputs), **attributes), out)


def apart_from(outputs: Sequence[Array], array: Array, cut_dim: int | None = None) -> Array:
    """The input, or a copy if parts of the outputs would overwrite it too early. An input with a cut dimension may have
    the same memory as an output, element by element."""
    for out in outputs:
        if np.may_share_memory(array, out):
            same = array.ctypes.data == out.ctypes.data and (array.shape, array.strides) == (out.shape, out.strides)
            if not (same and cut_dim is not None):
                return np.array(array)
    return array

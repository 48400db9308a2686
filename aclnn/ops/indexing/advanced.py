"""Index and IndexPutImpl: a list of index tensors, one for each dimension, as in numpy.

An index tensor without elements selects its whole dimension. An index tensor of BOOL is a mask: it covers as many
dimensions as it has, and selects the positions where it is true. The other index tensors broadcast together.
"""

from collections.abc import Iterator, Sequence
from math import prod
from typing import cast

import numpy as np

from aclnn.op import Wording
from aclnn.op import (
    PRIVATE, Arguments, Array, Bad, Planning, Tensor, aclDataType, apart_from, broadcast_shape, demand, done, empty,
    format_name, in_memory, legal, listed, nulls, out_of_range, part_of, planned, public_format, ranks, row_slices,
    same_dtype, write_into,
)  # fmt: skip
from aclnn.ops.indexing._family import Shape, no_elements, of_type, summed, watch

FirstDims = tuple[int | None, ...]
"""the first dimension that each index tensor covers; None for one that selects its whole dimension"""


def covered(a: Arguments, target: str) -> Iterator[tuple[int, int, Tensor]]:
    """Each index tensor with its number and the first dimension that it covers."""
    dim = 0
    for number, tensor in enumerate(a["indices"]):
        yield number, dim, tensor
        mask = tensor.dtype == aclDataType.ACL_BOOL and tensor.numel
        dim += len(tensor.shape) if mask else 1


def public_members(a: Arguments) -> Bad:
    bad = next((i for i, index in enumerate(a["indices"]) if index.format in PRIVATE), None)
    return None if bad is None else (f"indices[{bad}] {format_name(a['indices'][bad].format)}", "public formats")


def misfit(a: Arguments, target: str) -> str:
    """The reason why the index tensors do not fit a tensor; empty if they fit."""
    target_shape = a.shape(target)
    for number, dim, tensor in covered(a, target):
        if dim >= len(target_shape):
            return f"indices[{number}] has no dimension left of {list(target_shape)}"
        size = len(tensor.shape)
        if tensor.numel and tensor.dtype == aclDataType.ACL_BOOL and target_shape[dim : dim + size] != tensor.shape:
            mask = f"the mask indices[{number}] {list(tensor.shape)}"
            return f"{mask} does not fit {list(target_shape)} from dimension {dim} on"
    shapes = [index.shape for _, _, index in covered(a, target) if index.numel and index.dtype != aclDataType.ACL_BOOL]
    return "" if broadcast_shape(*shapes) is not None else f"the shapes {[*map(list, shapes)]} do not broadcast"


def planned_indices(p: Planning, target: str) -> tuple[list[object], FirstDims]:
    """The index tensors with elements, as inputs of a step, and the first dimension of each tensor of the list."""
    why = misfit(p, target)
    if why:
        raise p.builder.failed(f"{p.op.c_name()}: {why}.")
    inputs: list[object] = []
    places: list[int | None] = []
    for number, dim, tensor in covered(p, target):
        places.append(dim if tensor.numel else None)
        if tensor.numel:
            inputs.append(p.builder.contiguous(tensor))
            if tensor.dtype != aclDataType.ACL_BOOL:
                watch(p, inputs[-1], f"indices[{number}]", p.shape(target)[dim], negative=True)  # pyright: ignore
    return inputs, tuple(places)


def selection(indices: Sequence[Array], places: FirstDims, shape: Shape) -> tuple[tuple[object, ...], bool]:
    """The index for numpy, with 0 for positions out of range, and True if all positions are in range."""
    index: list[object] = []
    good, rest = True, iter(indices)
    for place in places:
        tensor = None if place is None else next(rest)
        if place is None or tensor is None:
            index.append(slice(None))
            continue
        inside = None if tensor.dtype == np.bool_ else legal(tensor, shape[place], negative=True)
        good &= inside is None
        index.append(tensor if inside is None else np.where(inside, tensor, 0))
    return tuple(index), good


def result_shape(a: Arguments, target: str = "self") -> Shape | None:
    """The shape of the elements at the positions; None if that depends on a mask. The dimensions of the positions come
    first, unless the tensors are for neighbouring dimensions."""
    members = [(i, index) for i, index in enumerate(a["indices"]) if index.numel]
    if any(index.dtype == aclDataType.ACL_BOOL for _, index in members):
        return None
    target_shape, dims = a.shape(target), [dim for dim, _ in members]
    if not dims:
        return target_shape
    positions = broadcast_shape(*(index.shape for _, index in members)) or ()
    first = dims[0] if dims == list(range(dims[0], dims[0] + len(dims))) else 0
    rest = [size for dim, size in enumerate(target_shape) if dim not in dims]
    return (*rest[:first], *positions, *rest[first:])


def too_many_dimensions(a: Arguments) -> Bad:
    if misfit(a, "self"):
        return None
    shape = result_shape(a)
    return (f"{len(shape)} dimensions", "at most 8") if shape is not None and len(shape) > 8 else None


TYPE_RULE = listed("indices", unless=no_elements)


@planned(
    "aclnnIndex", nulls("self", "out", "indices"), same_dtype("out", "self"), listed("self"), TYPE_RULE,
    public_format("self", "out"), demand("{0} have public formats", "indices", bad=public_members),
    ranks("self", "indices", least=0, most=8), empty("self", "out"),
    demand("the result of {0} has at most 8 dimensions", "indices", "self", bad=too_many_dimensions),
)  # fmt: skip
def index(p: Planning) -> None:
    """out = the elements of self at the positions of the index tensors. If the tensors are not for neighbouring
    dimensions, the dimensions of the positions come first."""
    x = p.read("self")
    inputs, places = planned_indices(p, "self")
    shape = p.shape("out")
    p.store("out", p.step(read_at, [x, *inputs], shape, x.dtype, moves=True, places=places, shape=shape))  # pyright: ignore


def read_at(x: Array, *indices: Array, places: FirstDims, shape: Shape) -> Array:
    index, _ = selection(indices, places, x.shape)
    values = joined(x, index)
    if values.shape != shape:
        text = Wording("indices read elements of the shape {found}, out has {shape}.", found=values.shape, shape=shape)
        raise out_of_range("indices", text)
    return values


def joined(x: Array, index: tuple[object, ...]) -> Array:
    try:
        return x[index]  # pyright: ignore
    except IndexError as error:  # masks and positions that do not broadcast
        raise out_of_range("indices", Wording("{error}.", error=error)) from None


def too_many_indices(a: Arguments) -> Bad:
    count, rank = len(a["indices"]), a.rank("selfRef")
    return None if count <= rank else (f"{count} tensors", f"{rank} or fewer, the dimensions of selfRef")


def wrong_masks(a: Arguments) -> Bad:
    target_shape = a.shape("selfRef")
    for number, dim, tensor in covered(a, "selfRef"):
        mask = tensor.dtype == aclDataType.ACL_BOOL and tensor.numel
        if mask and target_shape[dim : dim + len(tensor.shape)] != tensor.shape:
            return (
                f"indices[{number}] {list(tensor.shape)}",
                f"the sizes of {list(target_shape)} from dimension {dim} on",
            )
    return None


@planned(
    "aclnnIndexPutImpl", nulls("selfRef", "values", "indices"), listed("selfRef"), listed("values", like="selfRef"),
    TYPE_RULE, same_dtype("values", "selfRef"), ranks("selfRef", "indices", "values", least=0, most=8),
    demand("{0} has at most as many tensors as selfRef has dimensions", "indices", "selfRef", bad=too_many_indices),
    demand("the masks of {0} have the sizes of the dimensions that they cover", "indices", "selfRef", bad=wrong_masks),
    empty("selfRef", "values"),
    done("no tensor of indices has elements", "indices", when=lambda a: all(map(no_elements, a["indices"]))),
)  # fmt: skip
def index_put(p: Planning) -> None:
    """selfRef at the positions of the index tensors = values, which broadcast. If accumulate is true, all values are
    added to selfRef; otherwise the last value for a position is written."""
    x, values = p.read("selfRef"), p.read("values")
    inputs, places = planned_indices(p, "selfRef")
    adds, shape = p["accumulate"], result_shape(p, "selfRef")
    if shape is not None and broadcast_shape(values.shape, shape) != shape:
        why = f"values of the shape {list(values.shape)} do not fit the positions, {list(shape)}."
        raise p.builder.failed(f"{p.op.c_name()}: {why}")
    attributes = {"moves": not adds, "places": places, "adds": adds}
    if shape is None:
        result = p.step(put_masked, [x, values, *inputs], x.shape, x.dtype, **attributes)  # pyright: ignore
    else:
        x = summed(p, x) if adds else x
        result = p.step(put_at, [x, values, *inputs], x.shape, x.dtype, shape=shape, **attributes)  # pyright: ignore
    p.store("selfRef", result)


@in_memory
def put_at(
    x: Array, values: Array, *indices: Array, out: Array, places: FirstDims, adds: bool, shape: Shape
) -> None:  # fmt: skip
    """Write to positions, some at a time, in their order. `shape`: the shape of the elements at the positions. If a
    position is out of range, nothing is written."""
    values, *indices = (apart_from([out], array) for array in (values, *indices))  # pyright: ignore
    out[...] = x
    if not selection(indices, places, x.shape)[1]:
        return
    sizes = np.broadcast_shapes(*(number.shape for number in indices))
    dims = [dim for dim in places if dim is not None]
    first = dims[0] if dims == list(range(dims[0], dims[0] + len(dims))) else 0
    row_dims = range(first, first + len(sizes))
    terms: Array = np.moveaxis(np.broadcast_to(values, shape), row_dims, range(len(sizes)))
    if not sizes:
        terms, sizes = terms[None], (1,)
    for part in row_slices(prod(sizes), prod(terms.shape[len(sizes) :])):
        term = terms[part] if len(sizes) == 1 else terms[several(part, sizes)]
        term = of_type(np.moveaxis(term, 0, first), out)
        index_parts = [part_of(np.broadcast_to(number, sizes), part) for number in indices]
        if len(index_parts) == 1:
            write_into(out, index_parts[0], term, first, adds=adds, negative=True)
        else:
            put_by_numpy(out, term, *index_parts, places=places, adds=adds)


def several(part: slice, sizes: Shape) -> tuple[Array, ...]:
    """The coordinates of the elements `part`, which are counted in row-major order."""
    return np.unravel_index(np.arange(part.start, part.stop, dtype=np.int64), sizes)


def put_masked(x: Array, values: Array, *indices: Array, places: FirstDims, adds: bool) -> Array:
    """Write to the positions of masks, whose number is known only when the task runs."""
    out, good = np.array(x), selection(indices, places, x.shape)[1]
    return put_by_numpy(out, values, *indices, places=places, adds=adds) if good else out


def put_by_numpy(out: Array, values: Array, *indices: Array, places: FirstDims, adds: bool) -> Array:
    index, _ = selection(indices, places, out.shape)
    shape = joined(cast("Array", np.broadcast_to(np.False_, out.shape)), index).shape
    if broadcast_shape(values.shape, shape) != shape:
        text = Wording(
            "values of the shape {shape} do not fit the positions, {found}.", shape=values.shape, found=shape
        )
        raise out_of_range("values", text)
    if adds:
        np.add.at(out, index, values)  # pyright: ignore[reportArgumentType]
    else:
        out[index] = values  # pyright: ignore
    return out

"""The inputs and outputs of a model, as the queries of acl_mdl.h return them."""

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from acl_runtime.headers.dtypes import Shape, nbytes
from acl_runtime.headers.enums import aclDataType, aclFormat
from acl_runtime.memory.sizes import round_up
from acl_runtime.models.aipp_parameters import block_size
from acl_runtime.models.gears import GEAR_INPUT
from acl_runtime.models.images import AIPP_INPUT, DynamicAipp
from acl_runtime.models.statement import BLOCK, Bounds, Model, Tensor


class Described(NamedTuple):
    """An input or an output."""

    name: str
    dtype: int
    format: int
    dims: Shape
    """-1 for a dynamic dimension of an input"""
    stored: Shape
    """the shape of the bytes, which differs from `dims` for an image"""
    bounds: tuple[Bounds, ...]
    """the least and the greatest size of each dimension, if these are unknown until the run"""
    size: int
    """bytes of the largest; 0 if there is no largest"""


def inputs(model: Model) -> list[Described]:
    """The inputs; the last one has the gear, or the parameters of dynamic AIPP, if the model has them."""
    largest = model.input_shapes(model.largest)
    described = [_input(model, tensor, largest[tensor.name]) for tensor in model.inputs]
    if model.gears is not None:
        shape, dtype = (model.gears.width,), int(aclDataType.ACL_INT32)
        described.append(
            Described(GEAR_INPUT, dtype, int(aclFormat.ACL_FORMAT_ND), shape, shape, (), nbytes(prod(shape), dtype))
        )
    if (index := model.dynamic_aipp) is not None:
        size = block_size(model.inputs[index].shape[0])
        described.append(
            Described(AIPP_INPUT, int(aclDataType.ACL_UINT8), int(aclFormat.ACL_FORMAT_ND), (size,), (size,), (), size)
        )
    return described


def outputs(model: Model) -> list[Described]:
    """The outputs, with the sizes of the largest gear."""
    described: list[Described] = []
    for tensor in model.outputs:
        shape = model.output_shape(tensor, model.largest)
        bounds = _bounds(model, tensor, shape)
        size = _size(shape, bounds, tensor.dtype)
        described.append(Described(tensor.name, tensor.dtype, _format(tensor), shape, shape, bounds, size))
    return described


def _input(model: Model, tensor: Tensor, largest: Shape) -> Described:
    if tensor.name in model.aipp:
        size = nbytes(prod(largest), aclDataType.ACL_UINT8)
        shape = tensor.shape
        image, layout = model.aipp[tensor.name], int(aclFormat.ACL_FORMAT_NHWC)
        stored = image.shape(shape[0])
        if isinstance(image, DynamicAipp):
            stored, layout = shape, _format(tensor)
        return Described(tensor.name, int(aclDataType.ACL_UINT8), layout, shape, stored, (), size)
    bounds = _bounds(model, tensor, tensor.shape) if model.unknown else ()
    size = _size(largest, bounds, tensor.dtype)
    return Described(tensor.name, tensor.dtype, _format(tensor), tensor.shape, tensor.shape, bounds, size)


def _format(tensor: Tensor) -> int:
    return int(tensor.format)


def _bounds(model: Model, tensor: Tensor, shape: Shape) -> tuple[Bounds, ...]:
    """The range of each dimension; without a statement of one, a dynamic dimension is open."""
    if model.gears is not None or -1 not in shape:
        return ()
    stated = model.ranges.get(tensor.name)
    if stated is None:
        return tuple((1, -1) if size < 0 else (size, size) for size in shape)
    return tuple((int(low), int(high)) for low, high in stated)


def _size(shape: Shape, bounds: Sequence[Bounds], dtype: int) -> int:
    """The bytes of the largest; 0 if a dimension is open: "any maximum <= 0 (open) -> 0"."""
    greatest = [high for _, high in bounds] if bounds else list(shape)
    return nbytes(prod(greatest), dtype) if min(greatest, default=1) > 0 else 0


def work_size(model: Model) -> int:
    """Bytes of work memory."""
    if model.work_size is not None:
        return model.work_size
    return round_up(sum(output.size for output in outputs(model)), BLOCK)

"""The statement of a model: what a test says about its inputs and outputs, and the function that computes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any, Final, TypeAlias, cast

import numpy as np

from acl_runtime.headers.dtypes import Array, Shape, data_type_of, numpy_dtype
from acl_runtime.headers.enums import aclDataType, aclFormat
from acl_runtime.models.gears import Gear, GearKind, Gears
from acl_runtime.models.images import DynamicAipp, StaticAipp

Function: TypeAlias = Callable[[dict[str, Array]], Any]
"""gets the inputs by name; returns the outputs: a dict by name, a tuple in the order of the model, or the only one"""
Bounds: TypeAlias = tuple[int, int]
"""the least and the greatest size of a dimension; a greatest size of -1 is open"""
IMAGE_RANK: Final = 4
BLOCK: Final = 512
"""sizes of memory are multiples of it"""


class BadStatement(Exception):
    """A file with the statement of a model is faulty. The text completes "<file>: ..."."""


def data_type(value: Any) -> int:
    """The aclDataType of a type of numpy, of its name, or of a number of aclDataType."""
    if isinstance(value, int):
        return int(value)
    if isinstance(value, str) and value.startswith("ACL_"):
        return int(aclDataType[value])
    if value == "bfloat16":
        return int(aclDataType.ACL_BF16)
    return int(data_type_of(np.dtype(value)))


def format_of(value: int | str) -> int:
    """The aclFormat of a number, or of a name without its prefix, such as NCHW."""
    return int(aclFormat[f"ACL_FORMAT_{value}"]) if isinstance(value, str) else int(value)


@dataclass(frozen=True)
class Tensor:
    """An input or an output of a model."""

    name: str
    dtype: Any
    """a type of numpy, its name, or an aclDataType; kept as the aclDataType"""
    dims: Shape | Callable[[dict[str, Shape]], Sequence[int]]
    """the sizes; -1 for a dynamic dimension. An output of a model with gears may have a function of the input shapes"""
    format: int | str = "ND"
    """the name of an aclFormat without its prefix, or its number; kept as the number"""

    def __post_init__(self) -> None:
        object.__setattr__(self, "dtype", data_type(self.dtype))
        object.__setattr__(self, "format", format_of(self.format))
        if numpy_dtype(self.dtype) is None:
            raise ValueError(f"{self.name}: numpy has no type for {aclDataType(self.dtype).name}")
        if not callable(self.dims):
            object.__setattr__(self, "dims", tuple(map(int, self.dims)))

    @property
    def shape(self) -> Shape:
        """The stated sizes; not for an output with a function."""
        return cast("Shape", self.dims)

    @property
    def dynamic(self) -> bool:
        """True if a size is open until the run."""
        return callable(self.dims) or any(size < 0 for size in self.dims)

    @property
    def numpy(self) -> np.dtype[Any]:
        """The type of its array."""
        dtype = numpy_dtype(self.dtype)
        assert dtype is not None, "checked at the start"
        return dtype


@dataclass(frozen=True, eq=False)
class Model:
    """A model that stands in for one that only a device can run."""

    inputs: Sequence[Tensor]
    outputs: Sequence[Tensor]
    run: Function | None = None
    """computes the outputs. Without it, the model can be loaded and described, and each run fails"""
    gears: Gears | None = None
    """the sizes that the model was built for; see `batch`, `hw` and `dims`"""
    ranges: Mapping[str, Sequence[Bounds]] = field(default_factory=dict[str, Sequence[Bounds]])
    """without gears: the range of each dimension, by input or output. Sizes without a range are open"""
    aipp: Mapping[str, StaticAipp | DynamicAipp] = field(default_factory=dict[str, StaticAipp | DynamicAipp])
    """the images that inputs take"""
    work_size: int | None = None
    """bytes of work memory; None: those of the outputs, rounded up to 512"""
    weight_size: int = 0
    """bytes of weight memory"""
    original_ops: Mapping[str, str] = field(default_factory=dict[str, str])
    """for operators of the model by name: the text that aclmdlGetOpAttr returns, with the operators they come from"""

    def __post_init__(self) -> None:
        names = [tensor.name for tensor in (*self.inputs, *self.outputs)]
        if unknown := [name for name in (*self.ranges, *self.aipp) if name not in names]:
            raise ValueError(f"{unknown[0]} is no input or output: {', '.join(names)}")
        self._check_dynamic_aipp()
        for tensor in self.inputs:
            if callable(tensor.dims):
                raise ValueError(f"{tensor.name}: only an output can have a function of the input shapes")
        if self.gears is None:
            if wrong := [tensor.name for tensor in self.outputs if callable(tensor.dims)]:
                raise ValueError(f"{wrong[0]}: without gears the sizes are numbers, -1 for those that the run decides")
            return
        dynamic = sum(size < 0 for tensor in self.inputs for size in tensor.shape)
        if not dynamic or (self.gears.kind is GearKind.DIMS and dynamic != self.gears.width):
            raise ValueError(f"the inputs have {dynamic} dimensions of size -1, a gear has {self.gears.width} values")
        open_outputs = [tensor for tensor in self.outputs if not callable(tensor.dims) and -1 in tensor.dims]
        if self.gears.kind is GearKind.DIMS and open_outputs:
            raise ValueError("with gears of dimensions, give outputs with dynamic sizes a function of the input shapes")

    def _check_dynamic_aipp(self) -> None:
        dynamic = [name for name, image in self.aipp.items() if isinstance(image, DynamicAipp)]
        if not dynamic:
            return
        tensor = next(tensor for tensor in self.inputs if tensor.name == dynamic[0])
        layout = tensor.format in (aclFormat.ACL_FORMAT_NCHW, aclFormat.ACL_FORMAT_NHWC)
        if len(dynamic) > 1 or self.gears is not None:
            raise ValueError("dynamic AIPP is for one input of a model without gears")
        if not layout or tensor.dynamic or len(tensor.shape) != IMAGE_RANK:
            raise ValueError(f"{tensor.name}: an input with dynamic AIPP has four known sizes, and is NCHW or NHWC")

    @property
    def dynamic_aipp(self) -> int | None:
        """The index of the input with dynamic AIPP."""
        kinds = (isinstance(self.aipp.get(tensor.name), DynamicAipp) for tensor in self.inputs)
        return next((index for index, dynamic in enumerate(kinds) if dynamic), None)

    @property
    def unknown(self) -> bool:
        """True if sizes of inputs are known only at each run: there are no gears for them."""
        return self.gears is None and any(tensor.dynamic for tensor in self.inputs)

    @cached_property
    def largest(self) -> Gear:
        """The gear with the most elements; empty without gears."""
        if self.gears is None:
            return ()
        return max(self.gears.values, key=lambda gear: sum(map(prod, self.input_shapes(gear).values())))

    def input_shapes(self, gear: Gear) -> dict[str, Shape]:
        """The shapes of the arrays that the function gets, by name; -1 for a size that is unknown until the run."""
        stated = {tensor.name: tensor.shape for tensor in self.inputs}
        shapes = stated if self.gears is None else self.gears.input_shapes(stated, gear)
        return {name: self.aipp[name].shape(shape[0]) if name in self.aipp else shape for name, shape in shapes.items()}

    def output_shape(self, output: Tensor, gear: Gear) -> Shape:
        """The shape of an output for a gear."""
        if callable(output.dims):
            return tuple(map(int, output.dims(self.input_shapes(gear))))
        return output.shape if self.gears is None else self.gears.output_shape(output.shape, gear)

    def dtype_of(self, tensor: Tensor) -> np.dtype[Any]:
        """The type of the array of an input or an output: bytes for an image."""
        return np.dtype(np.uint8) if tensor.name in self.aipp else tensor.numpy

    def compute(self, arrays: dict[str, Array], gear: Gear) -> list[Array]:
        """The outputs for these inputs. ValueError or TypeError if the function does not return what is stated."""
        assert self.run is not None, "asked before"
        answer = self.run(arrays)
        return [
            self._checked(output, value, self.output_shape(output, gear))
            for output, value in zip(self.outputs, self._in_order(answer), strict=True)
        ]

    def _in_order(self, answer: Any) -> list[Any]:
        if isinstance(answer, Mapping):
            by_name = cast("Mapping[str, Any]", answer)
            if missing := [output.name for output in self.outputs if output.name not in by_name]:
                raise ValueError(f"the function returned no {missing[0]}, only {', '.join(by_name) or 'an empty dict'}")
            return [by_name[output.name] for output in self.outputs]
        values = list(cast("Sequence[Any]", answer)) if isinstance(answer, tuple | list) else [answer]
        if len(values) != len(self.outputs):
            raise ValueError(f"the function returned {len(values)} outputs, the model has {len(self.outputs)}")
        return values

    def _checked(self, output: Tensor, value: Any, shape: Shape) -> Array:
        array = np.asarray(value)
        if array.dtype != output.numpy:
            raise TypeError(f"{output.name} has the type {array.dtype}; the statement says {output.numpy}")
        sizes = zip(shape, array.shape, strict=False)
        if len(shape) != array.ndim or any(size not in (-1, actual) for size, actual in sizes):
            raise ValueError(f"{output.name} has the shape {list(array.shape)}; the statement says {list(shape)}")
        return array

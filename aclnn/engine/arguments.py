"""The arguments of a call by their names in the C prototype.

Relations and planners of operators from facts use these names. An in-place twin, such as aclnnInplaceAdd, has one
tensor, selfRef, where aclnnAdd has two. In the twin the names of both tensors mean selfRef.
"""

from typing import Any, cast

import numpy as np

from acl_runtime.headers.dtype_names import dtype_name
from acl_runtime.headers.dtypes import Shape
from acl_runtime.objects.handle_table import Scalar, Tensor
from acl_runtime.objects.soc import Soc
from aclnn.engine.declaration import Op
from aclnn.engine.numbers.promotion import promote
from aclnn.engine.parameters import Param


class Arguments:
    """The arguments of one call. `arguments["self"]` is the object, number or text of a parameter."""

    def __init__(self, call: Op, soc: Soc) -> None:
        self.call, self.soc = call, soc
        self.op = type(call)

    def param(self, name: str) -> Param[Any]:
        """The declaration of a parameter."""
        return self.op.named(name)

    def name(self, name: str) -> str:
        """The name of a parameter in this function, such as `selfRef` for `self` in an in-place twin."""
        return str(self.op.named(name))

    def has(self, name: str) -> bool:
        """True if the prototype has a parameter with this name. Versions of an operator differ in their parameters."""
        return any(param.printed == name for param in self.op.params)

    def __getitem__(self, name: str) -> Any:
        return self.call.__dict__[self.op.named(name).name]

    def given(self, name: str) -> bool:
        """True if the argument is used: False for null, and for an output that a mask turns off."""
        return self.param(name).in_use(self.call)

    def dtype(self, name: str) -> int:
        """The data type of a tensor or scalar; for a list the promoted type of its members; for an aclDataType its
        value."""
        value = self[name]
        if isinstance(value, tuple):
            return self.promoted(name) or 0
        return value.dtype if isinstance(value, Tensor | Scalar) else int(value)

    def dtypes(self, *names: str) -> list[int]:
        """The data types of tensors, scalars, and members of lists, except null."""
        dtypes: list[int] = []
        for name in names:
            value = self[name]
            if isinstance(value, tuple):
                dtypes += [member.dtype for member in cast("tuple[Tensor | Scalar, ...]", value)]
            elif value is not None:
                dtypes.append(self.dtype(name))
        return dtypes

    def promoted(self, *names: str) -> int | None:
        """The promoted data type of these arguments; None if there is none, as for a list without members."""
        result, *others = self.dtypes(*names) or (None,)
        for dtype in others:
            if result is None:
                return None
            result = promote(result, dtype)
        return result

    def shape(self, name: str) -> Shape:
        """The shape of a tensor."""
        return self[name].shape

    def rank(self, name: str) -> int:
        """The number of dimensions of a tensor."""
        return len(self[name].shape)

    def axis(self, name: str, of: str) -> int:
        """A dimension number, counted from the front. A 0-d tensor counts as 1-d."""
        return self[name] % max(self.rank(of), 1)

    def axes(self, name: str, of: str, noop: str = "") -> tuple[int, ...]:
        """The dimensions of a tensor that a number or an array lists, each once. Null or an empty array means all
        dimensions, or none if the flag `noop` is true."""
        dims = self[name]
        numbers = (dims,) if isinstance(dims, int) else () if dims is None else dims.values
        if noop and self[noop] and not numbers:
            return ()
        return tuple(dict.fromkeys(axes_of(numbers, self.rank(of))))

    def type_name(self, name: str) -> str:
        """The data type of an argument, as error texts print it."""
        return dtype_name(self.dtype(name))


def members(value: Any) -> tuple[Any, ...]:
    """The members of a list. Any other value is the only member; null has none."""
    return cast("tuple[Any, ...]", value) if isinstance(value, tuple) else () if value is None else (value,)


def broadcast_shape(*shapes: Shape) -> Shape | None:
    """The shape that these shapes broadcast to; None if they do not broadcast."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        return None


def axes_of(dims: tuple[int, ...], rank: int) -> tuple[int, ...]:
    """Dimension numbers, counted from the front. An empty tuple means all dimensions."""
    return tuple(dim % max(rank, 1) for dim in dims) or tuple(range(rank))


def reduced(shape: Shape, axes: tuple[int, ...], *, keepdims: bool) -> Shape:
    """The shape after a reduction of some dimensions."""
    if keepdims:
        return tuple(1 if dim in axes else size for dim, size in enumerate(shape))
    return tuple(size for dim, size in enumerate(shape) if dim not in axes)

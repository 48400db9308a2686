"""The arguments of a call by the names that the C prototype has.

Relations and planners of operators that are made from facts use these names. An in-place twin, such as aclnnInplaceAdd,
has one tensor, selfRef, where aclnnAdd has two: there the names of both mean selfRef.
"""

from typing import Any, cast

import numpy as np

from acl_runtime.headers.dtypes import Shape, dtype_name
from acl_runtime.objects.handle_table import Scalar, Tensor
from acl_runtime.objects.soc import Soc
from aclnn.engine.declaration import Op
from aclnn.engine.numbers.promotion import promote
from aclnn.engine.parameters import Param


class Arguments:
    """The arguments of one call. `arguments["self"]` is the object, number or text of that parameter."""

    def __init__(self, call: Op, soc: Soc) -> None:
        self.call, self.soc = call, soc
        self.op = type(call)

    def param(self, name: str) -> Param[Any]:
        """The declaration of a parameter."""
        return self.op.named(name)

    def name(self, name: str) -> str:
        """The name that this function has for a parameter: `selfRef` for `self` in an in-place twin."""
        return str(self.op.named(name))

    def has(self, name: str) -> bool:
        """Does the prototype have a parameter with this name? Some versions of an operator lack one."""
        return any(each.printed == name for each in self.op.params)

    def __getitem__(self, name: str) -> Any:
        return self.call.__dict__[self.op.named(name).name]

    def given(self, name: str) -> bool:
        """Is it not null, and no output that its mask turns off?"""
        return self.param(name).in_use(self.call)

    def dtype(self, name: str) -> int:
        """The data type of a tensor or scalar; the one that a list of tensors promotes to; a data type as a value."""
        value = self[name]
        if isinstance(value, tuple):
            return self.promoted(name) or 0
        return value.dtype if isinstance(value, Tensor | Scalar) else int(value)

    def dtypes(self, *names: str) -> list[int]:
        """The data types of tensors, scalars, and members of lists; null ones have none."""
        found: list[int] = []
        for name in names:
            value = self[name]
            if isinstance(value, tuple):
                found += [each.dtype for each in cast("tuple[Tensor | Scalar, ...]", value)]
            elif value is not None:
                found.append(self.dtype(name))
        return found

    def promoted(self, *names: str) -> int | None:
        """The data type that they promote to; None if there is none, as of a list without members."""
        first, *others = self.dtypes(*names) or (None,)
        for other in others:
            found = promote(first, other)
            if found is None:
                return None
            first = found
        return first

    def shape(self, name: str) -> Shape:
        """The shape of a tensor."""
        return self[name].shape

    def rank(self, name: str) -> int:
        """The number of dimensions of a tensor."""
        return len(self[name].shape)

    def axis(self, name: str, of: str) -> int:
        """A dimension number, counted from the front; a 0-d tensor counts as 1-d."""
        return self[name] % max(self.rank(of), 1)

    def axes(self, name: str, of: str, noop: str = "") -> tuple[int, ...]:
        """The dimensions of a tensor that a number or an array names, each once. Null or an empty array names all; none
        if the flag `noop` is true."""
        dims = self[name]
        numbers = (dims,) if isinstance(dims, int) else () if dims is None else dims.values
        if noop and self[noop] and not numbers:
            return ()
        return tuple(dict.fromkeys(axes_of(numbers, self.rank(of))))

    def type_name(self, name: str) -> str:
        """The data type of an argument, as error texts print it."""
        return dtype_name(self.dtype(name))


def members(value: Any) -> tuple[Any, ...]:
    """The members of a list; one for anything else; none for null."""
    return cast("tuple[Any, ...]", value) if isinstance(value, tuple) else () if value is None else (value,)


def broadcast_shape(*shapes: Shape) -> Shape | None:
    """The shape that they broadcast to; None if they do not."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        return None


def axes_of(dims: tuple[int, ...], rank: int) -> tuple[int, ...]:
    """Dimension numbers, counted from the front; none given means all."""
    return tuple(dim % max(rank, 1) for dim in dims) or tuple(range(rank))


def reduced(shape: Shape, axes: tuple[int, ...], *, keepdims: bool) -> Shape:
    """The shape that is left when some dimensions are reduced."""
    if keepdims:
        return tuple(1 if at in axes else size for at, size in enumerate(shape))
    return tuple(size for at, size in enumerate(shape) if at not in axes)

"""Plans of one function of aclnn, which most rows have, and common parts of other plans."""

from collections.abc import Callable
from typing import Any

import numpy as np

from acl_runtime.headers.dtype_names import dtype_name
from acl_runtime.headers.dtypes import Shape
from acl_runtime.headers.enums import aclDataType
from acl_runtime.objects.handle_table import Tensor
from aclnn.by_name.call import Named
from aclnn.by_name.row import Plan

T = aclDataType
NARROW = (T.ACL_FLOAT16, T.ACL_BF16)


def uses(function: str, *arguments: Any, alike: str = "") -> Plan:
    """A plan that passes a call to one function of aclnn. A text in `arguments` names a tensor or an attribute.
    `alike`: tensors that have one data type."""

    def plan(n: Named) -> None:
        same_types(n, *alike.split())
        n.aclnn(function, *(n[argument] if isinstance(argument, str) else argument for argument in arguments))

    return described(plan, function)


def described(plan: Plan, text: str) -> Plan:
    """A plan with the text that describes it on the page."""
    plan.uses = text  # type: ignore[attr-defined]
    return plan


def same_types(n: Named, *names: str) -> None:
    """Refuses tensors of different data types: an operator by name does not promote them."""
    names_by_type = {dtype_name(n[name].dtype): name for name in names}
    if len(names_by_type) > 1:
        raise n.refused(f"{' and '.join(names)} have one data type, not {' and '.join(names_by_type)}")


def check_shapes(n: Named, **shapes: Shape) -> None:
    """Checks the shapes of tensors of a formula, if no function of aclnn does."""
    for name, shape in shapes.items():
        if n[name].shape != shape:
            raise n.refused(f"{name} has the shape {list(n[name].shape)}, and has to have {list(shape)}")


def copy(n: Named, x: Tensor, y: Tensor) -> None:
    """Copy the elements of a tensor into a tensor of another shape."""
    if x.dtype != y.dtype:
        raise n.refused(f"a tensor of {dtype_name(x.dtype)} is not copied into one of {dtype_name(y.dtype)}")
    if x.numel != y.numel:
        raise n.refused(f"a tensor {list(y.shape)} has not the elements of {list(x.shape)}")
    n.aclnn("aclnnInplaceCopy", y if x.shape == y.shape else n.viewed(y, x.shape), x)


def in_float(n: Named, x: Tensor) -> Tensor:
    """The tensor in FLOAT, if it has 16 bits: for formulas of several steps, which round once."""
    if x.dtype not in NARROW:
        return x
    wide = n.like(x, T.ACL_FLOAT)
    n.aclnn("aclnnCast", x, T.ACL_FLOAT, wide)
    return wide


def unread(n: Named, like: Tensor) -> Tensor:
    """A tensor of zeros for a parameter of which only the shape matters."""
    result = n.like(like)
    n.aclnn("aclnnInplaceZero", result)
    return n.labelled(result)


def computed(n: Named, function: str, *values: Any) -> Tensor:
    """The result of a function in FLOAT. It has the shape to which its tensors are broadcast."""
    result = n.temporary(
        np.broadcast_shapes(*(value.shape for value in values if isinstance(value, Tensor))), T.ACL_FLOAT
    )
    n.aclnn(function, *values, result)
    return result


def affine(n: Named, x: Tensor, scale: float, shift: float) -> Tensor:
    """scale x + shift."""
    for function, number, neutral in (("aclnnMuls", scale, 1), ("aclnnAdds", shift, 0)):
        if number != neutral:
            result, more = n.like(x), (1,) if function == "aclnnAdds" else ()
            n.aclnn(function, x, n.scalar(number, x), *more, result)
            x = result
    return x


def rounded_into(n: Named, y: Tensor, compute: Callable[[Tensor], None]) -> None:
    """Plan `compute` for `y`. If `y` has 16 bits, the result is computed in FLOAT and then rounded."""
    wide = n.like(y, T.ACL_FLOAT) if y.dtype in NARROW else y
    compute(wide)
    if wide is not y:
        n.aclnn("aclnnCast", wide, y.dtype, y)


def cast_after(function: str, *arguments: Any, out: str, dtype: int) -> Plan:
    """A plan of one function whose output `out` is computed in the data type `dtype`, then cast."""

    def plan(n: Named) -> None:
        y = n[out]
        result = y if y.dtype == dtype else n.like(y, dtype)
        n.aclnn(
            function,
            *(
                result if argument == out else n[argument] if isinstance(argument, str) else argument
                for argument in arguments
            ),
        )
        if result is not y:
            n.aclnn("aclnnCast", result, y.dtype, y)

    return described(plan, function)

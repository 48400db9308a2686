"""One formula on each tensor of a list, with one host scalar: the operators of the composite family."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from acl_runtime.headers.dtypes import Array, dtype_name
from acl_runtime.headers.enums import aclDataType
from acl_runtime.headers.statuses import ACLNN_ERR_INNER_TILING_ERROR, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
from acl_runtime.objects.soc import Series
from aclnn.engine.arguments import Arguments
from aclnn.engine.operator import Operator, planned
from aclnn.engine.planning import Planning
from aclnn.engine.relation import Relation
from aclnn.engine.words.shapes import ranks, same_shapes
from aclnn.engine.words.types import listed, same_dtype, type_rows, uniform
from aclnn.engine.words.values import demand, done, may_be_in_place

T = aclDataType
REAL: Final = (T.ACL_FLOAT, T.ACL_DOUBLE)
WHOLE: Final = (T.ACL_INT32, T.ACL_INT64)
SMALL: Final = (T.ACL_INT16, T.ACL_INT8, T.ACL_UINT8)
FLOAT_SCALARS: Final = ("aclnnForeachAddScalarV2", "aclnnForeachMulScalarV2", "aclnnForeachAddcmulScalarV2")
"""on Ascend 950 these take a FLOAT for a list of FLOAT16, and keep it"""
Bad = tuple[object, object] | None


def same_length(name: str, as_: str, status: int = ACLNN_ERR_PARAM_INVALID) -> Relation:
    """Two lists have as many tensors."""

    def bad(a: Arguments) -> Bad:
        found, wanted = len(a[name]), len(a[as_])
        return None if found == wanted else (f"{found} tensors", f"{wanted}, as {as_}")

    return demand("{0} has as many tensors as {1}", name, as_, bad=bad, status=status)


def rows(name: str) -> Callable[[Arguments], Mapping[int, Sequence[int]]]:
    """The data types of the scalar, by that of the tensors."""

    def found(a: Arguments) -> Mapping[int, Sequence[int]]:
        more = (T.ACL_FLOAT,) if name in FLOAT_SCALARS and a.soc.series is Series.A950 else ()
        reals = {T.ACL_FLOAT: REAL, T.ACL_BF16: REAL, T.ACL_FLOAT16: (T.ACL_FLOAT16, T.ACL_DOUBLE, *more)}
        if name == "aclnnForeachLerpScalar":
            return dict.fromkeys(reals, REAL)
        return {**reals, **dict.fromkeys((T.ACL_INT32, *SMALL), WHOLE)}

    return found


def value(p: Planning, name: str, scalar: str, dtype: int) -> Any:
    """The scalar as the kernel has it: FLOAT for BFLOAT16, INT32 for small integers, else the type of the tensors."""
    wide = name == "aclnnForeachLerpScalar" or (name in FLOAT_SCALARS and p.soc.series is Series.A950)
    if dtype == T.ACL_BF16 or (wide and dtype == T.ACL_FLOAT16):
        return p.number(scalar, T.ACL_FLOAT)
    return p.number(scalar, T.ACL_INT32 if dtype in SMALL else dtype)


def foreach(name: str, *lists: str, formula: Callable[..., Array], doc: str, scalar: str = "") -> Operator:
    """An operator whose formula gets a tensor of each list, and the scalar."""
    first, *others = lists
    lengths = ACLNN_ERR_PARAM_NULLPTR if name == "aclnnForeachAddScalarV2" else ACLNN_ERR_PARAM_INVALID

    def plan(p: Planning) -> None:
        given = zip(*(p.read_all(each) for each in lists), strict=True)
        for out, members in zip(p["out"], given, strict=True):
            if out.numel:
                shape, dtype = members[0].shape, members[0].dtype
                values = {"by": value(p, name, scalar, dtype)} if scalar else {}
                p.put(out, p.step(formula, members, shape, dtype, **values), "out")

    plan.__doc__ = doc
    same = [*others, "out"]
    return planned(
        name,
        *(same_length(each, first, lengths) for each in same),
        done(f"{first} has no tensors", first, when=lambda a: not a[first]),
        listed(first), uniform(first), *([type_rows((first, scalar), rows(name))] if scalar else []),
        *(same_dtype(each, as_=first) for each in same), *(same_shapes(each, first) for each in others),
        ranks(first, least=0, most=8), same_shapes("out", first), may_be_in_place(),
    )(plan)  # fmt: skip


def sum_of(x1: Array, x2: Array, *, by: Any) -> Array:
    return x1 + x2 * by


def shifted(x: Array, *, by: Any) -> Array:
    return x + by


def scaled(x: Array, *, by: Any) -> Array:
    return x * by


def with_product(x1: Array, x2: Array, x3: Array, *, by: Any) -> Array:
    return x1 + x2 * x3 * by


def between(x1: Array, x2: Array, *, by: Any) -> Array:
    return x1 + (x2 - x1) * by if abs(by) < 0.5 else x2 + (x2 - x1) * (by - np.float32(1))


def root(x: Array) -> Array:
    return np.sqrt(x)


def difference(x1: Array, x2: Array, *, by: Any) -> Array:
    return x1 - x2 * by


def lessened(x: Array, *, by: Any) -> Array:
    return x - by


def divided(x: Array, *, by: Any) -> Array:
    return x / by


def larger(x: Array, *, by: Any) -> Array:
    return np.maximum(x, by)


def smaller(x: Array, *, by: Any) -> Array:
    return np.minimum(x, by)


def with_quotient(x1: Array, x2: Array, x3: Array, *, by: Any) -> Array:
    return x1 + x2 / x3 * by


def product(x1: Array, x2: Array) -> Array:
    return x1 * x2


def quotient(x1: Array, x2: Array) -> Array:
    return x1 / x2


def interpolated(x1: Array, x2: Array, weight: Array) -> Array:
    near = np.abs(weight) < 0.5
    return np.where(near, x1 + (x2 - x1) * weight, x2 + (x2 - x1) * (weight - np.float32(1)))


add_list = foreach(
    "aclnnForeachAddListV2", "x1", "x2", scalar="alpha", formula=sum_of, doc="out = x1 + x2 * alpha, of each tensor"
)
add_scalar = foreach(
    "aclnnForeachAddScalarV2", "x", scalar="scalar", formula=shifted, doc="out = x + scalar, of each tensor"
)
mul_scalar = foreach(
    "aclnnForeachMulScalarV2", "x", scalar="scalar", formula=scaled, doc="out = x * scalar, of each tensor"
)
addcmul_scalar = foreach(
    "aclnnForeachAddcmulScalarV2", "x1", "x2", "x3", scalar="scalar", formula=with_product,
    doc="out = x1 + x2 * x3 * scalar, of each tensor",
)  # fmt: skip
lerp_scalar = foreach(
    "aclnnForeachLerpScalar", "x1", "x2", scalar="weight", formula=between,
    doc="out = x1 + (x2 - x1) * weight, of each tensor",
)  # fmt: skip
sqrt = foreach("aclnnForeachSqrt", "x", formula=root, doc="out = the square root of x, of each tensor")
sub_list = foreach(
    "aclnnForeachSubListV2", "x1", "x2", scalar="alpha", formula=difference, doc="out = x1 - x2 * alpha, of each tensor"
)
sub_scalar = foreach(
    "aclnnForeachSubScalarV2", "x", scalar="scalar", formula=lessened, doc="out = x - scalar, of each tensor"
)
div_scalar = foreach(
    "aclnnForeachDivScalarV2", "x", scalar="scalar", formula=divided, doc="out = x / scalar, of each tensor"
)
maximum_scalar = foreach(
    "aclnnForeachMaximumScalarV2", "x", scalar="scalar", formula=larger,
    doc="out = the larger of x and scalar, of each tensor",
)  # fmt: skip
minimum_scalar = foreach(
    "aclnnForeachMinimumScalarV2", "x", scalar="scalar", formula=smaller,
    doc="out = the smaller of x and scalar, of each tensor",
)  # fmt: skip
addcdiv_scalar = foreach(
    "aclnnForeachAddcdivScalarV2", "x1", "x2", "x3", scalar="scalar", formula=with_quotient,
    doc="out = x1 + x2 / x3 * scalar, of each tensor",
)  # fmt: skip
mul_list = foreach("aclnnForeachMulList", "x1", "x2", formula=product, doc="out = x1 * x2, of each tensor")
div_list = foreach("aclnnForeachDivList", "x1", "x2", formula=quotient, doc="out = x1 / x2, of each tensor")
lerp_list = foreach(
    "aclnnForeachLerpList", "x1", "x2", "weight", formula=interpolated,
    doc="out = x1 + (x2 - x1) * weight, of each tensor",
)  # fmt: skip


def convertible(a: Arguments) -> Bad:
    """The kernel copies, or converts between FLOAT and a 16-bit float."""
    one, other = a.dtypes("x")[0], a.dtypes("out")[0]
    halves = (T.ACL_FLOAT16, T.ACL_BF16)
    fits = one == other or (one == T.ACL_FLOAT and other in halves) or (other == T.ACL_FLOAT and one in halves)
    return None if fits else (dtype_name(other), f"{dtype_name(one)}, as x has, or FLOAT for a 16-bit float")


def fewer_elements(a: Arguments) -> Bad:
    pairs = [(out.numel, x.numel) for out, x in zip(a["out"], a["x"], strict=True) if out.numel != x.numel]
    return (f"{pairs[0][0]} elements", str(pairs[0][1])) if pairs else None


@planned(
    "aclnnForeachCopy", same_length("out", "x"), done("x has no tensors", "x", when=lambda a: not a["x"]),
    listed("x", "out"), uniform("x"), uniform("out"),
    demand("the data type of {0} is that of {1}, or FLOAT and a 16-bit float", "out", "x", bad=convertible),
    demand("the tensors of {0} have as many elements as those of {1}", "out", "x", bad=fewer_elements,
           status=ACLNN_ERR_INNER_TILING_ERROR), ranks("x", least=0, most=8),
)  # fmt: skip
def copy(p: Planning) -> None:
    """out = x, of each tensor"""
    for out, x in zip(p["out"], p.read_all("x"), strict=True):
        p.put(out, p.builder.reshape(x, out.shape), "out")

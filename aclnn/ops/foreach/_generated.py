"""Shared by the Foreach functions that the library generates: one formula on each tensor of a list.

They refuse a data type with 161002, and all else with 561002.
"""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.headers.enums import aclDataType
from acl_runtime.headers.statuses import ACLNN_ERR_INNER_TILING_ERROR
from acl_runtime.objects.handle_table import Scalar
from acl_runtime.objects.soc import Series
from aclnn.engine.arguments import Arguments
from aclnn.engine.numbers.scalars import scalar_as
from aclnn.engine.operator import Operator, planned
from aclnn.engine.planning import Planning
from aclnn.engine.relation import Relation
from aclnn.engine.words.shapes import ranks, same_shapes
from aclnn.engine.words.types import listed, same_dtype, type_rows, uniform
from aclnn.engine.words.values import demand, done, generated, may_be_in_place
from aclnn.ops.foreach.by_scalar import Bad, same_length

T = aclDataType
TILING: Final = ACLNN_ERR_INNER_TILING_ERROR
MOST: Final = 256
"""tensors of a list"""


def as_many(first: str) -> Relation:
    """Each tensor of out has as many elements as its input. (The kernel refuses fewer only; more are refused by us.)"""

    def bad(a: Arguments) -> Bad:
        pairs = zip(a["out"], a[first], strict=False)
        found = [(out.numel, x.numel) for out, x in pairs if out.numel != x.numel]
        return (f"{found[0][0]} elements", str(found[0][1])) if found else None

    return demand("the tensors of {0} have as many elements as those of {1}", "out", first, bad=bad, status=TILING)


ROWS: Final = {**dict.fromkeys((T.ACL_FLOAT, T.ACL_FLOAT16, T.ACL_BF16), (T.ACL_FLOAT, T.ACL_DOUBLE)),
               T.ACL_INT32: (T.ACL_INT64,)}  # fmt: skip
"""the data types of a scalar, or of a list of scalars, by that of the tensors. A DOUBLE becomes a FLOAT"""


def counted(first: str) -> Relation:
    """The kernel takes 256 tensors; on Ascend 950 at least one."""

    def bad(a: Arguments) -> Bad:
        least = 1 if a.soc.series is Series.A950 else 0
        return None if least <= len(a[first]) <= MOST else (f"{len(a[first])} tensors", f"{least} to {MOST}")

    return demand("{0} has at most 256 tensors", first, bad=bad, status=TILING)


def nothing(first: str) -> Relation:
    """A list without tensors leaves nothing to do."""
    return done(f"{first} has no tensors", first, when=lambda a: not a[first])


def foreach(
    module: str, name: str, *lists: str, formula: Callable[..., Array], doc: str, by: str = ""
) -> Operator:  # fmt: skip
    """An operator whose formula gets a tensor of each list, and the host scalar `by`, or that of its place in a list of
    scalars. `module`: the one that makes it."""
    first, *others = lists
    several = by == "scalars"

    def plan(p: Planning) -> None:
        given = zip(*(p.read_all(each) for each in lists), strict=True)
        for at, (out, members) in enumerate(zip(p["out"], given, strict=True)):
            x = members[0]
            if out.numel:
                scalar = (p[by][at], p[by][0].dtype) if several else (p[by], p[by].dtype) if by else None
                values = {"by": number(p, *scalar, x.dtype)} if scalar else {}
                p.put(out, p.builder.reshape(p.step(formula, members, x.shape, x.dtype, **values), out.shape), "out")

    plan.__doc__, plan.__module__ = doc, module
    return planned(
        name, generated(), counted(first), nothing(first), listed(first),
        *([same_length(by, first, TILING)] if several else []), *([type_rows((first, by), ROWS)] if by else []),
        uniform(first, status=TILING),
        *(same_dtype(each, as_=first) for each in (*others, "out")),
        *(same_length(each, first, TILING) for each in (*others, "out")),
        *(same_shapes(each, first, status=TILING) for each in others),
        ranks(first, least=0, most=8, status=TILING), as_many(first), ALL_EMPTY, may_be_in_place(),
    )(plan)  # fmt: skip


ALL_EMPTY: Final = done("all tensors of out are empty", "out", when=lambda a: not any(each.numel for each in a["out"]))


def number(p: Planning, scalar: Scalar, kind: int, dtype: int) -> Any:
    """The scalar as the kernel has it. The first scalar of a list has the data type of all."""
    whole = dtype == T.ACL_INT32
    try:
        value = scalar_as(scalar, T.ACL_INT64 if kind == T.ACL_INT64 else T.ACL_FLOAT)
    except TypeError as error:
        raise p.builder.failed(f"{error}.") from None
    return np.asarray(value).astype(np.int32 if whole else np.float32)[()]

"""GroupedMatmul: products of groups of rows, with a separate matrix for each group."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from aclnn.op import Kernel, Operand, Planning, Tensor, filled, is_nz, numpy_dtype, nz_to_nd, planned
from aclnn.ops.activation.smooth import fast_gelu_of, gelu_by_tanh, silu_of
from aclnn.ops.grouped._contract import contract
from aclnn.ops.grouped._family import (
    APART,
    GROUPS,
    INNER,
    OPTIONALS,
    Factors,
    count,
    group_type,
    kind,
    members,
    out_name,
    value,
)
from aclnn.ops.grouped._kernels import by_inner, check_groups, relu
from aclnn.ops.grouped._narrow import plan_floats, plan_int4
from aclnn.ops.grouped._plans import plan_groups
from aclnn.ops.matmul._kernels import multiply
from aclnn.ops.matmul._quantised_products import multiply_integers
from aclnn.ops.matmul._quantised_weights import multiply_quantised

ACTIVATIONS: Final = {1: relu, 2: gelu_by_tanh, 4: fast_gelu_of, 5: silu_of}
"""activations by actType"""
SHORT: Final = {
    "biasOptional": "bias", "scaleOptional": "scale", "antiquantScaleOptional": "antiquantScale",
    "antiquantOffsetOptional": "antiquantOffset", "perTokenScaleOptional": "pertoken",
}  # fmt: skip
"""the kernels' names of the optional lists"""


def matrix_kernel(p: Planning, names: tuple[str, ...]) -> tuple[Kernel, dict[str, Any]]:
    """The kernel of one product, and its attributes."""
    if kind(p) is Factors.FLOATS:
        return multiply, {}
    if kind(p) is Factors.INTEGERS:
        return multiply_integers, {"names": names, "activation": ACTIVATIONS.get(value(p, "actType"))}
    scales, weight = members(p, "antiquantScaleOptional")[0].shape, p["weight"][0].shape
    group = weight[-2] // scales[-2] if len(scales) == len(weight) else 0
    return multiply_quantised, {
        "names": names, "group": group, "dtype": numpy_dtype(p["x"][0].dtype), "swapped": (),
    }  # fmt: skip


def stacked(p: Planning) -> bool:
    """True if a single weight has the groups in its first dimension."""
    return len(p["weight"][0].shape) == 3


def operand_of(p: Planning, tensor: Tensor) -> Operand:
    """A view of a tensor; a weight in FRACTAL_NZ is converted to a dense matrix."""
    return nz_to_nd(p.builder, tensor) if is_nz(tensor) else p.builder.view(tensor)


def of_group(p: Planning, name: str, group: int) -> Operand:
    """The tensor of a group."""
    tensors = members(p, name)
    if not stacked(p):
        return operand_of(p, tensors[group if len(tensors) > 1 else 0])
    return operand_of(p, tensors[0]).at(0, group)


class GroupProduct(NamedTuple):
    """One product of a call whose groups are known in the first phase."""

    group: int
    x: Operand
    weight: Operand
    out: Operand


def products_of_call(p: Planning) -> Iterator[GroupProduct]:
    """The products of a call whose groups are an array, or the tensors of x."""
    x, out, split = p["x"], p[out_name(p)], group_type(p)
    ends = p[GROUPS].values if len(x) == 1 and split != APART else ()
    single, start = p.builder.view(x[0]), 0
    for index in range(len(ends) or len(x)):
        end = ends[index] if ends else start + x[index].shape[0]
        if split == INNER:
            weight = operand_of(p, p["weight"][0]).part(slice(start, end))
            yield GroupProduct(
                index, single.along(1, slice(start, end)), weight, p.builder.written(out[0]).at(0, index)
            )
        else:
            factor = single.part(slice(start, end)) if ends else p.builder.view(x[index])
            whole = p.builder.written(out[index if len(out) > 1 else 0])
            whole = whole if len(out) > 1 or split == APART else whole.part(slice(start, end))
            yield GroupProduct(index, factor, of_group(p, "weight", index), whole)
        start = end


def multiplied(p: Planning) -> None:
    """Plans the products."""
    if kind(p) is Factors.INT4:
        plan_int4(p)
        return
    if kind(p) is Factors.OTHER:
        plan_floats(p)
        return
    lists = [name for name in OPTIONALS if name in SHORT and members(p, name)]
    names = tuple(SHORT[name] for name in lists)
    kernel, attributes = matrix_kernel(p, names)
    x, out, split, groups = p["x"], p[out_name(p)], group_type(p), p[GROUPS]
    if split == APART or len(x) > 1 or not isinstance(groups, Tensor):
        for factors in products_of_call(p):
            if not factors.x.shape[-1]:
                p.builder.launch(filled, [], [factors.out], value=0.0, sizes=factors.out.shape)
            elif factors.out.shape[0]:
                others = [of_group(p, name, factors.group) for name in lists]
                p.builder.launch(kernel, [factors.x, factors.weight, *others], [factors.out], **attributes)
        return
    first, operand, list_type = p.builder.view(x[0]), p.builder.view(groups), value(p, "groupListType")
    if split == INNER:
        p.builder.launch(check_groups, [operand], [], name=GROUPS, kind=list_type, count=first.shape[1],
                         number=count(p))  # fmt: skip
        p.builder.launch(by_inner, [first, operand, operand_of(p, p["weight"][0])], [p.builder.written(out[0])],
                         kind=list_type)  # fmt: skip
        return
    tensors = {role: [operand_of(p, tensor) for tensor in members(p, name)]
               for role, name in zip(("weight", *names), ("weight", *lists), strict=True)}  # fmt: skip
    plan_groups(p, first, operand, tensors, list(map(p.builder.written, out)), kernel, attributes, name=GROUPS,
                kind=list_type, number=count(p))  # fmt: skip


@planned("aclnnGroupedMatmul", *contract("y", version=1))
def grouped_matmul(p: Planning) -> None:
    """y = x @ weight + bias for each group, with a separate weight for each. A group is a tensor of x, or the rows of x
    up to an end in groupList. Products of INT8 are scaled; a quantised weight is (weight + antiquantOffset) *
    antiquantScale"""
    multiplied(p)


@planned("aclnnGroupedMatmulV2", *contract("y", version=2))
def grouped_matmul_v2(p: Planning) -> None:
    """Like aclnnGroupedMatmul. groupType selects the dimension that is split into groups: -1 none, 0 the rows of x, 2
    the inner dimension; then each group has a separate result."""
    multiplied(p)


@planned("aclnnGroupedMatmulV3", *contract("y", version=3))
def grouped_matmul_v3(p: Planning) -> None:
    """Like aclnnGroupedMatmulV2; the ends of the groups are in a tensor. Rows of y behind the last end are not
    changed."""
    multiplied(p)


@planned("aclnnGroupedMatmulV4", *contract("out", version=4))
def grouped_matmul_v4(p: Planning) -> None:
    """Like aclnnGroupedMatmulV3. groupListType 1: groupList has the number of rows of each group; 2: pairs of a group
    and its number of rows. Products of INT8 have a scale for each row, perTokenScale, and an activation. INT8 beside a
    weight of INT4: ((x - 8) @ (weight * scale) + bias) * perTokenScale. FLOAT8_E8M0 scales multiply blocks of 32."""
    multiplied(p)


@planned("aclnnGroupedMatmulV5", *contract("out", version=5))
def grouped_matmul_v5(p: Planning) -> None:
    """Like aclnnGroupedMatmulV4; tuningConfig has no effect."""
    multiplied(p)


@planned("aclnnGroupedMatmulWeightNz", *contract("out", version=5, nz=True))
def grouped_matmul_weight_nz(p: Planning) -> None:
    """Like aclnnGroupedMatmulV5, with weights in FRACTAL_NZ; quantGroupSize has no effect."""
    multiplied(p)

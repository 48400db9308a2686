"""FlatQuant: each matrix is multiplied by two others, and quantised with one scale, or in MX blocks."""

from typing import Final

import numpy as np

from aclnn.op import (
    Arguments, Array, Bad, DataTypes, Operand, Planning, Relation, Series, Shape, T, demand, in_memory, in_parts,
    listed, matmul, nibbles, one_of, only_if, planned, public_format, ranks, same_dtype, shape, with_elements,
)  # fmt: skip
from aclnn.op import ACLNN_ERR_PARAM_INVALID as INVALID
from aclnn.ops.blocks._contract import greatest, scale_shape, store_blocks
from aclnn.ops.blocks._grids import Rule
from aclnn.ops.grouped._family import COUNTS, ENDS, SPARSE
from aclnn.ops.grouped._kernels import check_groups, parts
from aclnn.ops.quantisation._family import CARRIED, carried

LEFT, RIGHT, GROUPS, SCALE = "kroneckerP1", "kroneckerP2", "groupListOptional", "quantScale"
MOST_MATRICES, LONGEST, MOST_GROUPS = 262144, 256, 1024
TOP: Final = 7
"""the greatest number of INT4"""
RESULTS: Final = DataTypes((T.ACL_INT4, T.ACL_INT32), {Series.A950: (T.ACL_FLOAT4_E2M1,)})
SCALES: Final = DataTypes((T.ACL_FLOAT,), {Series.A950: (T.ACL_FLOAT8_E8M0,)})


def floats(a: Arguments) -> bool:
    return a.dtype("out") == T.ACL_FLOAT4_E2M1


def left_only(a: Arguments) -> bool:
    """True if there is no right factor."""
    return floats(a) and a.shape(RIGHT) == (0, 0)


def wrong_sizes(a: Arguments) -> Bad:
    count, rows, columns = a.shape("x")
    unit = CARRIED if a.dtype("out") == T.ACL_INT32 else 2
    good = count <= MOST_MATRICES and max(rows, columns) <= LONGEST and columns % unit == 0
    return None if good else (list(a.shape("x")), f"[{MOST_MATRICES}, {LONGEST}, {LONGEST}], with pairs or eights")


def square(name: str, dim: int) -> Relation:
    def whole(a: Arguments) -> Shape:
        size = a.shape("x")[dim]
        return (0, 0) if name == RIGHT and left_only(a) else (size, size)

    return shape(name, f"{{0}} has the size of dimension {dim} of x", whole)


def flat(a: Arguments) -> Shape:
    count, rows, columns = a.shape("x")
    return count, rows * columns


def out_shape(a: Arguments) -> Shape:
    count, rows, columns = a.shape("x")
    if floats(a):
        return flat(a)
    return count, rows, columns // CARRIED if a.dtype("out") == T.ACL_INT32 else columns


def scales(a: Arguments) -> Shape:
    return scale_shape(flat(a), -1, 32) if floats(a) else a.shape("x")[:1]


def other_scale(a: Arguments) -> Bad:
    right = a.dtype(SCALE) == (T.ACL_FLOAT8_E8M0 if floats(a) else T.ACL_FLOAT)
    return None if right else (a.type_name(SCALE), "FLOAT8_E8M0 with FLOAT4_E2M1, else FLOAT")


def wrong_ratio(a: Arguments) -> Bad:
    return None if 0 < a["clipRatio"] <= 1 else (a["clipRatio"], "above 0, at most 1")


def contract(*besides: Relation) -> tuple[Relation, ...]:
    return (
        nibbles("out"), listed("x", LEFT, RIGHT), listed("out", among=RESULTS), listed(SCALE, among=SCALES),
        same_dtype(LEFT, "x"), same_dtype(RIGHT, "x"),
        demand("{0} has the data type that that of {1} needs", SCALE, "out", bad=other_scale),
        ranks("x", LEFT, RIGHT), with_elements("x"),
        demand("the sizes of {0} are ones that the kernel has", "x", "out", bad=wrong_sizes), square(LEFT, 1),
        square(RIGHT, 2), shape(SCALE, "{0} has a scale for each matrix of x, or the pairs of MX", scales),
        shape("out", "{0} has the shape of x, as INT32 an eighth of its last dimension", out_shape),
        public_format("x", LEFT, RIGHT, "out", SCALE), *besides,
        demand("{0} is above 0, and at most 1", "clipRatio", bad=wrong_ratio),
    )  # fmt: skip


def plan(p: Planning, most: float = 0) -> None:
    x = p.read("x")
    factors = [p.read(LEFT), *([] if left_only(p) else [p.read(RIGHT)])]
    products = p.step(between, [x, *factors], x.shape, x.dtype)
    if floats(p):
        store_blocks(p, p.builder.reshape(products, flat(p)), "out", SCALE, axis=-1, rule=Rule(2 if most else 0, most))
        return
    y, scale = p.steps(clipped, [products], [(x.shape, T.ACL_INT4), ((x.shape[0], 1, 1), T.ACL_FLOAT)],
                       ratio=p["clipRatio"])  # fmt: skip
    if p.dtype("out") == T.ACL_INT32:
        y = p.step(carried, [y], out_shape(p), T.ACL_INT32, sizes=out_shape(p))
    store(p, "out", y)
    store(p, SCALE, p.builder.reshape(scale, x.shape[:1]))


def store(p: Planning, name: str, result: Operand) -> None:
    """Stores the rows of the groups; without groups all."""
    if p.has(GROUPS) and p.given(GROUPS):
        kind = p["groupListType"]
        p.builder.launch(rows_of_groups, [result, p.read(GROUPS)], [p.builder.written(p[name])], kind=kind)
    else:
        p.store(name, result)


@in_parts([-1, -2], whole=[1, 2])
def between(x: Array, left: Array, *right: Array) -> Array:
    for factor in right:
        x = matmul(x, factor)
    return matmul(np.broadcast_to(left, (len(x), *left.shape)), x)


@in_parts([-1, -2])
def clipped(x: Array, *, ratio: float) -> tuple[Array, Array]:
    """INT4, and the scale of each matrix: its largest magnitude times the ratio / 7. Larger numbers saturate."""
    largest = np.abs(x).max((1, 2), keepdims=True)
    divisor: Array = np.where(largest == 0, np.float32(1 / ratio), largest)
    factor: Array = np.divide(np.float32(TOP / ratio), divisor)
    numbers = np.clip(np.rint(x * factor), np.float32(-TOP - 1), np.float32(TOP))
    return numbers, largest * np.float32(ratio) / np.float32(TOP)


@in_memory
def rows_of_groups(result: Array, groups: Array, *, out: Array, kind: int) -> None:
    """Other rows keep their values."""
    for _, start, end in parts(groups, kind, len(out)):
        out[start:end] = result[start:end]


@planned("aclnnFlatQuant", *contract())
def flat_quant(p: Planning) -> None:
    """z = kroneckerP1 @ x @ kroneckerP2 of each matrix, rounded to the data type of x. INT4: quantScale = max|z| *
    clipRatio / 7, and out = z / quantScale, rounded half to even and saturated; INT32 has eight INT4. FLOAT4_E2M1:
    aclnnDynamicMxQuant of all elements of a matrix, in blocks of 32, with scaleAlg 0."""
    plan(p)


GREATEST = greatest("dstTypeMax", status=INVALID)


@planned("aclnnFlatQuantV2", *contract(), GREATEST)
def flat_quant_v2(p: Planning) -> None:
    """Like aclnnFlatQuant. With dstTypeMax, FLOAT4_E2M1 has scaleAlg 2 of aclnnDynamicMxQuantV2."""
    plan(p, p["dstTypeMax"])


def too_many(a: Arguments) -> Bad:
    count = a[GROUPS].numel
    return None if count <= MOST_GROUPS else (f"{count} numbers", f"at most {MOST_GROUPS}")


def needless(a: Arguments) -> Bad:
    return ("a tensor", "null on Ascend 950") if a.soc.series is Series.A950 else None


def with_groups(a: Arguments) -> bool:
    return a.given(GROUPS)


@planned(
    "aclnnFlatQuantV3",
    *contract(listed(GROUPS), ranks(GROUPS),
              only_if("groups are given", with_groups, one_of("groupListType", ENDS, COUNTS, SPARSE)),
              demand(f"{{0}} has at most {MOST_GROUPS} numbers", GROUPS, bad=too_many, provenance="public"),
              demand("{0} is null on Ascend 950", GROUPS, bad=needless)), GREATEST,
)  # fmt: skip
def flat_quant_v3(p: Planning) -> None:
    """Like aclnnFlatQuantV2. Matrices behind the last group are not written. groupListType: 0 for the end of each
    group, 1 for its number of matrices, 2 for pairs of a group and its number of matrices."""
    if with_groups(p):
        groups = p.read(GROUPS)
        p.builder.launch(check_groups, [groups], [], name=GROUPS, kind=p["groupListType"], count=p.shape("x")[0],
                         number=groups.shape[0])  # fmt: skip
    plan(p, p["dstTypeMax"])

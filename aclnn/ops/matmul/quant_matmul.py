"""QuantMatmulV3, V4, V5 and WeightNz: scaled products of INT8 or INT4."""

from typing import Final

from aclnn.op import (
    ACLNN_ERR_PARAM_INVALID, Arguments, Bad, DataTypes, Operand, Planning, Series, T, demand, is_nz, lacks, listed,
    one_of, only_if, only_on, planned,
)  # fmt: skip
from aclnn.ops.matmul._family import as_int4, swapped
from aclnn.ops.matmul._quant_contract import (
    INT4,
    INT8,
    INT32,
    PER_TOKEN,
    V5_NAMES,
    called,
    contract,
    matrix,
    packed,
    per_token,
    result,
)
from aclnn.ops.matmul._quant_forms import MIXED, SMALL_FORMS, is_mixed, unused
from aclnn.ops.matmul._quantised_products import multiply_integers
from aclnn.ops.matmul.weights_nz import in_nz, right_size


def operand(p: Planning, name: str) -> Operand:
    """A factor as a view of its memory, transposed if its flag is set."""
    tensor = p[name]
    if packed(p, name):
        if not tensor.contiguous and not is_nz(tensor):
            raise p.builder.failed(f"{name} with strides {list(tensor.strides)} is not supported.")
        values = as_int4(p.read(name, nz=True) if is_nz(tensor) else p.builder.view(tensor))
        if p[f"transpose{name.upper()}"]:
            values = p.step(unpacked, [values], values.shape, INT8, moves=True)
    else:
        values = p.read(name, nz=True) if is_nz(tensor) else p.builder.view(tensor)
    return swapped(values) if p[f"transpose{name.upper()}"] else values


def unpacked(values: object) -> object:
    """INT4 as INT8."""
    return values


def multiplied(p: Planning) -> None:
    names = {"scale": called(p, "scale"), "offset": called(p, "offset"), "bias": "bias"}
    names |= {"pertoken": called(p, PER_TOKEN)} if per_token(p) else {}
    if p.dtype("out") == INT32:
        del names["scale"]
    present = {short: name for short, name in names.items() if p.given(name)}
    factors = [operand(p, "x1"), operand(p, "x2")]
    shape = result(p) or ()
    product = p.step(
        multiply_integers, [*factors, *map(p.read, present.values())], shape, p.dtype("out"), names=tuple(present)
    )
    p.store("out", p.builder.reshape(product, p.shape("out")))


@planned("aclnnQuantMatmulV3", *contract(of_rows=False))
def quant_matmul_v3(p: Planning) -> None:
    """out = (x1 @ x2 + bias) * scale + offset, where a bias of floats is added last. An INT32 out is not scaled."""
    multiplied(p)


@planned("aclnnQuantMatmulV4", *contract(of_rows=True))
def quant_matmul_v4(p: Planning) -> None:
    """out = (x1 @ x2 + bias) * scale * pertokenScale + offset, where a bias of floats is added last. An INT32 out is
    not scaled."""
    multiplied(p)


# the fifth version


def of_floats(a: Arguments) -> bool:
    return not {a.dtype("x1"), a.dtype("x2")} <= {INT8, INT4, INT32}


def in_groups(a: Arguments) -> bool:
    """True if both factors are INT4, and each group of rows of the weight has a scale."""
    if of_floats(a) or a.rank("x2Scale") < 2 or a.rank("x2") < 2:
        return False
    offset, (k, n) = a.given("x2Offset") and a.dtype("x2Offset") == T.ACL_FLOAT16, matrix(a, "x2")
    return packed(a, "x2") and packed(a, "x1") and offset and k % 1024 == n % 256 == 0 < k


def in_blocks(a: Arguments) -> bool:
    """True if both factors are INT8, and each block has a scale."""
    if of_floats(a) or a.rank("x2Scale") < 2 or a.rank("x2") < 2:
        return False
    token, (k, n) = a.given("x1Scale") and a.rank("x1Scale") > 1, matrix(a, "x2")
    return a.dtype("x1") == INT8 and not packed(a, "x2") and token and k % 512 == n % 256 == 0 < k


OTHER_FORMS: Final = (
    lacks("factors of floats", of_floats), lacks("INT8 beside a weight of INT4 and yOffset", is_mixed),
    lacks("INT4 and scales of groups", in_groups), lacks("INT8 and scales of blocks", in_blocks),
)  # fmt: skip


def other_form(a: Arguments) -> bool:
    """True if the product has scales of groups or blocks, or floats of 8 bits or less."""
    return any(form(a) for form in (of_floats, is_mixed, in_groups, in_blocks))


def plain(a: Arguments) -> bool:
    return not other_form(a)


def nz_on_950(a: Arguments) -> Bad:
    return ("FRACTAL_NZ", "ND") if is_nz(a["x2"]) else None


FIFTH: Final = contract(of_rows=True, names=V5_NAMES)


@planned(
    "aclnnQuantMatmulV5", *OTHER_FORMS, only_on(Series.A950, demand("{0} is not in FRACTAL_NZ", "x2", bad=nz_on_950)),
    unused("x1Offset"), FIFTH[0], listed("x1", "x2", "x2Scale", "out"),
    only_if("scales are those of columns and rows", plain, unused("yScale"), unused("yOffset"),
            only_on(Series.A950, one_of("groupSize", 0)), *FIFTH[1:]),
    MIXED, *SMALL_FORMS,
)  # fmt: skip
def quant_matmul_v5(p: Planning) -> None:
    """out = (x1 @ x2 + bias) * x2Scale * x1Scale + x2Offset, where a bias of floats is added last. An INT32 out is not
    scaled."""
    multiplied(p)


SMALL_FLOATS: Final = (T.ACL_HIFLOAT8, T.ACL_FLOAT8_E4M3FN, T.ACL_FLOAT4_E2M1)
X1_TYPES: Final = DataTypes((INT8, INT4), {Series.A950: SMALL_FLOATS})
X2_TYPES: Final = DataTypes((INT8, INT4, INT32), {Series.A950: (*SMALL_FLOATS, T.ACL_FLOAT)})


@planned(
    "aclnnQuantMatmulWeightNz", *OTHER_FORMS, FIFTH[0], in_nz("x2"),
    *(unused(name, ACLNN_ERR_PARAM_INVALID) for name in ("yScale", "x1Offset", "yOffset")),
    listed("x1", among=X1_TYPES), listed("x2", among=X2_TYPES), listed("x2Scale", "out"), right_size("x2"),
    only_if("scales are those of columns and rows", plain, *FIFTH[1:]),
)  # fmt: skip
def quant_matmul_weight_nz(p: Planning) -> None:
    """Like aclnnQuantMatmulV5, where x2 is in FRACTAL_NZ"""
    multiplied(p)

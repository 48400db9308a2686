"""QuantMatmulV3, V4, V5 and WeightNz: scaled products of integers, or of floats of 8 bits or less."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from aclnn.op import (
    ACLNN_ERR_PARAM_INVALID, Arguments, Bad, DataTypes, Kernel, Operand, Planning, Series, T, demand, is_nz, lacks,
    listed, nibbles, one_of, only_if, only_on, planned,
)  # fmt: skip
from aclnn.ops.matmul._block_products import MIDDLE, multiply_in_blocks
from aclnn.ops.matmul._family import as_int4, swapped
from aclnn.ops.matmul._kernels import multiply
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
from aclnn.ops.matmul._quant_floats import FLOAT4, SMALL_FORMS, in_floats_of_blocks, is_narrow, shares
from aclnn.ops.matmul._quant_forms import (
    BLOCKS, GROUP, GROUPS, MIXED, block_sizes, in_blocks_of_int8, in_groups, in_groups_of_int4, is_mixed, of_floats,
    unused,
)  # fmt: skip
from aclnn.ops.matmul._quantised_products import multiply_floats, multiply_integers
from aclnn.ops.matmul._shared_scales import with_shared_scales
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


def multiplied(
    p: Planning, present: Mapping[str, str] | None = None, kernel: Kernel = multiply_integers
) -> None:  # fmt: skip
    """Plans a product whose scales belong to rows and columns. `present`: tensors by their roles."""
    present = present_tensors(p) if present is None else present
    factors = [operand(p, "x1"), operand(p, "x2")]
    shape = result(p) or ()
    product = p.step(kernel, [*factors, *map(p.read, present.values())], shape, p.dtype("out"), names=tuple(present))
    p.store("out", p.builder.reshape(product, p.shape("out")))


def present_tensors(p: Planning) -> dict[str, str]:
    """The small tensors of a product of integers, by their roles."""
    names = {"scale": called(p, "scale"), "offset": called(p, "offset"), "bias": "bias"}
    names |= {"pertoken": called(p, PER_TOKEN)} if per_token(p) else {}
    if p.dtype("out") == INT32:
        del names["scale"]
    return given(p, names)


def given(p: Planning, names: Mapping[str, str]) -> dict[str, str]:
    """The tensors that are given, by their roles."""
    return {short: name for short, name in names.items() if p.given(name)}


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


def in_narrow_groups(a: Arguments) -> bool:
    return is_narrow(a) and not shares(a)


def into_integers(a: Arguments) -> bool:
    return of_floats(a) and a.dtype("out") in (INT8, INT32)


def in_form(p: Planning) -> None:
    """Plans the product in the form that the data types and scales name."""
    if of_floats(p):
        of_narrow_floats(p)
    elif is_mixed(p):
        size = GROUP if in_groups(p) else matrix(p, "x2")[0]
        in_blocks(p, {"columns": "x2Scale", "plus": "yOffset", "pertoken": "x1Scale"}, size, middle=MIDDLE)
    elif in_groups_of_int4(p):
        in_blocks(p, {"columns": "x2Scale", "zero": "x2Offset", "pertoken": "x1Scale"}, GROUP)
    elif in_blocks_of_int8(p):
        in_square_blocks(p)
    else:
        multiplied(p)


def in_square_blocks(p: Planning) -> None:
    rows, columns, inner = block_sizes(p)
    in_blocks(p, {"rows": "x1Scale", "columns": "x2Scale", "bias": "bias"}, inner, shared=(rows, columns))


def in_blocks(p: Planning, names: Mapping[str, str], size: int, **attributes: Any) -> None:
    """Plans a product whose scales belong to blocks of `size` elements."""
    present = given(p, names)
    tensors = [scales_in_order(p, name) for name in present.values()]
    factors = [operand(p, "x1"), operand(p, "x2")]
    product = p.step(multiply_in_blocks, [*factors, *tensors], result(p) or (), p.dtype("out"), names=tuple(present),
                     size=size, **attributes)  # fmt: skip
    p.store("out", p.builder.reshape(product, p.shape("out")))


def scales_in_order(p: Planning, name: str) -> Operand:
    """A small tensor; scales of blocks have the dimensions of a product without transposition."""
    tensor, factor = p.read(name), name[:2].upper()
    turned = name in ("x1Scale", "x2Scale", "x2Offset") and p[f"transpose{factor}"] and len(tensor.shape) > 1
    return swapped(tensor) if turned else tensor


def of_narrow_floats(p: Planning) -> None:
    if shares(p):
        factors = [with_shared_scales(p, name, narrow(p, name), f"{name}Scale") for name in ("x1", "x2")]
        bias = [p.read("bias")] if p.given("bias") else []
        product = p.step(multiply, [*factors, *bias], result(p) or (), p.dtype("out"))
        p.store("out", p.builder.reshape(product, p.shape("out")))
    elif in_floats_of_blocks(p):
        in_square_blocks(p)
    else:
        names = {"scale": "x2Scale", "pertoken": "x1Scale", "bias": "bias"}
        multiplied(p, given(p, names), multiply_floats)


def narrow(p: Planning, name: str) -> Operand:
    """A factor whose elements are in order. Floats of 4 bits are read as bits."""
    tensor = p[name]
    if is_nz(tensor):
        return p.read(name, nz=True)
    return replace(p.nibbles(name), dtype=tensor.dtype) if tensor.dtype == FLOAT4 else p.read(name)


OTHER_FORMS: Final = (
    lacks("groups of floats of 4 bits whose scales have 16 bits", in_narrow_groups),
    lacks("factors of floats and a result of integers", into_integers),
)  # fmt: skip


def other_form(a: Arguments) -> bool:
    """True if the product has scales of groups or blocks, or floats of 8 bits or less."""
    return any(form(a) for form in (of_floats, is_mixed, in_groups_of_int4, in_blocks_of_int8))


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
    nibbles("x1", "x2"), MIXED, GROUPS, BLOCKS, *SMALL_FORMS,
)  # fmt: skip
def quant_matmul_v5(p: Planning) -> None:
    """out = (x1 @ x2 + bias) * x2Scale * x1Scale + x2Offset, where a bias of floats is added last. An INT32 out is not
    scaled. Scales of blocks or groups multiply the sums of their elements. INT8 beside a weight of INT4:
    out = ((x1 - 8) @ (x2 * x2Scale) + yOffset) * x1Scale. Groups of INT4: x2Offset is subtracted from x2."""
    in_form(p)


SMALL_FLOATS: Final = (T.ACL_HIFLOAT8, T.ACL_FLOAT8_E4M3FN, T.ACL_FLOAT4_E2M1)
X1_TYPES: Final = DataTypes((INT8, INT4), {Series.A950: SMALL_FLOATS})
X2_TYPES: Final = DataTypes((INT8, INT4, INT32), {Series.A950: (*SMALL_FLOATS, T.ACL_FLOAT)})


@planned(
    "aclnnQuantMatmulWeightNz", *OTHER_FORMS,
    lacks("a weight of FLOAT, each with eight floats of 4 bits", lambda a: a.dtype("x2") == T.ACL_FLOAT), FIFTH[0],
    in_nz("x2"),
    *(unused(name, ACLNN_ERR_PARAM_INVALID) for name in ("yScale", "x1Offset", "yOffset")),
    listed("x1", among=X1_TYPES), listed("x2", among=X2_TYPES), listed("x2Scale", "out"), right_size("x2"),
    only_if("scales are those of columns and rows", plain, *FIFTH[1:]), nibbles("x1", "x2"), GROUPS, BLOCKS,
    *SMALL_FORMS,
)  # fmt: skip
def quant_matmul_weight_nz(p: Planning) -> None:
    """Like aclnnQuantMatmulV5, where x2 is in FRACTAL_NZ"""
    in_form(p)

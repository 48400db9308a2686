"""The contract of GroupedMatmul: checks of its lists of tensors, in the order of the library."""

from math import prod
from typing import Final, NamedTuple

from aclnn.op import (
    ACLNN_ERR_PARAM_NULLPTR, Arguments, Bad, Relation, Series, demand, done, dtype_name, format_name, is_nz, lacks,
    listed, nibbles, one_of, only_if, stands_for_null, stored_as, uniform, with_tensors,
)  # fmt: skip
from aclnn.ops.grouped import _narrow
from aclnn.ops.grouped._family import (
    APART,
    BF16,
    FLOAT,
    HALF,
    INNER,
    INT8,
    INT32,
    OPTIONALS,
    ROWS,
    SPARSE,
    Factors,
    group_type,
    kind,
    members,
    out_name,
    packed,
    value,
)
from aclnn.ops.grouped._shapes import (
    MOST_TENSORS,
    groups,
    wrong_columns,
    wrong_group_of_rows,
    wrong_lists,
    wrong_rows,
    wrong_sizes,
)
from aclnn.ops.matmul._family import PACKED_SCALES

BLOCK: Final = 16
"""the smallest number of columns in a block of FRACTAL_NZ"""
SINGLE: Final = (2, 3)
"""the values of splitItem for which the result is a single tensor"""
RESERVED: Final = (
    "activationInputOptional", "activationQuantScaleOptional", "activationQuantOffsetOptional",
    "activationFeatureOutOptional", "dynQuantScaleOutOptional",
)  # fmt: skip


class Scaled(NamedTuple):
    """A combination of data types for a product of INT8."""

    scale: tuple[int, ...]
    bias: tuple[int, ...]
    out: int
    per_token: bool
    """True if there may be a scale for each row"""


SCALED: Final = (
    Scaled(PACKED_SCALES, (INT32,), INT8, False), Scaled((BF16, FLOAT), (INT32, BF16), BF16, True),
    Scaled((FLOAT,), (INT32,), HALF, True), Scaled((), (INT32,), INT32, False),
)  # fmt: skip


def few_tensors(name: str) -> Relation:
    def bad(a: Arguments) -> Bad:
        return None if len(a[name]) <= MOST_TENSORS else (f"{len(a[name])} tensors", f"at most {MOST_TENSORS}")

    return demand("{0} has at most 128 tensors", name, bad=bad)


def is_null(name: str) -> Relation:
    """Checks that a reserved list is null. A list of one tensor with the shape (0) counts as null."""

    def bad(a: Arguments) -> Bad:
        return ("a list", "null") if members(a, name) else None

    return demand("{0} is null", name, bad=bad)


def wrong_split(a: Arguments) -> Bad:
    separate = a.has("groupType") and a["groupType"] == APART
    return (a["splitItem"], "0 or 1 with groupType -1") if separate and a["splitItem"] in SINGLE else None


def wrong_types(a: Arguments) -> Bad:
    """Checks that the data types are a row of the document's table."""
    product = kind(a)
    dtypes = {name: members(a, name)[0].dtype for name in OPTIONALS if members(a, name)}
    bias, out = dtypes.get(OPTIONALS[0]), a[out_name(a)][0].dtype
    x = a["x"][0].dtype
    wide = FLOAT if x == BF16 else x
    antiquant = [dtypes.get(name) for name in OPTIONALS[3:5]]
    if product in (Factors.INT4, Factors.OTHER):
        fine = True
    elif product is Factors.FLOATS:
        fine = (
            set(dtypes) <= {OPTIONALS[0]} and bias in (None, wide) and out == x and (x != FLOAT or a.has("groupType"))
        )
    elif product is Factors.ANTIQUANT:
        whole = antiquant == [x, x] or (antiquant == [x, None] and a.soc.series is Series.A950)
        fine = whole and set(dtypes) <= {OPTIONALS[0], *OPTIONALS[3:5]} and bias in (None, wide) and out == x
    else:
        fine = product is Factors.INTEGERS and antiquant == [None, None] and "offsetOptional" not in dtypes
        fine = fine and any(
            (dtypes["scaleOptional"] in row.scale if "scaleOptional" in dtypes else not row.scale)
            and bias in (None, *row.bias) and out == row.out and (row.per_token or OPTIONALS[5] not in dtypes)
            for row in SCALED
        )  # fmt: skip
    names = {"x": x, "weight": a["weight"][0].dtype, **dtypes, out_name(a): out}
    description = ", ".join(f"{name} {dtype_name(key)}" for name, key in names.items())
    return None if fine else (description, "a row of the table of data types")


def wrong_310p(a: Arguments) -> Bad:
    lists = ("x", "weight", out_name(a))
    fine = a["groupType"] == ROWS and all(len(a[name]) == 1 and a[name][0].dtype == HALF for name in lists)
    plain = fine and not value(a, "actType")
    return None if plain or a.soc.series is not Series.INFERENCE else ("another product", "a single FLOAT16")


def wrong_activation(a: Arguments) -> Bad:
    activation = value(a, "actType")
    return (activation, "0, except for products of INT8") if activation and kind(a) is not Factors.INTEGERS else None


def wrong_sparse(a: Arguments) -> Bad:
    good = a.soc.series in (Series.A2, Series.A3) and a["groupType"] == ROWS
    return None if good or a["groupListType"] != SPARSE else (SPARSE, "0 or 1, except on A2 and A3 with groupType 0")


def wrong_inner(a: Arguments) -> Bad:
    """Checks that the inner dimension is split only for floats without quantisation."""
    present = [name for name in OPTIONALS if members(a, name)]
    bad = group_type(a) == INNER and (kind(a) not in (Factors.FLOATS, Factors.OTHER) or present)
    return ("groupType 2 with a bias or quantised factors", "floats without bias") if bad else None


def wrong_storage(a: Arguments) -> Bad:
    for weight in a["weight"]:
        if not is_nz(weight):
            return format_name(weight.storage_format), "FRACTAL_NZ"
        if len(weight.shape) >= 2 and prod(weight.storage_shape) != prod(stored_as(weight).storage_shape):
            return list(weight.storage_shape), f"{list(stored_as(weight).storage_shape)}, with as many elements"
    return None


def part_block(a: Arguments) -> Bad:
    """Checks that the columns of a weight in FRACTAL_NZ fill whole blocks."""
    for weight in a["weight"]:
        if is_nz(weight) and weight.shape and weight.shape[-1] % BLOCK and not packed(a):
            return list(weight.shape), f"a multiple of {BLOCK} columns"
    return None


def activated_integers(a: Arguments) -> bool:
    return bool(a["actType"]) and a[out_name(a)][0].dtype == INT32


LACKS: Final = (
    *_narrow.LACKS,
    lacks("an activation of an INT32 result", activated_integers),
)  # fmt: skip


def contract(out: str, *, version: int, nz: bool = False) -> tuple[Relation, ...]:
    """The relations of a version. `out`: the list of results; `nz`: True if the weights are in FRACTAL_NZ."""
    lists = OPTIONALS if version >= 4 else OPTIONALS[:5]
    numbers = (one_of("splitItem", 0, 1, 2, 3),)
    if version >= 2:
        numbers += (one_of("groupType", APART, ROWS, INNER),
                    demand("{0} fits groupType", "splitItem", "x", bad=wrong_split))  # fmt: skip
    if version >= 4:
        numbers += (one_of("groupListType", 0, 1, SPARSE), one_of("actType", 0, 1, 2, 4, 5),
                    demand("{0} is 2 only on some products", "groupListType", "x", bad=wrong_sparse,
                           broken="{0} is 2 on a product that does not support it"))  # fmt: skip
    first = () if version < 3 else (demand("310P can compute the product of {0}", "x", "weight", bad=wrong_310p),)
    shapes = (
        demand("{0}, weight and the results have as many tensors as there are groups", "x", "weight", bad=wrong_lists),
        demand("groups along the inner dimension of {0} are of floats", "x", bad=wrong_inner),
        groups(),
        demand("the columns of {0} in FRACTAL_NZ are whole blocks", "weight", bad=part_block, provenance="public"),
        demand("{0}, weight and the results fit", "x", "weight", bad=wrong_sizes),
        *(wrong_columns(name) for name in lists if name in (OPTIONALS[0], OPTIONALS[1], *OPTIONALS[3:5])),
        demand("{0} and antiquantOffsetOptional fit", OPTIONALS[3], "weight", bad=wrong_group_of_rows),
        *([demand("{0} has a value for each row of x", OPTIONALS[5], "x", bad=wrong_rows)] if version >= 4 else []),
        done("all tensors of x are empty", "x", when=lambda a: not any(tensor.numel for tensor in a["x"])),
    )  # fmt: skip
    if nz:
        stored = demand("the tensors of {0} are in FRACTAL_NZ", "weight", bad=wrong_storage)
        shapes = (stored, only_if("no tensor has eight INT4 in an INT32", lambda a: not packed(a), *shapes[:-1]),
                  shapes[-1])  # fmt: skip
    return (
        *(LACKS if version >= 4 else ()),
        *(with_tensors(name, status=ACLNN_ERR_PARAM_NULLPTR) for name in ("x", "weight", out)),
        *map(few_tensors, ("x", "weight", out)),
        listed("x", "weight", out), listed(*lists, unless=stands_for_null), uniform("x"), uniform("weight"), *numbers,
        *map(is_null, RESERVED if version >= 4 else ()), *first,
        demand("the data types of {0}, weight and the other tensors fit each other", "x", "weight", bad=wrong_types),
        *([demand("{0} is for products of INT8", "actType", "x", bad=wrong_activation)] if version >= 4 else []),
        *shapes[:-1], *(_narrow.CONTRACT if version >= 4 else ()), shapes[-1],
        *((nibbles("x", "weight"),) if version >= 4 else ()),
    )  # fmt: skip

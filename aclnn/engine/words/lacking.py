"""Calls that an operator with a formula does not compute: their launch returns 561003. Help, pages, `aclnn ops` and
`aclnn explain` list these calls.

There are two kinds. The declaration names some calls (`aclnn.engine.words.values.lacks`). The others have a tensor of a
data type for which numpy and ml_dtypes have no numbers, such as HIFLOAT8.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from acl_runtime.headers.dtype_names import dtype_name
from acl_runtime.headers.enums import aclDataType
from acl_runtime.objects.soc import Series
from aclnn.catalogue.products import short_name
from aclnn.engine.declaration import Op
from aclnn.engine.parameters import DataTypes, Elements
from aclnn.engine.plan import has_numbers

EVERY: Final = tuple(aclDataType)
"""the data types of a tensor whose document lists none"""
_FLOATS_OF_4_BITS: Final = (aclDataType.ACL_FLOAT4_E2M1, aclDataType.ACL_FLOAT4_E1M2)
Types = Mapping[Series, tuple[int, ...]]
"""data types by product"""


def lacking(op: type[Op]) -> list[str]:
    """The calls that an operator does not compute. Each text continues "aclnnFoo with"."""
    return [*(lack.calls for lack in op.lacks), *_in_words(op)] if op.has_kernel else []


def without_numbers(op: type[Op]) -> dict[str, Types]:
    """The data types without numbers that each parameter may have, by name and product. A check may have its own list
    of data types. Tensors without a list in the document are left out."""
    if op.moves_bytes:
        return {}
    lists = {param.printed: param.dtypes for param in op.params if isinstance(param, Elements)}
    for check in op.checks:
        if isinstance(dtypes := getattr(check, "dtypes", None), DataTypes):
            lists[check.params[0].printed] = dtypes
    if op.from_facts:
        lists = {name: dtypes for name, dtypes in lists.items() if dtypes.on(op.series[0]) != EVERY}
    computed = {name: _FLOATS_OF_4_BITS if name in op.nibbles else () for name in lists}
    unsupported = {
        name: {
            on: tuple(dtype for dtype in dtypes.on(on) if not has_numbers(dtype) and dtype not in computed[name])
            for on in op.series
        }
        for name, dtypes in lists.items()
    }
    return {name: types for name, types in unsupported.items() if any(types.values())}


def is_listed(op: type[Op], dtype: int, series: Series) -> bool:
    """True if the data type has no numbers here and a parameter lists it on this product."""
    return any(dtype in types[series] for types in without_numbers(op).values())


def _in_words(op: type[Op]) -> Iterator[str]:
    """`HIFLOAT8 in x or y on 950`: parameters with the same data types on the same products share a line."""
    names: dict[tuple[tuple[str, ...], tuple[Series, ...]], list[str]] = {}
    for name, by_product in without_numbers(op).items():
        series: dict[tuple[str, ...], list[Series]] = {}
        for on, dtypes in by_product.items():
            series.setdefault(tuple(dtype_name(dtype).removeprefix("DT_") for dtype in dtypes), []).append(on)
        for types, products in series.items():
            if types:
                names.setdefault((types, tuple(products)), []).append(name)
    for (types, products), listed in names.items():
        on = "" if products == op.series else f" on {', '.join(map(short_name, products))}"
        yield f"{' or '.join(types)} in {', '.join(listed)}{on}"

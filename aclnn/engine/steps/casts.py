"""The Cast step of the library: its data types, and its kernel."""

from typing import Final

from acl_runtime.headers.dtypes import Array
from acl_runtime.headers.enums import aclDataType
from acl_runtime.objects.soc import Series
from aclnn.engine.numbers.casting import cast_to
from aclnn.engine.numbers.promotion import is_integer
from aclnn.engine.plan import TILED
from aclnn.engine.steps.parts import in_parts

CASTABLE: Final = frozenset({0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 16, 17, 27})
"""data types that the Cast step can read and produce"""
CASTABLE_950: Final = CASTABLE | {
    aclDataType.ACL_FLOAT8_E5M2, aclDataType.ACL_FLOAT8_E4M3FN, aclDataType.ACL_COMPLEX32,
}  # fmt: skip
"""data types that the Cast step can read and produce on Ascend 950, where INT32 can also become INT4"""


def has_cast(source: int, target: int, series: Series) -> bool:
    """True if the library has a cast between these data types."""
    if series is not Series.A950:
        return {source, target} <= CASTABLE
    return {source, target} <= CASTABLE_950 or (source, target) == (aclDataType.ACL_INT32, aclDataType.ACL_INT4)


def stored_as_cast(source: int, target: int) -> bool:
    """True if a store to memory rounds like the cast. The fast engine can then compute the cast."""
    return (source in TILED and target in TILED) or (is_integer(source) and target == aclDataType.ACL_FLOAT)


@in_parts()
def converted(x: Array, *, target: int, series: Series) -> Array:
    """The kernel of a cast."""
    return cast_to(x, target, series)

"""Casts of formats on Ascend 950: only to FRACTAL_NZ and back, and with blocks for a second data type."""

from typing import Final, NamedTuple

from aclnn.op import HALVES, ROW_BITS, aclDataType, aclFormat, bits


T, F = aclDataType, aclFormat
NZ: Final = frozenset({F.ACL_FORMAT_FRACTAL_NZ, F.ACL_FORMAT_FRACTAL_NZ_C0_16, F.ACL_FORMAT_FRACTAL_NZ_C0_32})
"""the private formats of a cast"""
SINGLE_ROW: Final = (T.ACL_FLOAT, *HALVES)
"""data types for which a matrix of one row stays in ND"""


class Blocks(NamedTuple):
    """The resulting format of a cast to FRACTAL_NZ, and the columns of a block."""

    form: aclFormat
    columns: int


SIXTEEN: Final = Blocks(F.ACL_FORMAT_FRACTAL_NZ_C0_16, 16)
THIRTY_TWO: Final = Blocks(F.ACL_FORMAT_FRACTAL_NZ_C0_32, 32)
BY_SECOND_TYPE: Final = {
    **{(first, second): SIXTEEN for first in (T.ACL_INT32, T.ACL_FLOAT) for second in HALVES},
    (T.ACL_FLOAT, T.ACL_FLOAT8_E4M3FN): THIRTY_TWO,
    (T.ACL_INT32, T.ACL_INT8): THIRTY_TWO,
}
"""formats by data type of the source and additionalDtype. An element of the source packs several of the second type"""


def blocks(source: int, additional: int) -> Blocks | None:
    """The blocks of a source of this data type; None if the second type does not fit the first."""
    if source == additional:
        return Blocks(F.ACL_FORMAT_FRACTAL_NZ, ROW_BITS // bits(source))
    return BY_SECOND_TYPE.get((aclDataType(source), aclDataType(additional)))


def ranks(source: int, additional: int) -> range:
    """The ranks that a source may have."""
    return range(2, 7) if source == additional else range(2, 4)

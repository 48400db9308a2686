"""The numbers of Foreach functions: an aclScalar, an aclScalarList, a tensor of one element, a tensor with an element
for each member of the lists."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from aclnn.op import (
    TILING, UP_TO_32_BITS, Arguments, Bad, Operand, Planning, Relation, Series, T, demand, dtype_name, one_element,
    type_rows,
)  # fmt: skip
from aclnn.ops.foreach._family import NumberParam

FLOAT_OR_DOUBLE: Final = (T.ACL_FLOAT, T.ACL_DOUBLE)
WHOLE_TYPES: Final = (T.ACL_INT32, T.ACL_INT64)
SMALL: Final = (T.ACL_INT16, T.ACL_INT8, T.ACL_UINT8)
WIDE: Final = ("AddScalar", "MulScalar", "AddcmulScalar")
"""stems for which Ascend 950 accepts a FLOAT number beside FLOAT16 tensors, and does not cast it"""
Rows = Mapping[int, Sequence[int]]


def wide(stem: str, series: Series) -> bool:
    return series is Series.A950 and stem.removesuffix("V2").removesuffix("Inplace") in WIDE


@dataclass(frozen=True)
class Host(NumberParam):
    """An aclScalar. The kernel gets it as FLOAT for BFLOAT16, as INT32 for small integers, and otherwise in the type of
    the tensors."""

    def rows(self, stem: str, series: Series) -> Rows:
        """The allowed data types of the number, by the data type of the tensors."""
        half = (T.ACL_FLOAT16, T.ACL_DOUBLE, *((T.ACL_FLOAT,) if wide(stem, series) else ()))
        return {
            T.ACL_FLOAT: FLOAT_OR_DOUBLE,
            T.ACL_BF16: FLOAT_OR_DOUBLE,
            T.ACL_FLOAT16: half,
            **dict.fromkeys((T.ACL_INT32, *SMALL), WHOLE_TYPES),
        }

    def relations(self, stem: str, first: str) -> tuple[Relation, ...]:
        return (type_rows((first, self.name), lambda a: self.rows(stem, a.soc.series)),)

    def read_as(self, p: Planning, stem: str, dtype: int) -> int:
        """The data type of the number in the kernel."""
        if dtype == T.ACL_BF16 or (dtype == T.ACL_FLOAT16 and wide(stem, p.soc.series)):
            return T.ACL_FLOAT
        return T.ACL_INT32 if dtype in SMALL else dtype

    def kernel_inputs(self, p: Planning, stem: str, dtype: int, index: int) -> tuple[list[Operand], dict[str, Any]]:
        return [], {"by": p.passed(self.name, self.read_as(p, stem, dtype))}


@dataclass(frozen=True)
class Weight(Host):
    """An aclScalar that is a FLOAT for all tensors."""

    def rows(self, stem: str, series: Series) -> Rows:
        return dict.fromkeys(UP_TO_32_BITS, FLOAT_OR_DOUBLE)

    def read_as(self, p: Planning, stem: str, dtype: int) -> int:
        return T.ACL_FLOAT


@dataclass(frozen=True)
class Base(Host):
    """An aclScalar of a generated function: FLOAT for floats, INT64 for integers. A DOUBLE becomes a FLOAT."""

    def rows(self, stem: str, series: Series) -> Rows:
        return {**dict.fromkeys(UP_TO_32_BITS, FLOAT_OR_DOUBLE), T.ACL_INT32: (T.ACL_INT64,)}

    def read_as(self, p: Planning, stem: str, dtype: int) -> int:
        return T.ACL_INT64 if dtype == T.ACL_INT32 else T.ACL_FLOAT


@dataclass(frozen=True)
class HostList(NumberParam):
    """An aclScalarList. All members have the data type of the first one; a DOUBLE becomes a FLOAT."""

    def relations(self, stem: str, first: str) -> tuple[Relation, ...]:
        def mixed(a: Arguments) -> Bad:
            tensors, dtypes = a.dtypes(first)[:1], a.dtypes(self.name)[:1]
            if not tensors or not dtypes:
                return None
            right = (T.ACL_INT64,) if tensors[0] == T.ACL_INT32 else FLOAT_OR_DOUBLE
            return None if dtypes[0] in right else (dtype_name(dtypes[0]), ", ".join(map(dtype_name, right)))

        def missing(a: Arguments) -> Bad:
            count, expected_count = len(a[self.name]), len(a[first])
            return None if count == expected_count else (f"{count} numbers", f"{expected_count}, one for each tensor")

        return (
            demand("{0} has a data type that fits that of {1}", self.name, first, bad=mixed),
            demand("{0} has a number for each tensor of {1}", self.name, first, bad=missing, status=TILING),
        )  # fmt: skip

    def kernel_inputs(self, p: Planning, stem: str, dtype: int, index: int) -> tuple[list[Operand], dict[str, Any]]:
        first = p[self.name][0].dtype
        return [], {"by": p.passed(self.name, T.ACL_FLOAT if first == T.ACL_DOUBLE else first, index)}


@dataclass(frozen=True)
class OnDevice(NumberParam):
    """A tensor of one element: FLOAT beside FLOAT and BFLOAT16, FLOAT16 beside FLOAT16, INT32 beside integers."""

    def rows(self, stem: str, series: Series) -> Rows:
        half = (T.ACL_FLOAT16, *((T.ACL_FLOAT,) if wide(stem, series) else ()))
        single = (T.ACL_FLOAT,)
        whole = dict.fromkeys((T.ACL_INT32, *SMALL), (T.ACL_INT32,))
        return {T.ACL_FLOAT: single, T.ACL_BF16: single, T.ACL_FLOAT16: half, **whole}

    def relations(self, stem: str, first: str) -> tuple[Relation, ...]:
        return (
            type_rows((first, self.name), lambda a: self.rows(stem, a.soc.series)),
            one_element(self.name, status=TILING),
        )  # fmt: skip

    def kernel_inputs(self, p: Planning, stem: str, dtype: int, index: int) -> tuple[list[Operand], dict[str, Any]]:
        return [p.builder.reshape(p.read(self.name), ())], {}


@dataclass(frozen=True)
class DeviceList(NumberParam):
    """A tensor with an element for each tensor of the lists, and with the data type of these tensors."""

    def relations(self, stem: str, first: str) -> tuple[Relation, ...]:
        def wrong_type(a: Arguments) -> Bad:
            expected_dtypes = a.dtypes(first)[:1]
            return (
                (a.type_name(self.name), f"that of {first}")
                if expected_dtypes and a.dtype(self.name) != expected_dtypes[0]
                else None
            )

        def missing(a: Arguments) -> Bad:
            count, expected_count = a[self.name].numel, len(a[first])
            return None if count == expected_count else (f"{count} elements", f"{expected_count}, one for each tensor")

        return (
            demand("{0} has the data type of {1}", self.name, first, bad=wrong_type),
            demand("{0} has an element for each tensor of {1}", self.name, first, bad=missing, status=TILING),
        )  # fmt: skip

    def kernel_inputs(self, p: Planning, stem: str, dtype: int, index: int) -> tuple[list[Operand], dict[str, Any]]:
        numbers = p.read(self.name)
        return [replace(numbers, shape=(), strides=(), offset=numbers.offset + index)], {}

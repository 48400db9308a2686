"""A parameter in the catalogue: its facts, and their reading from a data file."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias, TypeVar, cast

from acl_runtime.headers.enums import aclDataType
from acl_runtime.objects.soc import NEWER, Series
from aclnn.catalogue.products import PRODUCTS, SERIES, short_name

T = TypeVar("T")
DataTypes: TypeAlias = tuple[aclDataType, ...]
Names: TypeAlias = tuple[str, ...]
NEWEST: Final = frozenset(
    aclDataType[f"ACL_{name}"]
    for name in "HIFLOAT8 FLOAT8_E5M2 FLOAT8_E4M3FN FLOAT8_E8M0 FLOAT6_E3M2 FLOAT6_E2M3 FLOAT4_E2M1 FLOAT4_E1M2".split()
)
"""floats of 8 bits and fewer: only Ascend 950 computes in them (public)"""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class CodeAccepts:
    """Arguments that the library accepts although its document does not list them."""

    dtypes: Mapping[str, DataTypes] = field(default_factory=dict[str, DataTypes])
    ranks: tuple[int, ...] = ()
    null: bool = False


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Parameter:
    """A parameter of the first phase. `None` means that the document does not say, so no argument is refused."""

    name: str
    type: str
    doc_name: str = ""
    io: Literal["in", "out", "inout"] | None = "in"
    optional: bool = False
    dtypes: DataTypes | None = None
    without: Mapping[str, DataTypes] = field(default_factory=dict[str, DataTypes])
    also: Mapping[str, DataTypes] = field(default_factory=dict[str, DataTypes])
    promoted_dtypes: DataTypes = ()
    same_dtype: Names = ()
    same_shape: Names = ()
    same_rank: Names = ()
    same_format: Names = ()
    promotes_with: Names = ()
    promoted_from: Names = ()
    castable_from: Names = ()
    castable_to: Names = ()
    broadcasts_with: Names = ()
    shape_broadcast_of: Names = ()
    formats: Names | None = None
    formats_without: Mapping[str, Names] = field(default_factory=dict[str, Names])
    rank: tuple[int, int | None] | None = None
    ranks: tuple[int, ...] = ()
    rank_by_case: bool = False
    shapes: Names = ()
    noncontiguous: bool | None = None
    empty: bool | None = None
    code_accepts: CodeAccepts = field(default_factory=CodeAccepts)

    @property
    def is_tensor(self) -> bool:
        """True for a tensor, and for a list of tensors."""
        return "aclTensor" in self.type

    @property
    def may_be_null(self) -> bool:
        """True if some call accepts a null pointer here."""
        return self.optional or self.code_accepts.null

    def dtypes_on(self, product: Series | str) -> DataTypes | None:
        """The data types on a product, in the document's order, then those that only the library's code accepts."""
        if self.dtypes is None:
            return None
        key = short_name(product)
        gone, more = self.without.get(key, ()), (*self.also.get(key, ()), *self.code_accepts.dtypes.get(key, ()))
        if not gone and not more:
            return self.dtypes
        return tuple(dict.fromkeys((*(dtype for dtype in self.dtypes if dtype not in gone), *more)))

    def formats_on(self, product: Series | str) -> Names | None:
        """The formats on a product, without ACL_FORMAT_."""
        gone = self.formats_without.get(short_name(product), ())
        return None if self.formats is None else tuple(format_ for format_ in self.formats if format_ not in gone)

    def accepts_rank(self, rank: int) -> bool:
        """True if a tensor may have this rank in some call."""
        if self.rank is None or rank in self.code_accepts.ranks:
            return True
        low, high = self.rank
        return rank in self.ranks if self.ranks else low <= rank and (high is None or rank <= high)


def parameter(raw: dict[str, Any], silent: Sequence[str] = ()) -> Parameter:
    """The parameter that an object of a data file describes. The document does not list the products in `silent`. They
    lack the data types of `_lacking` (ours)."""
    for key in ("dtypes", "promoted_dtypes"):
        if key in raw:
            raw[key] = _dtypes(raw[key])
    for key in ("without", "also"):
        if key in raw:
            raw[key] = _by_product(raw[key], _dtypes)
    if silent and "dtypes" in raw:
        raw["without"] = {**raw.get("without", {}), **{each: _lacking(raw, each, silent) for each in silent}}
    if "formats_without" in raw:
        raw["formats_without"] = _by_product(raw["formats_without"], tuple)
    if "aclTensor" in raw["type"]:
        raw = {"formats": ("ND",), "noncontiguous": True} | raw
    if "code_accepts" in raw:
        code = raw["code_accepts"]
        raw["code_accepts"] = CodeAccepts(
            dtypes=_by_product(code.get("dtypes", {}), _dtypes),
            ranks=tuple(code.get("ranks", ())),
            null=code.get("null", False),
        )
    return Parameter(**{key: _frozen(value) for key, value in raw.items()})


def _lacking(raw: dict[str, Any], product: str, silent: Sequence[str]) -> DataTypes:
    """The data types that a product lacks: those that the document excludes, those of Ascend 950 alone except on Ascend
    950, and BF16 on older series."""
    without, without_bf16 = raw.get("without", {}), SERIES[product] not in NEWER
    lists = [without.get(each, ()) for each in PRODUCTS if each not in (*silent, "950")]

    def lacks(dtype: aclDataType) -> bool:
        newest = dtype in NEWEST or (bool(lists) and all(dtype in list_ for list_ in lists))
        return (newest and product != "950") or (without_bf16 and dtype == aclDataType.ACL_BF16)

    return tuple(dict.fromkeys((*without.get(product, ()), *filter(lacks, raw["dtypes"]))))


def _frozen(value: Any) -> Any:
    return tuple(cast("list[Any]", value)) if isinstance(value, list) else value


def _dtypes(names: Sequence[str]) -> DataTypes:
    return tuple(aclDataType[f"ACL_{name}"] for name in names)


def _by_product(names: Mapping[str, Sequence[str]], convert: Callable[[Sequence[str]], T]) -> dict[str, T]:
    return {product: convert(listed) for product, listed in names.items()}

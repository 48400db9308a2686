"""Data types that differ by product, as the library's own lists have them (public)."""

from __future__ import annotations

import pytest

from acl_runtime import *
from acl_runtime.headers.enums import aclDataType
from aclnn.catalogue.facts import facts
from aclnn.catalogue.index import names
from aclnn.catalogue.products import PRODUCTS, SERIES
from tests.derived.data_types import with_dtype
from tests.derived.good import on_product, subject
from tests.derived.judging import CHIPS

OLD = "910 310P 310B"
ROWS = [
    # function, parameter, products, accepted, refused
    ("MaxPool", "self", "310P 310B 910", "FLOAT16", "FLOAT INT32 UINT8"),
    ("MaxPool", "self", "A2 A3", "FLOAT16 FLOAT", "INT32"),
    ("EqScalar", "self", "310P 310B A2 A3", "FLOAT INT64 COMPLEX128", "UINT32 UINT64"),
    ("EqScalar", "self", "910", "FLOAT UINT32 UINT64", "UINT16"),
    ("IndexCopy", "selfRef", OLD, "DOUBLE COMPLEX64 BOOL", "UINT32 UINT64 BF16"),
    ("IndexCopy", "selfRef", "950", "UINT32 UINT64 BF16", "UINT16"),
    ("InplaceIndexCopy", "selfRef", OLD, "DOUBLE COMPLEX64 BOOL", "UINT32 UINT64 BF16"),
    ("GatherNd", "self", OLD, "FLOAT INT64 BOOL", "DOUBLE INT16 UINT64"),
    ("GatherNd", "self", "950", "DOUBLE INT16 UINT64", "COMPLEX64"),
    ("ScatterNdUpdate", "varRef", OLD, "FLOAT FLOAT16 BOOL", "INT64 INT8 INT32 BF16"),
    ("ScatterNdUpdate", "varRef", "A2 A3", "INT16 INT32 INT64 INT8 BF16", "UINT8"),
    ("ScatterNdUpdate", "varRef", "950", "UINT8 INT64", "INT16 INT32"),
    ("InplaceScatterUpdate", "data", OLD, "INT8 FLOAT16 FLOAT INT32", "UINT8 BF16"),
    ("InplaceScatterUpdate", "data", "A2 A3", "INT8 FLOAT16 FLOAT INT32 BF16", "UINT8"),
    ("InplaceScatterUpdate", "data", "950", "INT8 UINT8 FLOAT16 FLOAT INT32 BF16", "INT64"),
    ("InplaceAdds", "selfRef", f"{OLD} A2 A3 950", "COMPLEX64 COMPLEX128 INT8", "UINT16"),
    ("InplacePut", "selfRef", OLD, "COMPLEX64 COMPLEX128", "UINT16"),
    ("Permute", "self", "910 310P", "COMPLEX128 UINT64", "COMPLEX32"),
    ("UniqueConsecutive", "self", "950 A2 910", "DOUBLE COMPLEX64 BOOL", "COMPLEX32"),
    ("IndexFillTensor", "self", "950", "INT8 UINT8 INT16 DOUBLE", "UINT16"),
    ("IndexFillTensor", "self", "A2 910", "INT32 BOOL", "INT8 DOUBLE"),
    ("TransMatmulWeight", "mmWeightRef", "910 310B", "FLOAT16", "INT8 FLOAT"),
    ("TransMatmulWeight", "mmWeightRef", "310P", "FLOAT16 INT8", "UINT8 BF16"),
    ("ApplyAdamW", "varRef", "910", "FLOAT FLOAT16", "BF16"),
    ("ApplyAdamWV2", "varRef", "910 310B", "FLOAT FLOAT16", "BF16"),
    ("MaxN", "tensors", "950", "UINT8 BF16", "UINT16"),
    ("MinN", "tensors", "310B A2", "INT8", "UINT8"),
    ("Tril", "self", "310P 310B A2", "UINT64 DOUBLE", "COMPLEX64 COMPLEX32"),
    ("Real", "self", OLD, "COMPLEX64 COMPLEX128", "FLOAT FLOAT16"),
    ("ReflectionPad2d", "self", "310B 310P 910", "INT16 BOOL", "UINT16 COMPLEX64"),
]


@pytest.mark.parametrize(("function", "parameter", "products", "accepted", "refused"), ROWS)
def test_data_types_of_the_library_by_product(
    function: str, parameter: str, products: str, accepted: str, refused: str
) -> None:
    for product in products.split():
        this, soc = on_product(subject(f"aclnn{function}"), SERIES[product]), CHIPS[SERIES[product]]
        for dtype in (*accepted.split(), *refused.split()):
            call = with_dtype(this, parameter, aclDataType[f"ACL_{dtype}"], soc)
            assert (call is not None) == (dtype in accepted.split()), (product, dtype)


@pytest.mark.fidelity("data types on a product that no document lists")
def test_what_a_document_lists_for_ascend_950_alone_is_on_no_product_that_it_does_not_list() -> None:
    """But where public code accepts it."""
    wrong: list[tuple[str, str, str, str]] = []
    for name in names():
        known = facts(name)
        older = [each for each in PRODUCTS if known.products[each].listed and each != "950"]
        for param in known.params if older else ():
            listed = {dtype for each in older for dtype in param.dtypes_on(each) or ()}
            for product in OLD.split():
                code = param.code_accepts.dtypes.get(product, ())
                if not known.products[product].listed:
                    found = set(param.dtypes_on(product) or ()) - listed - set(code)
                    wrong += [(name, param.name, product, aclDataType(dtype).name) for dtype in found]
    assert wrong == []

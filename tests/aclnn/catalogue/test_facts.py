"""The reader of the catalogue says what the data files say, and the classes of operators agree with it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest

import aclnn
from acl_runtime.headers.enums import aclDataType
from acl_runtime.objects.soc import Series
from aclnn.catalogue.facts import Facts, facts
from aclnn.catalogue.index import names
from aclnn.catalogue.products import PRODUCTS, SERIES, SOURCES, Support, short_name
from tests.aclnn.catalogue import schema
from tests.aclnn.catalogue.everyday import EVERYDAY
from tests.aclnn.catalogue.lines import every, every_parameter, in_file, raw
from tests.aclnn.ops.cases import CASES

DISAGREEMENTS = {
    ("aclnnPreluBackward", "gradInput"): "the prototype of the class's document prints gradIntput; the header is right"
}
"""(function, parameter) where a class of `aclnn.ops` differs from the facts in name or C type, each with its reason"""
OTHER_DTYPES = {
    "aclnnSoftmaxBackward": "its facts have no exception for BFLOAT16 on products that do not have that type",
    "aclnnPreluBackward": "a later edition of its document allows BFLOAT16; the class follows the older one",
}
"""functions whose class accepts fewer data types than the facts"""
D = aclDataType
OLD = ("910", "310P", "310B")
NARROW = {
    "HIFLOAT8",
    "FLOAT8_E5M2",
    "FLOAT8_E4M3FN",
    "FLOAT8_E8M0",
    "FLOAT6_E3M2",
    "FLOAT6_E2M3",
    "FLOAT4_E2M1",
    "FLOAT4_E1M2",
}


def test_an_import_reads_no_data() -> None:
    source = (
        "import sys, aclnn\n"
        "assert 'aclnn.catalogue' not in sys.modules\n"
        "import aclnn.catalogue.facts\n"
        "assert aclnn.catalogue.index.lines.cache_info().currsize == 0\n"
    )
    subprocess.run([sys.executable, "-c", source], check=True)


def test_the_reader_says_what_the_files_say() -> None:
    for each in every():
        fact = raw()[each.name]
        assert each.name in in_file(each.category)
        assert each.header == fact["header"]
        assert [param.name for param in each.params] == [param["name"] for param in fact["params"]]
        assert {product: each.support(product).value for product in PRODUCTS} == fact["products"]
        assert each.sources == fact.get("sources", {})
        assert each.gate == (tuple(fact["gate"]) if "gate" in fact else None)
        rows = [[*row, {}][:4] for row in fact.get("refusals", ())]
        assert [[row.status, list(row.params), row.kind, row.detail] for row in each.refusals] == rows


def test_relations_come_as_the_files_have_them() -> None:
    for given, read in every_parameter():
        for key in schema.RELATIONS:
            assert list(getattr(read, key)) == given.get(key, [])


DEFAULTS = {"doc_name": "", "optional": False, "ranks": (), "rank_by_case": False, "shapes": (), "io": "in"}
"""values of keys that a line leaves out; None for keys that are not here"""


@pytest.mark.parametrize("key", [*DEFAULTS, "name", "type", "rank", "empty", "noncontiguous"])
def test_a_key_of_a_parameter_has_its_value_or_its_default(key: str) -> None:
    for given, read in every_parameter():
        default = True if key == "noncontiguous" and read.is_tensor else DEFAULTS.get(key)
        value = given.get(key, default)
        assert getattr(read, key) == (tuple(value) if isinstance(value, list) else value)


@pytest.mark.parametrize("key", ["undocumented", "older_tree", "phase2_undeclared", "deterministic_switch"])
def test_a_mark_of_a_function_is_false_unless_given(key: str) -> None:
    marked = [each.name for each in every() if getattr(each, key)]
    assert marked == [name for name in names() if raw()[name].get(key, False)] != []


def test_the_promoted_types_are_those_of_the_file() -> None:
    assert sum(bool(read.promoted_dtypes) for _, read in every_parameter()) == 2
    for given, read in every_parameter():
        assert [each.name for each in read.promoted_dtypes] == [f"ACL_{x}" for x in given.get("promoted_dtypes", ())]


def only_on_950(of: Facts, given: Mapping[str, Any]) -> set[str]:
    """The data types that the document lists for Ascend 950, and for no other product that it lists."""
    older = [product for product in PRODUCTS if of.support(product) is Support.DOCUMENTED and product != "950"]
    without = (set(given.get("without", {}).get(product, ())) for product in older)
    return set.intersection(*without) if older else set()


def test_data_types_on_each_product_are_the_document_s_and_the_code_s() -> None:
    """Where no document lists the product: "BFLOAT16 exists only on A2, A3, 950"; "8- and 4-bit floats [are] taken out
    everywhere but on 950" (public)."""
    pairs = ((of, *pair) for of in every() for pair in zip(raw()[of.name]["params"], of.params, strict=True))
    for of, given, read in pairs:
        for product in PRODUCTS:
            found = read.dtypes_on(product)
            if "dtypes" not in given:
                assert found is None
                continue
            allowed = set(given["dtypes"]) - set(given.get("without", {}).get(product, ()))
            if of.support(product) is not Support.DOCUMENTED:
                allowed -= {"BF16"} if product in OLD else set()
                allowed -= NARROW | only_on_950(of, given) if product != "950" else set()
            allowed |= set(given.get("also", {}).get(product, ()))
            allowed |= set(given.get("code_accepts", {}).get("dtypes", {}).get(product, ()))
            assert found is not None
            assert {each.name for each in found} == {f"ACL_{name}" for name in allowed}
            assert len(found) == len(allowed)


def test_formats_of_tensors_are_nd_unless_the_file_says_more() -> None:
    for given, read in every_parameter():
        listed = given.get("formats", ["ND"] if read.is_tensor else None)
        for product in PRODUCTS:
            gone = given.get("formats_without", {}).get(product, ())
            expected = None if listed is None else tuple(each for each in listed if each not in gone)
            assert read.formats_on(product) == expected


@pytest.mark.parametrize(
    ("product", "bfloat16"), [(Series.A2, True), (Series.TRAINING, False), ("A3", True), ("910", False), ("950", True)]
)
def test_add_takes_bfloat16_by_product(product: Series | str, bfloat16: bool) -> None:
    found = facts("aclnnAdd").param("self").dtypes_on(product)
    assert found is not None
    assert (D.ACL_BF16 in found) is bfloat16


@pytest.mark.parametrize(
    ("name", "product", "support", "remark"),
    [
        ("aclnnAdd", Series.TRAINING, Support.DOCUMENTED, "documented"),
        ("aclnnAdd", Series.INFERENCE, Support.WORKS, "not documented; ggml calls it there"),
        ("aclnnAdd", "310B", Support.OPEN, "not documented, and a kernel may be missing"),
        ("aclnnConvolution", "910", Support.OLDER, "documented in CANN 8.5"),
        ("aclnnScatterAdd", "310P", Support.OPEN, "not documented; no source says that it works"),
        ("aclnnRemainderTensorScalar", "310P", Support.LIKELY,
         "not documented; all operators that it is made of are documented for the product"),
        ("aclnnTopk", "310B", Support.REFUSED_DEVICE, "not documented; a device refused it"),
        ("aclnnSquare", "A2", Support.REFUSED, "refused"),
    ],
)  # fmt: skip
def test_the_support_of_a_product(name: str, product: Series | str, support: Support, remark: str) -> None:
    """ "documented-older: only an older page says yes; works: ... a public client runs it there ... open: page says no"
    (public)."""
    found = facts(name)
    assert found.support(product) is support
    assert found.remark(product) == remark


def test_each_source_has_a_phrase() -> None:
    labels = {label for each in every() for label in each.sources.values()}
    assert {label for label in labels if not re.match("CANN|the older tree", label)} == set(SOURCES)


@pytest.mark.fidelity("a product that no document lists for an operator")
def test_the_everyday_operators_compute_on_the_older_products() -> None:
    """ "The everyday operators always compute, except refused and refused-device" (ours)."""
    for name in EVERYDAY:
        for product in OLD:
            assert facts(name).support(product) is not Support.NO_KERNEL, (name, product)


def test_some_functions_have_one_phase_only() -> None:
    single = [each.name for each in every() if each.phases == 1]
    assert len(single) == 16
    assert "aclnnCalculateMatmulWeightSize" in single


def test_the_second_phase_differs_as_the_headers_say() -> None:
    assert sum(each.const_stream for each in every()) == 203
    assert sum(each.const_workspace_size for each in every()) == 5
    assert sum(each.workspace_size_name == "workspace_size" for each in every()) == 4


@pytest.mark.parametrize(
    ("rank", "accepted"), [(1, True), (2, False), (3, True), (4, False), (0, False)], ids=lambda value: str(value)
)
def test_ranks_with_a_gap(rank: int, accepted: bool) -> None:
    assert facts("aclnnAlltoAllvQuantGroupedMatMul").param("gmmXScale").accepts_rank(rank) is accepted


def test_a_rank_that_the_code_accepts_and_one_without_a_fact() -> None:
    wider = [read for given, read in every_parameter() if given.get("code_accepts", {}).get("ranks") == [9]]
    assert len(wider) == 23
    assert all(read.accepts_rank(9) and not read.accepts_rank(10) for read in wider)
    assert facts("aclnnAdd").param("alpha").accepts_rank(99)


def test_null_by_the_document_or_by_the_code() -> None:
    for given, read in every_parameter():
        assert read.may_be_null == (given.get("optional", False) or given.get("code_accepts", {}).get("null", False))


def test_an_unknown_function_is_refused_with_similar_names() -> None:
    with pytest.raises(LookupError, match=r"'aclnnTopkV2' is no documented function .* did you mean aclnnTopk"):
        facts("aclnnTopkV2")


def test_the_begin_of_a_name_is_no_name() -> None:
    with pytest.raises(LookupError, match="'aclnnAd' is no documented function"):
        facts("aclnnAd")


def test_an_unknown_parameter_is_refused() -> None:
    with pytest.raises(LookupError, match="aclnnAdd has no parameter beta; it has self, other, alpha, out"):
        facts("aclnnAdd").param("beta")


def test_an_unknown_product_is_refused() -> None:
    with pytest.raises(ValueError, match="'A5' is no product of the catalogue"):
        facts("aclnnAdd").support("A5")


def test_each_series_of_a_machine_has_a_short_name() -> None:
    assert sorted(SERIES.values(), key=str) == sorted(Series, key=str)
    assert [short_name(series) for series in SERIES.values()] == list(SERIES)


# the operators that have a class


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_class_agrees_with_the_facts_on_names_and_types(case: Any) -> None:
    found = facts(case.op.c_name())
    declared = [(param.printed, param.ctype.spelling) for param in case.op.params]
    documented = [(param.name, param.type) for param in found.params]
    assert len(declared) == len(documented)
    differing = {(found.name, theirs[0]) for ours, theirs in zip(declared, documented, strict=True) if ours != theirs}
    assert differing == {key for key in DISAGREEMENTS if key[0] == found.name}
    assert found.header == case.op.header
    assert found.const_stream == case.op.const_stream


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_class_supports_the_series_of_the_facts(case: Any) -> None:
    known = facts(case.op.c_name())
    assert set(case.op.series) == {series for series in Series if known.support(series).computes}
    assert all(known.support(series) is Support.DOCUMENTED for series in case.op.series)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_class_accepts_the_data_types_of_the_facts(case: Any) -> None:
    found = facts(case.op.c_name())
    more, fewer = set[str](), set[str]()
    for declared, documented in zip(case.op.params, found.params, strict=True):
        for series in case.op.series:
            listed = documented.dtypes_on(series)
            if listed is not None and documented.is_tensor:
                more |= {documented.name} if set(declared.dtypes.on(series)) - set(listed) else set()
                fewer |= {found.name} if set(listed) - set(declared.dtypes.on(series)) else set()
    assert more == set()
    assert fewer == {found.name} & set(OTHER_DTYPES)


def test_every_operator_with_a_class_is_documented() -> None:
    exported = {
        name for name in aclnn.__all__ if name.startswith("aclnn") and name + "GetWorkspaceSize" in aclnn.__all__
    }
    assert exported <= set(names())
    assert len([name for name in exported if not getattr(aclnn, name).op.from_facts]) == len(CASES)

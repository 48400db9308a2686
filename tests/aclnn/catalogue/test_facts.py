"""The catalogue: its data files have the schema, and the reader says what they say."""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
from functools import cache
from typing import Any

import pytest

import aclnn
from acl_runtime.headers.enums import aclDataType
from acl_runtime.objects.soc import Series
from aclnn.catalogue.c_types import c_type
from aclnn.catalogue.facts import DATA, Facts, Parameter, facts, names
from aclnn.catalogue.products import PRODUCTS, SERIES, short_name
from tests.aclnn.catalogue import schema
from tests.aclnn.ops.cases import CASES

COUNTS = {
    "math_conversion": 68, "math_math": 326, "math_random": 29, "nn_activation": 101, "nn_control": 1, "nn_conv": 9,
    "nn_foreach": 78, "nn_index": 69, "nn_loss": 38, "nn_matmul": 50, "nn_norm": 57, "nn_optim": 14, "nn_pooling": 23,
    "nn_quant": 47, "nn_rnn": 8, "nn_vfusion": 6, "transformer_attention": 106, "transformer_ffn": 8,
    "transformer_gmm": 21, "transformer_mamba": 2, "transformer_mc2": 64, "transformer_mhc": 8, "transformer_moe": 31,
    "transformer_posembedding": 17,
}  # fmt: skip
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


@cache
def raw() -> dict[str, dict[str, Any]]:
    return {name: fact for category in COUNTS for name, fact in in_file(category).items()}


@cache
def in_file(category: str) -> dict[str, dict[str, Any]]:
    lines = (DATA / f"{category}.jsonl").read_text(encoding="ascii").splitlines()
    return {fact["name"]: fact for fact in map(json.loads, lines)}


@cache
def every() -> tuple[Facts, ...]:
    return tuple(map(facts, names()))


def every_parameter() -> list[tuple[dict[str, Any], Parameter]]:
    """Each parameter, as its data file has it and as the reader gives it."""
    return [
        (given, read)
        for each in every()
        for given, read in zip(raw()[each.name]["params"], each.params, strict=True)
    ]  # fmt: skip


# the data files


def test_there_is_a_file_for_each_category() -> None:
    assert sorted(path.name for path in DATA.iterdir()) == sorted(f"{category}.jsonl" for category in COUNTS)


@pytest.mark.parametrize("category", COUNTS)
def test_each_line_has_the_schema(category: str) -> None:
    assert {name: found for name, fact in in_file(category).items() if (found := schema.broken(fact))} == {}


@pytest.mark.parametrize("category", COUNTS)
def test_a_file_is_ascii_compact_and_sorted_by_name(category: str) -> None:
    text = (DATA / f"{category}.jsonl").read_text(encoding="ascii")
    assert text == "".join(json.dumps(fact, separators=(",", ":")) + "\n" for fact in in_file(category).values())
    assert list(in_file(category)) == sorted(in_file(category))
    assert len(in_file(category)) == COUNTS[category]


def test_each_function_has_one_line() -> None:
    assert len(raw()) == sum(COUNTS.values()) == 1181
    assert names() == tuple(sorted(raw()))


@pytest.mark.parametrize("schema_of", [schema.FUNCTION, schema.PARAMETER], ids=["function", "parameter"])
def test_each_key_of_the_schema_is_used_and_in_the_order_of_the_line(schema_of: dict[str, Any]) -> None:
    keys = [list(fact) for fact in raw().values()]
    if schema_of is schema.PARAMETER:
        keys = [list(param) for fact in raw().values() for param in fact["params"]]
    assert {key for each in keys for key in each} == set(schema_of)


def test_only_one_document_lists_a_status_that_headers_do_not_name() -> None:
    listing = {
        name for name, fact in raw().items() for row in fact.get("refusals", ()) if row[0] not in schema.STATUSES
    }
    assert listing == {"aclnnApplyAdamD"}


def test_every_key_is_explained_on_the_page_of_the_package() -> None:
    page = sys.modules["aclnn.catalogue"].__doc__ or ""
    keys = {*schema.FUNCTION, *schema.PARAMETER, *schema.CODE_ACCEPTS, *schema.DETAIL}
    assert [key for key in keys if f"`{key}`" not in page] == []


GOOD: dict[str, Any] = {
    "name": "aclnnFoo",
    "header": "aclnnop/aclnn_foo.h",
    "supported": ["910", "A2"],
    "unsupported": ["310P"],
    "params": [
        {"name": "x", "type": "const aclTensor *", "dtypes": ["FLOAT", "BF16"], "without": {"910": ["BF16"]}},
        {"name": "n", "type": "int64_t"},
    ],
    "refusals": [[161002, ["x"], "rank", {"max": 8}]],
}


def test_the_schema_takes_a_good_line() -> None:
    assert schema.broken(GOOD) == []


@pytest.mark.parametrize(
    ("where", "key", "value"),
    [
        pytest.param((), "nmae", "x", id="an unknown key of a function"),
        pytest.param((), "experimental", False, id="a default that is written out"),
        pytest.param((), "experimental", 1, id="a number for a truth value"),
        pytest.param((), "header", "aclnn_Foo.h", id="a header with capitals"),
        pytest.param((), "supported", ["A2", "910"], id="products out of order"),
        pytest.param((), "supported", ["310P"], id="a product that is supported and is not"),
        pytest.param((), "deterministic", True, id="deterministic by default"),
        pytest.param((), "phases", 2, id="two phases by default"),
        pytest.param(("params", 0), "rnak", [0, 8], id="an unknown key of a parameter"),
        pytest.param(("params", 0), "dtypes", ["FLOAT32", "BF16"], id="a data type that acl does not have"),
        pytest.param(("params", 0), "dtypes", ["FLOAT"], id="an exception for a data type that is not listed"),
        pytest.param(("params", 0), "also", {"A2": ["FLOAT"]}, id="an addition that is listed already"),
        pytest.param(("params", 0), "without", {"A5": ["BF16"]}, id="a product that does not exist"),
        pytest.param(("params", 0), "io", "in", id="an input by default"),
        pytest.param(("params", 0), "formats", ["ND"], id="ND by default"),
        pytest.param(("params", 0), "formats", ["NZ"], id="a format that acl does not have"),
        pytest.param(("params", 0), "same_dtype", ["y"], id="a parameter that does not exist"),
        pytest.param(("params", 0), "same_dtype", ["x"], id="a parameter related to itself"),
        pytest.param(("params", 0), "rank", [8, 0], id="an interval upside down"),
        pytest.param(("params", 0), "rank", [None, 8], id="a smallest rank that is missing"),
        pytest.param(("params", 0), "ranks", [2, 4], id="ranks without an interval"),
        pytest.param(("params", 0), "shapes", ["as x"], id="a shape in words"),
        pytest.param(("params", 0), "doc_name", "x of the page", id="a name of several words"),
        pytest.param(("params", 0), "code_accepts", {"rank": [9]}, id="an unknown key of what the code accepts"),
        pytest.param(("params", 1), "rank", [0, 8], id="the rank of a number"),
        pytest.param(("params", 1), "name", "x", id="a name twice"),
        pytest.param(("refusals", 0), 0, 161003, id="a status that does not exist"),
        pytest.param(("refusals", 0), 1, ["y"], id="a refusal of a parameter that does not exist"),
        pytest.param(("refusals", 0), 2, "ranks", id="an unknown kind of refusal"),
        pytest.param(("refusals", 0), 3, {"most": 8}, id="an unknown detail"),
        pytest.param(("refusals", 0), 3, {"refused": "where it is larger than 8"}, id="a detail in words"),
    ],
)
def test_the_schema_refuses(where: tuple[str | int, ...], key: str | int, value: Any) -> None:
    line: Any = json.loads(json.dumps(GOOD))
    target = line
    for step in where:
        target = target[step]
    target[key] = value
    assert schema.broken(line) != []


# the reader


def test_an_import_reads_no_data() -> None:
    source = (
        "import sys, aclnn\n"
        "assert 'aclnn.catalogue.facts' not in sys.modules\n"
        "import aclnn.catalogue.facts as reader\n"
        "assert reader._content.cache_info().currsize == 0\n"
        "reader.facts('aclnnArange')\n"
        "assert 0 < reader._content.cache_info().currsize < 24\n"
    )
    subprocess.run([sys.executable, "-c", source], check=True)


def test_the_reader_says_what_the_files_say() -> None:
    for each in every():
        fact = raw()[each.name]
        assert each.name in in_file(each.category)
        assert each.header == fact["header"]
        assert [param.name for param in each.params] == [param["name"] for param in fact["params"]]
        assert {product for product in PRODUCTS if each.supports(product)} == set(fact.get("supported", ()))
        assert {product for product in PRODUCTS if each.supports(product) is False} == set(fact.get("unsupported", ()))
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


@pytest.mark.parametrize(
    "key", ["experimental", "undocumented", "older_tree", "phase2_undeclared", "deterministic_switch"]
)
def test_a_mark_of_a_function_is_false_unless_given(key: str) -> None:
    marked = [each.name for each in every() if getattr(each, key)]
    assert marked == [name for name in names() if raw()[name].get(key, False)] != []


def test_the_promoted_types_are_those_of_the_file() -> None:
    assert sum(bool(read.promoted_dtypes) for _, read in every_parameter()) == 2
    for given, read in every_parameter():
        assert [each.name for each in read.promoted_dtypes] == [f"ACL_{x}" for x in given.get("promoted_dtypes", ())]


def test_data_types_on_each_product_are_the_document_s_and_the_code_s() -> None:
    for given, read in every_parameter():
        for product in PRODUCTS:
            found = read.dtypes_on(product)
            if "dtypes" not in given:
                assert found is None
                continue
            allowed = set(given["dtypes"]) - set(given.get("without", {}).get(product, ()))
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


def test_the_c_type_of_each_parameter_can_be_expressed() -> None:
    spellings = {param.type for each in every() for param in each.params}
    assert {spelling for spelling in spellings if c_type(spelling).spelling != spelling} == set()


@pytest.mark.parametrize(
    ("spelling", "given", "received"),
    [
        ("int8_t", 200, -56),
        ("const int", 1 << 31, -(1 << 31)),
        ("int32_t", -1, -1),
        ("uint32_t", -1, (1 << 32) - 1),
        ("const int64_t", 1 << 63, -(1 << 63)),
        ("uint64_t", -1, (1 << 64) - 1),
        ("const float", 1, 1.0),
        ("const bool", 2, True),
        ("char *", b"sum", "sum"),
    ],
)
def test_a_number_wraps_to_the_width_of_its_c_type(spelling: str, given: Any, received: Any) -> None:
    assert c_type(spelling).convert(given) == received


@pytest.mark.parametrize(
    ("spelling", "variable"),
    [
        ("int *", ctypes.c_int32),
        ("uint64_t *", ctypes.c_uint64),
        ("uint64_t &", ctypes.c_uint64),
        ("int8_t **", ctypes.POINTER(ctypes.c_int8)),
        ("uint8_t **", ctypes.POINTER(ctypes.c_uint8)),
        ("int64_t **", ctypes.POINTER(ctypes.c_int64)),
        ("uint64_t **", ctypes.POINTER(ctypes.c_uint64)),
    ],
)
def test_a_helper_writes_through_a_pointer_of_the_right_type(spelling: str, variable: type[Any]) -> None:
    written = variable()
    out = c_type(spelling).convert(ctypes.byref(written))
    if spelling.endswith("**"):
        out.store_address(7)
        written = ctypes.cast(written, ctypes.c_void_p)
    else:
        out.store(7)
    assert written.value == 7
    with pytest.raises(TypeError, match="byref"):
        c_type(spelling).convert(ctypes.byref(ctypes.c_float()))


def test_a_c_type_of_no_parameter_is_refused() -> None:
    with pytest.raises(ValueError, match="no parameter of the catalogue has the C type 'aclTensor'"):
        c_type("aclTensor")


# single facts, each of another kind


@pytest.mark.parametrize(
    ("product", "bfloat16"), [(Series.A2, True), (Series.TRAINING, False), ("A3", True), ("910", False), ("950", True)]
)
def test_add_takes_bfloat16_by_product(product: Series | str, bfloat16: bool) -> None:
    found = facts("aclnnAdd").param("self").dtypes_on(product)
    assert found is not None
    assert (D.ACL_BF16 in found) is bfloat16


def test_add_by_product() -> None:
    add = facts("aclnnAdd")
    assert add.products == (Series.TRAINING, Series.A2, Series.A3)
    assert add.supports("950") is True
    assert add.supports(Series.INFERENCE) is False


def test_a_product_that_the_document_does_not_name_is_neither() -> None:
    nothing = [each for each in every() if not each.supported and not each.unsupported]
    assert len(nothing) == 39
    assert {each.supports(product) for each in nothing for product in PRODUCTS} == {None}


def test_some_functions_have_one_phase_only() -> None:
    single = [each.name for each in every() if each.phases == 1]
    assert len(single) == 11
    assert "aclnnCalculateMatmulWeightSize" in single


def test_the_second_phase_differs_as_the_headers_say() -> None:
    assert sum(each.const_stream for each in every()) == 218
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


def test_determinism_by_product() -> None:
    assert facts("aclnnAdd").deterministic_on(Series.A2) is True
    by_product = [each for each in every() if isinstance(each.deterministic, dict)]
    assert len(by_product) == 35
    for each in by_product:
        assert [each.deterministic_on(product) for product in PRODUCTS] == [
            raw()[each.name]["deterministic"].get(product) for product in PRODUCTS
        ]


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
        facts("aclnnAdd").supports("A5")


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
    assert set(case.op.series) == set(facts(case.op.c_name()).products)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_class_accepts_the_data_types_of_the_facts(case: Any) -> None:
    found = facts(case.op.c_name())
    more, fewer = set[str](), set[str]()
    for declared, documented in zip(case.op.params, found.params, strict=True):
        for series in found.products:
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
    assert len(exported) == len(CASES)

"""The data files of the catalogue have the schema, and each key is explained."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from aclnn.catalogue.index import DATA, names
from tests.aclnn.catalogue import schema
from tests.aclnn.catalogue.lines import COUNTS, in_file, raw


def test_there_is_a_file_for_each_category() -> None:
    assert sorted(path.name for path in Path(DATA).iterdir()) == sorted(f"{category}.jsonl" for category in COUNTS)


@pytest.mark.parametrize("category", COUNTS)
def test_each_line_has_the_schema(category: str) -> None:
    assert {name: found for name, fact in in_file(category).items() if (found := schema.broken(fact))} == {}


@pytest.mark.parametrize("category", COUNTS)
def test_a_file_is_ascii_compact_and_sorted_by_name(category: str) -> None:
    text = (Path(DATA) / f"{category}.jsonl").read_text(encoding="ascii")
    assert text == "".join(json.dumps(fact, separators=(",", ":")) + "\n" for fact in in_file(category).values())
    assert list(in_file(category)) == sorted(in_file(category))
    assert len(in_file(category)) == COUNTS[category]


def test_each_function_has_one_line() -> None:
    assert len(raw()) == sum(COUNTS.values()) == 1146
    assert names() == tuple(sorted(raw()))


@pytest.mark.parametrize("schema_of", [schema.FUNCTION, schema.PARAMETER], ids=["function", "parameter"])
def test_each_key_of_the_schema_is_used_and_in_the_order_of_the_line(schema_of: dict[str, Any]) -> None:
    keys = [list(fact) for fact in raw().values()]
    if schema_of is schema.PARAMETER:
        keys = [list(param) for fact in raw().values() for param in fact["params"]]
    assert {key for each in keys for key in each} == set(schema_of)
    assert [each for each in keys if not schema.in_order(list(schema_of))(each)] == []


def test_every_status_that_a_document_lists_is_one_of_the_headers() -> None:
    rows = [(name, row[0]) for name, fact in raw().items() for row in fact.get("refusals", ())]
    assert len(rows) > 1000
    assert [each for each in rows if each[1] not in schema.STATUSES] == []


def test_every_key_is_explained_on_the_page_of_the_package() -> None:
    page = sys.modules["aclnn.catalogue"].__doc__ or ""
    keys = {*schema.FUNCTION, *schema.PARAMETER, *schema.CODE_ACCEPTS, *schema.DETAIL}
    assert [key for key in keys if f"`{key}`" not in page] == []


GOOD: dict[str, Any] = {
    "name": "aclnnFoo",
    "header": "aclnnop/aclnn_foo.h",
    "products": {
        "910": "documented",
        "310P": "works",
        "310B": "refused",
        "A2": "documented",
        "A3": "open",
        "950": "unknown",
    },
    "sources": {"310P": "ggml"},
    "gate": [161002, "nulls"],
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
        pytest.param((), "undocumented", False, id="a default that is written out"),
        pytest.param((), "undocumented", 1, id="a number for a truth value"),
        pytest.param((), "header", "aclnn_Foo.h", id="a header with capitals"),
        pytest.param((), "products", {"A2": "documented"}, id="products that are missing"),
        pytest.param(("products",), "310P", "yes", id="a support that does not exist"),
        pytest.param(("products",), "310P", "open", id="a source of nothing"),
        pytest.param(("products",), "310B", "open", id="a refusal by no product"),
        pytest.param((), "sources", {"310P": "it was seen to run there"}, id="a source in a sentence"),
        pytest.param((), "gate", [161003, "nulls"], id="a refusal with a status that does not exist"),
        pytest.param((), "gate", [161002, "somewhere"], id="a refusal at a place that does not exist"),
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

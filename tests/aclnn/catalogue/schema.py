"""The schema of the catalogue's data files: for each key, the values that it may have. It does not use the reader."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from acl_runtime.headers import statuses
from acl_runtime.headers.dtype_names import format_name
from acl_runtime.headers.enums import aclDataType, aclFormat

Judge = Callable[[Any], bool]
MOST_WORDS = 12
SOURCED = {"documented-older", "works", "works-likely"}
"""how a product supports a function, where a source says so"""
REFUSED = {"refused", "refused-device"}
SUPPORTS = {"documented", "open", "unknown", "no-kernel", *SOURCED, *REFUSED}
PLACES = {"first", "early", "nulls", "last"}
PRODUCTS = ["910", "310P", "310B", "A2", "A3", "950"]
DTYPES = {each.name.removeprefix("ACL_") for each in aclDataType} - {"DT_UNDEFINED", "STRING", "UINT1"}
WITHOUT_NUMBER = {"DHWCN"}
"""formats that documents name and acl has no number for: no tensor can have them"""
FORMATS = {format_name(each) for each in aclFormat} - {"UNDEFINED"} | WITHOUT_NUMBER
STATUSES = {value for name, value in vars(statuses).items() if name.startswith("ACLNN_ERR_") and isinstance(value, int)}
KINDS = set(
    """
    null dtype promote cast same-dtype same-shape same-rank same-format broadcast shape rank axis size range value
    format empty noncontiguous product internal other
    """.split()
)
RELATIONS = """
    same_dtype same_shape same_rank same_format promotes_with promoted_from castable_from castable_to broadcasts_with
    shape_broadcast_of
    """.split()


def true(value: Any) -> bool:
    return value is True


def is_bool(value: Any) -> bool:
    return isinstance(value, bool)


def matches(pattern: str) -> Judge:
    return lambda value: isinstance(value, str) and re.fullmatch(pattern, value) is not None


def one_of(*values: Any) -> Judge:
    return lambda value: any(value is each or (value == each and isinstance(value, str)) for each in values)


def list_of(judge: Judge, *, least: int = 1) -> Judge:
    return lambda value: (
        isinstance(value, list)
        and len(value) >= least
        and all(map(judge, value))
        and len(value) == len(distinct(value))
    )


def distinct(value: list[Any]) -> set[str]:
    return {json.dumps(each) for each in value}


def in_order(names: list[str]) -> Judge:
    return lambda value: value == [each for each in names if each in value]


def by_product(judge: Judge) -> Judge:
    return lambda value: (
        isinstance(value, dict) and bool(value) and in_order(PRODUCTS)(list(value)) and all(map(judge, value.values()))
    )


def number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def rising(value: Any) -> bool:
    return list_of(number)(value) and value == sorted(value)


def interval(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(number, value)) and value[0] <= value[1]


def rank(value: Any) -> bool:
    return interval(value) or (isinstance(value, list) and len(value) == 2 and number(value[0]) and value[1] is None)


def anything(value: Any) -> bool:
    return True


def either(*judges: Judge) -> Judge:
    return lambda value: any(judge(value) for judge in judges)


def null(value: Any) -> bool:
    return value is None


dtypes = list_of(one_of(*DTYPES))
formats = list_of(one_of(*FORMATS))
identifier = matches(r"[A-Za-z_]\w*")
c_name = matches(r"(const )?[a-zA-Z]\w*( (\*{1,2}|&))?")

FUNCTION: dict[str, Judge] = {
    "name": matches(r"acl(nn)?[A-Z]\w*"),
    "header": matches(r"(aclnnop/)?acl(nn)?_[a-z0-9_]+\.h"),
    "undocumented": true,
    "older_tree": true,
    "products": lambda value: isinstance(value, dict) and list(value) == PRODUCTS and set(value.values()) <= SUPPORTS,
    "sources": by_product(matches(r"CANN [\w.]+|[\w-]+( [\w-]+){0,2}")),
    "gate": lambda value: isinstance(value, list) and len(value) == 2 and value[0] in STATUSES and value[1] in PLACES,
    "phases": lambda value: number(value) and value == 1,
    "const_workspace_size": true,
    "workspace_size_name": one_of("workspace_size"),
    "const_stream": true,
    "phase2_undeclared": true,
    "deterministic": either(one_of(False, None), by_product(is_bool)),
    "deterministic_switch": true,
    "params": lambda value: isinstance(value, list),
    "refusals": lambda value: isinstance(value, list) and bool(value),
}
PARAMETER: dict[str, Judge] = {
    "name": identifier,
    "type": c_name,
    "doc_name": identifier,
    "io": one_of("out", "inout", None),
    "optional": true,
    "dtypes": dtypes,
    "without": by_product(dtypes),
    "also": by_product(dtypes),
    "promoted_dtypes": dtypes,
    **dict.fromkeys(RELATIONS, list_of(identifier)),
    "formats": either(null, lambda value: formats(value) and value != ["ND"]),
    "formats_without": by_product(formats),
    "rank": rank,
    "ranks": rising,
    "rank_by_case": true,
    "shapes": list_of(matches(r"\([\w+*/^(),-]*\)")),
    "noncontiguous": one_of(False, None),
    "empty": is_bool,
    "code_accepts": lambda value: isinstance(value, dict) and bool(value) and not broken_keys(value, CODE_ACCEPTS),
}
CODE_ACCEPTS: dict[str, Judge] = {"dtypes": by_product(dtypes), "ranks": rising, "null": true}
DETAIL: dict[str, Judge] = {
    "max": number,
    "min": number,
    "in": interval,
    "refused": matches(r"\w+(<=|>=|!=|<|>)\d+"),
    "conditional": true,
}
TENSORS_ONLY = {"formats", "formats_without", "rank", "ranks", "noncontiguous", "empty", "shapes"}


def broken_keys(value: Mapping[str, Any], schema: Mapping[str, Judge]) -> list[str]:
    """Unknown keys, and keys with a value that they may not have."""
    return [key for key, each in value.items() if key not in schema or not schema[key](each)]


def broken(fact: Mapping[str, Any]) -> list[str]:
    """All that is wrong with a function, as short texts."""
    found = broken_keys(fact, FUNCTION) + [
        f"no {key}" for key in ("name", "header", "products", "params") if key not in fact
    ]
    found += ["words"] * any(len(each.split()) > MOST_WORDS for each in texts(fact))
    support: dict[str, str] = fact.get("products", {})
    found += ["sources"] * ({key for key, each in support.items() if each in SOURCED} != set(fact.get("sources", ())))
    found += ["gate"] * (REFUSED.isdisjoint(support.values()) == ("gate" in fact))
    found += ["phases"] * (fact.get("phases") == 1 and bool(second_phase_keys(fact)))
    params: list[dict[str, Any]] = fact.get("params", [])
    names = [param.get("name", "") for param in params]
    found += ["names"] * (len(set(names)) < len(names))
    for param in params:
        found += [f"{param.get('name')}: {each}" for each in broken_parameter(param, names)]
    for row in fact.get("refusals", ()):
        found += [f"refusal: {each}" for each in broken_refusal(row, names)]
    return found


def second_phase_keys(fact: Mapping[str, Any]) -> set[str]:
    return {"const_workspace_size", "workspace_size_name", "const_stream", "phase2_undeclared"} & set(fact)


def broken_parameter(param: Mapping[str, Any], names: list[str]) -> list[str]:
    found = broken_keys(param, PARAMETER) + [f"no {key}" for key in ("name", "type") if key not in param]
    found += [key for key in RELATIONS if set(param.get(key, ())) - set(names) or param["name"] in param.get(key, ())]
    if "aclTensor" not in param.get("type", ""):
        found += sorted(TENSORS_ONLY & set(param))
    listed = set(param.get("dtypes", ()))
    found += ["without"] * any(set(each) - listed for each in param.get("without", {}).values())
    found += ["also"] * any(set(each) & listed for each in param.get("also", {}).values())
    if "ranks" in param:
        found += ["ranks"] * (param.get("rank") != [min(param["ranks"]), max(param["ranks"])])
    found += ["dtypes"] * bool({"without", "also"} & set(param) and "dtypes" not in param)
    return found


def broken_refusal(row: Any, names: list[str]) -> list[str]:
    if not isinstance(row, list) or len(row) not in (3, 4):
        return ["length"]
    found = ["status"] * (row[0] not in STATUSES) + ["kind"] * (row[2] not in KINDS)
    found += ["params"] * (not list_of(identifier, least=0)(row[1]) or bool(set(row[1]) - set(names)))
    return found + (broken_keys(row[3], DETAIL) or ["empty detail"] * (not row[3]) if len(row) == 4 else [])


def texts(value: Any) -> list[str]:
    """All texts in a value, keys included."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for key, each in value.items() for text in (key, *texts(each))]
    return [text for each in value for text in texts(each)] if isinstance(value, list) else []

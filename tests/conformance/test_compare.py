"""Two answers to one call, and the rows of docs/fidelity.md that a difference touches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from aclnn.tools.conformance import compare
from aclnn.tools.conformance.answers import verdict
from aclnn.tools.conformance.rows import GENERAL, rows, touched

REFUSED = {"status": 161001, "text": "[PID: 1] AclNN_Parameter_Error(EZ1001): self is null"}
RAN = {"status": 0, "workspace": 0, "launch": 0, "wait": 0}
ANSWERS = {
    "the same": (REFUSED, REFUSED, ""),
    "another wording": (REFUSED, {**REFUSED, "text": "EZ1001: other words"}, ""),
    "another workspace": (RAN, {**RAN, "workspace": 512}, ""),
    "another status": (REFUSED, {**REFUSED, "status": 161002}, "status"),
    "accepted": (RAN, REFUSED, "status"),
    "another code": (REFUSED, {**REFUSED, "text": "EZ9999"}, "code of the error text"),
    "no text": (REFUSED, {"status": 161001, "text": ""}, "code of the error text"),
    "another launch": ({**RAN, "launch": 561003}, RAN, "launch"),
    "another wait": ({**RAN, "wait": 507015}, RAN, "wait"),
    "a crash": ({"ended": "SIGSEGV"}, RAN, "end of the process"),
    "results that only one has": ({**RAN, "results": [[0, "00"]]}, RAN, "number of results"),
}


@pytest.mark.parametrize("case", ANSWERS)
def test_the_first_part_that_differs_is_named(case: str) -> None:
    theirs, ours, what = ANSWERS[case]
    assert verdict({"arguments": []}, theirs, ours).what == what


RESULTS: dict[str, tuple[int, Any, Any, bool]] = {
    "the last bit": (ACL_FLOAT, [1.0, 3.0], [1.0, np.nextafter(np.float32(3), np.float32(4))], True),
    "eleven bits": (ACL_FLOAT, [1.0, 1.0], [1.0, 1 + 2.0**-11], True),
    "ten bits": (ACL_FLOAT, [1.0, 1.0], [1.0, 1 + 2.0**-9], False),
    "small beside the largest": (ACL_FLOAT, [1e-6, 1.0], [0.0, 1.0], True),
    "NaN in both": (ACL_FLOAT, [np.nan, 1.0], [np.nan, 1.0], True),
    "NaN in one": (ACL_FLOAT, [np.nan, 1.0], [1.0, 1.0], False),
    "infinity in one": (ACL_FLOAT, [np.inf, 1.0], [1.0, 1.0], False),
    "the signs of zero": (ACL_FLOAT, [0.0, 1.0], [-0.0, 1.0], True),
    "zeros alone": (ACL_FLOAT, [1e-30, 0.0], [0.0, 0.0], False),
    "half": (ACL_FLOAT16, [1.0, 1.0], [1.0, 1.001], True),
    "half, far": (ACL_FLOAT16, [1.0, 1.0], [1.0, 1.01], False),
    "integers": (ACL_INT32, [1, 2], [1, 3], False),
    "the last bit of a large integer": (ACL_INT64, [1 << 60, 2], [(1 << 60) + 1, 2], False),
    "bool": (ACL_BOOL, [True, False], [True, True], False),
}
NUMPY = {ACL_FLOAT: np.float32, ACL_FLOAT16: np.float16, ACL_INT32: np.int32, ACL_INT64: np.int64, ACL_BOOL: np.bool_}


@pytest.mark.parametrize("case", RESULTS)
def test_floats_agree_nearly_and_everything_else_exactly(case: str) -> None:
    dtype, theirs, ours, agrees = RESULTS[case]
    one, other = (np.array(values, NUMPY[dtype]).tobytes().hex() for values in (theirs, ours))
    call = {"arguments": [None, ["tensor", [2], dtype, 2, [1], 0, [2], one]]}
    found = verdict(call, {**RAN, "results": [[1, one]]}, {**RAN, "results": [[1, other]]})
    assert found.agrees == agrees
    assert agrees or found.what == "argument 2 after the run"


def report(*answers: Any) -> dict[str, Any]:
    calls = [{"id": f"aclnnAdd: call {at}", "function": "aclnnAdd", "arguments": []} for at in range(len(answers))]
    return {"product": "Ascend910B1", "runtime": "1.2.3", "kit": "1", "calls": calls, "answers": list(answers)}


def test_a_function_that_is_absent_there_is_no_difference() -> None:
    theirs = report({"absent": "aclnnAdd"}, {"absent": "aclnnAdd"})
    functions = compare.compare(theirs, report(RAN, RAN))
    assert [(each.absent, each.differences) for each in functions] == [(2, [])]
    assert "absent there: aclnnAdd" in "\n".join(compare.text(theirs, functions, whole=False))


def test_a_difference_names_call_answers_and_row() -> None:
    theirs = report(RAN, REFUSED)
    lines = list(compare.text(theirs, compare.compare(theirs, report(RAN, RAN)), whole=False))
    assert "aclnnAdd: 1 of 2 calls agree" in lines
    assert "    status: 161001 there, 0 here" in lines
    assert lines[1].endswith("1 agree, 1 differ")


def test_rows_are_found_by_the_name_of_a_function() -> None:
    assert "smallest norm in aclnnRenorm" in {row.name for row in touched("aclnnRenorm", set())}
    assert touched("aclnnRenor", set()) == []


def test_the_general_rows_exist() -> None:
    assert set(GENERAL.values()) <= {row.name for row in rows()}

"""Every formula has evidence, and a fixed share of it is found again. `.ci/run` runs the whole oracle."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest

import aclnn
from aclnn.catalogue.evidence import LEVELS, evidence
from aclnn.catalogue.index import names
from aclnn.ops import EXACT
from aclnn.tools.command import ops
from aclnn.tools.pages import operators as pages
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.elementwise import routes_arithmetic as arithmetic
from tests.derived.good import subject
from tests.derived.launching import place, silent
from tests.oracle import __main__ as command
from tests.oracle import route as ways
from tests.oracle.__main__ import main
from tests.oracle.cases import cases
from tests.oracle.compare import share
from tests.oracle.evidence import MUTATION, mutated
from tests.oracle.evidence import evidence as found_now
from tests.oracle.extremes import extreme
from tests.oracle.levels import PAGE, SENTENCE, counted
from tests.oracle.route import elements, has_torch, route
from tests.oracle.routes import compared, route_of, same_name

PART = 32
"""one of so many functions is compared again"""
AGAIN = [name for name in compared() if crc32(name.encode()) % PART == 0]


def test_every_function_with_a_formula_has_evidence() -> None:
    """`python -m tests.oracle --write` makes the file. Functions that lay out memory have tests of their own."""
    assert list(evidence()) == compared()


@pytest.mark.parametrize("name", compared())
def test_a_row_names_its_route_and_stays_within_the_bound(name: str) -> None:
    row = evidence()[name]
    assert row["route"] == route_of(name).named
    assert row["mutations"] == [MUTATION, *route_of(name).wrong]
    assert len(row["mutations"]) > 1
    assert row["error"]
    assert all(0 <= error <= 1 for error in row["error"].values()), row


@pytest.mark.parametrize("name", AGAIN)
def test_evidence_is_found_again(name: str) -> None:
    found = found_now(name, route_of(name))
    assert found.good, found
    assert set(found.errors) == set(evidence()[name]["error"])


def test_some_evidence_is_found_again() -> None:
    assert AGAIN


def test_swapped_operands_are_noticed() -> None:
    swapped = route("aclnnSub", "loop", elements(lambda self, other, alpha: arithmetic.difference(other, self, alpha)))
    assert not found_now("aclnnSub", swapped).good


def test_an_error_beyond_the_bound_is_noticed() -> None:
    exact, of = np.array([1.0, 2.0]), route("aclnnMul", "loop", lambda: None)
    four, five = (np.float32([1 + ulp * 2.0**-23, 2]) for ulp in (4, 5))
    assert share(four, exact, of, {}) == 1
    assert share(five, exact, of, {}) > 1
    assert share(np.array([1, 3]), np.array([1, 2]), of, {}) == np.inf
    assert share(np.float16([1, 2]), np.array([1, 2 + 2.0**-10]), of, {}) <= 1
    assert share(np.float16([1, 2]), np.array([1, 2 + 2.0**-9]), of, {}) > 1
    assert share(np.float32([1, np.nan]), exact, of, {}) == np.inf
    assert share(np.float32([[1, 2]]), exact, of, {}) == np.inf


def test_the_command_prints_a_row_for_each_function(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["oracle", "aclnnMul"])
    assert main() == 0
    row, end = capsys.readouterr().out.splitlines()
    assert row.split()[1:-1][: 3 if has_torch() else 2] == [*["torch.mul,"] * has_torch(), "loop", "ok"]
    assert "FLOAT16:" in row
    assert end == "0 of 1 failed, 0 skipped"
    with mutated():
        assert main() == 1
    assert "aclnnMul" in capsys.readouterr().out.splitlines()[-1]


def test_without_torch_its_routes_are_skipped_with_a_reason(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["oracle", "aclnnRelu"])
    monkeypatch.setattr(command, "has_torch", lambda: False)
    monkeypatch.setattr(command, "route_of", same_name)
    assert main() == 0
    assert "skipped: torch.relu needs torch" in capsys.readouterr().out


def test_without_torch_the_second_way_is_compared(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["oracle", "aclnnRelu"])
    for each in (command, ways):
        monkeypatch.setattr(each, "has_torch", lambda: False)
    assert main() == 0
    assert capsys.readouterr().out.split()[:3] == ["aclnnRelu", "loop", "ok"]


def test_every_function_is_compared_without_torch_too() -> None:
    assert [name for name in compared() if route_of(name).needs_torch] == []


@pytest.mark.parametrize(("name", "written"), [("aclnnAddmv", True), ("aclnnRelu", False)])
def test_without_torch_a_row_is_written_if_no_way_of_its_route_needs_torch(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, written: bool
) -> None:
    """A row names all ways. So the row of aclnnRelu, which torch computes as well, stays."""
    rows, page = tmp_path / "evidence.json", tmp_path / "fidelity.md"
    rows.write_text(json.dumps([{"function": each, "error": {}} for each in ("aclnnAddmv", "aclnnRelu")]))
    page.write_text("")
    monkeypatch.setattr(sys, "argv", ["oracle", name, "--write"])
    monkeypatch.setattr(command, "FILE", str(rows))
    monkeypatch.setattr(command, "PAGE", page)
    for each in (command, ways):
        monkeypatch.setattr(each, "has_torch", lambda: False)
    assert main() == 0
    assert ("skipped" not in capsys.readouterr().out.splitlines()[0]) == written
    assert [row["function"] for row in json.loads(rows.read_text()) if row["error"]] == [name] * written


# wrong formulas, extreme values


def test_a_formula_that_is_not_wrong_is_not_noticed() -> None:
    mul = elements(arithmetic.mul)
    floats = route("aclnnMul", "loop", mul, wrong={"the same": mul, "a square": elements(lambda self: self * self)})
    assert found_now("aclnnMul", floats).missed == ["the same"]


def test_a_wrong_formula_of_another_shape_does_not_count() -> None:
    flat = route(
        "aclnnMul", "loop", elements(arithmetic.mul), wrong={"flat": lambda self, other: np.zeros(self.size + 1)}
    )
    found = found_now("aclnnMul", flat)
    assert (found.missed, found.good) == (["flat"], False)


@pytest.mark.parametrize("name", [name for name in compared() if route_of(name).extremes])
def test_extreme_values_are_tried(name: str) -> None:
    given = route_of(name)
    wanted = {np.float32(extreme(each, "float32")) for names in given.extremes.values() for each in names}
    numbers = {value for value in wanted if not np.isnan(value)}
    tried: set[np.float32] = set()
    nan = False
    for drawn in cases(subject(name), given):
        for array in [each for arrays in drawn.arrays.values() for each in arrays if each.dtype == np.float32]:
            tried |= numbers.intersection(array.ravel().tolist())
            nan = nan or bool(np.isnan(array).any())
        if nan and tried == numbers:
            break  # later cases cannot change the answer
    assert tried == numbers
    assert nan == (len(wanted) > len(numbers))


@pytest.mark.parametrize("shape", [(2, 4), (5, 7, 7), (1, 1), (3, 1, 2)], ids=str)
def test_elements_of_a_tensor_with_gaps_lie_apart(shape: tuple[int, ...]) -> None:
    values = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    with silent(subject("aclnnMul")):
        np.testing.assert_array_equal(place(values, Meta(shape), loose=True).read(), values)


# levels


def test_levels_follow_from_the_evidence() -> None:
    levels = {name: getattr(aclnn, name).level for name in names()}
    assert {name for name, level in levels.items() if level == "computed"} == set(evidence())
    assert {name for name, level in levels.items() if level == "exact"} == set(EXACT)
    assert set(levels.values()) <= set(LEVELS)


def test_the_command_and_the_pages_show_levels() -> None:
    shown = {op["name"]: op["level"] for op in ops.facts()}
    assert shown == {name: getattr(aclnn, name).level for name in names()}
    assert f"computed: {LEVELS['computed']}" in " ".join(ops.text(ops.facts()).split())
    for name, text in {**pages.files(), **pages.from_facts()}.items():
        assert f"Level: [{shown[Path(name).stem]}](" in text(), name


def test_the_page_counts_the_levels() -> None:
    assert SENTENCE.findall(PAGE.read_text(encoding="utf-8")) == [counted()]

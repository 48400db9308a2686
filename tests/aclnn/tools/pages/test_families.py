"""The pages of the families of operators."""

import re

import pytest

from aclnn.catalogue.evidence import evidence
from aclnn.catalogue.index import names
from aclnn.ops import EXACT, FAMILIES, homes
from aclnn.tools.exports import has_kernel
from aclnn.tools.pages import families


@pytest.mark.checkout("pages are rendered there")
@pytest.mark.parametrize("family", FAMILIES)
def test_a_page_names_each_function_of_its_family_once(family: str) -> None:
    page = families.page(family)
    modules = page.partition("\n## Modules\n")[2].partition("\n## ")[0]
    listed = [word for word in re.findall(r"\bacl\w+(?=,| \|)", modules) if word in names()]
    assert sorted(listed) == sorted(name for name, home in homes().items() if f".{family}." in home)


@pytest.mark.checkout("pages are rendered there")
def test_worst_errors_are_those_of_the_evidence() -> None:
    page = families.page("elementwise")
    row = next(line for line in page.splitlines() if line.startswith("| aclnnAcos |"))
    _, way, error, dtype, *_ = [cell.strip() for cell in row.strip("|").split(" | ")]
    found = evidence()["aclnnAcos"]
    assert way == found["route"]
    assert float(error) == pytest.approx(max(found["error"].values()), abs=1e-3)
    assert found["error"][dtype] == max(found["error"].values())


@pytest.mark.checkout("pages are rendered there")
def test_special_cases_are_rows_of_the_fidelity_page() -> None:
    """A row belongs to the family whose tests hold it."""
    rows = dict(families.decided("norm"))
    assert rows["aclnnLayerNormBackward without rows"] == "gradWeightOut and gradBiasOut are 0"
    assert "aclnnLayerNormBackward without rows" not in dict(families.decided("matmul"))


def test_the_index_has_each_function_without_a_formula_once() -> None:
    listed = families.index().partition("\n## Functions without a formula\n")[2]
    without = [name for name in names() if not has_kernel(name)]
    assert sorted(re.findall(r"aclnn\w+", listed)) == sorted(without)
    assert f"| all | {len(names())} | {len(EXACT)} |" in families.index()

"""Writes docs/clients/torch_npu_chips.md: `python -m tests.clients.torch_npu.chips`. `test_chips.py` compares it.

The program trains a network on each chip, then tries everyday operators.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from aclnn.tools.pages.markdown import table
from tests.clients.torch_npu.environment import HERE, ROOT, environment, installed

PAGE = ROOT / "docs" / "clients" / "torch_npu_chips.md"
PROGRAM = HERE / "programs" / "chips.py"
CHIPS = ("Ascend310P3", "Ascend910A", "Ascend310B4", "Ascend910_9391", "Ascend950PR_9599")
"""one of each series besides A2, on which all other tests of the plugin run"""
PATIENCE = 300
TEXT = """\
# PyTorch's everyday operators by chip

On each of these chips, a network with a convolution, batch normalisation, pooling and a linear layer is trained with
cross entropy and Adam. Its losses are those of the CPU, to the precision of FLOAT16 where products are FLOAT16. All
layers are FLOAT, except the linear layer on 310B, which uses autocast. Then each of these operators is called.
`python -m tests.clients.torch_npu.chips` writes the page.
"""
NOTES = """\
- 561000, 561103: as on a device ([fidelity](../fidelity.md)).
- 161002: on 310B the plugin requests FLOAT products, and the library has only FLOAT16 products; they compute with
  `torch.autocast("npu", torch.float16)` or `.half()`. On 910 and 310P the plugin itself requests FLOAT16.
- Operators that no document lists for the chip compute with an advice:
  [unsupported-product](../findings/unsupported-product.md).
"""


def tried(python: Path, chip: str, folder: Path, given: Mapping[str, str]) -> dict[str, str]:
    """The answers of the operators on a chip, by name. AssertionError if the training fails."""
    command = [str(python), "-m", "aclnn", "run", "--npu", "--soc", chip, str(PROGRAM)]
    ran = subprocess.run(
        command, cwd=folder, env=environment(dict(given)), capture_output=True, encoding="utf-8", check=False,
        timeout=PATIENCE,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    answers = (line.partition(": ") for line in ran.stdout.splitlines() if ": " in line)
    return {name: answer for name, _, answer in answers}


def page(columns: Mapping[str, Mapping[str, str]]) -> str:
    """The page, from the answers by chip."""
    names = next(iter(columns.values()))
    rows = ((f"`{name}`", *(column[name] for column in columns.values())) for name in names)
    return "\n".join([TEXT, table(("operator", *columns), rows), "", NOTES])


def written() -> dict[str, dict[str, str]]:
    """The answers of the page, by chip."""
    head, _, *rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows]
    chips = [cell.strip() for cell in head.strip("|").split("|")][1:]
    return {chip: {row[0].strip("`"): row[at] for row in cells} for at, chip in enumerate(chips, 1)}


if __name__ == "__main__":
    PAGE.write_text(page({chip: tried(installed(), chip, ROOT, {}) for chip in CHIPS}), encoding="utf-8")

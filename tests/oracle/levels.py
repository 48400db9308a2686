"""The sentence of docs/fidelity.md that counts the functions of each level."""

from __future__ import annotations

import json
import re
from pathlib import Path

from aclnn.catalogue.evidence import FILE
from aclnn.catalogue.index import names
from aclnn.ops import EXACT

PAGE = Path(__file__).resolve().parents[2] / "docs" / "fidelity.md"
SENTENCE = re.compile(r"The catalogue has [\d,]+ functions: [^.]*\.")


def counted() -> str:
    """The sentence, from the catalogue and the evidence."""
    every, exact, computed = len(names()), len(EXACT), len(json.loads(Path(FILE).read_text(encoding="utf-8")))
    rest = every - exact - computed
    return (
        f"The catalogue has {every:,} functions: {exact} are exact, {computed:,} are computed, {rest:,} are catalogued."
    )

"""The lines of the data files, and the facts that the reader makes of them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from aclnn.catalogue.facts import Facts, Parameter, facts
from aclnn.catalogue.index import DATA, names

COUNTS = {
    "cv_image": 38, "cv_objdetect": 8, "math_conversion": 65, "math_math": 294, "math_random": 29,
    "nn_activation": 85, "nn_control": 1,
    "nn_conv": 9, "nn_foreach": 78, "nn_index": 67, "nn_loss": 29, "nn_matmul": 49, "nn_norm": 55, "nn_optim": 9,
    "nn_pooling": 19, "nn_quant": 46, "nn_rnn": 8, "nn_vfusion": 6, "transformer_attention": 101,
    "transformer_ffn": 6, "transformer_gmm": 21, "transformer_mamba": 2, "transformer_mc2": 64, "transformer_mhc": 8,
    "transformer_moe": 32, "transformer_posembedding": 17,
}  # fmt: skip


@cache
def raw() -> dict[str, dict[str, Any]]:
    return {name: fact for category in COUNTS for name, fact in in_file(category).items()}


@cache
def in_file(category: str) -> dict[str, dict[str, Any]]:
    lines = (Path(DATA) / f"{category}.jsonl").read_text(encoding="ascii").splitlines()
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

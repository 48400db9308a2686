"""aclnnFusedInferAttentionScore...GetMaxWorkspaceSize: the checks of the first phase, and a size for all lengths."""

from __future__ import annotations

import random
from typing import Any

import pytest

import aclnn
from acl_runtime import *
from aclnn import *
from tests.aclnn.ops.case import A2, Meta, board
from tests.derived.good import subject
from tests.derived.launching import handle, planned
from tests.derived.values import Values
from tests.helpers.builders import Planned, plan

BATCHES, HEADS, SIZE, ROWS, BLOCKS, COLUMNS = 3, 2, 16, 128, 8, 2
NAMES = ["", "V2", "V3", "V4", "V5"]
HALF = ACL_FLOAT16


def largest(name: str, call: dict[str, Any]) -> Planned:
    this = subject(name)
    function = getattr(aclnn, f"{name}GetMaxWorkspaceSize")
    return plan(function, *(handle(param, call[param.printed]) for param in this.op.params))


def in_blocks(end: str, lengths: list[int]) -> dict[str, Any]:
    cache = (Meta((BLOCKS, ROWS, HEADS * SIZE), HALF),)
    query = Meta((BATCHES, 1, HEADS * SIZE), HALF)
    return {
        "query": query, "key": cache, "value": cache, "attentionOut": query, "inputLayout": "BSH", "numHeads": HEADS,
        "numKeyValueHeads": HEADS, "blockSize": ROWS, f"blockTable{end}": Meta((BATCHES, COLUMNS), ACL_INT32),
        f"actualSeqLengthsKv{end}": Values(tuple(lengths)),
    }  # fmt: skip


def dense(end: str, lengths: list[int]) -> dict[str, Any]:
    keys = (Meta((BATCHES, HEADS, ROWS * COLUMNS, SIZE), HALF),)
    query = Meta((BATCHES, HEADS, 5, SIZE), HALF)
    return {
        "query": query, "key": keys, "value": keys, "attentionOut": query, "inputLayout": "BNSD", "numHeads": HEADS,
        "numKeyValueHeads": HEADS, f"actualSeqLengthsKv{end}": Values(tuple(lengths)),
    }  # fmt: skip


def bare(name: str) -> dict[str, Any]:
    """The good call without optional tensors and lengths."""
    good = dict(subject(name).good)
    optional = (
        key for key in good if key.endswith("Optional") or key.startswith(("pseShift", "attenMask", "actualSeq"))
    )
    return good | dict.fromkeys(optional) | {"softmaxLseFlag": False, "softmaxLse": None, "sparseMode": 0}


@pytest.mark.fidelity("the largest lengths in aclnnFusedInferAttentionScoreGetMaxWorkspaceSize")
@pytest.mark.parametrize("made", [in_blocks, dense])
@pytest.mark.parametrize("version", NAMES)
def test_the_size_is_enough_for_all_lengths(version: str, made: Any) -> None:
    name, end, drawn = f"aclnnFusedInferAttentionScore{version}", "Optional" if version else "", random.Random(0)
    longest = [ROWS * COLUMNS] * BATCHES
    with board(A2):
        sizes = set()
        for lengths in (longest, *([drawn.randint(1, longest[0]) for _ in longest] for _ in range(20))):
            call = bare(name) | made(end, lengths)
            size = largest(name, call)
            assert size.status == ACL_SUCCESS, size.text
            sizes.add(size.workspace_size)
            assert planned(subject(name), call).workspace_size <= size.workspace_size, lengths
    assert len(sizes) == 1


@pytest.mark.parametrize("version", NAMES)
def test_the_refusals_are_those_of_the_first_phase(version: str) -> None:
    name, end = f"aclnnFusedInferAttentionScore{version}", "Optional" if version else ""
    good = bare(name) | in_blocks(end, [1, 2, 3])
    for chip, changes in (
        (A2, {"query": None}), (A2, {"attentionOut": None}), (A2, {"query": Meta((BATCHES, 1, 32), ACL_INT64)}),
        (A2, {f"actualSeqLengthsKv{end}": Values((1, 2, 257))}), (A2, {"blockSize": 100}),
        *(() if version == "V5" else (("Ascend950PR_9579", {}),)),
    ):  # fmt: skip
        with board(chip):
            first, size = planned(subject(name), good | changes), largest(name, good | changes)
            assert first.status not in (ACL_SUCCESS, 0)
            assert (size.status, size.workspace_size) == (first.status, first.workspace_size), changes

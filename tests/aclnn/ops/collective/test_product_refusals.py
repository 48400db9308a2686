"""Refusals of the products that meet other ranks, where two arguments, the strides, or the ranks matter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from tests.helpers.builders import on_device
from tests.helpers.rank_operators import RankCall
from tests.helpers.ranks import world

HALF, I8 = np.float16, np.int8
P, T = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_INNER_TILING_ERROR
INFERENCE = "Ascend310P1"


def zeros(*shape: int, dtype: Any = HALF) -> Any:
    return np.zeros(shape, dtype)


def call(m: int = 4, k: int = 256, n: int = 2, dtype: Any = HALF, **more: Any) -> dict[str, Any]:
    output = more.pop("output", zeros(m, n))
    return {"x1": zeros(m, k, dtype=dtype), "x2": zeros(k, n, dtype=dtype), "output": output, **more}


def gapped(*shape: int) -> Any:
    """Rows with a gap behind each."""
    return lambda: on_device(zeros(*shape), strides=(shape[1] + 1, 1))


SCALES = {"x1Scale": zeros(4, dtype=np.float32), "x2Scale": zeros(2, dtype=np.float32)}
GATHERED, SCATTERED = {"output": zeros(8, 2), "gatherOut": zeros(0)}, {"output": zeros(2, 2)}
REFUSED: list[tuple[str, str, int, dict[str, Any]]] = [
    *((name, "x1", P, call(k=k, **outputs)) for k in (255, 65535) for name, outputs in (
        ("AllGatherMatmul", GATHERED), ("AllGatherMatmulV2", GATHERED), ("MatmulReduceScatter", SCATTERED),
        ("MatmulReduceScatterV2", SCATTERED),
    )),
    *((name, "x1", P, call(dtype=I8, **outputs, **{**SCALES, missing: None}))
      for missing in SCALES for name, outputs in (
        ("AllGatherMatmulV2", GATHERED), ("MatmulReduceScatterV2", SCATTERED),
    )),
    *((name, wrong, P, call(dtype=I8, **outputs, **{**SCALES, wrong: zeros(3, dtype=np.float32)}))
      for wrong in SCALES for name, outputs in (
        ("AllGatherMatmulV2", GATHERED), ("MatmulReduceScatterV2", SCATTERED),
    )),
    *((name, "x2", P, call(**outputs, x2=gapped(256, 2))) for name, outputs in (
        ("AllGatherMatmul", GATHERED), ("MatmulReduceScatter", SCATTERED), ("MatmulAllReduce", {}),
        ("MatmulAllReduceV2", {}), ("MatmulAllReduceV3", {}),
    )),
    ("MatmulReduceScatter", "x1", T, call(m=3, output=zeros(1, 2))),
    ("MatmulReduceScatterV2", "x1", T, call(m=3, output=zeros(1, 2))),
    ("MatmulAllReduce", "group", T, call(group="nobody")),
    *((f"QuantMatmulAllReduce{version}", "x1", P, call(
        dtype=I8, dequantScale=zeros(1, 2, dtype=np.float32), x2Scale=zeros(2, dtype=np.float32),
        commQuantScale1Optional=zeros(1, 2))) for version in ("V3", "V4", "V5")),
    *((f"{name}{version}", "group", P, call(group=group)) for group in ("", 128 * "g") for version in ("", "V2")
      for name in ("AlltoAllMatmul", "MatmulAlltoAll")),
    *((f"AlltoAllMatmul{version}", "x1", T, call(m=3)) for version in ("", "V2")),
    *((f"MatmulAlltoAll{version}", "x2", T, call(n=3)) for version in ("", "V2")),
]  # fmt: skip


def made(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value() if callable(value) else value for name, value in values.items()}


def test_refusals() -> None:
    with world(2, on_undefined="report") as (_, ranks):
        for name, parameter, status, values in REFUSED:
            planned = RankCall(ranks[0], f"aclnn{name}", made(values)).planned
            assert (planned.status, f"parameter: {parameter}," in planned.text) == (status, True), planned.text


@pytest.mark.parametrize("version", ["V2", "V3"])
def test_310p_has_no_addend(version: str) -> None:
    with world(1, soc=INFERENCE) as (_, ranks):
        name, addend = f"aclnnMatmulAllReduce{version}", zeros(4, 2)
        assert RankCall(ranks[0], name, call()).planned.status == ACL_SUCCESS
        assert RankCall(ranks[0], name, call(x3=addend)).planned.status == P


def test_an_empty_output_needs_no_group() -> None:
    with world(1) as (_, ranks):
        found = RankCall(ranks[0], "aclnnMatmulAllReduce", call(m=0, group="nobody"))
        assert (found.planned.status, found.planned.workspace_size) == (ACL_SUCCESS, 0)
        assert found.launch() == ACL_SUCCESS
        found.results()

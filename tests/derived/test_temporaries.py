"""Calls on large tensors need little memory beyond the tensors and the workspace, and compute what they compute as a
whole. (Each runs in tiles, or its steps run in parts.) The whole suite takes one
of four, as conftest.py says."""

from __future__ import annotations

import tracemalloc
from ctypes import byref, c_uint64
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime.headers.dtypes import numpy_dtype
from aclnn.engine.fast import ordering, row_blocks
from aclnn.engine.steps import parts
from aclnn.ops.resize import sampling
from tests.aclnn.ops.case import board
from tests.derived.conftest import asked
from tests.derived.good import subject
from tests.derived.launching import handle, place, read
from tests.derived.values import Call, tensors
from tests.helpers.builders import malloc
from tests.helpers.sized import Changes, sized

WIDE, ROWS, HALF, IMAGES = (1024, 1024), (1024,), (512, 1024), (16, 16, 64, 64)
"""4 MiB of float32, and of it a row and a half"""
ROW = (1 << 20,)
"""as many elements in one row"""
FEW = 2 << 20
"""bytes"""
SMALL = 1 << 14
"""elements of a part in these tests"""
PART = 4
"""the whole suite takes one of so many calls"""
ALL = dict.fromkeys(("self", "x", "input", "out", "other", "target", "gradOutput", "y", "gradOut"), WIDE)
STATE = (WIDE, (4,))
ADAM = dict.fromkeys(("paramsRef", "grads", "expAvgsRef", "expAvgSqsRef", "maxExpAvgSqsRef"), STATE)
STATES, CELL = (64, 64, 256), (1, 64, 256)
GRU = {"input": STATES, "params": ((768, 256), (768, 256), (768,), (768,)), "hx": CELL, "output": STATES, "hy": CELL,
       **dict.fromkeys(("rOut", "zOut", "nOut", "hnOut", "hOut"), (STATES,))}  # fmt: skip
CALLS: dict[str, tuple[str, Changes]] = {
    "running sums along the first dimension": ("Cumsum", {**ALL, "dim": 0}),
    "running extremes": ("Cummax", {**ALL, "dim": 0, "valuesOut": WIDE, "indicesOut": WIDE}),
    "sorted along the first dimension": ("Sort", {**ALL, "dim": 0, "valuesOut": WIDE, "indicesOut": WIDE}),
    "sorted along the last dimension": ("Argsort", {**ALL, "dim": 1}),
    "one long row sorted": ("Sort", {**dict.fromkeys(("self", "valuesOut", "indicesOut"), ROW), "dim": 0}),
    "two long rows sorted": ("Argsort", {**dict.fromkeys(("self", "out"), (1 << 19, 2)), "dim": 0}),
    "the first of a long row": ("Topk", {"self": ROW, "k": 70_000, "dim": 0, "largest": True,
                                         **dict.fromkeys(("valuesOut", "indicesOut"), (70_000,))}),
    "the median of one long row": ("Median", {"self": ROW, "valuesOut": ()}),
    "the median of the numbers of one long row": ("NanMedian", {"self": ROW, "out": ()}),
    "the largest of the first dimension": ("ArgMax", {**ALL, "dim": 0, "keepdim": False, "out": ROWS}),
    "medians": ("MedianDim", {**ALL, "dim": 0, "keepDim": False, "valuesOut": ROWS, "indicesOut": ROWS}),
    "rolled as one row": ("Roll", {"x": WIDE, "out": WIDE, "dims": (), "shifts": (-5,)}),
    "rolled along both dimensions": ("Roll", {"x": WIDE, "out": WIDE, "dims": (0, 1), "shifts": (5, 7)}),
    "rotated": ("RotaryPositionEmbedding", {"x": (16, 64, 32, 32), "cos": (1, 64, 1, 32), "sin": (1, 64, 1, 32),
                                            "out": (16, 64, 32, 32)}),
    "rotated in place": ("ApplyRotaryPosEmb", {"queryRef": (8, 32, 32, 128), "keyRef": (8, 32, 2, 128),
                                               "cos": (8, 32, 1, 128), "sin": (8, 32, 1, 128)}),
    "joined": ("Cat", {"tensors": (HALF, HALF), "out": WIDE}),
    "triangles": ("Tril", ALL),
    "cast to numbers of another kind": ("EqTensor", ALL),
    "complex numbers": ("Complex", {"real": WIDE, "imag": WIDE, "out": WIDE}),
    "positions added": ("IndexAdd", {**ALL, "dim": 0, "index": (512,), "source": HALF}),
    "positions filled": ("IndexFill", {**ALL, "dim": 1, "index": (5,)}),
    "rows at positions": ("Embedding", {"weight": (64, 64), "indices": (128, 128), "out": (128, 128, 64)}),
    "padded": ("ReflectionPad2d", {"self": IMAGES, "padding": (1, 2, 1, 0), "out": (16, 16, 65, 67)}),
    "resized": ("UpsampleBilinear2dAA", {"input": IMAGES, "outputSize": (60, 70), "out": (16, 16, 60, 70)}),
    "pooled": ("AdaptiveAvgPool3d", {"self": (8, 16, 32, 16, 16), "outputSize": (16, 8, 8), "out": (8, 16, 16, 8, 8)}),
    "pooled with places": ("MaxPool2dWithIndices", {"self": IMAGES, "out": (16, 16, 32, 63),
                                                    "indices": (16, 16, 32, 63)}),
    "quantised": ("AscendQuant", {"x": WIDE, "scale": ROWS, "offset": ROWS, "y": WIDE}),
    "quantised by rows": ("DynamicQuant", {"x": WIDE, "smoothScalesOptional": ROWS, "yOut": WIDE, "scaleOut": ROWS}),
    "normalised and quantised": ("AddRmsNormDynamicQuant", {
        **dict.fromkeys(("x1", "x2", "y1Out", "y2Out", "xOut"), WIDE), "gamma": ROWS, "smoothScale1Optional": ROWS,
        "smoothScale2Optional": ROWS, "scale1Out": ROWS, "scale2Out": ROWS}),
    "experts": ("MoeGatingTopKSoftmax", {"x": (4096, 256), "finishedOptional": (4096,), "yOut": (4096, 2),
                                         "expertIdxOut": (4096, 2), "rowIdxOut": (4096, 2)}),
    "sets of labels": ("MultilabelMarginLoss", {**ALL, "out": ROWS, "isTarget": WIDE}),
    "gradient of a likelihood": ("NLLLossBackward", {**ALL, "gradOutput": ROWS, "target": ROWS, "weight": ROWS}),
    "cross entropy": ("CrossEntropyLoss", {**ALL, "target": ROWS, "weightOptional": ROWS, "logProbOut": WIDE}),
    "gradient of a divergence": ("KlDivBackward", ALL),
    "gradient of a gate": ("SwiGluGrad", {"yGrad": HALF, "x": WIDE, "out": WIDE}),
    "optimised in place": ("FusedAdamw", ADAM),
    "normal numbers": ("NormalFloatFloat", ALL),
    "dropped": ("DropoutDoMask", {**ALL, "mask": (1 << 17,)}),
    "chosen by chance": ("Bernoulli", ALL),
    "counted": ("Histc", {**ALL, "out": None}),
    "close to others": ("IsClose", ALL),
    "numbers at equal distances": ("Linspace", {"steps": 1 << 20, "out": (1 << 20,)}),
    "powers at equal distances": ("LogSpace", {"steps": 1 << 20, "result": (1 << 20,)}),
    "quantised by rows, with factors of groups": ("DynamicQuantV2", {
        "x": WIDE, "smoothScalesOptional": (3, 1024), "yOut": WIDE, "scaleOut": ROWS}),
    "drawn from rows": ("Multinomial", {"self": WIDE, "numsamples": 4, "out": (1024, 4)}),
    "drawn from one long row": ("Multinomial", {"self": (1 << 20,), "numsamples": 4, "out": (4,)}),
    "between two lists": ("ForeachLerpScalar", {"x1": STATE, "x2": STATE, "out": STATE}),
    "gradients that are finite": ("ForeachNonFiniteCheckAndUnscale", {"scaledGrads": STATE}),
    "distances of pairs": ("Pdist", {"self": (1024, 64), "out": (1024 * 1023 // 2,)}),
    "gradient of samples": ("GridSampler2DBackward", {
        **dict.fromkeys(("gradOutput", "input", "inputGrad"), IMAGES),
        **dict.fromkeys(("grid", "gridGrad"), (16, 64, 64, 2))}),
    "rows of experts": ("MoeFinalizeRouting", {
        "expandedX": (8192, 128), **dict.fromkeys(("x1", "x2Optional", "out"), (4096, 128)), "bias": (5, 128),
        "scales": (4096, 2), "expandedRowIdx": (8192,), "expandedExpertIdx": (4096, 2)}),
    "rows of experts added": ("MoeTokenPermuteGrad", {"permutedOutputGrad": (8192, 128), "sortedIndices": (8192,),
                                                      "out": (4096, 128)}),
    "unique values": ("Unique2", {"self": ROW, "sorted": True, "returnInverse": True, "returnCounts": True,
                                  **dict.fromkeys(("valueOut", "inverseOut", "countsOut"), ROW)}),
    "a permutation": ("Randperm", {"n": 1 << 20, "out": ROW}),
    "put at positions": ("IndexPutImpl", {"selfRef": WIDE, "indices": (ROW, ROW), "values": ROW, "accumulate": False}),
    "added at positions": ("IndexPutImpl", {"selfRef": WIDE, "indices": (ROW, ROW), "values": ROW, "accumulate": True}),
    "rows of positions": ("ScatterNd", {"data": ROW, "indices": (1 << 20, 1), "updates": ROW, "out": ROW}),
    "tokens sorted by experts": ("MoeTokenPermute", {"tokens": (4096, 128), "indices": (4096, 2),
                                                     "permuteTokensOut": (8192, 128), "sortedIndicesOut": (8192,)}),
    "tokens of experts with a capacity": ("MoeInitRouting", {
        "x": (4096, 128), **dict.fromkeys(("rowIdx", "expertIdx"), (4096, 2)), "activeNum": 4096,
        "expandedXOut": (8192, 128), **dict.fromkeys(("expandedRowIdxOut", "expandedExpertIdxOut"), (8192,))}),
    "a cell of a network": ("ThnnFusedLstmCell", {
        **dict.fromkeys(("inputGates", "hiddenGates", "storageOut"), (1024, 1024)),
        **dict.fromkeys(("cx", "hyOut", "cyOut"), (1024, 256)),
        **dict.fromkeys(("inputBiasOptional", "hiddenBiasOptional"), (1024,))}),
    "a network in time": ("GRU", GRU),
    "marks of classes": ("OneHot", {"self": ROWS, "numClasses": 1024, "out": WIDE}),
    "padded with a value": ("ConstantPadNd", {"self": (1023, 1024), "pad": (0, 0, 0, 1), "out": WIDE}),
    "inverted": ("Inverse", {"self": (256, 64, 64), "out": (256, 64, 64)}),
    "determinants": ("Slogdet", {"self": (256, 64, 64), **dict.fromkeys(("signOut", "logOut"), (256,))}),
    "the larger of slices": ("ScatterMax", {"varRef": (64, 1024), "indices": (1024,), "updates": WIDE}),
}  # fmt: skip


def values(name: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray:
    """Numbers that repeat, as random ones take their time. Positions are 0 or 1."""
    count, drawn = int(np.prod(shape)), np.random.default_rng(len(name)).normal(0, 2, 4099)
    whole = (np.abs(drawn) > 1) if dtype.kind in "biu" else drawn
    return np.resize(whole.astype(np.float32).astype(dtype), count).reshape(shape)


def computed(call: Call, name: str, *, fast: bool) -> tuple[int, dict[str, np.ndarray]]:
    """The bytes that a call allocates at most, and its outputs."""
    this = subject(f"aclnn{name}")
    with board(this.soc.name, fast=fast):
        made = {each: [place(values(each, meta.shape, _dtype(meta.dtype)), meta, loose=False) for meta in metas]
                for each, metas in tensors(call).items()}  # fmt: skip
        arguments: list[Any] = []
        for param in this.op.params:
            placed = [each.handle for each in made.get(param.printed, ())]
            value = call[param.printed]
            if not placed:
                arguments.append(handle(param, value))
            else:
                arguments.append(aclCreateTensorList(placed, len(placed)) if isinstance(value, tuple) else placed[0])
        size, executor = c_uint64(), aclOpExecutor()
        assert this.first(*arguments, byref(size), byref(executor)) == ACL_SUCCESS, aclGetRecentErrMsg()
        assert this.second(malloc(size.value) if size.value else None, size.value, executor, None) == ACL_SUCCESS
        tracemalloc.start()
        try:
            assert aclrtSynchronizeStream(None) == ACL_SUCCESS, aclGetRecentErrMsg()
            most = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        outputs = [this.op.params[at].printed for at in this.op.output_places]
        return most, {f"{each}[{at}]": np.array(read(one)) for each in outputs for at, one in
                      enumerate(made.get(each, ()))}  # fmt: skip


def _dtype(number: int) -> np.dtype[Any]:
    found = numpy_dtype(number)
    assert found is not None
    return found


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    chosen = [*CALLS][:: 1 if asked(metafunc.config) else PART]
    metafunc.parametrize(("name", "changes"), [CALLS[each] for each in chosen], ids=chosen)


def test_few_temporaries(name: str, changes: Changes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "PART", SMALL)
    monkeypatch.setattr(row_blocks, "BLOCK_ELEMENTS", SMALL)
    monkeypatch.setattr(ordering, "RANGE", SMALL)
    monkeypatch.setattr(sampling, "PANEL", SMALL)
    this = subject(f"aclnn{name}")
    call = sized(this, {each: value for each, value in changes.items() if value is not None})
    most, found = computed(call, name, fast=True)
    assert most < FEW
    _, wanted = computed(call, name, fast=False)
    for each, array in found.items():
        if array.dtype.kind in "fcV":
            near = {"rtol": 1e-2 if array.itemsize < 4 else 1e-4, "atol": 1e-5, "equal_nan": True}
            assert np.allclose(array.astype(np.float32 if array.itemsize < 4 else array.dtype), wanted[each], **near), (
                each
            )
        else:
            assert np.array_equal(array, wanted[each]), each

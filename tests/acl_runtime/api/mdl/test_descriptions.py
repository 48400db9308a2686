"""Queries of a model: names, types, sizes, gears. The worked examples of the interface come first."""

from __future__ import annotations

from ctypes import byref, c_int32, c_uint64
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.headers.structs import aclmdlBatch, aclmdlHW, aclmdlIODims, aclmdlIODimsRange
from acl_runtime.models import Model, StaticAipp, Tensor, batch, dims, hw
from tests.helpers.offline_models import description, file_of, load, small
from tests.helpers.outcomes import assert_status, ok

ALL = 2**64 - 1
CLASSIFIER = Model([Tensor("data", np.float16, (1, 3, 224, 224), "NCHW")], [Tensor("prob", np.float32, (1, 1000))])
BATCHES = Model(
    [Tensor("data", np.float16, (-1, 3, 224, 224), "NCHW")], [Tensor("prob", np.float32, (-1, 1000))],
    gears=batch([1, 2, 4]),
)  # fmt: skip
IMAGES = Model(
    [Tensor("data", np.uint8, (1, 3, -1, -1), "NCHW")], [Tensor("map", np.float32, (1, -1, -1))],
    gears=hw([(16, 32), (64, 32)]),
)  # fmt: skip
SIZES = Model(
    [
        Tensor("data", np.float32, (1, 1, 40, -1)),
        Tensor("label", np.float32, (1, -1)),
        Tensor("mask", np.float32, (-1, -1)),
    ],
    [Tensor("sum", np.float32, lambda shapes: shapes["label"])],
    gears=dims([(20, 20, 1, 1), (40, 40, 2, 2), (80, 60, 4, 4)]),
)
UNKNOWN = Model(
    [Tensor("ids", np.int32, (-1, 16)), Tensor("open", np.int32, (-1,))], [Tensor("out", np.float32, (-1, 4))],
    ranges={"ids": [(1, 8), (16, 16)]},
)  # fmt: skip


def sizes_of(desc: aclmdlDesc, query: Any, index: int) -> tuple[str, list[int]]:
    written = aclmdlIODims()
    ok(query(desc, index, byref(written)))
    return written.name.decode(), written.dims[: written.dimCount]


def test_a_static_model(machine: Machine, tmp_path: Path) -> None:
    """Worked example 1: "sizes 301056 and 4000"."""
    with description(load(tmp_path, CLASSIFIER)) as desc:
        assert (aclmdlGetNumInputs(desc), aclmdlGetNumOutputs(desc)) == (1, 1)
        assert (aclmdlGetInputSizeByIndex(desc, 0), aclmdlGetOutputSizeByIndex(desc, 0)) == (301056, 4000)
        assert (aclmdlGetInputFormat(desc, 0), aclmdlGetOutputFormat(desc, 0)) == (ACL_FORMAT_NCHW, ACL_FORMAT_ND)
        assert (aclmdlGetInputDataType(desc, 0), aclmdlGetOutputDataType(desc, 0)) == (ACL_FLOAT16, ACL_FLOAT)
        assert (aclmdlGetInputNameByIndex(desc, 0), aclmdlGetOutputNameByIndex(desc, 0)) == ("data", "prob")
        for query, expected in (
            (aclmdlGetInputDims, ("data", [1, 3, 224, 224])), (aclmdlGetInputDimsV2, ("data", [1, 3, 224, 224])),
            (aclmdlGetOutputDims, ("prob", [1, 1000])), (aclmdlGetCurOutputDims, ("prob", [1, 1000])),
        ):  # fmt: skip
            assert sizes_of(desc, query, 0) == expected


def test_a_model_with_batch_sizes(machine: Machine, tmp_path: Path) -> None:
    """Worked example 2: "NumInputs 2, InputSize(0) = 1204224, InputSize(1) = 4, dims[0] = -1"."""
    with description(load(tmp_path, BATCHES)) as desc:
        assert aclmdlGetNumInputs(desc) == 2
        assert [aclmdlGetInputSizeByIndex(desc, i) for i in range(2)] == [1204224, 4]
        assert aclmdlGetOutputSizeByIndex(desc, 0) == 16000
        assert sizes_of(desc, aclmdlGetInputDims, 0)[1] == [-1, 3, 224, 224]
        assert sizes_of(desc, aclmdlGetInputDims, 1) == ("ascend_mbatch_shape_data", [1])
        assert aclmdlGetInputDataType(desc, 1) == ACL_INT32
        batches = aclmdlBatch()
        ok(aclmdlGetDynamicBatch(desc, byref(batches)))
        assert batches.batch[: batches.batchCount] == [1, 2, 4]
        images, count = aclmdlHW(), c_uint64(7)
        ok(aclmdlGetDynamicHW(desc, ALL, byref(images)))
        ok(aclmdlGetInputDynamicGearCount(desc, ALL, byref(count)))
        assert (images.hwCount, count.value) == (0, 0)


@pytest.mark.fidelity("sizes of a model with gears (acl_mdl.h)")
def test_a_model_with_image_sizes(machine: Machine, tmp_path: Path) -> None:
    """ "hwCount; hw[128][2] (height, width)"; "index is ignored"; the largest gear has the size."""
    with description(load(tmp_path, IMAGES)) as desc:
        images = aclmdlHW()
        ok(aclmdlGetDynamicHW(desc, 5, byref(images)))
        assert [list(pair) for pair in images.hw[: images.hwCount]] == [[16, 32], [64, 32]]
        assert [aclmdlGetInputSizeByIndex(desc, i) for i in range(2)] == [3 * 64 * 32, 8]
        assert sizes_of(desc, aclmdlGetOutputDims, 0)[1] == [1, 64, 32]


def test_a_model_with_sizes_of_all_dimensions(machine: Machine, tmp_path: Path) -> None:
    """The example of the page: "for the first gear dims = (1,1,40,20,1,20,1,1), dimCount 8"."""
    with description(load(tmp_path, SIZES)) as desc:
        count = c_uint64()
        ok(aclmdlGetInputDynamicGearCount(desc, ALL, byref(count)))
        assert count.value == 3
        assert aclmdlGetInputSizeByIndex(desc, 3) == 16
        gears = (aclmdlIODims * 3)()
        gears[1].name = b"kept"
        ok(aclmdlGetInputDynamicDims(desc, ALL, gears, 3))
        assert [gear.dims[: gear.dimCount] for gear in gears] == [
            [1, 1, 40, 20, 1, 20, 1, 1], [1, 1, 40, 40, 1, 40, 2, 2], [1, 1, 40, 80, 1, 60, 4, 4]
        ]  # fmt: skip
        assert gears[1].name == b"kept"
        assert sizes_of(desc, aclmdlGetOutputDims, 0)[1] == [1, 60]
        for index, number in ((0, 3), (ALL, 2)):
            assert_status(aclmdlGetInputDynamicDims(desc, index, gears, number), ACL_ERROR_INVALID_PARAM)
        assert_status(aclmdlGetInputDynamicGearCount(desc, 0, byref(count)), ACL_ERROR_INVALID_PARAM)


def test_a_model_of_unknown_sizes(machine: Machine, tmp_path: Path) -> None:
    """Worked example 3: "range (1..8): size = 8 x ...; a range with open end: size 0"."""
    with description(load(tmp_path, UNKNOWN)) as desc:
        assert [aclmdlGetInputSizeByIndex(desc, i) for i in range(2)] == [8 * 16 * 4, 0]
        assert aclmdlGetOutputSizeByIndex(desc, 0) == 0
        bounds = aclmdlIODimsRange()
        ok(aclmdlGetInputDimsRange(desc, 0, byref(bounds)))
        assert [list(pair) for pair in bounds.range[: bounds.rangeCount]] == [[1, 8], [16, 16]]
        assert_status(aclmdlGetCurOutputDims(desc, 0, byref(aclmdlIODims())), ACL_ERROR_API_NOT_SUPPORT)
    with description(load(tmp_path, CLASSIFIER)) as desc:
        ok(aclmdlGetInputDimsRange(desc, 0, byref(bounds)))
        assert bounds.rangeCount == 0


IMAGE_FORMATS = {"YUV420SP_U8": (12, 8, 1), "YUV422SP_U8": (16, 8, 1), "YUV400_U8": (8, 8, 1), "YUYV_U8": (8, 8, 2),
                 "RGB888_U8": (8, 8, 3), "ARGB8888_U8": (8, 8, 4)}  # fmt: skip


@pytest.mark.parametrize("format", IMAGE_FORMATS)
def test_an_input_that_takes_images(format: str, machine: Machine, tmp_path: Path) -> None:
    """ "V2 differs only with static AIPP: (n, h*k, w, c) of the image"; "product = SizeByIndex"."""
    model = Model(
        [Tensor("data", np.float16, (2, 3, 8, 8), "NCHW")], [Tensor("out", np.float32, (1,))],
        aipp={"data": StaticAipp(format, 8, 8)},
    )  # fmt: skip
    id = load(tmp_path, model)
    rows, columns, channels = IMAGE_FORMATS[format]
    with description(id) as desc:
        assert sizes_of(desc, aclmdlGetInputDimsV2, 0)[1] == [2, rows, columns, channels]
        assert sizes_of(desc, aclmdlGetInputDims, 0)[1] == [2, 3, 8, 8]
        assert aclmdlGetInputSizeByIndex(desc, 0) == 2 * rows * columns * channels
        assert aclmdlGetInputDataType(desc, 0) == ACL_UINT8
    kind, attached = c_int32(9), c_uint64()
    ok(aclmdlGetAippType(id, 0, byref(kind), byref(attached)))
    assert (kind.value, attached.value) == (ACL_DATA_WITH_STATIC_AIPP, ACL_INVALID_NODE_INDEX)


def test_the_kind_of_an_input(machine: Machine, tmp_path: Path) -> None:
    """ "null dynamicAttachedDataIndex, then null type 100000; unknown id 145003; index >= inputs 100000"."""
    id, kind, attached = load(tmp_path, small()), c_int32(9), c_uint64()
    assert_status(aclmdlGetAippType(9, 9, None, None), ACL_ERROR_INVALID_PARAM, "dynamicAttachedDataIndex")
    assert_status(aclmdlGetAippType(9, 9, None, byref(attached)), ACL_ERROR_INVALID_PARAM, "type")
    assert_status(aclmdlGetAippType(9, 9, byref(kind), byref(attached)), ACL_ERROR_GE_EXEC_MODEL_ID_INVALID)
    assert_status(aclmdlGetAippType(id, 1, byref(kind), byref(attached)), ACL_ERROR_INVALID_PARAM, "index")
    ok(aclmdlGetAippType(id, 0, byref(kind), byref(attached)))
    assert kind.value == ACL_DATA_WITHOUT_AIPP


def test_what_is_not_there(machine: Machine, tmp_path: Path) -> None:
    """ "null -> 0"; "null or index >= count -> 0 with an error text"; names are "" (never null)."""
    assert (aclmdlGetNumInputs(None), aclmdlGetNumOutputs(None)) == (0, 0)
    with description(load(tmp_path, small())) as desc:
        for handle, index in ((None, 0), (desc, 1)):
            assert aclmdlGetInputSizeByIndex(handle, index) == aclmdlGetOutputSizeByIndex(handle, index) == 0
            assert aclGetRecentErrMsg()
            assert aclmdlGetInputNameByIndex(handle, index) == aclmdlGetOutputNameByIndex(handle, index) == ""
            assert aclmdlGetInputFormat(handle, index) == aclmdlGetOutputFormat(handle, index) == -1
            assert aclmdlGetInputDataType(handle, index) == aclmdlGetOutputDataType(handle, index) == -1
            for query in (aclmdlGetInputDims, aclmdlGetInputDimsV2, aclmdlGetOutputDims, aclmdlGetCurOutputDims):
                assert_status(query(handle, index, byref(aclmdlIODims())), ACL_ERROR_INVALID_PARAM)
        assert_status(aclmdlGetInputDims(desc, 0, None), ACL_ERROR_INVALID_PARAM, "dims")
        for query in (aclmdlGetInputIndexByName, aclmdlGetOutputIndexByName):
            index = c_uint64(7)
            assert_status(query(None, None, None), ACL_ERROR_INVALID_PARAM, "modelDesc")
            assert_status(query(desc, None, None), ACL_ERROR_INVALID_PARAM, "name")
            assert_status(query(desc, "data", None), ACL_ERROR_INVALID_PARAM, "index")
            assert_status(query(desc, "dat", byref(index)), ACL_ERROR_INVALID_PARAM, "'dat'")
            assert index.value == 7
        ok(aclmdlGetInputIndexByName(desc, "data", byref(index)))
        assert index.value == 0


def test_a_long_name_is_replaced(machine: Machine, tmp_path: Path) -> None:
    """ "tensor names longer than 127 characters are replaced by acl_modelId_<id>_input_<index>"."""
    long, taken = "n" * 128, "acl_modelId_1_output_0"
    model = Model([Tensor(long, np.float32, (1,)), Tensor(taken, np.float32, (1,))], [Tensor(long, np.float32, (1,))])
    with description(load(tmp_path, model)) as desc:
        assert aclmdlGetInputNameByIndex(desc, 0) == "acl_modelId_1_input_0"
        assert aclmdlGetOutputNameByIndex(desc, 0) == f"{taken}_a"
        assert aclmdlGetTensorRealName(desc, "acl_modelId_1_input_0") == long
        assert aclmdlGetTensorRealName(desc, long) == long
        assert aclmdlGetTensorRealName(desc, "other") is None


def test_the_operators_that_an_operator_comes_from(machine: Machine, tmp_path: Path) -> None:
    """aclmdlGetOpAttr: "only the attribute above; else null"; it asks the model by id."""
    id = load(tmp_path, small(original_ops={"conv": "conv1 relu1"}))
    with description(id) as desc:
        for arguments, expected in (
            ((desc, "conv", ACL_ATTR_NAME_DATA_DUMP_ORIGIN_OP_NAMES), "conv1 relu1"), ((desc, "conv", "other"), None),
            ((desc, "pool", ACL_ATTR_NAME_DATA_DUMP_ORIGIN_OP_NAMES), None), ((desc, None, None), None),
            ((None, "conv", ACL_ATTR_NAME_DATA_DUMP_ORIGIN_OP_NAMES), None),
        ):  # fmt: skip
            assert aclmdlGetOpAttr(*arguments) == expected
        ok(aclmdlUnload(id))
        assert aclmdlGetOpAttr(desc, "conv", ACL_ATTR_NAME_DATA_DUMP_ORIGIN_OP_NAMES) is None


def test_a_description_is_a_copy(machine: Machine, tmp_path: Path) -> None:
    """Worked example 4: "Unload(1) twice: 0, 145003; GetDesc after Unload: 145003 and the desc is empty"."""
    id = load(tmp_path, small())
    with description(id) as desc:
        ok(aclmdlUnload(id))
        assert aclmdlGetInputSizeByIndex(desc, 0) == 16
        assert_status(aclmdlUnload(id), ACL_ERROR_GE_EXEC_MODEL_ID_INVALID, "unloaded at")
        assert_status(aclmdlGetDesc(desc, id), ACL_ERROR_GE_EXEC_MODEL_ID_INVALID)
        assert aclmdlGetNumInputs(desc) == 0
    assert_status(aclmdlGetDesc(None, id), ACL_ERROR_INVALID_PARAM, "modelDesc")
    assert_status(aclmdlDestroyDesc(None), ACL_ERROR_INVALID_PARAM, "modelDesc")


def test_a_model_is_described_without_a_load(tmp_path: Path) -> None:
    """ "describe without loading (modelId in it 0)": it needs neither aclInit nor a device."""
    with Machine() as machine:
        machine.models["model.om"] = machine.models[b"om "] = small()
        desc, path = aclmdlCreateDesc(), file_of(tmp_path)
        ok(aclmdlGetDescFromFile(desc, path))
        assert aclmdlGetInputSizeByIndex(desc, 0) == 16
        ok(aclmdlGetDescFromMem(desc, b"om content", 10))
        assert aclmdlGetNumInputs(desc) == 1
        assert_status(aclmdlGetDescFromFile(desc, None), ACL_ERROR_INVALID_PARAM, "modelPath")
        assert_status(aclmdlGetDescFromMem(desc, None, 10), ACL_ERROR_INVALID_PARAM, "model")
        assert aclmdlGetNumInputs(desc) == 0
        ok(aclmdlDestroyDesc(desc))

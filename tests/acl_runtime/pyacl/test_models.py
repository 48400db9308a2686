"""Offline models with pyACL: the dicts and tuples of `acl.mdl`, and a detector with its planted mistakes."""

from __future__ import annotations

from contextlib import suppress
from ctypes import addressof, c_int32, c_size_t, create_string_buffer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from acl_runtime import Machine, pyacl
from acl_runtime.headers.enums import ACL_MDL_LOAD_FROM_FILE, aclmdlConfigAttr, aclmdlExecConfigAttr
from acl_runtime.models import Model, Tensor, batch, dims, hw
from tests.acl_runtime.pyacl.detection import detect
from tests.helpers.offline_models import Array, data_sets, file_of, load, small
from tests.helpers.onnx_files import write

FIRST, SECOND = [1, 1, 4, 4], [5, 5, 3, 3]
IMAGES = np.ones((2, 3, 8, 8), np.float32)
MISTAKES = {"short": "model-buffer-short", "gear": "gear-not-set", "early": "read-before-sync",
            "loaded": "model-not-unloaded"}  # fmt: skip


def find_boxes(inputs: dict[str, Array]) -> Array:
    """The same boxes in each image: two of one object, one of another, one below the score."""
    rows = [[*FIRST, 0.9], [1, 1, 4, 5, 0.8], [*SECOND, 0.7], [0, 0, 8, 8, 0.1]]
    return np.float32([rows] * len(inputs["images"]))


DETECTOR = Model(
    [Tensor("images", np.float32, (-1, 3, 8, 8), "NCHW")], [Tensor("boxes", np.float32, (-1, 4, 5))], find_boxes,
    gears=batch([1, 2, 4]),
)  # fmt: skip


@pytest.mark.parametrize("schedule", ["late", "eager", "threads", "random"])
def test_a_detector(schedule: str, tmp_path: Path) -> None:
    with Machine(schedule=schedule) as machine, pyacl.installed() as acl:
        machine.models["yolo.om"] = DETECTOR
        assert detect(acl, file_of(tmp_path, "yolo.om"), IMAGES) == [[FIRST, SECOND]] * 2
    assert [str(finding) for finding in machine.findings] == []


@pytest.mark.parametrize("mistake", MISTAKES)
def test_its_planted_mistakes_are_found(mistake: str, tmp_path: Path) -> None:
    with Machine(on_undefined="report") as machine, pyacl.installed() as acl:
        machine.models["yolo.om"] = DETECTOR
        with suppress(RuntimeError):  # the program ends where it sees a failure
            detect(acl, file_of(tmp_path, "yolo.om"), IMAGES, mistake)
    (finding,) = [finding for finding in machine.findings if finding.id == MISTAKES[mistake]]
    assert "detection.py" in (finding.site or finding.history[0].site)


@pytest.mark.skipif(find_spec("onnxruntime") is None, reason="needs the extra onnx (onnxruntime)")
def test_a_detector_from_an_onnx_file(tmp_path: Path) -> None:
    """The gears are stated, and the ONNX file computes."""
    write(tmp_path / "yolo.onnx", "Abs", {"images": ("batch", 4, 5)}, {"boxes": ("batch", 4, 5)})
    with Machine() as machine, pyacl.installed() as acl:
        images, boxes = (Tensor(name, np.float32, (-1, 4, 5)) for name in ("images", "boxes"))
        machine.models["yolo.om"] = Model([images], [boxes], gears=batch([2]))
        data = find_boxes({"images": IMAGES})
        assert detect(acl, file_of(tmp_path, "yolo.om"), -data) == [[FIRST, SECOND]] * 2
    assert [str(finding) for finding in machine.findings] == []


def test_dicts_and_tuples(machine: Machine, acl: Any, tmp_path: Path) -> None:
    """The table of acl.mdl: ({"name": str, "dimCount": int, "dims": [..]}, ret) and the like."""
    desc = acl.mdl.create_desc()
    assert acl.mdl.get_desc(desc, load(tmp_path, DETECTOR)) == 0
    named = {"name": "images", "dimCount": 4, "dims": [-1, 3, 8, 8]}
    assert acl.mdl.get_input_dims(desc, 0) == (named, 0)
    assert acl.mdl.get_dynamic_batch(desc) == ({"batchCount": 3, "batch": [1, 2, 4]}, 0)
    assert acl.mdl.get_dynamic_hw(desc, -1) == ({"hwCount": 0, "hw": []}, 0)
    assert acl.mdl.get_input_name_by_index(desc, 0) == "images"
    assert acl.mdl.get_input_index_by_name(desc, "ascend_mbatch_shape_data") == (1, 0)
    assert acl.mdl.get_input_index_by_name(desc, "other") == (0, 100000)
    wide = Model([Tensor("x", np.int8, (1, -1, -1))], [Tensor("y", np.int8, (1,))], gears=hw([(2, 3), (4, 5)]))
    assert acl.mdl.get_desc(desc, load(tmp_path, wide)) == 0
    assert acl.mdl.get_dynamic_hw(desc, -1) == ({"hwCount": 2, "hw": [[2, 3], [4, 5]]}, 0)
    open_ = Model([Tensor("x", np.int8, (-1,))], [Tensor("y", np.int8, (-1,))], ranges={"x": [(1, 8)]})
    assert acl.mdl.get_desc(desc, load(tmp_path, open_)) == 0
    assert acl.mdl.get_input_dims_range(desc, 0) == ({"rangeCount": 1, "range": [[1, 8]]}, 0)
    data_set, buffer = acl.mdl.create_dataset(), acl.create_data_buffer(0, 0)
    assert acl.mdl.add_dataset_buffer(data_set, buffer) == (data_set, 0)
    assert acl.mdl.set_dataset_tensor_desc(data_set, 0, 0) == (data_set, 0)
    assert acl.mdl.get_dataset_buffer(data_set, 0) == buffer
    assert acl.mdl.get_dataset_buffer(data_set, 1) == 0
    assert acl.mdl.load_from_file(str(tmp_path / "no.om")) == (0, 145002)


def test_sizes_of_all_dimensions(machine: Machine, acl: Any, tmp_path: Path) -> None:
    model = Model(
        [Tensor("x", np.float32, (-1, 3, -1))], [Tensor("y", np.float32, lambda shapes: shapes["x"])],
        gears=dims([(1, 2), (4, 5)]),
    )  # fmt: skip
    desc, id = acl.mdl.create_desc(), load(tmp_path, model)
    assert acl.mdl.get_desc(desc, id) == 0
    assert acl.mdl.get_input_dynamic_gear_count(desc, -1) == (2, 0)
    gears, ret = acl.mdl.get_input_dynamic_dims(desc, -1, 2)
    assert (gears, ret) == ([{"name": "", "dimCount": 3, "dims": sizes} for sizes in ([1, 3, 2], [4, 3, 5])], 0)
    assert acl.mdl.get_input_dynamic_dims(desc, -1, 1) == ([], 100000)
    data_set = acl.mdl.create_dataset()
    for size in (240, 8):
        address, _ = acl.rt.malloc(size, 0)
        acl.mdl.add_dataset_buffer(data_set, acl.create_data_buffer(address, size))
    assert acl.mdl.set_input_dynamic_dims(id, data_set, 1, gears[1]) == 0
    assert acl.mdl.get_cur_output_dims(desc, 0)[0]["dims"] == [4, 3, 5]
    assert acl.mdl.set_input_dynamic_dims(id, data_set, 1, {"dimCount": 3, "dims": [9, 3, 9]}) == 145013


def test_a_load_and_an_execution_with_options(machine: Machine, acl: Any, tmp_path: Path) -> None:
    """The general rule of pyACL: handles and pointers are numbers, outputs are returned before the status."""
    machine.models["*.om"] = small()
    path, wait = create_string_buffer(file_of(tmp_path).encode()), c_int32(9)
    assert acl.init() == 0
    options = acl.mdl.create_config_handle()
    for attr, number in (("LOAD_TYPE_SIZET", ACL_MDL_LOAD_FROM_FILE), ("PATH_PTR", addressof(path))):
        value = c_size_t(number)
        assert acl.mdl.set_config_opt(options, aclmdlConfigAttr[f"ACL_MDL_{attr}"], addressof(value), 8) == 0
    model, ret = acl.mdl.load_with_config(options)
    assert (ret, acl.mdl.destroy_config_handle(options)) == (0, 0)
    waits = acl.mdl.create_exec_config_handle()
    timeout = aclmdlExecConfigAttr.ACL_MDL_STREAM_SYNC_TIMEOUT
    assert acl.mdl.set_exec_config_opt(waits, timeout, addressof(wait), 4) == 0
    with data_sets([np.ones((2, 2), np.float32)], [16]) as (inputs, outputs):
        sets = inputs.handle.value, outputs.handle.value
        assert acl.mdl.execute_v2(model, *sets, 0, waits) == 0
        assert outputs.read(0, (4,)).tolist() == [2] * 4
    assert (acl.mdl.destroy_exec_config_handle(waits), acl.mdl.unload(model)) == (0, 0)

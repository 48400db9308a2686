"""Loads and unloads: the order of checks, ids, memory, and where the statement of a model comes from."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_uint32, c_uint64, c_void_p
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.models import Model, Tensor
from tests.helpers.builders import malloc
from tests.helpers.offline_models import data_sets, file_of, load, loaded, small
from tests.helpers.outcomes import assert_status, finding_of, ok

FROM_FILE: dict[str, Callable[..., int]] = {
    "aclmdlLoadFromFile": aclmdlLoadFromFile,
    "aclmdlLoadFromFileWithMem": lambda path, out: aclmdlLoadFromFileWithMem(path, out, None, 0, None, 0),
}
FROM_MEMORY: dict[str, Callable[..., int]] = {
    "aclmdlLoadFromMem": aclmdlLoadFromMem,
    "aclmdlLoadFromMemWithMem": lambda model, size, out: aclmdlLoadFromMemWithMem(model, size, out, None, 0, None, 0),
}
X = np.arange(4, dtype=np.float32)


@pytest.mark.parametrize("call", FROM_FILE.values(), ids=FROM_FILE)
def test_the_order_of_a_load_from_a_file(call: Callable[..., int], machine: Machine, tmp_path: Path) -> None:
    """ "null path 100000; file ... -> 145002; null modelId 100000; executor not initialised 145001; load"."""
    id, empty = c_uint32(7), tmp_path / "empty.om"
    empty.touch()
    machine.models["*.om"] = small()
    assert_status(call(None, None), ACL_ERROR_INVALID_PARAM, "modelPath")
    for path in (tmp_path / "no.om", empty, tmp_path):
        assert_status(call(str(path), None), ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID, str(path))
    path = file_of(tmp_path)
    assert_status(call(path, None), ACL_ERROR_INVALID_PARAM, "modelId")
    assert_status(call(path, byref(id)), ACL_ERROR_GE_EXEC_NOT_INIT, "aclInit")
    assert id.value == 7
    ok(aclInit(None))
    ok(aclrtResetDevice(0))
    assert_status(call(path, byref(id)), ACL_ERROR_RT_CONTEXT_NULL)
    ok(aclrtSetDevice(0))
    ok(call(path, byref(id)))
    assert id.value == 1


@pytest.mark.parametrize("call", FROM_MEMORY.values(), ids=FROM_MEMORY)
def test_the_order_of_a_load_from_memory(call: Callable[..., int], machine: Machine) -> None:
    """ "null model or size 0 -> 100000; null modelId 100000"; "bad content 145006"."""
    id = c_uint32()
    machine.models[b"mine"] = small()
    ok(aclInit(None))
    assert_status(call(None, 4, None), ACL_ERROR_INVALID_PARAM, "model")
    assert_status(call(b"mine", 0, None), ACL_ERROR_INVALID_PARAM, "modelSize")
    assert_status(call(b"other", 5, None), ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID, "machine.models[b'...']")
    assert_status(call(b"mine", 4, None), ACL_ERROR_INVALID_PARAM, "modelId")
    ok(call(b"mine and more", 13, byref(id)))
    assert id.value == 1
    assert finding_of(lambda: call(b"mine", 5000, byref(id)))[0] == "host-overrun"


def test_ids_are_never_used_again(machine: Machine, tmp_path: Path) -> None:
    """ "starting at 1, +1 for each load, never reused"."""
    assert load(tmp_path, small()) == 1
    ok(aclmdlUnload(1))
    assert [load(tmp_path, small()), load(tmp_path, small())] == [2, 3]


@pytest.mark.fidelity("a model (acl_mdl.h)")
def test_without_a_statement_the_text_says_how_to_give_one(machine: Machine, tmp_path: Path) -> None:
    text = [f"machine.models['{'model.om'}'] = Model(inputs, outputs, run)", "model.om.json", "model.onnx"]
    assert_status(aclmdlLoadFromFile(file_of(tmp_path), byref(c_uint32())), 145002, *text)


@pytest.mark.parametrize("name", ["{path}", "model.om", "*.om", "mod*"])
def test_a_name_is_a_path_or_its_last_part_or_a_pattern(name: str, machine: Machine, tmp_path: Path) -> None:
    machine.models[name.format(path=tmp_path / "model.om")] = small()
    assert loaded(file_of(tmp_path)) == 1


def test_a_path_comes_before_its_last_part_and_that_before_patterns(machine: Machine, tmp_path: Path) -> None:
    work, weight, path = c_uint64(), c_uint64(), file_of(tmp_path)
    for size, name in enumerate(("*.om", "model.om", path)):
        machine.models[name] = small(weight_size=size)
        ok(aclmdlQuerySize(path, byref(work), byref(weight)))
        assert weight.value == size


def test_a_model_in_memory_is_found_by_the_content_of_its_file(machine: Machine, tmp_path: Path) -> None:
    path, id = file_of(tmp_path), c_uint32()
    machine.models[path] = small()
    content = Path(path).read_bytes()
    ok(aclInit(None))
    ok(aclmdlLoadFromMem(content, len(content), byref(id)))
    with pytest.raises(TypeError, match="a name and a Model"):
        machine.models["wrong"] = "no model"  # type: ignore[assignment]


def test_sizes_of_memory(machine: Machine, tmp_path: Path) -> None:
    """ "null name (100000), null workSize, null weightSize 100000; bad file 145002"; "512-byte rounded sizes"."""
    work, weight = c_uint64(), c_uint64()
    machine.models["model.om"] = machine.models[b"mine"] = small()
    machine.models["stated.om"] = small(work_size=100, weight_size=7)
    path = file_of(tmp_path)
    assert_status(aclmdlQuerySize(None, None, None), ACL_ERROR_INVALID_PARAM, "fileName")
    assert_status(aclmdlQuerySize("no.om", None, None), ACL_ERROR_INVALID_PARAM, "workSize")
    assert_status(aclmdlQuerySize("no.om", byref(work), None), ACL_ERROR_INVALID_PARAM, "weightSize")
    assert_status(aclmdlQuerySize("no.om", byref(work), byref(weight)), ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID)
    ok(aclmdlQuerySize(path, byref(work), byref(weight)))
    assert (work.value, weight.value) == (512, 0)
    ok(aclmdlQuerySize(file_of(tmp_path, "stated.om"), byref(work), byref(weight)))
    assert (work.value, weight.value) == (100, 7)
    assert_status(aclmdlQuerySizeFromMem(None, 4, None, None), ACL_ERROR_INVALID_PARAM, "model")
    assert_status(aclmdlQuerySizeFromMem(b"mine", 4, None, None), ACL_ERROR_INVALID_PARAM, "workSize")
    assert_status(aclmdlQuerySizeFromMem(b"m", 1, byref(work), byref(weight)), 145006)
    ok(aclmdlQuerySizeFromMem(b"mine", 4, byref(work), byref(weight)))
    assert work.value == 512


@pytest.mark.fidelity("a model (acl_mdl.h)")
def test_memory_of_the_program(machine: Machine, tmp_path: Path) -> None:
    """ "Given memory smaller than needed: load fails, 145000"; "Null: the system allocates (size ignored)"."""
    machine.models["model.om"] = small(work_size=1024, weight_size=64)
    path, id = file_of(tmp_path), c_uint32()
    ok(aclInit(None))
    work, weight = malloc(1024), malloc(64)
    call = aclmdlLoadFromFileWithMem
    assert_status(call(path, byref(id), work, 1023, weight, 64), ACL_ERROR_GE_PARAM_INVALID, "workSize")
    assert_status(call(path, byref(id), work, 1024, weight, 63), ACL_ERROR_GE_PARAM_INVALID, "weightSize")
    ok(aclrtMemset(weight, 64, 1, 64))
    before = machine.memories.used
    ok(call(path, byref(id), work, 1024, weight, 64))
    assert machine.memories.used == before
    with data_sets([X], [16]) as (inputs, outputs):
        ok(aclmdlExecuteAsync(id, inputs.handle, outputs.handle, None))
        assert finding_of(lambda: aclrtFree(c_void_p(work)))[0] == "ws-freed-early"
        ok(aclrtSynchronizeStream(None))
        ok(aclrtFree(c_void_p(weight)))
        execute = partial(aclmdlExecuteAsync, id, inputs.handle, outputs.handle, None)
        assert "weights of model 1" in finding_of(execute)[1]
        ok(aclmdlUnload(id))
    before = machine.memories.used
    ok(call(path, byref(id), None, 5, None, 5))
    assert machine.memories.used != before
    ok(aclmdlUnload(id))
    assert machine.memories.used == before


STATED = [
    ({}, "without gears the sizes are numbers"),
    ({"ranges": {"nobody": [(1, 2)]}}, "nobody is no input or output"),
]


@pytest.mark.parametrize(("options", "words"), STATED)
def test_a_faulty_statement_is_refused_at_once(options: dict[str, object], words: str) -> None:
    output = Tensor("out", np.float32, lambda shapes: (1,)) if not options else Tensor("out", np.float32, (1,))
    with pytest.raises(ValueError, match=words):
        Model([Tensor("data", np.float32, (2,))], [output], **options)  # type: ignore[arg-type]

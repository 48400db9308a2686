"""Statements of models in files: JSON and ONNX beside the model."""

from __future__ import annotations

import json
from ctypes import byref, c_uint32
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.models import from_json, from_onnx
from acl_runtime.models.from_json import model_of_json
from acl_runtime.models.gears import GearKind
from acl_runtime.models.statement import BadStatement
from tests.helpers.offline_models import data_sets, file_of, loaded
from tests.helpers.onnx_files import write
from tests.helpers.outcomes import assert_status, ok

needs_onnx = pytest.mark.skipif(find_spec("onnxruntime") is None, reason="needs the extra onnx (onnxruntime)")
X = np.arange(4, dtype=np.float32)
SIDE = [{"name": "x", "dtype": "float32", "dims": [4]}]
STATED: dict[str, Any] = {"inputs": SIDE, "outputs": SIDE, "run": "functions.py:negative"}
FUNCTION = "def negative(inputs):\n    return -inputs['x']\n"


def stated(folder: Path, **changes: Any) -> Path:
    """A JSON file with a statement; a value of None removes its key."""
    (folder / "functions.py").write_text(FUNCTION)
    path = folder / "model.om.json"
    path.write_text(json.dumps({key: value for key, value in {**STATED, **changes}.items() if value is not None}))
    return path


def negative(folder: Path) -> None:
    """Execute the model in a folder, which returns -X."""
    id = loaded(file_of(folder))
    with data_sets([X], [16]) as (inputs, outputs):
        ok(aclmdlExecute(id, inputs.handle, outputs.handle))
        assert outputs.read(0, (4,)).tolist() == (-X).tolist()


@pytest.mark.fidelity("a model (acl_mdl.h)")
def test_a_json_file_beside_the_model(machine: Machine, tmp_path: Path) -> None:
    stated(tmp_path)
    negative(tmp_path)


def test_all_keys(tmp_path: Path) -> None:
    sides = {
        "inputs": [{"name": "image", "dtype": "ACL_FLOAT16", "dims": [-1, 3, 4, 4], "format": "NCHW"}],
        "outputs": [{"name": "y", "dtype": "bfloat16", "dims": [-1]}],
    }
    model = model_of_json(stated(
        tmp_path, **sides, gears={"batch": [1, 2]}, work_size=5, weight_size=6, original_ops={"conv": "conv1"},
        aipp={"image": {"format": "RGB888_U8", "height": 4, "width": 4}},
    ))  # fmt: skip
    assert (model.work_size, model.weight_size, model.gears and model.gears.values) == (5, 6, ((1,), (2,)))
    assert model.original_ops == {"conv": "conv1"}
    assert model.input_shapes((2,)) == {"image": (2, 4, 4, 3)}
    assert [model.inputs[0].dtype, model.outputs[0].dtype] == [ACL_FLOAT16, ACL_BF16]
    other = [{"name": "x", "dtype": "float32", "dims": [-1, -1]}]
    kinds = {"hw": [[2, 3]], "dims": [[2, 3]]}
    for kind, values in kinds.items():
        outputs = [{"name": "y", "dtype": "float32", "dims": [1]}]
        gears = model_of_json(stated(tmp_path, inputs=other, outputs=outputs, gears={kind: values})).gears
        assert gears is not None
        assert gears.kind is GearKind[kind.upper()]
    assert model_of_json(stated(tmp_path, inputs=other, ranges={"x": [[1, 2], [3, 4]]})).unknown


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"inputs": None}, "'inputs' is missing or unknown"),
        ({"outputs": [{"name": "x", "dims": [4]}]}, "missing 1 required positional argument: 'dtype'"),
        ({"outputs": [{"name": "x", "dtype": "float33", "dims": [4]}]}, "float33"),
        ({"outputs": [{"name": "x", "dtype": "float32", "dims": [4], "format": "NXYZ"}]}, "NXYZ"),
        ({"outputs": [{"name": "x", "dtype": "ACL_INT4", "dims": [4]}]}, "numpy has no type for ACL_INT4"),
        ({"outputs": 7}, "not iterable"),
        ({"run": "functions.py"}, '"FILE.py:FUNCTION"'),
        ({"run": "functions.py:other"}, "functions.py has no function other"),
        ({"run": "absent.py:other"}, "absent.py cannot be run: FileNotFoundError"),
        ({"gears": {"rows": [1]}}, "gears has one of the keys batch, hw, dims"),
        ({"typo": 1}, "unknown key typo"),
        ({"aipp": {"x": {"format": "RGB", "height": 1, "width": 1}}}, "'RGB' is no image format"),
    ],
)
def test_a_faulty_json_file_is_named(changes: dict[str, Any], words: str, machine: Machine, tmp_path: Path) -> None:
    path = stated(tmp_path, **changes)
    assert_status(aclmdlLoadFromFile(file_of(tmp_path), byref(c_uint32())), 145002, str(path), words)
    path.write_text("{")
    with pytest.raises(BadStatement, match="Expecting property name"):
        model_of_json(path)


@needs_onnx
@pytest.mark.fidelity("a model (acl_mdl.h)")
def test_an_onnx_file_beside_the_model(machine: Machine, tmp_path: Path) -> None:
    write(tmp_path / "model.onnx", "Neg", {"x": (4,)}, {"y": (4,)})
    negative(tmp_path)


@needs_onnx
def test_an_onnx_file_computes_for_a_statement_without_a_function(machine: Machine, tmp_path: Path) -> None:
    stated(tmp_path, outputs=[{"name": "y", "dtype": "float32", "dims": [4]}], run=None)
    write(tmp_path / "model.onnx", "Neg", {"x": (4,)}, {"y": (4,)})
    negative(tmp_path)


@needs_onnx
def test_a_faulty_onnx_file_is_named(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"no model")
    assert_status(aclmdlLoadFromFile(file_of(tmp_path), byref(c_uint32())), 145002, "model.onnx")


def test_without_the_extra_the_text_names_it(machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(from_onnx, "import_module", absent)
    (tmp_path / "model.onnx").write_bytes(b"a model")
    words = "onnxruntime, which would run it, is not installed", 'pip install "onnxruntime>=1.19"'
    assert_status(aclmdlLoadFromFile(file_of(tmp_path), byref(c_uint32())), 145002, *words)


def test_the_example_in_the_docstring_is_json() -> None:
    doc = from_json.__doc__ or ""
    assert set(json.loads(doc[doc.index("{") : doc.index("}\n\n") + 1])) <= from_json.KEYS

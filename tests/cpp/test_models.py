"""A classifier in C++ against a model that a JSON file states, and against an ONNX file; its planted mistakes."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.cpp.conftest import Build, Run
from tests.helpers.onnx_files import write

STATED = {
    "inputs": [{"name": "image", "dtype": "float32", "dims": [1, 3, 2, 2], "format": "NCHW"}],
    "outputs": [{"name": "prob", "dtype": "float32", "dims": [1, 5]}],
    "run": "classifier.py:classify",
}
FUNCTION = """\
import numpy as np


def classify(inputs):
    image = inputs["image"]
    return np.array([[image.min(), image.max(), image.mean(), 7, 1]], np.float32)
"""
PRINTED = "image [1, 3, 2, 2] -> prob\nclass 1: 11.00\nclass 3: 7.00\nclass 2: 5.50\n"
MISTAKES = {"short": "model-buffer-short", "host": "ws-host-ptr", "early": "read-before-sync",
            "loaded": "model-not-unloaded"}  # fmt: skip


@pytest.fixture
def model(tmp_path: Path) -> str:
    """A stated model, and its path."""
    (tmp_path / "classifier.om").write_bytes(b"om")
    (tmp_path / "classifier.om.json").write_text(json.dumps(STATED))
    (tmp_path / "classifier.py").write_text(FUNCTION)
    return str(tmp_path / "classifier.om")


def test_a_stated_model_computes(build: Build, run: Run, model: str) -> None:
    ran = run(build("classify"), model)
    assert (ran.returncode, ran.stdout) == (0, PRINTED), ran.stderr
    assert "[" not in ran.stderr, ran.stderr


@pytest.mark.parametrize("mistake", MISTAKES)
def test_its_planted_mistakes_are_found(mistake: str, build: Build, run: Run, model: str) -> None:
    ran = run(build("classify"), model, mistake)
    assert f"[{MISTAKES[mistake]}]" in ran.stderr
    assert "classify.cpp:" in ran.stderr


def test_without_a_statement_the_text_says_how_to_give_one(build: Build, run: Run, tmp_path: Path) -> None:
    (tmp_path / "classifier.om").write_bytes(b"om")
    ran = run(build("classify"), str(tmp_path / "classifier.om"))
    assert ran.returncode == 1
    assert "145002" in ran.stdout
    assert "in the file classifier.om.json beside it" in ran.stdout


def test_dynamic_image_sizes(build: Build, run: Run, tmp_path: Path) -> None:
    """aclmdlHW has height and width of each size, as the struct of the header says."""
    side = [{"name": "map", "dtype": "uint8", "dims": [1, -1, -1]}]
    stated = {"inputs": side, "outputs": side, "gears": {"hw": [[2, 3], [5, 7]]}, "run": "half.py:twice"}
    (tmp_path / "half.om").write_bytes(b"om")
    (tmp_path / "half.om.json").write_text(json.dumps(stated))
    (tmp_path / "half.py").write_text("def twice(inputs):\n    return inputs['map'] * 2\n")
    ran = run(build("gears"), str(tmp_path / "half.om"))
    assert (ran.returncode, ran.stdout) == (0, "2 x 3\n5 x 7\nmap 6: 2\n"), ran.stderr
    assert "[" not in ran.stderr, ran.stderr


@pytest.mark.skipif(find_spec("onnxruntime") is None, reason="needs the extra onnx (onnxruntime)")
def test_an_onnx_file_computes(build: Build, run: Run, tmp_path: Path) -> None:
    (tmp_path / "classifier.om").write_bytes(b"om")
    write(tmp_path / "classifier.onnx", "Neg", {"image": (1, 3, 2, 2)}, {"prob": (1, 3, 2, 2)})
    ran = run(build("classify"), str(tmp_path / "classifier.om"))
    expected = "image [1, 3, 2, 2] -> prob\nclass 0: -0.00\nclass 1: -1.00\nclass 2: -2.00\n"
    assert (ran.returncode, ran.stdout) == (0, expected), ran.stderr

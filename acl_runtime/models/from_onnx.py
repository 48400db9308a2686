"""The statement of a model from an ONNX file of the same name beside it: `resnet50.onnx` states `resnet50.om`.

It needs onnxruntime (the extra `onnx`), which is imported when a program first loads such a model.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from acl_runtime.headers.dtypes import Array
from acl_runtime.models.statement import BadStatement, Function, Model, Tensor

EXTRA: Final = 'pip install "onnxruntime>=1.19"'
TYPES: Final[Mapping[str, str]] = {
    "tensor(float)": "float32", "tensor(float16)": "float16", "tensor(double)": "float64", "tensor(int8)": "int8",
    "tensor(int16)": "int16", "tensor(int32)": "int32", "tensor(int64)": "int64", "tensor(uint8)": "uint8",
    "tensor(uint16)": "uint16", "tensor(uint32)": "uint32", "tensor(uint64)": "uint64", "tensor(bool)": "bool",
}  # fmt: skip
"""numpy's names of the types of ONNX"""


def model_of_onnx(path: Path) -> Model:
    """The statement of an ONNX file; BadStatement if onnxruntime is missing or cannot read the file."""
    session = _session(path)
    return Model(_tensors(session.get_inputs()), _tensors(session.get_outputs()), _runner(session))


def _session(path: Path) -> Any:
    try:
        runtime = import_module("onnxruntime")
    except ImportError:
        raise BadStatement(f"onnxruntime, which would run it, is not installed: {EXTRA}") from None
    try:
        return runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    except Exception as error:  # each version of onnxruntime has classes of its own
        raise BadStatement(str(error)) from error


def _tensors(values: Sequence[Any]) -> list[Tensor]:
    if unknown := [value for value in values if value.type not in TYPES]:
        raise BadStatement(f"{unknown[0].name} has the type {unknown[0].type}, which is not supported")
    return [
        Tensor(value.name, TYPES[value.type], tuple(size if isinstance(size, int) else -1 for size in value.shape))
        for value in values
    ]


def _runner(session: Any) -> Function:
    names = [value.name for value in session.get_outputs()]

    def run_onnx(inputs: dict[str, Array]) -> dict[str, Array]:
        return dict(zip(names, session.run(names, inputs), strict=True))

    return run_onnx

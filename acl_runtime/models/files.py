"""The statement of a model, by the path of its file or by its content: in `machine.models`, or in a file beside it."""

from collections.abc import Callable
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from acl_runtime.models.from_json import model_of_json
from acl_runtime.models.from_onnx import model_of_onnx
from acl_runtime.models.registry import Models
from acl_runtime.models.statement import BadStatement, Model

JSON: Final = ".json"
ONNX: Final = ".onnx"
HOW: Final = (
    "no statement of this model: an emulator cannot read the content of an .om file. State the model in the test, "
    "machine.models[{name!r}] = Model(inputs, outputs, run), or in the file {json} beside it, or put {onnx} beside it "
    "(aclnn docs models)"
)
"""the sentence for a model without a statement"""
MEMORY: Final = (
    "no statement of this model: an emulator cannot read the content of an .om file. State the model by the path of a "
    "file with the same content, or by the bytes that its content begins with: "
    "machine.models[b'...'] = Model(inputs, outputs, run) (aclnn docs models)"
)
"""the sentence for a model from memory"""


class Unstated(Exception):
    """There is no usable statement of a model; the text says how to give one."""


def of_file(models: Models, path: str) -> Model:
    """The statement for a file that exists; Unstated if there is none."""
    file = Path(path)
    stated = _by_name(models, path, file.name)
    in_json, in_onnx = file.with_name(file.name + JSON), file.with_suffix(ONNX)
    if stated is None and in_json.is_file():
        stated = _read(in_json, model_of_json)
    if in_onnx.is_file() and (stated is None or stated.run is None):
        onnx = _read(in_onnx, model_of_onnx)
        stated = onnx if stated is None else replace(stated, run=onnx.run)
    if stated is None:
        raise Unstated(HOW.format(name=file.name, json=in_json.name, onnx=in_onnx.name))
    return stated


def of_content(models: Models, content: bytes) -> tuple[str, Model]:
    """The name and the statement for a model in memory; Unstated if there is none."""
    for name, model in models.items():
        if isinstance(name, bytes) and content.startswith(name):
            return repr(name), model
    for name, model in models.items():
        if isinstance(name, str) and _content(name) == content:
            return Path(name).name, model
    raise Unstated(MEMORY)


def _by_name(models: Models, path: str, name: str) -> Model | None:
    for stated in (path, name):
        if stated in models:
            return models[stated]
    return next((models[key] for key in models if isinstance(key, str) and fnmatchcase(name, key)), None)


def _read(path: Path, reader: Callable[[Path], Model]) -> Model:
    """The statement in a file; Unstated, with the name of the file, if it is faulty."""
    try:
        return reader(path)
    except BadStatement as error:
        raise Unstated(f"{path}: {error}") from error


def _content(name: str) -> bytes | None:
    """The content of the file of this name; None if there is no such file."""
    try:
        return Path(name).read_bytes()
    except OSError:
        return None
